#!/usr/bin/env bash
# Builds the page and tests it in node, Chromium and Firefox (bash tests/run.sh web). An argument is
# the name of a file of tests (explain), by default of all; options go to node. Firefox
# leaves out what is the same in each browser, unless FIREFOX=all. SHOTS names a folder for pictures
# of what is tested, to be looked at.
set -euo pipefail
[ -z "${SWAPLIST_DATA:-}" ] || SWAPLIST_DATA=$(cd "$SWAPLIST_DATA" && pwd)
[ -z "${SHOTS:-}" ] || SHOTS=$(mkdir -p "$SHOTS" && cd "$SHOTS" && pwd)
cd "$(dirname "$0")"

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ -x /usr/bin/chromium ] || missing+=(chromium)
[ -x /usr/bin/firefox-esr ] || missing+=(firefox-esr)
compgen -G '/usr/share/vulkan/icd.d/lvp_icd*' >/dev/null || missing+=(mesa-vulkan-drivers libvulkan1)
[ ${#missing[@]} = 0 ] || bash ../tests/install.sh "${missing[@]}"

# One folder for what is built, also for what core has built: with an example, the command is built
# as for the tests in Rust, whose dependencies have more features.
CARGO_TARGET_DIR=$(cd .. && cargo metadata --format-version 1 --no-deps --locked |
    node -p 'JSON.parse(fs.readFileSync(0)).target_directory')
export CARGO_TARGET_DIR
(cd .. && cargo build --bin swaplist --example filter_file)
export SWAPLIST=$CARGO_TARGET_DIR/debug/swaplist
bash build.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A profile of its own, away from the user's.
export FIREFOX_HOME=$work/firefox
mkdir "$FIREFOX_HOME"
options=() files=()
for argument in "$@"; do
    case $argument in
        -*) options+=("$argument") ;;
        *) files+=("tests/$argument.test.mjs") ;;
    esac
done
if [ ${#files[@]} = 0 ]; then
    files=(tests/*.test.mjs)
    [ "${BROWSER:-firefox}" != firefox ] || node tests/profile.mjs
fi
# A browser waits as long as it computes, and has a server of its own: three keep two cores busy.
node --test --test-concurrency=3 --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$work/report" "${options[@]}" "${files[@]}"
left_out=$(sed -n 's/^ *ok [0-9]* - \(.*\) # SKIP \(.*\)/    \1: \2/p' "$work/report")
[ -z "$left_out" ] || echo "LEFT OUT of web, of which Firefox runs what is the same in each browser if FIREFOX=all:
$left_out"

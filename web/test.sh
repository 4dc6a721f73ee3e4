#!/usr/bin/env bash
# Builds the page and tests it in node, Chromium and Firefox (bash tests/run.sh web). Arguments go
# to node.
set -euo pipefail
[ -z "${SWAPLIST_DATA:-}" ] || SWAPLIST_DATA=$(cd "$SWAPLIST_DATA" && pwd)
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
# A profile of its own, away from the user's.
FIREFOX_HOME=$(mktemp -d)
trap 'rm -rf "$FIREFOX_HOME"' EXIT
export FIREFOX_HOME
# The software GPUs of both browsers run on the same cores: one file after the other.
node --test --test-concurrency=1 "$@" tests/*.test.mjs

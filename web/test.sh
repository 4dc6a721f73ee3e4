#!/usr/bin/env bash
# Builds the page and tests it in node, Chromium and Firefox (bash tests/run.sh web).
set -euo pipefail
cd "$(dirname "$0")"

missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ -x /usr/bin/chromium ] || missing+=(chromium)
[ -x /usr/bin/firefox-esr ] || missing+=(firefox-esr)
compgen -G '/usr/share/vulkan/icd.d/lvp_icd*' >/dev/null || missing+=(mesa-vulkan-drivers libvulkan1)
[ ${#missing[@]} = 0 ] || bash ../tests/install.sh "${missing[@]}"

(cd .. && cargo build)
bash build.sh
# A profile of its own, away from the user's.
FIREFOX_HOME=$(mktemp -d)
trap 'rm -rf "$FIREFOX_HOME"' EXIT
export FIREFOX_HOME
# The software GPUs of both browsers run on the same cores: one file after the other.
node --test --test-concurrency=1 tests/*.test.mjs

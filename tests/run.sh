#!/usr/bin/env bash
# Runs the tests, installing what they need: of the crate, the command and the page's types (core),
# of the library for C (capi), of the Python package (python), of the page in browsers (web).
# Without an argument, all of them, capi and python beside core. A fifth part, data, runs the tests
# that need real data, in the folder that SWAPLIST_DATA names. A sixth, page, only builds the page.
# What is left out is named at the end.
#
# core, python: a software Vulkan driver (lavapipe), so that the real shaders run where there is no
# GPU; GPU_TESTS=off leaves out the tests that need an adapter.
set -euo pipefail
cd "$(dirname "$0")/.."

# Mesa complains where a server has no desktop.
export NODEVICE_SELECT=1
# Most is built once here: saves 0.6 GB.
export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

# As many of the tests in Rust need real data.
REAL_DATA_TESTS=28

has_vulkan() {
    ldconfig -p 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null &&
        { compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json'; } >/dev/null
}

driver() {
    if [ "${GPU_TESTS:-on}" != off ] && [ "$(uname)" = Linux ] && ! has_vulkan; then
        bash tests/install.sh mesa-vulkan-drivers libvulkan1
    fi
}

core() {
    local skipped=()
    [ "${GPU_TESTS:-on}" != off ] || skipped=(-- --skip on_gpu)
    driver
    # Examples and doctests too.
    cargo test --workspace "${skipped[@]}"
    # Those that take minutes.
    if [ -z "${skipped[*]}" ]; then
        cargo test --workspace --test mutants -- --ignored
        # With --lib, cargo would build tests of libraries that have none.
        cargo test --workspace --tests -- --ignored mutants
    fi
    # Aloud: which paths of the CPU these were.
    cargo test --quiet --workspace --test see -- --nocapture every_path_of_this_machine_is_tested
    echo "LEFT OUT: the tests on real data, for which SWAPLIST_DATA=DIR bash tests/run.sh data (CONTRIBUTING.md)"
    [ -z "${skipped[*]}" ] || echo "LEFT OUT: the tests on a GPU, by GPU_TESTS=off"
}

data() {
    # Tests run in folders of their own.
    SWAPLIST_DATA=$(cd "${SWAPLIST_DATA:?names the folder of real data}" && pwd)
    export SWAPLIST_DATA
    # A test that is renamed would be left out in silence.
    local found
    found=$(cargo test --workspace -- --ignored real_data_ --list | grep -c ': test$' || true)
    if [ "$found" -lt "$REAL_DATA_TESTS" ]; then
        echo "$found tests are named real_data_, expected $REAL_DATA_TESTS or more" >&2
        exit 1
    fi
    cargo test --workspace -- --ignored real_data_
    bash web/test.sh --test-name-pattern=real_data_
    bash python/test.sh -k real_data_
}

capi() {
    bash capi/test.sh
}

python() {
    driver
    bash python/test.sh
}

page() {
    bash web/build.sh
}

web() {
    bash web/test.sh
}

# What the parts have left out, again.
left_out() { # OUTPUT..
    awk '/^SKIPPED/ { print "LEFT OUT of python:", $0 }
        /^LEFT OUT/ { names = 1; print; next }
        names && /^    / { print; next }
        { names = 0 }' "$@"
}

# What is red in a part that failed, which its last lines seldom say.
what_failed() { # PART
    echo "== $1 failed:"
    grep -aE '^test .* FAILED$|^error|^Error|^E  |^FAILED |^ERROR |^ *✖ |panicked at ' "$outputs/$1" | head -40 || true
    tail -n 10 "$outputs/$1"
}

# Runs a part in a shell of its own, which ends with the part's first error.
run() { # PART
    local start=$SECONDS
    echo "== $1"
    bash tests/run.sh "$1" || echo "$1" >>"$failed"
    echo "== $1: $((SECONDS - start)) s"
}

one_after_another() { # PART..
    local part
    for part in "$@"; do
        run "$part" 2>&1 | tee "$outputs/$part"
    done
}

# Half of the time core leaves one of two cores idle, as it builds and as it tests. Tests of browsers
# come last: beside others they run out of time.
side_by_side() {
    local part aside
    set -m # a group of its own, which ends with this one
    for part in page capi python; do
        run "$part" >"$outputs/$part" 2>&1
    done &
    aside=$!
    set +m
    # It has mostly ended by then, which must not be this script's status.
    trap 'kill -- -'"$aside"' 2>/dev/null || true; rm -rf "$outputs" "$failed"' EXIT
    one_after_another core
    echo "== waiting for the parts beside it, whose output follows: page, capi and python"
    wait "$aside"
    cat "$outputs/page" "$outputs/capi" "$outputs/python"
    one_after_another web
}

several() { # PART.., or none for all
    outputs=$(mktemp -d)
    failed=$(mktemp)
    trap 'rm -rf "$outputs" "$failed"' EXIT
    if [ "$#" -gt 0 ]; then
        one_after_another "$@"
    else
        side_by_side
    fi
    left_out "$outputs"/*
    [ -s "$failed" ] || return 0
    local part
    for part in $(<"$failed"); do
        what_failed "$part"
    done
    echo "FAILED: $(xargs <"$failed")" >&2
    exit 1
}

for part in "$@"; do
    case $part in
        core | capi | python | page | web | data) ;;
        *)
            echo "no part '$part': expected core, capi, python, page, web or data" >&2
            exit 2
            ;;
    esac
done
if [ "$#" = 1 ]; then
    "$1"
else
    several "$@"
fi

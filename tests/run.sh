#!/usr/bin/env bash
# Runs the tests, and installs what they need. Arguments name the parts to run, one after another:
#
#   core    tests the crate, the command and the page's types
#   capi    tests the library for C
#   python  tests the Python package
#   web     tests the page in browsers
#   page    only builds the page
#   data    runs the tests that need real data, in the folder that SWAPLIST_DATA names
#
# Without an argument all parts run except data: core, with page, capi and python beside it, and
# then web.
# What was left out is named at the end.
#
# core and python need a Vulkan driver. Where Linux has none they install a software one (lavapipe),
# so that the real shaders run without a GPU. GPU_TESTS=off leaves out the tests that need an
# adapter.
set -euo pipefail
cd "$(dirname "$0")/.."

# This turns off Mesa's choice of a device, which prints complaints on a server without a desktop.
export NODEVICE_SELECT=1
# Most crates are built only once here. Without files for incremental builds, 0.6 GB are saved.
export CARGO_INCREMENTAL="${CARGO_INCREMENTAL:-0}"

# The least number of tests in Rust that need real data.
REAL_DATA_TESTS=28

has_vulkan() {
    ldconfig -p 2>/dev/null | grep 'libvulkan\.so\.1' >/dev/null &&
        { compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json'; } >/dev/null
}

# Installs a Vulkan driver where there is none.
driver() {
    if [ "${GPU_TESTS:-on}" != off ] && [ "$(uname)" = Linux ] && ! has_vulkan; then
        bash tests/install.sh mesa-vulkan-drivers libvulkan1
    fi
}

core() {
    local tests=(--workspace) on_gpu=${GPU_TESTS:-on}
    [ "$on_gpu" != off ] || tests+=(-- --skip on_gpu)
    driver
    # This builds the examples and runs the doctests too.
    cargo test "${tests[@]}"
    # The tests with shaders that are broken on purpose take minutes.
    if [ "$on_gpu" != off ]; then
        cargo test --workspace --test mutants -- --ignored
        # With --lib, cargo would build tests of libraries that have none.
        cargo test --workspace --tests -- --ignored mutants
    fi
    # This prints which of the paths for different CPUs were tested.
    cargo test --quiet --workspace --test see -- --nocapture every_path_of_this_machine_is_tested
    echo "LEFT OUT: the tests on real data, for which SWAPLIST_DATA=DIR bash tests/run.sh data (CONTRIBUTING.md)"
    [ "$on_gpu" != off ] || echo "LEFT OUT: the tests on a GPU, by GPU_TESTS=off"
}

data() {
    # Tests run in the folder of their crate, so the path must be absolute.
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

# Prints again what the parts have left out, with the indented lines after it.
left_out() { # OUTPUT..
    awk '/^SKIPPED/ { print "LEFT OUT of python:", $0 }
        /^LEFT OUT/ { names = 1; print; next }
        names && /^    / { print; next }
        { names = 0 }' "$@"
}

# Prints the errors of a part that failed, which its last lines seldom have, and those lines.
what_failed() { # PART
    echo "== $1 failed:"
    grep -aE '^test .* FAILED$|^error|^Error|^E  |^FAILED |^ERROR |^ *✖ |panicked at ' "$outputs/$1" | head -40 || true
    tail -n 10 "$outputs/$1"
}

# Runs a part, and notes it if it fails. A shell of its own ends with the part's first error. In
# this one, the part would go on after it, as `||` follows.
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

# Runs all parts except data. With two CPU cores, the part core leaves one idle half of the time, so
# others run beside it. Tests of browsers come last, as they run out of time beside others.
side_by_side() {
    local part aside
    # With a process group of its own, all that the loop has started can be ended together.
    set -m
    for part in page capi python; do
        run "$part" >"$outputs/$part" 2>&1
    done &
    aside=$!
    set +m
    # The group has mostly ended by then: that kill fails must not be this script's status.
    trap 'kill -- -'"$aside"' 2>/dev/null || true; rm -rf "$outputs" "$failed"' EXIT
    one_after_another core
    echo "== waiting for the parts beside it, whose output follows: page, capi and python"
    wait "$aside"
    trap 'rm -rf "$outputs" "$failed"' EXIT
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

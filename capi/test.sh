#!/usr/bin/env bash
# Builds the library, compiles the programs in tests/ and the examples in docs/c.md with each
# compiler that is there, and runs them.
set -euo pipefail
cd "$(dirname "$0")"

built=${CARGO_TARGET_DIR:-$PWD/../target}
command -v g++ >/dev/null || command -v clang++ >/dev/null || bash ../tests/install.sh gcc g++ libc6-dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=$built/debug

# One folder for what is built, also for what core has built: with an example, and with the other
# crates of core, dependencies have the features that its tests need.
(cd .. && cargo build --locked --lib --example filter_file \
    -p swaplist -p swaplist-benches -p swaplist-capi -p swaplist-cli -p swaplist-files)
# Others write it otherwise.
if [[ $(cbindgen --version 2>/dev/null) = 'cbindgen 0.29.'* ]]; then
    cbindgen --quiet --output "$work/swaplist.h"
    diff -u include/swaplist.h "$work/swaplist.h"
fi

block() { # LANGUAGE: the only block in docs/c.md
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" ../docs/c.md | sed '/^```/d'
}
block c >"$work/example.c"
block cpp >"$work/is_loud.inc"
# FEN, move, values, and the SEE under swap, sf8, sf and legal.
sed -E 's/"[PNBRQ]": //g; s/, ([0-9])/ \1/g
s/.*"fen": "([^"]*)", "move": "([^"]*)", "A": ([-0-9]+), "B_seed": ([-0-9]+), "values": \{([^}]*)\}.*"B_cur": ([-0-9]+),.*"C_lva": ([-0-9]+),.*/\1\t\2\t\5\t\3\t\4\t\6\t\7/' \
    ../tests/data/tricky.jsonl >"$work/cases.tsv"
# And the suite for engines, whose values are sums of pieces.
awk -F ' [|] ' '
function sum(text,    i, letter, sign, value) {
    sign = 1; value = 0
    for (i = 1; i <= length(text); i++) {
        letter = substr(text, i, 1)
        if (letter == "-") sign = -1; else if (letter == "+") sign = 1
        else value += sign * worth[letter]
    }
    return value
}
BEGIN { worth["P"] = 100; worth["N"] = worth["B"] = 325; worth["R"] = 500; worth["Q"] = 1000 }
{ printf "%s\t%s\t100 325 325 500 1000\t%d\t%d\t%d\t%d\n", $1, $2, sum($3), sum($4), sum($5), sum($6) }
' ../data/see-suite.txt >>"$work/cases.tsv"

flags=(-g -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude -I"$work")
# Rust's standard library needs these.
static=("$built/debug/libswaplist.a" -lpthread -ldl -lm)
for compilers in "gcc g++" "clang clang++"; do
    read -r c cpp <<<"$compilers"
    command -v "$c" >/dev/null && command -v "$cpp" >/dev/null || continue
    sanitizers=(-fsanitize=address,undefined -fno-sanitize-recover=all)
    if ! "$cpp" -x c++ "${sanitizers[@]}" - -o "$work/none" <<<'int main() {}' 2>/dev/null; then
        echo "$c has no sanitizers here" # Debian has clang's apart
        sanitizers=()
    fi
    "$c" -std=c99 "${flags[@]}" "${sanitizers[@]}" tests/suite.c "${static[@]}" -o "$work/suite"
    "$cpp" -std=c++17 "${flags[@]}" "${sanitizers[@]}" tests/loader.cpp "${static[@]}" -o "$work/loader"
    "$c" -std=c99 "${flags[@]}" "$work/example.c" -L"$built/debug" -lswaplist -o "$work/example"
    "$work/suite" "$work/cases.tsv" ../data/sample.fen 2>"$work/stderr"
    "$work/loader" ../data/sample.fen
    diff <(echo -225) <("$work/example")
    diff /dev/null "$work/stderr" # no panic, caught or not
    echo "C and C++ with $c: passed"
done

if command -v cargo-cinstall >/dev/null; then
    root=$work/root
    cargo cinstall --locked --debug --prefix=/usr --libdir=/usr/lib --destdir="$root"
    export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    read -ra installed < <(pkg-config --cflags --libs swaplist)
    cc -std=c99 tests/suite.c "${installed[@]}" -o "$work/installed"
    LD_LIBRARY_PATH=$root/usr/lib "$work/installed" "$work/cases.tsv" ../data/sample.fen
    echo "C, installed by cargo-c: passed"
fi

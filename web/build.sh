#!/usr/bin/env bash
# Builds the page into web/dist: any file server can serve it. Its links go to REPOSITORY, by default
# that of Cargo.toml; SITE is the page's own address, which previews of links need.
#
# It needs cargo, node and npm. Where rustup has no wasm32 target, and Debian's packages are at
# hand, a toolchain is made once (web/toolchain.sh).
set -euo pipefail
cd "$(dirname "$0")"

target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target $target)" ] &&
    ! { command -v rustup >/dev/null && rustup target add $target >/dev/null 2>&1; }; then
    RUSTC=$(bash toolchain.sh)
    export RUSTC
fi
cargo build --profile page --locked --target $target -p swaplist-web -p swaplist-explain
[ -f node_modules/.package-lock.json ] && [ node_modules/.package-lock.json -nt package-lock.json ] ||
    npm ci --no-audit --no-fund --silent

rm -rf dist
mkdir -p dist/vendor
cp page/*.{css,html,jpg,svg} dist/
# Checked, and without comments.
npx tsc --noEmit false --removeComments --rootDir page --outDir dist
built=$(cargo metadata --format-version 1 --no-deps --locked | node -p 'JSON.parse(fs.readFileSync(0)).target_directory')
cp "$built/$target/page/swaplist_explain.wasm" dist/explain.wasm
# The large module loses 3 % of its gzip, and runs as fast. Higher levels gain little more and take
# long; the small module would have more bytes by brotli.
features=(simd bulk-memory bulk-memory-opt multivalue mutable-globals nontrapping-float-to-int reference-types sign-ext call-indirect-overlong)
whole=$built/$target/page/swaplist_web
if ! cmp -s "$whole.wasm" "$whole.before.wasm"; then
    npx wasm-opt -O1 "${features[@]/#/--enable-}" "$whole.wasm" -o "$whole.after.wasm"
    cp "$whole.wasm" "$whole.before.wasm"
fi
cp "$whole.after.wasm" dist/swaplist.wasm
cp ../data/sample.binpack ../data/see-suite.txt dist/
cp ../LICENSE dist/LICENSE.txt
board=node_modules/@lichess-org/chessground
cp $board/dist/chessground.min.js $board/assets/chessground.*.css dist/vendor/
cp $board/LICENSE dist/vendor/chessground.LICENSE.txt
: "${REPOSITORY=$(cd .. && cargo metadata --format-version 1 --no-deps --locked | node -p 'JSON.parse(fs.readFileSync(0)).packages[0].repository ?? ""')}"
if [ -z "$REPOSITORY" ]; then
    mkdir dist/docs
    for file in ../README.md ../docs/*.md; do cp "$file" "dist/docs/$(basename "$file" .md).txt"; done
fi
node finish.mjs "$REPOSITORY" "${SITE:-}"

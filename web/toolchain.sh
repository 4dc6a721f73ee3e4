#!/usr/bin/env bash
# Makes a rustc with wasm32-unknown-unknown where rustup cannot fetch the target: Debian's
# rustc-web, unpacked and not installed, and its standard library, built once. Prints its path.
set -euo pipefail

dir=${XDG_CACHE_HOME:-$HOME/.cache}/swaplist/rustc-wasm
if [ -x "$dir/rustc" ]; then
    echo "$dir/rustc"
    exit
fi
if ! command -v apt-get >/dev/null; then
    echo "no target wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown" >&2
    exit 1
fi
echo "building the standard library for wasm32, once ($dir)" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debs" "$work/root" "$work/build" "$work/build/src"
cd "$work/debs"
depends() { apt-cache depends "$1" | sed -n "s/.*Depends: \\($2\\)\$/\\1/p" | head -1; }
fetch() {
    local std llvm
    std=$(depends libstd-rust-web-dev 'libstd-rust-web-[0-9.]*') && llvm=$(depends "$std" 'libllvm[0-9]*')
    apt-get download rustc-web "$std" libstd-rust-web-dev rust-web-src "$llvm" >&2
}
fetch 2>/dev/null || { apt-get update >&2 && fetch; }
for deb in rustc-web libstd-rust-web-[0-9] libstd-rust-web-dev libllvm; do
    dpkg-deb -x $deb*.deb "$work/root"
done
dpkg-deb --fsys-tarfile rust-web-src*.deb |
    tar -x -C "$work/root" --wildcards './usr/src/*/library' './usr/lib/rustlib/src/rust'
host=x86_64-unknown-linux-gnu
rustlib=$work/root/usr/lib/rustlib
mkdir -p "$rustlib/$host/bin" "$rustlib/wasm32-unknown-unknown/lib"
ln -sf "$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld" "$rustlib/$host/bin/"
cat >"$work/root/rustc" <<'S'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$here/usr/lib/x86_64-linux-gnu exec "$here/usr/bin/rustc" "$@"
S
chmod +x "$work/root/rustc"
cd "$work/build"
printf '[package]\nname = "std-only"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >Cargo.toml
: >src/lib.rs
RUSTC=$work/root/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS='-C embed-bitcode=yes' \
    cargo build --quiet --release --target-dir target -Z build-std=std,panic_abort --target wasm32-unknown-unknown >&2
cp target/wasm32-unknown-unknown/release/deps/*.rlib "$rustlib/wasm32-unknown-unknown/lib/"
rm "$rustlib"/wasm32-unknown-unknown/lib/libstd_only-*
mkdir -p "$(dirname "$dir")"
rm -rf "$dir"
mv "$work/root" "$dir"
echo "$dir/rustc"

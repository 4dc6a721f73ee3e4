#!/usr/bin/env bash
# Builds the library and the command for another platform, and runs their tests there:
#
#   bash tests/cross.sh windows [TEST OPTIONS]    x86_64-pc-windows-gnu, under wine
#   bash tests/cross.sh aarch64 [TEST OPTIONS]    aarch64-unknown-linux-gnu, under qemu-user
#   bash tests/cross.sh macos                     checked only, for both of Apple's processors
#
# For Debian and Ubuntu, as root or by sudo: installs linker and emulator. Tests of the GPU are left
# out, as neither emulator has one.
set -euo pipefail
cd "$(dirname "$0")/.."
platform=${1:-}
shift || true
cache=${XDG_CACHE_HOME:-$HOME/.cache}/swaplist
options=()
left_out=(on_gpu)

# rustup's target, or Debian's compiler, unpacked and not installed, and the standard library's
# sources, of which cargo makes what the target needs.
use_target() {
    target=$1
    [ ! -d "$(rustc --print target-libdir --target "$target")" ] || return 0
    ! { command -v rustup && rustup target add "$target"; } >/dev/null 2>&1 || return 0
    debian_rustc
    export RUSTC=$cache/rustc-cross/rustc RUSTC_BOOTSTRAP=1
    options+=(-Z "build-std=std,panic_unwind,test")
}

debian_rustc() {
    local dir=$cache/rustc-cross work std llvm deb
    [ ! -x "$dir/rustc" ] || return 0
    work=$(mktemp -d)
    (
        cd "$work"
        depends() { apt-cache depends "$1" | sed -n "s/.*Depends: \\($2\\)\$/\\1/p" | head -1; }
        std=$(depends libstd-rust-web-dev 'libstd-rust-web-[0-9.]*')
        llvm=$(depends "$std" 'libllvm[0-9]*')
        apt-get download -q rustc-web "$std" libstd-rust-web-dev rust-web-src "$llvm"
        mkdir root
        for deb in rustc-web_*.deb libstd*.deb libllvm*.deb; do dpkg-deb -x "$deb" root; done
        dpkg-deb --fsys-tarfile rust-web-src*.deb |
            tar -x -C root --wildcards './usr/src/*/library' './usr/lib/rustlib/src/rust'
    )
    cat >"$work/root/rustc" <<'S'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$here/usr/lib/x86_64-linux-gnu exec "$here/usr/bin/rustc" "$@"
S
    chmod +x "$work/root/rustc"
    mkdir -p "$cache"
    rm -rf "$dir"
    mv "$work/root" "$dir"
    rm -r "$work"
}

windows() {
    command -v x86_64-w64-mingw32-gcc >/dev/null && command -v wine >/dev/null ||
        bash tests/install.sh gcc-mingw-w64-x86-64 wine64 wine
    use_target x86_64-pc-windows-gnu
    export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine WINEDEBUG=-all
    # Wine removes an open file only when it is closed, Windows at once.
    left_out+=(cancelled_from_outside)
    # Signals go through a console, which wine lacks without a desktop.
    left_out+=(windows::ctrl_c_leaves_nothing_behind)
    # One function that Rust's standard library asks for random numbers, for a wine that lacks it.
    mkdir -p "$cache/wine"
    x86_64-w64-mingw32-gcc -shared -o "$cache/wine/bcryptprimitives.dll" -x c - -ladvapi32 <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    return SystemFunction036(bytes, (ULONG)count);
}
C
    WINEPATH=$(winepath -w "$cache/wine" 2>/dev/null)
    export WINEPATH
}

aarch64() {
    command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null ||
        bash tests/install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-user-binfmt
    use_target aarch64-unknown-linux-gnu
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64
    export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
    # The limit of memory would be qemu's too.
    left_out+=(threads_that_cannot_be_started)
    # The command's tests start it: the system has to know that qemu runs it.
    local formats=/proc/sys/fs/binfmt_misc
    [ -e $formats/register ] || mount -t binfmt_misc none $formats
    [ -e $formats/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$formats/register
}

# Without Apple's SDK: nothing is linked, and the C of Zstandard is not compiled.
macos() {
    local name
    mkdir -p "$cache/no-sdk"
    for target in aarch64-apple-darwin x86_64-apple-darwin; do
        use_target $target
        name=${target//-/_}
        env SDKROOT="$cache/no-sdk" "CC_$name=true" "AR_$name=true" \
            cargo check "${options[@]}" --target $target -p swaplist -p swaplist-files -p swaplist-cli
        options=()
    done
    exit
}

case $platform in
    windows | aarch64 | macos) "$platform" ;;
    *)
        echo "usage: bash tests/cross.sh windows|aarch64|macos [TEST OPTIONS]" >&2
        exit 2
        ;;
esac
export GPU_TESTS=off
cargo test --no-fail-fast "${options[@]}" --target "$target" -p swaplist -p swaplist-files -p swaplist-cli \
    --lib --test see --test filter --test jobs --test cli -- "${left_out[@]/#/--skip=}" "$@"

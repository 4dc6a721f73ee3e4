//! Tells the crate whether it is compiled without optimisation, as dependencies of debug builds
//! are: the vector paths are inlined into one function, whose stack frame would then be of
//! megabytes. Whether it is compiled for WebAssembly with vectors.
//! And whether Zstandard is handled by the C library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized, simd128, c_zstd)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
    let features = std::env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let is_wasm = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32");
    if !is_wasm && std::env::var_os("CARGO_FEATURE_ZSTD").is_some() {
        println!("cargo::rustc-cfg=c_zstd");
    }
    if is_wasm && features.split(',').any(|feature| feature == "simd128") {
        println!("cargo::rustc-cfg=simd128");
    }
}

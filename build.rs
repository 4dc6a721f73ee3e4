//! Tells the crate whether it is compiled without optimisation, as dependencies of debug builds
//! are: the vector paths are inlined into one function, whose stack frame would then be of
//! megabytes.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}

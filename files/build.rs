//! Tells the crate whether Zstandard is handled by the C library. Strips the comments of the shaders.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(c_zstd)");
    let is_wasm = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32");
    strip_shaders(is_wasm)?;
    if !is_wasm && env::var_os("CARGO_FEATURE_ZSTD").is_some() {
        println!("cargo::rustc-cfg=c_zstd");
    }
    Ok(())
}

/// Copies the shaders without their comments: they are compiled into programs and the page. For the
/// page also without indentation and blank lines, which the lists of mutants quote.
fn strip_shaders(for_page: bool) -> io::Result<()> {
    println!("cargo::rerun-if-changed=shaders");
    let into = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("shaders");
    fs::create_dir_all(&into)?;
    for entry in fs::read_dir("shaders")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        let is_shader = path
            .extension()
            .is_some_and(|extension| extension == "wgsl");
        if !is_shader {
            continue;
        }
        let mut stripped = String::new();
        for line in fs::read_to_string(&path)?.lines() {
            // WGSL has no text in quotes, so `//` is always a comment.
            let code = line.split("//").next().unwrap_or_default().trim_end();
            let code = if for_page { code.trim_start() } else { code };
            if !code.is_empty() || line.is_empty() && !for_page {
                stripped.push_str(code);
                stripped.push('\n');
            }
        }
        fs::write(into.join(name), stripped)?;
    }
    Ok(())
}

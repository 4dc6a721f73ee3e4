//! The shader in the eyes of Tint, the compiler of Chromium, which refuses some
//! WGSL that naga accepts.

#![cfg(feature = "gpu")]

use std::process::{Command, Output};

use swaplist::backend::gpu::SHADER;

/// What Tint says; `None`, said out loud, where it is not installed.
fn tint(name: &str, wgsl: &str) -> Option<Output> {
    let file = format!("swaplist_{}_{name}.wgsl", std::process::id());
    let path = std::env::temp_dir().join(file);
    std::fs::write(&path, wgsl).unwrap();
    let output = Command::new("tint")
        .args(["--format", "wgsl"])
        .arg(&path)
        .output();
    std::fs::remove_file(&path).unwrap();
    match output {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("NOT TESTED: tint does not run here: {error}");
            None
        }
    }
}

#[test]
fn tint_accepts_the_shader() {
    let Some(output) = tint("accepted", SHADER) else {
        return;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.contains("warning"), "{errors}");
}

/// Mixed operators, which naga lets pass.
#[test]
fn tint_refuses_what_browsers_refuse() {
    let mixed = format!("{SHADER}\nfn mixed(a: bool, b: bool) -> bool {{ return a && b || a; }}\n");
    let Some(output) = tint("refused", &mixed) else {
        return;
    };
    assert!(!output.status.success(), "mixed && and || were let pass");
}

//! The shader under Tint, Chromium's compiler, which refuses some WGSL that naga accepts.

use std::io::Write as _;
use std::process::{Command, Output};

use swaplist::gpu::program::SHADER;

/// Tint's output; `None`, with a message, if it is not installed.
fn tint(name: &str, wgsl: &str) -> Option<Output> {
    if !is_compiler() {
        return not_tested("tint, the compiler, is not installed");
    }
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
        Err(error) => not_tested(&format!("tint does not run here: {error}")),
    }
}

/// Whether this is the compiler: a game has the same name.
fn is_compiler() -> bool {
    let help = Command::new("tint").arg("--help").output();
    help.is_ok_and(|help| {
        [help.stdout, help.stderr]
            .concat()
            .windows(4)
            .any(|word| word == b"wgsl")
    })
}

/// Bypasses the test runner, which hides the output of passing tests.
fn not_tested(why: &str) -> Option<Output> {
    let _ = writeln!(std::io::stderr(), "NOT TESTED: {why}");
    None
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

/// Mixed operators, which naga accepts.
#[test]
fn tint_refuses_what_browsers_refuse() {
    let mixed = format!("{SHADER}\nfn mixed(a: bool, b: bool) -> bool {{ return a && b || a; }}\n");
    let Some(output) = tint("refused", &mixed) else {
        return;
    };
    assert!(!output.status.success(), "mixed && and || were let pass");
}

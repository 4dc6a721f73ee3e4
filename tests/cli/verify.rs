use serde_json::Value;

use crate::run::{Folder, Ran, fens, lines};

/// Without any adapter, whatever the machine has.
fn verify(args: &[&str], input: &str) -> Ran {
    let folder = Folder::new();
    folder.write("in", input);
    let args = [&["verify", "in"], args].concat();
    let output = folder
        .command(&args)
        .env("VK_DRIVER_FILES", "nowhere")
        .env("VK_ICD_FILENAMES", "nowhere")
        .output()
        .unwrap();
    Ran {
        status: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_paths_of_the_cpu_agree_under_all_profiles() {
    let ran = verify(
        &["--all-profiles", "--backend", "cpu"],
        &lines(&fens(10, 3_000)),
    );
    assert!(ran.text().contains("records   3,000, "), "{}", ran.text());
    assert!(
        ran.text().ends_with("result    all equal\n"),
        "{}",
        ran.text()
    );
    for profile in ["swap", "sf8", "sf", "legal"] {
        assert!(
            ran.text()
                .contains(&format!("rules     profile {profile}, "))
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_adapter_is_said_and_may_be_an_error() {
    let input = lines(&fens(11, 10));
    let ran = verify(&[], &input);
    assert!(
        ran.text()
            .contains("GPU       no adapter found: none was compared")
    );
    for args in [
        &["--require-gpu"][..],
        &["--backend", "gpu"],
        &["--backend", "gpu:none"],
    ] {
        assert!(
            verify(args, &input).error().contains("no such GPU adapter"),
            "{args:?}"
        );
    }
}

#[test]
fn verify_as_json() {
    let ran = verify(&["--json", "--backend", "cpu"], &lines(&fens(12, 100)));
    let json: Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(json["records"], 100);
    assert_eq!(json["differences"], 0);
    assert_eq!(json["rules"][0]["profile"], "swap");
}

#[test]
fn invalid_lines_are_errors_or_exit_1() {
    let input = lines(&["4k3/8/8/8/8/8/8/4K3 w - -", "broken"]);
    assert!(
        verify(&["--backend", "cpu"], &input)
            .error()
            .starts_with("in, line 2: ")
    );
    assert_eq!(
        verify(&["--backend", "cpu", "--skip-invalid"], &input).status,
        Some(1)
    );
}

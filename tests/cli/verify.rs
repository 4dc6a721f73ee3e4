use serde_json::Value;

use crate::run::{Folder, Ran, fens, lines};

/// Without any adapter, on every machine.
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
    assert!(ran.text().contains("records     3,000, "), "{}", ran.text());
    assert!(
        ran.text().ends_with("result      all equal\n"),
        "{}",
        ran.text()
    );
    for profile in ["swap", "sf8", "sf", "legal"] {
        assert!(
            ran.text()
                .contains(&format!("rules       profile {profile}, "))
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
            .contains("GPU         no adapter found: none was compared")
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

#[test]
fn nothing_to_compare_is_an_error() {
    for (args, input) in [
        (&["--backend", "cpu"][..], ""),
        (&["--backend", "cpu", "-q"], "# nothing\n"),
        (&["--backend", "cpu", "--skip-invalid"], "broken\n"),
        (&["--backend", "cpu", "--json"], "\n"),
    ] {
        let error = "in: no valid position in it, nothing was compared";
        assert_eq!(verify(args, input).error(), error, "{args:?}");
    }
}

#[test]
fn a_gpu_that_is_not_asked_for() {
    let input = lines(&fens(13, 10));
    let ran = verify(&["--backend", "cpu"], &input);
    let line = "GPU         not asked for: none was compared\n";
    assert!(ran.text().contains(line), "{}", ran.text());
    let ran = verify(&["--backend", "cpu", "--require-gpu"], &input);
    let error = "--backend cpu asks for no GPU and --require-gpu for one; leave out one of them";
    assert_eq!(ran.error(), error);
}

#[test]
fn quiet_means_differences_alone() {
    let ran = verify(&["--backend", "cpu", "-q"], &lines(&fens(14, 10)));
    assert_eq!((ran.text(), &ran.stderr[..]), ("", ""));
}

#[test]
fn the_moves_that_a_line_names_are_compared_too() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    for (moves, count) in [
        ("", "1 moves"),
        (";exd5", "1 moves"),
        (";Kd2 e5", "3 moves"),
    ] {
        let ran = verify(&["--backend", "cpu"], &format!("{fen}{moves}\n"));
        let line = format!("records     1, {count} under");
        assert!(ran.text().contains(&line), "{}", ran.text());
    }
}

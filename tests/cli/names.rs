//! Control characters are shown escaped.

use crate::run::{Folder, fens, lines};

#[cfg(unix)]
#[test]
fn control_characters_are_shown_escaped() {
    let folder = Folder::new();
    let name = "a\x1b[31m\nb.fen";
    let shown = r"a\u{1b}[31m\nb.fen";
    folder.write(name, lines(&fens(3, 10)));
    let other = "c\x1b.txt";
    for args in [
        &["filter", name, "-o", "out.fen"][..],
        &["filter", name, "-o", name, "--force"],
        &["filter", "out.fen", "-o", name],
        &["filter", "out.fen", "-o", "no\x1b/out"],
        &["filter", "out.fen", "no\x1b", "-o", "x"],
        &["filter", name, "--out-dir", "many\x1b", "--force"],
        &["filter", "--config", "no\x1b"],
        &[
            "filter", "out.fen", "-o", other, "--to", "text", "--report", "page",
        ],
        &["convert", name, "-o", "again.txt"],
        &["score", "no\x1b"],
        &["score", name, "-o", "scores"],
        &["verdict", name, "-o", "verdicts", "--json"],
        &["count", name],
        &["count", name, "--json"],
        &["validate", name],
        &["verify", name, "--backend", "cpu"],
        &["check", name],
        &["check", "no\x1b"],
        &["bench", "no\x1b"],
        &["explain", "4k3\x1b w - -"],
    ] {
        let ran = folder.run(args);
        let said = String::from_utf8_lossy(&ran.stdout) + &*ran.stderr;
        assert!(!said.contains('\x1b'), "{args:?} {said:?}");
        let is_shown = said.contains(r"\u{1b}") || said.contains(r"\\u{1b}");
        assert!(is_shown, "{args:?} {said:?}");
    }
    let missing = folder.run(&["score", "no\x1b"]);
    assert!(missing.error().starts_with(r"cannot open 'no\u{1b}'"));
    let summary = folder.run(&["filter", name, "-o", "again"]).stderr;
    assert!(
        summary.contains(&format!("  input       {shown}, text\n")),
        "{summary}"
    );
}

/// Text in files can contain control characters, too.
#[test]
fn control_characters_of_records_are_shown_escaped() {
    let folder = Folder::new();
    let fen = &fens(3, 1)[0];
    for line in [
        "\x1b[31m",
        &format!("{fen};\x1b[31m"),
        &format!("{fen} | \x1b | 1.0"),
    ] {
        folder.write("in.fen", line);
        for args in [
            &["score", "in.fen", "--from", "text"][..],
            // What is kept is written as it was read, so not to standard output.
            &[
                "filter",
                "in.fen",
                "--from",
                "text",
                "--skip-invalid",
                "-o",
                "out",
                "--force",
            ],
            &["validate", "in.fen", "--from", "text"],
            &["check", "in.fen"],
        ] {
            let ran = folder.run(args);
            let said = String::from_utf8_lossy(&ran.stdout) + &*ran.stderr;
            assert!(!said.contains('\x1b'), "{args:?} {said:?}");
        }
    }
}

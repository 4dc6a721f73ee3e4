//! Answers of engines, in `check` and elsewhere.

use swaplist_files::formats::MAX_LINE;

use crate::run::Folder;

const ANSWER: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100";

/// `--help` and what is read have one limit.
#[test]
fn the_longest_line_is_as_the_help_says() {
    let folder = Folder::new();
    let help = String::from_utf8(folder.run(&["check", "--help"]).stdout).unwrap();
    let words: Vec<&str> = help.split_whitespace().collect();
    let limit = format!("a line is {} MiB long at most", MAX_LINE / 1024 / 1024);
    assert!(words.join(" ").contains(&limit), "{help}");
    let line_of = |length: usize| format!("{ANSWER}{}\n", " ".repeat(length - 1 - ANSWER.len()));
    let checked = |length| folder.run_with(&["check"], line_of(length).as_bytes());
    assert_eq!(checked(MAX_LINE).status, Some(0));
    let too_long = checked(MAX_LINE + 1);
    assert_eq!(too_long.status, Some(2));
    let reason = format!("line 1: longer than {MAX_LINE} bytes");
    assert!(too_long.stderr.contains(&reason), "{}", too_long.stderr);
}

#[test]
fn what_was_skipped_is_said_where_no_answer_is_left() {
    let folder = Folder::new();
    let check = |text: &str| {
        let ran = folder.run_with(&["check", "--skip-invalid"], text.as_bytes());
        assert_eq!(ran.status, Some(2));
        ran.stderr
    };
    assert_eq!(
        check(&format!("{ANSWER}x\n# none\n4k3/8;e4d5;1\n")),
        "swaplist: error: no answers in standard input: skipped 2 invalid lines, such as line 1: \
         expected a whole number of centipawns, found '100x'\n"
    );
    let one = check(&format!("\n{ANSWER}x\n"));
    assert!(
        one.contains(": skipped 1 invalid line, such as line 2: "),
        "{one}"
    );
    assert_eq!(
        check("# none\n"),
        "swaplist: error: no answers in standard input; --help names the forms of a line\n"
    );
}

/// `explain` takes an answer in the forms of `check`, and says whether it is right.
#[test]
fn an_answer_is_explained() {
    let folder = Folder::new();
    let explained = |line: &str, options: &[&str]| {
        let ran = folder.run(&[&["explain", line], options].concat());
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{line}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let fen = ANSWER.trim_end_matches(";e4d5;100");
    for (line, says) in [
        (
            ANSWER.to_owned(),
            "The line says 100, and so do these rules",
        ),
        (
            format!("{fen};exd5;123"),
            "The line says 123, but the SEE is 100 under these rules",
        ),
        (
            format!("{fen};e4d5;100;1"),
            "The line says at least 100, and so do these rules",
        ),
        (
            format!("assert!(!see_ge(\"{fen}\", \"e4d5\", 100));"),
            "The line says less than 100, but the SEE is 100 under these rules",
        ),
    ] {
        let text = explained(&line, &[]);
        assert!(
            text.ends_with(&format!("SEE of exd5 (e4d5) = 100\n{says}\n")),
            "{text}"
        );
    }
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&explained(line, &["--json"])).unwrap()
    };
    let of_value = json(&format!("{fen};e4d5;123"));
    assert_eq!(
        of_value["said"],
        serde_json::json!({ "value": 123, "right": false })
    );
    assert_eq!(of_value["move"]["see"], 100);
    let of_threshold = json(&format!("{fen};e4d5;99;1"));
    let said = serde_json::json!({ "threshold": 99, "ge": true, "right": true });
    assert_eq!(of_threshold["said"], said);
    assert_eq!(
        json(&format!("{fen};e4d5"))["said"],
        serde_json::Value::Null
    );
    // EPD and moves stay what they are.
    for line in [format!("{fen};e4d5 d1"), format!("{fen};e4d5;x")] {
        assert_eq!(folder.run(&["explain", &line]).status, Some(2), "{line}");
    }
}

/// `score` says where lines with an engine's answer belong.
#[test]
fn score_names_check() {
    let folder = Folder::new();
    for line in [ANSWER.to_owned(), format!("{ANSWER};1")] {
        let ran = folder.run_with(&["score"], line.as_bytes());
        assert_eq!(ran.status, Some(2));
        assert!(
            ran.stderr.contains("is for `swaplist check`"),
            "{}",
            ran.stderr
        );
    }
    let other = folder.run_with(&["score"], ANSWER.replace("100", "hello").as_bytes());
    assert!(!other.stderr.contains("check"), "{}", other.stderr);
}

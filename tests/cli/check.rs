//! `swaplist check`: another engine's answers.

use swaplist::check::answers;
use swaplist::{EnPassant, FirstPromotion, Pins, RecapturePromotion};

use crate::run::{Folder, Ran};

/// Runs `swaplist check` on lines.
fn command(lines: impl AsRef<[u8]>, arguments: &[&str]) -> Ran {
    Folder::new().run_with(&[&["check"], arguments].concat(), lines.as_ref())
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

const PINNED: &str = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";

#[test]
fn the_command_names_the_best_rules() {
    let lines = format!("{PINNED};e4c5;100\n{PINNED};Nxc5;101;0\n");
    let output = command(&lines, &[]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status, Some(0), "{stdout}");
    assert!(stdout.contains("best        profile legal, values 100,325,325,500,1000"));
    assert!(stdout.contains("2 of 2 (100.00 %)"), "{stdout}");
    assert!(stdout.contains("1 values, 1 thresholds"), "{stdout}");
}

#[test]
fn the_command_explains_what_disagrees() {
    let lines = format!("{PINNED};e4c5;100\n{PINNED};Nxc5;101;0\n\n{PINNED};Nxc5;-225\n");
    let output = command(&lines, &["--profile", "legal", "--values", "cpw"]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status, Some(1), "{stdout}");
    for part in [
        "best        profile legal",
        "2 of 3 (66.67 %)",
        "\n  1 disagreement with profile legal, values 100,325,325,500,1000\n",
        "    pins                            1 of 2\n",
        "line 4: e4c5 in '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1': said -225, the SEE is 100",
        "Be7 may not recapture: pinned to e8 by Re1",
        "as said under profile swap, sf8, sf",
    ] {
        assert!(stdout.contains(part), "{part} in\n{stdout}");
    }
    let few = command(&lines, &["--profile", "swap", "--limit", "1"]);
    let few = text(&few.stdout);
    assert!(few.contains("1 disagreement with"), "{few}");
}

/// So that the user can find it, and pass it to `explain`.
#[test]
fn the_command_names_positions_as_they_were_given() {
    let given = "4k3/4b3/8/2p5/4N3/8/8/R3K2R w KQ - 7 31";
    let right = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 3 9;e4d5;100\n";
    let wrong = format!("{given};e4c5;1000\n");
    let json = format!("{{\"fen\":\"{given}\",\"move\":\"e4c5\",\"value\":-1000}}\n");
    // More than a block of lines.
    let lines = format!("# answers\n{wrong}{}{json}", right.repeat(30_000));
    let output = command(&lines, &["--profile", "swap", "--values", "cpw"]);
    let stdout = text(&output.stdout);
    for line in [2, 30_003] {
        let listed = format!("\n  line {line}: e4c5 in '{given}': said ");
        assert!(stdout.contains(&listed), "{listed} in\n{stdout}");
    }
    let output = command(&lines, &["--profile", "swap", "--values", "cpw", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["first_disagreements"][1]["fen"], given);
}

#[test]
fn the_command_answers_in_json() {
    let lines = format!("{PINNED};e4c5;100\n{PINNED};e4c5;0;0\n");
    let output = command(
        &lines,
        &["--json", "--values", "100,325,325,500,1000", "--limit", "9"],
    );
    assert_eq!(output.status, Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["answers"], 2);
    assert_eq!(json["agreed"], 1);
    assert_eq!(json["disagreements"], 1);
    assert_eq!(json["deviations"][0]["class"], "pins");
    assert_eq!(json["profiles"].as_array().unwrap().len(), 4);
    assert_eq!(json["rules"]["values"][4], 1000);
    let first = &json["first_disagreements"][0];
    assert_eq!(first["fen"], PINNED);
    assert!(first["line"].is_u64() && first["as_under"].is_array());
}

#[test]
fn the_command_refuses_what_it_cannot_use() {
    let fails = |lines: &str, arguments: &[&str], part: &str| {
        let output = command(lines, arguments);
        let stderr = &output.stderr;
        assert_eq!(output.status, Some(2), "{stderr}");
        assert!(stderr.contains(part), "{part} in\n{stderr}");
        assert!(output.stdout.is_empty());
    };
    fails(
        "x;y\n",
        &[],
        "standard input, line 1: expected FEN;move;value or",
    );
    let lines = format!("{PINNED};e4c5;1\n{PINNED};e4e5;1\n");
    fails(&lines, &[], "line 2: illegal move 'e4e5' in the position");
    fails("", &[], "no answers in standard input");
    fails(
        "",
        &["--profile", "sf9"],
        "expected one of: swap, sf8, sf, legal",
    );
    fails("", &["--values", "1,2,3"], "five whole numbers");
    fails("", &["/no/such/file"], "cannot open");
    fails(
        &format!("x;{};1\n", "x".repeat(1 << 20)),
        &[],
        "line 1: longer than 1048576 bytes",
    );
    fails(
        &format!("{PINNED};e4c5;1\n{};e4c5;1\n", "4k3/8/8/8/8/8/8/4K3 w"),
        &[],
        "standard input, line 2: too few fields for a FEN (2",
    );
    fails("8/4P1k1/8/8/8/8/8/4K3 w - -;e7e8;0\n", &[], "as in 'e7e8q'");
    fails(
        "{\"fen\":\"x\"}",
        &[],
        "missing field `move`, at byte 11 of the object",
    );
    let skipped = command(format!("x;y\n{PINNED};e4c5;100\n"), &["--skip-invalid"]);
    assert_eq!(skipped.status, Some(1));
    assert!(text(&skipped.stdout).contains("invalid     1, skipped"));
}

#[test]
fn single_options_narrow_the_choice() {
    let promotes = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1;e7e8q;0\n";
    let output = command(
        promotes,
        &["--json", "--pins", "sf", "--first-promotion", "zero"],
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rules"]["pins"], Pins::Sf.name());
    assert_eq!(
        json["rules"]["first_promotion"],
        FirstPromotion::Zero.name()
    );
    assert_eq!(output.status, Some(0));
    let all = [
        "--profile",
        "swap",
        "--en-passant",
        "zero",
        "--recapture-promotion",
        "queen",
        "--values",
        "cpw",
        "--json",
    ];
    let output = command(promotes, &all);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rules"]["pins"], Pins::None.name());
    assert_eq!(json["rules"]["en_passant"], EnPassant::Zero.name());
    assert_eq!(
        json["rules"]["recapture_promotion"],
        RecapturePromotion::Queen.name()
    );
    assert_eq!(output.status, Some(1), "900 under these");
}

/// As in all other commands.
#[test]
fn lines_are_read_as_everywhere() {
    let good = format!("{PINNED};e4c5;100\n");
    let marked = command(format!("\u{feff}{good}"), &[]);
    assert_eq!(marked.status, Some(0), "{marked:?}");
    let commented = command(format!("  # a comment\r\n\r\n{good}"), &[]);
    assert_eq!(commented.status, Some(0), "{commented:?}");
    let long = "x".repeat(3 << 20);
    for broken in [&b"a\xff;b;c"[..], b"a\0;b;c", long.as_bytes()] {
        let lines = [broken, b"\n", good.as_bytes()].concat();
        let skipped = command(&lines, &["--skip-invalid"]);
        assert_eq!(skipped.status, Some(1));
        let stdout = text(&skipped.stdout);
        assert!(stdout.contains("1 of 1 (100.00 %)"), "{stdout}");
        assert!(stdout.contains("invalid     1, skipped"), "{stdout}");
        let lines: Vec<_> = answers(&lines[..]).collect();
        assert_eq!(lines.len(), 2);
        assert!(matches!(lines[0], Err(ref error) if error.line == 1));
        assert!(matches!(lines[1], Ok(ref answer) if answer.line == 2));
    }
    let output = command(b"a\xff;b;c\n", &[]);
    let error = "swaplist: error: standard input, line 1: not UTF-8 text at byte 2 of the line; \
                 --skip-invalid skips such lines\n";
    assert_eq!(output.stderr, error);
}

/// The table of `score` is accepted like an engine's answers.
#[test]
fn what_score_writes_can_be_checked() {
    let castles = "r3k2r/pp4pp/8/2pP4/8/1P6/P5PP/R3K2R w KQkq c6 0 1";
    let lines = format!("{castles}\n{castles};dxc6\n{PINNED}\n");
    let score = [
        "score",
        "-q",
        "--moves",
        "all",
        "--backend",
        "cpu",
        "--profile",
        "sf",
    ];
    let table = Folder::new().run_with(&score, lines.as_bytes()).stdout;
    assert!(table.starts_with(b"fen\tmove\tsee\n"));
    let output = command(&table, &["--json", "--profile", "sf", "--values", "cpw"]);
    assert_eq!(output.status, Some(0), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["answers"], text(&table).lines().count() - 1);
    assert_eq!(json["agreed"], json["answers"]);
}

#[test]
fn rules_that_agree_as_often_are_named() {
    let promotes = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1;e7e8q;0\n";
    let one = [
        "--values",
        "cpw",
        "--pins",
        "sf",
        "--first-promotion",
        "zero",
        "--recapture-promotion",
        "pawn",
    ];
    let output = command(promotes, &one);
    let stdout = text(&output.stdout);
    let named = "1 other set of rules agrees as often:\n                pins sf, ";
    assert!(stdout.contains(named), "{stdout}");
    let output = command(promotes, &[&one[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["equally_good"], 1);
    assert_eq!(json["equally_good_rules"][0]["pins"], "sf");
    assert_ne!(json["equally_good_rules"][0], json["rules"]);
}

#[test]
fn no_rules_are_best_where_none_agrees() {
    // Castling is 0 under all rules.
    let output = command("4k3/8/8/8/8/8/8/4K2R w K - 0 1;O-O;4711\n", &[]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status, Some(1), "{stdout}");
    let none = "best        none of 48 sets of rules agrees with any answer\n";
    assert!(stdout.contains(none), "{stdout}");
    assert!(
        stdout.contains("1 disagreement with profile swap"),
        "{stdout}"
    );
}

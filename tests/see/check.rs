//! Another engine's answers: parsing, checking against all rules, and the command.

#![cfg(feature = "cli")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::common::{boards, oracle};
use shakmaty::Chess;
use swaplist::check::{Answer, AnswerError, Check, PRESETS, Said, answers, candidates};
use swaplist::{
    Capture, EnPassant, FirstPromotion, InsidePromotion, PieceValues, Pins, Position, Profile,
    Rules,
};

/// Positions of all kinds, including en passant.
fn positions(seed: u64) -> Vec<Chess> {
    let en_passant = |chess: &Chess| {
        let moves = oracle::noisy(chess);
        moves.iter().any(|m| m.is_en_passant())
    };
    let dense = boards::dense(seed).take(2_000);
    let dense = dense.chain(boards::dense(seed).filter(en_passant).take(60));
    dense.chain(boards::playouts(seed).take(1_000)).collect()
}

/// The answers of an engine that follows some rules: values, and optionally for every other
/// move a threshold at the value or one above.
fn said_by(rules: &Rules, positions: &[Chess], thresholds: bool) -> Vec<Answer> {
    let mut all = Vec::new();
    for chess in positions {
        let position = Position::try_from(chess).unwrap();
        for m in oracle::noisy(chess) {
            let capture = Capture::from_move(m).unwrap();
            let value = oracle::see(chess, m, rules);
            let line = all.len() as u64 + 1;
            let threshold = value + i32::from(line % 4 == 1);
            let said = if thresholds && line % 2 == 1 {
                Said::AtLeast {
                    threshold,
                    holds: value >= threshold,
                }
            } else {
                Said::Value(value)
            };
            all.push(Answer {
                position,
                capture,
                said,
                line,
            });
        }
    }
    all
}

#[test]
fn all_combinations_are_tried_once_the_profiles_first() {
    let all = candidates(None);
    assert_eq!(all.len(), 4 * 2 * 3 * 2 * PRESETS.len());
    for (i, rules) in all.iter().enumerate() {
        assert!(!all[..i].contains(rules), "{rules}");
    }
    let named = all.iter().take_while(|rules| rules.profile().is_some());
    assert_eq!(named.count(), 4 * PRESETS.len());
    assert_eq!(candidates(Some(PieceValues::CPW)).len(), 48);
}

/// Answers distinguish every combination of the options from every other.
#[test]
fn the_rules_that_were_followed_are_found() {
    let positions = positions(3);
    for (i, rules) in candidates(Some(PieceValues::STOCKFISH))
        .into_iter()
        .enumerate()
    {
        let mut check = Check::against(candidates(None), 5);
        for chunk in said_by(&rules, &positions, i % 2 == 0).chunks(777) {
            check.add(chunk);
        }
        let findings = check.findings();
        assert_eq!(findings.len(), 144);
        assert_eq!(findings[0].rules, rules);
        assert_eq!(findings[0].agreed, findings[0].answers);
        assert!(findings[0].disagreements.is_empty());
        let second = &findings[1];
        assert!(second.agreed < second.answers, "{} as well", second.rules);
        assert_eq!(
            second.disagreements.len(),
            5.min((second.answers - second.agreed) as usize)
        );
    }
}

/// Counting by kinds of moves gives the same as counting each.
#[test]
fn counting_by_kinds_is_counting_one_by_one() {
    let mixed: Vec<_> = said_by(
        &Rules::new(Profile::Legal, PieceValues::CPW),
        &positions(4),
        true,
    );
    let mut check = Check::all(None, 20);
    check.add(&mixed[..1000]);
    check.add(&[]);
    check.add(&mixed[1000..]);
    for finding in check.findings() {
        let wrong: Vec<_> = mixed
            .iter()
            .filter(|answer| !answer.agrees(&finding.rules))
            .collect();
        assert_eq!(finding.answers, mixed.len() as u64);
        assert_eq!(finding.agreed, finding.answers - wrong.len() as u64);
        let listed: Vec<_> = finding.disagreements.iter().map(|d| &d.answer).collect();
        assert_eq!(listed, wrong[..wrong.len().min(20)], "{}", finding.rules);
        for disagreement in &finding.disagreements {
            let answer = disagreement.answer;
            let see = finding.rules.see(&answer.position, answer.capture);
            assert_eq!(disagreement.see, see);
        }
    }
}

#[test]
fn lines_are_read() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1";
    let parse = |line: &str| Answer::parse(line, 7).expect(line);
    let value = parse(&format!("{fen};e4d5;100"));
    assert_eq!((value.said, value.line), (Said::Value(100), 7));
    assert_eq!(parse(&format!(" {fen} ; exd5 ; +100 ")), value);
    let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\",\"value\":100}}");
    assert_eq!(parse(&json), value);

    let threshold = parse(&format!("{fen};e4d5;-5;1"));
    let said = Said::AtLeast {
        threshold: -5,
        holds: true,
    };
    assert_eq!(threshold.said, said);
    for ge in ["true", "1"] {
        let json = format!("{{\"fen\":\"{fen}\",\"move\":\"e4d5\",\"threshold\":-5,\"ge\":{ge}}}");
        assert_eq!(parse(&json), threshold);
    }
    let castling = ["e1g1", "e1h1", "O-O"].map(|m| parse(&format!("{fen};{m};0")).capture);
    assert!(castling.iter().all(|&capture| capture == castling[0]));
    let text = format!("# none\n\n{fen};exd5;100\n  \n{fen};exd5;0;1\r\n");
    let lines: Vec<_> = answers(text.as_bytes())
        .map(|answer| answer.unwrap().line)
        .collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn wrong_lines_say_what_was_expected() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let error = |line: &str| Answer::parse(line, 1).expect_err(line);
    assert_eq!(error(fen), AnswerError::Fields(1));
    assert_eq!(error(&format!("{fen};exd5")), AnswerError::Fields(2));
    assert_eq!(error(&format!("{fen};exd5;1;1;1")), AnswerError::Fields(5));
    assert!(matches!(error("what;exd5;0"), AnswerError::Fen(_)));
    let kings = "8/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;0";
    assert!(matches!(error(kings), AnswerError::Position(_)));
    for name in ["e4e6", "exf5", "", "hello", "0000", "N@e4", "e4d5q", "Kd9"] {
        let error = error(&format!("{fen};{name};0"));
        assert!(matches!(error, AnswerError::Move { .. }), "{name}: {error}");
    }
    for number in ["", "x", "1.5", "2147483648", "1e3"] {
        let expected = AnswerError::NotANumber(number.to_owned());
        assert_eq!(error(&format!("{fen};exd5;{number}")), expected);
        assert_eq!(error(&format!("{fen};exd5;{number};1")), expected);
    }
    let expected = AnswerError::NotABool("2".to_owned());
    assert_eq!(error(&format!("{fen};exd5;1;2")), expected);
    for rest in [
        "",
        ",\"value\":1,\"ge\":true",
        ",\"threshold\":1",
        ",\"value\":\"1\"",
        ",\"threshold\":1,\"ge\":2",
        ",\"value\":99999999999",
    ] {
        let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\"{rest}}}");
        let error = error(&json);
        assert!(matches!(error, AnswerError::Json(_)), "{json}");
        assert!(
            error
                .to_string()
                .contains("expected {\"fen\",\"move\",\"value\"}")
        );
    }
    let at_line = answers("\n\n#\nx;y".as_bytes())
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(
        at_line.to_string(),
        "line 4: expected FEN;move;value or FEN;move;threshold;0|1, found 2 fields"
    );
    let broken = answers(&b"\n\xff\xfe;a;b"[..]).next().unwrap().unwrap_err();
    assert_eq!(broken.line, 2);
}

/// Runs `swaplist check` on lines.
fn command(lines: impl AsRef<[u8]>, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_swaplist"))
        .arg("check")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may refuse its arguments and read nothing.
    let _ = child.stdin.take().unwrap().write_all(lines.as_ref());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const PINNED: &str = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";

#[test]
fn the_command_names_the_best_rules() {
    let lines = format!("{PINNED};e4c5;100\n{PINNED};Nxc5;101;0\n");
    let output = command(&lines, &[]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    assert!(stdout.contains("best      profile legal, values 100,325,325,500,1000"));
    assert!(stdout.contains("2 of 2 (100.00 %)"), "{stdout}");
    assert!(stdout.contains("1 values, 1 thresholds"), "{stdout}");
}

#[test]
fn the_command_explains_what_disagrees() {
    let lines = format!("{PINNED};e4c5;100\n{PINNED};Nxc5;101;0\n\n{PINNED};Nxc5;-225\n");
    let output = command(&lines, &["--profile", "legal", "--values", "cpw"]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    for part in [
        "best      profile legal",
        "2 of 3 (66.67 %)",
        "1 disagreement\n",
        "line 4: e4c5 in '4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1': said -225, the SEE is 100",
        "Be7 may not recapture: pinned to e8 by Re1",
        "as said under profile swap, sf8, sf",
    ] {
        assert!(stdout.contains(part), "{part} in\n{stdout}");
    }
    let few = command(&lines, &["--profile", "swap", "--limit", "1"]);
    let few = text(&few.stdout);
    assert!(few.contains("1 disagreement\n"), "{few}");
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
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["answers"], 2);
    assert_eq!(json["agreed"], 1);
    assert_eq!(json["disagreements"], 1);
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
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(part), "{part} in\n{stderr}");
        assert!(output.stdout.is_empty());
    };
    fails(
        "x;y\n",
        &[],
        "standard input, line 1: expected FEN;move;value or",
    );
    let lines = format!("{PINNED};e4c5;1\n{PINNED};e4e5;1\n");
    fails(
        &lines,
        &[],
        "line 2: expected a legal move, UCI or SAN, found 'e4e5'",
    );
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
    assert_eq!(skipped.status.code(), Some(1));
    assert!(text(&skipped.stdout).contains("invalid   1, skipped"));
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
    assert_eq!(output.status.code(), Some(0));
    let all = [
        "--profile",
        "swap",
        "--en-passant",
        "zero",
        "--inside-promotion",
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
        json["rules"]["inside_promotion"],
        InsidePromotion::Queen.name()
    );
    assert_eq!(output.status.code(), Some(1), "900 under these");
}

/// As in all other commands.
#[test]
fn lines_are_read_as_everywhere() {
    let good = format!("{PINNED};e4c5;100\n");
    let marked = command(format!("\u{feff}{good}"), &[]);
    assert_eq!(marked.status.code(), Some(0), "{marked:?}");
    let commented = command(format!("  # a comment\r\n\r\n{good}"), &[]);
    assert_eq!(commented.status.code(), Some(0), "{commented:?}");
    let long = "x".repeat(3 << 20);
    for broken in [&b"a\xff;b;c"[..], b"a\0;b;c", long.as_bytes()] {
        let lines = [broken, b"\n", good.as_bytes()].concat();
        let skipped = command(&lines, &["--skip-invalid"]);
        assert_eq!(skipped.status.code(), Some(1));
        let stdout = text(&skipped.stdout);
        assert!(stdout.contains("1 of 1 (100.00 %)"), "{stdout}");
        assert!(stdout.contains("invalid   1, skipped"), "{stdout}");
        let lines: Vec<_> = answers(&lines[..]).collect();
        assert_eq!(lines.len(), 2);
        assert!(matches!(lines[0], Err(ref error) if error.line == 1));
        assert!(matches!(lines[1], Ok(ref answer) if answer.line == 2));
    }
    let output = command(b"a\xff;b;c\n", &[]);
    let error = "swaplist: error: standard input, line 1: not UTF-8 text at byte 2 of the line; \
                 --skip-invalid skips such lines\n";
    assert_eq!(text(&output.stderr), error);
}

/// The table of `score` is accepted like an engine's answers.
#[test]
fn what_score_writes_can_be_checked() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_swaplist"))
        .args([
            "score",
            "-q",
            "--moves",
            "all",
            "--backend",
            "cpu",
            "--profile",
            "sf",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let castles = "r3k2r/pp4pp/8/2pP4/8/1P6/P5PP/R3K2R w KQkq c6 0 1";
    let lines = format!("{castles}\n{castles};dxc6\n{PINNED}\n");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    drop(stdin);
    let table = child.wait_with_output().unwrap().stdout;
    assert!(table.starts_with(b"fen\tmove\tsee\n"));
    let output = command(&table, &["--json", "--profile", "sf", "--values", "cpw"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
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
        "--inside-promotion",
        "pawn",
    ];
    let output = command(promotes, &one);
    let stdout = text(&output.stdout);
    let named = "1 other set of rules agrees as often:\n              pins sf, ";
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
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    let none = "best      none of 48 sets of rules agrees with any answer\n";
    assert!(stdout.contains(none), "{stdout}");
    assert!(
        stdout.contains("1 disagreement with profile swap"),
        "{stdout}"
    );
}

/// The kept disagreements of many rule sets stay within their bound.
#[test]
fn disagreements_are_kept_up_to_the_limit() {
    let mut check = Check::against(candidates(None), 3);
    let answer = Answer::parse(&format!("{PINNED};e4c5;4711"), 1).unwrap();
    for _ in 0..5 {
        check.add(&vec![answer; 2_000]);
    }
    for finding in check.findings() {
        assert_eq!((finding.answers, finding.agreed), (10_000, 0));
        assert_eq!(finding.disagreements.len(), 3);
    }
}

//! Another engine's answers: parsing, checking against all rules.

#![cfg(feature = "json")]

use crate::common::{boards, oracle};
use shakmaty::Chess;
use swaplist::check::{Answer, Check, PRESETS, Said, answers, candidates};
use swaplist::{Capture, PieceValues, Position, Profile, Rules};

const PINNED: &str = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";

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
    let all = candidates(PieceValues::CPW);
    assert_eq!(all.len(), 4 * 2 * 3 * 2);
    for (i, rules) in all.iter().enumerate() {
        assert!(!all[..i].contains(rules), "{rules}");
    }
    let named = all.iter().take_while(|rules| rules.profile().is_some());
    assert_eq!(named.count(), 4);
}

/// Answers distinguish every combination of the options from every other.
#[test]
fn the_rules_that_were_followed_are_found() {
    let positions = positions(3);
    for (i, rules) in candidates(PieceValues::STOCKFISH).into_iter().enumerate() {
        let mut check = Check::against(PRESETS.into_iter().flat_map(candidates), 5);
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
        let listed: Vec<_> = finding.disagreements.iter().collect();
        assert_eq!(listed, wrong[..wrong.len().min(20)], "{}", finding.rules);
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
    let refuses = |line: &str, reason: &str| {
        let error = Answer::parse(line, 3).expect_err(line);
        assert_eq!(error.line, 3);
        assert!(error.reason.starts_with(reason), "{line}: {error}");
    };
    let fields = "expected FEN;move;value or FEN;move;threshold;0|1, found";
    refuses(fen, &format!("{fields} 1 field"));
    refuses(&format!("{fen};exd5"), &format!("{fields} 2 fields"));
    refuses(&format!("{fen};exd5;1;1;1"), &format!("{fields} 5 fields"));
    refuses("what;exd5;0", "expected a FEN: ");
    refuses(
        "4k3/8/8/3p4/4P3/8/8/4K3 w -;exd5;0",
        "too few fields for a FEN (3,",
    );
    refuses(
        "8/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;0",
        "black has 0 kings, exactly 1 is needed",
    );
    for name in ["e4e6", "exf5", "", "hello", "0000", "N@e4", "e4d5q", "Kd9"] {
        let reason = format!("expected a legal move, UCI or SAN, found '{name}' in '{fen}'");
        refuses(&format!("{fen};{name};0"), &reason);
    }
    for number in ["", "x", "1.5", "2147483648", "1e3"] {
        let reason = format!("expected a whole number of centipawns, found '{number}'");
        refuses(&format!("{fen};exd5;{number}"), &reason);
        refuses(&format!("{fen};exd5;{number};1"), &reason);
    }
    refuses(&format!("{fen};exd5;1;2"), "expected 0 or 1, found '2'");
    for rest in [
        "",
        ",\"value\":1,\"ge\":true",
        ",\"threshold\":1",
        ",\"value\":\"1\"",
        ",\"threshold\":1,\"ge\":2",
        ",\"value\":99999999999",
    ] {
        let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\"{rest}}}");
        refuses(&json, "expected {\"fen\",\"move\",\"value\"} or ");
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

/// The kept disagreements of many rule sets stay within their bound.
#[test]
fn disagreements_are_kept_up_to_the_limit() {
    let mut check = Check::against(PRESETS.into_iter().flat_map(candidates), 3);
    let answer = Answer::parse(&format!("{PINNED};e4c5;4711"), 1).unwrap();
    for _ in 0..5 {
        check.add(&vec![answer; 2_000]);
    }
    for finding in check.findings() {
        assert_eq!((finding.answers, finding.agreed), (10_000, 0));
        assert_eq!(finding.disagreements.len(), 3);
    }
}

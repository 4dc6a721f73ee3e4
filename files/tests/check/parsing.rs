//! Lines with an answer of an engine.

use swaplist_files::check::{Answer, Claim, answers};

#[test]
fn lines_are_read() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1";
    let parse = |line: &str| Answer::parse(line, 7).expect(line);
    let value = parse(&format!("{fen};e4d5;100"));
    assert_eq!((value.said, value.line), (Claim::Value(100), 7));
    assert_eq!(parse(&format!(" {fen} ; exd5 ; +100 ")), value);
    let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\",\"value\":100}}");
    assert_eq!(parse(&json), value);

    let threshold = parse(&format!("{fen};e4d5;-5;1"));
    let said = Claim::AtLeast {
        threshold: -5,
        holds: true,
    };
    assert_eq!(threshold.said, said);
    assert_eq!(parse(&format!("{fen}; e4d5; true >= -5")), threshold);
    for ge in ["true", "1"] {
        let with_threshold =
            format!("{{\"fen\":\"{fen}\",\"move\":\"e4d5\",\"threshold\":-5,\"ge\":{ge}}}");
        assert_eq!(parse(&with_threshold), threshold);
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
        let error = Answer::parse(line, 3).expect_err(line).to_string();
        assert!(error.starts_with(reason), "{line}: {error}");
    };
    let fields =
        "expected FEN;move;value, FEN;move;threshold;0|1 or FEN;move;true >= threshold, found";
    refuses(fen, &format!("{fields} 1 field"));
    refuses(&format!("{fen};exd5"), &format!("{fields} 2 fields"));
    refuses(&format!("{fen};exd5;1;1;1"), &format!("{fields} 5 fields"));
    refuses("what;exd5;0", "too few fields for a FEN (1,");
    refuses(
        "4k3/8/8/3p4/4P3/8/8/4K3 w -;exd5;0",
        "too few fields for a FEN (3,",
    );
    refuses(
        "8/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;0",
        "black has 0 kings, exactly 1 is needed",
    );
    for (name, reason) in [
        ("e4e6", "illegal move 'e4e6'"),
        ("exf5", "illegal move 'exf5'"),
        ("", "'' is not a move"),
        ("hello", "'hello' is not a move"),
        ("0000", "illegal move '0000'"),
        ("N@e4", "illegal move 'N@e4'"),
        ("e4d5q", "illegal move 'e4d5q'"),
        ("d5", "'d5' may be a square; the pawn's capture is e4d5"),
    ] {
        refuses(&format!("{fen};{name};0"), reason);
    }
    for number in ["", "x", "1.555", "2147483648", "1e3"] {
        let reason = format!("expected a whole number of centipawns, found '{number}'");
        refuses(&format!("{fen};exd5;{number}"), &reason);
        refuses(&format!("{fen};exd5;{number};1"), &reason);
    }
    let reason = "expected 0 or 1 (whether the SEE is at least 1), found '2'";
    refuses(&format!("{fen};exd5;1;2"), reason);
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
    assert_eq!(at_line.to_string(), format!("line 4: {fields} 2 fields"));
    let broken = answers(&b"\n\xff\xfe;a;b"[..]).next().unwrap().unwrap_err();
    assert!(broken.to_string().starts_with("line 2: "), "{broken}");
}

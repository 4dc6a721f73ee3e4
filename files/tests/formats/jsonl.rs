//! Lichess' evaluations.

use swaplist_files::formats::{DecodedPart, Format};

const LINES: &str = concat!(
    r#"{"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[{"pvs":[{"cp":5,"line":"e3e4"},{"cp":1,"line":"e3d4"}],"knodes":9,"depth":20},{"pvs":[{"cp":7,"line":"e3e4"}],"knodes":10,"depth":20},{"pvs":[{"cp":9,"line":"e3e4"}],"knodes":99,"depth":19}]}"#,
    "\n",
    r#"{"evals":[{"pvs":[{"mate":-3,"line":"a1a2"}],"knodes":1,"depth":1}],"fen":"8\/8\/4k3\/8\/8\/4K3\/8\/8 b - -"}"#,
    "\r\n",
    r#"{"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[]}"#,
    "\n",
);

fn decode(text: &str) -> (DecodedPart, Vec<String>, Vec<u8>) {
    let (mut reader, codec) = Format::Jsonl.open(text.as_bytes(), 1 << 20);
    let block = reader.next_block().unwrap().unwrap();
    let mut decoded = DecodedPart::default();
    codec.decode(&block, &mut decoded);
    let count = decoded.records.len();
    let fens = (0..count)
        .map(|i| decoded.fen(&block, i).unwrap().into_owned())
        .collect();
    let mut out = Vec::new();
    super::encode_all(&codec, &block, &decoded, &mut out);
    (decoded, fens, out)
}

#[test]
fn the_deepest_evaluation_counts_and_lines_stay_as_they_are() {
    assert_eq!(Format::detect(LINES.as_bytes(), None), [Format::Jsonl]);
    let (decoded, fens, out) = decode(LINES);
    assert_eq!(decoded.invalid, []);
    let scores: Vec<_> = decoded
        .records
        .iter()
        .map(swaplist_files::formats::RecordFields::score)
        .collect();
    assert_eq!(scores, [Some(7), Some(31_997), None]);
    assert_eq!(fens[1], "8/8/4k3/8/8/4K3/8/8 b - -");
    assert_eq!(out, LINES.as_bytes());
}

#[test]
fn errors_name_their_lines() {
    let (good, _) = LINES.split_once('\n').unwrap();
    for (line, message) in [
        ("{\"fen\":", "is not an evaluation in JSON"),
        ("{\"evals\":[]}", "missing field `fen`"),
        ("{\"fen\":\"8/8\"}", "invalid"),
        ("[]", "is not an evaluation in JSON"),
        (&good[..good.len() - 1], "EOF"),
    ] {
        let (decoded, ..) = decode(&format!("{good}\n{line}\n{good}\n"));
        assert_eq!((decoded.records.len(), decoded.invalid.len()), (2, 1));
        let error = decoded.invalid[0].to_string();
        let is_told = error.starts_with("line 2: ") && error.contains(message);
        assert!(is_told, "{error}");
    }
}

/// The best line's first move, if it is legal.
#[test]
fn the_first_move_of_the_line_whose_score_is_taken_is_the_played_one() {
    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    for (fen, line, expected) in [
        ("8/8/4k3/8/8/4K3/8/8 w - -", "e3d4 e6d6", Some("e3d4")),
        ("8/8/4k3/8/8/4K3/8/8 w - -", "e3e5", None),
        ("8/8/4k3/8/8/4K3/8/8 w - -", "", None),
        ("8/8/4k3/8/8/4K3/8/8 w - -", "Kd4", None),
        ("8/8/4k3/8/8/4K3/8/8 w - -", "0000", None),
        // Pinned.
        ("4r1k1/8/8/8/8/8/4R3/4K3 w - -", "e2d2", None),
        ("4r1k1/8/8/8/8/8/4R3/4K3 w - -", "e2e8", Some("e2e8")),
        // UCI_Chess960, and as others write it.
        (CASTLING, "e1h1", Some("e1h1")),
        (CASTLING, "e1c1", Some("e1a1")),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kq -", "e1h1", None),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", Some("e5d6")),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - -", "e5d6", None),
        ("4k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8n", Some("b7b8n")),
        ("4k3/1P6/8/8/8/8/8/4K3 w - -", "b7b8", None),
    ] {
        let evaluation = |line: &str, depth: u32| {
            format!(
                r#"{{"pvs":[{{"cp":7,"line":"{line}"}},{{"cp":1,"line":"a1a2"}}],"depth":{depth}}}"#
            )
        };
        let evals = [
            evaluation("a1a2", 3),
            evaluation(line, 30),
            evaluation("h1h2", 4),
        ]
        .join(",");
        let (decoded, ..) = decode(&format!(r#"{{"fen":"{fen}","evals":[{evals}]}}"#));
        assert_eq!(decoded.invalid, []);
        let played = decoded.records[0].played().map(|played| played.to_string());
        assert_eq!(played.as_deref(), expected, "{fen} {line}");
        assert_eq!(decoded.records[0].score(), Some(7));
    }
    let (decoded, ..) = decode(LINES);
    assert_eq!(decoded.records[0].played().unwrap().to_string(), "e3e4");
    // No rook stands there.
    assert_eq!(decoded.records[1].played(), None);
    let (without_move, ..) =
        decode(r#"{"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[{"pvs":[{"cp":1}]}]}"#);
    assert_eq!(
        (without_move.records[0].played(), without_move.invalid.len()),
        (None, 0)
    );
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_passed_over() {
    let text = format!("\u{feff}{LINES}");
    assert_eq!(Format::detect(text.as_bytes(), None), [Format::Jsonl]);
    let (decoded, fens, out) = decode(&text);
    assert_eq!((decoded.records.len(), decoded.invalid.len()), (3, 0));
    assert_eq!(fens[0], "8/8/4k3/8/8/4K3/8/8 w - -");
    assert_eq!(out, text.as_bytes());
}

/// The score and the move of a line.
fn told(line: &str) -> (Option<i32>, Option<String>) {
    let (decoded, ..) = decode(&format!("{line}\n"));
    assert_eq!(decoded.invalid, [], "{line}");
    let record = decoded.records[0];
    (
        record.score(),
        record.played().map(|played| played.to_string()),
    )
}

#[test]
fn a_table_s_rows_are_read() {
    let (white, black) = (
        "8/8/2B2k2/p4p2/5P1p/Pb6/1P3KP1/8 w - -",
        "4k3/8/8/8/8/8/8/4K3 b - -",
    );
    for (rest, score, played) in [
        (
            r#""line":"f2g1 f6e6","depth":42,"knodes":206765,"cp":564,"mate":null"#,
            Some(564),
            Some("f2g1"),
        ),
        (
            r#""cp":564.0,"mate":null,"line":"f2g1","depth":null"#,
            Some(564),
            Some("f2g1"),
        ),
        (
            r#""cp":null,"mate":3,"line":"f2g1""#,
            Some(31_997),
            Some("f2g1"),
        ),
        (r#""cp":null,"mate":-3.0,"line":null"#, Some(-31_997), None),
        (r#""cp":null,"mate":0,"line":"""#, Some(-32_000), None),
        (r#""cp":5,"line":"f2f9""#, Some(5), None),
        (r#""cp":5,"line":17"#, Some(5), None),
        (r#""line":"f2g1""#, None, None),
        (r#""cp":null,"mate":null,"line":"f2g1""#, None, None),
        // Evaluations count first.
        (
            r#""cp":5,"evals":[{"pvs":[{"cp":7,"line":"f2g1"}]}]"#,
            Some(7),
            Some("f2g1"),
        ),
        (r#""cp":5,"evals":[]"#, Some(5), None),
    ] {
        let line = format!("{{\"fen\":\"{white}\",{rest}}}");
        assert_eq!(told(&line), (score, played.map(str::to_owned)), "{line}");
    }
    for (rest, score) in [
        (r#""cp":564,"mate":null"#, -564),
        (r#""cp":null,"mate":-2"#, 31_998),
        // The side to move is mated, whoever it is.
        (r#""mate":0"#, -32_000),
        (
            r#""evals":[{"pvs":[{"mate":0,"line":""}],"depth":1,"knodes":1}]"#,
            -32_000,
        ),
    ] {
        let line = format!("{{ \"FEN\":\"{black}\",{rest}}}");
        assert_eq!(Format::detect(line.as_bytes(), None), [Format::Jsonl]);
        assert_eq!(told(&line).0, Some(score), "{line}");
    }
    for key in ["fen", "FEN", "Fen", "fEn", "feN", "FEn", "FeN", "fEN"] {
        assert_eq!(told(&format!("{{\"{key}\":\"{black}\"}}")), (None, None));
    }
    let (decoded, ..) = decode(&format!("{{\"fen\":\"{black}\",\"FEN\":\"{white}\"}}\n"));
    assert!(decoded.invalid[0].to_string().contains("duplicate field"));
}

#[test]
fn scores_that_cannot_be_read_are_named_where_they_are_needed() {
    for value in ["3.5", "\"35\"", "true", "1e99", "[1]"] {
        let line = format!("{{\"fen\":\"4k3/8/8/8/8/8/8/4K3 b - -\",\"cp\":{value}}}\n");
        let (decoded, ..) = decode(&line);
        let error = decoded.invalid[0].to_string();
        assert_eq!(error, "line 1: 'cp' is not a whole number", "{value}");
        let mut records = Format::Jsonl.records(line.as_bytes()).positions_alone();
        assert_eq!(records.next().unwrap().unwrap().fields.score(), None);
    }
}

//! Lichess' evaluations.

use swaplist::formats::{Conversion, Decoded, Detected, Fate, Fates, Format};

const LINES: &str = concat!(
    r#"{"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[{"pvs":[{"cp":5,"line":"e3e4"},{"cp":1,"line":"e3d4"}],"knodes":9,"depth":20},{"pvs":[{"cp":7,"line":"e3e4"}],"knodes":10,"depth":20},{"pvs":[{"cp":9,"line":"e3e4"}],"knodes":99,"depth":19}]}"#,
    "\n",
    r#"{"evals":[{"pvs":[{"mate":-3,"line":"a1a2"}],"knodes":1,"depth":1}],"fen":"8\/8\/4k3\/8\/8\/4K3\/8\/8 b - -"}"#,
    "\r\n",
    r#"{"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[]}"#,
    "\n",
);

fn decode(text: &str) -> (Decoded, Vec<String>, Vec<u8>) {
    let (mut reader, codec) = Format::Jsonl.open(text.as_bytes(), 1 << 20);
    let block = reader.next_block().unwrap().unwrap();
    let mut decoded = Decoded::default();
    codec.decode(&block, &mut decoded);
    let count = decoded.records.len();
    let fens = (0..count).map(|i| codec.fen(&block, &decoded, i).into_owned());
    let fens = fens.collect();
    let fates = Fates {
        records: &vec![Fate::Keep; count],
        invalid: true,
    };
    let mut out = Vec::new();
    codec.encode(&block, &decoded, &fates, &mut out).unwrap();
    (decoded, fens, out)
}

#[test]
fn the_deepest_evaluation_counts_and_lines_stay_as_they_are() {
    assert_eq!(
        Format::detect(LINES.as_bytes(), None),
        Detected::Format(Format::Jsonl)
    );
    let (decoded, fens, out) = decode(LINES);
    assert_eq!(decoded.invalid, []);
    let scores: Vec<_> = decoded
        .records
        .iter()
        .map(|record| record.score())
        .collect();
    assert_eq!(scores, [Some(7), Some(31_997), None]);
    assert_eq!(fens[1], "8/8/4k3/8/8/4K3/8/8 b - -");
    assert_eq!(out, LINES.as_bytes());
}

#[test]
fn errors_name_their_lines() {
    let (good, _) = LINES.split_once('\n').unwrap();
    for (line, message) in [
        ("{\"fen\":", "is no evaluation in JSON"),
        ("{\"evals\":[]}", "missing field `fen`"),
        ("{\"fen\":\"8/8\"}", "invalid"),
        ("[]", "is no evaluation in JSON"),
        (&good[..good.len() - 1], "EOF"),
    ] {
        let (decoded, ..) = decode(&format!("{good}\n{line}\n{good}\n"));
        assert_eq!((decoded.records.len(), decoded.invalid.len()), (2, 1));
        let error = decoded.invalid[0].to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(message),
            "{error}"
        );
    }
}

#[test]
fn no_other_format_becomes_this_one() {
    let text = Format::Text.open(std::io::empty(), 1).1;
    assert!(Conversion::new(Format::Text, text, Format::Jsonl).is_err());
    let jsonl = Format::Jsonl.open(std::io::empty(), 1).1;
    assert!(Conversion::new(Format::Jsonl, jsonl, Format::Text).is_ok());
}

//! Stockfish's `.plain`.

use swaplist_files::formats::{Action, DecodedPart, Format, VALUE_NONE};

use super::games::{encoded, games};
use super::{Outcomes, convert, encode, keep, run};

const RECORD: &str =
    "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\nmove e1g1\nscore 12\nply 0\nresult 1\ne\n";

fn read(text: &str) -> Outcomes {
    run(Format::Plain, text.as_bytes(), 1 << 20, &keep)
}

#[test]
fn marks_without_a_score_line_and_with_carriage_returns() {
    let mark = |text: &str| {
        let (mut reader, codec) = Format::Plain.open(text.as_bytes(), 1000);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = DecodedPart::default();
        codec.decode(&block, &mut decoded);
        let mut out = Vec::new();
        encode(&codec, &block, &decoded, &[Action::Mark], &mut out);
        String::from_utf8(out).unwrap()
    };
    let windows = RECORD.replace('\n', "\r\n");
    assert_eq!(mark(&windows), windows.replace("score 12", "score 32002"));
    let without = RECORD.replace("score 12\n", "");
    let expected = without.replace("\ne\n", "\nscore 32002\ne\n");
    assert_eq!(mark(&without), expected);
    let read = read(&expected);
    assert_eq!(read.records[0].2, Some(i32::from(VALUE_NONE)));
}

#[test]
fn errors_name_the_record_s_line() {
    for (wrong, message) in [
        (RECORD.replace("e1g1", "f0b5"), "'f0b5' is not a move"),
        (RECORD.replace("score 12", "score x"), "'x' is not a score"),
        (
            RECORD.replace("result 1", "result 2"),
            "'2' is not a result",
        ),
        (
            RECORD.replace("ply 0", "ply -1"),
            "'-1' is not a number of half-moves",
        ),
        (RECORD.replace("ply 0", "score 3"), "a second 'score'"),
        (
            RECORD.replace("ply 0", "plies 0"),
            "unexpected line 'plies 0'",
        ),
        (RECORD.replace("4K2R", "7R"), "white has 0 kings"),
        (
            RECORD[RECORD.find('\n').unwrap() + 1..].to_owned(),
            "has no line 'fen'",
        ),
    ] {
        let text = format!("{RECORD}\n{wrong}{RECORD}");
        let outcomes = read(&text);
        assert_eq!(
            (outcomes.records.len(), outcomes.errors.len()),
            (2, 1),
            "{message}"
        );
        let error = &outcomes.errors[0];
        let is_told = error.starts_with("line 7: ") && error.contains(message);
        assert!(is_told, "{error}");
        assert_eq!(
            read(&String::from_utf8(outcomes.written).unwrap())
                .records
                .len(),
            2
        );
    }
}

#[test]
fn truncated_at_every_byte_is_told_from_the_end() {
    let text = RECORD.repeat(2);
    for length in 0..text.len() {
        let outcomes = read(&text[..length]);
        // The last line needs no newline.
        let whole = length % RECORD.len() == 0 || length % RECORD.len() == RECORD.len() - 1;
        assert_eq!(outcomes.errors.is_empty(), whole, "{length}");
    }
}

#[test]
fn a_record_without_end_takes_no_memory() {
    let text = RECORD.repeat(3) + &"ply 3\n".repeat(1 << 20);
    let outcomes = run(Format::Plain, text.as_bytes(), 1 << 16, &keep);
    assert_eq!(outcomes.records.len(), 3);
    assert!(
        outcomes.errors[0].contains("longer than"),
        "{:?}",
        outcomes.errors
    );
}

/// Conversions give what the tests encode themselves.
#[test]
fn conversions_to_and_from_stockfish_s_formats_lose_nothing() {
    let games = games(3, 20);
    let plain = encoded(Format::Plain, &games);
    let mut sfbin = encoded(Format::Sfbin, &games);
    for record in sfbin.as_chunks_mut::<40>().0 {
        record[39] = 0;
    }
    assert!(convert(Format::Plain, Format::Sfbin, &plain) == sfbin);
    assert!(convert(Format::Sfbin, Format::Plain, &sfbin) == plain);
    let viriformat = encoded(Format::Viriformat, &games);
    assert!(convert(Format::Viriformat, Format::Plain, &viriformat) == plain);
    assert!(convert(Format::Viriformat, Format::Sfbin, &viriformat) == sfbin);
}

#[test]
fn plain_is_told_from_text_by_its_first_word() {
    let plain = [Format::Plain];
    assert_eq!(Format::detect(RECORD.as_bytes(), None), plain);
    assert_eq!(Format::detect(b"\n fen 8/8", Some("txt")), plain);
    assert_eq!(
        Format::detect(&RECORD.as_bytes()[4..], None),
        [Format::Text]
    );
}

/// Stockfish's and nnue-pytorch's tools recognise castling by a king's move to the c- or
/// g-file; a king next to that square would seem to step.
#[test]
fn castling_of_all_kings_is_written_as_the_king_moves() {
    for (fen, rook, king) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "e1c1"),
        ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "d1h1", "d1g1"),
        ("4k3/8/8/8/8/8/8/1K5R w K - 0 1", "b1h1", "b1g1"),
        ("4k3/8/8/8/8/8/8/1K1R4 w D - 0 1", "b1d1", "b1g1"),
        ("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1", "f1a1", "f1c1"),
        ("r5k1/8/8/8/8/8/8/4K3 b q - 0 1", "g8a8", "g8c8"),
        ("4k3/8/8/8/8/8/8/3K2R1 w G - 0 1", "d1g1", "d1g1"),
        ("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "e1g1", "e1g1"),
        // A rook without the right is in front of the one with it.
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "e1b1", "e1c1"),
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1h1", "f1h1"),
        ("4k3/8/8/8/8/8/8/6KR w K - 0 1", "g1h1", "g1h1"),
        ("4k3/8/8/8/8/8/8/R2K4 w Q - 0 1", "d1a1", "d1a1"),
    ] {
        let record = RECORD.replace("4k3/8/8/8/8/8/8/4K2R w K - 0 1", fen);
        for written in [rook, king] {
            let outcomes = read(&record.replace("e1g1", written));
            assert_eq!(
                outcomes.records[0].1.unwrap().to_string(),
                rook,
                "{fen} {written}"
            );
            let file = record.replace("e1g1", written);
            let sfbin = Format::Sfbin;
            if !fen.contains(" B ") {
                let bytes = convert(
                    sfbin,
                    Format::Plain,
                    &convert(Format::Plain, sfbin, file.as_bytes()),
                );
                let again = String::from_utf8(bytes).unwrap();
                assert!(
                    again.contains(&format!("move {king}\n")),
                    "{fen} {written}: {again}"
                );
                assert_eq!(read(&again).records[0].1.unwrap().to_string(), rook);
            }
        }
    }
    // Others are not castling.
    for (fen, played) in [
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1g1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1g1"),
        ("4k2r/8/8/8/8/8/8/4K3 w k - 0 1", "e8g8"),
    ] {
        let text = RECORD
            .replace("4k3/8/8/8/8/8/8/4K2R w K - 0 1", fen)
            .replace("e1g1", played);
        assert_eq!(read(&text).records[0].1.unwrap().to_string(), played);
    }
}

#[test]
fn a_byte_order_mark_before_the_first_record_is_passed_over() {
    let text = format!("\u{feff}{RECORD}{RECORD}");
    assert_eq!(Format::detect(text.as_bytes(), None), [Format::Plain]);
    let outcomes = read(&text);
    assert_eq!((outcomes.records.len(), outcomes.errors.len()), (2, 0));
    assert_eq!(outcomes.written, text.as_bytes());
}

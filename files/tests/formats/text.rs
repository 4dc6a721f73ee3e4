//! Lines of text: what is read of each, and what is wrong with some.

use std::borrow::Cow;
use std::io;

use swaplist_files::formats::{
    DecodedPart, Format, MAX_LINE, Outcome, Place, RecordError, RecordFields,
};

use super::common::boards::Random;

const LINES: &str = "\u{feff}# a comment\r\n\
    8/8/4k3/8/8/4K3/8/8 w - - 0 1\r\n\
    \n\
    4k3/8/8/8/8/8/8/4K3 b - -|12|0.5\n\
    no fen\n\
    4k3/8/8/8/8/8/8/4K2R w K - 0 1; O-O Rh8+ e1h1 e1g1\n\
    4k3/8/8/8/8/8/8/4K3 w - - 3 bm Kd2; id \"a;b\"; ce -7; c9 \"0-1\";\n\
    4k3/8/8/8/8/8/8/4K3 w - - [1.0]";

/// Everything, read in blocks of some size.
type Read = (Vec<RecordFields>, Vec<RecordError>, Vec<u8>);

fn read(text: &[u8], block_bytes: usize) -> Read {
    read_as(Format::Text, text, block_bytes)
}

fn read_as(format: Format, text: &[u8], block_bytes: usize) -> Read {
    let (mut reader, codec) = format.open(text, block_bytes);
    let mut records = Vec::new();
    let mut invalid = Vec::new();
    let mut copy = Vec::new();
    let mut decoded = DecodedPart::default();
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        super::encode_all(&codec, &block, &decoded, &mut copy);
        records.append(&mut decoded.records);
        invalid.append(&mut decoded.invalid);
    }
    (records, invalid, copy)
}

#[test]
fn nuls_are_refused_also_at_a_line_s_end() {
    let fen = "4k3/8/8/8/8/8/8/4K3 w - -";
    for after in [
        " 0 1\0",
        " 0 1\0\0 \r",
        "\0",
        " id \"a\"; ce 5;\0",
        " ce 5\0;",
        ";e1d1 \0\0",
        ";e1d1\0",
        " | 5 | 1.0\0",
        " [1.0]\0",
        " hmvc 5;\0",
    ] {
        let line = format!("{fen}{after}");
        let at = line.find('\0').unwrap() + 1;
        let text = format!("{fen}\n{line}\n{fen}\n");
        for block_bytes in [1, MAX_LINE] {
            let (records, invalid, _) = read(text.as_bytes(), block_bytes);
            assert_eq!((records.len(), invalid.len()), (2, 1), "{line:?}");
            let message = format!("line 2: not text: a NUL at byte {at} of the line");
            assert_eq!(invalid[0].to_string(), message, "{line:?}");
        }
    }
    for (line, column) in [("\0", 1), (" \0\0", 2), ("a\0b\0", 2)] {
        let (_, invalid, _) = read(line.as_bytes(), MAX_LINE);
        let message = format!("not text: a NUL at byte {column} of the line");
        assert_eq!(invalid[0].message, message, "{line:?}");
    }
}

#[test]
fn every_form_of_line_is_read() {
    let (records, invalid, copy) = read(LINES.as_bytes(), MAX_LINE);
    assert_eq!(records.len(), 5);
    assert_eq!(records[0].place(), Place::Line(2));
    assert_eq!(
        (records[1].score(), records[1].outcome()),
        (Some(-12), Some(Outcome::Draw))
    );
    assert_eq!(
        (records[3].score(), records[3].outcome()),
        (Some(-7), Some(Outcome::Black))
    );
    assert_eq!(records[4].outcome(), Some(Outcome::White));
    assert_eq!(invalid.len(), 1);
    assert_eq!(invalid[0].place, Place::Line(5));
    assert_eq!(invalid[0].kind(), "too few fields");
    let expected: String = LINES
        .split_inclusive('\n')
        .filter(|line| line.len() > 2 && !line.contains('#'))
        .collect();
    assert_eq!(copy, expected.as_bytes());
}

#[test]
fn named_moves_belong_to_their_lines() {
    let (fen, kings) = (
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "8/8/4k3/8/8/4K3/8/8 w - -",
    );
    let text = format!("{fen}\n{fen}; Ra8 O-O\nbad\n{kings};\n{fen};Rd1\n{kings}; e3e5\n");
    let (mut reader, codec) = Format::Text.open(text.as_bytes(), MAX_LINE);
    let mut decoded = DecodedPart::default();
    for _ in 0..2 {
        codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
        assert_eq!((decoded.records.len(), decoded.invalid.len()), (4, 2));
        let named = |record| {
            let moves = decoded.named_moves(record);
            moves.map(|moves| moves.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(named(1), Some(vec!["a1a8".to_owned(), "e1h1".to_owned()]));
        assert_eq!(named(3), Some(vec!["a1d1".to_owned()]));
        assert_eq!((named(0), named(2), named(4)), (None, None, None));
        reader = Format::Text.open(text.as_bytes(), MAX_LINE).0;
    }
}

#[test]
fn played_moves_and_move_numbers_are_read() {
    for (line, played, ply) in [
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", None, Some(0)),
        ("8/8/4k3/8/8/4K3/8/8 b - - 0 9 | 3 | 0.5", None, Some(17)),
        ("8/8/4k3/8/8/4K3/8/8 w - - 0", None, None),
        ("8/8/4k3/8/8/4K3/8/8 w - -", None, None),
        (
            "8/8/4k3/8/8/4K3/8/8 w - - sm Kd3; ce 3;",
            Some("e3d3"),
            None,
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 7 8 sm O-O;",
            Some("e1h1"),
            Some(14),
        ),
    ] {
        let (records, invalid, _) = read(line.as_bytes(), MAX_LINE);
        assert!(invalid.is_empty(), "{invalid:?}");
        let found = records[0].played().map(|played| played.to_string());
        assert_eq!(
            (found.as_deref(), records[0].ply()),
            (played, ply),
            "{line}"
        );
    }
    let (_, invalid, _) = read(b"8/8/4k3/8/8/4K3/8/8 w - - sm Ke5;", MAX_LINE);
    assert!(invalid[0].to_string().contains("illegal move 'Ke5'"));
}

#[test]
fn blocks_of_any_size_hold_the_same_lines() {
    let whole = read(LINES.as_bytes(), MAX_LINE);
    for block_bytes in 1..200 {
        let cut = read(LINES.as_bytes(), block_bytes);
        assert_eq!(cut.2, whole.2, "{block_bytes}");
        let places = |records: &[RecordFields]| -> Vec<Place> {
            records.iter().map(RecordFields::place).collect()
        };
        assert_eq!(places(&cut.0), places(&whole.0), "{block_bytes}");
        assert_eq!(cut.1[0].place, whole.1[0].place, "{block_bytes}");
    }
}

#[test]
fn a_line_without_end_is_one_error_in_bounded_memory() {
    for length in [MAX_LINE + 1, MAX_LINE * 3 + 5] {
        let mut text = vec![b'x'; length];
        text.extend_from_slice(b"\n8/8/4k3/8/8/4K3/8/8 w - - 0 1\n");
        let (records, invalid, copy) = read(&text, MAX_LINE);
        assert_eq!(invalid.len(), 1);
        assert_eq!(invalid[0].kind(), "line too long");
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].place(), Place::Line(2));
        assert!(copy == text);
    }
    let mut reader = Format::Text.open(io::repeat(b'x'), MAX_LINE).0;
    let error = reader.next_block().unwrap_err().to_string();
    assert_eq!(error, "line 1: longer than 16777216 bytes");
}

/// A blank before a line changes nothing but offsets, though usual lines are read by a faster
/// path, which does not know it.
#[test]
fn usual_lines_hold_what_any_lines_hold() {
    const LINES: [&str; 6] = [
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        "4k3/8/8/8/8/8/8/4K2R w K - 12 34 | -57 | 0.5\r",
        "4k3/8/8/8/8/8/8/4K3 b - -|12|1.0",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 | 8",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - \t|8",
        "4k3/8/8/8/8/8/8/R3K2R w - - 0 1; Ra8+",
    ];
    const BYTES: &[u8] = b"0189 \t|;-kqKQwbeh3./pP#\r\0\xff";
    let mut random = Random(1);
    let mut texts = [Vec::new(), Vec::new()];
    for _ in 0..100_000 {
        let mut line = LINES[random.below(LINES.len())].as_bytes().to_vec();
        for _ in 0..random.below(3) {
            let at = random.below(line.len());
            let byte = BYTES[random.below(BYTES.len())];
            match random.below(3) {
                0 => line[at] = byte,
                1 => line.insert(at, byte),
                _ => drop(line.remove(at)),
            }
        }
        texts[0].extend([&line[..], b"\n"].concat());
        texts[1].extend([b" ", &line[..], b"\n"].concat());
    }
    let [usual, any] = texts.map(|text| {
        let (mut reader, codec) = Format::Text.open(&text[..], MAX_LINE);
        let mut records = Vec::new();
        let mut invalid = Vec::new();
        let mut decoded = DecodedPart::default();
        while let Some(block) = reader.next_block().unwrap() {
            codec.decode(&block, &mut decoded);
            for (i, record) in decoded.records.iter().enumerate() {
                let fields = (
                    record.place(),
                    record.score(),
                    record.outcome(),
                    record.ply(),
                );
                let fen = decoded.fen(&block, i).map(Cow::into_owned);
                records.push((decoded.positions[i], fields, fen));
            }
            let faults = decoded.invalid.iter();
            invalid.extend(faults.map(|error| (error.place, error.kind())));
        }
        (records, invalid)
    });
    let sizes = (usual.0.len(), usual.1.len());
    assert!(sizes.0 > 30_000 && sizes.1 > 20_000, "{sizes:?}");
    assert!(usual == any);
}

#[test]
fn clear_reasons() {
    for (line, reason) in [
        ("8/8/4k3/8/8/4K3/8/8 w -", "too few fields for a FEN (3"),
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1 2", "unexpected '2'"),
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1 |", "'' is not a score"),
        ("8/8/4k3/8/8/4K3/8/8 w - - | 99999999999", "is not a score"),
        ("8/8/4k3/8/8/4K3/8/8 w - - | -2147483648", "is not a score"),
        ("8/8/4k3/8/8/4K3/8/8 w - - | 1 | 2", "'2' is not a result"),
        ("8/8/4k3/8/8/4K3/8/8 w - - | 1 | 1 | 1", "unexpected '1'"),
        ("8/8/4k3/8/8/4K3/8/8 w - - [1.0", "unexpected '[1.0'"),
        (
            "8/8/4k3/8/8/4K3/8/8 w - -; e3e5",
            "illegal move 'e3e5' in the position '8/8/4k3/8/8/4K3/8/8 w - -'",
        ),
        ("8/8/4k3/8/8/4K3/8/8 w - -; 0000", "illegal move '0000'"),
        ("8/8/4k3/8/8/4K3/8/8 w - -; hello", "'hello' is not a move"),
        ("4k3/8/8/8/8/8/8/R3K2R w - -; Rd1 Rd8", "illegal move 'Rd8'"),
        ("4k3/8/8/8/8/4K3/8/R6R w - -; Rd1", "ambiguous move 'Rd1'"),
        (
            "8/8/4k3/8/8/4K3/8/8 w - - id \"\0\";",
            "a NUL at byte 31 of the line",
        ),
        ("8/8/4k3/8/8/4K3/8/8\tw\t-\t-", "separated by spaces"),
        ("4k3/8/8/8/8/8/8/R3K2R w Q -; 0-0", "illegal move '0-0'"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -; 0-0-0-0", "is not a move"),
        ("4k3/8/8/8/8/8/8/4K3 w - -; e1-", "'e1-' is not a move"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - -; e7e8", "illegal move 'e7e8'"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - -; e7d8", "illegal move 'e7d8'"),
        ("8/8/8/8/8/4K3/8/8 w - -", "black has 0 kings"),
    ] {
        let (records, invalid, _) = read(line.as_bytes(), MAX_LINE);
        assert_eq!(records.len(), 0, "{line}");
        let message = invalid[0].to_string();
        let is_told = message.starts_with("line 1: ") && message.contains(reason);
        assert!(is_told, "{message}");
    }
}

/// A header tells the separator and the column of the FEN.
#[test]
fn tables_are_read_by_their_header_and_written_under_it() {
    for (header, before, after, reason) in [
        ("fen", "", "", ""),
        ("\u{feff}id,Fen,\r", "1,", ",\r", ""),
        ("\"a,b\"\t FEN\r", "x,y\t\"", "\" \r", ""),
        (" \"Fen\", a", " \"", "\", 1", ""),
        ("a;fen;b", "\"a;\"\"b\"\"\";", ";\"\"", ""),
        (
            "a,,fen",
            "1;",
            "",
            "a row of 1 fields, the FEN would be field 3",
        ),
        ("a,fen", "\"1,", "", "and end on its line: '\"1,4k3"),
        ("a,fen", "\"1\" ,", "", "'\"1\" ,4k3"),
        ("a,fen,b", ",", ",\"1", "its line: '\"1'"),
        ("a,fen,b", ",", ",1\"", "its line: '1\"'"),
        ("a,fen", ",", " x", "9 x': invalid fen"),
    ] {
        let row = format!("{before}4k3/8/8/8/8/8/8/4K3 b - - 3 9{after}\n");
        let table = format!("{header}\n{row}");
        assert_eq!(Format::detect(table.as_bytes(), None), [Format::Csv]);
        for block_bytes in [1, MAX_LINE] {
            let read = read_as(Format::Csv, format!("{table}\n").as_bytes(), block_bytes);
            let (records, invalid, copy) = read;
            assert_eq!(copy, table.as_bytes());
            let error = invalid.first().map_or(String::new(), ToString::to_string);
            match reason {
                "" => assert_eq!((records[0].ply(), &*error), (Some(17), "")),
                _ => assert!(error.starts_with("line 2: ") && error.contains(reason)),
            }
        }
    }
    for (header, reason) in [
        // A name whose quotes do not end would take in the rows.
        ("fen,\"a", "no column 'fen' in the header 'fen,\"a'"),
        ("id,position", "no column 'fen' in the header 'id,position'"),
        ("", "no column 'fen' in the header ''"),
        ("fen,FEN", "two columns 'fen' in the header 'fen,FEN'"),
        (
            "fen\r4k3/8/8/8/8/8/8/4K3 b - - 3 9\r",
            "the header has a CR inside",
        ),
        (
            &"fen,".repeat(MAX_LINE / 4 + 1),
            "the header is longer than",
        ),
    ] {
        let table = format!("{header}\n4k3/8/8/8/8/8/8/4K3 b - - 3 9\n");
        assert_eq!(Format::detect(table.as_bytes(), Some("tsv")), [Format::Csv]);
        for block_bytes in [1, MAX_LINE] {
            let mut reader = Format::Csv.open(table.as_bytes(), block_bytes).0;
            let error = reader.next_block().unwrap_err().to_string();
            assert!(
                error.starts_with("line 1: ") && error.contains(reason),
                "{error}"
            );
        }
    }
    let fens = b"4k3/8/8/8/8/8/8/4K3 b - - 3 9\n";
    assert_eq!(Format::detect(fens, Some("csv")), [Format::Text]);
}

#[test]
fn no_bytes_panic() {
    let mut random = Random(1);
    for (format, header) in [(Format::Text, ""), (Format::Csv, "a;fen;\n")] {
        for _ in 0..20_000 {
            let mut text = [header, LINES].concat().into_bytes();
            for _ in 0..4 {
                let at = random.below(LINES.len());
                text[header.len() + at] = random.next() as u8;
            }
            let (records, invalid, _) = read_as(format, &text, 100);
            assert!(records.len() + invalid.len() > 0);
        }
    }
}

/// As Smallbrain and others write it; both from White's view.
#[test]
fn a_score_after_the_result_is_read() {
    let black = "4k3/8/8/8/8/8/8/4K3 b - - 0 1";
    let white = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    for (line, score, outcome) in [
        (format!("{black} [0.5] -23"), Some(23), Outcome::Draw),
        (format!("{white} [1.0] 31"), Some(31), Outcome::White),
        (format!("{white} [1.0] +31;"), Some(31), Outcome::White),
        (format!("{black} [0.0] -18\r"), Some(18), Outcome::Black),
        (format!("{black} [0.0] 32002"), Some(32002), Outcome::Black),
        (format!("{black} [0.0]"), None, Outcome::Black),
        (format!("{white} [0.0] ce 7;"), Some(7), Outcome::Black),
        (format!("{white} [0.0] 12:30;"), None, Outcome::Black),
    ] {
        let (records, invalid, _) = read(line.as_bytes(), MAX_LINE);
        assert!(invalid.is_empty(), "{line}: {invalid:?}");
        assert_eq!(records[0].score(), score, "{line}");
        assert_eq!(records[0].outcome(), Some(outcome), "{line}");
    }
    let (_, invalid, _) = read(format!("{white} [1.0] 0.31").as_bytes(), MAX_LINE);
    let message = "'0.31' is not a score, a whole number of centipawns";
    assert_eq!(invalid[0].message, message);
    for rest in ["-23 d12", ", -23", "; -23", "#3", "-23 0.1"] {
        let (_, invalid, _) = read(format!("{white} [1.0] {rest}").as_bytes(), MAX_LINE);
        let message = &invalid[0].message;
        assert!(message.contains("after the result"), "{rest}: {message}");
    }
}

//! Text formats on real files.

use swaplist_files::formats::{DecodedPart, Format};

use super::real::real_data;

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_plain_files_are_rewritten_as_they_were() {
    for (name, records, errors) in [
        ("linrockSF_test.remove-captures.filtered", 6, &[][..]),
        ("linrockSF_test.remove-captures", 6, &[]),
        ("linrockSF_test.remove-captures.rescored", 6, &[]),
        ("test.remove-captures", 7, &["line 7: 'f0b5' is not a move"]),
    ] {
        let file = real_data(&format!("sf_plain_{name}.plain"));
        assert_eq!(Format::detect(&file, None), [Format::Plain]);
        let (mut reader, codec) = Format::Plain.open(file.as_slice(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = DecodedPart::default();
        codec.decode(&block, &mut decoded);
        let found: Vec<_> = decoded.invalid.iter().map(ToString::to_string).collect();
        assert_eq!(
            (decoded.records.len(), found.len()),
            (records, errors.len()),
            "{name} {found:?}"
        );
        for (found, error) in found.iter().zip(errors) {
            assert!(found.starts_with(error), "{found}");
        }
        let mut out = Vec::new();
        super::encode_all(&codec, &block, &decoded, &mut out);
        assert!(out == file, "{name}");
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_pgn_games_are_read_whole_with_promotions_in_any_style() {
    for (name, games, count) in [
        ("lichess_db_1000k", 438, 28_538),
        ("chesslib_cup", 900, 78_541),
    ] {
        let file = real_data(&format!("../pgn/{name}.pgn"));
        let (mut reader, codec) = Format::Pgn.open(file.as_slice(), 1 << 16);
        let mut decoded = DecodedPart::default();
        let mut found = Vec::new();
        let mut starts = 0;
        let mut positions = 0;
        while let Some(block) = reader.next_block().unwrap() {
            codec.decode(&block, &mut decoded);
            positions += decoded.records.len();
            found.extend(decoded.invalid.iter().map(ToString::to_string));
            let text = String::from_utf8_lossy(&block.bytes).into_owned();
            starts += text.matches("[Event \"").count();
        }
        assert_eq!(found, Vec::<String>::new(), "{name}");
        assert_eq!((starts, positions), (games, count), "{name}");
    }
}

//! Records one by one are those of the blocks.

use std::borrow::Cow;

use swaplist_files::formats::{
    Format, Place, ReadError, Record, RecordError, RecordFields, Records,
};

use super::binary;
use super::common::boards::Random;
use super::games::{encoded, games};

type Found = (Vec<Record>, Vec<RecordError>, Option<String>);

/// The records, what is none, and the error behind which there is nothing.
fn one_by_one(mut records: Records<'_>) -> Found {
    let mut entries = Vec::new();
    let mut invalid = Vec::new();
    let mut broken = None;
    for entry in &mut records {
        assert_eq!(broken, None);
        match entry {
            Ok(entry) => entries.push(entry),
            Err(ReadError::Record(error)) => invalid.push(error),
            Err(error) => broken = Some(error.to_string()),
        }
    }
    assert!(records.next().is_none());
    (entries, invalid, broken)
}

/// Block by block, each as a whole, with the FEN of each record by itself.
fn by_blocks(format: Format, file: &[u8], is_sound: bool) -> Found {
    let (mut reader, codec) = format.open(file, 5000);
    let (mut states, mut records): (Vec<Record>, Vec<RecordFields>) = <_>::default();
    let (mut invalid, mut decoded) = <(Vec<_>, swaplist_files::formats::DecodedPart)>::default();
    let broken = loop {
        let block = match reader.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        };
        codec.decode(&block, &mut decoded);
        let first = states.len();
        states.extend_from_slice(codec.states(&block, &mut decoded));
        assert_eq!(states.len() - first, decoded.records.len());
        // What a FEN cannot tell, only damage makes.
        for (i, position) in decoded.positions.iter().enumerate().filter(|_| is_sound) {
            let state = states[first + i];
            let fen = decoded
                .fen(&block, i)
                .map_or_else(|| state.to_string(), Cow::into_owned);
            let expected = Record {
                fields: state.fields,
                ..Record::from_fen(&fen, *position)
            };
            assert_eq!(state, expected, "{fen}");
        }
        records.append(&mut decoded.records);
        invalid.append(&mut decoded.invalid);
    };
    let (fresh_reader, fresh_codec) = format.open(file, 5000);
    let (entries, ..) = one_by_one(Records::new(fresh_reader, fresh_codec));
    assert_eq!(entries.len(), records.len());
    for (i, entry) in entries.iter().enumerate() {
        assert_eq!((*entry, entry.fields), (states[i], records[i]), "{i}");
    }
    (entries, invalid, broken)
}

fn files() -> Vec<(Format, Vec<u8>)> {
    let games = games(71, 12);
    let all = binary().chain([Format::Plain]);
    let mut files: Vec<_> = all
        .map(|format| (format, encoded(format, &games)))
        .collect();
    files.push((Format::Text, {
        let lines = ["4k3/8/8/8/8/8/8/4K2R w K - 3 9 | 12 | 0.5\n", "no fen\n"];
        lines.concat().repeat(3000).into_bytes()
    }));
    files.push((Format::Pgn, b"1. e4 e5 2. Nf3 *\n".to_vec()));
    files
}

#[test]
fn records_one_by_one_are_those_of_the_blocks() {
    let mut random = Random(72);
    for (format, file) in files() {
        for damages in 0..12 {
            let mut file = file.clone();
            for _ in 0..damages {
                let at = random.below(file.len());
                file[at] ^= 1 << random.below(8);
            }
            let (entries, invalid, broken) = by_blocks(format, &file, damages == 0);
            let (reader, codec) = format.open(file.as_slice(), 5000);
            let found = one_by_one(Records::new(reader, codec));
            assert!(found == (entries, invalid, broken), "{format:?}");
            assert!(damages > 0 || !found.0.is_empty() && found.2.is_none());
        }
    }
}

/// Each error stands between the records that it stands between in the file.
#[test]
fn errors_come_in_their_place() {
    let text = "no fen\n4k3/8/8/8/8/8/8/4K3 w - -\nno fen\nno fen\n4k3/8/8/8/8/8/8/4K3 b - -\nno";
    let lines = Format::Text
        .records(text.as_bytes())
        .map(|entry| match entry {
            Ok(entry) => (true, entry.fields.place()),
            Err(ReadError::Record(error)) => (false, error.place),
            Err(error) => panic!("{error}"),
        });
    let has_move = [false, true, false, false, true, false];
    let expected = has_move
        .iter()
        .zip(1..)
        .map(|(&is_record, line)| (is_record, Place::Line(line)));
    assert!(lines.eq(expected));
}

#[test]
fn batches_hold_what_records_do() {
    for (format, file) in files() {
        let (entries, invalid, _) = one_by_one(format.records(file.as_slice()));
        let mut records = format.records(file.as_slice());
        let mut first = 0;
        let mut errors = 0;
        let mut largest = 0;
        while let Some(batch) = records.next_batch().unwrap() {
            let count = batch.records.len();
            let found = batch.records.clone();
            errors += batch.invalid.len();
            largest = count.max(largest);
            for (i, (fields, record)) in found.iter().zip(records.records()).enumerate() {
                assert_eq!(*record, entries[first + i], "{format:?}");
                assert_eq!(*fields, record.fields, "{format:?}");
            }
            first += count;
        }
        assert_eq!(
            (first, errors),
            (entries.len(), invalid.len()),
            "{format:?}"
        );
        assert!(largest < 10_000, "{largest}");
    }
}

//! Any bytes as Lichess evaluations, in blocks of any size: no panic, and every line is a
//! record, a fault or empty; kept lines are unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use swaplist_files::formats::inside::{Action, Actions, OpenChunk, fen, open};
use swaplist_files::formats::{DecodedPart, Format};

fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes, 1 << 20);
    // Blocks do not split lines.
    assert!(read(bytes, 1) == whole);
    let (records, faults, kept) = whole;
    assert!(records + faults <= bytes.split(|&byte| byte == b'\n').count());
    // The output has no faults, and filtering it keeps all of it.
    assert!(read(&kept, 1 << 20) == (records, 0, kept.clone()));
});

/// The numbers of records and faults, and the records' bytes.
fn read(bytes: &[u8], block_bytes: usize) -> (usize, usize, Vec<u8>) {
    let (mut reader, codec) = open(Format::Jsonl, bytes, block_bytes);
    let mut decoded = DecodedPart::default();
    let mut kept = Vec::new();
    let mut records = 0;
    let mut faults = 0;
    while let Some(block) = reader.next_block().expect("memory does not fail") {
        codec.decode(&block, &mut decoded);
        records += decoded.records.len();
        faults += decoded.invalid.len();
        for (i, record) in decoded.records.iter().enumerate() {
            assert!(!fen(&decoded, &block, i).is_empty());
            assert!(record.score() != Some(i32::MIN));
        }
        let actions = Actions {
            records: &vec![Action::Keep; decoded.records.len()],
            writes_invalid: false,
        };
        codec.encode_part(
            &block,
            &decoded,
            &actions,
            &mut kept,
            &mut OpenChunk::default(),
        );
    }
    (records, faults, kept)
}

//! Any bytes as a file of any format, in blocks of any size, with any actions: no panic, no
//! hang, and the output can be read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use swaplist::Choice;
use swaplist_files::formats::inside::{Action, Actions, Block, Codec, OpenChunk, Reader, open};
use swaplist_files::formats::{DecodedPart, Format};

fuzz_target!(|input: (u8, u16, u8, Vec<u8>)| {
    let (format, block_bytes, actions, bytes) = input;
    let format = Format::ALL[usize::from(format) % Format::ALL.len()];
    let _ = Format::detect(&bytes, None);
    let block_bytes = usize::from(block_bytes) + 1;
    let (reader, codec) = open(format, bytes.as_slice(), block_bytes);
    let mut written = Vec::new();
    run(reader, &codec, false, actions, &mut written);
    if format.spec().is_writable && format != Format::Text {
        let (reader, codec) = open(format, written.as_slice(), block_bytes);
        assert_eq!(
            run(reader, &codec, false, 0, &mut Vec::new()),
            0,
            "{format:?}"
        );
    }
    let to = Format::ALL[usize::from(actions) / 3 % Format::ALL.len()];
    let (reader, codec) = open(format, bytes.as_slice(), block_bytes);
    if let Ok(codec) = codec.converting_to(to) {
        run(reader, &codec, true, 0, &mut Vec::new());
    }
});

/// Writes a block in small parts.
fn in_parts(codec: &Codec, block: &Block, actions: &[Action]) -> Vec<u8> {
    let mut decoded = DecodedPart::default();
    let mut open = OpenChunk::default();
    let mut out = Vec::new();
    let mut at = Some(0);
    let mut first = 0;
    while let Some(from) = at {
        at = codec.decode_part(block, from, 3, &mut decoded);
        let actions = Actions {
            records: &actions[first..][..decoded.records.len()],
            writes_invalid: false,
        };
        codec.encode_part(block, &decoded, &actions, &mut out, &mut open);
        first += decoded.records.len();
    }
    out
}

/// Reads and writes; returns the number of faults.
fn run(
    mut reader: Reader<'_>,
    codec: &Codec,
    converts: bool,
    actions: u8,
    out: &mut Vec<u8>,
) -> usize {
    let mut decoded = DecodedPart::default();
    let mut faults = 0;
    loop {
        let block = match reader.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => return faults,
            Err(_) => return faults + 1,
        };
        assert!(!block.bytes.is_empty());
        codec.decode(&block, &mut decoded);
        assert_eq!(decoded.records.len(), decoded.positions.len());
        faults += decoded.invalid.len();
        let kept = |i| match (i + usize::from(actions)) % 3 {
            _ if actions == 0 => Action::Keep,
            0 => Action::Keep,
            1 => Action::Drop,
            _ if codec.format().spec().can_mark => Action::Mark,
            _ => Action::Keep,
        };
        let records: Vec<_> = (0..decoded.records.len()).map(kept).collect();
        let actions = Actions {
            records: &records,
            writes_invalid: false,
        };
        let before = out.len();
        codec.encode_part(&block, &decoded, &actions, out, &mut OpenChunk::default());
        if !converts {
            assert!(in_parts(codec, &block, &records) == out[before..]);
        }
        for state in codec.states(&block, &mut decoded) {
            assert!(!state.to_string().is_empty());
        }
    }
}

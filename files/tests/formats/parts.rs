//! Blocks in parts, compared with whole blocks.

use swaplist_files::formats::{
    Action, Actions, Block, Codec, DecodedPart, Format, OpenChunk, RecordFields,
};

use super::common::boards::Random;
use super::games::{encoded, games};
use super::units::block;

/// Three chunks, the last one truncated; or as many games.
fn files(format: Format, seed: u64) -> Vec<u8> {
    let part = |i| encoded(format, &games(seed + i, 4));
    let mut bytes = [part(0), part(1), part(2)].concat();
    bytes.truncate(bytes.len() - 9);
    bytes
}

fn damaged(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..random.below(4) {
        // After the first chunk's header.
        let at = 8 + random.below(bytes.len() - 8);
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

fn actions(records: usize, kinds: &[Action], random: &mut Random) -> Vec<Action> {
    let one = |_| kinds[random.below(kinds.len())];
    (0..records).map(one).collect()
}

const KINDS: [&[Action]; 6] = [
    &[Action::Keep],
    &[Action::Mark],
    &[Action::Drop],
    &[Action::Keep, Action::Mark],
    &[Action::Drop, Action::Drop, Action::Drop, Action::Keep],
    &[Action::Keep, Action::Keep, Action::Mark, Action::Drop],
];

fn encode(codec: &Codec, block: &Block, actions: &[Action]) -> Vec<u8> {
    let mut decoded = DecodedPart::default();
    let mut out = Vec::new();
    codec.decode(block, &mut decoded);
    super::encode(codec, block, &decoded, actions, &mut out);
    out
}

/// The records, faults and output of all parts.
fn in_parts(
    codec: &Codec,
    block: &Block,
    records: usize,
    actions: &[Action],
) -> (Vec<RecordFields>, Vec<String>, Vec<u8>) {
    let mut all = Vec::new();
    let mut faults = Vec::new();
    let mut out = Vec::new();
    let mut decoded = DecodedPart::default();
    let mut open = OpenChunk::default();
    let mut at = Some(0);
    while let Some(from) = at {
        at = codec.decode_part(block, from, records, &mut decoded);
        assert!(at.is_none_or(|at| at > from));
        let actions = Actions {
            records: &actions[all.len()..][..decoded.records.len()],
            writes_invalid: false,
        };
        codec.encode_part(block, &decoded, &actions, &mut out, &mut open);
        all.extend_from_slice(&decoded.records);
        faults.extend(decoded.invalid.iter().map(ToString::to_string));
    }
    (all, faults, out)
}

fn chunks(bytes: &[u8]) -> usize {
    let mut at = 0;
    let mut chunks = 0;
    while at < bytes.len() {
        assert_eq!(bytes[at..at + 4], *b"BINP");
        let size = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap());
        at += 8 + size as usize;
        chunks += 1;
    }
    assert_eq!(at, bytes.len());
    chunks
}

#[test]
fn parts_make_up_the_whole() {
    let mut random = Random(61);
    for (from, to) in [
        (Format::Binpack, Format::Binpack),
        (Format::Viriformat, Format::Viriformat),
        (Format::Viriformat, Format::Binpack),
    ] {
        let codec = from.codec().converting_to(to).unwrap();
        for seed in 0..12 {
            let bytes = files(from, 100 * seed);
            let block = block(match seed % 3 {
                0 => bytes,
                _ => damaged(bytes, &mut random),
            });
            let mut whole = DecodedPart::default();
            codec.decode(&block, &mut whole);
            let faults: Vec<_> = whole.invalid.iter().map(ToString::to_string).collect();
            for kinds in KINDS {
                let actions = actions(whole.records.len(), kinds, &mut random);
                let expected = encode(&codec, &block, &actions);
                if to == Format::Binpack && seed % 3 == 0 && !kinds.contains(&Action::Drop) {
                    // Conversions make one chunk of a block.
                    assert_eq!(chunks(&expected), if from == to { 3 } else { 1 });
                }
                for records in [1, 50, 300, usize::MAX] {
                    let parts = in_parts(&codec, &block, records, &actions);
                    assert!(parts.0 == whole.records, "{from:?} {records}");
                    assert_eq!(parts.1, faults);
                    assert!(parts.2 == expected, "{from:?} {to:?} {records} {kinds:?}");
                }
            }
        }
    }
}

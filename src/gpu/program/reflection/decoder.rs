//! The decoders, which have bindings of their own.

use super::super::decoding::{MAX_RECORDS, UNIT_WORDS};
use super::super::layout::{DECODING, POSITION_SIZE, RECORD_SIZE, WORD};
use super::super::shader::{DECODER, Decoder, Kernel, SHADER, Shape};
use super::read::{bindings, bindings_of, compare, layout, parsed, stride};
use crate::backend::{Coding, RawAnswer, RawFacts};
use crate::exchange::{KING, PAWN, QUEEN, ROOK};
use crate::position::KING_TO_MOVE;

const CODINGS: [Coding; 4] = [
    Coding::Bulletformat,
    Coding::Marlinformat,
    Coding::Viriformat,
    Coding::Binpack,
];

#[test]
fn bindings_are_the_same() {
    let expected = bindings(&DECODING);
    assert_eq!(bindings_of(&parsed(DECODER)), expected);
}

/// What both shaders are given lies alike; the rest has the sizes that the host assumes.
#[test]
fn structs_lie_alike_in_memory() {
    let (decoder, shader) = (parsed(DECODER), parsed(SHADER));
    for name in ["Params", "SquareMasks", "PackedPosition", "Position"] {
        assert_eq!(layout(&decoder, name), layout(&shader, name), "{name}");
    }
    for (name, bytes) in [("raw", WORD), ("decoded", POSITION_SIZE), ("answers", WORD)] {
        assert_eq!(u64::from(stride(&decoder, name)), bytes, "{name}");
    }
    let (members, _) = layout(&decoder, "Unit");
    assert_eq!(members.len(), UNIT_WORDS);
}

#[test]
fn constants_are_the_same() {
    let module = parsed(DECODER);
    let record_words = Coding::Marlinformat.record_bytes().map(|bytes| bytes / 4);
    let constants = [
        ("PAWN", PAWN),
        ("KNIGHT", shakmaty::Role::Knight as u32),
        ("ROOK", ROOK),
        ("QUEEN", QUEEN),
        ("KING", KING),
        ("KING_TO_MOVE", KING_TO_MOVE),
        ("DECODED", RawAnswer::DECODED),
        ("BROKEN", RawAnswer::BROKEN),
        ("CODE_AT", RawAnswer::CODE_AT),
        ("MOVE_BITS_AT", RawAnswer::MOVE_BITS_AT),
        ("BLOCKS_AT", RawAnswer::BLOCKS_AT),
        ("HAS_MOVE", RawFacts::HAS_MOVE),
        ("VERDICT_WORDS", Kernel::VERDICT_WORDS),
        ("FACTS_WORDS", Kernel::FACTS_WORDS),
        ("MAX_POSITIONS", MAX_RECORDS),
        ("RECORD_WORDS", record_words.unwrap_or_default() as u32),
    ];
    compare(&module, &constants, |name| DECODERS_OWN.contains(&name));
}

/// Constants that the host need not know: of the formats, and bounds of loops and lists.
const DECODERS_OWN: [&str; 19] = [
    "NO_SQUARE",
    "LAST_RANKS",
    "KIND_NORMAL",
    "KIND_EN_PASSANT",
    "KIND_CASTLING",
    "KIND_PROMOTION",
    "MAX_EP_CAPTURERS",
    "THIRD_RANK",
    "FIFTH_RANK",
    "SIXTH_RANK",
    "STEM_BYTES",
    "MIN_CHAIN",
    "WHITE_CORNERS",
    "BLACK_CORNERS",
    "E1",
    "E8",
    "MORE",
    "SCORE_BITS",
    "MAX_BLOCK_START",
];

#[test]
fn entry_points_are_the_codings() {
    let module = parsed(DECODER);
    let names = module.entry_points.iter().map(|entry| &entry.name[..]);
    let decoders = CODINGS.map(|coding| Decoder {
        coding,
        kernel: Kernel::Judge { with_threat: false },
    });
    assert!(names.eq(decoders.map(Decoder::entry_point)));
    for entry in &module.entry_points {
        assert_eq!(entry.stage, wgpu::naga::ShaderStage::Compute);
        let [x, y, z] = entry.workgroup_size_overrides.unwrap();
        assert!(x.is_some() && y.is_none() && z.is_none(), "{}", entry.name);
    }
    let overrides = module.overrides.iter();
    let overrides = overrides.map(|(_, each)| each.name.as_deref());
    let constants = decoders[0].constants(Shape::USUAL);
    assert!(overrides.eq(constants.map(|(name, _)| Some(name))));
    let words = RECORD_SIZE / WORD;
    assert_eq!(constants[1].1.to_bits(), f64::from(words as u32).to_bits());
}

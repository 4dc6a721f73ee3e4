//! Tests that shader and host agree: compares the host's layouts, constants, bindings and
//! overrides with those that naga reads from the shader.

mod decoder;
mod read;

use core::mem::offset_of;

use wgpu::naga::{self, AddressSpace, Override, TypeInner};

use super::layout::{BINDINGS, Params};
use super::shader::{DECODER, Kernel, SHADER, Shape, Variant};
use super::{scores, verdicts};
use read::{
    bindings, bindings_of, compare, constant, in_pairs, layout, module, parsed, shaped, shapes,
    stride,
};

use crate::attacks::SquareMasks;
use crate::backend::{RawAnswer, RawFacts};
use crate::capture_kind::CaptureKind;
use crate::exchange::{KING, PAWN, QUEEN, ROOK};
use crate::position::KING_TO_MOVE;
use crate::{
    Capture, EnPassant, FirstPromotion, PieceValues, Pins, Position, RecapturePromotion, Rules,
};

/// The members of a Rust struct with their offsets, and its size.
macro_rules! layout_of {
    ($type:ty: $($member:ident),+) => {
        (
            vec![$((stringify!($member).to_owned(), offset_of!($type, $member))),+],
            size_of::<$type>(),
        )
    };
}

#[test]
fn structs_lie_alike_in_memory() {
    let module = module();
    // The shader's structs have two of our fields in one.
    assert_eq!(
        layout(&module, "SquareMasks"),
        in_pairs(
            &layout_of!(
                SquareMasks: file, rank, diagonal, antidiagonal, knight, king, white_pawns, black_pawns
            ),
            &["straights", "diagonals", "steps", "pawns"]
        )
    );
    assert_eq!(
        layout(&module, "Params"),
        layout_of!(Params: count, groups_x, serial, values, bounds, units, units_x, units_at)
    );
    let planes = ["bit0", "bit1", "bit2", "black"].map(str::to_owned);
    let planes = planes.into_iter().zip([0, 8, 16, 24]).collect();
    let planes = (planes, size_of::<Position>());
    assert_eq!(layout(&module, "Position"), planes);
    let pairs = in_pairs(&planes, &["low", "high"]);
    assert_eq!(layout(&module, "PackedPosition"), pairs);
    assert_eq!(size_of::<PieceValues>(), 8 * 4, "two vec4<i32>");
    // Smallest sizes of the bindings.
    assert_eq!(BINDINGS.map(|each| each.least), [80, 64 * 64, 32, 4, 16]);
}

/// Planes of a position with one piece of each code, in the order of their names.
#[test]
fn planes_come_in_the_order_of_their_names() {
    let position: Position = "4k3/8/8/8/8/8/8/4K2R w - - 0 1".parse().unwrap();
    let [bit0, bit1, bit2, black] = position.planes();
    assert_eq!((bit0, black), (1 << 4, 1 << 60));
    assert_eq!((bit1, bit2), (1 << 4 | 1 << 60, 1 << 4 | 1 << 7 | 1 << 60));
    assert_eq!(bytemuck::cast::<_, [u64; 4]>(position), position.planes());
}

#[test]
fn constants_are_the_same() {
    let module = module();
    let constants = [
        ("PAWN", PAWN),
        ("KNIGHT", shakmaty::Role::Knight as u32),
        ("ROOK", ROOK),
        ("QUEEN", QUEEN),
        ("KING", KING),
        ("KING_TO_MOVE", KING_TO_MOVE),
        ("PINS_NONE", Pins::None as u32),
        ("PINS_SF8", Pins::Sf8 as u32),
        ("PINS_SF", Pins::Sf as u32),
        ("PINS_LEGAL", Pins::Legal as u32),
        ("EN_PASSANT_ZERO", EnPassant::Zero as u32),
        ("FIRST_PROMOTION_FULL", FirstPromotion::Full as u32),
        ("FIRST_PROMOTION_ZERO", FirstPromotion::Zero as u32),
        ("INSIDE_PROMOTION_QUEEN", RecapturePromotion::Queen as u32),
        ("CAPTURE_BITS", Capture::BITS),
        (
            "CAPTURE_MASK",
            Capture::from_bits(u16::MAX).to_bits().into(),
        ),
        ("POISON", scores::POISON),
        ("INFINITE", scores::NO_SCORE),
        ("ANSWERED", RawAnswer::ANSWERED),
        ("ANSWER_IN_CHECK", RawAnswer::EXCEEDS[0]),
        ("ANSWER_SEE", RawAnswer::EXCEEDS[1]),
        ("ANSWER_THREAT", RawAnswer::EXCEEDS[2]),
        ("ANSWER_DOUBLE_THREAT", RawAnswer::EXCEEDS[3]),
        ("VERDICT_WORDS", Kernel::VERDICT_WORDS),
        ("FACTS_WORDS", Kernel::FACTS_WORDS),
        ("BROKEN", RawAnswer::BROKEN),
        ("HAS_MOVE", RawFacts::HAS_MOVE),
        ("TAKES_AT", RawFacts::TAKES_AT),
        ("TAKES_PIECE", CaptureKind::Piece as u32),
        ("TAKES_EN_PASSANT", CaptureKind::EnPassant as u32),
        ("TAKES_ROOK", CaptureKind::Rook as u32),
        ("PIECES_AT", RawFacts::PIECES_AT),
        ("VERDICT_WRITTEN", verdicts::WRITTEN),
        ("VERDICT_IN_CHECK", verdicts::IN_CHECK),
        ("VERDICT_HAS_BEST", verdicts::HAS_BEST),
        ("VERDICT_HAS_THREAT", verdicts::HAS_THREAT),
        ("VERDICT_THREATS_SHIFT", verdicts::THREATS_SHIFT),
    ];
    compare(&module, &constants, |name| {
        SHADERS_OWN.contains(&name) || name.starts_with("MAX_")
    });
}

/// Constants that the host need not know, besides loop bounds.
const SHADERS_OWN: [&str; 8] = [
    "NO_MOVE",
    "LOWEST",
    "ALL_SQUARES",
    "LAST_RANKS",
    "NOT_FILE_A",
    "NOT_FILE_H",
    "NOT_FILES_AB",
    "NOT_FILES_GH",
];

/// Loop bounds over lists must cover all that can be asked for.
#[test]
fn lists_are_worked_off_within_their_bounds() {
    let kernel = Kernel::Judge { with_threat: true };
    for shape in shapes() {
        let module = shaped(kernel, shape);
        let [group, list, squares, promotions] =
            ["GROUP", "LIST", "MAX_SQUARES", "MAX_PROMOTIONS"].map(|name| constant(&module, name));
        assert_eq!((squares, promotions), (64, 4));
        assert_eq!(group, i64::from(shape.workgroup));
        assert!(list >= promotions, "{shape:?}");
        assert_eq!(constant(&module, "MAX_LIST_TURNS") * group, list);
        assert!(constant(&module, "MAX_TARGET_TURNS") * list >= group * squares);
        let moves = list + group * squares * promotions;
        let a_turn = list - promotions + 1;
        let turns = constant(&module, "MAX_MOVE_TURNS");
        assert!((turns - 1) * a_turn >= moves && turns < 300, "{turns}");
        // A side and a move fit in a word, and never have all bits set, which means none.
        assert!(group << Capture::BITS < 1 << 32);
        // The number of noisy moves in 16 bits.
        assert!(squares * squares * promotions < 1 << 16);
    }
}

#[test]
fn bindings_are_the_same() {
    let mut expected = bindings(&BINDINGS);
    // One for each entry point.
    let (number, _, space) = expected.pop().unwrap();
    expected.extend(["answers", "scores", "verdicts"].map(|name| (number, name.to_owned(), space)));
    assert_eq!(bindings_of(&module()), expected);
}

/// Results have the sizes that the host assumes.
#[test]
fn results_are_alike_in_size() {
    let module = module();
    let sizes = ["answers", "scores", "verdicts"].map(|name| stride(&module, name) as usize);
    assert_eq!(
        sizes,
        [
            size_of::<RawAnswer>(),
            size_of::<i32>(),
            size_of::<verdicts::VerdictRecord>()
        ]
    );
}

/// The shader's workgroup memory is what devices are asked for; the usual shape suits all.
#[test]
fn workgroup_memory_is_enough() {
    let kernel = Kernel::Judge { with_threat: true };
    for shape in shapes() {
        let module = shaped(kernel, shape);
        let shared = |variable: &naga::GlobalVariable| variable.space == AddressSpace::WorkGroup;
        let variables = module.global_variables.iter();
        let size = |ty| module.types[ty].inner.size(module.to_ctx());
        let (of_score, of_judge): (Vec<_>, Vec<_>) = variables
            .filter(|(_, variable)| shared(variable))
            .map(|(_, variable)| (variable.name.as_deref(), size(variable.ty)))
            .partition(|&(name, _)| name == Some("halves"));
        assert_eq!(of_score, [(Some("halves"), 4 * shape.workgroup)]);
        let used: u32 = of_judge.into_iter().map(|(_, size)| size).sum();
        assert_eq!(used, shape.bytes(), "{shape:?}");
    }
}

#[test]
fn every_override_is_set_by_the_host() {
    let module = module();
    let name = |(_, constant): (_, &Override)| constant.name.clone().unwrap();
    let mut in_shader: Vec<_> = module.overrides.iter().map(name).collect();
    // Overrides derived from others.
    in_shader.retain(|name| !["LIST", "WON"].contains(&name.as_str()) && !name.starts_with("MAX_"));
    let kernel = Kernel::Score { narrow: false };
    let set = Variant::new(kernel, &Rules::SWAP).constants(Shape::USUAL);
    let mut set: Vec<_> = set.iter().map(|(name, _)| (*name).to_owned()).collect();
    in_shader.sort();
    set.sort();
    assert_eq!(in_shader, set);
}

const fn exceed(with_threat: bool, with_facts: bool) -> Kernel {
    Kernel::Exceed {
        with_threat,
        with_facts,
    }
}

#[test]
fn overrides_are_the_options_of_the_rules() {
    let rules = Rules {
        pins: Pins::Legal,
        en_passant: EnPassant::Zero,
        first_promotion: FirstPromotion::Pawn,
        recapture_promotion: RecapturePromotion::Queen,
        values: PieceValues::CPW,
    };
    for (kernel, sides, scores_a_word, bounded, answer_words) in [
        (Kernel::Score { narrow: false }, 1.0, 1.0, 0.0, 1.0),
        (Kernel::Score { narrow: true }, 1.0, 2.0, 0.0, 1.0),
        (Kernel::Judge { with_threat: false }, 1.0, 1.0, 0.0, 4.0),
        (Kernel::Judge { with_threat: true }, 2.0, 1.0, 0.0, 4.0),
        (exceed(false, false), 1.0, 1.0, 1.0, 1.0),
        (exceed(true, false), 2.0, 1.0, 1.0, 1.0),
        (exceed(true, true), 2.0, 1.0, 1.0, 3.0),
    ] {
        let expected = [
            ("PINS", 3.0),
            ("EN_PASSANT", 1.0),
            ("FIRST_PROMOTION", 1.0),
            ("INSIDE_PROMOTION", 1.0),
            ("GROUP", 96.0),
            ("LIST_TURNS", 5.0),
            ("SIDES", sides),
            ("BOUNDED", bounded),
            ("SCORES_A_WORD", scores_a_word),
            ("ANSWER_WORDS", answer_words),
        ];
        let shape = Shape {
            workgroup: 96,
            list: 5,
        };
        let overrides = Variant::new(kernel, &rules).constants(shape);
        assert_eq!(overrides, expected);
    }
}

#[test]
fn entry_points_are_the_kernels() {
    let module = module();
    let kernel = Kernel::Judge { with_threat: true };
    let kernels = [Kernel::Score { narrow: true }, kernel, exceed(true, false)];
    assert_eq!(module.entry_points.len(), kernels.len());
    for (entry, kernel) in module.entry_points.iter().zip(kernels) {
        assert_eq!(entry.name, kernel.entry_point());
        assert!(entry.workgroup_size_overrides.is_some());
    }
    for shape in shapes() {
        for entry in shaped(kernel, shape).entry_points {
            assert_eq!(entry.workgroup_size, [shape.workgroup, 1, 1]);
        }
    }
}

/// The shader uses only WGSL that every browser runs.
#[test]
fn no_extension_is_needed() {
    let flags = naga::valid::ValidationFlags::all();
    let none = naga::valid::Capabilities::empty();
    for text in [SHADER, DECODER] {
        naga::valid::Validator::new(flags, none)
            .validate(&parsed(text))
            .unwrap();
    }
}

/// A private array would be placed in slow memory.
#[test]
fn no_invocation_has_an_array() {
    for module in [SHADER, DECODER].map(parsed) {
        let functions = module.functions.iter().map(|(_, function)| function);
        let entries = module.entry_points.iter().map(|entry| &entry.function);
        for function in functions.chain(entries) {
            for (_, variable) in function.local_variables.iter() {
                let inner = &module.types[variable.ty].inner;
                assert!(!matches!(inner, TypeInner::Array { .. }), "{variable:?}");
            }
        }
    }
}

/// The number of a shader's loops, which all count up to a constant.
fn bounded_loops(text: &str) -> usize {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    let mut loops = 0;
    for line in code {
        let words: Vec<_> = line
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        assert!(
            !words.contains(&"while") && !words.contains(&"loop"),
            "{line}"
        );
        if words.contains(&"for") {
            let counts = line.contains(" = 0u; ") || line.contains(" = 1u; ");
            let counted = counts && line.ends_with("++) {");
            assert!(counted && line.contains(" < MAX_"), "{line}");
            loops += 1;
        }
    }
    loops
}

#[test]
fn every_loop_is_bounded() {
    assert_eq!([SHADER, DECODER].map(bounded_loops), [15, 3]);
}

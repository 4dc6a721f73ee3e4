//! Shaders and host agree: the host's layouts, constants, bindings and overrides are compared with
//! those that naga reads from the shaders.

use core::mem::offset_of;
use core::ops::RangeInclusive;

use shakmaty::{Bitboard, Color, Role, Square, attacks};
use swaplist::backend::{Ask, Coding, Question, Raw, RawAnswer, RawFacts, Unit};
use swaplist::gpu::program::{
    Access, BINDINGS, Binding, Capacity, DECODER, DECODING, Decoder, Kernel, POSITION_SIZE, Params,
    RECORD_SIZE, SHADER, Shape, Variant, WORD, Work, masks,
};
use swaplist::gpu::wgpu::naga::{
    self, AddressSpace, Expression, Literal, Module, Override, StorageAccess, TypeInner,
};
use swaplist::{
    Capture, EnPassant, FirstPromotion, PieceValues, Pins, Position, RecapturePromotion, Rules,
};

const JUDGE: Kernel = Kernel::Judge { with_threat: true };

/// Of a chunk.
const CAPACITY: Capacity = Capacity {
    positions: 100,
    captures: 100,
    verdicts: 100,
};

fn modules() -> [Module; 2] {
    [SHADER, DECODER].map(parsed)
}

fn parsed(text: &str) -> Module {
    naga::front::wgsl::parse_str(text).unwrap_or_else(|error| {
        panic!("{}", error.emit_to_string(text));
    })
}

/// The shaders use only WGSL that every browser runs.
fn validated(module: &Module) -> naga::valid::ModuleInfo {
    let flags = naga::valid::ValidationFlags::all();
    let none = naga::valid::Capabilities::empty();
    naga::valid::Validator::new(flags, none)
        .validate(module)
        .unwrap()
}

/// The shader with the constants of a pipeline of this shape.
fn shaped(shape: Shape) -> Module {
    let module = parsed(SHADER);
    let info = validated(&module);
    let constants = Variant::new(JUDGE, &Rules::SWAP).constants(shape);
    let set = constants.map(|(name, value)| (name.to_owned(), value));
    let process = naga::back::pipeline_constants::process_overrides;
    let (shaped, _) = process(&module, &info, None, &set.into_iter().collect()).unwrap();
    shaped.into_owned()
}

/// Shapes across the ranges, including the smallest and the largest.
fn shapes() -> impl Iterator<Item = Shape> {
    let ends = |range: RangeInclusive<u32>| [*range.start(), *range.end()];
    let [few, many] = ends(Shape::LISTS);
    let [small, large] = ends(Shape::WORKGROUPS);
    [small, 64, 96, 256, large]
        .into_iter()
        .flat_map(move |workgroup| [few, 2, 3, 4, 8, many].map(|list| Shape { workgroup, list }))
}

/// The members of a struct with their offsets, and its size.
type Layout = (Vec<(String, usize)>, usize);

fn layout(module: &Module, name: &str) -> Layout {
    let named = |ty: &naga::Type| ty.name.as_deref() == Some(name);
    let (_, ty) = module.types.iter().find(|(_, ty)| named(ty)).unwrap();
    let TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is not a struct");
    };
    let members = members.iter().map(|member| {
        let name = member.name.clone().unwrap();
        (name, member.offset as usize)
    });
    (members.collect(), *span as usize)
}

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
    let masks = ["straights", "diagonals", "steps", "pawns"].map(str::to_owned);
    let masks = masks.into_iter().zip([0, 16, 32, 48]).collect();
    let masks = (masks, size_of::<[u64; 8]>());
    let params =
        layout_of!(Params: count, groups_x, serial, values, bounds, units, units_x, units_at);
    let planes = ["bit0", "bit1", "bit2", "black"].map(str::to_owned);
    let planes = planes.into_iter().zip([0, 8, 16, 24]).collect();
    let planes = (planes, size_of::<Position>());
    for module in modules() {
        assert_eq!(layout(&module, "SquareMasks"), masks);
        assert_eq!(layout(&module, "Params"), params);
        assert_eq!(layout(&module, "Position"), planes);
        let pairs = ["low", "high"].map(str::to_owned);
        let pairs = (pairs.into_iter().zip([0, 16]).collect(), planes.1);
        assert_eq!(layout(&module, "PackedPosition"), pairs);
    }
    let (members, _) = layout(&parsed(DECODER), "Unit");
    let raw = Raw {
        coding: Coding::Viriformat,
        bytes: &[0; 8],
        units: &[(0, 0), (8, 1)].map(|(start, first)| Unit { start, first }),
    };
    let work = Work::new(Question::Records(raw, Ask::Verdicts), &Rules::SWAP);
    let chunk = work.chunk_after(None, CAPACITY).unwrap();
    assert_eq!(members.len(), work.request_words(&chunk));
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

/// Two to each member of the shaders' struct.
#[test]
fn masks_are_shakmatys() {
    let masks: &[[u64; 8]] = bytemuck::cast_slice(masks());
    assert_eq!(masks.len(), 64);
    for (square, masks) in Square::ALL.into_iter().zip(masks) {
        let line = |is_on: fn(Square, Square) -> bool| {
            let others = Square::ALL.into_iter().filter(|&other| other != square);
            let on_line: Bitboard = others.filter(|&other| is_on(square, other)).collect();
            on_line.0
        };
        let expected = [
            line(|a, b| a.file() == b.file()),
            line(|a, b| a.rank() == b.rank()),
            line(|a, b| a.rank() - b.rank() == a.file() - b.file()),
            line(|a, b| a.rank() - b.rank() == b.file() - a.file()),
            attacks::knight_attacks(square).0,
            attacks::king_attacks(square).0,
            // Where they stand that attack the square.
            attacks::pawn_attacks(Color::Black, square).0,
            attacks::pawn_attacks(Color::White, square).0,
        ];
        assert_eq!(*masks, expected, "{square}");
    }
}

/// In the bits that are documented.
#[test]
fn facts_are_where_the_shader_writes_them() {
    for (fen, played, takes) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", (12, 28), 0),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", (28, 35), 1),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", (36, 43), 2),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", (4, 7), 3),
    ] {
        let position: Position = fen.parse().unwrap();
        let [from, to] = [played.0, played.1].map(Square::new);
        let played = Capture::new(from, to, None);
        let facts = RawFacts::new(&position, Some(played), &Rules::SWAP);
        let pieces = position.occupied().count() as u32;
        let word = u32::from(played.to_bits()) | 1 << 15 | takes << 16 | pieces << 18;
        let see = Rules::SWAP.see(&position, played).cast_unsigned();
        assert_eq!(
            bytemuck::cast::<_, [u32; 3]>(facts),
            [word, see, 0],
            "{fen}"
        );
    }
}

/// The bytes of each element of a buffer are those that the host assumes.
#[test]
fn elements_are_alike_in_size() {
    let [shader, decoder] = &modules();
    for (module, name, bytes) in [
        (shader, "answers", size_of::<RawAnswer>() as u64),
        (shader, "scores", WORD),
        (shader, "verdicts", RECORD_SIZE),
        (decoder, "raw", WORD),
        (decoder, "decoded", POSITION_SIZE),
        (decoder, "answers", WORD),
    ] {
        let named = |variable: &naga::GlobalVariable| variable.name.as_deref() == Some(name);
        let mut variables = module.global_variables.iter();
        let (_, variable) = variables.find(|(_, variable)| named(variable)).unwrap();
        let TypeInner::Array { stride, .. } = module.types[variable.ty].inner else {
            panic!("{name} is not an array");
        };
        assert_eq!(u64::from(stride), bytes, "{name}");
    }
}

/// Constants that the host knows, too, by the tables of the types' documentation.
const SHARED: [(&str, u32); 42] = [
    ("PAWN", Role::Pawn as u32),
    ("KNIGHT", Role::Knight as u32),
    ("ROOK", Role::Rook as u32),
    ("QUEEN", Role::Queen as u32),
    ("KING", Role::King as u32),
    ("KING_TO_MOVE", 7),
    ("PINS_NONE", Pins::None as u32),
    ("PINS_SF8", Pins::Sf8 as u32),
    ("PINS_SF", Pins::Sf as u32),
    ("PINS_LEGAL", Pins::Legal as u32),
    ("EN_PASSANT_ZERO", EnPassant::Zero as u32),
    ("FIRST_PROMOTION_FULL", FirstPromotion::Full as u32),
    ("FIRST_PROMOTION_ZERO", FirstPromotion::Zero as u32),
    ("INSIDE_PROMOTION_QUEEN", RecapturePromotion::Queen as u32),
    ("CAPTURE_BITS", Capture::BITS),
    ("CAPTURE_MASK", (1 << Capture::BITS) - 1),
    ("POISON", 1 << 31),
    ("INFINITE", 1 << 24),
    ("ANSWERED", 1 << 31),
    ("ANSWER_IN_CHECK", 1),
    ("ANSWER_SEE", 2),
    ("ANSWER_THREAT", 4),
    ("ANSWER_DOUBLE_THREAT", 8),
    ("DECODED", 1 << 30),
    ("BROKEN", 1 << 29),
    ("CODE_AT", 6),
    ("MOVE_BITS_AT", 22),
    ("BLOCKS_AT", 26),
    ("HAS_MOVE", 1 << 15),
    ("TAKES_AT", 16),
    ("TAKES_PIECE", 1),
    ("TAKES_EN_PASSANT", 2),
    ("TAKES_ROOK", 3),
    ("PIECES_AT", 18),
    ("VERDICT_WORDS", RECORD_SIZE as u32 / 4),
    ("FACTS_WORDS", size_of::<RawFacts>() as u32 / 4),
    ("VERDICT_WRITTEN", 1 << 31),
    ("VERDICT_IN_CHECK", 1 << 30),
    ("VERDICT_HAS_BEST", 1 << 29),
    ("VERDICT_HAS_THREAT", 1 << 28),
    ("VERDICT_THREATS_SHIFT", 16),
    ("MAX_POSITIONS", 1 << 15),
];

/// Constants that the host need not know, besides bounds of loops and lists: sets of squares and
/// the formats' own.
const SHADERS_OWN: [&str; 24] = [
    "NO_MOVE",
    "LOWEST",
    "NO_SQUARE",
    "ALL_SQUARES",
    "LAST_RANKS",
    "THIRD_RANK",
    "FIFTH_RANK",
    "SIXTH_RANK",
    "NOT_FILE_A",
    "NOT_FILE_H",
    "NOT_FILES_AB",
    "NOT_FILES_GH",
    "WHITE_CORNERS",
    "BLACK_CORNERS",
    "E1",
    "E8",
    "KIND_NORMAL",
    "KIND_EN_PASSANT",
    "KIND_CASTLING",
    "KIND_PROMOTION",
    "STEM_BYTES",
    "MIN_CHAIN",
    "MORE",
    "SCORE_BITS",
];

#[test]
fn constants_are_the_same() {
    let record_words = Coding::Marlinformat.record_bytes().map(|bytes| bytes / 4);
    let record_words = ("RECORD_WORDS", record_words.unwrap() as u32);
    let mut unused: Vec<_> = SHARED.into_iter().chain([record_words]).collect();
    let shared = unused.clone();
    for module in modules() {
        for (_, constant) in module.constants.iter() {
            let name = constant.name.as_deref().unwrap_or_default();
            if let Some(&(_, value)) = shared.iter().find(|(shared, _)| *shared == name) {
                assert_eq!(value_of(&module, name), i64::from(value), "{name}");
                unused.retain(|(shared, _)| *shared != name);
            } else {
                let is_own = SHADERS_OWN.contains(&name) || name.starts_with("MAX_");
                assert!(is_own || name.is_empty(), "{name} is not compared");
            }
        }
    }
    assert_eq!(unused, [], "no shader has them");
}

fn value_of(module: &Module, name: &str) -> i64 {
    let named = |constant: &naga::Constant| constant.name.as_deref() == Some(name);
    let mut constants = module.constants.iter();
    let found = constants.find(|(_, constant)| named(constant));
    let (_, constant) = found.unwrap_or_else(|| panic!("no constant {name}"));
    match module.global_expressions[constant.init] {
        Expression::Literal(Literal::U32(value)) => value.into(),
        Expression::Literal(Literal::I32(value)) => value.into(),
        ref other => panic!("{name} is {other:?}"),
    }
}

/// Loop bounds over lists must cover all that can be asked for.
#[test]
fn lists_are_worked_off_within_their_bounds() {
    for shape in shapes() {
        let module = shaped(shape);
        let [group, list, squares, promotions] =
            ["GROUP", "LIST", "MAX_SQUARES", "MAX_PROMOTIONS"].map(|name| value_of(&module, name));
        assert_eq!((squares, promotions), (64, 4));
        assert_eq!(group, i64::from(shape.workgroup));
        assert!(list >= promotions, "{shape:?}");
        assert_eq!(value_of(&module, "MAX_LIST_TURNS") * group, list);
        assert!(value_of(&module, "MAX_TARGET_TURNS") * list >= group * squares);
        let moves = list + group * squares * promotions;
        let a_turn = list - promotions + 1;
        let turns = value_of(&module, "MAX_MOVE_TURNS");
        assert!((turns - 1) * a_turn >= moves && turns < 300, "{turns}");
        // A side and a move fit in a word, and never have all bits set, which means none.
        assert!(group << Capture::BITS < 1 << 32);
        // The number of noisy moves in 16 bits.
        assert!(squares * squares * promotions < 1 << 16);
    }
}

/// A binding's number, name and space.
type Bound = (u32, String, AddressSpace);

/// The bindings of a shader, in order.
fn bindings_of(module: &Module) -> Vec<Bound> {
    let variables = module.global_variables.iter();
    let bound = variables.filter(|(_, variable)| variable.space != AddressSpace::WorkGroup);
    let mut bound: Vec<_> = bound
        .map(|(_, variable)| {
            let at = variable.binding.as_ref().unwrap();
            assert_eq!(at.group, 0);
            (at.binding, variable.name.clone().unwrap(), variable.space)
        })
        .collect();
    bound.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    bound
}

/// The bindings that a host makes.
fn bindings(bindings: &[Binding]) -> Vec<Bound> {
    let storage = |access| AddressSpace::Storage { access };
    let space = |access| match access {
        Access::Uniform => AddressSpace::Uniform,
        Access::Read => storage(StorageAccess::LOAD),
        Access::Write => storage(StorageAccess::LOAD | StorageAccess::STORE),
    };
    let bound = |(number, binding): (u32, &Binding)| {
        (number, binding.name.to_owned(), space(binding.access))
    };
    (0..).zip(bindings).map(bound).collect()
}

#[test]
fn bindings_are_the_same() {
    let mut expected = bindings(&BINDINGS);
    // One for each entry point.
    let (number, _, space) = expected.pop().unwrap();
    expected.extend(["answers", "scores", "verdicts"].map(|name| (number, name.to_owned(), space)));
    let [shader, decoder] = modules();
    assert_eq!(bindings_of(&shader), expected);
    assert_eq!(bindings_of(&decoder), bindings(&DECODING));
}

/// The shader's workgroup memory is what devices are asked for; the usual shape suits all.
#[test]
fn workgroup_memory_is_enough() {
    for shape in shapes() {
        let module = shaped(shape);
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
    let decoder = Decoder {
        coding: Coding::Binpack,
        kernel: JUDGE,
    };
    let variant = Variant::new(JUDGE, &Rules::SWAP);
    let set = [
        variant.constants(Shape::USUAL).to_vec(),
        decoder.constants(Shape::USUAL).to_vec(),
    ];
    for (module, set) in modules().iter().zip(set) {
        let name = |(_, constant): (_, &Override)| constant.name.clone().unwrap();
        let mut in_shader: Vec<_> = module.overrides.iter().map(name).collect();
        // Overrides derived from others.
        in_shader.retain(|name| !["LIST", "WON"].contains(&&name[..]) && !name.starts_with("MAX_"));
        let mut set: Vec<_> = set.iter().map(|(name, _)| (*name).to_owned()).collect();
        in_shader.sort();
        set.sort();
        assert_eq!(in_shader, set);
    }
}

/// Each invocation of a workgroup has its own number, of which the first dimension is all.
#[test]
fn workgroups_have_the_shape_of_the_host() {
    for module in modules() {
        for entry in &module.entry_points {
            let [x, y, z] = entry.workgroup_size_overrides.unwrap();
            assert!(x.is_some() && y.is_none() && z.is_none(), "{}", entry.name);
        }
    }
    for shape in shapes() {
        for entry in shaped(shape).entry_points {
            assert_eq!(entry.workgroup_size, [shape.workgroup, 1, 1]);
        }
    }
}

#[test]
fn no_extension_is_needed() {
    for module in modules() {
        validated(&module);
    }
}

/// A private array would be placed in slow memory.
#[test]
fn no_invocation_has_an_array() {
    for module in modules() {
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
        let is_unbounded = words.contains(&"while") || words.contains(&"loop");
        assert!(!is_unbounded, "{line}");
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

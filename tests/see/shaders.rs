//! The shaders' text, as naga reads it: what no result shows.

use core::ops::RangeInclusive;

use swaplist::backend::Question;
use swaplist::gpu::program::{DeviceLimits, Plan, SHADER, Shape};
use swaplist::gpu::wgpu::naga::{self, AddressSpace, Expression, Literal, Module};
use swaplist::{Rules, Sides};

use crate::common::boards::MOVE_BITS;
use crate::common::wgsl::{bounded_loops, check, is_counted, parsed, validated};

/// Verdicts with threats.
const JUDGE: Question<'_> = Question::Verdicts {
    positions: &[],
    sides: Sides::Both,
};

/// The shader with the constants of a pipeline of this shape.
fn shaped(shape: &Shape) -> Module {
    let module = parsed(SHADER);
    let info = validated(&module);
    let entry = Plan::new(JUDGE, &Rules::SWAP, shape).entry();
    let set = entry
        .constants
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let process = naga::back::pipeline_constants::process_overrides;
    let (shaped, _) = process(&module, &info, None, &set.collect()).unwrap();
    shaped.into_owned()
}

/// The sizes of workgroups and lists that a shape may have.
const WORKGROUPS: RangeInclusive<u32> = 32..=1024;
const LISTS: RangeInclusive<u32> = 1..=64;

/// A device that takes any shape.
const UNLIMITED: DeviceLimits = DeviceLimits {
    buffer: u64::MAX,
    binding: u64::MAX,
    alignment: 4,
    workgroups: u32::MAX,
    invocations: u32::MAX,
    workgroup_memory: u32::MAX,
};

/// Shapes across the ranges, including the smallest and the largest.
fn shapes() -> impl Iterator<Item = Shape> {
    let ends = |range: RangeInclusive<u32>| [*range.start(), *range.end()];
    let [few, many] = ends(LISTS);
    let [small, large] = ends(WORKGROUPS);
    [small, 64, 96, 256, large]
        .into_iter()
        .flat_map(move |workgroup| {
            [few, 2, 3, 4, 8, many].map(|list| Shape {
                workgroup,
                list,
                ..Shape::default()
            })
        })
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
        let module = shaped(&shape);
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
        assert!(group << MOVE_BITS < 1 << 32);
        // The number of noisy moves in 16 bits.
        assert!(squares * squares * promotions < 1 << 16);
        // An invocation's number is that in the first dimension.
        for entry in &module.entry_points {
            assert_eq!(entry.workgroup_size, [shape.workgroup, 1, 1]);
        }
    }
}

#[test]
fn shapes_beyond_the_ranges_are_refused() {
    let fits = |workgroup, list| {
        let shape = Shape {
            workgroup,
            list,
            ..Shape::default()
        };
        shape.fitted(&UNLIMITED, 1).is_ok()
    };
    assert!(shapes().all(|shape| fits(shape.workgroup, shape.list)));
    for (workgroup, list) in [(0, 4), (1056, 4), (64, 0), (64, 65), (33, 4), (72, 4)] {
        assert!(!fits(workgroup, list), "{workgroup} {list}");
    }
}

/// The shader's workgroup memory is what devices are asked for; the usual shape suits all.
#[test]
fn workgroup_memory_is_enough() {
    for shape in shapes() {
        let module = shaped(&shape);
        let shared = |variable: &naga::GlobalVariable| variable.space == AddressSpace::WorkGroup;
        let variables = module.global_variables.iter();
        let size = |ty| module.types[ty].inner.size(module.to_ctx());
        let (of_score, of_judge): (Vec<_>, Vec<_>) = variables
            .filter(|(_, variable)| shared(variable))
            .map(|(_, variable)| (variable.name.as_deref(), size(variable.ty)))
            .partition(|&(name, _)| name == Some("halves"));
        assert_eq!(of_score, [(Some("halves"), 4 * shape.workgroup)]);
        let used: u32 = of_judge.into_iter().map(|(_, size)| size).sum();
        let fits = |workgroup_memory| {
            let limits = DeviceLimits {
                workgroup_memory,
                ..UNLIMITED
            };
            shape.fitted(&limits, 1).is_ok()
        };
        assert!(fits(used) && !fits(used - 1), "{used}: {shape:?}");
    }
}

#[test]
fn every_browser_runs_the_shader() {
    check(SHADER);
}

#[test]
fn every_loop_is_bounded() {
    assert_eq!(bounded_loops(SHADER), 15);
}

#[test]
fn loops_without_bounds_are_found() {
    for line in [
        "    for (var i = 0u; i < MAX_SQUARES; i++) {",
        "for (var kind = lane; kind < KINDS; kind += GROUP) {",
        "for (var list = 0u; list < 4u; list++) {",
        "for (var place = 0u; place < MAX_PIECES; place += 4u) {",
    ] {
        assert!(is_counted(line), "{line}");
    }
    for line in [
        "for (var i = 0u; i < count; i++) {",
        "for (var i = start; i < MAX_SQUARES; i++) {",
        "for (var i = 0u; i < MAX_SQUARES; i += step) {",
        "for (var i = 0u; i < MAX_SQUARES; i += 0u) {",
        "for (var i = 0u; i < MAX_SQUARES; j++) {",
        "for (var i = 0u; i < MAX_SQUARES; i--) {",
        "for (;;) {",
    ] {
        assert!(!is_counted(line), "{line}");
    }
}

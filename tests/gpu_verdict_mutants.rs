//! Broken move generators and reductions: each must be found out, or the
//! comparisons of verdicts could not fail.

#![cfg(feature = "gpu")]

mod common;

use common::{boards, cases, gpu, verdicts};
use swaplist::backend::gpu::{Gpu, SHADER};
use swaplist::backend::{Backend, BackendError, Cpu};
use swaplist::{PieceValues, Position, Rules, Verdict};

/// The shader with one text in place of another, which it holds exactly once.
fn mutant(from: &str, to: &str) -> Option<Gpu> {
    let found = SHADER.matches(from).count();
    assert_eq!(found, 1, "once in the shader: {from}");
    gpu::open(&gpu::patient().shader(SHADER.replace(from, to)))
}

/// Dense boards, the hand-made cases, and what needs a board of its own.
fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::dense(15).take(20_000));
    positions.extend(boards::packed(
        cases::tricky().into_iter().map(|case| case.chess),
    ));
    for fen in [
        // En passant takes both pawns off the king's rank.
        "7k/8/8/KPp4r/8/8/8/8 w - c6 0 1",
        // Both neighbours may take en passant.
        "4k3/8/8/3PpP2/8/8/8/4K3 w - e6 0 1",
        "4k3/8/8/8/3pPp2/8/8/4K3 b - e3 0 1",
        // The pawn that gave check is taken en passant.
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    ] {
        positions.extend([fen.parse::<Position>().unwrap(); 128]);
    }
    // More moves in 64 boards than a list holds, by fours and one by one.
    let crowded = "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 w - - 0 1";
    let simple = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let [crowded, simple] = [crowded, simple].map(|fen| fen.parse::<Position>().unwrap());
    for i in 0..400 {
        positions.push(if i % 7 == 0 { simple } else { crowded });
    }
    positions
}

/// What is wrong, the text and what takes its place.
const MUTANTS: [(&str, &str, &str); 24] = [
    (
        "pinned pieces of the wrong side",
        "pinned |= shield & us;",
        "pinned |= shield & ~us;",
    ),
    (
        "two men still pin",
        "if is_empty(shield ^ lowest_bit(shield)) {",
        "if true {",
    ),
    (
        "a pinned piece may go anywhere",
        "let free = ~generator.pinned | shared_line(king, square);",
        "let free = ALL_SQUARES;",
    ),
    (
        "a pinned piece may go nowhere",
        "let free = ~generator.pinned | shared_line(king, square);",
        "let free = ~generator.pinned;",
    ),
    (
        "a check may be left",
        "let evades = !is_empty(generator.evasions & there);",
        "let evades = true;",
    ),
    (
        "a promotion may not shield",
        "evasions = first | between(king, lowest_square(checkers));",
        "evasions = first;",
    ),
    (
        "a double check is one",
        "evasions = select(vec2<u32>(0u), evasions, is_empty(checkers ^ first));",
        "",
    ),
    (
        "a king takes what is guarded",
        "return is_empty(attackers_of(position, square, without_king) & them);",
        "return true;",
    ),
    (
        "a king hides behind itself",
        "let without_king = occupied_bits(position) & ~bit(king);",
        "let without_king = occupied_bits(position);",
    ),
    (
        "no king captures at all",
        "let king_captures = masks[king].steps.zw & them;",
        "let king_captures = vec2<u32>(0u);",
    ),
    (
        "en passant exposes its king",
        "let after = (occupied & ~pawn & ~victim) | bit(square);",
        "let after = occupied;",
    ),
    (
        "the victim of en passant is elsewhere",
        "let victim = bit(square ^ 8u);",
        "let victim = bit(square ^ 16u);",
    ),
    (
        "no en passant out of check",
        "| king_captures | passing;",
        "| king_captures | (passing & generator.evasions);",
    ),
    (
        "one pawn alone takes en passant",
        "const MAX_PASSING: u32 = 2u;",
        "const MAX_PASSING: u32 = 1u;",
    ),
    (
        "the opponent takes en passant",
        "return select(marked, vec2<u32>(0u), side % SIDES == 1u);",
        "return marked;",
    ),
    (
        "lines run around the board",
        "const NOT_FILE_A: vec2<u32> = vec2<u32>(0xfefefefeu",
        "const NOT_FILE_A: vec2<u32> = vec2<u32>(0xfcfefefeu",
    ),
    (
        "no promotion on some squares",
        "LAST_RANKS: vec2<u32> = vec2<u32>(0x000000ffu",
        "LAST_RANKS: vec2<u32> = vec2<u32>(0x000000fcu",
    ),
    (
        "three promotions",
        "const MAX_PROMOTIONS: u32 = 4u;",
        "const MAX_PROMOTIONS: u32 = 3u;",
    ),
    (
        "a threat in check",
        "return select(found, vec2<u32>(0u), passes || beyond);",
        "return select(found, vec2<u32>(0u), beyond);",
    ),
    (
        "the largest of equal moves",
        "atomicMin(&best_move[side]",
        "atomicMax(&best_move[side]",
    ),
    (
        "a worse move's number stays",
        "if atomicLoad(&best_see[lane]) > before {",
        "if false {",
    ),
    (
        "holes count as moves",
        "moves[slot + p] = select(NO_MOVE, capture, fits);",
        "moves[slot + p] = capture;",
    ),
    (
        "what does not fit is lost",
        "override MAX_MOVE_TURNS: u32 = ",
        "override MAX_MOVE_TURNS: u32 = 1u;\noverride MAX_UNUSED: u32 = ",
    ),
    (
        "the second half of a list is lost",
        "override MAX_LIST_TURNS: u32 = LIST_TURNS;",
        "override MAX_LIST_TURNS: u32 = LIST_TURNS / 2u;",
    ),
];

/// Equal values: the choice among equals shows too.
fn rules() -> [Rules; 2] {
    [Rules::SWAP, Rules::from(PieceValues::new([1; 5]).unwrap())]
}

fn differences(gpu: &Gpu, positions: &[Position]) -> usize {
    let differing = |rules: &Rules| {
        let judged = verdicts::judge(gpu, positions, rules, true);
        let expected = verdicts::judge(&Cpu::new(), positions, rules, true);
        judged.iter().zip(&expected).filter(|(a, b)| a != b).count()
    };
    rules().iter().map(differing).sum()
}

#[test]
fn the_shader_itself_has_no_differences() {
    let Some(gpu) = gpu::open(&gpu::patient().shader(SHADER)) else {
        return;
    };
    assert_eq!(differences(&gpu, &positions()), 0);
}

#[test]
fn wrong_verdicts_differ() {
    let positions = positions();
    for (what, from, to) in MUTANTS {
        let Some(gpu) = mutant(from, to) else {
            return;
        };
        let differing = differences(&gpu, &positions);
        eprintln!("{what}: {differing} of {} differ", 2 * positions.len());
        assert!(differing > 0, "{what} is not found out");
    }
}

#[test]
fn verdicts_that_are_not_written_are_wrong() {
    let writes = "verdicts[first + lane] = verdict;";
    let but_one = "if lane != 3u { verdicts[first + lane] = verdict; }";
    let but_last = "if first + lane + 1u < params.count { verdicts[first + lane] = verdict; }";
    let no_record = "verdict.x ^= VERDICT_WRITTEN; verdicts[first + lane] = verdict;";
    let impossible = "verdict.y += 0x40000000u; verdicts[first + lane] = verdict;";
    let group = "(group.y * params.groups_x + group.x) * positions_here";
    let positions = positions();
    for (from, to) in [
        (writes, ""),
        (writes, but_one),
        (writes, but_last),
        (writes, no_record),
        (writes, impossible),
        (group, "group.x * positions_here"),
    ] {
        assert_eq!(
            SHADER.matches(from).count(),
            1,
            "once in the shader: {from}"
        );
        let options = gpu::patient().max_workgroups(30);
        let Some(gpu) = gpu::open(&options.shader(SHADER.replace(from, to))) else {
            return;
        };
        let mut verdicts = vec![Verdict::default(); positions.len()];
        let judged = gpu.judge(&positions, &Rules::SWAP, false, &mut verdicts);
        assert!(
            matches!(judged, Err(BackendError::Wrong(_))),
            "{to}: {judged:?}"
        );
    }
}

/// Right verdicts of an earlier batch are no excuse.
#[test]
fn verdicts_written_before_do_not_count() {
    let right = "verdicts[first + lane] = verdict;";
    let wrong = "if params.values[0].y != 7 { verdicts[first + lane] = verdict; }";
    let Some(gpu) = mutant(right, wrong) else {
        return;
    };
    let positions = positions();
    gpu::judges_like_cpu(&gpu, &positions, &Rules::SWAP);
    let idle = Rules::from(PieceValues::new([7, 300, 300, 500, 900]).unwrap());
    let mut verdicts = vec![Verdict::default(); positions.len()];
    let judged = gpu.judge(&positions, &idle, true, &mut verdicts);
    assert!(matches!(judged, Err(BackendError::Wrong(_))), "{judged:?}");
}

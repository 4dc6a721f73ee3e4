//! Verdicts of broken move generators and reductions.

use crate::common::{boards, cases, gpu, verdicts};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{PieceValues, Position, Profile, RecapturePromotion, Rules, Verdict};

/// The shader with one text replaced, which must occur exactly once.
fn mutant(from: &str, to: &str) -> Option<Gpu> {
    let found = SHADER.matches(from).count();
    assert_eq!(found, 1, "once in the shader: {from}");
    gpu::open(&gpu::patient().shader(SHADER.replace(from, to)))
}

/// Dense boards, the hand-made cases, and special boards.
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
        // The queen takes g1: a queen would answer, from behind her, and a rook in turn.
        "1k4r1/p2p3p/3n2rP/6QP/3pP3/b1p2PqR/2P5/5KNB b - - 0 1",
        // The pawn that gave check is taken en passant.
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    ] {
        positions.extend([fen.parse::<Position>().unwrap(); 128]);
    }
    // More moves in 64 boards than a list holds, by fours and one by one.
    let crowded = [
        "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 w - - 0 1",
        "1rbqqbr1/PPPPPPPP/2p1p3/K2p4/2P1P2k/8/8/8 w - - 0 1",
        "1rbqqbr1/PPPPPPPP/2p1p3/K2p4/2P1P2k/2N5/8/8 w - - 0 1",
    ];
    let crowded = crowded.map(|fen| fen.parse::<Position>().unwrap());
    positions.extend(crowded.into_iter().cycle().take(1500));
    positions
}

/// The mistake, the text and its replacement.
const MUTANTS: [(&str, &str, &str); 42] = [
    (
        "wins on both halves of the board are one",
        "won[(side & ~1u) + (square >> 5u)]",
        "won[side & ~1u]",
    ),
    (
        "victims below the best are no threats",
        "let cannot_win = (side % SIDES == 0u) || (known.bound <= 0);",
        "let cannot_win = true;",
    ),
    (
        "settled wins are no threats",
        "note_win(side, found.square, known.value);",
        "",
    ),
    (
        "scored wins are no threats",
        "note_win(side, (moves[i] >> 3u) & 63u, value);",
        "",
    ),
    (
        "even captures are threats",
        "if (side % SIDES == 1u) && (value > 0) {",
        "if (side % SIDES == 1u) && (value >= 0) {",
    ),
    (
        "pinned pieces of the wrong side",
        "pinned |= shield & us;",
        "pinned |= shield & ~us;",
    ),
    (
        "two pieces still pin",
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
        "if !is_next || is_empty(us & kings(position)) || !is_empty(attackers & them) {",
        "if !is_next || is_empty(us & kings(position)) {",
    ),
    (
        "a king hides behind itself",
        "return is_empty(slider_attackers(position, square, without_king) & them);",
        "return true;",
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
        "atomicMin(&best_move[side], moves",
        "atomicMax(&best_move[side], moves",
    ),
    (
        "a worse move's number stays",
        "if atomicLoad(&best_see[lane]) > before {",
        "if false {",
    ),
    (
        "what fits by half counts as listed",
        "if slot + MAX_PROMOTIONS > LIST {",
        "if slot >= LIST {",
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
    (
        "promotions are not counted",
        "count(found.capturers) + MAX_PROMOTIONS * count(found.promoting)",
        "count(found.capturers)",
    ),
    (
        "what is settled is not kept",
        "if known.all {\n        atomicMax(&best_see[side], known.value);",
        "if false {\n        atomicMax(&best_see[side], known.value);",
    ),
    (
        "a settled move has no number",
        "atomicMin(&best_move[side], smallest);",
        "",
    ),
    (
        "a settled move's number need not be the best's",
        "if known.all && (known.value == atomicLoad(&best_see[side])) {",
        "if known.all {",
    ),
    (
        "equals of the best are left out",
        "known.bound < atomicLoad(&best_see[side])",
        "known.bound <= atomicLoad(&best_see[side])",
    ),
    (
        "what is passed by has no more than what stands there",
        "return Settled(false, 0, INFINITE);",
        "return Settled(false, 0, 0);",
    ),
    (
        "nobody joins",
        "let joining = slider_attackers(position, found.square, behind) & behind;",
        "let joining = vec2<u32>(0u);",
    ),
    (
        "a capturer that is taken costs nothing",
        "return Settled(true, victim - max(capturer, 0), victim);",
        "return Settled(true, victim, victim);",
    ),
    (
        "a second capturer settles nothing",
        "let is_alone = is_empty((own ^ lowest_bit(own)) | joining);",
        "let is_alone = is_empty(joining);",
    ),
    (
        "who joins answers nothing",
        "let is_alone = is_empty((own ^ lowest_bit(own)) | joining);",
        "let is_alone = is_empty(own ^ lowest_bit(own));",
    ),
    (
        "only an own slider that joins counts",
        "let is_alone = is_empty((own ^ lowest_bit(own)) | joining);",
        "let is_alone = is_empty((own ^ lowest_bit(own)) | (joining & us));",
    ),
    (
        "who answers is never barred",
        "return (PINS == PINS_NONE) && !promotes;",
        "return !promotes;",
    ),
    (
        "who answers never promotes",
        "return (PINS == PINS_NONE) && !promotes;",
        "return PINS == PINS_NONE;",
    ),
];

/// Equal values show the choice among equals; pins and promoting recaptures show barred
/// defenders and gains.
fn rules() -> [Rules; 4] {
    let queens = Rules {
        recapture_promotion: RecapturePromotion::Queen,
        ..Rules::SWAP
    };
    let equal = Rules::from(PieceValues::new([1; 5]).unwrap());
    [
        Rules::SWAP,
        equal,
        Rules::new(Profile::Sf8, PieceValues::CPW),
        queens,
    ]
}

/// The CPU's verdicts under each of the rules.
fn expected(positions: &[Position]) -> Vec<(Rules, Vec<Verdict>)> {
    let judge = |rules| (rules, verdicts::judge(&Cpu::new(), positions, &rules, true));
    rules().map(judge).to_vec()
}

/// How many verdicts differ under the first rules that show any; all of them, if the host
/// rejects the results.
fn differences(gpu: &Gpu, positions: &[Position], expected: &[(Rules, Vec<Verdict>)]) -> usize {
    let differing = |(rules, expected): &(Rules, Vec<Verdict>)| match verdicts::judged(
        gpu, positions, rules, true,
    ) {
        Ok(judged) => judged.iter().zip(expected).filter(|(a, b)| a != b).count(),
        Err(BackendError::Wrong(_)) => positions.len(),
        Err(error) => panic!("{error}"),
    };
    let shown = expected.iter().map(differing).find(|&count| count > 0);
    shown.unwrap_or(0)
}

#[test]
fn the_shader_itself_has_no_differences() {
    let Some(gpu) = gpu::open(&gpu::patient().shader(SHADER)) else {
        return;
    };
    let positions = positions();
    assert_eq!(differences(&gpu, &positions, &expected(&positions)), 0);
}

#[test]
fn wrong_verdicts_differ() {
    let positions = positions();
    let expected = expected(&positions);
    for (what, from, to) in MUTANTS {
        let Some(gpu) = mutant(from, to) else {
            return;
        };
        let differing = differences(&gpu, &positions, &expected);
        eprintln!("{what}: {differing} of {} differ", positions.len());
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
        let judged = verdicts::judged(&gpu, &positions, &Rules::SWAP, false);
        assert!(
            matches!(judged, Err(BackendError::Wrong(_))),
            "{to}: {judged:?}"
        );
    }
}

/// Correct verdicts of an earlier batch do not hide a mistake.
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
    let judged = verdicts::judged(&gpu, &positions, &idle, true);
    assert!(matches!(judged, Err(BackendError::Wrong(_))), "{judged:?}");
}

//! Facts on every move that fits in 15 bits, legal or not.

use shakmaty::{Chess, Position as _, Role};
use swaplist::attacks::MASKS;
use swaplist::backend::Question;
use swaplist::gpu::program::{BINDINGS, Plan};
use swaplist::{Bounds, PackedMove, PieceValues, Position, Profile, Rules};

use super::boards::{self, MOVE_BITS};
use super::host::Host;

/// In the word of an answer: a decoder has left the position, with the move.
const DECODED: u32 = 1 << 30;
/// In the word of an answer: the move is not legal.
const BROKEN: u32 = 1 << 29;

/// Pins, checks, castling from and to any files, en passant, promotions.
const FENS: [&str; 18] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 2",
    "8/8/8/K1pP3r/7k/8/8/8 w - c6 0 2",
    "8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/8/8/8/8/5Q2/6K1 b kq - 0 1",
    "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/1r6/8/R3K2R w KQ - 0 1",
    "k7/8/8/8/8/8/8/1RK3R1 w GB - 0 1",
    "r1r1k3/8/8/8/8/8/8/1K6 b ca - 0 1",
    "1k6/8/8/8/8/8/8/R1RK3R w CH - 0 1",
    "k7/8/8/8/8/8/8/qR1K3R w BH - 0 1",
    "k7/8/8/8/8/8/8/3K2Rq w G - 0 1",
    "4k3/8/8/8/8/8/8/RN2KB1R w KQ - 0 1",
    "k7/8/8/8/8/8/8/1KR3N1 w C - 0 1",
];

/// Without the SEE of other moves, which takes most of the time to compile.
pub fn facts_alone(shader: &str) -> String {
    let judging = "    work_off_sides(first, lane);\n";
    let then = "    if (lane < GROUP / SIDES) && (first + lane < params.count) {\n        let word";
    let both = [judging, then].concat();
    assert_eq!(shader.matches(&both).count(), 1);
    shader.replace(&both, then)
}

/// The first move on which this shader tells something else than the CPU.
pub fn every_move(shader: &str, profile: Profile) -> Result<(), String> {
    let host = Host::open(shader, BINDINGS, 1 << MOVE_BITS);
    let rules = Rules::new(profile, PieceValues::CPW);
    let question = Question::Bounds {
        positions: &[],
        bounds: Bounds::default(),
    };
    let plan = Plan::new(question, &rules, &host.shape).with_facts();
    let pipeline = host.pipeline(&plan.entry());
    let played = boards::playouts(5).step_by(40).take(15);
    let mut boards = FENS.map(boards::board).into_iter().chain(played);
    boards.try_for_each(|chess| {
        let answers = on_every_move(&host, &pipeline, &plan, &chess);
        same(&answers, &chess, &rules)
    })
}

fn on_every_move(
    host: &Host,
    pipeline: &swaplist::gpu::wgpu::ComputePipeline,
    plan: &Plan<'_>,
    chess: &Chess,
) -> Vec<[u32; 3]> {
    let position = Position::try_from(chess).unwrap();
    let positions = vec![position; 1 << MOVE_BITS];
    let dispatch = plan.in_place(positions.len() as u32);
    let has_move = 1 << MOVE_BITS;
    let begun: Vec<[u32; 3]> = (0..has_move).map(|m| [has_move | m, 0, DECODED]).collect();
    let contents = [
        bytemuck::bytes_of(&dispatch.params),
        bytemuck::cast_slice(&MASKS),
        bytemuck::cast_slice(&positions),
        &[],
        bytemuck::cast_slice(&begun),
    ];
    assert_eq!(dispatch.result_size, size_of_val(&begun[..]) as u64);
    bytemuck::pod_collect_to_vec(&host.dispatch(pipeline, contents, dispatch.groups)[0])
}

fn same(answers: &[[u32; 3]], chess: &Chess, rules: &Rules) -> Result<(), String> {
    let position = Position::try_from(chess).unwrap();
    let legal: Vec<_> = chess
        .legal_moves()
        .into_iter()
        .filter_map(PackedMove::from_move)
        .collect();
    let mut found = 0;
    for (&answer, bits) in answers.iter().zip(0..) {
        let played = PackedMove::from_bits(bits);
        let facts = [
            facts_of(chess, &position, played),
            rules.see(&position, played).cast_unsigned(),
        ];
        if answer[..2] != facts {
            return Err(format!(
                "{position} {played}: {answer:x?} instead of {facts:x?}"
            ));
        }
        // A rook that is castled with may castle: a file would be broken otherwise.
        let castles = position.piece_at(played.to()) == Some(chess.turn().rook())
            && position.piece_at(played.from()) == Some(chess.turn().king())
            && played.from().rank() == played.to().rank();
        let may_castle = !castles || chess.castles().castling_rights().contains(played.to());
        let is_legal = answer[2] & BROKEN == 0;
        if may_castle && is_legal != legal.contains(&played) {
            return Err(format!("{position} {played}: legal is {is_legal}"));
        }
        found += usize::from(is_legal && may_castle);
    }
    assert_eq!(found, legal.len());
    Ok(())
}

/// The word before a move's SEE: the move, that there is one, what it takes, and the number of
/// pieces.
fn facts_of(chess: &Chess, position: &Position, played: PackedMove) -> u32 {
    let mover = position.piece_at(played.from());
    let there = position.piece_at(played.to());
    let is_pawn = mover.is_some_and(|piece| piece.role == Role::Pawn);
    let takes = match there {
        None if is_pawn && played.from().file() != played.to().file() => 2,
        Some(piece) if piece.color != chess.turn() => 1,
        Some(_) if mover.is_some_and(|piece| piece.role == Role::King) => 3,
        None | Some(_) => 0,
    };
    let pieces = chess.board().occupied().count() as u32;
    u32::from(played.to_bits()) | 1 << MOVE_BITS | takes << 16 | pieces << 18
}

//! Engines of the tests' own, with rules or with faults, and what they answer.

use shakmaty::{Bitboard, Board, Chess, Role, Square, attacks};
use swaplist::{PackedMove, PieceValues, Position, Rules, noisy_moves};
use swaplist_files::check::{Answer, Claim};
use swaplist_files::suite::Fault;

use crate::tests::common::boards;
use crate::tests::common::oracle;

/// A fault of the suite's list.
pub fn fault_named(name: &str) -> Fault {
    name.parse().unwrap()
}

/// Positions of all kinds, including en passant.
pub fn positions(seed: u64) -> Vec<Chess> {
    let en_passant = |chess: &Chess| {
        let moves = oracle::noisy(chess);
        moves.iter().any(|m| m.is_en_passant())
    };
    boards::dense(seed)
        .take(2_000)
        .chain(boards::dense(seed).filter(en_passant).take(60))
        .chain(boards::playouts(seed).take(1_000))
        .collect()
}

/// The answers of an engine that follows some rules: values, and optionally for every other
/// move a threshold at the value or one above.
pub fn said_by(rules: &Rules, positions: &[Chess], thresholds: bool) -> Vec<Answer> {
    let mut all = Vec::new();
    for chess in positions {
        let position = Position::try_from(chess).unwrap();
        for m in oracle::noisy(chess) {
            let capture = PackedMove::from_move(m).unwrap();
            let value = oracle::see(chess, m, rules);
            let line = all.len() as u64 + 1;
            let threshold = value + i32::from(line % 4 == 1);
            let said = if thresholds && line % 2 == 1 {
                Claim::AtLeast {
                    threshold,
                    holds: value >= threshold,
                }
            } else {
                Claim::Value(value)
            };
            all.push(Answer {
                fen: position.to_string(),
                position,
                capture,
                said,
                line,
            });
        }
    }
    all
}

/// A swap list as engines compute it, in CPW's values, for captures that are neither en passant nor
/// promotions. `joins` decides whether a piece joins that a capture uncovers: by the number of
/// captures before that one, and of pieces uncovered before.
pub fn swap_list_see(
    position: &Position,
    capture: PackedMove,
    joins: impl Fn(usize, usize) -> bool,
    kings_recapture: bool,
) -> i32 {
    let board = position.to_setup().board;
    let target = capture.to();
    let value = |role: Role| [100, 325, 325, 500, 1000, 0][role as usize - 1];
    let mut occupied = board.occupied();
    let mut known = attackers(&board, target, occupied);
    let mut left = capture.from();
    let mut standing = board.role_at(left).unwrap();
    let mut gains = vec![value(board.role_at(target).unwrap())];
    let mut side = !position.turn();
    let mut uncovered_before = 0;
    let mut ignored = Bitboard::EMPTY;
    loop {
        occupied.discard(left);
        let uncovered = attackers(&board, target, occupied) & !known & !ignored;
        if uncovered.any() {
            if joins(gains.len() - 1, uncovered_before) {
                known |= uncovered;
            } else {
                ignored |= uncovered;
            }
            uncovered_before += 1;
        }
        let own = known & occupied & board.by_color(side);
        let next = Role::ALL.into_iter().find_map(|role| {
            let square = (own & board.by_role(role)).first()?;
            Some((role, square))
        });
        let Some((role, square)) = next else { break };
        let is_guarded = (known & occupied & board.by_color(!side)).any();
        if role == Role::King && (is_guarded || !kings_recapture) {
            break;
        }
        gains.push(value(standing) - gains[gains.len() - 1]);
        standing = role;
        left = square;
        side = !side;
    }
    let worst = i32::MIN / 2;
    gains
        .into_iter()
        .rfold(worst, |after, gain| gain.min(-after))
}

/// The pieces of both sides that attack a square.
fn attackers(board: &Board, target: Square, occupied: Bitboard) -> Bitboard {
    let lines = board.rooks() | board.queens();
    let diagonals = board.bishops() | board.queens();
    let pawns = |color: shakmaty::Color| {
        attacks::pawn_attacks(!color, target) & board.pawns() & board.by_color(color)
    };
    let found = attacks::rook_attacks(target, occupied) & lines
        | attacks::bishop_attacks(target, occupied) & diagonals
        | attacks::knight_attacks(target) & board.knights()
        | attacks::king_attacks(target) & board.kings()
        | pawns(shakmaty::Color::White)
        | pawns(shakmaty::Color::Black);
    found & occupied
}

/// Captures of pieces by pieces, without promotions.
pub fn plain_captures(seed: u64) -> Vec<(Position, PackedMove)> {
    let mut all = Vec::new();
    for chess in positions(seed) {
        let position = Position::try_from(&chess).unwrap();
        for capture in noisy_moves(&position) {
            let takes = position.to_setup().board.piece_at(capture.to()).is_some();
            if takes && capture.promotion().is_none() {
                all.push((position, capture));
            }
        }
    }
    all
}

/// The answers of a faulty SEE.
pub fn said_by_engine(
    captures: &[(Position, PackedMove)],
    see: impl Fn(&Position, PackedMove) -> i32,
) -> Vec<Answer> {
    let answer = |(line, (position, capture)): (u64, &(Position, PackedMove))| Answer {
        fen: position.to_string(),
        position: *position,
        capture: *capture,
        said: Claim::Value(see(position, *capture)),
        line,
    };
    (1..).zip(captures).map(answer).collect()
}

/// Positions with answers of an engine: the values of the moves, or whether they reach thresholds
/// at the value and around it.
pub fn asked(seed: u64) -> Vec<(Position, PackedMove)> {
    let mut all = Vec::new();
    for chess in positions(seed).iter().step_by(3) {
        let position = Position::try_from(chess).unwrap();
        all.extend(noisy_moves(&position).into_iter().map(|m| (position, m)));
    }
    all
}

/// An engine's own piece values.
pub const OWN: PieceValues = match PieceValues::new([90, 310, 333, 505, 970]) {
    Some(values) => values,
    None => panic!(),
};

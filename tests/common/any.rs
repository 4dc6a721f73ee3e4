//! Any position, any rules: strategies for proptest.

use proptest::prelude::*;
use shakmaty::{Board, Chess, Move, Position as _, Square};
use swaplist::{PackedMove, PieceValues, Position, Rules};
use swaplist_files::check;

use super::{boards, oracle};

const MAX: i32 = swaplist::values::MAX_VALUE;

/// A position from a game, crowded, or aimed at one square.
pub fn chess() -> impl Strategy<Value = Chess> {
    (0..3, any::<u64>()).prop_map(|(kind, seed)| match kind {
        0 => boards::playouts(seed).nth((seed % 150) as usize).unwrap(),
        1 => boards::dense(seed).next().unwrap(),
        _ => boards::piled(seed).next().unwrap(),
    })
}

/// Any piece values: presets, equal, zero and negative values, extremes.
pub fn values() -> impl Strategy<Value = PieceValues> {
    let extreme = prop::sample::select(vec![-MAX, -1, 0, 1, 100, MAX]);
    prop_oneof![
        prop::sample::select(vec![
            PieceValues::CPW,
            PieceValues::STOCKFISH,
            PieceValues::CLASSICAL,
        ]),
        [-MAX..=MAX, -MAX..=MAX, -MAX..=MAX, -MAX..=MAX, -MAX..=MAX]
            .prop_map(|table| PieceValues::new(table).unwrap()),
        prop::array::uniform5(extreme).prop_map(|table| PieceValues::new(table).unwrap()),
    ]
}

pub fn rules() -> impl Strategy<Value = Rules> {
    (values(), any::<prop::sample::Index>()).prop_map(|(values, index)| {
        let all = check::candidates(values);
        all[index.index(all.len())]
    })
}

pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub fn captures(chess: &Chess) -> (Position, Vec<(Move, PackedMove)>) {
    let position = Position::try_from(chess).unwrap();
    let packed = |m| (m, PackedMove::from_move(m).unwrap());
    (
        position,
        oracle::noisy(chess).into_iter().map(packed).collect(),
    )
}

/// The board after a move, without promotion.
pub fn after(chess: &Chess, m: Move) -> Board {
    let mut board = chess.board().clone();
    let from = m.from().unwrap();
    let mover = board.remove_piece_at(from).unwrap();
    if m.is_en_passant() {
        board.discard_piece_at(Square::from_coords(m.to().file(), from.rank()));
    }
    board.set_piece_at(m.to(), mover);
    board
}

//! Attacks from and on one square; `position.rs` has a position's. Twin: `shaders/attacks.wgsl`.
//!
//! Slider attacks along a line are the difference of its nearest pieces on both sides (Michael
//! Hoffmann's obstruction difference, CPW), with 64 bytes of masks per square.

use bytemuck::{Pod, Zeroable};
use shakmaty::{Color, Square, attacks};

/// Attacks from one square on an empty board, without the square: one cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct SquareMasks {
    pub file: u64,
    pub rank: u64,
    pub diagonal: u64,
    pub antidiagonal: u64,
    pub knight: u64,
    pub king: u64,
    /// Squares from which a white pawn attacks this one.
    pub white_pawns: u64,
    /// Squares from which a black pawn attacks this one.
    pub black_pawns: u64,
}

/// Where pawns promote: the first and the last rank.
pub(crate) const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// The last of these squares, if there are any.
pub(crate) const fn highest(squares: u64) -> u64 {
    match squares.checked_ilog2() {
        Some(square) => 1 << square,
        None => 0,
    }
}

/// The masks of every square; the GPU reads the same bytes.
pub(crate) static MASKS: [SquareMasks; 64] = {
    let mut table = [const { square_masks(0) }; 64];
    let mut square = 1;
    while square < 64 {
        table[square] = square_masks(square as u32);
        square += 1;
    }
    table
};

const fn square_masks(square: u32) -> SquareMasks {
    let sq = Square::new(square);
    SquareMasks {
        file: line(square, 0, 1),
        rank: line(square, 1, 0),
        diagonal: line(square, 1, 1),
        antidiagonal: line(square, 1, -1),
        knight: attacks::knight_attacks(sq).0,
        king: attacks::king_attacks(sq).0,
        white_pawns: attacks::pawn_attacks(Color::Black, sq).0,
        black_pawns: attacks::pawn_attacks(Color::White, sq).0,
    }
}

/// All squares on a line through `square`, without it.
#[allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)]
const fn line(square: u32, file_step: i32, rank_step: i32) -> u64 {
    let mut squares = 0;
    let mut side = -1;
    while side <= 1 {
        let mut file = (square & 7) as i32 + side * file_step;
        let mut rank = (square >> 3) as i32 + side * rank_step;
        while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            squares |= 1 << (rank * 8 + file);
            file += side * file_step;
            rank += side * rank_step;
        }
        side += 2;
    }
    squares
}

/// Attacks from `square` along a line: from the nearest piece below it to the nearest above.
#[inline(always)]
fn line_attacks(mask: u64, occupied: u64, square: u32) -> u64 {
    let blockers = mask & occupied;
    let below = (1 << square) - 1;
    let (above, below) = (blockers & !below, blockers & below);
    let first = u64::MAX << (below | 1).ilog2();
    let last = above & above.wrapping_neg();
    mask & last.wrapping_mul(2).wrapping_add(first)
}

/// Squares that a bishop on `square` attacks.
#[inline(always)]
pub(crate) fn diagonal_attacks(square: u32, occupied: u64) -> u64 {
    let masks = &MASKS[square as usize & 63];
    line_attacks(masks.diagonal, occupied, square)
        | line_attacks(masks.antidiagonal, occupied, square)
}

/// Squares that a rook on `square` attacks.
#[inline(always)]
pub(crate) fn straight_attacks(square: u32, occupied: u64) -> u64 {
    let masks = &MASKS[square as usize & 63];
    line_attacks(masks.file, occupied, square) | line_attacks(masks.rank, occupied, square)
}

/// Squares from which a pawn of `color` attacks `square`.
#[inline(always)]
pub(crate) fn pawns_attacking(square: u32, color: Color) -> u64 {
    let masks = &MASKS[square as usize & 63];
    match color {
        Color::White => masks.white_pawns,
        Color::Black => masks.black_pawns,
    }
}

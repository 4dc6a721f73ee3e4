//! Legal captures in lanes: `captures.rs`, with one position, then one target per lane.
//! Promotions and en passant are rare and left to the scalar generator.

use super::board::{Board, Lines, Pieces, inner, king_squares};
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Stages, Word};
use super::pins;
use crate::Position;
use crate::captures::fill::Shift as _;
use bytemuck::{Pod, Zeroable};

/// A position with one side's capturers: a cache line, loaded as a row per lane.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Row {
    pub position: Position,
    /// From [`Sides`]: movers, pinned, evasions, king.
    sides: [u64; 4],
}

/// What one side can capture in each lane's position.
pub(super) struct Sides<S: Stages> {
    /// The side's pieces, without pawns about to promote.
    movers: S::Word,
    /// Movers pinned to their king.
    pinned: S::Word,
    /// Targets for all but the king: in check only the checker.
    evasions: S::Word,
    king: S::Word,
    /// Attacked enemy pieces.
    pub targets: S::Word,
    pub in_check: MaskOf<S>,
    /// Positions that may have promotions or en passant.
    pub rare: MaskOf<S>,
}

impl<S: Stages> Sides<S> {
    /// For the side to move, or its opponent as if it were to move.
    #[inline(always)]
    pub(super) fn new(simd: S, positions: [&Position; MAX_LANES], opponent: bool) -> Sides<S> {
        let pieces = Pieces::<S>::new(simd, positions, opponent);
        let Pieces {
            board,
            occupied,
            us,
            them,
            ..
        } = pieces;
        let kings = board.kings() & us;
        let masks = simd.masks(&king_squares::<S>(kings));
        let king = kings.misses(kings).select(simd.splat(1), kings.lowest());
        let [.., king_mask, _, _] = masks;
        let lines = Lines::new(masks, king);
        let nearest = lines.nearest(simd, occupied);
        let snipers = lines.aligned(&board) & them;
        let checkers = board.steps(masks) & them | nearest & snipers;
        let evasions = evasions(simd, checkers);
        let movers = us & !pieces.promoting;
        let attacked = attacked(simd, &pieces, movers) & evasions;
        Sides {
            movers,
            pinned: pins::shields(simd, &lines, nearest, us, snipers, occupied),
            evasions,
            king,
            targets: (attacked | king_mask) & them,
            in_check: checkers.meets(checkers),
            rare: pieces.rare.meets(pieces.rare),
        }
    }

    /// Stores one row per lane.
    #[inline(always)]
    pub(super) fn store(&self, simd: S, rows: &mut [Row; MAX_LANES]) {
        let words = [self.movers, self.pinned, self.evasions, self.king];
        simd.store_rows(words, rows.each_mut().map(|row| &mut row.sides));
    }
}

#[inline(always)]
fn evasions<S: Stages>(simd: S, checkers: S::Word) -> S::Word {
    let more = checkers & (checkers - simd.splat(1));
    let single = more.misses(more).keep(checkers);
    checkers.misses(checkers).select(simd.splat(!0), single)
}

/// Squares attacked by `movers` other than the king.
#[inline(always)]
fn attacked<S: Stages>(simd: S, pieces: &Pieces<S>, movers: S::Word) -> S::Word {
    let (inner, board, empty) = (inner(simd), &pieces.board, !pieces.occupied);
    let pawns = board.pawns() & movers;
    let black = pieces.black_moves;
    let pawns = black.select(inner.black_pawns(pawns), inner.white_pawns(pawns));
    pawns
        | inner.knights(board.knights() & movers)
        | inner.diagonal(board.diagonal_sliders() & movers, empty)
        | inner.straight(board.straight_sliders() & movers, empty)
}

/// One target per lane, with its attackers and legal capturers.
pub(super) struct Target<S: Stages> {
    pub board: Board<S::Word>,
    pub lines: Lines<S::Word>,
    /// Sliders on the target's lines that move along them.
    pub aligned: S::Word,
    /// Attackers of both sides.
    pub attackers: S::Word,
    /// The victim's side: black's bits or their complement.
    pub them: S::Word,
    /// Legal capturers. A king is left out if a visible piece guards the target; a guard behind
    /// the king is found by the exchange.
    pub capturers: S::Word,
}

impl<S: Stages> Target<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, rows: [&Row; MAX_LANES], entries: &PerLane) -> Target<S> {
        let rows = simd.rows(rows.map(bytemuck::cast_ref));
        let [bit0, bit1, bit2, black, movers, pinned, evasions, king] = rows;
        let board = Board::new([bit0, bit1, bit2, black]);
        let masks = simd.masks(&entries.map(|entry| entry >> 3 & 63));
        let target = (simd.load(entries).shr::<3>() & simd.splat(63)).bit();
        let lines = Lines::new(masks, target);
        let aligned = lines.aligned(&board);
        let sliders = lines.nearest(simd, board.occupied()) & aligned;
        let attackers = board.steps(masks) | sliders;
        let them = board.black.meets(target).select(board.black, !board.black);
        // A pinned piece may only move along the line to its king.
        let free = attackers & movers & (!pinned | lines.line_of(king)) & !board.kings();
        let free = evasions.meets(target).keep(free);
        let unguarded = attackers.misses(them);
        let king = unguarded.keep(attackers & movers & king & board.kings());
        Target {
            board,
            lines,
            aligned,
            attackers,
            them,
            capturers: free | king,
        }
    }
}

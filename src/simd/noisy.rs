//! Legal captures in lanes: `captures.rs`, one position and then one target square
//! a lane. Promotions and en passant are few, and left to the scalar generator.

use super::board::{Board, Lines};
use super::fill;
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use super::pins;
use crate::Position;

/// Which squares can be captured by whom: one position, packed so that a lane
/// loads it as a row.
pub(super) type Row = [u64; 4];

/// What one side can capture, in each lane's position.
pub(super) struct Sides<S: Simd> {
    /// Men of the side whose captures are made here: not pawns about to promote.
    movers: S::Word,
    /// Those of them that alone shield their king.
    pinned: S::Word,
    /// What any but the king may capture: in check the checker alone.
    evasions: S::Word,
    king: S::Word,
    /// Enemies that something attacks.
    pub targets: S::Word,
    pub in_check: MaskOf<S>,
    /// Positions that may have promotions or en passant too.
    pub rare: MaskOf<S>,
}

impl<S: Simd> Sides<S> {
    /// The side to move, or its opponent as if it were to move.
    #[inline(always)]
    pub(super) fn new(simd: S, positions: [&Position; MAX_LANES], opponent: bool) -> Sides<S> {
        let board = Board::new(simd.planes(positions));
        let occupied = board.occupied();
        let movers = board.bit0 & board.bit1 & board.bit2;
        let black_moves = movers.meets(board.black);
        let black_moves = if opponent { !black_moves } else { black_moves };
        let side = black_moves.select(board.black, !board.black);
        let (us, them) = (occupied & side, occupied & !side);

        let kings = king_squares::<S>(board.kings() & us);
        let masks = simd.masks(&kings);
        let [file, rank, diagonal, antidiagonal, _, king_mask, ..] = masks;
        let king = simd.load(&kings).bit();
        let lines = Lines::new([file, rank, diagonal, antidiagonal], king);
        let nearest = lines.nearest(simd, occupied);
        let snipers = lines.aligned(&board) & them;
        let checkers = board.steps(masks) & them | nearest & snipers;
        let pinned = pins::shields(simd, &lines, nearest, us, snipers, occupied);

        let seventh = black_moves.select(simd.splat(0xff00), simd.splat(0x00ff_0000_0000_0000));
        let promoting = board.pawns() & us & seventh;
        let evasions = evasions(simd, checkers);
        let movers = us & !promoting;
        let attacked = attacked(simd, &board, movers, !occupied, black_moves) & evasions;
        let rare = promoting | board.black & !occupied;
        Sides {
            movers,
            pinned,
            evasions,
            king,
            targets: (attacked | king_mask) & them,
            in_check: checkers.meets(checkers),
            rare: rare.meets(rare),
        }
    }

    /// As one row a lane.
    #[inline(always)]
    pub(super) fn store(&self, simd: S, rows: &mut [Row; MAX_LANES]) {
        let words = [self.movers, self.pinned, self.evasions, self.king];
        simd.store_rows(words, rows);
    }
}

/// The square of the first king in each lane, a1 if there is none.
#[inline(always)]
fn king_squares<S: Simd>(kings: S::Word) -> PerLane {
    let mut lanes = [0; MAX_LANES];
    kings.store(&mut lanes);
    lanes.map(|kings| kings.trailing_zeros() & 63)
}

#[inline(always)]
fn evasions<S: Simd>(simd: S, checkers: S::Word) -> S::Word {
    let more = checkers & (checkers - simd.splat(1));
    let single = more.misses(more).keep(checkers);
    checkers.misses(checkers).select(simd.splat(!0), single)
}

/// Squares that any of `movers` but the king attacks.
#[inline(always)]
fn attacked<S: Simd>(
    simd: S,
    board: &Board<S::Word>,
    movers: S::Word,
    empty: S::Word,
    black_moves: MaskOf<S>,
) -> S::Word {
    let pawns = board.pawns() & movers;
    let pawns = black_moves.select(
        fill::black_pawns(simd, pawns),
        fill::white_pawns(simd, pawns),
    );
    pawns
        | fill::knights(simd, board.knights() & movers)
        | fill::diagonal(simd, board.diagonal_sliders() & movers, empty)
        | fill::straight(simd, board.straight_sliders() & movers, empty)
}

/// Who may legally capture on one target a lane; whether a king may is not
/// tested yet.
#[inline(always)]
pub(super) fn capturers<S: Simd>(
    simd: S,
    positions: [&Position; MAX_LANES],
    rows: [&Row; MAX_LANES],
    targets: &PerLane,
) -> S::Word {
    let board = Board::new(simd.planes(positions));
    let [movers, pinned, evasions, king] = simd.rows(rows);
    let masks = simd.masks(targets);
    let [file, rank, diagonal, antidiagonal, ..] = masks;
    let target = simd.load(targets).bit();
    let lines = Lines::new([file, rank, diagonal, antidiagonal], target);
    let sliders = lines.nearest(simd, board.occupied()) & lines.aligned(&board);
    let capturers = (board.steps(masks) | sliders) & movers;
    // A pinned piece stays on the line with its king.
    let free = capturers & (!pinned | lines.line_of(king)) & !board.kings();
    evasions.meets(target).keep(free) | capturers & king & board.kings()
}

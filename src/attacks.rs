//! Attacks from one square, and of all pieces of a side at once; `position.rs` has the attackers of
//! a square in a position. Twin: `shaders/attacks.wgsl`.
//!
//! Slider attacks along a line are `o ^ (o - 2r)`, where o are the pieces on the line and r is the
//! slider's square: subtracting borrows from the next piece above, and the bits that change are the
//! squares up to it. The same on the board with its ranks in reverse order gives the other
//! direction (Gerd Isenberg's hyperbola quintessence, CPW). It takes 64 bytes of masks per square.
//! WebAssembly has no instruction that swaps bytes: there, attacks are the difference of the line's
//! nearest pieces on both sides (Michael Hoffmann's obstruction difference, CPW).
//!
//! A rook on c1 with a piece on f1, along the rank (a1 is the lowest bit, here on the right):
//!
//! ```text
//!                 hgfedcba
//! o               00100000     the piece on f1
//! 2r              00001000     twice c1
//! o - 2r          00011000
//! o ^ (o - 2r)    00111000     d1, e1 and f1
//! ```
//!
//! All attacks of a side's pieces at once, without branches, are shifts and Kogge-Stone fills
//! (CPW), for one bitboard or for lanes of them: after steps of one, two and four squares a slider
//! has gone seven squares.

use core::ops::{BitAnd, BitOr, Shl, Shr};

use bytemuck::{Pod, Zeroable};
use shakmaty::{Color, Square, attacks};

/// Attacks from one square on an empty board, without the square: one cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct SquareMasks {
    /// The other squares of its file.
    pub file: u64,
    /// The other squares of its rank.
    pub rank: u64,
    /// The other squares of its diagonal in the direction of a1 to h8.
    pub diagonal: u64,
    /// The other squares of its diagonal in the direction of a8 to h1.
    pub antidiagonal: u64,
    /// Squares that a knight attacks.
    pub knight: u64,
    /// Squares that a king attacks.
    pub king: u64,
    /// Squares from which a white pawn attacks this one.
    pub white_pawns: u64,
    /// Squares from which a black pawn attacks this one.
    pub black_pawns: u64,
}

/// Where pawns promote: the first and the last rank.
pub(crate) const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// The highest of these squares, as a bit; 0 if there are none.
pub(crate) const fn highest(squares: u64) -> u64 {
    match squares.checked_ilog2() {
        Some(square) => 1 << square,
        None => 0,
    }
}

/// The masks of every square; the GPU reads the same bytes.
pub static MASKS: [SquareMasks; 64] = {
    let mut table = [const { square_masks(0) }; 64];
    let mut square = 1;
    while square < 64 {
        table[square] = square_masks(square as u32);
        square += 1;
    }
    table
};

const fn square_masks(square: u32) -> SquareMasks {
    let origin = Square::new(square);
    let others = !(1 << square);
    SquareMasks {
        file: 0x0101_0101_0101_0101 << (square & 7) & others,
        rank: 0xff << (square & 56) & others,
        diagonal: diagonal(square) & others,
        antidiagonal: diagonal(square ^ 56).swap_bytes() & others,
        knight: attacks::knight_attacks(origin).0,
        king: attacks::king_attacks(origin).0,
        white_pawns: attacks::pawn_attacks(Color::Black, origin).0,
        black_pawns: attacks::pawn_attacks(Color::White, origin).0,
    }
}

/// The diagonal through a square, in the direction of a1 to h8.
const fn diagonal(square: u32) -> u64 {
    const FROM_A1: u64 = 0x8040_2010_0804_0201;
    let file = square & 7;
    let rank = square >> 3;
    if file > rank {
        FROM_A1 >> (8 * (file - rank))
    } else {
        FROM_A1 << (8 * (rank - file))
    }
}

/// Attacks along a rank: by the occupied ones of the rank's six inner squares, then by the slider's
/// file.
#[cfg(not(target_arch = "wasm32"))]
static RANK_ATTACKS: [[u8; 8]; 64] = {
    let mut table = [[0; 8]; 64];
    let mut inner = 0;
    while inner < 64 {
        let mut file = 0;
        while file < 8 {
            table[inner][file] = rank_attacks((inner << 1) as u8 & !(1 << file), file);
            file += 1;
        }
        inner += 1;
    }
    table
};

/// The formula of [`line_attacks`] within a rank, whose squares are the bits of a byte.
#[cfg(not(target_arch = "wasm32"))]
const fn rank_attacks(blockers: u8, file: usize) -> u8 {
    let forward = blockers.wrapping_sub(2 << file);
    let backward = blockers.reverse_bits().wrapping_sub(2 << (7 - file));
    forward ^ backward.reverse_bits()
}

/// Attacks from `square` along the line `mask`, which is not a rank: with the ranks in reverse
/// order the squares of such a line are in reverse order, too.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn line_attacks(mask: u64, occupied: u64, square: u32) -> u64 {
    let blockers = mask & occupied;
    let forward = blockers.wrapping_sub(2 << square);
    let backward = blockers.swap_bytes().wrapping_sub(2 << (square ^ 56));
    (forward ^ backward.swap_bytes()) & mask
}

/// Attacks from `square` along the line `mask`: from the nearest piece below it to the nearest
/// above.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn line_attacks(mask: u64, occupied: u64, square: u32) -> u64 {
    let blockers = mask & occupied;
    let squares_below = (1 << square) - 1;
    let above = blockers & !squares_below;
    let below = blockers & squares_below;
    let from_first = u64::MAX << (below | 1).ilog2();
    let last = above & above.wrapping_neg();
    mask & last.wrapping_mul(2).wrapping_add(from_first)
}

/// Squares that a bishop on `square` attacks.
#[inline(always)]
pub fn diagonal_attacks(square: u32, occupied: u64) -> u64 {
    let masks = &MASKS[square as usize & 63];
    line_attacks(masks.diagonal, occupied, square)
        | line_attacks(masks.antidiagonal, occupied, square)
}

/// Squares that a rook on `square` attacks.
#[inline(always)]
pub fn straight_attacks(square: u32, occupied: u64) -> u64 {
    let masks = &MASKS[square as usize & 63];
    line_attacks(masks.file, occupied, square) | along_rank(square, occupied)
}

#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn along_rank(square: u32, occupied: u64) -> u64 {
    let shift = square & 56;
    let inner = (occupied >> shift >> 1) as usize & 63;
    u64::from(RANK_ATTACKS[inner][square as usize & 7]) << shift
}

#[cfg(target_arch = "wasm32")]
#[inline(always)]
fn along_rank(square: u32, occupied: u64) -> u64 {
    line_attacks(MASKS[square as usize & 63].rank, occupied, square)
}

/// Squares on which steps towards a side may end without having gone round the board's edge, for
/// one bitboard or for each lane.
#[derive(Clone, Copy)]
pub(crate) struct Inner<W> {
    pub all: W,
    pub b_to_h: W,
    pub a_to_g: W,
    pub c_to_h: W,
    pub a_to_f: W,
}

/// The masks for single bitboards.
pub(crate) const INNER: Inner<u64> = Inner {
    all: !0,
    b_to_h: 0xfefe_fefe_fefe_fefe,
    a_to_g: 0x7f7f_7f7f_7f7f_7f7f,
    c_to_h: 0xfcfc_fcfc_fcfc_fcfc,
    a_to_f: 0x3f3f_3f3f_3f3f_3f3f,
};

impl<W: Copy + BitAnd<Output = W> + BitOr<Output = W> + Shl<u32, Output = W> + Shr<u32, Output = W>>
    Inner<W>
{
    /// Squares that bishops and queens attack; `empty` squares do not block.
    #[inline(always)]
    pub(crate) fn diagonal(&self, sliders: W, empty: W) -> W {
        let off_a = self.b_to_h;
        let off_h = self.a_to_g;
        Walk::<_, true, 9, 18, 36>::new(empty, off_a).see(sliders)
            | Walk::<_, false, 7, 14, 28>::new(empty, off_a).see(sliders)
            | (Walk::<_, true, 7, 14, 28>::new(empty, off_h).see(sliders)
                | Walk::<_, false, 9, 18, 36>::new(empty, off_h).see(sliders))
    }

    /// Squares that rooks and queens attack.
    #[inline(always)]
    pub(crate) fn straight(&self, sliders: W, empty: W) -> W {
        Walk::<_, true, 8, 16, 32>::new(empty, self.all).see(sliders)
            | Walk::<_, false, 8, 16, 32>::new(empty, self.all).see(sliders)
            | Walk::<_, true, 1, 2, 4>::new(empty, self.b_to_h).see(sliders)
            | Walk::<_, false, 1, 2, 4>::new(empty, self.a_to_g).see(sliders)
    }

    /// Knight attacks, one word per direction: within a word no square is attacked by two knights.
    #[inline(always)]
    pub(crate) fn jumps(&self, knights: W) -> [W; 8] {
        [
            self.b_to_h & knights << 17,
            self.b_to_h & knights >> 15,
            self.a_to_g & knights << 15,
            self.a_to_g & knights >> 17,
            self.c_to_h & knights << 10,
            self.c_to_h & knights >> 6,
            self.a_to_f & knights << 6,
            self.a_to_f & knights >> 10,
        ]
    }

    /// Squares that knights attack.
    #[inline(always)]
    pub(crate) fn knights(&self, knights: W) -> W {
        let near = self.b_to_h & knights << 1 | self.a_to_g & knights >> 1;
        let far = self.c_to_h & knights << 2 | self.a_to_f & knights >> 2;
        near << 16 | near >> 16 | (far << 8 | far >> 8)
    }

    /// The squares around kings.
    #[inline(always)]
    pub(crate) fn ring(&self, kings: W) -> W {
        let beside = self.b_to_h & kings << 1 | self.a_to_g & kings >> 1;
        let row = kings | beside;
        beside | row << 8 | row >> 8
    }

    /// Squares that white pawns attack.
    #[inline(always)]
    pub(crate) fn white_pawns(&self, pawns: W) -> W {
        self.b_to_h & pawns << 9 | self.a_to_g & pawns << 7
    }

    /// Squares that black pawns attack.
    #[inline(always)]
    pub(crate) fn black_pawns(&self, pawns: W) -> W {
        self.b_to_h & pawns >> 7 | self.a_to_g & pawns >> 9
    }
}

/// Walks in one direction: towards higher squares (`UP`) or lower ones, by steps of `ONE`, `TWO` or
/// `FOUR` times the direction's distance.
pub(crate) struct Walk<W, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32> {
    /// Squares that a step may end on without having gone round the edge.
    edge: W,
    /// Squares reached by one, two and four steps over empty squares only.
    free: [W; 3],
}

impl<
    W: Copy + BitAnd<Output = W> + BitOr<Output = W> + Shl<u32, Output = W> + Shr<u32, Output = W>,
    const UP: bool,
    const ONE: u32,
    const TWO: u32,
    const FOUR: u32,
> Walk<W, UP, ONE, TWO, FOUR>
{
    /// A direction in which `empty` squares do not block, and steps end on squares of `edge`.
    #[inline(always)]
    pub(crate) fn new(empty: W, edge: W) -> Self {
        let one = empty & edge;
        let two = one & Self::moved::<ONE>(one);
        let four = two & Self::moved::<TWO>(two);
        Walk {
            edge,
            free: [one, two, four],
        }
    }

    /// The squares that sliders attack in this direction.
    #[inline(always)]
    pub(crate) fn see(&self, sliders: W) -> W {
        let [one, two, four] = self.free;
        let within_1 = sliders | one & Self::moved::<ONE>(sliders);
        let within_3 = within_1 | two & Self::moved::<TWO>(within_1);
        let within_7 = within_3 | four & Self::moved::<FOUR>(within_3);
        self.step(within_7)
    }

    /// The squares one step away, whatever stands there.
    #[inline(always)]
    pub(crate) fn step(&self, from: W) -> W {
        self.edge & Self::moved::<ONE>(from)
    }

    #[inline(always)]
    fn moved<const SQUARES: u32>(word: W) -> W {
        if UP { word << SQUARES } else { word >> SQUARES }
    }
}

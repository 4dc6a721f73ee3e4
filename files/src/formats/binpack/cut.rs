//! Cuts chunks into chains without playing their moves.
//!
//! The length of a chain is not stored. But a chain is followed by another one, which begins with
//! a stem, and hardly any movetext looks like a stem. So the next chain begins where the next
//! stem is, after the least length that a chain with this number of moves can have.
//!
//! What looks like a stem, by tests from cheap to dear:
//!
//! - the half-move clock is below 256, the ply and the number of moves are those of a game that
//!   somebody played, and the result is one of three. That takes three bytes, and nearly all places
//!   that are not stems fail here, so 32 places are tested at once;
//! - the list of pieces ends where the occupied squares do: the nibbles after them are 0;
//! - there is one king of each colour;
//! - the move goes from an own piece to where such a piece could move on an empty board.
//!
//! On 434,921 records of a real file that finds all 4,304 stems and nothing else. A file may
//! hold movetext that looks like a stem, or a stem that does not: then a chain has a wrong number
//! of records or bytes. The device finds that out, and the CPU decodes the block instead.

use super::super::board::Kind;
use super::super::cut::{Cut, CutUnit};
use super::super::isa::{Isa, IsaFn};
use super::super::{Block, Outcome};
use super::bits::from_zigzag;
use super::chunks::{MIN_CHAIN, STEM, chunks, moves, whole_chunks};
use super::stem::MOVES;
use crate::packed::LAST_RANKS;
use swaplist::attacks::MASKS;

/// Where a stem has its move.
const PLAYED: usize = 24;

/// The byte of a stem with the result, in its two highest bits, and the high bits of the ply.
const PLY: usize = 28;

/// The high byte of a stem's half-move clock.
const CLOCK: usize = 30;

/// The fewest bits of a move and its score: one of one piece's few moves, and one block.
const LEAST_BITS: usize = 5;

/// Real games are shorter, and their chains have fewer moves. A power of two, so that the high
/// bytes of the numbers tell.
const MOST_PLIES: u16 = 4096;

/// Finds the chains of a block. `None` if it has an empty or truncated chunk, or a header that is
/// cut off: those are left to the CPU.
pub(super) struct CutBlock<'a>(pub &'a Block);

impl IsaFn for CutBlock<'_> {
    type Output = Option<Cut>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<Cut> {
        let CutBlock(block) = self;
        if whole_chunks(&block.bytes) < block.bytes.len() {
            return None;
        }
        let mut cut = Cut::default();
        for chunk in chunks(&block.bytes) {
            if chunk.missing > 0 || chunk.end == chunk.start {
                return None;
            }
            cut.chunks.push(cut.units.len());
            let mut at = chunk.start;
            while at < chunk.end {
                let bytes = &block.bytes[at..chunk.end];
                let (stem, _) = bytes.split_first_chunk()?;
                let moves = moves(bytes)?;
                let least = MIN_CHAIN + (moves * LEAST_BITS).div_ceil(8);
                let length = next_stem(isa, bytes, least).unwrap_or(bytes.len());
                cut.units.push(CutUnit {
                    bytes: at as u32..(at + length) as u32,
                    records: moves as u32 + 1,
                    result: white_result(stem)? as u8,
                });
                at += length;
            }
        }
        Some(cut)
    }
}

/// Where the next chain begins, at `from` or after it.
#[inline(always)]
fn next_stem(isa: impl Isa, bytes: &[u8], from: usize) -> Option<usize> {
    // The places where a whole head can begin.
    let places = (bytes.len() + 1).checked_sub(MIN_CHAIN)?;
    let mut at = from;
    while at < places {
        let rest = &bytes[at..];
        let mut last;
        let window = if let Some(window) = rest.first_chunk() {
            window
        } else {
            // The chunk ends within the window, whose last places are not tested.
            last = [0; WINDOW_BYTES];
            last[..rest.len()].copy_from_slice(rest);
            &last
        };
        let mut passed = places_that_pass(isa, window);
        // The last place first: where a stem begins, some of the places shortly before it pass the
        // cheap tests too. A window is shorter than a chain, so it has one stem at most.
        while passed != 0 {
            let place = passed.ilog2();
            let start = at + place as usize;
            let head = bytes.get(start..).and_then(<[u8]>::first_chunk);
            if head.is_some_and(looks_like_a_stem) {
                return Some(start);
            }
            passed ^= 1 << place;
        }
        at += WINDOW;
    }
    None
}

/// Places that are tested at once, with vectors.
const WINDOW: usize = 32;

const _: () = assert!(WINDOW <= MIN_CHAIN);

/// A window's bytes: those of a whole head from each of its places.
const WINDOW_BYTES: usize = WINDOW + MIN_CHAIN - 1;

/// The places of a window that pass the cheap tests, a bit each, the first place lowest.
#[inline(always)]
fn places_that_pass(isa: impl Isa, window: &[u8; WINDOW_BYTES]) -> u32 {
    let places = |byte: usize| -> &[u8; WINDOW] {
        window[byte..]
            .first_chunk()
            .expect("a window has all bytes")
    };
    let plies = places(PLY);
    let clocks = places(CLOCK);
    let counts = places(STEM);
    // All places are tested, whatever the ones before say: so the compiler makes vectors of it.
    let faults = core::array::from_fn(|i| cheap_faults(plies[i], clocks[i], counts[i]));
    isa.zeros(&faults)
}

/// Three tests that need a byte each: the high bytes of result and ply, of the half-move clock and
/// of the number of moves. Returns 0 if all pass. In a real file one place in 60 passes them: the
/// stems, and places shortly before a stem, whose bytes they take for their own.
#[inline(always)]
const fn cheap_faults(ply: u8, clock: u8, moves: u8) -> u8 {
    /// The bits that the high byte of a number below [`MOST_PLIES`] does not have.
    const TOO_HIGH: u8 = !((MOST_PLIES - 1) >> 8) as u8;
    // The two highest bits are the result, which is not 3.
    let wrong_result = ply & (ply << 1) & 0x80;
    let late_ply = ply & (super::stem::MAX_PLY >> 8) as u8 & TOO_HIGH;
    wrong_result | late_ply | clock | moves & TOO_HIGH
}

/// The occupied squares, and the pieces on them, a nibble each, the first one lowest.
struct Pieces {
    squares: u64,
    list: u128,
}

impl Pieces {
    const LOWEST: u128 = 0x1111_1111_1111_1111_1111_1111_1111_1111;

    #[inline(always)]
    fn from_stem(stem: &[u8; STEM]) -> Pieces {
        let (squares, rest) = stem.split_first_chunk().expect("a stem has 32 bytes");
        let list = rest.first_chunk().expect("a stem has 32 bytes");
        Pieces {
            squares: u64::from_be_bytes(*squares),
            list: u128::from_le_bytes(*list),
        }
    }

    /// Whether the list ends with the squares.
    #[inline(always)]
    fn is_complete(&self) -> bool {
        match self.squares.count_ones() {
            32 => true,
            fewer @ 0..32 => self.list >> (4 * fewer) == 0,
            _ => false,
        }
    }

    /// The black kings that are to move (code 15): the lowest bits of their nibbles.
    #[inline(always)]
    fn movers(&self) -> u128 {
        self.list & self.list >> 1 & self.list >> 2 & self.list >> 3 & Pieces::LOWEST
    }

    #[inline(always)]
    fn black_moves(&self) -> bool {
        self.movers() != 0
    }

    /// Whether there is one king of each colour: codes 10, and 11 or 15.
    #[inline(always)]
    fn has_kings(&self) -> bool {
        let kings = self.list >> 3 & !(self.list >> 2) & self.list >> 1 & Pieces::LOWEST;
        let white = kings & !self.list;
        let black = kings & self.list | self.movers();
        white.is_power_of_two() && black.is_power_of_two()
    }

    /// The code of the piece on an occupied square.
    #[inline(always)]
    fn code_at(&self, square: u32) -> u32 {
        let before = (self.squares & ((1 << square) - 1)).count_ones();
        (self.list >> (4 * before.min(31)) & 15) as u32
    }
}

/// The type (pawn 0 to king 5) of a piece code, and whether it is black. Codes up to 11 are type <<
/// 1 | colour. 12 is a pawn that can be captured en passant, on the fourth rank if it is White's;
/// 13 and 14 are rooks that may castle; 15 is the black king to move.
const fn type_and_color(code: u32, square: u32) -> (u32, bool) {
    match code {
        12 => (0, square >= 32),
        13 => (3, false),
        14 => (3, true),
        15 => (5, true),
        code => (code >> 1, code & 1 == 1),
    }
}

/// The tests of the list at the head of this file.
#[inline(always)]
fn looks_like_a_stem(head: &[u8; MIN_CHAIN]) -> bool {
    if cheap_faults(head[PLY], head[CLOCK], head[STEM]) != 0 {
        return false;
    }
    let (stem, _) = head.split_first_chunk::<STEM>().expect("34 bytes hold 32");
    let pieces = Pieces::from_stem(stem);
    let played = u16::from_be_bytes([head[PLAYED], head[PLAYED + 1]]);
    pieces.is_complete() && pieces.has_kings() && can_move(&pieces, played)
}

/// Whether the move goes from an own piece to a square that is not an own piece's, and that such a
/// piece reaches on an empty board; castling, from the king to an own rook.
#[inline(always)]
fn can_move(pieces: &Pieces, bits: u16) -> bool {
    let (played, kind) = MOVES.read(bits);
    let from = played.from() as u32;
    let to = played.to() as u32;
    if pieces.squares >> from & 1 == 0 {
        return false;
    }
    let black_moves = pieces.black_moves();
    let (mover, is_black) = type_and_color(pieces.code_at(from), from);
    let is_own = |square: u32| {
        let is_taken = pieces.squares >> square & 1 == 1;
        is_taken && type_and_color(pieces.code_at(square), square).1 == black_moves
    };
    if is_black != black_moves {
        return false;
    }
    if kind == Kind::Castling {
        return mover == 5 && is_own(to);
    }
    let masks = &MASKS[from as usize];
    let reach = match mover {
        0 => {
            let twice = 1_u64.rotate_left(if is_black { from + 48 } else { from + 16 });
            let once = 1_u64.rotate_left(if is_black { from + 56 } else { from + 8 });
            let takes = if is_black {
                masks.white_pawns
            } else {
                masks.black_pawns
            };
            once | twice | takes
        }
        1 => masks.knight,
        2 => masks.diagonal | masks.antidiagonal,
        3 => masks.file | masks.rank,
        4 => masks.diagonal | masks.antidiagonal | masks.file | masks.rank,
        _ => masks.king,
    };
    let promotes = mover == 0 && 1_u64 << to & LAST_RANKS != 0;
    reach >> to & 1 == 1 && !is_own(to) && promotes == (kind == Kind::Promotion)
}

/// White's result in a stem; `None` if the code is not one.
#[inline(always)]
fn white_result(stem: &[u8; STEM]) -> Option<Outcome> {
    let code = u16::from(stem[28] >> 6);
    let result = (code < 3).then(|| from_zigzag(code) as i8)?;
    let black_moves = Pieces::from_stem(stem).black_moves();
    Some(Outcome::from_white(if black_moves {
        -i32::from(result)
    } else {
        result.into()
    }))
}

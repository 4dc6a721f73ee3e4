//! The hashes that decide the order, the sample, the side of a split and what is a duplicate.
//!
//! Each depends on the seed and on what it is about, and on nothing else: so the output is the same
//! for any number of threads, any memory and on any machine. XXH3 is a published algorithm with
//! test vectors, so a seed keeps its meaning.

use bytemuck::cast_slice;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

use super::Identity;
use crate::Position;
use crate::formats::{Field, Format, Record};

/// What is drawn. One seed serves all, and no two draws depend on each other.
#[derive(Clone, Copy)]
pub enum Draw {
    Order = 1,
    Sample,
    Side,
    Survivor,
}

impl Draw {
    /// The seed of this draw.
    pub fn seed(self, seed: u64) -> u64 {
        xxh3_64_with_seed(&[self as u8], seed)
    }
}

/// The hash of numbers.
#[inline]
pub fn hash<const N: usize>(seed: u64, numbers: [u64; N]) -> u64 {
    let numbers = numbers.map(u64::to_le);
    xxh3_64_with_seed(cast_slice(&numbers), seed)
}

/// The hash of a record's place: the number of its input, its place there, and its number among
/// the records of that place.
#[inline]
pub fn of_place(seed: u64, input: u32, place: u64, nth: u32) -> u64 {
    hash(seed, [place, u64::from(input) << 32 | u64::from(nth)])
}

/// Whether a draw with this share succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u64);

impl Share {
    /// A share from 0 to 1.
    #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn of(share: f64) -> Share {
        // The cast saturates.
        Share((share * 2_f64.powi(64)) as u64)
    }

    #[inline]
    pub fn holds(self, hash: u64) -> bool {
        hash < self.0 || self.0 == u64::MAX
    }
}

/// The planes of a position seen by the side to move: with Black to move, the board is turned upside
/// down and the colours are exchanged. No en-passant target.
#[inline]
fn seen_by_mover(position: &Position) -> [u64; 4] {
    let [bit0, bit1, bit2, black] = position.planes();
    let occupied = bit0 | bit1 | bit2;
    if position.turn().is_white() {
        return [bit0, bit1, bit2, black & occupied];
    }
    [bit0, bit1, bit2, occupied & !black].map(u64::swap_bytes)
}

/// The hash by which a position goes to a side of a split. Castling rights, en passant and clocks
/// do not count, and neither do the colours: so in all formats, also those that turn the board
/// around, no position is on two sides.
#[inline]
pub fn of_side(seed: u64, position: &Position) -> u64 {
    hash(seed, seen_by_mover(position))
}

/// Tells positions apart by 128 bits.
#[derive(Clone, Copy)]
pub struct Fingerprints {
    by: Identity,
    /// The target format turns all positions to White.
    turns: bool,
    /// It holds castling rights and en-passant targets.
    has_state: bool,
}

impl Fingerprints {
    /// Of positions as this format holds them.
    pub fn new(by: Identity, to: Format) -> Fingerprints {
        Fingerprints {
            by,
            turns: !to.holds(Field::Turn),
            has_state: to.holds(Field::Castling),
        }
    }

    /// Whether castling rights are needed.
    pub fn needs_state(self) -> bool {
        self.by == Identity::Position && self.has_state
    }

    /// The fingerprint of a record with castling rights if they are [needed](Self::needs_state).
    #[inline]
    pub fn of(self, record: &Record) -> u128 {
        let position = &record.position;
        let mut planes = if self.turns {
            seen_by_mover(position)
        } else {
            position.planes()
        };
        let occupied = planes[0] | planes[1] | planes[2];
        let ep = planes[3] & !occupied;
        planes[3] &= occupied;
        let mut state = 0;
        if self.by == Identity::Placement {
            // The king to move has a code of its own.
            planes[0] &= !(planes[1] & planes[2]);
        } else if self.has_state {
            state = record.castling.0;
            if ep != 0 && record.has_legal_ep() {
                planes[3] |= ep;
            }
        }
        let [bit0, bit1, bit2, black] = planes.map(u64::to_le);
        let numbers = [bit0, bit1, bit2, black, state.to_le()];
        xxh3_128_with_seed(cast_slice(&numbers), 0)
    }
}

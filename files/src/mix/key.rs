//! The hashes that decide the order, the sample and the side of a split.
//!
//! Each depends on the seed and on what it is about, and on nothing else: so the output is the same
//! for any number of threads, any memory and on any machine. XXH3 is a published algorithm with
//! test vectors, so a seed keeps its meaning. A filter draws by another hash
//! ([`random`](crate::random)): to unite the two would change what a seed means in one of them.

use bytemuck::cast_slice;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::formats::fingerprint::seen_by_mover;
use swaplist::Position;

/// What a hash decides. All draws share one seed, and none depends on another.
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

/// Hashes a few numbers, the same on every machine.
#[inline]
pub fn hash<const N: usize>(seed: u64, numbers: [u64; N]) -> u64 {
    let numbers = numbers.map(u64::to_le);
    xxh3_64_with_seed(cast_slice(&numbers), seed)
}

/// The hash of a record's place: the number of its input, its place there, and its number among
/// the records of that place.
#[inline]
pub fn place_hash(seed: u64, input: u32, place: u64, nth: u32) -> u64 {
    hash(seed, [place, u64::from(input) << 32 | u64::from(nth)])
}

/// Whether a draw with this share succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u64);

impl Share {
    /// A share from 0 to 1.
    #[allow(clippy::cast_sign_loss, clippy::cast_precision_loss)]
    pub fn new(share: f64) -> Share {
        // A share of 1 becomes the largest number, as the cast saturates.
        Share((share * 2_f64.powi(64)) as u64)
    }

    #[inline]
    pub fn holds(self, hash: u64) -> bool {
        hash < self.0 || self.0 == u64::MAX
    }
}

/// The hash by which a position goes to a side of a split. Castling rights, en passant and clocks
/// do not count, and neither do the colours: so in all formats, also those that turn the board
/// around, no position is on two sides.
#[inline]
pub fn side_hash(seed: u64, position: &Position) -> u64 {
    hash(seed, seen_by_mover(position))
}

//! Which blocks a shard reads in an epoch, and in which order.
//!
//! Each file is a line of its bytes. Shard i of n has the part from i / n to (i + 1) / n of each
//! line, so all shards have as much of every file. Where the end of such a part falls inside a
//! block, both neighbours decode it, and each keeps its share of the records: record j of file f
//! belongs where the fractional part of j times the golden ratio plus f times the root of 2 falls.
//! These fractions are spread evenly, so a share of a tenth has a tenth of the records, give or
//! take a few, and nobody needs to know how many there are. Without f, the first record of each of
//! many small files would belong to the same shard, and others would have none.

// Fractions of a block fit in 64 bits.
#![allow(clippy::cast_possible_truncation)]

use std::ops::Range;

use super::files::File;

/// A block, and which share of its records belongs to the shard.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub file: usize,
    pub block: usize,
    pub share: Share,
}

/// A range of fractions, in units of 2^-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    first: u64,
    last: u64,
}

/// The fractional part of the golden ratio, in units of 2^-64. Each record adds it.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// The fractional part of the root of 2, in the same units. Each file adds it.
const ROOT_OF_2: u64 = 0x6A09_E667_F3BC_C908;

impl Piece {
    /// Whether the record with this number in the block belongs to it.
    #[inline]
    pub fn has(&self, record: u64) -> bool {
        let of_file = (self.file as u64).wrapping_mul(ROOT_OF_2);
        let fraction = record.wrapping_mul(GOLDEN).wrapping_add(of_file);
        (self.share.first..=self.share.last).contains(&fraction)
    }
}

impl Share {
    /// The share of all records.
    pub const WHOLE: Share = Share {
        first: 0,
        last: u64::MAX,
    };

    /// Whether it is the first share of its block, so that what concerns the whole block is counted
    /// once.
    pub fn is_first(self) -> bool {
        self.first == 0
    }

    /// How many of these bytes the share is.
    pub fn of(self, bytes: u64) -> u64 {
        let size = u128::from(self.last - self.first) + 1;
        u64::try_from((u128::from(bytes) * size) >> 64).unwrap_or(bytes)
    }
}

/// The pieces of a file that belong to a shard, in the file's order.
pub fn pieces(number: usize, file: &File, (index, shards): (u64, u64)) -> Vec<Piece> {
    let index = u128::from(index);
    let shards = u128::from(shards);
    let length = u128::from(file.length());
    // The end of a part, as a fraction of a block.
    let bound = |part: u128, start: u64, end: u64| {
        let whole = shards * u128::from(end - start);
        let before = (part * length).saturating_sub(shards * u128::from(start));
        (before.min(whole) << 64) / whole
    };
    let from = u64::try_from(index * length / shards).unwrap_or(u64::MAX);
    let mut pieces = Vec::new();
    for block in file.block_at(from)..file.len() {
        let bytes = file.bytes(block);
        if bytes.is_empty() {
            continue;
        }
        let first = bound(index, bytes.start, bytes.end);
        let end = bound(index + 1, bytes.start, bytes.end);
        if end == 0 {
            break;
        }
        if first < end {
            let share = Share {
                first: first as u64,
                last: (end - 1) as u64,
            };
            pieces.push(Piece {
                file: number,
                block,
                share,
            });
        }
    }
    pieces
}

/// How many files are read side by side; if there are more, several share a lane.
const MOST_LANES: usize = 64;

/// Lanes that are read side by side, each with its pieces, of the files with these numbers. `order`
/// draws the order of blocks; without it they stay in the files' order, in one lane.
pub fn lanes(
    files: &[File],
    numbers: Range<usize>,
    shard: (u64, u64),
    order: Option<&mut fastrand::Rng>,
) -> Vec<Vec<Piece>> {
    let mut of_files: Vec<Vec<Piece>> = numbers
        .map(|number| pieces(number, &files[number], shard))
        .collect();
    of_files.retain(|pieces| !pieces.is_empty());
    let Some(order) = order else {
        return vec![of_files.concat()];
    };
    for pieces in &mut of_files {
        if !files[pieces[0].file].is_compressed() {
            order.shuffle(pieces);
        }
    }
    shared(of_files, files, order)
}

/// Makes a lane of each file or, if there are many, of several.
fn shared(
    mut of_files: Vec<Vec<Piece>>,
    files: &[File],
    order: &mut fastrand::Rng,
) -> Vec<Vec<Piece>> {
    if of_files.len() <= MOST_LANES {
        return of_files;
    }
    order.shuffle(&mut of_files);
    let mut lanes = vec![Vec::new(); MOST_LANES];
    for (number, pieces) in of_files.into_iter().enumerate() {
        lanes[number % MOST_LANES].extend(pieces);
    }
    for lane in &mut lanes {
        // A compressed file is read from one end to the other.
        if !lane.iter().any(|piece| files[piece.file].is_compressed()) {
            order.shuffle(lane);
        }
    }
    lanes
}

//! The positions of other files that are left out, and which record has one of them.
//!
//! A file may hold less of a position than the output does: bulletformat knows no castling rights.
//! So each file is asked with fingerprints of what both hold.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::formats::Record;
use crate::formats::fingerprint::Fingerprints;

/// The positions that are left out.
pub struct Excluded {
    sets: Vec<PositionSet>,
    /// Records that were left out, of each input.
    gone: Vec<AtomicU64>,
}

/// The positions of one file.
pub struct PositionSet {
    /// What the file and the output both hold of a position.
    view: Fingerprints,
    /// The fingerprints, sorted.
    all: Vec<u128>,
    /// For each number that the first bits of a fingerprint can be, where the fingerprints with
    /// these bits begin; then the end of all.
    starts: Vec<usize>,
}

/// The bits of a fingerprint by which it is looked up.
const BITS: u32 = 16;

impl PositionSet {
    pub fn new(view: Fingerprints, mut all: Vec<u128>) -> PositionSet {
        all.sort_unstable();
        all.dedup();
        let starts = (0..=1 << BITS)
            .map(|number| all.partition_point(|fingerprint| first_bits(*fingerprint) < number))
            .collect();
        PositionSet { view, all, starts }
    }

    /// The number of different positions in the file.
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    fn has(&self, record: &Record) -> bool {
        let fingerprint = self.view.of(record);
        let number = first_bits(fingerprint);
        let alike = &self.all[self.starts[number]..self.starts[number + 1]];
        alike.binary_search(&fingerprint).is_ok()
    }
}

fn first_bits(fingerprint: u128) -> usize {
    (fingerprint >> (u128::BITS - BITS)) as usize
}

impl Excluded {
    /// The positions of these files, for this many inputs.
    pub fn new(sets: Vec<PositionSet>, inputs: usize) -> Excluded {
        let gone = (0..inputs).map(|_| AtomicU64::new(0)).collect();
        Excluded { sets, gone }
    }

    /// Whether castling rights are needed to ask for a record.
    pub fn needs_state(&self) -> bool {
        self.sets.iter().any(|set| set.view.needs_state())
    }

    /// Whether one of the files holds the position of a record.
    #[inline]
    pub fn has(&self, record: &Record) -> bool {
        self.sets.iter().any(|set| set.has(record))
    }

    /// Counts records of an input that were left out.
    pub fn count(&self, input: u32, records: u64) {
        self.gone[input as usize].fetch_add(records, Ordering::Relaxed);
    }

    /// Records of an input that were left out.
    pub fn gone(&self, input: usize) -> u64 {
        self.gone[input].load(Ordering::Relaxed)
    }
}

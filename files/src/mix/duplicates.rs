//! Looking for duplicates: a bit for each record says whether it is kept.
//!
//! A first reading of the inputs puts the fingerprint of each record that the filter keeps into a
//! bucket, with the record's number. Equal positions meet in one bucket, so each bucket is decided
//! by itself: it is sorted by fingerprint, and one record of each is kept. That is one with a score,
//! if there is one, since the others are worth nothing to a trainer. The second reading asks for the
//! bits.
//! So games and chains lose single positions and stay whole otherwise, the order is that of the
//! mix, and memory is a bit for each record.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::buckets::{Bucket, Folder};
use super::items::{Bits, Items, begin_groups};
use super::key::{Draw, hash};
use crate::jobs::error::Result;

/// Bytes of a fingerprint and a record's number.
pub const ENTRY: usize = 24;

/// Set in the number of a record without a score, so that it is sorted after all that have one.
const UNSCORED: u64 = 1 << 63;

/// The number of a record in an entry.
pub const fn numbered(number: u64, is_unscored: bool) -> u64 {
    if is_unscored {
        number | UNSCORED
    } else {
        number
    }
}

/// Groups fingerprints with the numbers of their records by bucket.
pub fn group(bits: Bits, entries: &[(u128, u64)]) -> Items {
    let bucket = |fingerprint: u128| bits.bucket((fingerprint >> 64) as u64, 0);
    let mut ends = vec![0; bits.count()];
    for (fingerprint, _) in entries {
        ends[bucket(*fingerprint)] += ENTRY;
    }
    let mut bytes = vec![0; begin_groups(&mut ends)];
    for (fingerprint, number) in entries {
        let at = &mut ends[bucket(*fingerprint)];
        bytes[*at..*at + 16].copy_from_slice(&fingerprint.to_be_bytes());
        bytes[*at + 16..*at + ENTRY].copy_from_slice(&number.to_le_bytes());
        *at += ENTRY;
    }
    Items {
        bytes,
        ends,
        has_undecided: false,
    }
}

/// The fingerprints in a group, in any order.
pub fn fingerprints_in(items: &Items) -> impl Iterator<Item = u128> {
    items.bytes.as_chunks().0.iter().map(fingerprint_of)
}

/// Turns the numbers within a block into those among all records.
pub fn number(items: &mut Items, first: u64) {
    for entry in items.bytes.as_chunks_mut::<ENTRY>().0 {
        let number = sort_number_of(entry) + first;
        entry[16..].copy_from_slice(&number.to_le_bytes());
    }
}

/// The record's number, above all others if it has no score.
fn sort_number_of(entry: &[u8; ENTRY]) -> u64 {
    u64::from_le_bytes(*entry.last_chunk().unwrap_or(&[0; 8]))
}

fn number_of(entry: &[u8; ENTRY]) -> u64 {
    sort_number_of(entry) & !UNSCORED
}

fn is_scored(entry: &[u8; ENTRY]) -> bool {
    sort_number_of(entry) & UNSCORED == 0
}

fn fingerprint_of(entry: &[u8; ENTRY]) -> u128 {
    u128::from_be_bytes(*entry.first_chunk().unwrap_or(&[0; 16]))
}

/// Where the blocks of the inputs begin, and how many records come before them.
#[derive(Default)]
pub struct Numbering {
    /// By the input and the number of the block's first line, byte or game.
    firsts: HashMap<(u32, u64), u64>,
    /// The records of all inputs so far. `inputs` has their number at the start of each input.
    pub records: u64,
    inputs: Vec<u64>,
}

impl Numbering {
    /// Begins all inputs up to this number of them.
    pub fn begin(&mut self, inputs: usize) {
        while self.inputs.len() < inputs {
            self.inputs.push(self.records);
        }
    }

    /// Adds a block of the current input: the number of its first line, byte or game, and how many
    /// records it has.
    pub fn add(&mut self, start: u64, records: u64) {
        let input = self.inputs.len() as u32 - 1;
        self.firsts.insert((input, start), self.records);
        self.records += records;
    }

    fn input_of(&self, number: u64) -> usize {
        self.inputs.partition_point(|&first| first <= number) - 1
    }
}

/// The first 64 bits of the fingerprint that begins here, and the length of its entry.
pub fn key_at(bytes: &[u8]) -> Option<(u64, usize)> {
    let key = bytes.first_chunk().copied()?;
    Some((u64::from_be_bytes(key), ENTRY))
}

/// Counts of records that are equal.
#[derive(Default)]
struct Group {
    count: u64,
    /// How many of them have a score.
    scored: u64,
    /// How many candidates are still to come before the one that is kept.
    before: u64,
}

/// Which records are kept once duplicates are gone: a bit for each record of all inputs.
pub struct Survivors {
    numbering: Numbering,
    bits: Vec<AtomicU64>,
    /// For each input, how many of its records were dropped as duplicates.
    pub gone: Vec<AtomicU64>,
    /// The seed by which a random one of equal records is kept; `None` keeps the first.
    seed: Option<u64>,
}

impl Survivors {
    /// Keeps no record yet: each is decided on with its bucket.
    pub fn new(numbering: Numbering, seed: Option<u64>) -> Survivors {
        let words = numbering.records.div_ceil(64) as usize;
        Survivors {
            bits: (0..words).map(|_| AtomicU64::new(0)).collect(),
            gone: numbering.inputs.iter().map(|_| AtomicU64::new(0)).collect(),
            numbering,
            seed: seed.map(|seed| Draw::Survivor.seed(seed)),
        }
    }

    /// Decides on a bucket that is in memory, for which it is sorted.
    pub fn decide(&self, bucket: &mut [u8]) {
        let entries = bucket.as_chunks_mut::<ENTRY>().0;
        entries.sort_unstable_by_key(|entry| (fingerprint_of(entry), sort_number_of(entry)));
        for equal in entries.chunk_by(|a, b| fingerprint_of(a) == fingerprint_of(b)) {
            // Those with a score come first.
            let scored = equal.partition_point(is_scored);
            let candidates = if scored > 0 { scored } else { equal.len() };
            let kept = self.kept_of(fingerprint_of(&equal[0]), candidates as u64);
            for (i, entry) in (0..).zip(equal) {
                self.mark(number_of(entry), i == kept);
            }
        }
    }

    /// Decides on a bucket that does not fit in memory, as it holds the same few positions over and
    /// over. Its entries are in the order of their numbers, so the same records are kept as by
    /// [`decide`](Survivors::decide).
    pub fn decide_large(&self, bucket: &mut Bucket, folder: &Folder) -> Result<()> {
        let length = |bytes: &[u8]| (bytes.len() >= ENTRY).then_some(ENTRY);
        let mut groups: HashMap<u128, Group> = HashMap::new();
        bucket.each(folder, length, |entry| {
            if let Some(entry) = entry.first_chunk() {
                let group = groups.entry(fingerprint_of(entry)).or_default();
                group.count += 1;
                group.scored += u64::from(is_scored(entry));
            }
            Ok(())
        })?;
        for (fingerprint, group) in &mut groups {
            let candidates = if group.scored > 0 {
                group.scored
            } else {
                group.count
            };
            group.before = self.kept_of(*fingerprint, candidates);
        }
        bucket.each(folder, length, |entry| {
            if let Some(entry) = entry.first_chunk()
                && let Some(group) = groups.get_mut(&fingerprint_of(entry))
            {
                let is_candidate = group.scored == 0 || is_scored(entry);
                self.mark(number_of(entry), is_candidate && group.before == 0);
                if is_candidate {
                    // After the one that is kept, this wraps around, and never comes to 0 again.
                    group.before = group.before.wrapping_sub(1);
                }
            }
            Ok(())
        })
    }

    /// Which of `count` equal records is kept: its number among them.
    fn kept_of(&self, fingerprint: u128, count: u64) -> u64 {
        match self.seed {
            Some(seed) if count > 1 => {
                let draw = hash(seed, [fingerprint as u64, (fingerprint >> 64) as u64]);
                ((u128::from(draw) * u128::from(count)) >> 64) as u64
            }
            _ => 0,
        }
    }

    /// Notes whether a record is kept.
    fn mark(&self, number: u64, is_kept: bool) {
        if is_kept {
            let word = &self.bits[(number / 64) as usize];
            word.fetch_or(1 << (number % 64), Ordering::Relaxed);
        } else {
            let gone = &self.gone[self.numbering.input_of(number)];
            gone.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of the first record of a block, among the records of all inputs. Of a block that
    /// was not numbered it is so large that no record has it.
    pub fn first_of(&self, input: u32, start: u64) -> u64 {
        let first = self.numbering.firsts.get(&(input, start));
        first.copied().unwrap_or(u64::MAX >> 1)
    }

    /// Whether a record is kept.
    #[inline]
    pub fn has(&self, number: u64) -> bool {
        let word = self.bits.get((number / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (number % 64) & 1 == 1)
    }
}

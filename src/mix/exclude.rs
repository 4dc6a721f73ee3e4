//! Positions that are left out because other files hold them, such as an old held-out set.
//!
//! These files are read once, before the inputs, and the fingerprints of their positions stay in
//! memory, 16 bytes each. A file may hold less of a position than the output does: bulletformat
//! knows no castling rights. So each file is asked with fingerprints of what both hold.

#![allow(clippy::cast_precision_loss)] // a size is shown rounded

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::duplicates::fingerprints_in;
use super::events::{Event, Pass};
use super::options::{DEFAULT_MEMORY, Options};
use super::run::Run;
use super::source::{Opened, Source};
use super::task::Shared;
use crate::formats::fingerprint::{Fingerprints, Identity};
use crate::formats::{Format, Record};
use crate::jobs::error::{Error, Result};
use crate::jobs::{pool, present};

/// The positions that are left out.
pub struct Excluded {
    sets: Vec<PositionSet>,
    /// Records that were left out, of each input.
    gone: Vec<AtomicU64>,
}

/// The positions of one file.
struct PositionSet {
    /// What the file and the output both hold of a position.
    view: Fingerprints,
    /// The fingerprints in order.
    all: Vec<u128>,
    /// Where those begin whose first bits are a number, and the end of all.
    starts: Vec<usize>,
}

/// What became of a file whose positions are left out.
#[derive(Clone, Debug)]
pub struct ExcludedFile {
    pub name: String,
    pub format: Format,
    pub records: u64,
    pub invalid: u64,
}

/// The bits of a fingerprint by which it is looked up.
const BITS: u32 = 16;

impl PositionSet {
    fn new(view: Fingerprints, mut all: Vec<u128>) -> PositionSet {
        all.sort_unstable();
        all.dedup();
        let start = |number| all.partition_point(|fingerprint| first_bits(*fingerprint) < number);
        let starts = (0..=1 << BITS).map(start).collect();
        PositionSet { view, all, starts }
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

impl Run<'_, '_> {
    /// Reads the positions that are left out.
    pub(super) fn read_excluded(&mut self) -> Result<()> {
        let mut sources = core::mem::take(&mut self.mix.excluded);
        if sources.is_empty() {
            return Ok(());
        }
        let mut sets = Vec::new();
        let mut left = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY) / 2;
        for source in &mut sources {
            let set = self.positions_of(source, left)?;
            left -= set.all.len() as u64 * ENTRY;
            sets.push(set);
        }
        let gone = self.tallies.iter().map(|_| AtomicU64::new(0)).collect();
        self.shared()?.excluded = Some(Excluded { sets, gone });
        Ok(())
    }

    /// Reads the positions of one file, which may take so much memory.
    fn positions_of(&mut self, source: &mut Source, memory: u64) -> Result<PositionSet> {
        let view = Fingerprints::new(Identity::Position, self.to).as_held_by(source.format);
        let shared = Arc::new(Shared {
            fingerprints: Some(view),
            ..Shared::default()
        });
        let options = Options {
            skip_invalid: self.mix.options.skip_invalid,
            cpu_path: self.mix.options.cpu_path,
            ..Options::default()
        };
        let Opened {
            context,
            reader,
            plans,
        } = source.read(0, source.format, &options, &shared, self.threads)?;
        let mut file = ExcludedFile {
            name: source.name.clone(),
            format: source.format,
            records: 0,
            invalid: 0,
        };
        let length = source.length();
        let read = source.counter();
        let teller = &self.mix.teller;
        let mut all: Vec<u128> = Vec::new();
        pool::run(&context, reader, plans, None, |done| {
            file.records += done.tally.records;
            file.invalid += done.tally.invalid;
            // Beyond the memory only the records are counted, to tell how much is needed.
            if file.records * ENTRY <= memory {
                all.extend(done.mixed.items.iter().flat_map(fingerprints_in));
            }
            teller.tell(Event::Progress {
                pass: Pass::Exclude,
                records: file.records,
                bytes: read.load(Ordering::Relaxed),
                of: length.unwrap_or(0),
            })
        })?;
        let needed = file.records * ENTRY;
        if needed > memory {
            let allowed = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY);
            return Err(Error::refused(format!(
                "{}: to leave out its positions takes {ENTRY} bytes of memory for each; allow at \
                 least {}",
                file.name,
                present::size((allowed + 2 * (needed - memory)) as f64)
            )));
        }
        if file.records == 0 {
            let name = &file.name;
            teller.note(&format!("{name}: it holds no position to leave out"))?;
        }
        self.excluded_files.push(file);
        Ok(PositionSet::new(view, all))
    }
}

/// Bytes of a position in memory.
const ENTRY: u64 = 16;

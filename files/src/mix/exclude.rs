//! The pass that reads the positions that are left out, such as those of an old held-out set.
//!
//! These files are read once, before the inputs, and the fingerprints of their positions stay in
//! memory, 16 bytes each, as [`excluded`](super::excluded) explains.

#![allow(clippy::cast_precision_loss)] // a size is shown rounded

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::duplicates::fingerprints_in;
use super::excluded::{Excluded, PositionSet};
use super::options::{DEFAULT_MEMORY, MixOptions};
use super::run::Run;
use super::source::{Opened, Source};
use super::summary::ExcludedFile;
use super::task::Shared;
use crate::formats::fingerprint::{Fingerprints, Identity};
use crate::jobs::caller::Event;
use crate::jobs::error::{Error, Result};
use crate::jobs::pass::Pass;
use crate::jobs::{self, pool};
use crate::report;

impl Run<'_, '_> {
    /// Reads the positions that are left out.
    pub(super) fn read_excluded(&mut self) -> Result<()> {
        let mut sources = core::mem::take(&mut self.mix.excluded);
        if sources.is_empty() {
            return Ok(());
        }
        let mut sets = Vec::new();
        // All these positions together may take half of the memory.
        let mut left = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY) / 2;
        for source in &mut sources {
            let set = self.positions_of(source, left)?;
            left -= set.len() as u64 * ENTRY;
            sets.push(set);
        }
        let inputs = self.tallies.len();
        self.shared.excluded = Some(Arc::new(Excluded::new(sets, inputs)));
        Ok(())
    }

    /// Reads the positions of one file, which may take so much memory.
    fn positions_of(&mut self, source: &mut Source, memory: u64) -> Result<PositionSet> {
        /// The file is not an input, so it needs no number of its own.
        const INPUT_NUMBER: usize = 0;
        // Positions are compared as far as both the output's format and this one hold them.
        let view = Fingerprints::new(Identity::Position, self.to).as_held_by(source.format);
        let shared = Shared {
            fingerprints: Some(view),
            ..Shared::default()
        };
        let options = MixOptions {
            job: jobs::Options {
                skip_invalid: self.mix.options.job.skip_invalid,
                cpu_path: self.mix.options.job.cpu_path,
                ..jobs::Options::default()
            },
            ..MixOptions::default()
        };
        let Opened {
            context,
            reader,
            plans,
        } = source.read(INPUT_NUMBER, source.format, &options, &shared, self.threads)?;
        let mut file = ExcludedFile {
            name: source.name.clone(),
            format: source.format,
            records: 0,
            invalid: 0,
        };
        let length = source.length();
        let read = source.counter();
        let teller = &self.mix.caller.teller;
        let mut all: Vec<u128> = Vec::new();
        pool::run(&context, reader, plans, None, |done| {
            file.records += done.tally.records;
            file.invalid += done.tally.invalid;
            // Beyond the memory only the records are counted, to tell how much is needed.
            if file.records * ENTRY <= memory {
                all.extend(done.made.items.iter().flat_map(fingerprints_in));
            }
            teller.tell(Event::Progress {
                pass: Some(Pass::Exclude),
                records: file.records,
                bytes: read.load(Ordering::Relaxed),
                of: length.unwrap_or(0),
            })
        })?;
        let needed = file.records * ENTRY;
        if needed > memory {
            // Positions get half of what is allowed, so twice of what is missing has to be added.
            let allowed = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY);
            let message = format!(
                "to leave out its positions takes {ENTRY} bytes of memory for each; allow at least \
                 {}",
                report::size((allowed + 2 * (needed - memory)) as f64)
            );
            return Err(Error::refused(message).about(&file.name));
        }
        if file.records == 0 {
            let name = &file.name;
            teller.note(&format!("{name}: it holds no position to leave out"));
        }
        self.excluded_files.push(file);
        Ok(PositionSet::new(view, all))
    }
}

/// Bytes of a position in memory.
const ENTRY: u64 = 16;

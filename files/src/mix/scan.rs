//! The pass that looks for duplicates, before the pass that writes.
//!
//! It reads all inputs once, puts the fingerprint of each record into one of several temporary
//! files, and decides file by file which records are left, as [`duplicates`](super::duplicates)
//! explains.

#![allow(clippy::cast_precision_loss)] // sizes are estimates

use std::sync::Arc;

use super::buckets::Buckets;
use super::duplicates::{self, Numbering, Survivors};
use super::options::DEFAULT_MEMORY;
use super::run::Run;
use super::second::{self, Queue};
use crate::jobs::caller::Event;
use crate::jobs::error::{Error, Result};
use crate::jobs::pass::Pass;
use crate::report;
use swaplist::Evaluator;

impl Run<'_, '_> {
    /// Looks for duplicates, if they go.
    pub(super) fn find_duplicates(&mut self, evaluator: &Evaluator) -> Result<()> {
        if self.shared.fingerprints.is_none() {
            return Ok(());
        }
        let of_run = self.shared.bits;
        let allowed = self.mix.options.memory.unwrap_or(DEFAULT_MEMORY);
        let memory = self.memory_of_scan();
        self.shared.bits = memory.bits;
        let folder = self.folder.clone();
        let mut buckets = Buckets::new(&folder, memory.bits, memory.buffers);
        let mut numbering = Numbering::default();
        self.read_all(Pass::Duplicates, evaluator, |number, done| {
            numbering.begin(number + 1);
            for items in &mut done.made.items {
                duplicates::number(items, numbering.records);
                buckets.append(items)?;
            }
            if !done.is_part {
                numbering.add(done.made.start, done.tally.records);
            }
            Ok(())
        })?;
        numbering.begin(self.mix.sources.len());
        let needed = numbering.records / 8;
        if needed > allowed / 2 {
            return Err(Error::refused(format!(
                "finding duplicates takes a bit of memory for each record; allow at least {}",
                report::size(needed as f64 * 2.0)
            )));
        }
        let of = buckets.bytes();
        let survivors = Survivors::new(numbering, self.mix.options.seed_of_survivors());
        let most = memory.most;
        let queue = Queue::new(buckets, &folder, most, Box::new(duplicates::key_at));
        let teller = &self.mix.caller.teller;
        let mut compared = 0;
        second::each(
            queue,
            memory.threads,
            |mut bucket| {
                if bucket.bytes > most {
                    return survivors.decide_large(&mut bucket, &folder);
                }
                let mut bytes = Vec::new();
                bucket.read(&folder, &mut bytes)?;
                survivors.decide(&mut bytes);
                Ok(())
            },
            |bytes| {
                compared += bytes;
                teller.tell(Event::Progress {
                    pass: Some(Pass::Compare),
                    records: compared / duplicates::ENTRY as u64,
                    bytes: compared,
                    of,
                })
            },
        )?;
        self.shared.bits = of_run;
        self.shared.survivors = Some(Arc::new(survivors));
        Ok(())
    }
}

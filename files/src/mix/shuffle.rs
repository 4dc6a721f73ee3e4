//! A shuffle in two passes.
//!
//! The first reads the inputs and puts each item into one of several temporary files, by the first
//! bits of its key. The second takes these files in order, sorts each in memory and appends it to
//! the outputs.

use super::buckets::Buckets;
use super::joiner::Joiner;
use super::run::Run;
use super::second::{self, Queue};
use super::sinks::Sinks;
use crate::jobs::caller::Event;
use crate::jobs::error::Result;
use crate::jobs::pass::Pass;
use swaplist::Evaluator;

impl Run<'_, '_> {
    /// Shuffles in two passes.
    pub(super) fn shuffle(&mut self, evaluator: &Evaluator, sinks: &mut Sinks) -> Result<()> {
        let layout = self.shared.layout;
        let folder = self.folder.clone();
        let memory = self.memory();
        let mut buckets = Buckets::new(&folder, self.shared.bits, memory.buffers);
        let mut joiners: Vec<Joiner> = Vec::new();
        joiners.resize_with(self.mix.sources.len(), Joiner::default);
        self.read_all(Pass::Deal, evaluator, |number, done| {
            joiners[number].join(layout, &mut done.made, done.is_part);
            done.made
                .items
                .iter()
                .try_for_each(|items| buckets.append(items))
        })?;
        let of = buckets.bytes();
        let key_at = second::key_of_item(layout);
        let queue = Queue::new(buckets, &folder, memory.most, key_at);
        let with_order = self.mix.options.job.limit.is_some() && sinks.sinks.len() > 1;
        let teller = &self.mix.caller.teller;
        let mut done = 0;
        second::write(
            queue,
            layout,
            memory.threads,
            with_order,
            sinks,
            |sinks, bytes| {
                done += bytes;
                teller.tell(Event::Progress {
                    pass: Some(Pass::Write),
                    records: sinks.records(),
                    bytes: done,
                    of,
                })
            },
        )
    }
}

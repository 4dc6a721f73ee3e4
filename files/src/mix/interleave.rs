//! Interleaving in one pass: each input is read by threads of its own, a few blocks ahead, and the
//! [lanes](super::lanes) are merged into the outputs.

use std::sync::mpsc;

use super::events::{Event, Pass};
use super::items::Layout;
use super::lanes::{self, Batch, Clock, Lane};
use super::options::Order;
use super::run::Run;
use super::sinks::Sinks;
use super::source::{Opened, Source};
use super::task::Joiner;
use crate::jobs::error::{Error, Result};
use crate::jobs::tally::Tally;
use crate::jobs::{pool, present};
use swaplist::Evaluator;

/// Blocks of all inputs that wait to be merged, unless there are very many inputs. The merging
/// needs a block of each input at any time, and waits if the one that it needs is not ready: a few
/// blocks more of the other ones keep all threads busy meanwhile.
const BLOCKS_AHEAD: usize = 32;

impl Run<'_, '_> {
    /// What tells of each input how far it is.
    fn clocks(&mut self) -> Result<Vec<Clock>> {
        if let Order::Weighted(weights) = &self.mix.options.order {
            let clock = |&weight: &f64| Clock::Weight { weight, records: 0 };
            return Ok(weights.iter().map(clock).collect());
        }
        if let [_] = self.mix.sources[..] {
            return Ok(vec![Clock::Share { length: 1 }]);
        }
        let teller = &self.mix.teller;
        let sources = &mut self.mix.sources;
        let unknown = |source: &&Source| source.known_length().is_none();
        let of: Option<u64> = sources.iter().filter(unknown).map(Source::length).sum();
        let mut before = 0;
        let mut clocks = Vec::new();
        for source in sources.iter_mut() {
            let length = match source.known_length() {
                Some(length) => length,
                None => source.measure(|read| {
                    teller.tell(Event::Progress {
                        pass: Pass::Measure,
                        records: 0,
                        bytes: before + read,
                        of: of.unwrap_or(0),
                    })
                })?,
            };
            if source.known_length().is_none() {
                before += source.length().unwrap_or(0);
            }
            clocks.push(Clock::Share { length });
        }
        Ok(clocks)
    }

    /// Interleaves in one pass, with threads of its own for each input.
    pub(super) fn interleave(&mut self, evaluator: &Evaluator, sinks: &mut Sinks) -> Result<()> {
        let count = self.mix.sources.len();
        let clocks = self.clocks()?;
        let threads = self.threads.div_ceil(count);
        let ahead = (BLOCKS_AHEAD / count).max(2);
        let opened: Vec<Opened> = (0..count)
            .map(|number| self.read(number, threads))
            .collect::<Result<_>>()?;
        let layout = self.shared.layout;
        let asked = self.asked(evaluator);
        let mix = &*self.mix;
        let mut lanes = Vec::new();
        let teller = &mix.teller;
        let of: Option<u64> = mix.sources.iter().map(Source::length).sum();
        let (tallies, result) = std::thread::scope(|scope| {
            let mut readers = Vec::new();
            for (opened, clock) in opened.into_iter().zip(clocks) {
                let (sender, batches) = mpsc::sync_channel(ahead);
                lanes.push(Lane::new(batches, clock));
                readers.push(scope.spawn(move || read_lane(opened, asked, layout, &sender)));
            }
            let ends = lanes::merge(layout, lanes, sinks, |sinks| {
                teller.tell(Event::Progress {
                    pass: Pass::Interleave,
                    records: sinks.records(),
                    bytes: mix.sources.iter().map(Source::bytes_read).sum(),
                    of: of.unwrap_or(0),
                })
            });
            let tallies: Vec<Tally> = readers
                .into_iter()
                .map(|reader| reader.join().unwrap_or_default())
                .collect();
            (tallies, ends)
        });
        let ends = result?;
        for (number, tally) in tallies.into_iter().enumerate() {
            self.finish_input(number, tally)?;
        }
        self.tell_ends(&ends, sinks.records())
    }

    /// Notes which inputs ended early, if they were interleaved by weight.
    fn tell_ends(&self, ends: &[u64], written: u64) -> Result<()> {
        if !matches!(self.mix.options.order, Order::Weighted(_)) {
            return Ok(());
        }
        for (source, &end) in self.mix.sources.iter().zip(ends) {
            // The last ones end together.
            if end > 0 && end < written - written / 100 {
                let end = present::grouped(end);
                let name = &source.name;
                self.mix.teller.note(&format!(
                    "{name} has no more records: all are among the first {end} of the output"
                ))?;
            }
        }
        Ok(())
    }
}

/// Reads an input and hands on its items, until nobody takes them.
fn read_lane(
    opened: Opened,
    evaluator: Option<&Evaluator>,
    layout: Layout,
    sender: &mpsc::SyncSender<Result<Batch>>,
) -> Tally {
    let Opened {
        context,
        reader,
        plans,
    } = opened;
    let mut tally = Tally::default();
    let mut joiner = Joiner::default();
    let mut first = 0;
    let ran = pool::run(&context, reader, plans, evaluator, |done| {
        joiner.join(layout, &mut done.mixed, done.is_part);
        let items = core::mem::take(&mut done.mixed.items);
        let batch = Batch { items, first };
        first += done.tally.bytes;
        tally.add(core::mem::take(&mut done.tally));
        sender.send(Ok(batch)).map_err(|_| Error::cancelled())
    });
    if let Err(error) = ran {
        // If nobody listens, the mix has ended.
        let _ = sender.send(Err(error));
    }
    tally
}

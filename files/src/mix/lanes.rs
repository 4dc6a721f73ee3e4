//! Interleaving: the records of each input in their order, those of all inputs side by side.
//!
//! Each input has a clock that runs from 0 at its first byte to 1 at its last, or that counts its
//! records divided by its weight. The next item is that of the clock that is behind. So each input
//! is spread evenly over the output, nothing is drawn at random, and nothing has to be stored:
//! each input is read by threads of its own, a few blocks ahead.

use core::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::mpsc::Receiver;

use super::items::{Items, Layout, part_of};
use super::sinks::Sinks;
use crate::jobs::error::Result;

/// The items of a block, or of a part of it.
pub struct Batch {
    pub items: Vec<Items>,
    /// The number of the block's first byte in the decompressed input.
    pub first: u64,
}

/// An input while it is read.
pub struct Lane {
    pub batches: Receiver<Result<Batch>>,
    pub clock: Clock,
    /// The items that are written now, and the place of the next one in their bytes.
    items: Items,
    at: usize,
    /// The number of the first byte of their block in the decompressed input.
    first: u64,
    /// The items of the same block that come after them.
    waiting: VecDeque<Items>,
}

/// What tells which lane is behind.
pub enum Clock {
    /// The share of the input that is done, by its length in bytes.
    Share { length: u64 },
    /// Records so far by the weight.
    Weight { weight: f64, records: u64 },
}

impl Clock {
    #[allow(clippy::cast_precision_loss)] // the same rounding everywhere
    fn now(&self, offset: u64) -> u64 {
        let now = match *self {
            Clock::Share { length } => offset as f64 / length.max(1) as f64,
            Clock::Weight { weight, records } => (records as f64 + 0.5) / weight,
        };
        now.to_bits() // in the order of the numbers, as none is negative
    }
}

impl Lane {
    pub fn new(batches: Receiver<Result<Batch>>, clock: Clock) -> Lane {
        Lane {
            batches,
            clock,
            items: Items::default(),
            at: 0,
            first: 0,
            waiting: VecDeque::new(),
        }
    }

    /// The time of the next item; `None` at the end.
    #[inline(always)]
    fn next(&mut self, layout: Layout) -> Result<Option<u64>> {
        if self.at == self.items.bytes.len() && !self.next_items()? {
            return Ok(None);
        }
        let (key, ..) = layout.read(&self.items.bytes, self.at);
        Ok(Some(self.clock.now(self.first + (key >> 8))))
    }

    /// Goes on to the next items that are not empty; false at the end.
    #[cold]
    fn next_items(&mut self) -> Result<bool> {
        while self.at == self.items.bytes.len() {
            self.at = 0;
            if let Some(items) = self.waiting.pop_front() {
                self.items = items;
                continue;
            }
            self.items = Items::default();
            let Ok(result) = self.batches.recv() else {
                return Ok(false);
            };
            let batch = result?;
            self.first = batch.first;
            self.waiting.extend(batch.items);
        }
        Ok(true)
    }

    /// Writes the next item; false once the limit is reached.
    #[inline(always)]
    fn write(&mut self, layout: Layout, sinks: &mut Sinks) -> Result<bool> {
        let (key, records, body) = layout.read(&self.items.bytes, self.at);
        self.at = body.end;
        if let Clock::Weight { records: all, .. } = &mut self.clock {
            *all += u64::from(records);
        }
        sinks.item(part_of(key), records, &self.items.bytes[body])
    }
}

/// Writes all items in the order of their times; calls a function now and then. Returns how many
/// records were written when each lane ended.
pub fn merge(
    layout: Layout,
    lanes: Vec<Lane>,
    sinks: &mut Sinks,
    tell: impl FnMut(&Sinks) -> Result<()>,
) -> Result<Vec<u64>> {
    // The same code for each size of records, so that items are copied without asking how long they
    // are.
    match layout {
        Layout::Fixed(32) => merge_as(Layout::Fixed(32), lanes, sinks, tell),
        Layout::Fixed(40) => merge_as(Layout::Fixed(40), lanes, sinks, tell),
        other => merge_as(other, lanes, sinks, tell),
    }
}

#[inline(always)]
fn merge_as(
    layout: Layout,
    mut lanes: Vec<Lane>,
    sinks: &mut Sinks,
    mut tell: impl FnMut(&Sinks) -> Result<()>,
) -> Result<Vec<u64>> {
    const NOW_AND_THEN: u32 = 1 << 14;
    let mut heap = BinaryHeap::with_capacity(lanes.len());
    let mut ends = vec![0; lanes.len()];
    for (number, lane) in lanes.iter_mut().enumerate() {
        if let Some(time) = lane.next(layout)? {
            heap.push(Reverse((time, number)));
        }
    }
    let mut until = NOW_AND_THEN;
    while let Some(mut first) = heap.peek_mut() {
        let number = first.0.1;
        let lane = &mut lanes[number];
        if !lane.write(layout, sinks)? {
            break;
        }
        if let Some(time) = lane.next(layout)? {
            first.0.0 = time;
        } else {
            std::collections::binary_heap::PeekMut::pop(first);
            ends[number] = sinks.records();
        }
        until -= 1;
        if until == 0 {
            until = NOW_AND_THEN;
            tell(sinks)?;
        }
    }
    Ok(ends)
}

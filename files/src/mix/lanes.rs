//! Interleaving: the records of each input in their order, those of all inputs side by side.
//!
//! Each input has a clock that runs from 0 at its first byte to 1 at its last, or that counts its
//! records divided by its weight. The next item is that of the clock that is behind. So each input
//! is spread evenly over the output, nothing is drawn at random, and nothing has to be stored:
//! blocks are read in the order in which they are needed here (`interleave.rs`).

use core::hint::select_unpredictable;
use std::collections::VecDeque;

use super::clock::Clock;
use super::items::{Encoded, Layout, Spare, part_of};
use super::sinks::Sinks;
use crate::jobs::error::{Error, Result};

/// The items of a block, or of a part of it.
pub struct Batch {
    pub encoded: Encoded,
    /// The number of the block's first byte in the decompressed input.
    pub first: u64,
}

/// An input while its items are merged.
struct Lane {
    clock: Clock,
    spare: Spare,
    /// The items that are written now.
    batch: Batch,
    /// When each of them is due.
    times: Vec<u64>,
    /// The number of the next one, and where its bytes begin.
    at: usize,
    start: usize,
    /// The items that come after these.
    waiting: VecDeque<Batch>,
    /// The records of all items up to the end of the batch.
    records: u64,
    /// How the input ends after all of these, once that is known.
    end: Option<Result<()>>,
    /// Whether its next item is not known.
    is_missing: bool,
}

impl Lane {
    fn new(clock: Clock, spare: Spare) -> Lane {
        Lane {
            clock,
            spare,
            batch: Batch {
                encoded: Encoded::default(),
                first: 0,
            },
            times: Vec::new(),
            at: 0,
            start: 0,
            waiting: VecDeque::new(),
            records: 0,
            end: None,
            is_missing: true,
        }
    }

    /// The time of the next item; `None` if that has not arrived yet, or the input has ended.
    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.at == self.times.len() && !self.next_batch() {
            return None;
        }
        Some(self.times[self.at])
    }

    /// Goes on to the next batch that has items; false if none has arrived.
    #[cold]
    fn next_batch(&mut self) -> bool {
        self.at = 0;
        self.start = 0;
        self.times.clear();
        self.spare
            .give_back(core::mem::take(&mut self.batch.encoded));
        while let Some(batch) = self.waiting.pop_front() {
            if !batch.encoded.items.is_empty() {
                self.batch = batch;
                self.note_times();
                return true;
            }
        }
        false
    }

    /// Finds out when each item of the batch is due. All at once, as the choice of the next item then
    /// does not wait for a division.
    fn note_times(&mut self) {
        let Batch { encoded, first } = &self.batch;
        let (clock, mut records) = (self.clock, self.records);
        self.times.extend(encoded.items.iter().map(|item| {
            let time = clock.time(first + (item.key >> 8), records);
            records += u64::from(item.records);
            time
        }));
        self.records = records;
    }

    /// Writes the next item; false once the limit is reached.
    #[inline(always)]
    fn write(&mut self, layout: Layout, sinks: &mut Sinks) -> Result<bool> {
        let Encoded { items, bytes } = &self.batch.encoded;
        let item = &items[self.at];
        let end = match layout {
            Layout::Fixed(length) => self.start + length,
            Layout::Sized => item.end as usize,
        };
        let body = &bytes[self.start..end];
        self.at += 1;
        self.start = end;
        sinks.item(part_of(item.key), item.records, body)
    }
}

/// Merges the items of all lanes, as far as they are here.
pub struct Merge {
    layout: Layout,
    lanes: Vec<Lane>,
    /// The times of the next items that are here.
    times: Tournament,
    /// The number of lanes whose next item is not known. Nothing can be written meanwhile.
    missing: usize,
    /// How many records were written when each lane ended.
    pub ends: Vec<u64>,
}

impl Merge {
    pub fn new(layout: Layout, clocks: &[Clock], spare: &Spare) -> Merge {
        let lanes = clocks.iter().map(|&clock| Lane::new(clock, spare.clone()));
        Merge {
            layout,
            lanes: lanes.collect(),
            times: Tournament::new(clocks.len()),
            missing: clocks.len(),
            ends: vec![0; clocks.len()],
        }
    }

    /// Adds items of a lane.
    pub fn add(&mut self, lane: usize, batch: Batch) {
        self.lanes[lane].waiting.push_back(batch);
    }

    /// Notes how a lane ends, after the items that were added.
    pub fn end(&mut self, lane: usize, end: Result<(), Error>) {
        self.lanes[lane].end.get_or_insert(end);
    }

    /// Writes items in the order of their times, as far as they are here, after something of this
    /// lane was added; false once the limit is reached.
    pub fn write(&mut self, lane: usize, sinks: &mut Sinks) -> Result<bool> {
        if self.lanes[lane].is_missing {
            self.missing -= 1;
            match self.lanes[lane].next() {
                Some(time) => {
                    self.lanes[lane].is_missing = false;
                    self.times.set(lane, time);
                }
                None => self.note_none(lane, sinks)?,
            }
        }
        // The compiler makes faster code where it knows the size of a record.
        match self.layout {
            Layout::Fixed(32) => self.write_as(Layout::Fixed(32), sinks),
            Layout::Fixed(40) => self.write_as(Layout::Fixed(40), sinks),
            other => self.write_as(other, sinks),
        }
    }

    #[inline(always)]
    fn write_as(&mut self, layout: Layout, sinks: &mut Sinks) -> Result<bool> {
        let mut first = self.times.first();
        while self.missing == 0
            && let Some(number) = first
        {
            let lane = &mut self.lanes[number];
            if !lane.write(layout, sinks)? {
                return Ok(false);
            }
            first = if let Some(time) = lane.next() {
                self.times.set(number, time)
            } else {
                self.note_none(number, sinks)?;
                self.times.remove(number)
            };
        }
        Ok(true)
    }

    /// Notes that a lane has no more items here: it has ended, with an error perhaps, or what comes
    /// next is not known.
    #[cold]
    fn note_none(&mut self, number: usize, sinks: &Sinks) -> Result<()> {
        let lane = &mut self.lanes[number];
        lane.is_missing = lane.end.is_none();
        self.missing += usize::from(lane.is_missing);
        if let Some(end) = &mut lane.end {
            self.ends[number] = sinks.records();
            return core::mem::replace(end, Ok(()));
        }
        Ok(())
    }
}

/// Finds the lane with the earliest time: of two with the same time, the one with the lower number.
struct Tournament {
    /// The winner of all stands at 1; that of the pair 2n and 2n + 1 at n. The second half are the
    /// lanes: each its time in the high bits, and its number in the low ones.
    winners: Vec<u128>,
}

impl Tournament {
    /// A lane that takes no part. No time has as many bits.
    const NONE: u128 = u128::MAX;

    /// A tournament of this many lanes, none of which takes part yet.
    fn new(lanes: usize) -> Tournament {
        Tournament {
            winners: vec![Tournament::NONE; 2 * lanes.next_power_of_two()],
        }
    }

    /// The lane that wins; `None` if none takes part.
    #[inline(always)]
    fn first(&self) -> Option<usize> {
        Tournament::lane(self.winners[1])
    }

    #[inline(always)]
    fn lane(winner: u128) -> Option<usize> {
        let takes_part = (winner >> 64) as u64 != u64::MAX;
        takes_part.then_some(winner as usize)
    }

    /// Sets the time of a lane, and returns the lane that wins now.
    #[inline(always)]
    fn set(&mut self, lane: usize, time: u64) -> Option<usize> {
        self.replay(lane, u128::from(time) << 64 | lane as u128)
    }

    /// Takes a lane out, and returns the lane that wins now.
    fn remove(&mut self, lane: usize) -> Option<usize> {
        self.replay(lane, Tournament::NONE)
    }

    #[inline(always)]
    fn replay(&mut self, lane: usize, key: u128) -> Option<usize> {
        let mut at = self.winners.len() / 2 + lane;
        let mut winner = key;
        self.winners[at] = key;
        while at > 1 {
            let other = self.winners[at ^ 1];
            // A branch would be foreseen wrongly every other time, which costs more than all else.
            winner = select_unpredictable(other < winner, other, winner);
            at /= 2;
            self.winners[at] = winner;
        }
        Tournament::lane(winner)
    }
}

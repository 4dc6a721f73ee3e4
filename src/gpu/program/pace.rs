//! How much a device is given at a time, so that no dispatch takes long.
//!
//! Systems reset a device that does not answer: Windows after two seconds, and the screen stands
//! still meanwhile if the device draws it. How long a dispatch takes depends on the device, by a
//! factor of a thousand between an H100 and a small graphics unit, so it is measured. The first
//! dispatch is small. Later ones have as many records as would have taken 60 ms, by the speed of
//! the one before.
//!
//! ```text
//! first             16,384 records
//! a fast device     16,384 in 0.5 ms      -> 262,144, then more, up to what its buffers hold
//! a slow one        16,384 in 20 ms       -> 49,152
//!                   49,152 in 75 ms       -> 39,321
//! ```
//!
//! A part of the time does not depend on the number of records: starting transfers, waking threads,
//! and, in files of games, the moves of the longest game, which are replayed one after another. So
//! small dispatches seem slower than large ones, and a larger dispatch takes less time than this
//! expects. For the same reason a dispatch that was quick enough never makes the next ones smaller,
//! however few records it had.

use core::ops::Range;
use core::time::Duration;
use std::time::Instant;

/// The number of records of the next dispatch; see the head of `gpu/program/pace.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    records: usize,
    /// When the last dispatch ended.
    last_end: Option<Instant>,
}

impl Default for Pace {
    /// The pace of a device that has done nothing yet.
    fn default() -> Pace {
        Pace {
            records: Pace::FIRST,
            last_end: None,
        }
    }
}

impl Pace {
    /// The most records of the first dispatch.
    const FIRST: usize = 1 << 14;

    /// How long a dispatch may take: long enough to be worth its overhead, and far from the bounds
    /// of systems.
    const DISPATCH: Duration = Duration::from_millis(60);

    /// The most by which the number of records grows at a time.
    const GROWTH: usize = 16;

    /// The most records of the next dispatch, 1 or more.
    pub const fn records(&self) -> usize {
        self.records
    }

    /// Notes how long a dispatch of this many records took.
    pub fn note(&mut self, records: usize, took: Duration) {
        let nanoseconds = took.as_nanos().max(1);
        let fitting = records as u128 * Pace::DISPATCH.as_nanos() / nanoseconds;
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
        self.records = if took > Pace::DISPATCH {
            self.records.min(fitting).max(1)
        } else {
            let grown = records.saturating_mul(Pace::GROWTH);
            self.records.max(fitting.min(grown))
        };
    }

    /// Notes when a dispatch was submitted and when it ended. Dispatches follow one another, so it
    /// began when the one before had ended.
    pub fn note_end(&mut self, records: usize, submitted: Instant, end: Instant) {
        let began = self.last_end.map_or(submitted, |last| last.max(submitted));
        self.note(records, end.saturating_duration_since(began));
        self.last_end = Some(end);
    }

    /// Gives a device so many records in dispatches, each of which has a multiple of `unit` records
    /// except the last one; `unit` is 1 or more, and `now` the host's clock. `submit` submits the
    /// records of a range. `wait` waits for each dispatch except the last one: how long it took tells
    /// how many records the next one has.
    ///
    /// # Errors
    ///
    /// The first one of `submit` or `wait`.
    pub fn in_turns<S, E>(
        &mut self,
        records: usize,
        unit: usize,
        now: impl Fn() -> Instant,
        mut submit: impl FnMut(Range<usize>) -> Result<S, E>,
        mut wait: impl FnMut(S) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut first = 0;
        loop {
            let most = (self.records / unit).max(1) * unit;
            let end = first + most.min(records - first);
            let submitted = now();
            let submission = submit(first..end)?;
            if end == records {
                return Ok(());
            }
            wait(submission)?;
            self.note_end(end - first, submitted, now());
            first = end;
        }
    }
}

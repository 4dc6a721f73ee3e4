//! When each of several inputs is due, where they are read side by side.

/// The clock of an input. Of several, the one whose clock is behind is read next, so that each is
/// spread evenly over the output.
///
/// ```
/// use swaplist_files::mix::Clock;
///
/// // After 600 of 1,000 bytes, and half-way through the record after the first 2 with weight 4.
/// let [share, weight] = [Clock::Share { length: 1000 }, Clock::Weight { weight: 4.0 }];
/// assert!(share.time(600, 0) < weight.time(0, 2));
/// assert!(share.time(630, 0) > weight.time(0, 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// Runs from 0 at the first byte to 1 at the last.
    Share {
        /// The length of the input.
        length: u64,
    },
    /// Counts records divided by the weight.
    Weight {
        /// How many records come for one of an input with weight 1.
        weight: f64,
    },
}

impl Clock {
    /// The time at a byte of the input, before which so many of its records were read. Times are in
    /// the order of these numbers.
    #[inline]
    pub fn time(self, offset: u64, records: u64) -> u64 {
        #[allow(clippy::cast_precision_loss)] // the same rounding everywhere
        let time = match self {
            Clock::Share { length } => offset as f64 / length.max(1) as f64,
            Clock::Weight { weight } => (records as f64 + 0.5) / weight,
        };
        time.to_bits() // in the order of the numbers, as none is negative
    }
}

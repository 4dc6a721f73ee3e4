//! Histograms of scores.

// bin numbers are small
#![allow(clippy::cast_possible_wrap)]

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bins on either side of 0, including the open one at the end.
const SIDE: usize = 11;
const BINS: usize = 2 * SIDE + 1;

/// Counts values in bins of equal width; 0 has a bin of its own.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Histogram {
    width: i32,
    bins: [u64; BINS],
}

impl Histogram {
    pub fn new(width: i32) -> Histogram {
        Histogram {
            width: width.max(1),
            bins: [0; BINS],
        }
    }

    pub fn add(&mut self, value: i32) {
        self.bins[self.bin(value)] += 1;
    }

    fn bin(&self, value: i32) -> usize {
        let steps = (value.unsigned_abs().max(1) - 1) / self.width.unsigned_abs();
        let distance = (steps as usize + 1).min(SIDE);
        match value.signum() {
            0 => SIDE,
            1 => SIDE + distance,
            _ => SIDE - distance,
        }
    }

    pub fn add_all(&mut self, other: &Histogram) {
        for (sum, count) in self.bins.iter_mut().zip(other.bins) {
            *sum += count;
        }
    }

    /// The lowest and highest value of a bin; the last bins are open.
    fn ends(&self, bin: usize) -> [Option<i32>; 2] {
        let distance = bin.abs_diff(SIDE) as i32;
        let inner = (distance - 1) * self.width + 1;
        let outer = (distance < SIDE as i32).then_some(distance * self.width);
        match bin.cmp(&SIDE) {
            core::cmp::Ordering::Equal => [Some(0); 2],
            core::cmp::Ordering::Greater => [Some(inner), outer],
            core::cmp::Ordering::Less => [outer.map(|value| -value), Some(-inner)],
        }
    }

    /// Each bin's name and count.
    pub fn bars(&self) -> Vec<(String, u64)> {
        let name = |bin| match self.ends(bin) {
            [Some(low), Some(high)] if low == high => low.to_string(),
            [Some(low), Some(high)] => format!("{low} .. {high}"),
            [Some(low), None] => format!("{low} and up"),
            [_, high] => format!("{} and below", high.unwrap_or_default()),
        };
        (0..BINS).map(|bin| (name(bin), self.bins[bin])).collect()
    }

    /// As JSON: each bin's bounds and count.
    pub fn to_json(&self) -> Value {
        let bin = |bin| {
            let [from, to] = self.ends(bin);
            json!({ "from": from, "to": to, "count": self.bins[bin] })
        };
        (0..BINS).map(bin).collect()
    }
}

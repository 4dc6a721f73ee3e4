//! Bands of values, and histograms over them.

#![allow(clippy::cast_possible_wrap)] // numbers of bands are small

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bands of equal width on either side of 0, which has a band of its own. The first and the last
/// band are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Bands {
    width: u32,
    /// On either side, including the open one at the end.
    side: usize,
}

impl Bands {
    /// A band around 0, and so many on either side of it. A width of 0 is taken as 1.
    pub const fn new(width: u32, side: usize) -> Bands {
        Bands {
            width: if width == 0 { 1 } else { width },
            side,
        }
    }

    pub const fn count(self) -> usize {
        2 * self.side + 1
    }

    /// The band of a value.
    pub fn of(self, value: i32) -> usize {
        let steps = (value.unsigned_abs().max(1) - 1) / self.width;
        let distance = (steps as usize + 1).min(self.side);
        match value.signum() {
            0 => self.side,
            1 => self.side + distance,
            _ => self.side - distance,
        }
    }

    /// The lowest and highest value of a band; none where it is open.
    pub fn ends(self, band: usize) -> [Option<i64>; 2] {
        let distance = band.abs_diff(self.side) as i64;
        let width = i64::from(self.width);
        let inner = (distance - 1) * width + 1;
        let outer = (distance < self.side as i64).then_some(distance * width);
        match band.cmp(&self.side) {
            core::cmp::Ordering::Equal => [Some(0); 2],
            core::cmp::Ordering::Greater => [Some(inner), outer],
            core::cmp::Ordering::Less => [outer.map(|value| -value), Some(-inner)],
        }
    }
}

/// The name of a band with these ends.
pub(super) fn name(ends: [Option<i64>; 2]) -> String {
    match ends {
        [Some(low), Some(high)] if low == high => low.to_string(),
        [Some(low), Some(high)] => format!("{low} .. {high}"),
        [Some(low), None] => format!("{low} and up"),
        [_, high] => format!("{} and below", high.unwrap_or_default()),
    }
}

/// On either side of 0.
const SIDE: usize = 11;

/// Counts values in bands.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Histogram {
    width: u32,
    bins: [u64; 2 * SIDE + 1],
}

impl Histogram {
    pub fn new(width: i32) -> Histogram {
        Histogram {
            width: width.max(1).unsigned_abs(),
            ..Histogram::default()
        }
    }

    const fn bands(&self) -> Bands {
        Bands::new(self.width, SIDE)
    }

    pub fn add(&mut self, value: i32) {
        self.bins[self.bands().of(value)] += 1;
    }

    pub fn add_all(&mut self, other: &Histogram) {
        for (sum, count) in self.bins.iter_mut().zip(other.bins) {
            *sum += count;
        }
    }

    /// Each band's name and count.
    pub fn bars(&self) -> Vec<(String, u64)> {
        let names = (0..).map(|band| name(self.bands().ends(band)));
        names.zip(self.bins).collect()
    }

    pub fn to_json(&self) -> Value {
        self.bins
            .iter()
            .enumerate()
            .map(|(band, count)| {
                let [from, to] = self.bands().ends(band);
                json!({ "from": from, "to": to, "count": count })
            })
            .collect()
    }
}

//! How often values lie where.

// Shares are rounded for people anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]
// There are few bins.
#![allow(clippy::cast_possible_wrap)]

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Value, json};

/// Bins on either side of 0, the open one at the end included.
const SIDE: usize = 11;
const BINS: usize = 2 * SIDE + 1;

/// Counts of values in bins of one width around 0, which has a bin of its own.
#[derive(Clone, Debug)]
pub struct Histogram {
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

    /// The lowest and highest value of a bin, if it has any.
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

    pub fn to_json(&self) -> Value {
        let bin = |bin| {
            let [from, to] = self.ends(bin);
            json!({ "from": from, "to": to, "count": self.bins[bin] })
        };
        (0..BINS).map(bin).collect()
    }
}

/// Without the empty bars at both ends.
pub fn filled(bars: &[(String, u64)]) -> Range<usize> {
    let is_filled = |bar: &(String, u64)| bar.1 > 0;
    let first = bars.iter().position(is_filled).unwrap_or(0);
    first
        ..bars
            .iter()
            .rposition(is_filled)
            .map_or(first, |last| last + 1)
}

/// Bars for the terminal, under a title; empty ones at both ends are left out.
pub fn draw(title: &str, bars: &[(String, u64)]) -> String {
    const WIDTH: f64 = 40.0;
    let mut text = format!("\n{title}\n");
    let bars = &bars[filled(bars)];
    if bars.is_empty() {
        return text + "  none\n";
    }
    let highest = bars.iter().map(|bar| bar.1).max().unwrap_or(1) as f64;
    let total: u64 = bars.iter().map(|bar| bar.1).sum();
    let names = bars.iter().map(|bar| bar.0.len()).max().unwrap_or(0);
    for (name, count) in bars {
        let eighths = (*count as f64 / highest * WIDTH * 8.0).ceil() as usize;
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        let bar = "█".repeat(eighths / 8) + rest;
        let percent = 100.0 * *count as f64 / total as f64;
        let _ = writeln!(text, "  {name:>names$}  {percent:>5.1} %  {bar}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_between_its_bins_ends() {
        let histogram = Histogram::new(100);
        for value in (-1300..1300).chain([i32::MIN, i32::MAX]) {
            let [low, high] = histogram.ends(histogram.bin(value));
            assert!(low.is_none_or(|low| low <= value), "{value}");
            assert!(high.is_none_or(|high| value <= high), "{value}");
        }
    }

    #[test]
    fn bins_do_not_overlap() {
        let histogram = Histogram::new(7);
        for bin in 1..BINS {
            let before = histogram.ends(bin - 1)[1].unwrap();
            assert_eq!(before + 1, histogram.ends(bin)[0].unwrap());
        }
    }

    #[test]
    fn bars_are_as_long_as_their_counts() {
        let bars =
            [("a", 0), ("b", 80), ("cc", 40), ("d", 0)].map(|(name, n)| (name.to_owned(), n));
        let full = "█".repeat(40);
        let half = "█".repeat(20);
        let drawn = draw("title", &bars);
        let expected = format!("\ntitle\n   b   66.7 %  {full}\n  cc   33.3 %  {half}\n");
        assert_eq!(drawn, expected);
        assert_eq!(draw("title", &[]), "\ntitle\n  none\n");
    }
}

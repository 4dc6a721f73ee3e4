//! Histograms in the terminal.

// shares are shown rounded
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::fmt::Write as _;
use std::ops::Range;

/// The range without the empty bars at both ends.
pub fn filled(bars: &[(String, u64)]) -> Range<usize> {
    let is_filled = |bar: &(String, u64)| bar.1 > 0;
    let first = bars.iter().position(is_filled).unwrap_or(0);
    first
        ..bars
            .iter()
            .rposition(is_filled)
            .map_or(first, |last| last + 1)
}

/// Draws bars under a title, without the empty ones at both ends.
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

//! What matters to training, of a count: as text for the terminal and as plots of a page.

// Shares are shown rounded.
#![allow(clippy::cast_precision_loss)]

use std::fmt::Write as _;

use swaplist::jobs::front::{grouped, percent};
use swaplist::jobs::{Buckets, Counts, DataCounts, ScoreBand};

use super::{Bins, POSITIONS, bar, bars, bars_of, filled, heading, histogram, histogram_of};

const PLIES: &str = "Half-moves since the start of the game";
const KING: &str = "King of the side to move, seen from its side";
const OTHER_KING: &str = "King of the other side, seen from that side";
const LENGTHS: &str = "Length in positions";
const RESULTS: &str = "Result for the side to move, by its score in centipawns";

/// The title of a trainer's output buckets.
fn of_buckets(buckets: Buckets) -> String {
    format!("Output buckets of {}", buckets.name())
}

/// The text after the summary; `units` is the name of games or chains, if the format has any.
pub fn to_text(counts: &Counts, data: &DataCounts, units: Option<&str>) -> String {
    let mut text = String::new();
    for buckets in Buckets::ALL {
        text += &histogram(&of_buckets(buckets), &buckets.bars(&counts.pieces));
    }
    text += &histogram(PLIES, &data.plies_bars());
    text += &results_text(&data.score_bands());
    text += &board_text(KING, &data.kings);
    text += &board_text(OTHER_KING, &data.other_kings);
    if let Some(units) = units {
        text += &histogram_of(LENGTHS, units, &data.lengths_bars());
    }
    text
}

/// The plots of a page.
pub fn to_html(counts: &Counts, data: &DataCounts, units: Option<&str>) -> String {
    let mut html = String::new();
    let mut plot = |title: &str, bins: Bins, noun| {
        let heading = heading(title, noun, &bins);
        html += &bars_of(&heading, &bars(&bins, None, filled(&bins)));
    };
    for buckets in Buckets::ALL {
        plot(
            &of_buckets(buckets),
            buckets.bars(&counts.pieces),
            POSITIONS,
        );
    }
    plot(PLIES, data.plies_bars(), POSITIONS);
    if let Some(units) = units {
        plot(LENGTHS, data.lengths_bars(), units);
    }
    html += &results_html(&data.score_bands());
    html += &board_html(KING, &data.kings);
    html + &board_html(OTHER_KING, &data.other_kings)
}

/// The bands of scores between the lowest and the highest that are not empty.
fn filled_bands(bands: &[ScoreBand]) -> &[ScoreBand] {
    let is_filled = |band: &ScoreBand| band.positions() > 0;
    let first = bands.iter().position(is_filled).unwrap_or(0);
    let end = bands.iter().rposition(is_filled).map_or(0, |last| last + 1);
    &bands[first..end]
}

/// The title of how games ended by score, with the number of positions.
fn results_heading(bands: &[ScoreBand]) -> String {
    let positions = bands.iter().map(ScoreBand::positions).sum();
    format!("{RESULTS}, {} positions", grouped(positions))
}

/// A table for the terminal of how games ended by score; empty if no record has both.
fn results_text(bands: &[ScoreBand]) -> String {
    let shown = filled_bands(bands);
    if shown.is_empty() {
        return String::new();
    }
    let names = shown.iter().map(|band| band.name.len()).max().unwrap_or(0);
    let mut text = format!("\n{}\n", results_heading(bands));
    let _ = writeln!(
        text,
        "  {:>names$}  {:>13}  {:>7}  {:>7}  {:>7}  {:>7}",
        "", "positions", "won", "drawn", "lost", "average"
    );
    for band in shown {
        let positions = band.positions();
        if positions == 0 {
            let _ = writeln!(text, "  {:>names$}  {:>13}", band.name, 0);
            continue;
        }
        let [won, drawn, lost] = band.results.map(|count| percent(count, positions));
        let _ = writeln!(
            text,
            "  {:>names$}  {:>13}  {won:>7}  {drawn:>7}  {lost:>7}  {:>7.3}",
            band.name,
            grouped(positions),
            band.expected()
        );
    }
    text
}

/// A bar for each band of scores, of wins, draws and losses; empty if no record has both.
fn results_html(bands: &[ScoreBand]) -> String {
    let shown = filled_bands(bands);
    if shown.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for band in shown.iter().filter(|band| band.positions() > 0) {
        let positions = band.positions();
        let [won, drawn, lost] = band.results;
        let parts = [(won, "won"), (drawn, "drawn"), (lost, "lost")];
        let [won, drawn, lost] = band.results.map(|count| percent(count, positions));
        let figure = format!(
            "{}: {won} won, {drawn} drawn, {lost} lost, average {:.3}",
            grouped(positions),
            band.expected()
        );
        rows += &bar(&band.name, &parts, positions, &figure);
    }
    bars_of(&results_heading(bands), &rows)
}

/// The title of a board, with the number of positions.
fn board_heading(title: &str, squares: &[u64]) -> String {
    let positions = squares.iter().sum();
    format!("{title}, percent of {} positions", grouped(positions))
}

/// The ranks of a board from the eighth down, each with its number and the share of each of its
/// squares in percent; `None` for a square with nothing.
fn ranks(squares: &[u64]) -> impl Iterator<Item = (usize, Vec<Option<f64>>)> {
    let all = squares.iter().sum::<u64>() as f64;
    let share = move |&count: &u64| (count > 0).then_some(100.0 * count as f64 / all);
    let ranks = squares.chunks(8).enumerate().rev();
    ranks.map(move |(rank, counts)| (rank + 1, counts.iter().map(share).collect()))
}

/// A board for the terminal with the share of each square.
fn board_text(title: &str, squares: &[u64]) -> String {
    let mut text = format!("\n{}\n", board_heading(title, squares));
    for (rank, shares) in ranks(squares) {
        let _ = write!(text, "  {rank}");
        for share in shares {
            let share = share.map_or_else(|| ".".to_owned(), |share| format!("{share:.1}"));
            let _ = write!(text, "  {share:>5}");
        }
        text.push('\n');
    }
    text.push_str("   ");
    for file in 'a'..='h' {
        let _ = write!(text, "  {file:>5}");
    }
    text.push('\n');
    text
}

/// The same board as a table for a page, darker where there is more.
fn board_html(title: &str, squares: &[u64]) -> String {
    let most = squares.iter().copied().max().unwrap_or(0).max(1) as f64;
    let all = squares.iter().sum::<u64>() as f64;
    let mut html = format!(
        "<h2>{}</h2>\n<table class=\"board\">\n",
        board_heading(title, squares)
    );
    for (rank, shares) in ranks(squares) {
        let _ = write!(html, "<tr><td>{rank}</td>");
        for share in shares {
            let darkness = share.map_or(0.0, |share| share / 100.0 * all / most);
            let share = share.map_or_else(String::new, |share| format!("{share:.1}"));
            let _ = write!(
                html,
                "<td style=\"background:rgba(34,102,170,{:.3})\">{share}</td>",
                0.7 * darkness
            );
        }
        html.push_str("</tr>\n");
    }
    html.push_str("<tr><td></td>");
    for file in 'a'..='h' {
        let _ = write!(html, "<td>{file}</td>");
    }
    html.push_str("</tr>\n</table>\n");
    html
}

//! The part of a count that matters to training: as text for the terminal, and as plots of a page.

// Shares are shown rounded.
#![allow(clippy::cast_precision_loss)]

use std::fmt::Write as _;

use swaplist::Choice;
use swaplist_files::jobs::{Bars, Buckets, Counts, DataCounts, ScoreBand, Summary};
use swaplist_files::report::{grouped, percent};

use super::{
    Bins, POSITIONS, bar, bars, bars_of, escaped, filled, heading, histogram, histogram_of,
};

const PLIES: &str = "Half-moves since the start of the game";
const KING: &str = "King of the side to move, seen from its side";
const OTHER_KING: &str = "King of the other side, seen from that side";
const LENGTHS: &str = "Length in positions";
const RESULTS: &str = "Result for the side to move, by its score in centipawns";

/// The title of a trainer's output buckets.
fn buckets_text(buckets: Buckets) -> String {
    format!("Output buckets of {}", buckets.name())
}

/// The text after the summary; `units` is the name of games or chains, if the format has any.
pub fn to_text(counts: &Counts, data: &DataCounts, units: Option<&str>) -> String {
    let mut text = String::new();
    for &buckets in Buckets::ALL {
        text += &histogram(&buckets_text(buckets), &counts.bars(Bars::Buckets(buckets)));
    }
    text += &histogram(PLIES, &counts.bars(Bars::Plies));
    text += &results_text(&data.score_bands());
    text += &board_text(KING, &data.kings);
    text += &board_text(OTHER_KING, &data.other_kings);
    if let Some(units) = units {
        text += &histogram_of(LENGTHS, units, &counts.bars(Bars::Lengths));
    }
    text
}

/// The plots of a page.
pub fn to_html(counts: &Counts, data: &DataCounts, units: Option<&str>) -> String {
    let mut html = String::new();
    let mut plot = |title: &str, bins: Bins, noun| {
        let heading = heading(title, noun, &bins);
        // A count keeps no records, so the bars have no second part.
        let kept = None;
        html += &bars_of(&heading, &bars(&bins, kept, filled(&bins)));
    };
    for &buckets in Buckets::ALL {
        plot(
            &buckets_text(buckets),
            counts.bars(Bars::Buckets(buckets)),
            POSITIONS,
        );
    }
    plot(PLIES, counts.bars(Bars::Plies), POSITIONS);
    if let Some(units) = units {
        plot(LENGTHS, counts.bars(Bars::Lengths), units);
    }
    html += &results_html(&data.score_bands());
    html += &board_html(KING, &data.kings);
    html + &board_html(OTHER_KING, &data.other_kings)
}

/// A table with a row for each file, so that files can be compared.
struct FileTable {
    title: &'static str,
    /// The headings. The first column, of the files' names, has an empty one.
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What a table tells of a file: the name and the text of each column.
type Cells = fn(&Counts, &DataCounts) -> Vec<(String, String)>;

const FILE_TABLES: [(&str, Cells); 3] = [
    (
        "Each file: average result for the side to move by its score (1 won, 0.5 drawn, 0 lost)",
        results_cells,
    ),
    (
        "Each file: positions by half-moves since the start of the game",
        plies_cells,
    ),
    ("Each file: positions by number of pieces", pieces_cells),
];

/// Half-moves with which the columns of a table begin.
const PLY_COLUMNS: [usize; 6] = [0, 20, 40, 60, 80, 120];

const NONE: &str = "-";

/// The tables of a count of several files.
fn file_tables(summary: &Summary) -> Vec<FileTable> {
    let files: Vec<_> = summary
        .files
        .iter()
        .filter_map(|file| {
            let [read, _kept] = file.tally.counts.as_deref()?;
            let data = read.data.as_deref()?;
            let cells = FILE_TABLES.map(|(_, cells)| cells(read, data));
            Some((file.input.clone(), cells))
        })
        .collect();
    let Some((_, first)) = files.first() else {
        return Vec::new();
    };
    FILE_TABLES
        .iter()
        .enumerate()
        .map(|(number, (title, _))| FileTable {
            title,
            columns: core::iter::once(String::new())
                .chain(first[number].iter().map(|cell| cell.0.clone()))
                .collect(),
            rows: files
                .iter()
                .map(|(name, cells)| {
                    let texts = cells[number].iter().map(|cell| cell.1.clone());
                    core::iter::once(name.clone()).chain(texts).collect()
                })
                .collect(),
        })
        .collect()
}

fn results_cells(_: &Counts, data: &DataCounts) -> Vec<(String, String)> {
    data.wide_score_bands()
        .into_iter()
        .map(|band| {
            let average = match band.positions {
                0 => NONE.to_owned(),
                _ => format!("{:.3}", band.expected),
            };
            (band.name, average)
        })
        .collect()
}

fn plies_cells(_: &Counts, data: &DataCounts) -> Vec<(String, String)> {
    let ends = PLY_COLUMNS[1..].iter().map(|&end| Some(end));
    let columns = PLY_COLUMNS.into_iter().zip(ends.chain([None]));
    let counted = columns.map(|(start, end)| {
        let (name, counts) = match end {
            Some(end) => (format!("{start} .. {}", end - 1), &data.plies[start..end]),
            None => (format!("{start} and up"), &data.plies[start..]),
        };
        (name, counts.iter().sum())
    });
    shares(counted.collect())
}

fn pieces_cells(counts: &Counts, _: &DataCounts) -> Vec<(String, String)> {
    // Columns of four numbers of pieces each: 2 to 5, and so on.
    let columns = (2..).step_by(4).zip(counts.pieces[2..].chunks(4));
    let cells = columns.map(|(fewest, positions)| {
        let most = fewest + positions.len() - 1;
        (format!("{fewest} .. {most}"), positions.iter().sum())
    });
    shares(cells.collect())
}

/// Counts as shares of their sum.
fn shares(counts: Vec<(String, u64)>) -> Vec<(String, String)> {
    let all: u64 = counts.iter().map(|count| count.1).sum();
    counts
        .into_iter()
        .map(|(name, count)| match all {
            0 => (name, NONE.to_owned()),
            _ => (name, percent(count, all)),
        })
        .collect()
}

/// A table with a row for each of several files, for the terminal.
pub fn files_text(summary: &Summary) -> String {
    let mut text = String::new();
    for table in file_tables(summary) {
        let lines = || core::iter::once(&table.columns).chain(&table.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..table.columns.len()).filter_map(width).collect();
        let _ = writeln!(text, "\n{}", table.title);
        for line in lines() {
            let names = widths[0];
            let _ = write!(text, "  {:<names$}", line[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
    }
    text
}

/// A table with a row for each of several files, for the page.
pub fn files_html(summary: &Summary) -> String {
    let mut html = String::new();
    for table in file_tables(summary) {
        let _ = writeln!(html, "<h2>{}</h2>\n<table class=\"files\">", table.title);
        for line in core::iter::once(&table.columns).chain(&table.rows) {
            html.push_str("<tr>");
            for cell in line {
                let _ = write!(html, "<td>{}</td>", escaped(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</table>\n");
    }
    html
}

/// The bands of scores between the lowest and the highest that are not empty.
fn filled_bands(bands: &[ScoreBand]) -> &[ScoreBand] {
    let is_filled = |band: &ScoreBand| band.positions > 0;
    let first = bands.iter().position(is_filled).unwrap_or(0);
    let end = bands.iter().rposition(is_filled).map_or(0, |last| last + 1);
    &bands[first..end]
}

/// The title of how games ended by score, with the number of positions.
fn results_heading(bands: &[ScoreBand]) -> String {
    let positions = bands.iter().map(|band| band.positions).sum();
    format!("{RESULTS}, {} positions", grouped(positions))
}

/// A table for the terminal of how games ended by score; empty if no record has a score and a
/// result.
fn results_text(bands: &[ScoreBand]) -> String {
    let shown = filled_bands(bands);
    if shown.is_empty() {
        return String::new();
    }
    let width = shown.iter().map(|band| band.name.len()).max().unwrap_or(0);
    let mut text = format!("\n{}\n", results_heading(bands));
    let _ = writeln!(
        text,
        "  {:>width$}  {:>13}  {:>7}  {:>7}  {:>7}  {:>7}",
        "", "positions", "won", "drawn", "lost", "average"
    );
    for band in shown {
        let positions = band.positions;
        if positions == 0 {
            let _ = writeln!(text, "  {:>width$}  {:>13}", band.name, 0);
            continue;
        }
        let [won, drawn, lost] = band.results.map(|count| percent(count, positions));
        let _ = writeln!(
            text,
            "  {:>width$}  {:>13}  {won:>7}  {drawn:>7}  {lost:>7}  {:>7.3}",
            band.name,
            grouped(positions),
            band.expected
        );
    }
    text
}

/// A bar for each band of scores, of wins, draws and losses; empty if no record has a score and a
/// result.
fn results_html(bands: &[ScoreBand]) -> String {
    let shown = filled_bands(bands);
    if shown.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for band in shown.iter().filter(|band| band.positions > 0) {
        let positions = band.positions;
        let [won, drawn, lost] = band.results;
        let parts = [(won, "won"), (drawn, "drawn"), (lost, "lost")];
        let figure = format!(
            "{}: {} won, {} drawn, {} lost, average {:.3}",
            grouped(positions),
            percent(won, positions),
            percent(drawn, positions),
            percent(lost, positions),
            band.expected
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
    let ranks = squares.chunks(8).enumerate().rev();
    ranks.map(move |(rank, counts)| {
        let shares = counts
            .iter()
            .map(|&count| (count > 0).then_some(100.0 * count as f64 / all));
        (rank + 1, shares.collect())
    })
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

/// A board for the page, with darker squares where there is more.
fn board_html(title: &str, squares: &[u64]) -> String {
    /// The opacity of the darkest square, on which the text can still be read.
    const DARKEST: f64 = 0.7;
    let most = squares.iter().copied().max().unwrap_or(0).max(1) as f64;
    let all = squares.iter().sum::<u64>() as f64;
    let mut html = format!(
        "<h2>{}</h2>\n<table class=\"board\">\n",
        board_heading(title, squares)
    );
    for (rank, shares) in ranks(squares) {
        let _ = write!(html, "<tr><td>{rank}</td>");
        for share in shares {
            // The square's count as a part of the largest count.
            let darkness = share.map_or(0.0, |share| share / 100.0 * all / most);
            let share = share.map_or_else(String::new, |share| format!("{share:.1}"));
            let _ = write!(
                html,
                "<td style=\"background:rgba(34,102,170,{:.3})\">{share}</td>",
                DARKEST * darkness
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

//! The HTML report of a filter or a count, and histograms in the terminal.

// Shares are shown rounded.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::fmt::Write as _;
use std::ops::Range;

use swaplist::Choice;
use swaplist_files::jobs::{Bars, Counts, JobKind, Summary};
use swaplist_files::report::{grouped, percent, share};

pub mod data;

pub const SEE: &str = "SEE of the best noisy move";
pub const SCORE: &str = "Score of the side to move, centipawns";
pub const PIECES: &str = "Pieces on the board";

/// The bins of a plot, each with its name and the number of positions in it.
type Bins = Vec<(String, u64)>;

/// The title of the plot of results.
const RESULT: &str = "Result";

/// The noun of what most bars count.
const POSITIONS: &str = "positions";

/// The style of all pages.
pub const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2733; background: #fff; \
max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 2rem 0 0; }
table { border-spacing: 0; } td { padding: .1rem .8rem .1rem 0; vertical-align: top; }
td:first-child { color: #5a6b7d; white-space: nowrap; } p { color: #5a6b7d; }
.bars { width: 100%; } .bars td { white-space: nowrap; } .bars td:first-child { text-align: right; }
.bars td:nth-child(2) { width: 100%; } .bars div { display: flex; margin-top: .3rem; }
b { height: .9rem; } .read { background: #b0bece; } .kept { background: #26a; }
.dropped { background: #c85c3c; } .won { background: #26a; } .drawn { background: #b0bece; }
.lost { background: #c85c3c; } .board td { width: 3.2rem; height: 1.8rem; padding: 0 .3rem; \
text-align: right; vertical-align: middle; } .board td:first-child { width: 1rem; }
.files td { text-align: right; } .files td:first-child { text-align: left; }
";

/// A page of the summary, with bars of the records read and kept.
pub fn to_html(summary: &Summary) -> String {
    let title = escaped(&format!("swaplist {} {}", summary.job, summary.input));
    let mut lines = String::new();
    for (name, value) in summary.table().rows {
        let name = escaped(&name);
        let value = escaped(&value);
        let _ = writeln!(lines, "<tr><td>{name}</td><td>{value}</td></tr>");
    }
    let plots = files(summary) + &plots(summary);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n<h1>{title}</h1>\n<table>\n{lines}</table>\n{plots}</html>\n"
    )
}

/// The plots of a page: what became of the records of a filter, then the distributions.
fn plots(summary: &Summary) -> String {
    let is_filter = summary.job == JobKind::Filter;
    let mut html = String::new();
    let counts = summary.tally.counts.as_deref();
    let reasons = summary.tally.reasons();
    if is_filter && !reasons.is_empty() {
        let kept = counts.map_or(0, |[_, kept]| kept.positions);
        let all = kept + reasons.iter().map(|reason| reason.1).sum::<u64>();
        let whole_bar =
            |name: &str, count, class| bar(name, &[(count, class)], all, &share(count, all));
        let mut bars = whole_bar("kept", kept, "kept");
        for (name, count) in reasons {
            let name = format!("{}: {name}", summary.action());
            bars += &whole_bar(&name, count, "dropped");
        }
        html += &bars_of("What became of the positions", &bars);
    }
    let Some([read, kept]) = counts else {
        return html;
    };
    let mut plot = |title, bins: &dyn Fn(&Counts) -> Bins| {
        let bins_read = bins(read);
        let bins_kept = is_filter.then(|| bins(kept));
        let shown = if title == RESULT {
            0..bins_read.len()
        } else {
            filled(&bins_read)
        };
        html += &bars_of(
            &heading(title, POSITIONS, &bins_read),
            &bars(&bins_read, bins_kept.as_ref(), shown),
        );
    };
    plot(SEE, &|counts| counts.bars(Bars::See));
    if read.scored > 0 {
        plot(SCORE, &|counts| counts.bars(Bars::Score));
    }
    if read.outcomes != [0; 3] {
        plot(RESULT, &|counts| {
            let names = summary.results().map(str::to_owned);
            names.into_iter().zip(counts.outcomes).collect()
        });
    }
    plot(PIECES, &|counts| counts.bars(Bars::Pieces));
    if let Some(data) = &read.data {
        html += &data::to_html(read, data, units(summary));
    }
    if is_filter {
        html += "<p>Beside each bar: how many were read, their share of the positions in the plot, \
                 and how many of these were kept (dark).</p>\n";
    }
    html
}

/// The name of games or chains, if the format of all files has any.
pub fn units(summary: &Summary) -> Option<&'static str> {
    summary.formats.and_then(|[format, _]| format.spec().units)
}

/// The table of the files, if there are several.
fn files(summary: &Summary) -> String {
    if summary.files.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    let mut row = |cells: [&str; 5]| {
        let cells = cells.map(|cell| format!("<td>{}</td>", escaped(cell)));
        let _ = writeln!(rows, "<tr>{}</tr>", cells.concat());
    };
    let [scored_title, duplicates_title] = match summary.tally.counts {
        Some(_) => ["scored", "duplicates"],
        None => ["", ""],
    };
    row(["file", "format", "records", scored_title, duplicates_title]);
    for file in &summary.files {
        let format = file.formats.map_or("", |[format, _]| format.name());
        let records = grouped(file.tally.records);
        let [mut scored, mut duplicates] = [String::new(), String::new()];
        if let Some([counts, _]) = file.tally.counts.as_deref() {
            scored = percent(counts.scored, counts.positions);
            if let Some(data) = &counts.data {
                let gone = counts.positions - data.distinct_positions();
                duplicates = format!("about {}", percent(gone, counts.positions));
            }
        }
        row([&file.input, format, &records, &scored, &duplicates]);
    }
    let tables = data::files_html(summary);
    format!("<h2>Files</h2>\n<table class=\"files\">\n{rows}</table>\n{tables}")
}

/// A title, and how many positions, or other things by `noun`, the bars are about: not all
/// positions have a score or a noisy move.
fn heading(title: &str, noun: &str, bars: &[(String, u64)]) -> String {
    let all = bars.iter().map(|bar| bar.1).sum();
    format!("{title}, {} {noun}", grouped(all))
}

/// A plot: a heading over bars.
fn bars_of(title: &str, bars: &str) -> String {
    format!("<h2>{title}</h2>\n<table class=\"bars\">\n{bars}</table>\n")
}

/// A row for each of the bins `shown`. If `kept` has the same bins of the records kept, each bar
/// has two parts.
fn bars(read: &[(String, u64)], kept: Option<&Bins>, shown: Range<usize>) -> String {
    let all = read.iter().map(|bin| bin.1).sum();
    let most = read.iter().map(|bin| bin.1).max().unwrap_or(0);
    shown
        .map(|i| {
            let (name, count) = &read[i];
            match kept.map(|kept| kept[i].1) {
                Some(kept) => {
                    let figure = format!("{}, kept {}", share(*count, all), share(kept, *count));
                    let parts = [(kept, "kept"), (count.saturating_sub(kept), "read")];
                    bar(name, &parts, most, &figure)
                }
                None => bar(name, &[(*count, "kept")], most, &share(*count, all)),
            }
        })
        .collect()
}

/// A row with a bar of several parts, each with its count and its class in CSS, and a figure after
/// it. `most` is the count of the longest bar. A part with a count above 0 stays visible.
fn bar(name: &str, parts: &[(u64, &str)], most: u64, figure: &str) -> String {
    let name = escaped(name);
    let mut row = format!("<tr><td>{name}</td><td><div>");
    for (count, class) in parts.iter().filter(|part| part.0 > 0) {
        let percent = 100.0 * *count as f64 / most as f64;
        let _ = write!(
            row,
            "<b class=\"{class}\" style=\"width:max({percent:.3}%,3px)\"></b>"
        );
    }
    let _ = writeln!(row, "</div></td><td>{figure}</td></tr>");
    row
}

/// Text as HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The range without the empty bars at both ends.
fn filled(bars: &[(String, u64)]) -> Range<usize> {
    let is_filled = |bar: &(String, u64)| bar.1 > 0;
    let first = bars.iter().position(is_filled).unwrap_or(0);
    let end = bars.iter().rposition(is_filled).map_or(0, |last| last + 1);
    first..end
}

/// A histogram for the terminal under a title, without the empty bars at both ends.
pub fn histogram(title: &str, bars: &[(String, u64)]) -> String {
    histogram_of(title, POSITIONS, bars)
}

/// A histogram of things that are not positions: `noun` is their name in the plural.
pub fn histogram_of(title: &str, noun: &str, bars: &[(String, u64)]) -> String {
    const WIDTH: f64 = 40.0;
    let mut text = format!("\n{}\n", heading(title, noun, bars));
    let bars = &bars[filled(bars)];
    if bars.is_empty() {
        return text + "  none\n";
    }
    let highest = bars.iter().map(|bar| bar.1).max().unwrap_or(1) as f64;
    let total: u64 = bars.iter().map(|bar| bar.1).sum();
    let width = bars.iter().map(|bar| bar.0.len()).max().unwrap_or(0);
    for (name, count) in bars {
        // Bars have a resolution of eighths of a character.
        let eighths = (*count as f64 / highest * WIDTH * 8.0).ceil() as usize;
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        let bar = "█".repeat(eighths / 8) + rest;
        let percent = 100.0 * *count as f64 / total as f64;
        let _ = writeln!(text, "  {name:>width$}  {percent:>5.1} %  {bar}");
    }
    text
}

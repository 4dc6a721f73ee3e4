//! The page of a bench of a whole file: its tables, and a timeline of each contender.

use std::fmt::Write as _;
use std::time::Duration;

use swaplist::Choice;
use swaplist_files::report::ResultTable;
use swaplist_files::stages::{Lane, Stage, Timeline};

use super::files::Figure;
use crate::report::{STYLE, escaped};

/// The time that a timeline shows.
const WINDOW: Duration = Duration::from_millis(100);

// Sizes of the drawing, in its own units.
const WIDTH: f64 = 1000.0;
/// The width of the names of lanes, before the timeline.
const NAMES: f64 = 90.0;
/// The height of a lane.
const ROW: f64 = 18.0;

const MORE_STYLE: &str = "\
pre { font: 13px/1.5 ui-monospace, monospace; overflow-x: auto; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: #5a6b7d; } .key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; }
.key li { list-style: none; } .key i { display: inline-block; width: .9rem; height: .9rem; \
vertical-align: -.1rem; margin-right: .3rem; }
";

/// A page with the rows of the sheet, the tables and the timelines.
pub fn to_html(sheet: &ResultTable, tables: &str, figures: &[Figure]) -> String {
    let title = escaped(&format!("swaplist {}", sheet.title));
    let mut rows = String::new();
    for (name, value) in &sheet.rows {
        let (name, value) = (escaped(name), escaped(value));
        let _ = writeln!(rows, "<tr><td>{name}</td><td>{value}</td></tr>");
    }
    let timelines: String = figures.iter().map(timeline).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{MORE_STYLE}</style>\n<h1>{title}</h1>\n<table>\n{rows}</table>\n\
         <pre>{}</pre>\n{}{timelines}</html>\n",
        escaped(tables.trim_start_matches('\n')),
        key(figures)
    )
}

/// The colour of a stage: work of threads in blues and greens, the device's in reds, waiting pale.
const fn colour(stage: Stage) -> &'static str {
    match stage {
        Stage::Read => "#7b4fa3",
        Stage::Decode => "#2266aa",
        Stage::Judge => "#139a74",
        Stage::Encode => "#6aa8dd",
        Stage::Write => "#d9962b",
        Stage::Cut => "#4478b5",
        Stage::Fill => "#1d7f8c",
        Stage::Finish => "#8cbf5a",
        Stage::Wait => "#e6eaef",
        Stage::Upload => "#e0694a",
        Stage::DecodeKernel => "#b5384f",
        Stage::JudgeKernel => "#8e1f3d",
        Stage::EncodeKernel => "#d4587c",
        Stage::Download => "#f0a58f",
        _ => "#98a5b3",
    }
}

/// What the colours mean, of those that are seen.
fn key(figures: &[Figure]) -> String {
    let seen = Stage::ALL.iter().copied().filter(|stage| {
        let mut timelines = figures.iter().map(|figure| &figure.timeline);
        timelines.any(|timeline| !timeline.totals[*stage as usize].is_zero())
    });
    let mut items = String::new();
    for stage in seen {
        let colour = colour(stage);
        let _ = writeln!(
            items,
            "<li><i style=\"background:{colour}\"></i>{stage}</li>"
        );
    }
    format!("<ul class=\"key\">\n{items}</ul>\n")
}

/// The timeline of a contender: a row for each thread, the bus and the device.
fn timeline(figure: &Figure) -> String {
    let Timeline { elapsed, lanes, .. } = &figure.timeline;
    // In the middle of the run, where it neither begins nor ends. A long run has spans only up to a
    // number, so the middle is that of the spans that were kept.
    let kept = lanes.iter().filter_map(|lane| lane.spans.last());
    let end = kept.map(|span| span.end).max().unwrap_or(*elapsed);
    let start = (end / 2).saturating_sub(WINDOW / 2);
    let shown = WINDOW.min(end.saturating_sub(start));
    let lanes: Vec<&Lane> = lanes.iter().filter(|lane| !lane.spans.is_empty()).collect();
    #[allow(clippy::cast_precision_loss)] // a few rows
    let height = ROW * (lanes.len() as f64 + 1.0);
    let mut rows = String::new();
    let mut top = 0.0;
    for lane in lanes {
        rows += &row(lane, top, start, shown);
        top += ROW;
    }
    let axis = format!(
        "<text x=\"{NAMES}\" y=\"{0:.0}\">{1:.0} ms</text><text x=\"{WIDTH}\" y=\"{0:.0}\" \
         text-anchor=\"end\">{2:.0} ms</text>",
        top + 13.0,
        start.as_secs_f64() * 1e3,
        (start + shown).as_secs_f64() * 1e3
    );
    let name = escaped(&figure.name);
    let bound = escaped(&figure.bound);
    format!(
        "<h2>{name}</h2>\n<p>{bound}</p>\n<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
         aria-label=\"What each thread did\">\n{rows}{axis}</svg>\n"
    )
}

/// A lane of a timeline.
fn row(lane: &Lane, top: f64, start: Duration, shown: Duration) -> String {
    let at = |time: Duration| {
        let share = time.saturating_sub(start).as_secs_f64() / shown.as_secs_f64();
        NAMES + (WIDTH - NAMES) * share.min(1.0)
    };
    let mut text = format!(
        "<text x=\"0\" y=\"{:.0}\">{}</text>",
        top + 13.0,
        escaped(&lane.name)
    );
    let in_sight = lane
        .spans
        .iter()
        .filter(|span| span.end > start && span.start < start + shown);
    for span in in_sight {
        let (left, right) = (at(span.start), at(span.end));
        let colour = colour(span.stage);
        let _ = write!(
            text,
            "<rect x=\"{left:.2}\" y=\"{:.0}\" width=\"{:.2}\" height=\"{:.0}\" fill=\"{colour}\"/>",
            top + 2.0,
            right - left,
            ROW - 4.0
        );
    }
    text + "\n"
}

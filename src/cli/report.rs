//! The HTML report of a filter or a count.

use std::fmt::Write as _;
use std::ops::Range;

use anyhow::Result;

use super::bars::{self, Bar};
use super::histogram::filled;
use super::page::{DROPPED, Entry, KEPT, Page, READ};
use swaplist::jobs::shown::share;
use swaplist::jobs::{Counts, Summary};

pub const SEE: &str = "SEE of the best noisy move";
pub const SCORE: &str = "Score of the side to move, centipawns";
const RESULT: &str = "Result";
pub const PIECES: &str = "Pieces on the board";

/// A page of the summary, with plots of the records read and kept.
pub fn to_html(summary: &Summary) -> Result<String> {
    let is_filter = summary.job == "filter";
    let title = format!("swaplist {} {}", summary.job, summary.input);
    let mut page = Page::new(&title, &summary.lines());
    if is_filter && !summary.tally.reasons().is_empty() {
        reasons(summary, &mut page)?;
    }
    let Some([read, kept]) = summary.tally.counts.as_deref() else {
        return Ok(page.into_html());
    };
    let kept = is_filter.then_some(kept);
    let results = |counts: &Counts| -> Bins {
        let names = summary.results().map(str::to_owned);
        names.into_iter().zip(counts.outcomes).collect()
    };
    let mut plot = |title, bins: &dyn Fn(&Counts) -> Bins| {
        let read = bins(read);
        let shown = if title == RESULT {
            0..read.len()
        } else {
            filled(&read)
        };
        plot(&mut page, title, &read, kept.map(bins).as_ref(), shown)
    };
    plot(SEE, &Counts::see_bars)?;
    if read.scored > 0 {
        plot(SCORE, &Counts::score_bars)?;
    }
    if read.has_outcomes() {
        plot(RESULT, &results)?;
    }
    plot(PIECES, &Counts::pieces_bars)?;
    Ok(page.into_html())
}

/// Plots what became of the records.
fn reasons(summary: &Summary, page: &mut Page) -> Result<()> {
    let reasons = summary.tally.reasons();
    let kept = summary.tally.counts.as_deref();
    let kept = kept.map_or(0, |[_, kept]| kept.positions);
    let all = kept + reasons.iter().map(|reason| reason.1).sum::<u64>();
    let bar = |name: &str, count, color| Bar {
        name: name.to_owned(),
        figure: share(count, all),
        parts: vec![(count, color)],
    };
    let mut bars = vec![bar("kept", kept, KEPT)];
    let others = reasons.iter();
    bars.extend(others.map(|(name, count)| bar(name, *count, DROPPED)));
    let key = [
        Entry::new("kept", KEPT),
        Entry::new(summary.action(), DROPPED),
    ];
    let title = "What became of the positions";
    page.plot(title, &key, &bars::draw(&bars)?, "");
    Ok(())
}

/// Names and counts of bins.
type Bins = Vec<(String, u64)>;

fn plot(
    page: &mut Page,
    title: &str,
    read: &[(String, u64)],
    kept: Option<&Bins>,
    shown: Range<usize>,
) -> Result<()> {
    let all = read.iter().map(|bin| bin.1).sum();
    let bar = |i: usize| {
        let (name, count) = &read[i];
        let mut bar = Bar {
            name: name.clone(),
            figure: share(*count, all),
            parts: vec![(*count, KEPT)],
        };
        if let Some(kept) = kept {
            let kept = kept[i].1;
            let _ = write!(bar.figure, ", kept {}", share(kept, *count));
            bar.parts = vec![(*count, READ), (kept, KEPT)];
        }
        bar
    };
    let bars: Vec<Bar> = shown.map(bar).collect();
    let (key, remark) = match kept {
        Some(_) => (
            &[Entry::new("read", READ), Entry::new("kept", KEPT)][..],
            "Beside each bar: how many were read, their share of all, and how many of these \
             were kept.",
        ),
        None => (&[][..], ""),
    };
    page.plot(title, key, &bars::draw(&bars)?, remark);
    Ok(())
}

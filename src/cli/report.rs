//! The HTML report of a filter or a count.

use std::fmt::Write as _;
use std::ops::Range;

use anyhow::Result;

use super::bars::{self, Bar};
use super::histogram::filled;
use super::page::{DROPPED, Entry, KEPT, Page, READ};
use swaplist::jobs::shown::{Lines, share};
use swaplist::jobs::{Counts, results};

pub const SEE: &str = "SEE of the best noisy move";
pub const SCORE: &str = "Score of the side to move, centipawns";
pub const MEN: &str = "Men on the board";

pub struct Report<'a> {
    pub title: String,
    pub lines: Lines,
    /// What became of the records not kept: "dropped" or "marked".
    pub action: &'static str,
    /// Whose wins are counted first.
    pub wins_of: &'static str,
    /// Records not kept, by reason.
    pub reasons: Vec<(String, u64)>,
    /// `None` if nothing was counted.
    pub read: Option<&'a Counts>,
    /// For a filter.
    pub kept: Option<&'a Counts>,
}

impl Report<'_> {
    pub fn to_html(&self) -> Result<String> {
        let mut page = Page::new(&self.title, &self.lines);
        if !self.reasons.is_empty() {
            self.reasons(&mut page)?;
        }
        if let Some(read) = self.read {
            self.plots(&mut page, read)?;
        }
        Ok(page.into_html())
    }

    fn plots(&self, page: &mut Page, read: &Counts) -> Result<()> {
        self.plot(page, read, SEE, filled, |counts| counts.see.bars())?;
        if read.scored > 0 {
            self.plot(page, read, SCORE, filled, |counts| counts.scores.bars())?;
        }
        if read.has_outcomes() {
            self.plot(
                page,
                read,
                "Result",
                |bars| 0..bars.len(),
                |counts| {
                    let names = results(self.wins_of).map(str::to_owned);
                    names.into_iter().zip(counts.outcomes).collect()
                },
            )?;
        }
        self.plot(page, read, MEN, filled, Counts::men_bars)
    }

    /// Plots what became of the records.
    fn reasons(&self, page: &mut Page) -> Result<()> {
        let kept = self.kept.map_or(0, |kept| kept.positions);
        let all = kept + self.reasons.iter().map(|reason| reason.1).sum::<u64>();
        let bar = |name: &str, count, color| Bar {
            name: name.to_owned(),
            figure: share(count, all),
            parts: vec![(count, color)],
        };
        let mut bars = vec![bar("kept", kept, KEPT)];
        let others = self.reasons.iter();
        bars.extend(others.map(|(name, count)| bar(name, *count, DROPPED)));
        let key = [Entry::new("kept", KEPT), Entry::new(self.action, DROPPED)];
        let title = "What became of the positions";
        page.plot(title, &key, &bars::draw(&bars)?, "");
        Ok(())
    }

    fn plot(
        &self,
        page: &mut Page,
        read: &Counts,
        title: &str,
        shown: fn(&[(String, u64)]) -> Range<usize>,
        counts: impl Fn(&Counts) -> Vec<(String, u64)>,
    ) -> Result<()> {
        let (read, kept) = (counts(read), self.kept.map(&counts));
        let all = read.iter().map(|bin| bin.1).sum();
        let bar = |i: usize| {
            let (name, count) = &read[i];
            let mut bar = Bar {
                name: name.clone(),
                figure: share(*count, all),
                parts: vec![(*count, KEPT)],
            };
            if let Some(kept) = &kept {
                let kept = kept[i].1;
                let _ = write!(bar.figure, ", kept {}", share(kept, *count));
                bar.parts = vec![(*count, READ), (kept, KEPT)];
            }
            bar
        };
        let bars: Vec<Bar> = shown(&read).map(bar).collect();
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
}

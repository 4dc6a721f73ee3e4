//! The page of a filter or a count.

// Pixels are rounded anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use anyhow::Result;
use plotters::prelude::*;

use super::counts::{Counts, results};
use super::page::{
    self, AXIS, Area, DROPPED, Drawn, Entry, GRID, KEPT, LETTER, LETTERS, Page, READ, WIDTH,
};
use super::summary::{Lines, grouped};

pub const SEE: &str = "SEE of the best noisy move";
pub const SCORE: &str = "Score of the side to move, centipawns";
pub const MEN: &str = "Men on the board";

/// What a page shows.
pub struct Report<'a> {
    pub title: String,
    pub lines: Lines,
    /// What became of those that were not kept: "dropped" or "marked".
    pub fate: &'static str,
    /// Whose wins the results are.
    pub wins_of: &'static str,
    /// How many those were, for each reason.
    pub reasons: Vec<(String, u64)>,
    /// `None` where there was nothing to count.
    pub read: Option<&'a Counts>,
    /// Of a filter.
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
        self.plot(page, read, SEE, |counts| counts.see.bars())?;
        if read.scored > 0 {
            self.plot(page, read, SCORE, |counts| counts.scores.bars())?;
        }
        if read.has_outcomes() {
            self.plot(page, read, "Result", |counts| {
                let names = results(self.wins_of).map(str::to_owned);
                names.into_iter().zip(counts.outcomes).collect()
            })?;
        }
        self.plot(page, read, MEN, Counts::men_bars)
    }

    /// What became of the records.
    fn reasons(&self, page: &mut Page) -> Result<()> {
        let kept = self.kept.map_or(0, |kept| kept.positions);
        let mut bars = vec![("kept".to_owned(), kept)];
        bars.extend(self.reasons.iter().cloned());
        let colors = |bar| if bar == 0 { KEPT } else { DROPPED };
        let svg = draw(&[Series {
            bars,
            color: &colors,
        }])?;
        let key = [Entry::new("kept", KEPT), Entry::new(self.fate, DROPPED)];
        page.plot("What became of the positions", &key, &svg, "");
        Ok(())
    }

    fn plot(
        &self,
        page: &mut Page,
        read: &Counts,
        title: &str,
        bars: impl Fn(&Counts) -> Vec<(String, u64)>,
    ) -> Result<()> {
        let Some(kept) = self.kept else {
            let svg = draw(&[Series {
                bars: bars(read),
                color: &|_| KEPT,
            }])?;
            page.plot(title, &[], &svg, "");
            return Ok(());
        };
        let read = Series {
            bars: bars(read),
            color: &|_| READ,
        };
        let kept = Series {
            bars: bars(kept),
            color: &|_| KEPT,
        };
        let key = [Entry::new("read", READ), Entry::new("kept", KEPT)];
        page.plot(title, &key, &draw(&[read, kept])?, "");
        Ok(())
    }
}

struct Series<'a> {
    bars: Vec<(String, u64)>,
    color: &'a dyn Fn(usize) -> RGBColor,
}

/// Bars of all series side by side, as SVG.
fn draw(series: &[Series<'_>]) -> Result<String> {
    let names: Vec<&str> = series[0].bars.iter().map(|bar| bar.0.as_str()).collect();
    let layout = Layout::new(&names);
    page::svg(230 + layout.bottom, |area| {
        draw_on(area, series, &names, layout)
    })
}

/// Where the bars' names go.
#[derive(Clone, Copy)]
struct Layout {
    upright: bool,
    /// Height of the names, in pixels.
    bottom: u32,
}

impl Layout {
    fn new(names: &[&str]) -> Layout {
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0) as u32 * LETTER;
        let upright = longest * names.len() as u32 > WIDTH - 100;
        Layout {
            upright,
            bottom: if upright { longest + 14 } else { 32 },
        }
    }
}

fn draw_on(area: &Area<'_>, series: &[Series<'_>], names: &[&str], layout: Layout) -> Drawn {
    let all = series.iter().flat_map(|series| &series.bars);
    let highest = all.map(|bar| bar.1).max().unwrap_or(0).max(1);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(14)
        .x_label_area_size(layout.bottom)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..names.len() as f64, 0.0..highest as f64 * 1.02)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(AXIS)
        .y_labels(6)
        .y_label_formatter(&|count| grouped(*count as u64))
        .label_style(("sans-serif", LETTERS))
        .draw()?;
    let width = 0.84 / series.len() as f64;
    for (i, one) in series.iter().enumerate() {
        let bars = one.bars.iter().enumerate().map(|(bar, (_, count))| {
            let left = bar as f64 + 0.08 + width * i as f64;
            let corners = [(left, 0.0), (left + width, *count as f64)];
            Rectangle::new(corners, (one.color)(bar).filled())
        });
        chart.draw_series(bars)?;
    }
    names_below(area, &chart, names, layout)
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// Each bar's name, upright where there are many.
fn names_below(area: &Area<'_>, chart: &Chart<'_, '_>, names: &[&str], layout: Layout) -> Drawn {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    let style = page::lettering();
    let style = if layout.upright {
        style
            .transform(FontTransform::Rotate270)
            .pos(Pos::new(HPos::Right, VPos::Center))
    } else {
        style.pos(Pos::new(HPos::Center, VPos::Top))
    };
    for (i, name) in names.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(i as f64 + 0.5, 0.0));
        area.draw_text(name, &style, (x, y + 6))?;
    }
    Ok(())
}

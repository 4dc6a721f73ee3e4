//! A page with plots, complete in itself.

// Pixels are rounded anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::counts::Counts;
use super::summary::{Lines, grouped};

pub const SEE: &str = "SEE of the best noisy move";
pub const SCORE: &str = "Score of the side to move, centipawns";
pub const MEN: &str = "Men on the board";

const READ: RGBColor = RGBColor(176, 190, 206);
const KEPT: RGBColor = RGBColor(34, 102, 170);
const DROPPED: RGBColor = RGBColor(200, 92, 60);

/// What a page shows.
pub struct Report<'a> {
    pub title: String,
    pub lines: Lines,
    /// What became of those that were not kept: "dropped" or "marked".
    pub fate: &'static str,
    /// How many those were, for each reason.
    pub reasons: Vec<(String, u64)>,
    /// `None` where there was nothing to count.
    pub read: Option<&'a Counts>,
    /// Of a filter.
    pub kept: Option<&'a Counts>,
}

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2733; background: #fff; \
max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 2rem 0 0; }
table { border-spacing: 0; } td { padding: .1rem 1.2rem .1rem 0; vertical-align: top; }
td:first-child { color: #5a6b7d; white-space: nowrap; }
svg { width: 100%; height: auto; display: block; } p { margin: .2rem 0 0; color: #5a6b7d; }
i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .4rem 0 1rem; }
i:first-child { margin-left: 0; }
";

impl Report<'_> {
    pub fn to_html(&self) -> Result<String> {
        let title = escaped(&self.title);
        let mut body = String::new();
        for (name, value) in self.lines.rows() {
            let (name, value) = (escaped(name), escaped(value));
            let _ = writeln!(body, "<tr><td>{name}</td><td>{value}</td></tr>");
        }
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>\n\
             <table>\n{body}</table>\n"
        );
        if !self.reasons.is_empty() {
            page += &self.reasons()?;
        }
        if let Some(read) = self.read {
            page += &self.plots(read)?;
        }
        Ok(page + "</html>\n")
    }

    fn plots(&self, read: &Counts) -> Result<String> {
        let mut page = self.plot(read, SEE, |counts| counts.see.bars())?;
        if read.scored > 0 {
            page += &self.plot(read, SCORE, |counts| counts.scores.bars())?;
        }
        if read.has_outcomes() {
            page += &self.plot(read, "Result", |counts| {
                let names = ["White won", "Draw", "Black won"].map(str::to_owned);
                names.into_iter().zip(counts.outcomes).collect()
            })?;
        }
        Ok(page + &self.plot(read, MEN, Counts::men_bars)?)
    }

    /// What became of the records.
    fn reasons(&self) -> Result<String> {
        let kept = self.kept.map_or(0, |kept| kept.positions);
        let mut bars = vec![("kept".to_owned(), kept)];
        bars.extend(self.reasons.iter().cloned());
        let colors = |bar| if bar == 0 { KEPT } else { DROPPED };
        let svg = draw(&[Series {
            bars,
            color: &colors,
        }])?;
        let key = key(&[("kept", KEPT), (self.fate, DROPPED)]);
        Ok(format!("<h2>What became of the positions</h2>\n{key}{svg}"))
    }

    fn plot(
        &self,
        read: &Counts,
        title: &str,
        bars: impl Fn(&Counts) -> Vec<(String, u64)>,
    ) -> Result<String> {
        let Some(kept) = self.kept else {
            let svg = draw(&[Series {
                bars: bars(read),
                color: &|_| KEPT,
            }])?;
            return Ok(format!("<h2>{title}</h2>\n{svg}"));
        };
        let read = Series {
            bars: bars(read),
            color: &|_| READ,
        };
        let kept = Series {
            bars: bars(kept),
            color: &|_| KEPT,
        };
        let key = key(&[("read", READ), ("kept", KEPT)]);
        Ok(format!("<h2>{title}</h2>\n{key}{}", draw(&[read, kept])?))
    }
}

/// What the colours mean.
fn key(names: &[(&str, RGBColor)]) -> String {
    let entry = |(name, RGBColor(r, g, b)): &(&str, RGBColor)| {
        format!("<i style=\"background:#{r:02x}{g:02x}{b:02x}\"></i>{name}")
    };
    let entries: String = names.iter().map(entry).collect();
    format!("<p>{entries}</p>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

struct Series<'a> {
    bars: Vec<(String, u64)>,
    color: &'a dyn Fn(usize) -> RGBColor,
}

/// Bars of all series side by side, as SVG.
fn draw(series: &[Series<'_>]) -> Result<String> {
    let mut svg = String::new();
    let names: Vec<&str> = series[0].bars.iter().map(|bar| bar.0.as_str()).collect();
    let layout = Layout::new(&names);
    let height = 230 + layout.bottom;
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    draw_on(&area, series, &names, layout).map_err(|error| anyhow!("cannot draw: {error}"))?;
    drop(area);
    // As wide as the page: the size is told by the view box alone.
    let size = format!("width=\"{WIDTH}\" height=\"{height}\" ");
    Ok(svg.replacen(&size, "", 1))
}

const WIDTH: u32 = 960;

/// Where the bars' names go.
#[derive(Clone, Copy)]
struct Layout {
    upright: bool,
    /// Height of the names, in pixels.
    bottom: u32,
}

impl Layout {
    fn new(names: &[&str]) -> Layout {
        // About, for 15 pixels.
        const LETTER: u32 = 7;
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0) as u32 * LETTER;
        let upright = longest * names.len() as u32 > WIDTH - 100;
        Layout {
            upright,
            bottom: if upright { longest + 14 } else { 32 },
        }
    }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw_on(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    series: &[Series<'_>],
    names: &[&str],
    layout: Layout,
) -> Drawn {
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
        .bold_line_style(RGBColor(226, 231, 236))
        .axis_style(RGBColor(160, 172, 184))
        .y_labels(6)
        .y_label_formatter(&|count| grouped(*count as u64))
        .label_style(("sans-serif", 15))
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
    names_below(area, &chart, names, layout)?;
    Ok(area.present()?)
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// Each bar's name, upright where there are many.
fn names_below(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    chart: &Chart<'_, '_>,
    names: &[&str],
    layout: Layout,
) -> Drawn {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    let style = TextStyle::from(("sans-serif", 15).into_font()).color(&RGBColor(60, 72, 84));
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

//! The figures as a page with plots.

// Pixels are rounded anyway.
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

use std::time::Duration;

use anyhow::Result;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::files::{FileFigures, Stage};
use super::results::{Part, Results};
use super::table::{self, findings, lines, rate, short, times};
use crate::cli::page::{
    self, AXIS, Area, Drawn, Entry, GRID, KEPT, LETTER, LETTERS, Page, READ, TEXT, WIDTH,
};
use crate::cli::summary::grouped;

const MEMCPY: RGBColor = RGBColor(120, 130, 140);

pub fn to_html(results: &Results<'_>) -> Result<String> {
    let title = format!("swaplist bench {}", results.data.name);
    let mut lines = lines(results);
    for part in &results.parts {
        for (i, line) in findings(results, part).iter().enumerate() {
            let name = if i == 0 { part.what.name() } else { "" };
            lines.add(name, line);
        }
    }
    let mut page = Page::new(&title, &lines);
    for part in &results.parts {
        let curves = curves(results, part);
        let key: Vec<_> = curves.iter().map(Curve::entry).collect();
        let title = format!("Millions of {} a second, by batch size", part.what.title());
        page.plot(&title, &key, &draw(&curves)?, SCALES);
    }
    for file in &results.files {
        let records = grouped(file.records as u64);
        let title = format!(
            "From a {} file of {records} records: nanoseconds a record",
            file.format.name()
        );
        let key = [Entry::new("floor", READ), Entry::new("measured", KEPT)];
        page.plot(&title, &key, &bars(file)?, STAGES);
    }
    page.text("All figures", &table::tables(results));
    Ok(page.into_html())
}

const SCALES: &str = "Both scales are logarithmic. Dashed: what nothing that reads the same \
memory, or crosses the same bus, can be faster than.";
const STAGES: &str = "One thread unless said; each stage holds those before it. 9x: takes 9 \
times as long as its floor, the page-cache read, or the copy for a filter to a file.";

/// A line of a plot.
struct Curve {
    name: String,
    color: RGBColor,
    dashed: bool,
    /// Batch sizes, and millions a second.
    points: Vec<(f64, f64)>,
}

impl Curve {
    fn entry(&self) -> Entry<'_> {
        Entry {
            name: &self.name,
            color: self.color,
            dashed: self.dashed,
        }
    }
}

fn curves(results: &Results<'_>, part: &Part) -> Vec<Curve> {
    let curve = |name: String, dashed, time: &dyn Fn(usize) -> Option<Duration>| {
        let sizes = results.sizes.iter().enumerate();
        let point = |(i, &size): (usize, &usize)| Some((size as f64, rate(size, time(i)?)));
        let points = sizes.filter_map(point).collect();
        Curve {
            name,
            color: MEMCPY,
            dashed,
            points,
        }
    };
    let memcpy = |i: usize| Some(part.floors[i].memcpy);
    let mut curves = vec![curve("memcpy".to_owned(), true, &memcpy)];
    for (c, contender) in results.contenders.iter().enumerate() {
        let title = contender.title.clone();
        curves.push(curve(title.clone(), false, &|i| part.time(c, i)));
        if contender.gpu.is_some() {
            let kernels = format!("{title}: kernels only");
            curves.push(curve(kernels, false, &|i| part.kernel(c, i)));
            let copy = |i| Some(part.uploaded(c, i)?.copy);
            curves.push(curve(format!("{title}: copy to it"), true, &copy));
        }
    }
    curves.retain(|curve| !curve.points.is_empty());
    let lines = curves.len().saturating_sub(1);
    for (i, curve) in curves.iter_mut().skip(1).enumerate() {
        curve.color = color(i, lines);
    }
    curves
}

/// One of so many, each its own: neighbours differ in lightness, too.
fn color(line: usize, of: usize) -> RGBColor {
    let lightness = [0.42, 0.3, 0.55][line % 3];
    let (r, g, b) = HSLColor(line as f64 / of as f64, 0.75, lightness).rgb();
    RGBColor(r, g, b)
}

fn draw(curves: &[Curve]) -> Result<String> {
    page::svg(460, |area| draw_curves(area, curves))
}

fn draw_curves(area: &Area<'_>, curves: &[Curve]) -> Drawn {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let around = |of: fn(&(f64, f64)) -> f64, margin: f64| {
        let least = points().map(of).fold(f64::INFINITY, f64::min);
        let most = points().map(of).fold(0.0, f64::max);
        least.max(1e-9) / margin..most.max(1e-9) * margin
    };
    let (x, y) = (around(|point| point.0, 1.3), around(|point| point.1, 1.6));
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_top(14)
        .margin_right(24)
        .x_label_area_size(32)
        .y_label_area_size(70)
        .build_cartesian_2d(x.log_scale().base(4.0), y.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(AXIS)
        .x_labels(14)
        .y_labels(8)
        .x_label_formatter(&|size| size_name(*size))
        .y_label_formatter(&|rate| plain(*rate))
        .label_style(("sans-serif", LETTERS))
        .draw()?;
    for curve in curves {
        let (points, style) = (curve.points.clone(), curve.color.stroke_width(2));
        if curve.dashed {
            let line = DashedPathElement::new(points, 7, 5, style);
            chart.draw_series(std::iter::once(line))?;
        } else {
            let dots = points
                .iter()
                .map(|&point| Circle::new(point, 3, curve.color.filled()));
            chart.draw_series(dots)?;
            chart.draw_series(std::iter::once(PathElement::new(points, style)))?;
        }
    }
    Ok(())
}

/// `16`, `64k`, `4M`.
fn size_name(size: f64) -> String {
    let size = size.round() as u64;
    match size {
        ..1024 => size.to_string(),
        1024..1_048_576 => format!("{}k", size >> 10),
        _ => format!("{}M", size >> 20),
    }
}

fn plain(rate: f64) -> String {
    if rate < 1.0 {
        format!("{rate}")
    } else {
        grouped(rate.round() as u64)
    }
}

/// Height of a bar with its room.
const BAR: i32 = 26;

fn bars(file: &FileFigures) -> Result<String> {
    let height = file.stages.len() as i32 * BAR + 12;
    page::svg(height as u32, |area| draw_bars(area, file))
}

/// Names to the left, figures behind each bar.
fn draw_bars(area: &Area<'_>, file: &FileFigures) -> Drawn {
    let figure = |stage: &Stage| {
        let ratio = file.ratio(stage).map(|ratio| format!(", {}", times(ratio)));
        short(file.ns(stage)) + &ratio.unwrap_or_default()
    };
    let longest = |text: &dyn Fn(&Stage) -> usize| file.stages.iter().map(text).max().unwrap_or(0);
    let letter = LETTER as i32;
    let left = longest(&|stage| stage.name.len()) as i32 * letter + 24;
    let right = longest(&|stage| figure(stage).len()) as i32 * (letter + 1) + 16;
    let room = f64::from(WIDTH as i32 - left - right);
    let most = file
        .stages
        .iter()
        .map(|stage| file.ns(stage))
        .fold(1e-9, f64::max);
    let name = page::lettering().pos(Pos::new(HPos::Right, VPos::Center));
    let value = page::lettering().pos(Pos::new(HPos::Left, VPos::Center));
    for (i, stage) in file.stages.iter().enumerate() {
        let top = 6 + i as i32 * BAR;
        let middle = top + BAR / 2;
        let end = left + ((file.ns(stage) / most * room) as i32).max(1);
        let color = if stage.is_floor() { READ } else { KEPT };
        area.draw_text(&stage.name, &name, (left - 10, middle))?;
        area.draw(&Rectangle::new(
            [(left, top + 4), (end, top + BAR - 4)],
            color.filled(),
        ))?;
        area.draw_text(&figure(stage), &value, (end + 8, middle))?;
    }
    area.draw(&PathElement::new(
        [(left, 4), (left, file.stages.len() as i32 * BAR + 8)],
        TEXT.stroke_width(1),
    ))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_have_short_names() {
        let names = [1.0, 256.0, 1024.0, 262_144.0, 16_777_216.0].map(size_name);
        assert_eq!(names, ["1", "256", "1k", "256k", "16M"]);
        assert_eq!([0.01, 1.0, 1000.0].map(plain), ["0.01", "1", "1,000"]);
    }

    #[test]
    fn every_line_has_a_colour_of_its_own() {
        for lines in 1..24 {
            let mut colors: Vec<_> = (0..lines).map(|line| color(line, lines).rgb()).collect();
            colors.push(MEMCPY.rgb());
            colors.sort_unstable();
            colors.dedup();
            assert_eq!(colors.len(), lines + 1);
        }
    }

    #[test]
    fn a_plot_holds_every_line() {
        let curve = |dashed, rate| Curve {
            name: "line".to_owned(),
            color: KEPT,
            dashed,
            points: vec![(1.0, rate), (4096.0, rate * 2.0), (65_536.0, rate * 5.0)],
        };
        let svg = draw(&[curve(false, 0.3), curve(false, 4.0), curve(true, 900.0)]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert_eq!(svg.matches("<circle").count(), 6);
        assert!(svg.contains("64k") && svg.contains("100"), "{svg}");
    }
}

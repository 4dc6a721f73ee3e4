//! The measurements as a page with plots.

// pixels are rounded
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use anyhow::Result;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::Bench;
use super::measure::{Measurement, Part};
use crate::cli::page::{self, AXIS, Area, Drawn, Entry, GRID, LETTERS, Page};
use swaplist::jobs::shown::grouped;

/// Colours of lines (Wong's palette for the colour-blind, extended) with lengths of dashes and
/// gaps; no two lines share either.
const STYLES: [(RGBColor, [u32; 2]); 12] = [
    (RGBColor(120, 130, 140), [2, 4]),
    (RGBColor(0, 114, 178), [9999, 0]),
    (RGBColor(213, 94, 0), [12, 4]),
    (RGBColor(0, 158, 115), [7, 4]),
    (RGBColor(204, 121, 167), [16, 3]),
    (RGBColor(230, 159, 0), [4, 3]),
    (RGBColor(86, 180, 233), [20, 6]),
    (RGBColor(90, 50, 130), [10, 10]),
    (RGBColor(140, 80, 30), [5, 8]),
    (RGBColor(20, 30, 40), [24, 4]),
    (RGBColor(160, 160, 40), [3, 8]),
    (RGBColor(200, 30, 60), [14, 8]),
];

pub fn to_html(bench: &Bench) -> Result<String> {
    let title = format!("swaplist bench {}", bench.data.name);
    let mut page = Page::new(&title, &bench.lines());
    for part in [Part::Scores, Part::Verdicts] {
        let curves = curves(bench, part);
        if !curves.is_empty() {
            let key: Vec<_> = curves.iter().map(|curve| curve.0).collect();
            let svg = page::svg(460, |area| draw(area, &curves))?;
            let findings = bench.findings(part).join("; ");
            page.plot(part.title(), &key, &svg, &format!("{findings}. {SCALES}"));
        }
    }
    page.text("All figures", &bench.tables());
    Ok(page.into_html())
}

const SCALES: &str = "Both scales are logarithmic. Nothing that reads the same memory is faster than \
memcpy, and no GPU is faster than the copy to it.";

/// A line of a plot: batch sizes and millions per second.
type Curve<'a> = (Entry<'a>, Vec<(f64, f64)>);

fn curves(bench: &Bench, part: Part) -> Vec<Curve<'_>> {
    let rows = bench.rows(part).into_iter().zip(STYLES.iter().cycle());
    let curve = |((name, all), &(color, dash)): ((_, Vec<&Measurement>), &(_, _))| {
        let dash = Some(dash);
        let point = |of: &&Measurement| (of.batch as f64, of.per_second() / 1e6);
        (Entry { name, color, dash }, all.iter().map(point).collect())
    };
    rows.map(curve).collect()
}

fn draw(area: &Area<'_>, curves: &[Curve<'_>]) -> Drawn {
    let around = |of: fn(&(f64, f64)) -> f64, margin: f64| {
        let values = curves.iter().flat_map(|curve| &curve.1).map(of);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        least / margin..values.fold(0.0, f64::max) * margin
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
        .y_label_formatter(&|rate| rate_name(*rate))
        .label_style(("sans-serif", LETTERS))
        .draw()?;
    for (entry, points) in curves {
        let (color, points) = (entry.color, || points.iter().copied());
        let [dash, gap] = entry.dash.unwrap_or_default();
        let dots = points().map(|point| Circle::new(point, 3, color.filled()));
        chart.draw_series(dots)?;
        let line = DashedPathElement::new(points(), dash, gap, color.stroke_width(2));
        chart.draw_series(std::iter::once(line))?;
    }
    Ok(())
}

fn size_name(size: f64) -> String {
    match size.round() as u64 {
        size @ ..1024 => size.to_string(),
        size @ 1024..1_048_576 => format!("{}k", size >> 10),
        size => format!("{}M", size >> 20),
    }
}

fn rate_name(rate: f64) -> String {
    match rate {
        ..1.0 => rate.to_string(),
        _ => grouped(rate.round() as u64),
    }
}

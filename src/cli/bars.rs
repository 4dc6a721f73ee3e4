//! Horizontal bar charts as SVG.

// pixels are rounded
#![allow(clippy::cast_possible_wrap, clippy::cast_precision_loss)]

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::page::{self, AXIS, Area, Drawn, LETTER, WIDTH};

/// A row of the chart.
pub struct Bar {
    pub name: String,
    /// The text to the right of the bar.
    pub figure: String,
    /// Overlaid bars, the longest first.
    pub parts: Vec<(u64, RGBColor)>,
}

/// Height of a row.
const HEIGHT: i32 = 22;

/// The narrowest bar in pixels: a count above 0 stays visible.
const LEAST: i32 = 3;

pub fn draw(bars: &[Bar]) -> Result<String> {
    let height = bars.len() as i32 * HEIGHT + 12;
    page::svg(height.unsigned_abs(), |area| draw_on(area, bars))
}

/// Names to the left, figures to the right of the bars.
fn draw_on(area: &Area<'_>, bars: &[Bar]) -> Drawn {
    let longest = |text: fn(&Bar) -> &str| {
        let widths = bars.iter().map(|bar| text(bar).chars().count() as i32);
        widths.max().unwrap_or(0) * (LETTER as i32 + 1)
    };
    let left = longest(|bar| &bar.name) + 16;
    let room = WIDTH as i32 - left - longest(|bar| &bar.figure) - 24;
    let lengths = bars
        .iter()
        .flat_map(|bar| bar.parts.iter().map(|part| part.0));
    let most = lengths.max().unwrap_or(0);
    let name = page::lettering().pos(Pos::new(HPos::Right, VPos::Center));
    let figure = page::lettering().pos(Pos::new(HPos::Left, VPos::Center));
    for (i, bar) in bars.iter().enumerate() {
        let top = 6 + i as i32 * HEIGHT;
        let middle = top + HEIGHT / 2;
        let mut end = left;
        for &(length, color) in &bar.parts {
            let width = width(length, most, room);
            let corners = [(left, top + 3), (left + width, top + HEIGHT - 3)];
            area.draw(&Rectangle::new(corners, color.filled()))?;
            end = end.max(left + width);
        }
        area.draw_text(&bar.name, &name, (left - 8, middle))?;
        area.draw_text(&bar.figure, &figure, (end + 8, middle))?;
    }
    let bottom = bars.len() as i32 * HEIGHT + 8;
    area.draw(&PathElement::new([(left, 4), (left, bottom)], AXIS))?;
    Ok(())
}

/// The width in pixels.
#[allow(clippy::cast_possible_truncation)]
fn width(length: u64, most: u64, room: i32) -> i32 {
    match length {
        0 => 0,
        _ => ((length as f64 / most as f64 * f64::from(room)) as i32).max(LEAST),
    }
}

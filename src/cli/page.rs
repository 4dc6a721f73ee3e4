//! HTML pages with plots.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use swaplist::jobs::shown::Lines;

/// The same colours in all plots.
pub const READ: RGBColor = RGBColor(176, 190, 206);
pub const KEPT: RGBColor = RGBColor(34, 102, 170);
pub const DROPPED: RGBColor = RGBColor(200, 92, 60);

pub const GRID: RGBColor = RGBColor(226, 231, 236);
pub const AXIS: RGBColor = RGBColor(160, 172, 184);
pub const TEXT: RGBColor = RGBColor(60, 72, 84);

/// Width of a plot in its own pixels; pages scale it.
pub const WIDTH: u32 = 960;
/// Font size.
pub const LETTERS: u32 = 15;
/// Typical width of a letter.
pub const LETTER: u32 = 7;

pub type Drawn = Result<(), Box<dyn std::error::Error>>;
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2733; background: #fff; \
max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 2rem 0 0; }
table { border-spacing: 0; } td { padding: .1rem 1.2rem .1rem 0; vertical-align: top; }
td:first-child { color: #5a6b7d; white-space: nowrap; }
svg { width: 100%; height: auto; display: block; } p { margin: .2rem 0 0; color: #5a6b7d; }
span { margin-right: 1rem; white-space: nowrap; }
pre { font-size: .72rem; overflow-x: auto; color: #1c2733; }
i { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; }
";

/// A page under construction.
pub struct Page(String);

impl Page {
    /// Begins a page with its title and a table of values.
    pub fn new(title: &str, lines: &Lines) -> Page {
        let title = escaped(title);
        let mut body = String::new();
        for (name, value) in lines.rows() {
            let (name, value) = (escaped(name), escaped(value));
            let _ = writeln!(body, "<tr><td>{name}</td><td>{value}</td></tr>");
        }
        Page(format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>\n\
             <table>\n{body}</table>\n"
        ))
    }

    /// Adds a plot with title, legend and remark.
    pub fn plot(&mut self, title: &str, key: &[Entry<'_>], svg: &str, remark: &str) {
        let (title, remark) = (escaped(title), escaped(remark));
        let _ = write!(self.0, "<h2>{title}</h2>\n{}{svg}", entries(key));
        if !remark.is_empty() {
            let _ = writeln!(self.0, "<p>{remark}</p>");
        }
    }

    /// Adds preformatted text.
    pub fn text(&mut self, title: &str, text: &str) {
        let (title, text) = (escaped(title), escaped(text));
        let _ = writeln!(self.0, "<h2>{title}</h2>\n<pre>{text}</pre>");
    }

    pub fn into_html(mut self) -> String {
        self.0.push_str("</html>\n");
        self.0
    }
}

/// An entry of a legend.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub name: &'a str,
    pub color: RGBColor,
    /// Lengths of dashes and gaps, for lines.
    pub dash: Option<[u32; 2]>,
}

impl<'a> Entry<'a> {
    pub fn new(name: &'a str, color: RGBColor) -> Entry<'a> {
        Entry {
            name,
            color,
            dash: None,
        }
    }
}

fn entries(key: &[Entry<'_>]) -> String {
    if key.is_empty() {
        return String::new();
    }
    let entry = |entry: &Entry<'_>| {
        let (RGBColor(r, g, b), name) = (entry.color, escaped(entry.name));
        let color = format!("#{r:02x}{g:02x}{b:02x}");
        let style = match entry.dash {
            Some([dash, gap]) => format!(
                "width:3rem;height:2px;vertical-align:middle;background:repeating-linear-gradient(\
                 90deg,{color} 0 {dash}px,transparent 0 {}px)",
                dash + gap
            ),
            None => format!("background:{color}"),
        };
        format!("<span><i style=\"{style}\"></i>{name}</span>")
    };
    let entries: String = key.iter().map(entry).collect();
    format!("<p>{entries}</p>\n")
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Draws an SVG as wide as the page.
pub fn svg(height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    let drawn = draw(&area).and_then(|()| Ok(area.present()?));
    drawn.map_err(|error| anyhow!("cannot draw: {error}"))?;
    drop(area);
    // Only the view box sets the size.
    let size = format!("width=\"{WIDTH}\" height=\"{height}\" ");
    Ok(svg.replacen(&size, "", 1))
}

pub fn lettering() -> TextStyle<'static> {
    TextStyle::from(("sans-serif", LETTERS).into_font()).color(&TEXT)
}

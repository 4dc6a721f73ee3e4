//! Results as text and JSON, and how messages show names and numbers.

use core::fmt::{self, Display};
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

pub use crate::formats::error::system_text;

/// A result as a table of text and as JSON.
#[derive(Clone, Debug)]
pub struct ResultTable {
    /// The command, with its input if the rows do not name it.
    pub title: String,
    /// The rows of the text, as name and value.
    pub rows: Vec<(String, String)>,
    /// An object.
    pub json: Value,
}

impl ResultTable {
    /// The result of a command.
    pub fn new(command: &str) -> ResultTable {
        ResultTable {
            title: command.to_owned(),
            rows: Vec::new(),
            json: json!({ "command": command }),
        }
    }

    /// Adds a row of text.
    pub fn row(&mut self, name: &str, text_shown: impl Display) -> &mut ResultTable {
        let text_shown = text(&text_shown.to_string());
        self.rows.push((name.to_owned(), text_shown));
        self
    }

    /// Adds a value to the JSON.
    pub fn value(&mut self, key: &str, value: impl Serialize) -> &mut ResultTable {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.json[key] = value;
        self
    }

    /// Adds a number as a row of text and as a value of the JSON.
    pub(crate) fn number(&mut self, name: &str, key: &str, number: u64) -> &mut ResultTable {
        self.value(key, number).row(name, grouped(number))
    }

    /// Adds a number to the JSON and, unless it is 0, as a row of text, with `what` after it.
    pub fn any(&mut self, name: &str, key: &str, number: u64, what: &str) -> &mut ResultTable {
        if number > 0 {
            self.row(name, format!("{}{what}", grouped(number)));
        }
        self.value(key, number)
    }

    /// Adds the values of a JSON object.
    pub(crate) fn values(&mut self, object: Value) -> &mut ResultTable {
        if let (Value::Object(all), Value::Object(mut values)) = (&mut self.json, object) {
            all.append(&mut values);
        }
        self
    }
}

/// The title, and each row as an indented line of text.
impl Display for ResultTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "swaplist {}", self.title)?;
        for (name, text) in &self.rows {
            writeln!(f, "  {name:<10}  {text}")?;
        }
        Ok(())
    }
}

/// The name of standard output in messages.
pub(crate) const STDOUT: &str = "standard output";

/// A file's name in quotes, or `standard output`.
pub(crate) fn quoted(name: &str) -> String {
    match name {
        STDOUT => STDOUT.to_owned(),
        name => format!("'{name}'"),
    }
}

/// A path, with control characters escaped.
pub fn path(path: &Path) -> String {
    text(&path.display().to_string())
}

/// The extension, in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Text of unknown origin, with control characters and those that change the writing direction
/// escaped.
pub fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A number and its percentage of another. The web page rounds it in the same way.
pub fn share(count: u64, of: u64) -> String {
    format!("{} ({})", grouped(count), percent(count, of))
}

/// A count as a percentage with one decimal, rounded half up, such as `12.5 %`; 0.0 % of nothing.
pub fn percent(count: u64, of: u64) -> String {
    let of = of.max(1);
    // 1000 * count / of, plus a half before it is rounded down.
    let tenths = (2000 * count + of) / (2 * of);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A number with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of things: `1 record`, `2 records`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {thing}{s}", grouped(number))
}

/// A number of bytes for people to read, with three digits: `1.05 MB`.
#[allow(clippy::cast_sign_loss)] // none is negative
pub(crate) fn size(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let mut bytes = bytes.max(0.0).round();
    let mut unit = 0;
    while bytes >= 999.5 && unit + 1 < UNITS.len() {
        bytes /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        return counted(bytes as u64, "byte");
    }
    let digits = match bytes {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{bytes:.digits$} {}", UNITS[unit])
}

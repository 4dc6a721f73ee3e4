//! Names and numbers as messages and summaries show them; for the `swaplist` command.

use core::fmt::Display;
use std::path::Path;

/// A path, with control characters escaped.
#[must_use]
pub fn path(path: &Path) -> String {
    text(&path.display().to_string())
}

/// The extension, in lower case.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Text of unknown origin, with control characters and those that change the writing direction
/// escaped.
#[must_use]
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

/// Lines of name and value.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<(String, String)>);

impl Lines {
    /// Adds a pair.
    pub fn add(&mut self, name: &str, value: impl Display) {
        self.0.push((name.to_owned(), text(&value.to_string())));
    }

    /// All pairs.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// As text.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |(name, value)| format!("  {name:<10}  {value}\n");
        self.rows().map(line).collect()
    }
}

/// A number and its percentage of another.
#[must_use]
#[allow(clippy::cast_precision_loss)] // shown rounded
pub fn share(count: u64, of: u64) -> String {
    let percent = 100.0 * count as f64 / of.max(1) as f64;
    format!("{} ({percent:.1} %)", grouped(count))
}

/// A number with thousands separators.
#[must_use]
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

//! Rows of a table, as text or as JSON objects.

use clap::ValueEnum;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum To {
    /// Columns between tabs, under a header
    Tsv,
    /// One JSON object a line
    Jsonl,
}

impl To {
    /// The line above all rows.
    pub fn header(self, columns: &str) -> Vec<u8> {
        match self {
            To::Tsv => format!("{columns}\n").into_bytes(),
            To::Jsonl => Vec::new(),
        }
    }
}

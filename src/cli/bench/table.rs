//! The figures, as a table or as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use swaplist::Rules;

use super::data::Data;
use super::measure::Measured;
use super::{All, Contender};
use crate::cli::devices;
use crate::cli::options::rules_json;
use crate::cli::summary::grouped;

pub struct Table<'a> {
    pub data: &'a Data,
    pub rules: &'a Rules,
    pub sizes: &'a [usize],
    pub contenders: &'a [Contender],
    pub measured: &'a All,
    pub runs: u32,
}

/// Millions a second.
#[allow(clippy::cast_precision_loss)] // sizes are far below 2^52
fn rate(size: usize, time: Duration) -> f64 {
    size as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

impl Table<'_> {
    pub fn to_text(&self) -> String {
        let positions = grouped(self.data.positions.len() as u64);
        let moves = grouped(self.data.noisy.len() as u64);
        let mut text = format!("swaplist bench {}\n", self.data.name);
        let _ = writeln!(
            text,
            "  data      {positions} positions with {moves} noisy moves, over and over"
        );
        let _ = writeln!(text, "  rules     {}", self.rules);
        let _ = writeln!(text, "  CPU       {}", devices::cpu_name());
        for gpu in self
            .contenders
            .iter()
            .filter(|contender| !contender.name.starts_with("CPU"))
        {
            let _ = writeln!(text, "  GPU       {}", gpu.backend.name());
        }
        let _ = writeln!(
            text,
            "  figures   millions a second, median of {} runs, all results compared",
            self.runs
        );
        let _ = writeln!(
            text,
            "  from text {:.2} million positions a second, FEN to verdict on one thread",
            self.measured.from_text / 1e6
        );
        self.write_part(&mut text, "scores (one a move)", &self.measured.scores);
        self.write_part(
            &mut text,
            "verdicts (one a position, all its noisy moves)",
            &self.measured.verdicts,
        );
        text
    }

    fn write_part(&self, text: &mut String, title: &str, rows: &[Vec<Option<Measured>>]) {
        let _ = write!(text, "\n{title}\n{:>10}", "batch");
        for column in self.columns(rows) {
            let _ = write!(text, "  {:>18}", column.title);
        }
        text.push('\n');
        for (i, &size) in self.sizes.iter().enumerate() {
            let _ = write!(text, "{:>10}", grouped(size as u64));
            for column in self.columns(rows) {
                let cell = column
                    .time(i)
                    .map_or("-".to_owned(), |time| format!("{:.2}", rate(size, time)));
                let _ = write!(text, "  {cell:>18}");
            }
            text.push('\n');
        }
        self.write_verdict(text, rows);
    }

    /// Which is the fastest where, and what was wrong.
    fn write_verdict(&self, text: &mut String, rows: &[Vec<Option<Measured>>]) {
        for (contender, row) in self.contenders.iter().zip(rows) {
            for wrong in row
                .iter()
                .flatten()
                .filter_map(|measured| measured.wrong.as_ref())
            {
                let _ = writeln!(text, "  WRONG on {}: {wrong}", contender.name);
            }
        }
        let mut spans: Vec<(usize, usize, usize)> = Vec::new();
        for (i, &size) in self.sizes.iter().enumerate() {
            let time = |row: &Vec<Option<Measured>>| row[i].as_ref().map(|measured| measured.total);
            let times = rows
                .iter()
                .enumerate()
                .filter_map(|(c, row)| Some((time(row)?, c)));
            let Some((_, winner)) = times.min() else {
                continue;
            };
            match spans.last_mut() {
                Some((_, last, same)) if *same == winner => *last = size,
                _ => spans.push((size, size, winner)),
            }
        }
        for (first, last, winner) in spans {
            let (first, last, name) = (
                grouped(first as u64),
                grouped(last as u64),
                &self.contenders[winner].name,
            );
            let _ = if first == last {
                writeln!(text, "  fastest at {first}: {name}")
            } else {
                writeln!(text, "  fastest from {first} to {last}: {name}")
            };
        }
    }

    fn columns<'r>(&self, rows: &'r [Vec<Option<Measured>>]) -> Vec<Column<'r>> {
        let mut columns = Vec::new();
        for (contender, row) in self.contenders.iter().zip(rows) {
            let title = title(contender);
            columns.push(Column {
                title,
                row,
                kernel: false,
            });
            if row
                .iter()
                .flatten()
                .any(|measured| measured.kernel.is_some())
            {
                columns.push(Column {
                    title: "its kernels only".to_owned(),
                    row,
                    kernel: true,
                });
            }
        }
        columns
    }

    pub fn to_json(&self) -> Value {
        let adapters: Vec<_> = self
            .contenders
            .iter()
            .map(|contender| contender.backend.name())
            .collect();
        json!({
            "command": "bench",
            "input": self.data.name,
            "positions": self.data.positions.len(),
            "moves": self.data.noisy.len(),
            "rules": rules_json(self.rules),
            "cpu": devices::cpu_name(),
            "contenders": adapters,
            "fen_to_verdict_per_second": self.measured.from_text,
            "scores": self.rows_json(&self.measured.scores),
            "verdicts": self.rows_json(&self.measured.verdicts),
        })
    }

    fn rows_json(&self, rows: &[Vec<Option<Measured>>]) -> Value {
        let mut figures = Vec::new();
        for (contender, row) in self.contenders.iter().zip(rows) {
            for (&size, measured) in self.sizes.iter().zip(row) {
                let Some(measured) = measured else { continue };
                figures.push(json!({
                    "contender": contender.name,
                    "software": contender.software,
                    "batch": size,
                    "seconds": measured.total.as_secs_f64(),
                    "kernel_seconds": measured.kernel.map(|kernel| kernel.as_secs_f64()),
                    "per_second": rate(size, measured.total) * 1e6,
                    "runs": measured.runs,
                    "wrong": measured.wrong,
                }));
            }
        }
        figures.into()
    }
}

struct Column<'a> {
    title: String,
    row: &'a [Option<Measured>],
    kernel: bool,
}

impl Column<'_> {
    fn time(&self, i: usize) -> Option<Duration> {
        let measured = self.row[i].as_ref()?;
        if self.kernel {
            measured.kernel
        } else {
            Some(measured.total)
        }
    }
}

/// A contender's name in a column's width.
fn title(contender: &Contender) -> String {
    let name = contender.name.split(" (").next().unwrap_or_default();
    if contender.software {
        format!("{name:.8}, software")
    } else if let Some(cpu) = name.strip_prefix("CPU, ") {
        cpu.replace(',', "")
    } else {
        format!("{name:.17}")
    }
}

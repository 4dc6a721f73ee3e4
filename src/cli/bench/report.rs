//! The measurements as text and JSON.
//!
//! JSON: `command`, `version`, `input`, `positions`, `moves`, `rules`, `cpu`, `threads`;
//! `contenders` (`name`, `kind`, `adapter`); `measurements`; and `findings` on `scores` and
//! `verdicts`, as text. A measurement has `part` (`scores`, `verdicts` or `files`), `format`
//! and `bytes` of the file, `name`, `kind` (`cpu`, `gpu`, `software` for a software adapter,
//! `kernels`, `floor` or `file`), `batch` (moves, positions or records), `seconds` (the
//! median), `per_second`, `floor` (its name), `floor_seconds`, `times_floor` and `wrong` (the
//! first wrong answer). Fields that do not apply are null.

// batches are far below 2^52
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Bench;
use super::contenders::Contender;
use super::measure::{Kind, Measurement, Part, RUNS};
use crate::cli::devices;
use swaplist::jobs::shown::{Lines, grouped};

impl Bench {
    pub fn part(&self, part: Part) -> impl Iterator<Item = &Measurement> + Clone {
        self.list.iter().filter(move |other| other.part == part)
    }

    /// The figures of a part by name, in order.
    pub fn rows(&self, part: Part) -> Vec<(&str, Vec<&Measurement>)> {
        let mut rows: Vec<(&str, Vec<&Measurement>)> = Vec::new();
        for of in self.part(part) {
            match rows.iter_mut().find(|row| row.0 == of.name) {
                Some(row) => row.1.push(of),
                None => rows.push((&of.name, vec![of])),
            }
        }
        rows
    }

    /// The seconds of its floor, on the same batch or file.
    fn floor(&self, of: &Measurement) -> Option<f64> {
        let name = of.floor.as_deref()?;
        let same = |other: &&Measurement| {
            (other.part, other.format, other.batch) == (of.part, of.format, of.batch)
                && other.name == name
        };
        self.list.iter().find(same).map(|floor| floor.seconds)
    }

    fn times_floor(&self, of: &Measurement) -> Option<f64> {
        Some(of.seconds / self.floor(of)?)
    }

    pub fn to_json(&self) -> Value {
        let contender =
            |one: &Contender| json!({ "name": one.name, "kind": one.kind, "adapter": one.adapter });
        let measurement = |of: &Measurement| {
            let mut json = json!(of);
            json["per_second"] = of.per_second().into();
            json["floor_seconds"] = self.floor(of).into();
            json["times_floor"] = self.times_floor(of).into();
            json
        };
        json!({
            "command": "bench",
            "version": env!("CARGO_PKG_VERSION"),
            "input": self.data.name,
            "positions": self.data.noisy.positions().len(),
            "moves": self.data.noisy.len(),
            "rules": self.rules.to_json(),
            "cpu": devices::cpu_name(),
            "threads": self.threads,
            "contenders": self.contenders.iter().map(contender).collect::<Vec<_>>(),
            "measurements": self.list.iter().map(measurement).collect::<Vec<_>>(),
            "findings": {
                "scores": self.findings(Part::Scores),
                "verdicts": self.findings(Part::Verdicts),
            },
        })
    }

    pub fn to_text(&self) -> String {
        let (lines, tables) = (self.lines().text(), self.tables());
        format!("swaplist bench {}\n{lines}{tables}", self.data.name)
    }

    /// The settings, as lines of name and value.
    pub fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        let positions = grouped(self.data.noisy.positions().len() as u64);
        let moves = grouped(self.data.noisy.len() as u64);
        let data = format!("{positions} positions with {moves} noisy moves, over and over");
        lines.add("data", data);
        if self.data.cut {
            lines.add("", "of the file's beginning: there is more");
        }
        lines.add("rules", self.rules);
        lines.add("CPU", devices::cpu_name());
        for gpu in self.gpus() {
            lines.add("GPU", gpu.adapter.as_deref().unwrap_or_default());
        }
        if self.gpus().any(|gpu| gpu.kind == Kind::Software) {
            lines.add(
                "NOTE",
                "SOFTWARE ADAPTER: it computes on the CPU, its figures say nothing about GPUs",
            );
        }
        let figures = format!("median of up to {RUNS} runs, all answers compared");
        lines.add("figures", figures);
        lines
    }

    pub fn tables(&self) -> String {
        let mut text = String::new();
        for part in Part::ALL {
            if self.part(part).next().is_some() {
                let (title, table) = (part.title(), self.table(part));
                let _ = write!(text, "\n{title}\n{table}");
                for line in self.findings(part) {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        text
    }

    /// A row per name, a column per batch or file, in order.
    fn table(&self, part: Part) -> String {
        let column = |of: &Measurement| {
            let format = of.format.map(|format| format!(" {format}"));
            grouped(of.batch as u64) + &format.unwrap_or_default()
        };
        let cell = |of: &Measurement| match self.times_floor(of) {
            _ if part != Part::Files => short(of.per_second() / 1e6),
            Some(times) => {
                let digits = usize::from(times < 10.0);
                format!("{} {times:.digits$}x", short(1e9 / of.per_second()))
            }
            None => short(1e9 / of.per_second()),
        };
        let mut columns: Vec<_> = self.part(part).map(column).collect();
        columns.dedup();
        let mut rows = vec![[&[String::new()], &columns[..]].concat()];
        for (name, all) in self.rows(part) {
            let find = |name: &String| all.iter().find(|of| column(of) == *name);
            let cells = columns
                .iter()
                .map(|name| find(name).map_or("-".to_owned(), |of| cell(of)));
            rows.push(std::iter::once(name.to_owned()).chain(cells).collect());
        }
        let width = |i: usize| rows.iter().map(|row| row[i].len()).max().unwrap_or(0);
        let mut text = String::new();
        for row in &rows {
            let _ = write!(text, "  {:<1$}", row[0], width(0));
            for (i, cell) in row.iter().enumerate().skip(1) {
                let _ = write!(text, "  {cell:>0$}", width(i));
            }
            text.push('\n');
        }
        text
    }

    /// Wrong answers, the fastest by batch size, and how the GPUs compare.
    pub fn findings(&self, part: Part) -> Vec<String> {
        let wrong = |of: &Measurement| {
            let batch = grouped(of.batch as u64);
            let wrong = of.wrong.as_ref()?;
            Some(format!("WRONG on {}, batch of {batch}: {wrong}", of.name))
        };
        let mut lines: Vec<String> = self.part(part).filter_map(wrong).collect();
        lines.extend(self.fastest(part));
        for gpu in self.gpus() {
            lines.extend(self.gpu(part, gpu));
        }
        lines
    }

    fn gpus(&self) -> impl Iterator<Item = &Contender> {
        let is_gpu = |one: &&Contender| matches!(one.kind, Kind::Gpu | Kind::Software);
        self.contenders.iter().filter(is_gpu)
    }

    /// The ranges of batch sizes in which each real contender is the fastest.
    fn fastest(&self, part: Part) -> Vec<String> {
        let real = |of: &&Measurement| matches!(of.kind, Kind::Cpu | Kind::Gpu);
        let all: Vec<&Measurement> = self.part(part).filter(real).collect();
        let mut fastest: Vec<&Measurement> = Vec::new();
        for batch in all.chunk_by(|a, b| a.batch == b.batch) {
            fastest.extend(batch.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)));
        }
        let spans = fastest.chunk_by(|a, b| a.name == b.name);
        let line = |span: &[&Measurement]| {
            let [first, last] = [0, span.len() - 1].map(|i| grouped(span[i].batch as u64));
            let name = &span[0].name;
            if first == last {
                format!("fastest at {first}: {name}")
            } else {
                format!("fastest from {first} to {last}: {name}")
            }
        };
        spans.map(line).collect()
    }

    /// From which batch size a GPU wins, and its share of the upload's speed.
    fn gpu(&self, part: Part, gpu: &Contender) -> Vec<String> {
        let name = &gpu.name;
        let all = self.part(part).filter(|of| of.name == *name);
        let race = |of: &Measurement| {
            let beside = self.part(part).filter(|other| other.batch == of.batch);
            let cpus = beside.filter(|other| other.kind == Kind::Cpu);
            let fastest = cpus.map(|cpu| cpu.seconds).min_by(f64::total_cmp)?;
            Some((of.batch, of.seconds < fastest))
        };
        let races: Vec<(usize, bool)> = all.clone().filter_map(race).collect();
        let remark = match gpu.kind {
            Kind::Software => ", but is software and says nothing about GPUs",
            _ => "",
        };
        let mut lines = Vec::new();
        if let Some(size) = wins_from(&races) {
            let size = grouped(size as u64);
            lines.push(format!("the GPU {name} wins from {size} on{remark}"));
        } else if !races.is_empty() {
            lines.push(format!("the GPU {name} never wins here{remark}"));
        }
        let best = all.max_by(|a, b| a.per_second().total_cmp(&b.per_second()));
        if let Some((of, times)) = best.and_then(|of| Some((of, self.times_floor(of)?))) {
            let (part, batch) = (1.0 / times, grouped(of.batch as u64));
            lines.push(format!(
                "{name} comes to {part:.2} of what the copy to it allows, at {batch}"
            ));
        }
        lines
    }
}

/// The batch size from which all races are won.
fn wins_from(races: &[(usize, bool)]) -> Option<usize> {
    let won = races.iter().rev().take_while(|race| race.1);
    won.last().map(|race| race.0)
}

/// Three digits.
fn short(number: f64) -> String {
    match number {
        ..0.01 => format!("{number:.4}"),
        ..10.0 => format!("{number:.2}"),
        ..100.0 => format!("{number:.1}"),
        _ => grouped(number.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::wins_from;

    #[test]
    fn a_gpu_wins_from_where_it_stays_ahead() {
        assert_eq!(wins_from(&[]), None);
        assert_eq!(wins_from(&[(1, false), (100, false)]), None);
        assert_eq!(wins_from(&[(1, true), (100, false)]), None, "only at first");
        assert_eq!(wins_from(&[(8, true), (100, true)]), Some(8));
        assert_eq!(wins_from(&[(1, true), (10, false), (99, true)]), Some(99));
    }
}

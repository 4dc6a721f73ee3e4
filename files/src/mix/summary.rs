//! The summary of a mix.

// Rates and sizes are shown rounded.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::{MixOptions, Order};
use crate::formats::{Format, Scale};
use crate::jobs::Tally;
use crate::jobs::summary::{backend, show_games, show_invalid, show_losses, show_odd_scores};
use crate::report::{ResultTable, counted, grouped, share};
use swaplist::{Choice, Evaluator, Report};

/// The result of a mix; its [`table`](MixSummary::table) shows it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MixSummary {
    /// Each input, in the order given.
    pub inputs: Vec<InputSummary>,
    /// Each output, in the order given or, in a split, of its shares.
    pub outputs: Vec<OutputSummary>,
    /// The format of all outputs.
    pub format: Format,
    /// The rules of the filter as text, if there is one.
    pub filter: Option<String>,
    /// The seed, if anything was drawn by it.
    pub seed: Option<u64>,
    /// How the records are ordered.
    pub order: &'static str,
    looks_for_duplicates: bool,
    pub(super) excluded_files: Vec<ExcludedFile>,
    /// The wall time from the start of the mix to its end, all passes together.
    pub elapsed: Duration,
    /// What evaluated for the filter: the GPU, or the CPU with its threads.
    pub backend: Option<String>,
    /// What the evaluator did for the filter: audits, and a change of the backend.
    pub report: Report,
}

/// What became of an input.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct InputSummary {
    /// The input's name in messages: its path, or `standard input`.
    pub name: String,
    /// The format from which its records were read.
    pub format: Format,
    /// Valid records read. If a limit ended the mix, perhaps not all that it has.
    pub records: u64,
    /// Records that were left out because an excluded file holds their positions.
    pub excluded: u64,
    /// Records that were left out as duplicates of others.
    pub duplicates: u64,
    /// Numbers of its records and bytes, and what became of the records.
    pub tally: Tally,
    /// What became of records without a score, in words.
    pub unscored: String,
    /// What its scores were multiplied by.
    pub scale: Option<Scale>,
}

/// What an output of a mix holds, once it is whole.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OutputSummary {
    /// The output's name in messages: its path, or `standard output`.
    pub name: String,
    /// The number of records written to it.
    pub records: u64,
    /// The number of bytes written to it, before compression.
    pub bytes: u64,
    /// The size of the file, if the output is compressed.
    pub packed: Option<u64>,
}

/// What became of a file whose positions are left out.
#[derive(Clone, Debug)]
pub struct ExcludedFile {
    pub name: String,
    pub format: Format,
    pub records: u64,
    pub invalid: u64,
}

impl MixSummary {
    pub(super) fn new(
        options: &MixOptions,
        format: Format,
        inputs: Vec<InputSummary>,
        outputs: Vec<OutputSummary>,
    ) -> MixSummary {
        let shuffles = options.order == Order::Shuffle;
        let draws = shuffles
            || options.sample.is_some()
            || !options.split.is_empty()
            || options.seed_of_survivors().is_some();
        MixSummary {
            inputs,
            outputs,
            format,
            filter: options.filter.as_ref().map(ToString::to_string),
            seed: draws.then(|| options.seed.unwrap_or(0)),
            looks_for_duplicates: options.dedupe.is_some(),
            order: match options.order {
                Order::Shuffle => "shuffled",
                Order::Interleaved => "interleaved by size",
                Order::Weighted(_) => "interleaved by weight",
            },
            ..MixSummary::default()
        }
    }

    pub(super) fn evaluated_by(&mut self, evaluator: &Evaluator, threads: usize) {
        self.backend = self.filter.as_ref().map(|_| backend(evaluator, threads));
        self.report = evaluator.report();
    }

    /// The counts of all inputs.
    fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for input in &self.inputs {
            let mut tally = input.tally.clone();
            if self.inputs.len() > 1 {
                tally.name_input(&input.name);
            }
            all += tally;
        }
        all
    }

    /// Whether no record was invalid.
    pub fn is_sound(&self) -> bool {
        self.inputs.iter().all(|input| input.tally.invalid == 0)
            && self.excluded_files.iter().all(|file| file.invalid == 0)
    }

    /// The summary as lines of text, such as the command prints after a mix, and as JSON, with counts
    /// in records and bytes, and times in seconds.
    pub fn table(&self) -> ResultTable {
        let mut shown = ResultTable::new("mix");
        let all = self.tally();
        let duplicates: u64 = self.inputs.iter().map(|input| input.duplicates).sum();
        self.show_inputs(&mut shown);
        self.show_excluded_files(&mut shown);
        shown.number("records", "records", all.records);
        if let Some(filter) = &self.filter {
            shown.row("kept", share(all.kept, all.records));
            for (reason, count) in all.reasons() {
                shown.row(
                    "dropped",
                    format!("{}, {reason}", share(count, all.records)),
                );
            }
            shown.row("filter", filter);
        }
        shown.value("filter", &self.filter).value("kept", all.kept);
        shown.value(
            "dropped",
            all.reasons().into_iter().collect::<BTreeMap<_, _>>(),
        );
        let excluded: u64 = self.inputs.iter().map(|input| input.excluded).sum();
        if !self.excluded_files.is_empty() {
            let row = format!("{} of those kept", share(excluded, all.kept));
            shown.row("excluded", row);
        }
        shown.value("excluded", excluded);
        if self.looks_for_duplicates {
            let row = format!("{} of those kept", share(duplicates, all.kept));
            shown.row("duplicates", row);
        }
        shown.value("duplicates", duplicates);
        self.show_outputs(&mut shown);
        let seed = self.seed.map(|seed| format!(", seed {seed}"));
        let order = format!("{}{}", self.order, seed.unwrap_or_default());
        shown.row("order", order);
        shown.value("order", self.order).value("seed", self.seed);
        self.show_unscored(&mut shown);
        let inputs = self.inputs.iter();
        let names = inputs.map(|input| (&*input.name, &input.tally));
        show_odd_scores(names, &mut shown);
        show_invalid(&all, &mut shown);
        shown.value("invalid_records", all.invalid_records);
        show_games(&all, &mut shown);
        show_losses(&all, &mut shown);
        let seconds = self.elapsed.as_secs_f64();
        shown.value("seconds", seconds);
        let rate = grouped((all.records as f64 / seconds.max(1e-6)) as u64);
        shown.row("time", format!("{seconds:.2} s, {rate} records/s"));
        shown.value("backend", &self.backend);
        if let Some(backend) = &self.backend {
            shown.row("backend", backend);
        }
        shown
    }

    /// Records without a score, if any, and what became of them.
    fn show_unscored(&self, shown: &mut ResultTable) {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        for input in &self.inputs {
            *all.entry(&input.unscored).or_default() += input.tally.unscored;
        }
        let kept = self.inputs.iter().map(|input| input.tally.kept).sum();
        for (became, unscored) in all {
            // Data without any scores is copied as it is.
            let is_plain = unscored == kept && became == "copied";
            if unscored > 0 && !is_plain {
                let row = format!("{}, {became}", share(unscored, kept));
                shown.row("unscored", row);
            }
        }
    }

    /// The files whose positions are left out.
    fn show_excluded_files(&self, shown: &mut ResultTable) {
        let mut all = Vec::new();
        for file in &self.excluded_files {
            let name = &file.name;
            let format = file.format.name();
            let mut row = format!("{name}, {format}, {}", counted(file.records, "record"));
            if file.invalid > 0 {
                write!(row, ", {} invalid", grouped(file.invalid)).expect("a string takes all");
            }
            shown.row("exclude", row);
            all.push(json!({
                "name": name,
                "format": format,
                "records": file.records,
                "invalid": file.invalid,
            }));
        }
        shown.value("exclude", all);
    }

    fn show_inputs(&self, shown: &mut ResultTable) {
        let mut all = Vec::new();
        for input in &self.inputs {
            let name = &input.name;
            let format = input.format.name();
            let mut row = format!("{name}, {format}, {}", counted(input.records, "record"));
            if input.excluded > 0 {
                write!(row, ", {} excluded", grouped(input.excluded)).expect("a string takes all");
            }
            if input.duplicates > 0 {
                let kept = grouped(input.tally.kept);
                let duplicates = grouped(input.duplicates);
                write!(row, ", {duplicates} of the {kept} kept are duplicates")
                    .expect("a string takes all");
            }
            if let Some(scale) = input.scale {
                write!(row, ", scores times {scale}").expect("a string takes all");
            }
            shown.row("input", row);
            all.push(json!({
                "name": name,
                "format": format,
                "records": input.records,
                "kept": input.tally.kept,
                "excluded": input.excluded,
                "duplicates": input.duplicates,
                "unscored": { "records": input.tally.unscored, "became": input.unscored },
                "odd_scores": input.tally.odd_scores,
                "scale": input.scale.map(Scale::factor),
                "invalid": input.tally.invalid,
            }));
        }
        shown.value("inputs", all);
    }

    fn show_outputs(&self, shown: &mut ResultTable) {
        let written: u64 = self.outputs.iter().map(|output| output.records).sum();
        let mut all = Vec::new();
        for output in &self.outputs {
            let name = &output.name;
            let format = self.format.name();
            let records = match self.outputs.len() {
                1 => grouped(output.records),
                _ => share(output.records, written),
            };
            let s = if output.records == 1 { "" } else { "s" };
            let bytes = counted(output.bytes, "byte");
            let mut row = format!("{name}, {format}, {records} record{s}, {bytes}");
            if let Some(packed) = output.packed {
                row.push_str(" before compression (");
                row.push_str(&grouped(packed));
                row.push_str(" after)");
            }
            shown.row("output", row);
            all.push(json!({
                "name": name,
                "format": format,
                "records": output.records,
                "bytes": output.bytes,
                "bytes_compressed": output.packed,
            }));
        }
        shown.value("outputs", all).value("written", written);
    }
}

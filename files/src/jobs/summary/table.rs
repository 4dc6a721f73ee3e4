//! The summary of a job as a table, which is shown as text or JSON.
//!
//! Of a [`ResultTable`]'s methods, `value` and `values` add to the JSON alone, `row` to the text
//! alone, and `number` and `any` to both, but `any` adds no row for a number of 0.

// Rates and sizes are shown rounded.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use serde_json::{Map, Value, json};

use super::super::counts::{Counts, HAS_DATA, results_json};
use super::super::data::DataCounts;
use super::super::kind::JobKind;
use super::rows::{show_games, show_invalid, show_losses, show_odd_scores};
use super::{Mode, Summary};
use crate::explain::rules_to_json;
use crate::filter::{Filter, Reason};
use crate::formats::{Format, VALUE_NONE};
use crate::report::{ResultTable, counted, grouped, percent, share};
use swaplist::{Choice, Rules};

impl Summary {
    fn rate(&self) -> f64 {
        let records = self.tally.records + self.tally.invalid;
        records as f64 / self.elapsed.as_secs_f64().max(1e-6)
    }

    /// The summary as lines of text, such as the command prints after a job, and as JSON, with counts
    /// in records and bytes, and times in seconds.
    pub fn table(&self) -> ResultTable {
        let mut table = ResultTable::new(self.job.name());
        if let JobKind::Count | JobKind::Validate = self.job {
            table.title = format!("{} {}", self.job, self.input);
        }
        table.value("input", &self.input);
        match (self.job, self.tally.counts.as_deref()) {
            (JobKind::Count, Some([counts, _])) => self.show_count(counts, &mut table),
            (JobKind::Validate, _) => self.show_faults(&mut table),
            _ => self.show_run(&mut table),
        }
        if !self.files.is_empty() {
            let files: Vec<Value> = self.files.iter().map(|file| file.table().json).collect();
            table.value("files", files);
        }
        table
    }

    fn show_run(&self, table: &mut ResultTable) {
        let tally = &self.tally;
        let [from, to] = match self.formats {
            Some(formats) => {
                let [from, to] = formats.map(Format::name);
                table.value("from", from).value("to", to);
                [from, to].map(|format| format!(", {format}"))
            }
            None => Default::default(),
        };
        table.row("input", format!("{}{from}", self.input));
        table.value("output", &self.output);
        table.row("output", format!("{}{to}", self.output));
        table.number("records", "records", tally.records);
        match &self.filter {
            Some(filter) => {
                self.show_filter(filter, table);
                self.show_placeholders(tally.kept, table);
            }
            None if self.rules.is_some() => {
                table.number("moves", "moves", tally.moves);
            }
            None => {
                self.show_unscored(tally.records, table);
                self.show_placeholders(tally.records, table);
                self.show_sizes(table);
            }
        }
        if let Some(scale) = self.scale {
            table.value("scale", scale.factor());
            table.row("scale", format!("scores are multiplied by {scale}"));
        }
        self.show_odd_scores(table);
        show_invalid(&self.tally, table);
        table.value("invalid_records", tally.invalid_records);
        show_games(&self.tally, table);
        show_losses(&self.tally, table);
        let seconds = self.elapsed.as_secs_f64();
        table.value("seconds", seconds);
        table.value("records_per_second", self.rate());
        let rate = grouped(self.rate() as u64);
        table.row("time", format!("{seconds:.2} s, {rate} records/s"));
        let Some(rules) = &self.rules else {
            return;
        };
        let report = &self.report;
        table.value("backend", &self.backend);
        table.row("backend", &self.backend);
        table.value("threads", self.threads);
        self.show_rules(rules, table);
        let equal = " answers on the CPU, all equal";
        table.any("audited", "audited", report.audited, equal);
        table.value("fallback", &report.fallback);
        if let Some(fallback) = &report.fallback {
            table.row("fallback", fallback);
        }
        // It was announced in the same words, so only the JSON has it.
        if let Some(choice) = &report.choice {
            table.value("choice", choice);
        }
    }

    fn show_filter(&self, filter: &Filter, table: &mut ResultTable) {
        let tally = &self.tally;
        let action = self.action();
        table.value("kept", tally.kept);
        table.row("kept", share(tally.kept, tally.records));
        let mut dropped = Map::new();
        for (reason, count) in Reason::ALL.iter().zip(tally.dropped) {
            dropped.insert(reason.name().to_owned(), count.into());
            if count > 0 {
                table.row(action, format!("{}, {reason}", share(count, tally.records)));
            }
        }
        let marked = tally.records_written - tally.kept;
        table.value("dropped", dropped).value("marked", marked);
        let mode = self.mode.map_or("drop or mark", Mode::name);
        table.value("mode", mode);
        if self.mode.is_none() {
            let of_these = format!("{} of these, which are in the output", grouped(marked));
            table.row("marked", of_these);
        }
        let mut results = Value::Null; // no record has a result
        if tally.outcomes != [0; 3] {
            table.row("W/D/L read", self.wdl(tally.outcomes));
            table.row("W/D/L kept", self.wdl(tally.kept_outcomes));
            results = json!({
                "result_side": self.result_side.name(),
                "read": results_json(tally.outcomes),
                "kept": results_json(tally.kept_outcomes),
            });
        }
        table.value("results", results);
        self.show_unscored(tally.kept, table);
        self.show_sizes(table);
        let rules = filter.describe(match self.mode {
            Some(Mode::Drop) => "drops",
            Some(Mode::Mark) => "marks",
            None => "drops or marks",
        });
        table.value("filter", &rules).row("filter", rules);
        if let Some(counts) = &tally.counts {
            let [read, kept] = counts.each_ref().map(Counts::to_json);
            table.value("counts", json!({ "read": read, "kept": kept }));
        }
    }

    fn show_count(&self, counts: &Counts, table: &mut ResultTable) {
        let tally = &self.tally;
        let of_all = |count| share(count, counts.positions);
        table.values(counts.to_json());
        self.show_format(table);
        let units = self.units();
        table.row("positions", grouped(counts.positions));
        table.value("units", units.map(|name| json!({ name: counts.units })));
        if let Some(name) = units {
            table.row(name, grouped(counts.units));
        }
        table.row("in check", of_all(counts.in_check));
        let noisy = of_all(counts.noisy);
        let moves = grouped(counts.noisy_moves);
        table.row("noisy", format!("{noisy} have noisy moves, {moves} in all"));
        table.row("winning", format!("{}, SEE > 0", of_all(counts.winning)));
        table.value("result_side", self.result_side.name());
        if counts.has_outcomes() {
            table.row("W/D/L", self.wdl(counts.outcomes));
        }
        let data = counts.data.as_ref().filter(|_| HAS_DATA);
        table.value("data", data.map(|data| data.to_json(&counts.pieces, units)));
        if let Some(data) = data {
            show_data(counts, data, units, table);
        }
        if counts.scored + counts.unscored > 0 {
            table.row("scored", of_all(counts.scored));
        }
        if counts.unscored > 0 {
            let unscored = of_all(counts.unscored);
            table.row("no score", format!("{unscored}, read as {VALUE_NONE}"));
        }
        self.show_odd_scores(table);
        table.value("bytes", tally.bytes);
        table.value("bytes_compressed", tally.bytes_compressed);
        table.row(
            "size",
            bytes_each(tally.bytes, tally.bytes_compressed, tally.records),
        );
        show_invalid(&self.tally, table);
        show_games(&self.tally, table);
        table.value("seconds", self.elapsed.as_secs_f64());
        if let Some(rules) = &self.rules {
            self.show_rules(rules, table);
        }
    }

    fn show_faults(&self, table: &mut ResultTable) {
        let tally = &self.tally;
        let faults = &self.tally.faults;
        self.show_format(table);
        table.number("records", "records", tally.records);
        show_games(&self.tally, table);
        let seconds = self.elapsed.as_secs_f64();
        table.value("seconds", seconds);
        table.row("time", format!("{seconds:.2} s"));
        let mut all = Vec::new();
        for (name, kind) in &faults.kinds {
            table.row(&grouped(kind.count), name);
            let mut first = Vec::new();
            // With several files, each file's own summary has the places.
            let places = kind.places.iter().filter(|_| self.files.is_empty());
            for (place, detail) in places {
                table.row("", format!("{place}: {detail}"));
                first.push(json!({ "place": place.to_string(), "detail": detail }));
            }
            all.push(json!({ "kind": name, "count": kind.count, "first": first }));
        }
        let broken = self.broken();
        table.value("faults", all).value("broken", &broken);
        if let Some(broken) = broken {
            table.row("broken", format!("{broken}; nothing after it was read"));
        }
        let is_cut = tally.faults.is_unended;
        table.value("last_line_unended", is_cut);
        if is_cut && self.files.is_empty() {
            table.row("last line", "no newline ends it: it may be cut off");
        }
        let sound = self.files.iter().filter(|file| file.is_sound()).count();
        let result = match self.is_sound() {
            true => "all records are sound".to_owned(),
            false if !self.files.is_empty() => {
                format!("{sound} of {} files are sound", self.files.len())
            }
            false if tally.records + tally.invalid == 0 && faults.is_empty() => {
                "no records".to_owned()
            }
            false => "not sound".to_owned(),
        };
        table.value("sound", self.is_sound()).row("result", result);
    }

    /// Adds a row for the format read, if all files have the same.
    fn show_format(&self, table: &mut ResultTable) {
        let name = self.formats.map(|[format, _]| format.name());
        table.value("format", name);
        if let Some(name) = name {
            table.row("format", name);
        }
    }

    fn show_odd_scores(&self, table: &mut ResultTable) {
        table.value("odd_scores", &self.tally.odd_scores);
        if self.files.is_empty() {
            return show_odd_scores([("", &self.tally)].into_iter(), table);
        }
        let files = self.files.iter();
        show_odd_scores(files.map(|file| (&*file.input, &file.tally)), table);
    }

    fn wdl(&self, outcomes: [u64; 3]) -> String {
        let counts = outcomes.map(grouped).join(" / ");
        format!("{counts} positions, seen by {}", self.result_side.name())
    }

    fn show_rules(&self, rules: &Rules, table: &mut ResultTable) {
        let decoded = self.report.decoded;
        let what = " records on the GPU";
        table
            .value("rules", rules_to_json(rules))
            .row("rules", rules);
        table.any("decoded", "decoded_on_gpu", decoded, what);
    }

    fn show_sizes(&self, table: &mut ResultTable) {
        let tally = &self.tally;
        let after = self.tally.records_written;
        let each = |bytes: u64, records: u64| bytes as f64 / records.max(1) as f64;
        let sizes = json!({
            "read": tally.bytes,
            "written": tally.written,
            "read_compressed": tally.bytes_compressed,
            "written_compressed": tally.written_compressed,
            "read_per_position": each(tally.bytes, tally.records),
            "written_per_position": each(tally.written, after),
        });
        table.value("bytes", sizes);
        table.row(
            "read",
            bytes_each(tally.bytes, tally.bytes_compressed, tally.records),
        );
        let mut written = bytes_each(tally.written, tally.written_compressed, after);
        // Games and chains begin anew after records that were dropped.
        let is_copy = self.mode == Some(Mode::Drop) && self.formats.is_some_and(|[a, b]| a == b);
        if is_copy && after < tally.records && tally.written > tally.bytes {
            written += "; more than was read, marking keeps it smaller";
        }
        table.row("written", written);
    }

    /// Adds a row for the placeholders among the `of` records that are written to a format that does
    /// not tell them from scores, if there are any.
    fn show_placeholders(&self, of: u64, table: &mut ResultTable) {
        let count = self.tally.placeholders;
        table.value("placeholders", count);
        if count > 0 {
            let filtering = match &self.filter {
                Some(_) => "",
                None => "swaplist filter with --preset none ",
            };
            let copied = format!(
                "{} copied with score 0, where a capture was played or in check: in minimised \
                 data that is no score; {filtering}--keep-placeholders=false leaves them out",
                share(count, of)
            );
            table.row("placeholders", copied);
        }
    }

    /// Adds a row that says how many of these `of` records had no score, if any, and what became of
    /// them.
    fn show_unscored(&self, of: u64, table: &mut ResultTable) {
        let count = self.tally.unscored;
        let became = &self.unscored;
        table.value("unscored", json!({ "records": count, "became": became }));
        // Data without any scores is copied as it is.
        let is_plain = count == of && became == "copied";
        if count > 0 && !is_plain {
            table.row("unscored", format!("{}, {became}", share(count, of)));
        }
    }
}

/// Adds rows for what matters to training. `units` is the format's name for games or chains, if all
/// files have the same.
fn show_data(counts: &Counts, data: &DataCounts, units: Option<&str>, table: &mut ResultTable) {
    // Where files without games are among them, the average would be wrong.
    if let (Some([shortest, longest]), Some(_)) = (data.shortest_and_longest, units) {
        let average = counts.positions as f64 / counts.units.max(1) as f64;
        table.row(
            "lengths",
            format!(
                "{} to {} positions, {average:.1} on average",
                grouped(shortest),
                grouped(longest)
            ),
        );
    }
    let all = counts.positions;
    if data.chess960 > 0 {
        let row = format!(
            "{} with castling rights that standard chess does not have",
            share(data.chess960, all)
        );
        table.row("Chess960", row);
    }
    let distinct = [data.distinct_positions(), data.distinct_placements()];
    let [positions, placements] = distinct.map(grouped);
    let mut different = format!(
        "about {positions} positions, {placements} placements of pieces (standard error {:.2} %)",
        100.0 * DataCounts::standard_error()
    );
    if data.compares_unlike() {
        different += "; where the formats hold different fields, one position may count as two";
    }
    table.row("different", different);
    // No estimate is above the number of positions.
    let [repeated, placed_again] = distinct.map(|distinct| percent(all - distinct, all));
    table.row(
        "duplicates",
        format!("about {repeated} of the positions, {placed_again} of the placements"),
    );
    if data.placeholders > 0 {
        let minimised = if data.is_minimised() {
            let [scored, zero] = data.scored_and_zero_captures.map(grouped);
            format!("; minimised: {zero} of {scored} captures have score 0, which is no score")
        } else {
            String::new()
        };
        let zeros = share(data.placeholders, all);
        let row = format!("{zeros}, score 0 where a capture was played or in check{minimised}");
        table.row("placeholders", row);
    }
}

fn bytes_each(bytes: u64, packed: Option<u64>, positions: u64) -> String {
    let each = match positions {
        0 => String::new(),
        _ => format!(", {:.2} a position", bytes as f64 / positions as f64),
    };
    let packed = packed.map_or_else(String::new, |packed| {
        format!(" before compression ({} after)", grouped(packed))
    });
    format!("{}{packed}{each}", counted(bytes, "byte"))
}

//! The filter of a whole file, from file to file: who is faster, by how much, and what bounds each.
//!
//! A *contender* is a way to run the filter: the CPU on some threads, a GPU, or `auto`. Contenders
//! run in turns, so that what else the machine does meets them alike. After the rounds that are
//! measured each runs once more with its stages recorded.

// Bytes and records of a file are far below 2^52.
#![allow(clippy::cast_precision_loss)]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Map, Value, json};
use swaplist::{BackendChoice, Choice, Evaluator};
use swaplist_files::filter::{Filter, Preset};
use swaplist_files::jobs::{Input, Job, Options, Summary, thread_count};
use swaplist_files::report::{self, ResultTable, grouped};
use swaplist_files::stages::{Stage, Stages, Timeline};

use super::scratch::Scratch;
use super::{Args, page};
use crate::devices;
use crate::errors::CANCEL;
use crate::session::{self, show};

/// The least time of a run that is a figure, in seconds.
const LEAST_TIME: f64 = 0.05;

/// A way to run the filter.
struct Contender {
    /// Such as `CPU, 2 threads`.
    name: String,
    /// "cpu", "gpu", "software" for a software adapter, or "auto".
    kind: &'static str,
    threads: usize,
    choice: BackendChoice,
    /// Kept from one run to the next, except for `auto`, which chooses once.
    evaluator: Option<Evaluator>,
}

/// What was measured of a contender. The names of the fields are those of the JSON.
#[derive(Serialize)]
pub struct Figure {
    pub name: String,
    kind: &'static str,
    threads: usize,
    /// The seconds of each run, in their order. The first one opens a GPU and compiles its kernels.
    seconds: Vec<f64>,
    first: f64,
    least: f64,
    median: f64,
    records_per_second: f64,
    bytes_in_per_second: f64,
    bytes_out_per_second: f64,
    /// How many times as fast as the CPU on all threads, by the median.
    ratio: f64,
    /// What computed in the end, in the words of the filter's summary.
    backend: Value,
    /// Whether its output differs from that of the CPU on one thread.
    pub wrong: bool,
    /// The nanoseconds of one thread that a record takes, by stage; of a device, its own.
    stages: Map<String, Value>,
    /// The share of the run in which each thing was busy.
    busy: Map<String, Value>,
    /// What bounds the run.
    pub bound: String,
    /// How many times as long the recorded run took as the median one.
    recording: f64,
    #[serde(skip)]
    pub timeline: Timeline,
}

/// Measures the filter on a file.
pub fn run(args: &Args, path: &Path) -> Result<bool> {
    if path == Path::new("-") {
        bail!("standard input is read once only; name a file, or add --questions");
    }
    let (filter, preset) = args.settings.choose(&args.rules)?;
    let mut bench = Bench::open(args, path, filter, preset)?;
    // Before anything is measured: if it cannot be written, nothing was done in vain.
    let mut files = session::files(args.force, [path]);
    let report = args.report.as_deref();
    let mut report = report
        .map(|path| files.create(Some(path), None))
        .transpose()?;
    let contenders = bench.contenders()?;
    let figures = bench.measure(contenders)?;

    let sheet = bench.sheet(&figures);
    let tables = table(&figures) + &bench.floor_row() + &stage_table(&figures);
    if let Some(report) = &mut report {
        report.write(page::to_html(&sheet, &tables, &figures).as_bytes())?;
    }
    files.finish(report)?;
    show(args.json, &sheet, &tables)?;
    Ok(figures.iter().all(|figure| !figure.wrong))
}

/// The file and the filter.
struct Bench<'a> {
    args: &'a Args,
    name: String,
    filter: Filter,
    preset: Preset,
    scratch: Scratch,
    /// A copy of the file, as it is: compressed, if it is.
    copy: File,
    /// Its size in bytes.
    bytes: u64,
    /// The records of the file, and those that are kept; known after the first run.
    records: u64,
    kept: u64,
    /// The bytes of the output.
    written: u64,
    /// Seconds that copying the file takes: no filter that writes as much is faster.
    floor: f64,
}

impl<'a> Bench<'a> {
    /// Copies the file.
    fn open(args: &'a Args, path: &Path, filter: Filter, preset: Preset) -> Result<Bench<'a>> {
        let name = report::path(path);
        let mut file = File::open(path).with_context(|| format!("cannot read '{name}'"))?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            bail!("'{name}' is not a file; a bench reads it again and again");
        }
        let scratch = Scratch::new(args.scratch.as_deref(), 3 * metadata.len())?;
        let (mut copy, bytes) = scratch.copy(&mut file)?;
        // From one place to the same kind of place, as the filter does.
        let mut floor = f64::MAX;
        for _ in 0..3 {
            let begin = Instant::now();
            scratch.copy(&mut copy)?;
            floor = floor.min(begin.elapsed().as_secs_f64());
        }
        Ok(Bench {
            args,
            name,
            filter,
            preset,
            scratch,
            copy,
            bytes,
            records: 0,
            kept: 0,
            written: 0,
            floor,
        })
    }

    /// The CPU on one, half and all threads, the GPUs, and `auto`.
    fn contenders(&self) -> Result<Vec<Contender>> {
        let backend = &self.args.backend;
        let all = thread_count(backend.threads);
        let mut numbers = vec![1, all.div_ceil(2), all];
        numbers.dedup();
        let cpu = |threads: usize| Contender {
            name: format!(
                "CPU, {threads} thread{}",
                if threads == 1 { "" } else { "s" }
            ),
            kind: "cpu",
            threads,
            choice: BackendChoice::Cpu,
            evaluator: None,
        };
        let mut contenders: Vec<Contender> = numbers.into_iter().map(cpu).collect();
        let choice = backend.choice()?;
        for (name, kind) in devices::adapter_names(choice)? {
            // A software adapter only tells how fast it is on the CPU, so it has to be asked for.
            if kind == "gpu" || matches!(choice, BackendChoice::Gpu(Some(_))) {
                contenders.push(Contender {
                    choice: BackendChoice::Gpu(Some(name.clone())),
                    name,
                    kind,
                    threads: all,
                    evaluator: None,
                });
            }
        }
        if *choice == BackendChoice::Auto && contenders.iter().any(|one| one.kind == "gpu") {
            contenders.push(Contender {
                name: "auto".to_owned(),
                kind: "auto",
                threads: all,
                choice: BackendChoice::Auto,
                evaluator: None,
            });
        }
        Ok(contenders)
    }

    /// Runs all contenders in turns, and each once more with its stages recorded.
    fn measure(&mut self, mut contenders: Vec<Contender>) -> Result<Vec<Figure>> {
        let progress = ProgressBar::new_spinner();
        let mut reference = None;
        let mut figures: Vec<Figure> = contenders.iter().map(Figure::new).collect();
        for round in 0..=self.args.runs {
            let is_recorded = round == self.args.runs;
            for (contender, figure) in contenders.iter_mut().zip(&mut figures) {
                let what = if is_recorded { "stages" } else { "run" };
                progress.set_message(format!("{}, {what} {}", contender.name, round + 1));
                progress.tick();
                let stages = is_recorded.then(Stages::default);
                let (ran, mut output) = self.run(contender, stages.as_ref())?;
                match &mut reference {
                    None => {
                        self.note(&ran, &output)?;
                        reference = Some(output);
                    }
                    Some(reference) => figure.wrong |= differ(reference, &mut output)?,
                }
                figure.note(&ran, self, stages.as_ref());
            }
        }
        progress.finish_and_clear();
        self.compare(&mut figures);
        Ok(figures)
    }

    /// Runs the filter once; returns its output, too.
    fn run(&mut self, contender: &mut Contender, stages: Option<&Stages>) -> Result<(Ran, File)> {
        let args = self.args;
        let output = self.scratch.file()?;
        self.copy.rewind()?;
        let reader = self.copy.try_clone()?;
        let begin = Instant::now();
        let evaluator = if let Some(evaluator) = contender.evaluator.take() {
            evaluator
        } else {
            let backend = &args.backend;
            backend.evaluator_for(&contender.choice, contender.threads, true)?
        };
        let options = Options {
            from: args.from,
            fen_column: args.fen_column.clone(),
            mode: args.mode,
            threads: Some(contender.threads),
            cancel: CANCEL.clone(),
            ..args.backend.options()
        };
        let job = Job::new(Input::named(&self.name, reader)?, options)?
            .write_into("the output", output.try_clone()?);
        let summary = match stages {
            Some(stages) => stages.record(|| job.filter(&self.filter, &evaluator)),
            None => job.filter(&self.filter, &evaluator),
        }?;
        let seconds = begin.elapsed().as_secs_f64();
        if contender.kind != "auto" {
            contender.evaluator = Some(evaluator);
        }
        Ok((Ran { seconds, summary }, output))
    }

    /// Notes what all runs have in common, after the first one. Refuses a file that is too small.
    fn note(&mut self, ran: &Ran, output: &File) -> Result<()> {
        self.records = ran.summary.tally.records;
        self.kept = ran.summary.tally.kept;
        self.written = output.metadata()?.len();
        let threads = thread_count(self.args.backend.threads) as f64;
        // The first run is by one thread; others may be faster by their number.
        let least = LEAST_TIME * threads;
        if ran.seconds < least {
            let enough = self.records.max(1) as f64 * least / ran.seconds.max(1e-6);
            bail!(
                "'{}' is too small to measure: one thread takes {:.0} ms for its {} records; a file \
                 like it with {} or more will do",
                self.name,
                1000.0 * ran.seconds,
                grouped(self.records),
                grouped(rounded_up(enough)),
            );
        }
        Ok(())
    }

    /// Puts the figures beside that of the CPU on all threads.
    fn compare(&self, figures: &mut [Figure]) {
        let mut cpus = figures.iter().filter(|figure| figure.kind == "cpu");
        let cpu = cpus.next_back().map_or(1.0, |figure| figure.median);
        for figure in figures {
            figure.ratio = cpu / figure.median;
            figure.records_per_second = self.records as f64 / figure.median;
            figure.bytes_in_per_second = self.bytes as f64 / figure.median;
            figure.bytes_out_per_second = self.written as f64 / figure.median;
        }
    }

    /// What was measured on what, and the figures.
    fn sheet(&self, figures: &[Figure]) -> ResultTable {
        let mut sheet = ResultTable::new("bench");
        sheet.title = format!("bench {}", self.name);
        sheet.value("version", env!("CARGO_PKG_VERSION"));
        sheet.value("input", &self.name);
        sheet
            .value("records", self.records)
            .value("kept", self.kept);
        sheet.value("bytes", self.bytes);
        sheet.value("written", self.written);
        sheet.row(
            "data",
            format!(
                "{} records, {} kept, {:.1} MB in, {:.1} MB out",
                grouped(self.records),
                report::share(self.kept, self.records),
                self.bytes as f64 / 1e6,
                self.written as f64 / 1e6
            ),
        );
        let rules = self.filter.see_rules();
        sheet.value("preset", self.preset.to_string());
        sheet.row("filter", format!("preset {}, {rules}", self.preset));
        let cpu = devices::cpu_name();
        sheet.value("cpu", &cpu).row("CPU", cpu);
        let storage = if self.scratch.in_memory {
            "memory".to_owned()
        } else {
            format!("{}, which is not memory", self.scratch.name())
        };
        sheet.value("in_memory", self.scratch.in_memory);
        sheet.row("storage", storage);
        sheet.value("copying", self.floor);
        for figure in figures {
            if figure.kind == "software" {
                let note = "it computes on the CPU, its figures say nothing about GPUs";
                sheet.row("NOTE", format!("SOFTWARE ADAPTER {}: {note}", figure.name));
            }
        }
        let runs = self.args.runs;
        sheet.row("figures", format!("median of {runs}; all outputs compared"));
        sheet.value("figures", figures);
        sheet
    }

    /// The row of the table for a copy of the file.
    fn floor_row(&self) -> String {
        let rate = self.bytes as f64 / self.floor / 1e9;
        format!(
            "  a copy of the file takes {:.3} s, {rate:.2} GB/s\n",
            self.floor
        )
    }
}

/// A run of the filter.
struct Ran {
    seconds: f64,
    summary: Summary,
}

impl Figure {
    fn new(contender: &Contender) -> Figure {
        Figure {
            name: contender.name.clone(),
            kind: contender.kind,
            threads: contender.threads,
            seconds: Vec::new(),
            first: 0.0,
            least: 0.0,
            median: 0.0,
            records_per_second: 0.0,
            bytes_in_per_second: 0.0,
            bytes_out_per_second: 0.0,
            ratio: 0.0,
            backend: Value::Null,
            wrong: false,
            stages: Map::new(),
            busy: Map::new(),
            bound: String::new(),
            recording: 0.0,
            timeline: Timeline::default(),
        }
    }

    /// Adds a run, or its stages if they were recorded.
    fn note(&mut self, ran: &Ran, bench: &Bench<'_>, stages: Option<&Stages>) {
        let Some(stages) = stages else {
            self.seconds.push(ran.seconds);
            let mut sorted = self.seconds.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            self.first = self.seconds[0];
            self.least = sorted[0];
            self.median = sorted[sorted.len() / 2];
            self.backend = ran.summary.table().json["backend"].clone();
            return;
        };
        self.recording = ran.seconds / self.median;
        self.timeline = stages.timeline();
        let records = bench.records.max(1) as f64;
        for &stage in Stage::ALL {
            let nanoseconds = self.timeline.totals[stage as usize].as_nanos() as f64 / records;
            if nanoseconds > 0.0 {
                self.stages
                    .insert(stage.name().to_owned(), json!(nanoseconds));
            }
        }
        for load in &self.timeline.loads {
            self.busy.insert(load.name.to_owned(), json!(load.busy));
        }
        self.bound.clone_from(&self.timeline.bound);
        if let Some(choice) = &ran.summary.report.choice {
            self.bound = format!("{choice}; {}", self.bound);
        }
    }

    /// The nanoseconds of a stage, if it has any.
    fn stage(&self, name: &str) -> Option<f64> {
        self.stages.get(name)?.as_f64()
    }
}

/// A number of records, rounded up to two digits.
#[allow(clippy::cast_sign_loss)]
fn rounded_up(number: f64) -> u64 {
    let unit = 10_f64.powf(number.log10().floor() - 1.0).max(1.0);
    ((number / unit).ceil() * unit) as u64
}

/// Whether two files differ.
fn differ(one: &mut File, other: &mut File) -> Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(true);
    }
    one.rewind()?;
    other.rewind()?;
    let mut other = BufReader::with_capacity(1 << 20, other);
    let mut chunk = vec![0; 1 << 20];
    let mut expected = Vec::new();
    loop {
        let read = one.read(&mut chunk)?;
        if read == 0 {
            return Ok(false);
        }
        expected.clear();
        io::Read::by_ref(&mut other)
            .take(read as u64)
            .read_to_end(&mut expected)?;
        if expected != chunk[..read] {
            return Ok(true);
        }
    }
}

/// The table of speeds, a row a contender.
fn table(figures: &[Figure]) -> String {
    let width = figures.iter().map(|figure| figure.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = format!(
        "\n  {:width$}  {:>11}  {:>7}  {:>8}  {:>8}  {:>8}  {:>8}  {:>7}\n",
        "", "M records/s", "GB/s in", "GB/s out", "median s", "least s", "first s", "x CPU"
    );
    for figure in figures {
        let _ = writeln!(
            text,
            "  {:width$}  {:>11.1}  {:>7.2}  {:>8.2}  {:>8.3}  {:>8.3}  {:>8.3}  {:>7.2}",
            figure.name,
            figure.records_per_second / 1e6,
            figure.bytes_in_per_second / 1e9,
            figure.bytes_out_per_second / 1e9,
            figure.median,
            figure.least,
            figure.first,
            figure.ratio
        );
    }
    for figure in figures.iter().filter(|figure| figure.wrong) {
        let _ = writeln!(text, "  WRONG: the output of {} differs", figure.name);
    }
    text
}

/// What a record costs by stage, a row a contender, and what bounds each.
fn stage_table(figures: &[Figure]) -> String {
    let names: Vec<&str> = Stage::ALL
        .iter()
        .map(|stage| stage.name())
        .filter(|name| figures.iter().any(|figure| figure.stage(name).is_some()))
        .collect();
    let width = figures.iter().map(|figure| figure.name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = format!(
        "\nnanoseconds a record, of one thread or of the device\n  {:width$}",
        ""
    );
    for name in &names {
        let _ = write!(text, "  {name:>6}");
    }
    for figure in figures {
        let _ = write!(text, "\n  {:width$}", figure.name);
        for name in &names {
            let columns = name.len().max(6);
            match figure.stage(name) {
                Some(time) => _ = write!(text, "  {time:>columns$.1}"),
                None => _ = write!(text, "  {:>columns$}", "-"),
            }
        }
    }
    text += "\n\n";
    for figure in figures {
        let _ = writeln!(text, "  {:width$}  {}", figure.name, figure.bound);
    }
    text
}

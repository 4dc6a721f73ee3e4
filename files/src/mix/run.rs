//! A mix while it runs: what all its passes share.
//!
//! A run is prepared by a look at each input: what gets lost in the output's format, whether the
//! disk has room, how the mix is divided to fit in memory. Each pass then opens the inputs anew and
//! hands their blocks to the threads of a job, which call the [task](super::task). The passes are
//! methods in files of their own: [`scan`](super::scan) looks for duplicates,
//! [`shuffle`](super::shuffle) and [`interleave`](super::interleave) write.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::buckets::Folder;
use super::items::Layout;
use super::key::Share;
use super::options::Order;
use super::setup::Mix;
use super::sinks::Sinks;
use super::source::{Opened, Source};
use super::summary::{ExcludedFile, InputSummary, MixSummary, OutputSummary};
use super::task::{Mixed, Shared};
use crate::filter::Filter;
use crate::formats::Format;
use crate::formats::fingerprint::Fingerprints;
use crate::jobs::block_output::BlockOutput;
use crate::jobs::caller::Event;
use crate::jobs::error::{Error, Result};
use crate::jobs::options::thread_count;
use crate::jobs::output::{FileIdentity, Output};
use crate::jobs::pass::Pass;
use crate::jobs::pool;
use crate::jobs::tally::Tally;
use crate::report;
use swaplist::{Choice, Evaluator};

impl Mix<'_> {
    /// Runs the mix. The evaluator answers for the filter, if there is one.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left, and no temporary one. If only a [side
    /// file](Mix::beside) cannot be written, the outputs are there, and the message says so.
    pub fn run(mut self, evaluator: &Evaluator) -> Result<MixSummary> {
        let started = Instant::now();
        let to = self.format()?;
        self.drop_placeholders(to);
        let mut run = Run::new(&mut self, to)?;
        run.read_excluded()?;
        run.find_duplicates(evaluator)?;
        let targets = core::mem::take(&mut run.mix.outputs);
        let limit = run.mix.options.job.limit;
        let mut sinks = Sinks::new(targets, to, run.shared.layout, limit);
        if run.mix.options.order == Order::Shuffle {
            run.shuffle(evaluator, &mut sinks)?;
        } else {
            run.interleave(evaluator, &mut sinks)?;
        }
        sinks.flush()?;
        let mut summary = run.summary(&mut sinks)?;
        summary.elapsed = started.elapsed();
        summary.evaluated_by(evaluator, run.threads);
        run.tell_empty(&sinks);
        let outputs = sinks.sinks.into_iter().map(|sink| sink.output).collect();
        self.caller
            .finish(outputs, &summary, "; the mix is written")?;
        Ok(summary)
    }
}

/// A mix while it runs.
pub struct Run<'m, 'a> {
    pub mix: &'m mut Mix<'a>,
    pub to: Format,
    /// What the tasks of all inputs share. Each pass adds what the next ones need.
    pub shared: Shared,
    pub folder: Folder,
    pub threads: usize,
    /// The counts of each input.
    pub tallies: Vec<Tally>,
    pub excluded_files: Vec<ExcludedFile>,
}

impl<'m, 'a> Run<'m, 'a> {
    /// Prepares a run: whether it is possible, and how it is divided.
    pub fn new(mix: &'m mut Mix<'a>, to: Format) -> Result<Run<'m, 'a>> {
        let options = mix.options.clone();
        let stores = options.order == Order::Shuffle || options.dedupe.is_some();
        // By default temporary files go where the first output goes.
        let folder_of_output = mix.folders.iter().flatten().next().cloned();
        let temporary = options.temp.clone().or(folder_of_output);
        let folder = Folder(temporary.unwrap_or_else(std::env::temp_dir));
        if stores && !folder.0.is_dir() {
            return Err(Error::refused(format!(
                "there is no folder '{}' for temporary files",
                report::path(&folder.0)
            )));
        }
        let mut run = Run {
            tallies: mix.sources.iter().map(|_| Tally::default()).collect(),
            excluded_files: Vec::new(),
            to,
            shared: Shared {
                filter: options.filter.clone(),
                sample: options.sample.map(Share::new),
                sides: sides(&options.split),
                fingerprints: options.dedupe.map(|by| Fingerprints::new(by, to)),
                seed: options.seed.unwrap_or(0),
                by: options.split_by,
                drops_unscored: options.job.drop_unscored,
                is_whole: to.units().is_some() && !options.records,
                shuffles: options.order == Order::Shuffle,
                layout: match to.record_bytes() {
                    Some(bytes) => Layout::Fixed(bytes),
                    None => Layout::Sized,
                },
                ..Shared::default()
            },
            folder,
            threads: thread_count(options.job.threads),
            mix,
        };
        run.tell_losses()?;
        run.tell_shares();
        run.tell_single_records();
        run.check_room()?;
        if options.order == Order::Shuffle {
            // This depends on the other things that are shared.
            run.shared.bits = run.memory().bits;
        }
        Ok(run)
    }

    /// Notes what gets lost, and refuses what cannot be written.
    fn tell_losses(&self) -> Result<()> {
        let mix = &self.mix;
        let extension = mix.outputs.first().and_then(Output::extension);
        let mut first_names = HashMap::new();
        for source in &mix.sources {
            for loss in source.check(self.to, &mix.options, extension.as_deref())? {
                mix.caller.teller.note(&format!("{}: {loss}", source.name));
            }
            let Some(path) = &source.path else {
                continue;
            };
            match first_names.entry(FileIdentity::from_path(path)) {
                Entry::Vacant(entry) => {
                    entry.insert(&source.name);
                }
                Entry::Occupied(first) => mix.caller.teller.note(&format!(
                    "{} is the same file as {}: its records are taken twice",
                    source.name,
                    first.get()
                )),
            }
        }
        Ok(())
    }

    /// Notes the shares of a split that look like percentages, or parts of 1, and do not add up.
    fn tell_shares(&self) {
        /// Sums of decimal fractions are this far from 1 without being wrong.
        const ROUNDING: f64 = 1e-9;
        /// Shares that are further from the whole are not meant to add up to it.
        const NEAR: f64 = 0.2;
        let split = &self.mix.options.split;
        let all: f64 = split.iter().sum();
        let nearly_adds_up = |whole: f64| (ROUNDING..=NEAR).contains(&(all / whole - 1.0).abs());
        if !nearly_adds_up(100.0) && !nearly_adds_up(1.0) {
            return;
        }
        let percents: Vec<String> = split
            .iter()
            .map(|share| format!("{:.1} %", 100.0 * share / all))
            .collect();
        // A sum such as 1.0999999999999999 is 1.1 to everybody.
        let shown = (all * 1e9).round() / 1e9;
        self.mix.caller.teller.note(&format!(
            "the shares of the split add up to {shown}: they are taken as {}",
            percents.join(", ")
        ));
    }

    /// Notes that the output could be much smaller, if records are written by themselves.
    fn tell_single_records(&self) {
        if let Some(units) = self.to.units().filter(|_| self.mix.options.records) {
            let name = self.to.name();
            self.mix.caller.teller.note(&format!(
                "each record is written by itself: {name} is much smaller with whole {units}"
            ));
        }
    }

    /// Notes the outputs for which no record is left.
    fn tell_empty(&self, sinks: &Sinks) {
        for sink in sinks.sinks.iter().filter(|sink| sink.records == 0) {
            let name = sink.output.quoted();
            let note = format!("no record is left for {name}");
            self.mix.caller.teller.note(&note);
        }
    }

    /// Opens an input to be read once.
    pub fn read(&mut self, number: usize, threads: usize) -> Result<Opened> {
        let options = self.mix.options.clone();
        self.mix.sources[number].read(number, self.to, &options, &self.shared, threads)
    }

    /// The evaluator, if there is a filter for which it answers.
    pub fn asked<'e>(&self, evaluator: &'e Evaluator) -> Option<&'e Evaluator> {
        self.mix.options.filter.as_ref().map(|_| evaluator)
    }

    /// Reads all inputs, one after the other.
    pub fn read_all(
        &mut self,
        pass: Pass,
        evaluator: &Evaluator,
        mut take: impl FnMut(usize, &mut BlockOutput<Mixed>) -> Result<()> + Send,
    ) -> Result<()> {
        let lengths = self.mix.sources.iter().map(Source::length);
        // `None` if the length of an input is not known.
        let all_bytes: Option<u64> = lengths.sum();
        let mut before = 0;
        let mut records = 0;
        for number in 0..self.mix.sources.len() {
            let Opened {
                context,
                reader,
                plans,
            } = self.read(number, self.threads)?;
            let mut tally = Tally::default();
            let evaluator = self.asked(evaluator);
            let teller = &self.mix.caller.teller;
            let source = &self.mix.sources[number];
            let read = source.counter();
            pool::run(&context, reader, plans, evaluator, |done| {
                take(number, done)?;
                records += done.tally.records;
                tally += core::mem::take(&mut done.tally);
                teller.tell(Event::Progress {
                    pass: Some(pass),
                    records,
                    bytes: before + read.load(Ordering::Relaxed),
                    of: all_bytes.unwrap_or(0),
                })
            })?;
            before += source.length().unwrap_or_else(|| source.bytes_read());
            self.finish_input(number, tally);
        }
        Ok(())
    }

    /// Whether the records of an input are copied byte for byte.
    fn copies(&self, number: usize) -> bool {
        let has_units = self.to.units().is_some();
        self.mix.sources[number].copies(self.to) && (self.shared.is_whole || !has_units)
    }

    /// Keeps the counts of an input; notes if it is empty.
    pub fn finish_input(&mut self, number: usize, mut tally: Tally) {
        let source_copies = self.copies(number);
        let mine = &mut self.tallies[number];
        if self.shared.survivors.is_some() {
            // The pass that looked for duplicates has applied the filter, and its counts stay.
            mine.records_written = tally.records_written;
            return;
        }
        if source_copies {
            // Copied bytes keep castling rights without a rook, so that none is lost.
            tally.lost_rights = 0;
        }
        *mine = tally;
        // If a limit ended the mix early, the input may not have been read at all.
        if mine.records + mine.invalid == 0 && self.mix.options.job.limit.is_none() {
            let name = &self.mix.sources[number].name;
            let what = if mine.bytes == 0 {
                "is empty"
            } else {
                "holds no records"
            };
            self.mix
                .caller
                .teller
                .note(&format!("{name}: the input {what}"));
        }
    }

    /// Ends the outputs, and sums up what became of the inputs and what was written.
    pub fn summary(&mut self, sinks: &mut Sinks) -> Result<MixSummary> {
        let mut outputs = Vec::new();
        for sink in &mut sinks.sinks {
            let packed = sink.output.end()?;
            outputs.push(OutputSummary {
                name: sink.output.name().to_owned(),
                records: sink.records,
                bytes: sink.output.written,
                packed,
            });
        }
        let mut inputs = Vec::new();
        let tallies = core::mem::take(&mut self.tallies);
        let filter = self.mix.options.filter.as_ref();
        let drops_odd_scores = filter.is_some_and(Filter::drops_odd_scores);
        for (number, (source, mut tally)) in self.mix.sources.iter().zip(tallies).enumerate() {
            if drops_odd_scores {
                // The summary warns of these scores, but no output has them.
                tally.odd_scores.clear();
            }
            inputs.push(InputSummary {
                name: source.name.clone(),
                format: source.format,
                scale: source.scale,
                records: tally.records,
                excluded: match &self.shared.excluded {
                    Some(excluded) => excluded.gone(number),
                    None => 0,
                },
                duplicates: match &self.shared.survivors {
                    Some(survivors) => survivors.gone[number].load(Ordering::Relaxed),
                    None => 0,
                },
                unscored: source.unscored_became(self.to, &self.mix.options)?,
                tally,
            });
        }
        let mut summary = MixSummary::new(&self.mix.options, self.to, inputs, outputs);
        summary.excluded_files = core::mem::take(&mut self.excluded_files);
        Ok(summary)
    }
}

/// The upper ends of the outputs' shares, except for the last one, which takes the rest.
fn sides(split: &[f64]) -> Vec<Share> {
    let all: f64 = split.iter().sum();
    let mut sum = 0.0;
    let mut sides = Vec::new();
    for share in split.iter().take(split.len().saturating_sub(1)) {
        sum += share;
        sides.push(Share::new(sum / all));
    }
    sides
}

//! `swaplist bench`: speed of the CPU and the GPUs of this machine.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use indicatif::ProgressBar;
use swaplist::{CpuPath, Rules};

use super::errors::CANCEL;
use swaplist::jobs::Files;

mod args;
mod contenders;
mod data;
mod files;
mod measure;
mod page;
mod report;

pub use args::Args;
use contenders::Contender;
use data::Data;
use measure::{Job, Measurement, Part};

/// The settings and results of a run.
struct Bench {
    data: Data,
    rules: Rules,
    /// Time limit per figure.
    limit: Duration,
    threads: usize,
    path: CpuPath,
    contenders: Vec<Contender>,
    list: Vec<Measurement>,
    progress: ProgressBar,
}

impl Bench {
    /// Shows progress on standard error if that is a terminal.
    fn say(&self, what: String) {
        self.progress.set_message(what);
        self.progress.tick();
    }

    /// Measures every contender on every batch size, until one takes too long.
    fn batches(&mut self, part: Part, sizes: &[usize]) -> Result<()> {
        let mut contenders = std::mem::take(&mut self.contenders);
        for &batch in sizes {
            let mut job = Job::new(part, batch, &self.data);
            for contender in &mut contenders {
                let same = |of: &&Measurement| of.part == part && of.name == contender.name;
                let last = self.list.iter().rfind(same);
                if last.is_some_and(|last| last.seconds * 2.0 > self.limit.as_secs_f64()) {
                    continue;
                }
                self.say(format!("{part:?}: {batch} on {}", contender.name));
                let (seconds, wrong) = contender.measure(&mut job, self.limit)?;
                let measured = Measurement::new(part, &contender.name, contender.kind, seconds);
                self.list.push(Measurement {
                    batch,
                    floor: contender.floor.clone(),
                    wrong,
                    ..measured
                });
            }
        }
        self.contenders = contenders;
        Ok(())
    }
}

pub fn run(args: &Args) -> Result<bool> {
    let mut files = Files::new(&CANCEL);
    match args.input.as_deref() {
        Some(path) if path == Path::new("-") => files.read_stdin(),
        Some(path) => files.read(path),
        None => {}
    }
    let mut open = |path: &Path| files.create(Some(path), args.force, None);
    let mut stdout = open("-".as_ref())?;
    let mut json_file = args.json_file().map(&mut open).transpose()?;
    let mut page = args.plot.as_deref().map(&mut open).transpose()?;

    let bench = measured(args)?;
    let json = format!("{:#}\n", bench.to_json());
    if let Some(page) = &mut page {
        page.write(page::to_html(&bench)?.as_bytes())?;
    }
    if let Some(file) = &mut json_file {
        file.write(json.as_bytes())?;
    }
    // Files first: they are complete even if nobody reads standard output.
    let only_json = args.json.is_some() && json_file.is_none();
    files.finish(page.into_iter().chain(json_file))?;
    let text = if only_json { json } else { bench.to_text() };
    stdout.write(text.as_bytes())?;
    Ok(bench.list.iter().all(|of| of.wrong.is_none()))
}

fn measured(args: &Args) -> Result<Bench> {
    let threads = args.backend.threads()?;
    let rules = args.rules.rules();
    let mut bench = Bench {
        data: Data::load(args.input.as_deref(), args.from, &rules)?,
        rules,
        limit: args.limit(),
        threads,
        path: args.backend.cpu_path(),
        contenders: contenders::all(args, rules, threads)?,
        list: Vec::new(),
        progress: ProgressBar::new_spinner(),
    };
    for part in Part::ALL {
        match part {
            _ if !args.parts.contains(&part) => {}
            Part::Files => bench.files()?,
            _ => bench.batches(part, &args.sizes())?,
        }
    }
    bench.progress.finish_and_clear();
    Ok(bench)
}

//! Measures the stages of a file's way - read, decode, judge, filter - and copies of the same
//! bytes.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use swaplist::backend::Cpu;
use swaplist::filter::Filter;
use swaplist::formats::{Decoded, Format};
use swaplist::jobs::{Filtering, Input, Job};
use swaplist::{Evaluator, Verdict};
use tempfile::TempDir;

use super::Bench;
use super::measure::{Kind, Measurement, Part, mean, median};
use crate::cli::errors::CANCEL;

/// The block size of readers and floors.
const BLOCK: usize = 1 << 20;

/// The file is repeated up to this length. Binpack records are about ten times shorter than
/// others.
const LENGTH: usize = 64 << 20;
const LENGTH_OF_BINPACK: usize = 8 << 20;

const READ: &str = "page-cache read";
const COPY: &str = "copy of the file";

impl Bench {
    /// Measures the given file, or the sample in several formats.
    pub fn files(&mut self) -> Result<()> {
        for (format, bytes) in std::mem::take(&mut self.data.files) {
            self.say(format!("{} file", format.name()));
            let measured = self.file(format, bytes)?;
            self.list.extend(measured);
        }
        Ok(())
    }

    fn file(&self, format: Format, bytes: Vec<u8>) -> Result<Vec<Measurement>> {
        let folder = prepare(format, bytes)?;
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let length = fs::metadata(&input)?.len();
        let mut list = Vec::new();
        let mut add = |name: &str, floor: Option<&str>, run: &mut dyn FnMut() -> Result<()>| {
            let kind = floor.map_or(Kind::Floor, |_| Kind::File);
            let seconds = median(self.limit, |repeat| mean(repeat, &mut *run))?;
            list.push(Measurement {
                format: Some(format.name()),
                bytes: Some(length),
                floor: floor.map(str::to_owned),
                ..Measurement::new(Part::Files, name, kind, seconds)
            });
            anyhow::Ok(())
        };
        let mut buffer = vec![0; BLOCK];
        add(READ, None, &mut || {
            let mut file = File::open(&input)?;
            while file.read(&mut buffer)? > 0 {
                black_box(&mut buffer);
            }
            Ok(())
        })?;
        let all = fs::read(&input)?;
        add("memcpy", None, &mut || {
            for block in all.chunks(BLOCK) {
                black_box(&mut buffer[..block.len()]).copy_from_slice(black_box(block));
            }
            Ok(())
        })?;
        let mut records = 0;
        let steps = ["read in blocks", "and unpacked", "and judged"];
        for (steps, name) in steps.into_iter().enumerate() {
            add(name, Some(READ), &mut || {
                records = self.read(format, &input, steps)?;
                Ok(())
            })?;
        }
        let threads = self.threads;
        let filter = |output| self.filter(format, &input, output);
        if cfg!(unix) {
            let name = format!("filter to nowhere, threads: {threads}");
            add(&name, Some(READ), &mut || filter("/dev/null".as_ref()))?;
        }
        add(COPY, None, &mut || {
            fs::copy(&input, &output)?;
            Ok(())
        })?;
        let name = format!("filter to a file, threads: {threads}");
        add(&name, Some(COPY), &mut || filter(&output))?;
        for stage in &mut list {
            stage.batch = records;
        }
        Ok(list)
    }

    /// On this thread: reads, decodes and judges up to a stage; returns the number of
    /// positions.
    fn read(&self, format: Format, input: &Path, steps: usize) -> Result<usize> {
        let cpu = Cpu::new().on_calling_thread().with_path(self.path)?;
        let (mut reader, codec) = format.open(File::open(input)?, BLOCK);
        let (mut decoded, mut verdicts) = (Decoded::default(), Vec::new());
        let mut records = 0;
        while let Some(block) = reader.next_block()? {
            if steps > 0 {
                codec.decode(&block, &mut decoded);
                records += decoded.positions.len();
            }
            if steps > 1 {
                verdicts.clear();
                verdicts.resize(decoded.positions.len(), Verdict::default());
                cpu.judge_all(&decoded.positions, &self.rules, false, &mut verdicts);
            }
            black_box((&block, &decoded, &verdicts));
        }
        Ok(records)
    }

    /// Filters like the command, with all threads.
    fn filter(&self, format: Format, input: &Path, output: &Path) -> Result<()> {
        let job = Job::new(Input::open(Some(input))?, Some(format))?;
        let mut job = job.write_to(Some(output), true, None)?;
        (job.threads, job.cpu_path) = (self.threads, self.path);
        let what = Filtering::new(Filter::default(), self.rules);
        let evaluator = Evaluator::cpu().callers(self.threads).cpu_path(self.path)?;
        job.filter(&what, &evaluator)?;
        Ok(())
    }
}

/// Writes the repeated bytes to a file, and a second file to be overwritten, in a folder with
/// room for both.
fn prepare(format: Format, mut once: Vec<u8>) -> Result<TempDir> {
    let wanted = match format {
        Format::Binpack => LENGTH_OF_BINPACK,
        _ => LENGTH,
    };
    if format.is_text() && !once.ends_with(b"\n") {
        once.push(b'\n');
    }
    let fill = |folder: PathBuf| {
        let folder = temporary_folder(&folder)?;
        let mut file = File::create(folder.path().join("in"))?;
        for _ in 0..(wanted / once.len().max(1)).max(1) {
            file.write_all(&once)?;
        }
        fs::copy(folder.path().join("in"), folder.path().join("out"))?;
        anyhow::Ok(folder)
    };
    fill("/dev/shm".into())
        .or_else(|_| fill(std::env::temp_dir()))
        .context(
            "cannot write a temporary file to measure on; --parts scores,verdicts leaves files out",
        )
}

/// A folder that is removed at the end, also on Ctrl-C.
fn temporary_folder(within: &Path) -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("swaplist-bench-");
    Ok(CANCEL.folder(|| builder.tempdir_in(within))?)
}

//! What begins with a file: reading, unpacking, judging, and the filter as a whole,
//! beside copies of the same bytes.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use swaplist::Verdict;
use swaplist::backend::Cpu;
use swaplist::formats::{Decoded, Format};
use tempfile::TempDir;

use super::data::{GAMES, TEXT};
use super::measure::{Kind, Measurement, mean, median};
use super::{Bench, Part};
use crate::cli::errors::CANCEL;

/// What a reader takes at once, and what the floors take.
const BLOCK: usize = 1 << 20;

/// A file is made so long by repeating what there is. Records of a binpack are some
/// ten times shorter than others.
const LENGTH: usize = 64 << 20;
const LENGTH_OF_BINPACK: usize = 8 << 20;

const READ: &str = "page-cache read";
const COPY: &str = "copy of the file";

impl Bench {
    /// On the file that was named, or on the sample in three formats.
    pub fn files(&mut self) -> Result<()> {
        let mut files = vec![(self.data.format, std::mem::take(&mut self.data.bytes))];
        if self.data.built_in {
            files.push((Format::Bulletformat, sample_in_bulletformat()?));
            files.push((Format::Binpack, GAMES.into()));
        }
        for (format, bytes) in files {
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
            list.push(Measurement {
                part: Part::Files,
                format: Some(format.name()),
                bytes: Some(length),
                name: name.to_owned(),
                kind: floor.map_or(Kind::Floor, |_| Kind::File),
                batch: 0,
                seconds: median(self.limit, |repeat| mean(repeat, &mut *run))?,
                floor: floor.map(str::to_owned),
                wrong: None,
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

    /// On this thread: blocks of records, their positions, verdicts on them; how many
    /// positions there were.
    fn read(&self, format: Format, input: &Path, steps: usize) -> Result<usize> {
        let cpu = Cpu::new().with_path(self.path)?;
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
                cpu.judge_here(&decoded.positions, &self.rules, false, &mut verdicts);
            }
            black_box((&block, &decoded, &verdicts));
        }
        Ok(records)
    }

    /// The command itself, with its threads and all that it does.
    fn filter(&self, format: Format, input: &Path, output: &Path) -> Result<()> {
        let (name, rules) = (format.name(), &self.rules);
        let values = rules.values.to_array().map(|value| value.to_string());
        let options = [
            format!("--from={name}"),
            format!("--to={name}"),
            format!("--cpu={}", self.path),
            format!("--threads={}", self.threads),
            format!("--values={}", values.join(",")),
            format!("--pins={}", rules.pins.name()),
            format!("--en-passant={}", rules.en_passant.name()),
            format!("--first-promotion={}", rules.first_promotion.name()),
            format!("--inside-promotion={}", rules.inside_promotion.name()),
        ];
        let options = options.iter().map(String::as_str);
        let options = options.chain(["--backend=cpu", "--force", "--quiet"]);
        swaplist("filter", input, output, options)
    }
}

fn swaplist<'a>(
    command: &str,
    input: &Path,
    output: &Path,
    options: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let input_and_output: [&OsStr; 3] = [input.as_ref(), "-o".as_ref(), output.as_ref()];
    let ran = Command::new(std::env::current_exe()?)
        .arg(command)
        .args(input_and_output)
        .args(options)
        .stdin(Stdio::null())
        .output()?;
    if !ran.status.success() {
        let error = String::from_utf8_lossy(&ran.stderr);
        bail!("swaplist {command} failed: {}", error.trim_end());
    }
    Ok(())
}

fn sample_in_bulletformat() -> Result<Vec<u8>> {
    let folder = temporary_folder(&std::env::temp_dir())?;
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    let scored: Vec<String> = TEXT
        .lines()
        .map(|fen| format!("{fen} | 0 | 0.5\n"))
        .collect();
    fs::write(&input, scored.concat())?;
    let options = ["--from=text", "--to=bulletformat", "--quiet"];
    swaplist("convert", &input, &output, options)?;
    Ok(fs::read(&output)?)
}

/// The bytes over and over in a file, and a second one that will be written over,
/// where there is room for both.
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
        .context("cannot write a temporary file to measure on; --parts leaves files out")
}

/// Removed at the end, and by Ctrl-C.
fn temporary_folder(within: &Path) -> Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("swaplist-bench-");
    Ok(CANCEL.folder(|| builder.tempdir_in(within))?)
}

//! What begins with a file: reading, unpacking, evaluating, and the filter as a
//! whole, beside the floors of the same file.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use swaplist::backend::Cpu;
use swaplist::formats::{Decoded, Format};
use swaplist::{CpuPath, Rules, Verdict};
use tempfile::TempDir;

use super::data::Content;
use super::measure::Patience;
use crate::cli::{output, shown};

/// What a reader takes at once, and what the floors take.
const BLOCK: usize = 1 << 20;

/// How long a file is made, by repeating what there is. Records of a binpack are
/// some ten times shorter than others.
const LENGTH: usize = 64 << 20;
const LENGTH_OF_BINPACK: usize = 8 << 20;

/// The figures of one file.
pub struct FileFigures {
    pub format: Format,
    pub bytes: usize,
    pub records: usize,
    pub stages: Vec<Stage>,
}

/// What is done with a file.
pub struct Stage {
    pub name: String,
    /// The stage that this one is compared with.
    pub floor: Option<usize>,
    pub time: Duration,
}

impl Stage {
    pub fn is_floor(&self) -> bool {
        self.floor.is_none()
    }
}

impl FileFigures {
    /// Nanoseconds a record.
    #[allow(clippy::cast_precision_loss)] // there are far fewer than 2^52
    pub fn ns(&self, stage: &Stage) -> f64 {
        stage.time.as_secs_f64() * 1e9 / self.records.max(1) as f64
    }

    /// How many times the floor's time it takes.
    pub fn ratio(&self, stage: &Stage) -> Option<f64> {
        let floor = self.stages[stage.floor?].time.as_secs_f64();
        Some(stage.time.as_secs_f64() / floor.max(1e-9))
    }
}

/// How files are measured.
pub struct Bench<'a> {
    pub rules: &'a Rules,
    pub threads: usize,
    pub path: CpuPath,
    pub patience: Patience,
}

impl Bench<'_> {
    /// Writes the content, over and over, to a temporary file and measures on it.
    pub fn measure(&self, content: &Content) -> Result<FileFigures> {
        let (folder, bytes) = prepare(content)?;
        let (input, output) = (folder.path("in"), folder.path("out"));
        let mut figures = FileFigures {
            format: content.format,
            bytes,
            records: 0,
            stages: Vec::new(),
        };
        self.floors(&mut figures, &input)?;
        self.on_one_thread(&mut figures, &input)?;
        self.filters(&mut figures, &input, &output)?;
        Ok(figures)
    }

    fn stage(
        &self,
        figures: &mut FileFigures,
        name: impl Into<String>,
        floor: Option<usize>,
        mut run: impl FnMut() -> Result<()>,
    ) -> Result<usize> {
        run()?;
        let time = self.patience.median(|| {
            let start = Instant::now();
            run()?;
            Ok(start.elapsed())
        })?;
        let name = name.into();
        figures.stages.push(Stage { name, floor, time });
        Ok(figures.stages.len() - 1)
    }

    fn floors(&self, figures: &mut FileFigures, input: &Path) -> Result<()> {
        let mut buffer = vec![0; BLOCK];
        self.stage(figures, "page-cache read", None, || {
            let mut file = File::open(input)?;
            while file.read(&mut buffer)? > 0 {
                black_box(&mut buffer);
            }
            Ok(())
        })?;
        let bytes = fs::read(input)?;
        self.stage(figures, "memcpy", None, || {
            for block in bytes.chunks(BLOCK) {
                black_box(&mut buffer[..block.len()]).copy_from_slice(black_box(block));
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Each stage with those before it, on this thread.
    fn on_one_thread(&self, figures: &mut FileFigures, input: &Path) -> Result<()> {
        let format = figures.format;
        let mut decoded = Decoded::default();
        let mut verdicts = Vec::new();
        let cpu = Cpu::with_threads(1)?.with_path(self.path)?;
        let mut records = 0;
        let names = ["read in blocks", "and unpacked", "and judged"];
        for (steps, name) in names.into_iter().enumerate() {
            self.stage(figures, name, Some(0), || {
                let (mut reader, codec) = format.open(File::open(input)?, BLOCK);
                records = 0;
                while let Some(block) = reader.next_block()? {
                    if steps == 0 {
                        black_box(&block);
                        continue;
                    }
                    codec.decode(&block, &mut decoded);
                    records += decoded.positions.len();
                    if steps == 2 {
                        verdicts.clear();
                        verdicts.resize(decoded.positions.len(), Verdict::default());
                        cpu.judge_here(&decoded.positions, self.rules, false, &mut verdicts);
                        black_box(&mut verdicts);
                    }
                }
                Ok(())
            })?;
        }
        figures.records = records;
        Ok(())
    }

    /// The command itself, with its threads and all that it does.
    fn filters(&self, figures: &mut FileFigures, input: &Path, output: &Path) -> Result<()> {
        let threads = match self.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        let format = figures.format;
        if cfg!(unix) {
            let name = format!("filter to nowhere, {threads}");
            self.stage(figures, name, Some(0), || {
                self.filter(format, input, Path::new("/dev/null"))
            })?;
        }
        let copy = self.stage(figures, "copy of the file", None, || {
            fs::copy(input, output)?;
            Ok(())
        })?;
        let name = format!("filter to a file, {threads}");
        self.stage(figures, name, Some(copy), || {
            self.filter(format, input, output)
        })?;
        Ok(())
    }

    fn filter(&self, format: Format, input: &Path, output: &Path) -> Result<()> {
        let rules = self.rules;
        let values = rules.values.to_array().map(|value| value.to_string());
        let options = [
            ("--from", format.name().to_owned()),
            ("--backend", "cpu".to_owned()),
            ("--cpu", self.path.to_string()),
            ("--threads", self.threads.to_string()),
            ("--profile", "swap".to_owned()),
            ("--values", values.join(",")),
            ("--pins", rules.pins.name().to_owned()),
            ("--en-passant", rules.en_passant.name().to_owned()),
            ("--first-promotion", rules.first_promotion.name().to_owned()),
            (
                "--inside-promotion",
                rules.inside_promotion.name().to_owned(),
            ),
        ];
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("filter").arg(input).arg("-o").arg(output);
        command.args(["--force", "--quiet", "--to", format.name()]);
        command.args(options.map(|(name, value)| format!("{name}={value}")));
        let ran = command.stdin(Stdio::null()).output()?;
        if !ran.status.success() {
            let error = String::from_utf8_lossy(&ran.stderr);
            bail!("the filter failed: {}", error.trim_end());
        }
        Ok(())
    }
}

/// The file, where there is room for it and for what will come out.
fn prepare(content: &Content) -> Result<(Folder, usize)> {
    let fill = |folder: Folder| {
        let bytes = write(content, &folder.path("in"))?;
        fs::copy(folder.path("in"), folder.path("out"))?;
        anyhow::Ok((folder, bytes))
    };
    let in_memory = Folder::new(Some(Path::new("/dev/shm"))).and_then(fill);
    in_memory.or_else(|_| {
        let error = "cannot write a temporary file to measure on; --parts leaves files out";
        Folder::new(None).and_then(fill).context(error)
    })
}

/// The content, over and over; how many bytes.
fn write(content: &Content, path: &Path) -> Result<usize> {
    let wanted = match content.format {
        Format::Binpack => LENGTH_OF_BINPACK,
        _ => LENGTH,
    };
    let mut once = content.bytes.clone();
    if content.format.is_text() && !once.ends_with(b"\n") {
        once.push(b'\n');
    }
    let times = (wanted / once.len().max(1)).max(1);
    let mut file = File::create(path)?;
    for _ in 0..times {
        file.write_all(&once)
            .with_context(|| format!("cannot write '{}'", shown::path(path)))?;
    }
    Ok(once.len() * times)
}

/// A temporary folder, removed at the end.
struct Folder(TempDir);

impl Folder {
    fn new(within: Option<&Path>) -> Result<Folder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("swaplist-bench-");
        let folder = output::temporary_folder(|| match within {
            Some(within) => builder.tempdir_in(within),
            None => builder.tempdir(),
        });
        Ok(Folder(folder?))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

//! `swaplist bench`: the CPU against the GPUs of this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use indicatif::ProgressBar;
use swaplist::Rules;
use swaplist::formats::Format;

use super::Answer;
use super::leftovers;
use super::options::{BackendArgs, RulesArgs};
use super::output::{self, Output, Taken};

mod contenders;
mod data;
mod files;
mod floors;
mod json;
mod measure;
mod plot;
mod results;
mod sample;
mod table;
mod values;

use contenders::Contender;
use data::{Data, Expected};
use files::FileFigures;
use floors::{Load, Memory};
use measure::Patience;
use results::{Part, Peak, Results, What};

/// Measures scores and verdicts on the CPU, by each of its code paths and with all
/// threads, and on every GPU adapter, for batches of many sizes; and what it takes
/// to begin with a file.
///
/// Every result is compared with the CPU's while it is timed. Each figure is the
/// median of several runs: the whole call, from positions in memory to results in
/// memory, and, where the device can tell, its kernels alone. Beside it stands its
/// floor, measured here too: the same bytes copied, from memory to memory, to the
/// device, or out of the system's cache of the file. Compare figures of one run only.
#[derive(clap::Args)]
#[command(after_help = "\
A software adapter computes on the CPU: its figures say nothing about GPUs.

Files are measured on a temporary one of 64 MiB at most, in /dev/shm where there is
room: what stands in INPUT over and over, or text, bulletformat and binpack made of
the sample.

Exit status: 0 done, 1 a result was wrong, 2 could not run, 130 interrupted.

Examples:
  swaplist bench
  swaplist bench --full --plot bench.html --json=bench.json
  swaplist bench games.binpack --parts files
  swaplist bench --backend gpu --no-cpu --sizes 1M,16M --gpu-lanes 2")]
pub struct Args {
    /// Positions to take, a file of any format; - for standard input [default: a
    /// sample that is built in]
    input: Option<PathBuf>,

    /// Format of the input, where content and name do not tell it: text, binpack,
    /// bulletformat, marlinformat, viriformat, sfbin, plain, pgn or jsonl
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,

    /// Batch sizes, moves or positions; k and M stand for 1,024 and 1,048,576
    /// [default: 1,64,1k,16k,256k,1M,4M, or up to 64k on software adapters]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::size)]
    sizes: Vec<usize>,

    /// All sizes from 1 to 16M, and up to 20 seconds a figure: takes minutes
    #[arg(long, conflicts_with = "sizes")]
    full: bool,

    /// What to measure
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_enum,
        default_value = "scores,verdicts,files"
    )]
    parts: Vec<PartName>,

    /// Runs a figure, of which the median is taken
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,

    /// No figure may take longer: fewer runs, and larger batches are left out
    /// [default: 0.5]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<f64>,

    /// The figures as JSON, on standard output instead of the text, or in a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,

    /// Leave the CPU out
    #[arg(long, help_heading = "Backend")]
    no_cpu: bool,

    /// Moves or positions that a GPU is sent at once
    #[arg(long, value_name = "N", help_heading = "Backend", value_parser = values::size)]
    gpu_chunk: Option<usize>,

    /// Threads that fill and read a GPU's chunks, up to 64
    #[arg(long, value_name = "N", help_heading = "Backend", value_parser = values::lanes)]
    gpu_lanes: Option<u32>,

    /// Invocations of a GPU's workgroup, 32 to 1024 in steps of 32
    #[arg(long, value_name = "N", help_heading = "Backend", value_parser = values::workgroup)]
    gpu_workgroup: Option<u32>,

    /// Entries of a workgroup's lists, for each of its invocations, up to 64
    #[arg(long, value_name = "N", help_heading = "Backend", value_parser = values::list)]
    gpu_list: Option<u32>,

    /// Integer operations a second of the GPU, such as 16.7e12, for the share of them
    /// that its kernels use
    #[arg(long, value_name = "OPS", help_heading = "Backend", requires = "gpu_ops", value_parser = values::above_zero)]
    gpu_peak: Option<f64>,

    /// How many of them a score and a verdict take, as a profiler counted them
    #[arg(long, value_name = "SCORE,VERDICT", help_heading = "Backend", requires = "gpu_peak", value_parser = values::above_zero_twice)]
    gpu_ops: Option<[f64; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PartName {
    Scores,
    Verdicts,
    Files,
}

/// The largest batch.
const LARGEST: usize = 1 << 24;

const SIZES: [usize; 7] = [1, 1 << 6, 1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22];

/// A software adapter is asked for no more unless sizes are named: it takes long
/// and tells nothing.
const LARGEST_IN_SOFTWARE: usize = 1 << 16;

impl Args {
    fn sizes(&self) -> Vec<usize> {
        let mut sizes = if self.full {
            (0..=24).step_by(2).map(|power| 1 << power).collect()
        } else if self.sizes.is_empty() {
            SIZES.to_vec()
        } else {
            self.sizes.clone()
        };
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn patience(&self) -> Result<Patience> {
        let seconds = self.patience.unwrap_or(if self.full { 20.0 } else { 0.5 });
        if !(seconds > 0.0 && seconds.is_finite()) {
            bail!("--patience takes a number of seconds above 0");
        }
        Ok(Patience {
            runs: self.runs as usize,
            limit: Duration::from_secs_f64(seconds.min(1e6)),
        })
    }

    fn wants(&self, part: PartName) -> bool {
        self.parts.contains(&part)
    }
}

/// Where the figures go; opened before anything is measured.
struct Outputs {
    text: Option<Output>,
    json: Option<Output>,
    plot: Option<Output>,
}

impl Outputs {
    fn open(args: &Args) -> Result<Outputs> {
        let mut taken = Taken::default();
        let input = args.input.as_deref().filter(|path| *path != Path::new("-"));
        let metadata = input.and_then(|path| std::fs::metadata(path).ok());
        taken.add(None, metadata.as_ref());
        let mut open = |path: Option<&Path>| {
            let output = Output::open(path, args.force, &taken)?;
            leftovers::will_look_beside(&output);
            taken.add(path.or(Some(Path::new("-"))), None);
            anyhow::Ok(output)
        };
        let json = args.json.as_deref();
        let text = match json {
            Some(path) if path == Path::new("-") => None,
            _ => Some(open(None)?),
        };
        Ok(Outputs {
            text,
            json: json.map(|path| open(Some(path))).transpose()?,
            plot: args
                .plot
                .as_deref()
                .map(|path| open(Some(path)))
                .transpose()?,
        })
    }

    /// Files first: they are complete even if nobody reads standard output.
    fn write(mut self, results: &Results<'_>, threads: usize) -> Result<()> {
        if let Some(plot) = &mut self.plot {
            plot.write(plot::to_html(results)?.as_bytes())?;
        }
        let json = format!("{:#}\n", json::to_json(results, threads));
        if let (Some(output), true) = (&mut self.json, self.text.is_some()) {
            output.write(json.as_bytes())?;
        }
        let to_stdout = match self.text {
            Some(text) => Some((text, table::to_text(results))),
            None => self.json.take().map(|output| (output, json)),
        };
        output::finish(self.plot.into_iter().chain(self.json))?;
        if let Some((mut output, text)) = to_stdout {
            output.write(text.as_bytes())?;
        }
        Ok(())
    }
}

pub fn run(args: &Args) -> Result<Answer> {
    let patience = args.patience()?;
    let outputs = Outputs::open(args)?;
    leftovers::note(false);
    let threads = args.backend.threads()?;
    let rules = args.rules.rules();
    let data = Data::load(args.input.as_deref(), args.from)?;
    let contenders = contenders::all(args, threads)?;
    let sizes = args.sizes();
    let bench = Bench {
        data: &data,
        expected: data.expected(&rules),
        rules: &rules,
        sizes: &sizes,
        contenders: &contenders,
        patience,
        in_software: if args.full || !args.sizes.is_empty() {
            LARGEST
        } else {
            LARGEST_IN_SOFTWARE
        },
        progress: ProgressBar::new_spinner(),
    };
    let results = Results {
        data: &data,
        rules: &rules,
        sizes: &sizes,
        contenders: &contenders,
        runs: args.runs,
        peak: args
            .gpu_peak
            .zip(args.gpu_ops)
            .map(|(per_second, ops)| Peak { per_second, ops }),
        parts: bench.parts(args)?,
        files: if args.wants(PartName::Files) {
            bench.files(args, threads)?
        } else {
            Vec::new()
        },
    };
    bench.progress.finish_and_clear();
    outputs.write(&results, threads)?;
    Ok(if results.any_wrong() {
        Answer::No
    } else {
        Answer::Yes
    })
}

struct Bench<'a> {
    data: &'a Data,
    expected: Expected,
    rules: &'a Rules,
    sizes: &'a [usize],
    contenders: &'a [Contender],
    patience: Patience,
    /// The largest batch on software adapters.
    in_software: usize,
    progress: ProgressBar,
}

impl Bench<'_> {
    fn parts(&self, args: &Args) -> Result<Vec<Part>> {
        let all = [
            (PartName::Scores, What::Scores),
            (PartName::Verdicts, What::Verdicts),
        ];
        let wanted = all.into_iter().filter(|(name, _)| args.wants(*name));
        wanted.map(|(_, what)| self.part(what)).collect()
    }

    fn part(&self, what: What) -> Result<Part> {
        let rows = self.contenders.iter().map(|c| self.row(what, c));
        let rows = rows.collect::<Result<_>>()?;
        let most = self.sizes.last().copied().unwrap_or(1);
        let mut memory = Memory::new(self.data, most + most / 8 + 1);
        self.say(&format!("{}: floors", what.name()));
        let floors = self.sizes.iter().map(|&size| {
            let load = match what {
                What::Scores => Load::of_scores(self.data, size),
                What::Verdicts => Load::of_verdicts(size),
            };
            memory.floors(self.contenders, load, self.patience)
        });
        Ok(Part {
            what,
            rows,
            floors: floors.collect::<Result<_>>()?,
        })
    }

    /// One contender's figures by size, up to where patience runs out.
    fn row(&self, what: What, contender: &Contender) -> Result<Vec<Option<measure::Measured>>> {
        let mut row = Vec::new();
        let mut too_slow = false;
        for &size in self.sizes {
            too_slow |= contender.is_software() && size > self.in_software;
            if too_slow {
                row.push(None);
                continue;
            }
            self.say(&format!("{}: {size} on {}", what.name(), contender.name));
            let measure = match what {
                What::Scores => measure::scores,
                What::Verdicts => measure::verdicts,
            };
            let (data, expected) = (self.data, &self.expected);
            let measured = measure(contender, data, expected, self.rules, size, self.patience)?;
            too_slow = measured.total * 2 > self.patience.limit;
            row.push(Some(measured));
        }
        Ok(row)
    }

    fn files(&self, args: &Args, threads: usize) -> Result<Vec<FileFigures>> {
        let bench = files::Bench {
            rules: self.rules,
            threads,
            path: args.backend.cpu_path(),
            patience: self.patience,
        };
        let measure = |content| {
            self.say("files");
            bench.measure(content)
        };
        self.data.files.iter().map(measure).collect()
    }

    /// Shown on standard error if that is a terminal.
    fn say(&self, what: &str) {
        self.progress.set_message(what.to_owned());
        self.progress.tick();
    }
}

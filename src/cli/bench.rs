//! `swaplist bench`: the CPU against the GPUs of this machine.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use swaplist::backend::{Backend, Cpu};
use swaplist::{Choice, CpuPath, Rules};

use super::Answer;
use super::options::{BackendArgs, RulesArgs};
use super::output::{Output, Taken};

mod data;
mod measure;
mod table;

use data::Data;
use measure::{Measured, Patience};

/// Measures scores and verdicts on the CPU, by each of its code paths and with all
/// threads, and on every GPU adapter, for batches of many sizes.
///
/// Every result is compared with the CPU's while it is timed. Each figure is the
/// median of several runs: the whole call, from positions in memory to results in
/// memory, and, where the device can tell, its kernels alone. Compare figures of one
/// run only.
#[derive(clap::Args)]
#[command(after_help = "\
A software adapter computes on the CPU: its figures say nothing about GPUs.

Exit status: 0 done, 1 a result was wrong, 2 could not run.

Examples:
  swaplist bench
  swaplist bench games.fen --sizes 1k,64k,4M --runs 9 --json")]
pub struct Args {
    /// Positions to take, text lines; - for standard input [default: a sample that
    /// is built in]
    input: Option<PathBuf>,

    /// Batch sizes, moves or positions; k and M stand for 1,024 and 1,048,576
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = size,
        default_value = "1k,4k,16k,64k,256k,1M,4M"
    )]
    sizes: Vec<usize>,

    /// Runs a figure, of which the median is taken
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,

    /// No figure may take longer: fewer runs, and larger batches are left out
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    patience: f64,

    /// The figures as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    let number = digits.parse::<usize>().ok().filter(|&number| number > 0);
    number
        .and_then(|number| number.checked_mul(unit))
        .filter(|&size| size <= 1 << 24)
        .ok_or_else(|| "expected a number from 1 to 16M, such as 1000, 64k or 4M".to_owned())
}

/// One thing that computes.
pub struct Contender {
    name: String,
    backend: Box<dyn Backend>,
    /// The same on one thread, which tells how long its kernels took.
    kernels: Option<Kernels>,
    software: bool,
}

pub struct Kernels {
    backend: Box<dyn Backend>,
    /// For the last batch, where the device can tell.
    time: Box<dyn Fn() -> Option<Duration>>,
}

pub fn run(args: &Args) -> Result<Answer> {
    if !(args.patience > 0.0 && args.patience.is_finite()) {
        bail!("--patience takes a number of seconds above 0");
    }
    let threads = args.backend.threads()?;
    let rules = args.rules.rules();
    let data = Data::load(args.input.as_deref())?;
    let patience = Patience {
        runs: args.runs as usize,
        limit: Duration::from_secs_f64(args.patience.min(1e6)),
    };
    let contenders = contenders(&args.backend, threads)?;
    let mut sizes = args.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let measured = measure_all(&contenders, &data, &rules, &sizes, patience)?;
    let table = table::Table {
        data: &data,
        rules: &rules,
        sizes: &sizes,
        contenders: &contenders,
        measured: &measured,
        runs: args.runs,
    };
    let text = if args.json {
        format!("{:#}\n", table.to_json())
    } else {
        table.to_text()
    };
    Output::open(None, false, &Taken::default())?.write(text.as_bytes())?;
    let wrong = |measured: &Measured| measured.wrong.is_some();
    let any_wrong = measured
        .scores
        .iter()
        .chain(&measured.verdicts)
        .flatten()
        .flatten()
        .any(wrong);
    Ok(if any_wrong { Answer::No } else { Answer::Yes })
}

/// Figures by contender, then by size; none where patience ran out.
pub struct All {
    scores: Vec<Vec<Option<Measured>>>,
    verdicts: Vec<Vec<Option<Measured>>>,
    /// Text to verdicts on one thread, positions a second.
    from_text: f64,
}

fn measure_all(
    contenders: &[Contender],
    data: &Data,
    rules: &Rules,
    sizes: &[usize],
    patience: Patience,
) -> Result<All> {
    let mut all = All {
        scores: Vec::new(),
        verdicts: Vec::new(),
        from_text: 0.0,
    };
    let expected = data.expected(rules);
    for contender in contenders {
        let each = |measure: &dyn Fn(usize) -> Result<Measured>| {
            let mut row = Vec::new();
            let mut too_slow = false;
            for &size in sizes {
                let measured = if too_slow { None } else { Some(measure(size)?) };
                too_slow |= measured
                    .as_ref()
                    .is_none_or(|measured| measured.total * 2 > patience.limit);
                row.push(measured);
            }
            anyhow::Ok(row)
        };
        all.scores.push(each(&|size| {
            measure::scores(contender, data, &expected, rules, size, patience)
        })?);
        all.verdicts.push(each(&|size| {
            measure::verdicts(contender, data, &expected, rules, size, patience)
        })?);
    }
    all.from_text = measure::from_text(data, rules, patience);
    Ok(all)
}

/// The CPU on one thread by every path it has, on all threads by the fastest, or
/// by the one asked for; and the GPUs.
fn contenders(args: &BackendArgs, threads: usize) -> Result<Vec<Contender>> {
    let cpu = |threads, path| -> Result<Contender> {
        let cpu = Cpu::with_threads(threads)?.with_path(path)?;
        Ok(Contender {
            name: cpu.name(),
            backend: Box::new(cpu),
            kernels: None,
            software: false,
        })
    };
    let fastest = args.cpu_path();
    let mut contenders = Vec::new();
    for path in CpuPath::ALL {
        if path == fastest || args.cpu.is_none() && path.is_available() {
            contenders.push(cpu(1, path)?);
        }
    }
    if threads > 1 {
        contenders.push(cpu(threads, fastest)?);
    }
    contenders.extend(gpus(&args.backend)?);
    Ok(contenders)
}

#[cfg(feature = "gpu")]
fn gpus(choice: &Choice) -> Result<Vec<Contender>> {
    use swaplist::backend::gpu::{Gpu, adapters};
    let wanted = match choice {
        Choice::Cpu => return Ok(Vec::new()),
        Choice::Gpu(Some(name)) | Choice::Both(Some(name)) => name.to_lowercase(),
        Choice::Gpu(None) | Choice::Both(None) | Choice::Auto => String::new(),
    };
    let mut names: Vec<String> = adapters().into_iter().map(|adapter| adapter.name).collect();
    names.retain(|name| name.to_lowercase().contains(&wanted));
    names.dedup();
    if names.is_empty() && matches!(choice, Choice::Gpu(_) | Choice::Both(_)) {
        bail!("no such GPU adapter found; swaplist devices lists those there are");
    }
    let open = |name: String| {
        let gpu = Gpu::open(Some(&name))?;
        Ok(Contender {
            name: gpu.adapter().name.clone(),
            software: gpu.adapter().software,
            kernels: Some(kernels(&name)?),
            backend: Box::new(gpu),
        })
    };
    names.into_iter().map(open).collect()
}

/// One thread, so that no chunk's time holds the waiting for another's.
#[cfg(feature = "gpu")]
fn kernels(name: &str) -> Result<Kernels> {
    use std::sync::Arc;
    use swaplist::backend::gpu::{Gpu, Options};
    let options = Options::new().timestamps(true).lanes(1);
    let gpu = Arc::new(Gpu::open_with(Some(name), &options)?);
    Ok(Kernels {
        backend: Box::new(Arc::clone(&gpu)),
        time: Box::new(move || gpu.kernel_time()),
    })
}

#[cfg(not(feature = "gpu"))]
fn gpus(choice: &Choice) -> Result<Vec<Contender>> {
    match choice {
        Choice::Gpu(_) | Choice::Both(_) => bail!("built without the feature gpu"),
        Choice::Auto | Choice::Cpu => Ok(Vec::new()),
    }
}

//! `swaplist verify`: every backend and code path against each other, exactly.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use swaplist::backend::{Backend, Cpu};
use swaplist::formats::Decoded;
use swaplist::{Choice, CpuPath, Profile};

use super::Answer;
use super::input::Input;
use super::options::{BackendArgs, InputArgs, RulesArgs};
use super::output::{Output, Taken};
use super::pipeline::invalid_record;
use super::progress::Progress;

mod compare;

use compare::{Check, Found};

/// Scores a file on every backend and code path, and compares exactly.
///
/// Compared on all noisy moves, and on those that a line names, are the scalar
/// exchange, the threshold form at the value and one above, the minimax of the swap
/// list, and the scores and verdicts of the CPU by each of its code paths and of
/// every GPU adapter that this machine has, software ones too.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 all equal, 1 something differs or invalid records were passed
over, 2 could not run, or no position to compare.

Examples:
  swaplist verify games.fen
  swaplist verify games.fen --all-profiles --require-gpu")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Under all four profiles
    #[arg(long, help_heading = "Checks", conflicts_with = "profile")]
    all_profiles: bool,

    /// Fail if there is no GPU adapter
    #[arg(long, help_heading = "Checks")]
    require_gpu: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

pub fn run(args: &Args) -> Result<Answer> {
    let gpus_wanted = args.backend.backend != Choice::Cpu;
    if args.require_gpu && !gpus_wanted {
        bail!("--backend cpu asks for no GPU and --require-gpu for one; leave out one of them");
    }
    let input = Input::open(args.input.input.as_deref())?;
    args.backend.threads()?;
    let gpus = open_gpus(&args.backend.backend)?;
    let asked = args.require_gpu || matches!(args.backend.backend, Choice::Gpu(_));
    if gpus.is_empty() && asked {
        bail!(
            "no such GPU adapter found; without --backend gpu and --require-gpu the CPU's paths alone are compared"
        );
    }
    let rules = if args.all_profiles {
        Profile::ALL
            .map(|profile| args.rules.of_profile(profile))
            .to_vec()
    } else {
        vec![args.rules.rules()]
    };
    let mut backends = cpus(args.backend.cpu)?;
    let cpus = backends.len();
    backends.extend(gpus);
    let mut check = Check {
        backends,
        cpus,
        gpus_wanted,
        rules,
        found: Found::default(),
    };
    let name = input.name.clone();
    let elapsed = read_all(input, &args.input, &mut check)?;
    if check.found.positions == 0 {
        bail!("{name}: no valid position in it, nothing was compared");
    }
    let text = if args.input.json {
        format!("{:#}\n", check.to_json(&name, elapsed))
    } else if args.input.quiet {
        check.found.list()
    } else {
        check.to_text(&name, elapsed)
    };
    Output::open(None, false, &Taken::default())?.write(text.as_bytes())?;
    let equal = check.found.differences == 0 && check.found.invalid == 0;
    Ok(if equal { Answer::Yes } else { Answer::No })
}

/// The CPU by every path that it has, or by the one asked for.
fn cpus(path: Option<CpuPath>) -> Result<Vec<Box<dyn Backend>>> {
    let wanted = |each: &CpuPath| path.map_or(each.is_available(), |path| path == *each);
    let cpu = |path| Ok(Box::new(Cpu::new().with_path(path)?) as Box<dyn Backend>);
    CpuPath::ALL.into_iter().filter(wanted).map(cpu).collect()
}

#[cfg(feature = "gpu")]
fn open_gpus(choice: &Choice) -> Result<Vec<Box<dyn Backend>>> {
    use swaplist::gpu::{Gpu, adapters};
    let open = |name: String| {
        let gpu = Gpu::open(Some(&name)).with_context(|| format!("cannot open '{name}'"))?;
        Ok(Box::new(gpu) as Box<dyn Backend>)
    };
    let wanted = match choice {
        Choice::Cpu => return Ok(Vec::new()),
        Choice::Gpu(Some(name)) => name.to_lowercase(),
        Choice::Gpu(None) | Choice::Auto => String::new(),
    };
    let mut names: Vec<String> = adapters().into_iter().map(|adapter| adapter.name).collect();
    if !names.is_empty()
        && !names
            .iter()
            .any(|name| name.to_lowercase().contains(&wanted))
    {
        let found = names.join(", ");
        bail!("no GPU adapter is named '{wanted}', found: {found}");
    }
    names.retain(|name| name.to_lowercase().contains(&wanted));
    names.dedup();
    names.into_iter().map(open).collect()
}

#[cfg(not(feature = "gpu"))]
fn open_gpus(_: &Choice) -> Result<Vec<Box<dyn Backend>>> {
    Ok(Vec::new())
}

fn read_all(mut input: Input, args: &InputArgs, check: &mut Check) -> Result<Duration> {
    let progress = Progress::new(&input, args.quiet);
    let format = input.format(args.from)?;
    let (mut reader, codec) = format.open(input.stream, 1 << 20);
    let mut decoded = Decoded::default();
    while let Some(block) = reader.next_block().context(input.name.clone())? {
        codec.decode(&block, &mut decoded);
        if let (Some(error), false) = (decoded.invalid.first(), args.skip_invalid) {
            return Err(invalid_record(&input.name, error));
        }
        check.found.invalid += decoded.invalid.len() as u64;
        check.block(&*codec, &block, &decoded)?;
        progress.set(check.found.positions);
    }
    Ok(progress.elapsed())
}

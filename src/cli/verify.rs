//! `swaplist verify`: compares all backends and code paths.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use swaplist::backend::{Backend, Cpu};
use swaplist::formats::Decoded;
use swaplist::{Choice, Profile, Rules};

use super::devices;
use super::errors::skip;
use super::opened::{input, json_text, print};
use super::options::{BackendArgs, InputArgs, RulesArgs};
use super::progress::Progress;
use swaplist::jobs::shown::{Lines, grouped};

mod compare;

use compare::Comparison;

/// Scores a file on every backend and code path, and compares exactly.
///
/// Scores all noisy moves and those that a line names. Compares the scalar exchange, the
/// threshold form at the value and one above, the minimax of the swap list, and the scores and
/// verdicts of every CPU code path and every GPU adapter, including software ones.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 all equal, 1 something differs or invalid records were
skipped, 2 could not run, or no position to compare, 130 interrupted.

Examples:
  swaplist verify games.fen
  swaplist verify games.fen --all-profiles --require-gpu")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Compare under all four profiles
    #[arg(long, help_heading = "Checks", conflicts_with = "profile")]
    all_profiles: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl Args {
    fn all_rules(&self) -> Vec<Rules> {
        if self.all_profiles {
            Profile::ALL
                .map(|profile| self.rules.of_profile(profile))
                .to_vec()
        } else {
            vec![self.rules.rules()]
        }
    }
}

pub fn run(args: &Args) -> Result<bool> {
    let choice = args.backend.choice()?;
    let no_gpus = *choice == Choice::Cpu;
    let mut input = input(args.input.input.as_deref())?;
    args.backend.threads()?;
    let gpus = gpus(choice)?;
    let mut comparison = Comparison {
        rules: args.all_rules(),
        ..Comparison::default()
    };
    for path in devices::cpu_paths(args.backend.cpu) {
        let cpu = Cpu::new().with_path(path)?;
        comparison.backends.push(Box::new(cpu));
    }
    let cpus = comparison.backends.len();
    comparison.backends.extend(gpus);
    let progress = Progress::new(&input, args.input.quiet, None);
    let format = input.format(args.input.from)?;
    let name = input.name().to_owned();
    let (mut reader, codec) = format.open(input.into_stream(), 1 << 20);
    let mut decoded = Decoded::default();
    while let Some(block) = reader.next_block().context(name.clone())? {
        codec.decode(&block, &mut decoded);
        if let (Some(error), false) = (decoded.invalid.first(), args.input.skip_invalid) {
            bail!("{name}, {error}{}", skip(format.units()));
        }
        comparison.invalid += decoded.invalid.len() as u64;
        comparison.block(&*codec, &block, &decoded)?;
        progress.set(comparison.positions);
    }
    if comparison.positions == 0 {
        bail!("{name}: no valid position in it, nothing was compared");
    }
    let names: Vec<String> = comparison.backends.iter().map(|one| one.name()).collect();
    let (cpus, gpus) = names.split_at(cpus);
    let found = Found {
        name: &name,
        comparison: &comparison,
        cpus,
        gpus,
        no_gpu: if no_gpus {
            "not asked for"
        } else {
            "no adapter found"
        },
        seconds: progress.elapsed().as_secs_f64(),
    };
    let line = |difference: &String| format!("    {difference}\n");
    let first: String = comparison.first.iter().map(line).collect();
    let text = if args.input.json {
        json_text(&found.to_json())
    } else if args.input.quiet {
        first
    } else {
        found.to_text() + &first
    };
    drop(progress);
    print(&text)?;
    Ok(comparison.differences == 0 && comparison.invalid == 0)
}

#[cfg(feature = "gpu")]
fn gpus(choice: &Choice) -> Result<Vec<Box<dyn Backend>>> {
    use swaplist::gpu::Gpu;
    let open = |name: String| {
        let gpu = Gpu::open(Some(&name)).with_context(|| format!("cannot open '{name}'"))?;
        Ok(Box::new(gpu) as Box<dyn Backend>)
    };
    devices::gpu_names(choice)?.into_iter().map(open).collect()
}

#[cfg(not(feature = "gpu"))]
fn gpus(choice: &Choice) -> Result<Vec<Box<dyn Backend>>> {
    devices::gpu_names(choice).map(|_| Vec::new())
}

/// What was compared, and what was found.
struct Found<'a> {
    name: &'a str,
    comparison: &'a Comparison,
    cpus: &'a [String],
    gpus: &'a [String],
    /// Why there are no GPUs, if so.
    no_gpu: &'a str,
    seconds: f64,
}

impl Found<'_> {
    fn to_json(&self) -> Value {
        let found = self.comparison;
        json!({
            "command": "verify",
            "input": self.name,
            "records": found.positions,
            "moves": found.moves,
            "invalid": found.invalid,
            "cpus": self.cpus,
            "gpus": self.gpus,
            "rules": found.rules.iter().map(Rules::to_json).collect::<Vec<_>>(),
            "differences": found.differences,
            "first_differences": found.first,
            "seconds": self.seconds,
        })
    }

    fn to_text(&self) -> String {
        let found = self.comparison;
        let mut lines = Lines::default();
        let (positions, moves) = (grouped(found.positions), grouped(found.moves));
        lines.add(
            "records",
            format!("{positions}, {moves} moves under each rule set"),
        );
        if found.invalid > 0 {
            lines.add("invalid", format!("{}, skipped", grouped(found.invalid)));
        }
        for rules in &found.rules {
            lines.add("rules", rules);
        }
        let compared = "scores, verdicts, see_ge at value and value + 1, minimax of the swap list";
        lines.add("CPU", compared);
        for (name, backends) in [("", self.cpus), ("GPU", self.gpus)] {
            for backend in backends {
                lines.add(name, backend);
            }
        }
        if self.gpus.is_empty() {
            lines.add("GPU", format!("{}: none was compared", self.no_gpu));
        }
        lines.add("time", format!("{:.2} s", self.seconds));
        match found.differences {
            0 => lines.add("result", "all equal"),
            count => lines.add(
                "result",
                format!("{} differences, the first:", grouped(count)),
            ),
        }
        format!("swaplist verify {}\n{}", self.name, lines.text())
    }
}

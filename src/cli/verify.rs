//! `swaplist verify`: every backend and code path against each other, exactly.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use swaplist::backend::{Backend, Cpu};
use swaplist::formats::{Block, Codec, Decoded};
use swaplist::{
    Batch, Best, Capture, Choice, Position, Profile, Rules, Trace, Verdict, noisy_moves,
};

use super::Answer;
use super::input::Input;
use super::options::{BackendArgs, InputArgs, RulesArgs, rules_json};
use super::output::{Output, Taken};
use super::pipeline::invalid_record;
use super::progress::Progress;
use super::summary::grouped;

/// Scores a file on every backend and code path, and compares exactly.
///
/// Compared on all noisy moves, and on those that a line names, are the scalar exchange, the CPU backend, the threshold form at the
/// value and one above, the minimax of the swap list, the CPU's verdicts, and
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
    let mut check = Check {
        cpu: Cpu::new(),
        gpus,
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

#[cfg(feature = "gpu")]
fn open_gpus(choice: &Choice) -> Result<Vec<Box<dyn Backend>>> {
    use swaplist::backend::gpu::{Gpu, adapters};
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

struct Check {
    cpu: Cpu,
    gpus: Vec<Box<dyn Backend>>,
    /// Whether they were looked for.
    gpus_wanted: bool,
    rules: Vec<Rules>,
    found: Found,
}

/// What came out so far.
#[derive(Default)]
struct Found {
    positions: u64,
    moves: u64,
    invalid: u64,
    differences: u64,
    /// The first of them.
    shown: Vec<String>,
}

impl Found {
    const SHOWN: usize = 10;

    fn differs(&mut self, message: impl FnOnce() -> String) {
        self.differences += 1;
        if self.shown.len() < Found::SHOWN {
            self.shown.push(message());
        }
    }

    /// The first differences, a line each.
    fn list(&self) -> String {
        let mut text = String::new();
        for difference in &self.shown {
            let _ = writeln!(text, "    {difference}");
        }
        text
    }
}

impl Check {
    fn block(&mut self, codec: &dyn Codec, block: &Block, decoded: &Decoded) -> Result<()> {
        let mut batch = Batch::new();
        for (record, position) in decoded.positions.iter().enumerate() {
            let mut moves = noisy_moves(position);
            for &named in decoded.named_moves(record).unwrap_or_default() {
                if !moves.contains(&named) {
                    moves.push(named);
                }
            }
            batch.push(*position, moves);
        }
        self.found.positions += batch.positions().len() as u64;
        self.found.moves += batch.len() as u64;
        let place = |record: usize| {
            let fen = codec.fen(block, decoded, record);
            format!("{}: '{fen}'", decoded.records[record].place())
        };
        for rules in self.rules.clone() {
            self.rules(&rules, &batch, &place)?;
        }
        Ok(())
    }

    fn rules(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        place: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let see = |(position, moves): (&Position, &[Capture])| -> Vec<i32> {
            moves
                .iter()
                .map(|&capture| rules.see(position, capture))
                .collect()
        };
        let scalar: Vec<i32> = batch.iter().flat_map(see).collect();
        let mut scores = vec![0; batch.len()];
        let backends = self.gpus.iter().map(|gpu| &**gpu);
        for backend in core::iter::once(&self.cpu as &dyn Backend).chain(backends) {
            scores.fill(i32::MIN);
            backend
                .score(batch, rules, &mut scores)
                .with_context(|| backend.name())?;
            for record in 0..batch.positions().len() {
                for i in batch.range(record) {
                    if scores[i] != scalar[i] {
                        self.found.differs(|| {
                            let (capture, name) = (batch.captures()[i], backend.name());
                            let (place, scalar, other) = (place(record), scalar[i], scores[i]);
                            format!("{place} {capture}, {rules}: {scalar}, {name} {other}")
                        });
                    }
                }
            }
        }
        self.threshold_and_trace(rules, batch, &scalar, place);
        self.verdicts(rules, batch, &scalar, place);
        Ok(())
    }

    /// The threshold form at the value and one above; the swap list's minimax.
    fn threshold_and_trace(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        scalar: &[i32],
        place: &dyn Fn(usize) -> String,
    ) {
        for (record, (position, moves)) in batch.iter().enumerate() {
            for (&capture, &see) in moves.iter().zip(&scalar[batch.range(record)]) {
                let at = rules.see_ge(position, capture, see);
                let above = rules.see_ge(position, capture, see + 1);
                if !at || above {
                    self.found.differs(|| {
                        let place = place(record);
                        format!(
                            "{place} {capture}, {rules}: {see}, but see_ge is {at} at it and {above} above"
                        )
                    });
                }
                let trace = rules.trace(position, capture);
                let minimax = minimax(&trace);
                if minimax != see || trace.value != see {
                    self.found.differs(|| {
                        let place = place(record);
                        format!("{place} {capture}, {rules}: {see}, its swap list {minimax}")
                    });
                }
            }
        }
    }

    fn verdicts(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        scalar: &[i32],
        place: &dyn Fn(usize) -> String,
    ) {
        let mut verdicts = vec![Verdict::default(); batch.positions().len()];
        self.cpu
            .judge_all(batch.positions(), rules, false, &mut verdicts);
        for (record, ((position, moves), verdict)) in batch.iter().zip(verdicts).enumerate() {
            let noisy = noisy_moves(position).len();
            let scored = moves.iter().zip(&scalar[batch.range(record)]).take(noisy);
            let best = scored.fold(None, |best, (&capture, &see)| {
                Best::or_better(best, see, capture)
            });
            if verdict.best != best || verdict.noisy as usize != noisy {
                self.found.differs(|| {
                    let place = place(record);
                    format!("{place}, {rules}: verdict {verdict:?}, but {noisy} noisy moves, best {best:?}")
                });
            }
        }
    }

    fn adapters(&self) -> Vec<String> {
        self.gpus.iter().map(|gpu| gpu.name()).collect()
    }

    fn to_json(&self, input: &str, elapsed: Duration) -> Value {
        let found = &self.found;
        let rules: Vec<Value> = self.rules.iter().map(rules_json).collect();
        json!({
            "command": "verify",
            "input": input,
            "records": found.positions,
            "moves": found.moves,
            "invalid": found.invalid,
            "cpu": self.cpu.name(),
            "gpus": self.adapters(),
            "rules": rules,
            "differences": found.differences,
            "first_differences": found.shown,
            "seconds": elapsed.as_secs_f64(),
        })
    }

    fn to_text(&self, input: &str, elapsed: Duration) -> String {
        let found = &self.found;
        let (positions, moves) = (grouped(found.positions), grouped(found.moves));
        let mut text = format!("swaplist verify {input}\n");
        let _ = writeln!(
            text,
            "  records   {positions}, {moves} moves under each rule set"
        );
        if found.invalid > 0 {
            let _ = writeln!(text, "  invalid   {}, passed over", grouped(found.invalid));
        }
        for rules in &self.rules {
            let _ = writeln!(text, "  rules     {rules}");
        }
        let _ = writeln!(
            text,
            "  CPU       scalar; {}; see_ge at value and value + 1;",
            self.cpu.name()
        );
        let _ = writeln!(text, "            minimax of the swap list; verdicts");
        for name in self.adapters() {
            let _ = writeln!(text, "  GPU       {name}");
        }
        if self.gpus.is_empty() {
            let why = if self.gpus_wanted {
                "no adapter found"
            } else {
                "not asked for"
            };
            let _ = writeln!(text, "  GPU       {why}: none was compared");
        }
        let _ = writeln!(text, "  time      {:.2} s", elapsed.as_secs_f64());
        if found.differences == 0 {
            text.push_str("  result    all equal\n");
        } else {
            let _ = writeln!(
                text,
                "  result    {} differences, the first:",
                grouped(found.differences)
            );
            text.push_str(&found.list());
        }
        text
    }
}

/// The value that the swap list gives, by CPW's rule.
fn minimax(trace: &Trace) -> i32 {
    let gains =
        core::iter::once(trace.gain).chain(trace.recaptures.iter().map(|recapture| recapture.gain));
    let gains: Vec<i32> = gains.collect();
    let value = gains
        .iter()
        .copied()
        .rev()
        .reduce(|later, gain| -later.max(-gain));
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use swaplist::backend::BackendError;
    use swaplist::formats::Format;

    /// Right, but for one score in a thousand.
    struct Wrong;

    impl Backend for Wrong {
        fn name(&self) -> String {
            "wrong".to_owned()
        }

        fn score(
            &self,
            batch: &Batch,
            rules: &Rules,
            scores: &mut [i32],
        ) -> Result<(), BackendError> {
            Cpu::new().score(batch, rules, scores)?;
            scores
                .iter_mut()
                .step_by(1000)
                .for_each(|score| *score += 1);
            Ok(())
        }
    }

    /// Says that it has scored, and has not.
    struct Silent;

    impl Backend for Silent {
        fn name(&self) -> String {
            "silent".to_owned()
        }

        fn score(&self, _: &Batch, _: &Rules, _: &mut [i32]) -> Result<(), BackendError> {
            Ok(())
        }
    }

    fn found(gpu: Option<Box<dyn Backend>>) -> Found {
        let line = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1\n";
        let text = line.repeat(300);
        let mut check = Check {
            cpu: Cpu::new(),
            gpus: gpu.into_iter().collect(),
            gpus_wanted: true,
            rules: vec![Rules::SWAP],
            found: Found::default(),
        };
        let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = Decoded::default();
        codec.decode(&block, &mut decoded);
        check.block(&*codec, &block, &decoded).unwrap();
        check.found
    }

    #[test]
    fn a_single_wrong_score_is_found() {
        assert_eq!(found(None).differences, 0);
        let found = found(Some(Box::new(Wrong)));
        assert_eq!(found.differences, 3); // of 2,700
        assert!(found.shown[0].contains("e5d6, profile swap"));
        assert!(
            found.shown[0].ends_with(": 100, wrong 101"),
            "{}",
            found.shown[0]
        );
    }

    #[test]
    fn scores_that_were_not_written_are_found() {
        assert_eq!(found(Some(Box::new(Silent))).differences, 2_700);
    }
}

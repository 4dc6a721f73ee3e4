//! `swaplist verify`: compares all backends and code paths.

use std::fmt::Debug;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use swaplist::backend::{Answers, Backend, Cpu, Question};
use swaplist::formats::Decoded;
use swaplist::jobs::shown::{Lines, grouped};
use swaplist::{BackendChoice, Batch, Best, Position, Profile, Rules, Trace, Verdict, noisy_moves};

use super::devices;
use super::errors::skip;
use super::opened::{input, json_text, print};
use super::options::{BackendArgs, InputArgs, RulesArgs};
use super::progress::Progress;

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

pub fn run(args: &Args) -> Result<bool> {
    let choice = args.backend.choice()?;
    let no_gpu = if *choice == BackendChoice::Cpu {
        "not asked for"
    } else {
        "no adapter found"
    };
    let mut input = input(args.input.input.as_deref())?;
    args.backend.threads()?;
    let mut backends: Vec<Box<dyn Backend>> = Vec::new();
    for path in devices::cpu_paths(args.backend.cpu) {
        backends.push(Box::new(Cpu::new().with_path(path)?));
    }
    let cpus = backends.len();
    for gpu in devices::gpus(choice, &devices::Options::default())? {
        backends.push(Box::new(gpu));
    }
    let mut rules = vec![args.rules.rules()];
    if args.all_profiles {
        rules = Profile::ALL
            .map(|profile| args.rules.of_profile(profile))
            .into();
    }
    let mut comparison = Comparison {
        backends,
        rules,
        ..Comparison::default()
    };
    let progress = Progress::new(&input, args.input.quiet, None);
    let format = input.format(args.input.from)?;
    let name = input.name().to_owned();
    let mut records = format.records(input.into_stream());
    while let Some(decoded) = records.next_batch().context(name.clone())? {
        if let (Some(error), false) = (decoded.invalid.first(), args.input.skip_invalid) {
            bail!("{name}, {error}{}", skip(format.units()));
        }
        comparison.add(decoded)?;
        progress.set(comparison.positions);
    }
    if comparison.positions == 0 {
        bail!("{name}: no valid position in it, nothing was compared");
    }
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    let names = comparison.backends.iter().map(|one| one.name()).collect();
    let names: Vec<String> = names;
    print(&if args.input.json {
        json_text(&comparison.to_json(&name, names.split_at(cpus), seconds))
    } else if args.input.quiet {
        comparison.first_differences()
    } else {
        comparison.to_text(&name, names.split_at(cpus), no_gpu, seconds)
    })?;
    Ok(comparison.differences == 0 && comparison.invalid == 0)
}

/// All answers to a file's positions, under each rule set.
#[derive(Default)]
struct Comparison {
    backends: Vec<Box<dyn Backend>>,
    rules: Vec<Rules>,
    positions: u64,
    moves: u64,
    /// Records that were skipped.
    invalid: u64,
    differences: u64,
    /// The first differences.
    first: Vec<String>,
}

impl Comparison {
    fn add(&mut self, decoded: &Decoded) -> Result<()> {
        let mut batch = Batch::new();
        // For each move, the index of its position.
        let mut owners = Vec::new();
        for (record, position) in decoded.positions.iter().enumerate() {
            let mut moves = noisy_moves(position);
            for &named in decoded.named_moves(record).unwrap_or_default() {
                if !moves.contains(&named) {
                    moves.push(named);
                }
            }
            owners.resize(owners.len() + moves.len(), record);
            batch.push(*position, moves);
        }
        self.invalid += decoded.invalid.len() as u64;
        self.positions += batch.positions().len() as u64;
        self.moves += batch.len() as u64;
        let place = |record: usize| {
            let position = decoded.positions[record];
            format!("{}: '{position}'", decoded.records[record].place())
        };
        for rules in self.rules.clone() {
            let of_move = |i| format!("{} {}, {rules}", place(owners[i]), batch.captures()[i]);
            let of_position = |i| format!("{}, {rules}, verdict", place(i));
            self.compare_all(&rules, &batch, &of_move, &of_position)?;
        }
        Ok(())
    }

    /// Compares the scalar scores and verdicts, with threats, with all others.
    fn compare_all(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        of_move: &dyn Fn(usize) -> String,
        of_position: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let (mut scores, mut expected, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (position, moves) in batch.iter() {
            for &capture in moves {
                let (see, trace) = (rules.see(position, capture), rules.trace(position, capture));
                let reaches = |bound| rules.see_ge(position, capture, bound);
                scores.push(see);
                expected.push((true, false, see, see));
                found.push((reaches(see), reaches(see + 1), trace.value, minimax(&trace)));
            }
        }
        self.compare("see_ge, trace, swap list", &expected, &found, of_move);

        let positions = batch.positions();
        let verdicts = positions
            .iter()
            .map(|position| rules.verdict(position, true));
        let verdicts: Vec<Verdict> = verdicts.collect();
        let best = |position: &Position| {
            let noisy = noisy_moves(position);
            let see = |&capture: &_| (rules.see(position, capture), capture);
            let sees = noisy.iter().map(see);
            let best = sees.fold(None, |best, (see, capture)| {
                Best::or_better(best, see, capture)
            });
            (best, noisy.len() as u32)
        };
        let expected: Vec<_> = verdicts.iter().map(|one| (one.best, one.noisy)).collect();
        let found: Vec<_> = positions.iter().map(best).collect();
        self.compare("best score", &expected, &found, of_position);

        for backend in std::mem::take(&mut self.backends) {
            let name = backend.name();
            // Values that no backend returns, so that missing answers are found.
            let (question, mut found) = (Question::Scores(batch), Answers::default());
            found.fit(&question);
            found.scores.fill(i32::MIN);
            let done = backend.answer(&question, rules, &mut found);
            done.with_context(|| name.clone())?;
            self.compare(&name, &scores, &found.scores, of_move);
            let question = Question::Verdicts {
                positions,
                with_threat: true,
            };
            found.fit(&question);
            found.verdicts.fill(Verdict {
                noisy: u32::MAX,
                ..Verdict::default()
            });
            let done = backend.answer(&question, rules, &mut found);
            done.with_context(|| name.clone())?;
            self.compare(&name, &verdicts, &found.verdicts, of_position);
            self.backends.push(backend);
        }
        Ok(())
    }

    fn compare<T: PartialEq + Debug>(
        &mut self,
        name: &str,
        expected: &[T],
        found: &[T],
        place: &dyn Fn(usize) -> String,
    ) {
        const SHOWN: usize = 10;
        assert_eq!(expected.len(), found.len(), "one answer each");
        for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
            if expected != found {
                self.differences += 1;
                if self.first.len() < SHOWN {
                    let difference = format!("{}: {expected:?}, {name} {found:?}", place(i));
                    self.first.push(difference);
                }
            }
        }
    }

    fn first_differences(&self) -> String {
        let lines = self.first.iter().map(|line| format!("    {line}\n"));
        lines.collect()
    }

    fn to_json(&self, name: &str, (cpus, gpus): Names<'_>, seconds: f64) -> Value {
        json!({
            "command": "verify",
            "input": name,
            "records": self.positions,
            "moves": self.moves,
            "invalid": self.invalid,
            "cpus": cpus,
            "gpus": gpus,
            "rules": self.rules.iter().map(Rules::to_json).collect::<Vec<_>>(),
            "differences": self.differences,
            "first_differences": self.first,
            "seconds": seconds,
        })
    }

    fn to_text(&self, name: &str, (cpus, gpus): Names<'_>, no_gpu: &str, seconds: f64) -> String {
        let mut lines = Lines::default();
        let (positions, moves) = (grouped(self.positions), grouped(self.moves));
        let records = format!("{positions}, {moves} moves under each rule set");
        lines.add("records", records);
        if self.invalid > 0 {
            lines.add("invalid", format!("{}, skipped", grouped(self.invalid)));
        }
        for rules in &self.rules {
            lines.add("rules", rules);
        }
        let compared = "scores, verdicts, see_ge at value and value + 1, minimax of the swap list";
        lines.add("CPU", compared);
        for cpu in cpus {
            lines.add("", cpu);
        }
        for gpu in gpus {
            lines.add("GPU", gpu);
        }
        if gpus.is_empty() {
            lines.add("GPU", format!("{no_gpu}: none was compared"));
        }
        lines.add("time", format!("{seconds:.2} s"));
        let result = match self.differences {
            0 => "all equal".to_owned(),
            count => format!("{} differences, the first:", grouped(count)),
        };
        lines.add("result", result);
        let (lines, first) = (lines.text(), self.first_differences());
        format!("swaplist verify {name}\n{lines}{first}")
    }
}

/// The CPU's paths, and the GPUs.
type Names<'a> = (&'a [String], &'a [String]);

/// The minimax of the swap list, by CPW's rule.
fn minimax(trace: &Trace) -> i32 {
    let gains = trace.gains().rev();
    let value = gains.reduce(|later, gain| -later.max(-gain));
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use swaplist::formats::Format;

    /// 2,700 scores and 300 verdicts.
    fn compared(other: Option<Box<dyn Backend>>) -> Comparison {
        let text = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1\n".repeat(300);
        let cpu: Box<dyn Backend> = Box::new(Cpu::new());
        let mut comparison = Comparison {
            backends: [cpu].into_iter().chain(other).collect(),
            rules: vec![Rules::SWAP],
            ..Comparison::default()
        };
        let mut records = Format::Text.records(text.as_bytes());
        comparison
            .add(records.next_batch().unwrap().unwrap())
            .unwrap();
        comparison
    }

    #[test]
    fn wrong_and_missing_answers_are_found() {
        assert_eq!(compared(None).differences, 0);
        let found = compared(Some(Box::new(Fake::lying(1000))));
        // Three scores and a verdict.
        assert_eq!(found.differences, 4);
        let first = &found.first[0];
        assert!(first.contains("a7b8b, profile swap"), "{first}");
        assert!(first.ends_with(": 550, fake 551"), "{first}");
        let missing = compared(Some(Box::new(Fake::silent())));
        assert_eq!(missing.differences, 3_000);
    }
}

//! `swaplist verify`: compares all backends and code paths.
//!
//! The scalar code is the reference. First its own forms are compared with each other
//! ([`Comparison::scalar`]), then each backend's answers with it ([`Comparison::add`]). The answers
//! of a backend are written over values that no backend returns, so a missing answer differs, too.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use swaplist::backend::{Answers, Backend, Cpu, Question};
use swaplist::{
    Batch, Best, Choice, PieceValues, Profile, Rules, Sides, Trace, Verdict, noisy_moves,
};
use swaplist_files::explain::rules_to_json;
use swaplist_files::formats::DecodedPart;
use swaplist_files::report::{ResultTable, grouped};

use super::devices;
use super::errors::skip;
use super::options::{BackendArgs, InputArgs, RulesArgs};
use super::progress::Progress;
use super::session::{input, print, show};

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

/// Compares; returns whether all answers are equal and no record was invalid.
pub fn run(args: &Args) -> Result<bool> {
    let choice = args.backend.choice()?;
    let mut input = input(args.input.input.as_deref())?;
    args.backend.threads()?;
    let mut backends: Vec<Box<dyn Backend>> = Vec::new();
    for path in devices::cpu_paths(args.backend.cpu) {
        backends.push(Box::new(Cpu::new().with_path(path)?));
    }
    let cpu_count = backends.len();
    let gpus = devices::gpus(choice, &devices::GpuOptions::default())?;
    backends.extend(gpus.into_iter().map(|gpu| gpu.backend));
    let mut rules = vec![args.rules.rules()];
    if args.all_profiles {
        rules = Profile::ALL
            .iter()
            .map(|&profile| args.rules.over(Rules::new(profile, PieceValues::default())))
            .collect();
    }
    let mut comparison = Comparison {
        backends,
        rules,
        ..Comparison::default()
    };
    let progress = Progress::new(&input, args.input.quiet);
    let format = input.format(args.input.from, args.input.fen_column.as_deref())?;
    let name = input.name.clone();
    let mut records = format.records(input.into_stream()).positions_alone();
    if let Some(name) = &args.input.fen_column {
        records = records.fen_column(name);
    }
    while let Some(decoded) = records.next_batch().context(name.clone())? {
        if !args.input.skip_invalid
            && let Some(error) = decoded.invalid.first()
        {
            bail!("{name}, {error}{}", skip(format.spec().units));
        }
        comparison.add(decoded)?;
        progress.set(comparison.positions);
    }
    if comparison.positions == 0 {
        bail!("{name}: no valid position in it, nothing was compared");
    }
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    let mut first = String::new();
    for line in &comparison.first {
        let _ = writeln!(first, "    {line}");
    }
    if args.input.quiet && !args.input.json {
        print(&first)?;
    } else {
        let sheet = comparison.sheet(&name, cpu_count, seconds);
        show(args.input.json, &sheet, &first)?;
    }
    Ok(comparison.differences == 0 && comparison.invalid == 0)
}

/// A comparison of all answers to a file's positions, under each set of rules.
#[derive(Default)]
struct Comparison {
    backends: Vec<Box<dyn Backend>>,
    rules: Vec<Rules>,
    /// Positions, moves and invalid records so far.
    positions: u64,
    moves: u64,
    invalid: u64,
    /// The number of answers that differ.
    differences: u64,
    /// The first of them, a line of text each.
    first: Vec<String>,
}

impl Comparison {
    /// Compares each backend's scores and verdicts with the scalar ones. The verdicts have the
    /// opponent's threat, too.
    fn add(&mut self, decoded: &DecodedPart) -> Result<()> {
        let mut batch = Batch::new();
        // For each move, the index of its position.
        let mut owners = Vec::new();
        for (record, position) in decoded.positions.iter().enumerate() {
            let mut moves = noisy_moves(position);
            for &named_move in decoded.named_moves(record).unwrap_or_default() {
                if !moves.contains(&named_move) {
                    moves.push(named_move);
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
            let (scores, verdicts) = self.scalar(&rules, &batch, &of_move, &of_position);
            for backend in std::mem::take(&mut self.backends) {
                let name = backend.name();
                let ask = |question: Question<'_>| -> Result<Answers> {
                    let mut answers = poisoned(&question);
                    let result = backend.answer(&question, &rules, &mut answers);
                    result.with_context(|| name.clone()).map(|()| answers)
                };
                let its_scores = ask(Question::Scores(&batch))?.scores;
                self.compare(&name, &scores, &its_scores, &of_move);
                let its_verdicts = ask(Question::Verdicts {
                    positions: batch.positions(),
                    sides: Sides::Both,
                })?
                .verdicts;
                self.compare(&name, &verdicts, &its_verdicts, &of_position);
                self.backends.push(backend);
            }
        }
        Ok(())
    }

    /// The scalar scores and verdicts. Compares the scores with the threshold form, the trace and
    /// the minimax of the swap list, and the verdicts with the best score. `of_move` and
    /// `of_position` name a move or position by its index.
    fn scalar(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        of_move: &dyn Fn(usize) -> String,
        of_position: &dyn Fn(usize) -> String,
    ) -> (Vec<i32>, Vec<Verdict>) {
        let mut scores = Vec::new();
        // For each move: whether the SEE is at least itself, and at least one more; the value of
        // the trace, and the minimax of its swap list.
        let mut expected = Vec::new();
        let mut other_forms = Vec::new();
        let mut verdicts = Vec::new();
        // For each position: the best move by its score, and the number of noisy moves.
        let mut bests = Vec::new();
        for (position, moves) in batch.iter() {
            for &capture in moves {
                let see = rules.see(position, capture);
                let trace = rules.trace(position, capture);
                let reaches = |bound| rules.see_ge(position, capture, bound);
                scores.push(see);
                expected.push((true, false, see, see));
                other_forms.push((reaches(see), reaches(see + 1), trace.value, minimax(&trace)));
            }
            verdicts.push(rules.verdict(position, Sides::Both));
            let noisy = noisy_moves(position);
            let rated = noisy.iter().map(|&capture| Best {
                see: rules.see(position, capture),
                capture,
            });
            let best = rated.max_by_key(|best| (best.see, Reverse(best.capture)));
            bests.push((best, noisy.len() as u32));
        }
        self.compare("see_ge, trace, swap list", &expected, &other_forms, of_move);
        let of_verdicts: Vec<_> = verdicts
            .iter()
            .map(|verdict| (verdict.best(), verdict.noisy()))
            .collect();
        self.compare("best score", &of_verdicts, &bests, of_position);
        (scores, verdicts)
    }

    /// Counts the answers of `name` that are not the expected ones, and keeps the first ten as
    /// text. `place` names what an answer is about, by its index.
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

    /// The result; the first `cpu_count` backends are CPUs.
    fn sheet(&self, name: &str, cpu_count: usize, seconds: f64) -> ResultTable {
        let mut sheet = ResultTable::new("verify");
        sheet.title = format!("verify {name}");
        let names: Vec<String> = self.backends.iter().map(|backend| backend.name()).collect();
        let (cpus, gpus) = names.split_at(cpu_count);
        sheet.value("input", name);
        sheet.value("records", self.positions);
        sheet.value("moves", self.moves);
        let positions = grouped(self.positions);
        let moves = grouped(self.moves);
        let records = format!("{positions}, {moves} moves under each rule set");
        sheet.row("records", records);
        sheet.any("invalid", "invalid", self.invalid, ", skipped");
        let rules: Vec<_> = self.rules.iter().map(rules_to_json).collect();
        sheet.value("rules", rules);
        for rules in &self.rules {
            sheet.row("rules", rules);
        }
        let compared = "scores, verdicts, see_ge at value and value + 1, minimax of the swap list";
        sheet.value("cpus", cpus).row("CPU", compared);
        for cpu in cpus {
            sheet.row("", cpu);
        }
        sheet.value("gpus", gpus);
        for gpu in gpus {
            sheet.row("GPU", gpu);
        }
        if gpus.is_empty() {
            sheet.row("GPU", "none was compared");
        }
        sheet.value("seconds", seconds);
        sheet.row("time", format!("{seconds:.2} s"));
        sheet.value("differences", self.differences);
        sheet.value("first_differences", &self.first);
        let result = match self.differences {
            0 => "all equal".to_owned(),
            count => format!("{} differences, the first:", grouped(count)),
        };
        sheet.row("result", result);
        sheet
    }
}

/// Answers that no backend returns, so that missing ones are found.
pub fn poisoned(question: &Question<'_>) -> Answers {
    let mut answers = Answers::default();
    answers.fit(question);
    answers.scores.fill(i32::MIN);
    answers
        .verdicts
        .fill(Verdict::new(true, u16::MAX.into(), None));
    answers
}

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
    use swaplist_files::formats::Format;

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

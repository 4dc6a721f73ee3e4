//! `swaplist check`: compares another engine's SEE with these rules.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use rayon::prelude::*;
use swaplist::check::{Answer, Check, Said, answer_on, candidates, fen_on};
use swaplist::formats::{Block, Format, MAX_LINE};
use swaplist::{PieceValues, Profile, Rules};

use super::opened::{input, print_as};
use super::options::{RuleOptions, number};
use super::progress::Progress;
use swaplist::jobs::Input;

mod report;

/// Finds the rules that another engine's SEE follows, and lists disagreements.
///
/// Each line is `FEN;move;value`, `FEN;move;threshold;0|1` (whether the SEE is at least the
/// threshold), or the same as JSON: {"fen","move","value"} or {"fen","move","threshold","ge"}.
/// Moves are UCI or SAN. The table that `score` writes is accepted too. Empty lines and lines
/// that begin with # are skipped; a line is 1 MiB long at most. All combinations of the options
/// are tried, with the piece values from 1 to 30000 that fit the answers best unless --values
/// is given. If the answers do not determine a value, its interval is printed.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 all agree with the best rules, 1 some do not, or invalid lines
were skipped, 2 could not run, 130 interrupted.

Examples:
  swaplist check answers.txt
  swaplist check answers.txt --profile sf --values stockfish
  echo '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100;1' | swaplist check -")]
pub struct Args {
    /// File of answers; - or nothing for standard input
    answers: Option<PathBuf>,

    // Kept for each set of rules, because the best is known only at the end.
    /// How many disagreements to list, up to 5000
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = number(0..=5000_usize, "a whole number up to 5000"))]
    limit: usize,

    /// Skip and count invalid lines; the exit status is 1
    #[arg(long)]
    skip_invalid: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    wanted: Wanted,
}

/// The rules to try.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules (all are tried, unless given)")]
struct Wanted {
    /// Named rules: swap, sf8, sf or legal
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,

    /// Piece values: cpw, stockfish, 1-3-3-5-9, or five numbers P,N,B,R,Q between
    /// -30000 and 30000 [default: those that fit the answers best]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    values: Option<PieceValues>,

    #[command(flatten)]
    options: RuleOptions,
}

impl Wanted {
    /// Whether these rules are to be tried. Single options override the profile.
    fn admits(&self, rules: &Rules) -> bool {
        let of_profile = self.profile.map(|name| Rules::new(name, rules.values));
        *rules == self.options.over(of_profile.unwrap_or(*rules))
    }

    /// A check of the rules to try, with given or fitted piece values.
    fn check(&self, limit: usize) -> Check {
        let all = candidates(self.values.unwrap_or_default());
        let admitted = all.into_iter().filter(|rules| self.admits(rules));
        match self.values {
            Some(_) => Check::against(admitted, limit),
            None => Check::fitting(admitted, limit),
        }
    }
}

pub fn run(args: &Args) -> Result<bool> {
    let input = input(args.answers.as_deref())?;
    let mut read = Read {
        name: input.name().to_owned(),
        check: args.wanted.check(args.limit),
        skip_invalid: args.skip_invalid,
        thresholds: 0,
        answers: 0,
        invalid: 0,
        fens: BTreeMap::new(),
    };
    read.all(input, args.quiet)?;
    if read.answers == 0 {
        bail!(
            "no answers in {}; expected lines FEN;move;value or FEN;move;threshold;0|1",
            read.name
        );
    }
    let findings = read.check.findings();
    let [best, others @ ..] = &findings[..] else {
        bail!("no rules to choose from");
    };
    let rivals = others.iter().filter(|rival| rival.agreed == best.agreed);
    let found = report::Found {
        read: &read,
        best,
        intervals: read.check.intervals(&best.rules),
        rivals: rivals.map(|rival| rival.rules).collect(),
        findings: &findings,
    };
    print_as(args.json, || found.to_json(), || found.to_text())?;
    Ok(best.agreed == best.answers && read.invalid == 0)
}

/// The answers read so far.
struct Read {
    name: String,
    check: Check,
    skip_invalid: bool,
    answers: u64,
    /// How many of the answers are thresholds.
    thresholds: u64,
    invalid: u64,
    /// FENs as given, of the lines that may be listed.
    fens: BTreeMap<u64, String>,
}

impl Read {
    fn all(&mut self, mut input: Input, quiet: bool) -> Result<()> {
        input.refuse_foreign()?;
        let progress = Progress::new(&input, quiet, None);
        // Blocks of thousands of lines keep all threads busy.
        let (mut blocks, _) = Format::Text.open(input.into_stream(), MAX_LINE);
        while let Some(block) = blocks.next_block().with_context(|| self.name.clone())? {
            if block.continued {
                continue;
            }
            self.block(&block)?;
            progress.set(self.answers);
        }
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        let first = block.start.number();
        let lines = block.bytes.split_inclusive(|&byte| byte == b'\n');
        let lines: Vec<(u64, &[u8])> = (first..).zip(lines).collect();
        let parsed: Vec<_> = lines
            .par_iter()
            .filter_map(|&(line, bytes)| answer_on(line, bytes))
            .collect();
        let mut answers: Vec<Answer> = Vec::with_capacity(parsed.len());
        for answer in parsed {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(_) if self.skip_invalid => self.invalid += 1,
                Err(error) => {
                    let hint = "--skip-invalid skips such lines";
                    return Err(anyhow!("{}, {error}; {hint}", self.name));
                }
            }
        }
        self.answers += answers.len() as u64;
        let is_threshold = |answer: &&Answer| matches!(answer.said, Said::AtLeast { .. });
        self.thresholds += answers.iter().filter(is_threshold).count() as u64;
        self.check.add(&answers);
        for line in self.check.kept_since(first) {
            let fen = fen_on(line, lines[(line - first) as usize].1);
            self.fens.extend(fen.map(|fen| (line, fen)));
        }
        Ok(())
    }

    /// A position as given in the input.
    fn fen(&self, answer: &Answer) -> String {
        let fen = self.fens.get(&answer.line).cloned();
        fen.unwrap_or_else(|| answer.position.to_string())
    }
}

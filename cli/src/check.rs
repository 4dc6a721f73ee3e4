//! `swaplist check`: compares another engine's SEE with these rules.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;
use swaplist::check::{Answer, answer_on, candidates, deviations, findings, fitted};
use swaplist::{PieceValues, Profile, Rules};

use super::opened::{self, input};
use super::options::{RuleOptions, number};
use super::progress::Progress;

mod report;

/// Finds the rules that another engine's SEE follows, and lists disagreements.
///
/// Each line is `FEN;move;value`, `FEN;move;threshold;0|1` (whether the SEE is at least the
/// threshold), or the same as JSON: {"fen","move","value"} or {"fen","move","threshold","ge"}.
/// Moves are UCI or SAN. The table that `score` writes is accepted too. Empty lines and lines
/// that begin with # are skipped; a line is 1 MiB long at most. All combinations of the options
/// are tried, with the piece values from 1 to 30000 that fit the answers best unless --values
/// is given. Answers that disagree with the best rules are counted in classes, and the first are
/// listed. All answers are read into memory.
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
}

pub fn run(args: &Args) -> Result<bool> {
    let mut input = input(args.answers.as_deref())?;
    input.refuse_foreign()?;
    let name = input.name().to_owned();
    let _progress = Progress::new(&input, args.quiet, None);
    let mut text = Vec::new();
    let read = input.into_stream().read_to_end(&mut text);
    read.with_context(|| name.clone())?;
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let parsed: Vec<_> = lines
        .par_iter()
        .enumerate()
        .filter_map(|(i, bytes)| answer_on(i as u64 + 1, bytes))
        .collect();
    let (mut answers, mut invalid) = (Vec::with_capacity(parsed.len()), 0);
    for answer in parsed {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(_) if args.skip_invalid => invalid += 1,
            Err(error) => bail!("{name}, {error}; --skip-invalid skips such lines"),
        }
    }
    if answers.is_empty() {
        bail!("no answers in {name}; expected lines FEN;move;value or FEN;move;threshold;0|1");
    }
    let wanted = &args.wanted;
    let mut rules = candidates(wanted.values.unwrap_or_default());
    rules.retain(|rules| wanted.admits(rules));
    if wanted.values.is_none() {
        rules = fitted(&answers, &rules);
    }
    let findings = findings(&answers, &rules);
    let [best, others @ ..] = &findings[..] else {
        bail!("no rules to choose from");
    };
    let disagrees = |answer: &&Answer| !answer.agrees(&best.rules);
    let rivals = others.iter().filter(|rival| rival.agreed == best.agreed);
    let report = report::Report {
        name: &name,
        lines: &lines,
        answers: &answers,
        invalid,
        best,
        are_fitted: wanted.values.is_none(),
        rivals: rivals.map(|rival| rival.rules).collect(),
        findings: &findings,
        deviations: deviations(&answers, &best.rules),
        listed: answers.iter().filter(disagrees).take(args.limit).collect(),
    };
    let title = format!("check {name}");
    opened::show(args.json, report.shown(), &title, &report.after())?;
    Ok(best.agreed == answers.len() && invalid == 0)
}

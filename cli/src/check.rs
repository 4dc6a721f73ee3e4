//! `swaplist check`: compares another engine's SEE with swaplist's.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use swaplist::Rules;
use swaplist::values::MAX_VALUE;
use swaplist_files::check::{answers, compare};
use swaplist_files::formats::MAX_LINE;

use super::options::{RulesArgs, number, start_threads, threads};
use super::session::{self, input};

mod report;
mod suite;

use report::{Report, counted};

/// Finds the rules that another engine's SEE follows, and lists disagreements.
#[derive(clap::Args)]
#[command(long_about = about())]
#[command(mut_arg("profile", |arg| arg.help("Named rules: swap, sf8, sf or legal [default: all]")))]
#[command(mut_arg("values", |arg| arg.help(VALUES)))]
#[command(after_help = "\
Exit status: 0 all agree with the best rules, 1 some do not, or invalid lines
were skipped, 2 could not run, 130 interrupted.

Examples:
  swaplist check answers.txt
  swaplist check answers.txt --profile sf --values stockfish
  swaplist check --suite results.txt --profile sf
  echo '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100;1' | swaplist check -")]
pub struct Args {
    /// File of answers; - or nothing for standard input
    answers: Option<PathBuf>,

    /// The answers are results of the suite (`swaplist suite`): names the fault, or the two, that
    /// explain which lines fail. A result is a number, pass or fail: one for each line in the order
    /// of the suite, or after `NUMBER:` or `FEN | move |` in any order
    #[arg(long, conflicts_with_all = ["limit", "skip_invalid"])]
    suite: bool,

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

    /// Worker threads, up to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads(), allow_negative_numbers = true)]
    threads: Option<usize>,

    #[command(flatten)]
    rules: RulesArgs,
}

/// The first paragraphs of `--help`.
fn about() -> String {
    format!(
        "Finds the rules that another engine's SEE follows, and lists disagreements.\n\n\
         Each line is `FEN;move;value`, `FEN;move;threshold;0|1` or `FEN;move;true >= threshold` \
         (whether the SEE is at least the threshold), or the same as JSON: \
         {{\"fen\",\"move\",\"value\"}} or {{\"fen\",\"move\",\"threshold\",\"ge\"}}. The fields may be \
         separated by `;`, `|`, `,`, tabs or blanks, and be those of an initialiser in C, Rust or \
         Python; a comment may follow. A row of a table in CSV or Markdown is read by the header \
         that names its columns, such as fen, move and see. A call with one FEN, one move and one \
         number is read too, such as `assert_eq!(see(\"FEN\", \"e4d5\"), 100);`. JSON may have any \
         layout. Moves are UCI or SAN. Values are centipawns; with a decimal point, as in -2.25, \
         they are pawns. The table that `score` writes is accepted too, also as JSON. Empty lines \
         and lines that begin with # or // are skipped; a line is {} MiB long at most.\n\n\
         All combinations of the options are tried, with the piece values from 1 to {MAX_VALUE} \
         that fit the answers best unless --values is given. Answers that disagree with the best \
         rules are counted in classes, and the first are listed. All answers are read into memory.",
        MAX_LINE >> 20
    )
}

const VALUES: &str = "\
Piece values: cpw, stockfish, 1-3-3-5-9, or five numbers P,N,B,R,Q between -30000 and 30000 \
[default: those that fit the answers best]";

/// Compares; returns whether all answers agree with the best rules and no line was skipped.
pub fn run(args: &Args) -> Result<bool> {
    start_threads(args.threads)?;
    let input = input(args.answers.as_deref())?;
    let name = input.name.clone();
    let mut text = Vec::new();
    let result = input.into_stream().read_to_end(&mut text);
    result.with_context(|| name.clone())?;
    if args.suite {
        return suite::run(&name, &text, &args.rules, args.json);
    }
    let mut valid = Vec::new();
    let mut invalid = Vec::new();
    let lines = answers(&text);
    let notes = lines.notes.clone();
    let fail_alike = lines.fail_alike;
    for answer in lines {
        match answer {
            Ok(answer) => valid.push(answer),
            // No line can be read, all for the same reason: it is not a fault of one line.
            Err(error) if fail_alike => bail!("{name}: {error}"),
            Err(error) if args.skip_invalid => invalid.push(error),
            Err(error) => bail!("{name}, {error}; --skip-invalid skips such lines"),
        }
    }
    if valid.is_empty() {
        let Some(first) = invalid.first() else {
            bail!("no answers in {name}; --help names the forms of a line");
        };
        let skipped = counted(invalid.len(), "invalid line");
        bail!("no answers in {name}: skipped {skipped}, such as {first}");
    }
    // Without the rules that differ from what the options ask for.
    let is_wanted = |rules: &Rules| *rules == args.rules.over(*rules);
    let Some((findings, diagnosis)) = compare(&valid, args.rules.values, is_wanted) else {
        bail!("no rules to compare with");
    };
    let report = Report {
        name: &name,
        answers: &valid,
        invalid: &invalid,
        notes: &notes,
        are_fitted: args.rules.values.is_none(),
        diagnosis,
        findings,
        limit: args.limit,
    };
    session::show(args.json, &report.sheet(), &report.after())?;
    Ok(report.disagreements() == 0 && invalid.is_empty())
}

//! `swaplist count`: counts what a data set holds.

use std::path::PathBuf;

use anyhow::Result;
use swaplist_files::jobs::{Bars, Job, Options, Summary};

use super::options::{BackendArgs, InputArgs, LabelArgs, RulesArgs, SideArgs};
use super::{many, report, session};

/// Counts positions, games, checks, noisy moves, results, pieces, and the distribution of
/// scores and of the best SEE.
#[derive(clap::Args)]
#[command(mut_arg("quiet", |arg| arg.help("Show no progress and no notes, only the result")))]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted.

Examples:
  swaplist count games.binpack
  swaplist count games.viriformat --report games.html
  swaplist count data/*.binpack
  swaplist count data/*.binpack --data --report data.html
  swaplist count games.data --from bulletformat --json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    labels: LabelArgs,

    /// More input files: each is counted, and all together. One that cannot be counted is
    /// skipped, and the exit status is 1, or 2 if none can be
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,

    /// Also count what matters to training: plies, squares of the kings, output buckets, results by
    /// score, lengths of games, duplicates (an estimate, also over all inputs). It takes 1.4 to 1.9
    /// times as long
    #[arg(long, help_heading = "Output")]
    data: bool,

    #[command(flatten)]
    side: SideArgs,

    /// Replace existing files
    #[arg(long, help_heading = "Output")]
    force: bool,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Counts; returns whether no record was invalid and no input failed.
pub fn run(args: &Args) -> Result<bool> {
    let input = &args.input;
    let rules = args.rules.rules();
    if !args.more.is_empty() {
        let evaluator = args.backend.evaluator(input.quiet)?;
        return many::results(
            input,
            &args.more,
            &args.side,
            args.force,
            |input| {
                let result = job(args, input)?.count(&rules, &evaluator);
                result.map_err(|error| many::named(error, input))
            },
            histograms,
        );
    }
    let job = session::with_side_files(job(args, input)?, &args.side)?;
    let evaluator = args.backend.evaluator(input.quiet)?;
    let summary = job.count(&rules, &evaluator)?;
    session::show(input.json, &summary.table(), &histograms(&summary))?;
    Ok(summary.is_sound())
}

/// The job of counting one input.
fn job<'a>(args: &Args, input: &InputArgs) -> Result<Job<'a>> {
    let options = Options {
        labels: args.labels.columns(),
        data: args.data,
        replace: args.force,
        ..args.backend.options()
    };
    // The counts go to standard output.
    Ok(session::job(input, options)?.write_to(None)?)
}

/// The histograms after the summary; none if nothing was counted.
fn histograms(summary: &Summary) -> String {
    let Some([counts, _kept]) = summary.tally.counts.as_deref() else {
        return String::new();
    };
    let mut text = report::histogram(report::SEE, &counts.bars(Bars::See));
    if counts.scored > 0 {
        text += &report::histogram(report::SCORE, &counts.bars(Bars::Score));
    }
    text += &report::histogram(report::PIECES, &counts.bars(Bars::Pieces));
    let Some(data) = &counts.data else {
        return text;
    };
    text + &report::data::to_text(counts, data, report::units(summary))
        + &report::data::files_text(summary)
}

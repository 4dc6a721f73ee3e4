//! `swaplist count`: counts what a data set holds.

use std::path::PathBuf;

use anyhow::Result;
use swaplist::jobs::{Counted, Summary};

use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs};
use super::report::{self, Report};
use super::{Answer, histogram, opened, threads};

/// Counts positions, games, checks, noisy moves, results, pieces, and the distribution of
/// scores and of the best SEE.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run.

Examples:
  swaplist count games.binpack
  swaplist count games.viriformat --report games.html
  swaplist count games.data --from bulletformat --json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    side: SideArgs,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

/// Outputs.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct SideArgs {
    /// Also write the counts to a file, as JSON
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<Answer> {
    let threads = threads::count(args.backend.threads);
    let rules = args.rules.rules();
    let counted = |summary: &Summary| Counted::new(summary.clone(), &rules);
    let mut job = opened::job_to(&args.input, &OutputArgs::default(), threads, None)?
        .cpu_path(args.backend.cpu_path());
    let force = args.side.force;
    let stats = |summary: &Summary| Ok(opened::json_text(&counted(summary).to_json()));
    job = opened::beside(job, args.side.stats.as_deref(), force, stats)?;
    let plots = |summary: &Summary| page(&counted(summary));
    job = opened::beside(job, args.side.report.as_deref(), force, plots)?;
    opened::look_beside(&job, args.input.quiet);
    let evaluator = args.backend.evaluator(threads, args.input.quiet)?;
    let counted = job.count(&rules, &evaluator)?;
    opened::print(&if args.input.json {
        opened::json_text(&counted.to_json())
    } else {
        to_text(&counted)
    })?;
    Ok(Answer::of(counted.summary.is_sound()))
}

fn to_text(counted: &Counted) -> String {
    let counts = &counted.counts;
    let mut text = format!(
        "swaplist count {}\n{}",
        counted.summary.input,
        counted.lines().text()
    );
    text += &histogram::draw(report::SEE, &counts.see.bars());
    if counts.scored > 0 {
        text += &histogram::draw(report::SCORE, &counts.scores.bars());
    }
    text + &histogram::draw(report::MEN, &counts.men_bars())
}

fn page(counted: &Counted) -> Result<String> {
    let report = Report {
        title: format!("swaplist count {}", counted.summary.input),
        lines: counted.lines(),
        action: "dropped",
        wins_of: counted.wins_of(),
        reasons: Vec::new(),
        read: Some(&counted.counts),
        kept: None,
    };
    report.to_html()
}

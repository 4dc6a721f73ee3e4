//! `swaplist count`: what a data set holds.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use swaplist::formats::{Block, Codec, Decoded, Format};
use swaplist::{Evaluator, Rules};

use super::Answer;
use super::counts::{Counts, wdl, wins_of};
use super::histogram;
use super::options::{BackendArgs, InputArgs, RulesArgs, rules_json};
use super::output::{self, Output};
use super::pipeline::{Ahead, Done, Task};
use super::report::{self, Report};
use super::stream::{Ended, Stream};
use super::summary::{Lines, Tally, grouped, share};

/// Counts what a data set holds: positions, games, checks, noisy moves, results,
/// men, and how scores and the SEE of the best noisy move are spread.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were passed over, 2 could not run.

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

/// Files beside the data.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
struct SideArgs {
    /// Write the counts to a file too, as JSON
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,

    /// Write a page with plots to a file
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<Answer> {
    let threads = args.backend.threads()?;
    let rules = args.rules.rules();
    let mut stream = Stream::read(&args.input, threads)?;
    stream.cpu = args.backend.cpu_path();
    let mut open = |path: &Option<PathBuf>| stream.side_output(path.as_deref(), args.side.force);
    let (mut stats, mut page) = (open(&args.side.stats)?, open(&args.side.report)?);
    let evaluator = args.backend.evaluator(threads, args.input.quiet)?;
    let task = Counting {
        evaluator: &evaluator,
        rules: &rules,
    };
    let units = stream.codec()?.units();
    let nothing =
        |_: &mut Done, _: &mut Output, _: &mut [Output], _: &Tally| Ok(ControlFlow::Continue(()));
    let mut ended = stream.run(&task, &[], Vec::new(), nothing)?;
    let counted = Counted {
        ended: &ended,
        counts: &ended.tally.counts(&rules)[0],
        units,
        rules: &rules,
    };
    let json = format!("{:#}\n", counted.to_json());
    if let Some(stats) = &mut stats {
        stats.write(json.as_bytes())?;
    }
    if let Some(page) = &mut page {
        page.write(counted.page()?.as_bytes())?;
    }
    let text = if args.input.json {
        json
    } else {
        counted.to_text()
    };
    let answer = ended.answer();
    ended.outputs[0].write(text.as_bytes())?;
    output::finish(ended.outputs.drain(..).chain(stats).chain(page))?;
    Ok(answer)
}

struct Counting<'a> {
    evaluator: &'a Evaluator,
    rules: &'a Rules,
}

impl Task for Counting<'_> {
    fn evaluator(&self) -> Option<&Evaluator> {
        Some(self.evaluator)
    }

    fn run(
        &self,
        codec: &dyn Codec,
        _: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        _: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()> {
        let verdicts = self
            .evaluator
            .verdicts(&decoded.positions, self.rules, false);
        let none = || Box::new([Counts::new(self.rules), Counts::new(self.rules)]);
        let [counts, _] = &mut **done.tally.counts.get_or_insert_with(none);
        // Games and chains do not reach beyond a part.
        let has_units = codec.units().is_some();
        let mut unit = None;
        let records = decoded.positions.iter().zip(&decoded.records);
        for ((position, record), verdict) in records.zip(&verdicts) {
            counts.add(position, record, verdict);
            let start = Some(record.span().start).filter(|_| has_units);
            counts.units += u64::from(start != unit);
            unit = start;
        }
        done.tally.records += verdicts.len() as u64;
        Ok(())
    }
}

struct Counted<'a> {
    ended: &'a Ended,
    counts: &'a Counts,
    units: Option<&'static str>,
    rules: &'a Rules,
}

impl Counted<'_> {
    fn wins_of(&self) -> &'static str {
        wins_of(self.ended.formats[0])
    }

    fn to_json(&self) -> Value {
        let (ended, tally) = (self.ended, &self.ended.tally);
        let mut json = self.counts.to_json();
        json["command"] = "count".into();
        json["input"] = ended.input.as_str().into();
        json["format"] = ended.formats[0].name().into();
        json["wins_of"] = self.wins_of().into();
        json["invalid"] = tally.invalid.into();
        json["invalid_bytes"] = tally.invalid_bytes.into();
        json["contradicted_results"] = tally.contradicted.into();
        json["bytes"] = tally.bytes.into();
        json["bytes_compressed"] = tally.packed.into();
        json["seconds"] = ended.elapsed.as_secs_f64().into();
        json["rules"] = rules_json(self.rules);
        let units = self.units.map(|name| json!({ name: self.counts.units }));
        json["units"] = units.into();
        json
    }

    fn lines(&self) -> Lines {
        let (counts, tally) = (self.counts, &self.ended.tally);
        let of_all = |count| share(count, counts.positions);
        let mut lines = Lines::default();
        lines.add("format", self.ended.formats[0].name());
        lines.add("positions", grouped(counts.positions));
        if let Some(name) = self.units {
            lines.add(name, grouped(counts.units));
        }
        lines.add("in check", of_all(counts.in_check));
        let moves = grouped(counts.noisy_moves);
        let noisy = of_all(counts.noisy);
        lines.add("noisy", format!("{noisy} have noisy moves, {moves} in all"));
        lines.add("winning", format!("{}, SEE > 0", of_all(counts.winning)));
        if counts.has_outcomes() {
            lines.add("W/D/L", wdl(counts.outcomes, self.wins_of()));
        }
        if counts.scored + counts.unscored > 0 {
            lines.add("scored", of_all(counts.scored));
        }
        if counts.unscored > 0 {
            let unscored = of_all(counts.unscored);
            let why = match self.ended.formats[0] {
                Format::Pgn => "in games where others have one",
                _ => "marked with 32002",
            };
            lines.add("no score", format!("{unscored}, {why}"));
        }
        lines.add("size", tally.size_read());
        tally.invalid_lines(&mut lines);
        tally.contradicted_lines(&mut lines);
        lines.add("rules", self.rules);
        lines
    }

    fn to_text(&self) -> String {
        let counts = self.counts;
        let mut text = format!(
            "swaplist count {}\n{}",
            self.ended.input,
            self.lines().text()
        );
        text += &histogram::draw(report::SEE, &counts.see.bars());
        if counts.scored > 0 {
            text += &histogram::draw(report::SCORE, &counts.scores.bars());
        }
        text + &histogram::draw(report::MEN, &counts.men_bars())
    }

    fn page(&self) -> Result<String> {
        let report = Report {
            title: format!("swaplist count {}", self.ended.input),
            lines: self.lines(),
            fate: "dropped",
            wins_of: self.wins_of(),
            reasons: Vec::new(),
            read: Some(self.counts),
            kept: None,
        };
        report.to_html()
    }
}

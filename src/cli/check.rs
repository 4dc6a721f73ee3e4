//! `swaplist check`: which rules another engine's answers follow, and where not.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use rayon::prelude::*;
use serde_json::{Value, json};
use swaplist::check::{Answer as Said, Check, Disagreement, Finding, Said as What, answer_on};
use swaplist::{
    EnPassant, FirstPromotion, InsidePromotion, PieceValues, Pins, Profile, Rules, Trace,
};

use super::Answer;
use super::input::Input;
use super::options::{barred_json, rules_json};
use super::output::{Output, Taken};
use super::progress::Progress;
use super::summary::grouped;

/// Finds the rules that another engine's SEE follows, and where it does not.
///
/// Each line is `FEN;move;value`, `FEN;move;threshold;0|1` (whether the SEE is at
/// least the threshold), or the same as JSON: {"fen","move","value"} or
/// {"fen","move","threshold","ge"}. Moves are UCI or SAN. Empty lines and lines
/// that begin with # are passed over. All combinations of the options are tried,
/// with the piece values cpw, stockfish and 1-3-3-5-9 unless others are given.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 all agree with the best rules, 1 some do not, or invalid lines
were passed over, 2 could not run.

Examples:
  swaplist check answers.txt
  swaplist check answers.txt --profile sf --values stockfish
  echo '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100;1' | swaplist check -")]
pub struct Args {
    /// File of answers; - or none for standard input
    answers: Option<PathBuf>,

    /// How many disagreements are listed
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Pass over invalid lines, count them and exit with 1
    #[arg(long)]
    skip_invalid: bool,

    /// As JSON
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,

    #[command(flatten)]
    wanted: Wanted,
}

/// The rules to choose from.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules (all are tried, unless given)")]
struct Wanted {
    /// Named rules: swap, sf8, sf or legal
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,

    /// Piece values: cpw, stockfish, 1-3-3-5-9, or five numbers P,N,B,R,Q
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    values: Option<PieceValues>,

    /// Who is barred by a pin: none, sf8, sf, legal
    #[arg(long, value_name = "RULE")]
    pins: Option<Pins>,

    /// En passant as the first move: exact, zero
    #[arg(long, value_name = "RULE")]
    en_passant: Option<EnPassant>,

    /// Promotion as the first move: full, pawn, zero
    #[arg(long, value_name = "RULE")]
    first_promotion: Option<FirstPromotion>,

    /// What recaptures on the last rank: pawn, queen
    #[arg(long, value_name = "RULE")]
    inside_promotion: Option<InsidePromotion>,
}

impl Wanted {
    /// Whether these rules are among those to choose from. A single option
    /// overrides the profile's.
    fn admits(&self, rules: &Rules) -> bool {
        let of_profile = self.profile.map(|name| Rules::new(name, rules.values));
        let of_profile = of_profile.unwrap_or(*rules);
        let overridden = Rules {
            pins: self.pins.unwrap_or(of_profile.pins),
            en_passant: self.en_passant.unwrap_or(of_profile.en_passant),
            first_promotion: self.first_promotion.unwrap_or(of_profile.first_promotion),
            inside_promotion: self.inside_promotion.unwrap_or(of_profile.inside_promotion),
            ..of_profile
        };
        *rules == overridden
    }
}

pub fn run(args: &Args) -> Result<Answer> {
    let input = Input::open(args.answers.as_deref())?;
    let mut read = Read {
        name: input.name.clone(),
        check: Check::all(args.wanted.values, args.limit),
        skip_invalid: args.skip_invalid,
        thresholds: 0,
        answers: 0,
        invalid: 0,
    };
    read.all(input, args.quiet)?;
    if read.answers == 0 {
        bail!(
            "no answers in {}; expected lines FEN;move;value or FEN;move;threshold;0|1",
            read.name
        );
    }
    let findings = read.check.findings();
    let best = findings
        .iter()
        .find(|finding| args.wanted.admits(&finding.rules))
        .ok_or_else(|| anyhow!("no rules to choose from"))?;
    let found = Found {
        read: &read,
        best,
        rivals: findings
            .iter()
            .filter(|rival| args.wanted.admits(&rival.rules) && rival.agreed == best.agreed)
            .count()
            - 1,
        findings: &findings,
    };
    let text = if args.json {
        format!("{:#}\n", found.to_json())
    } else {
        found.to_text()
    };
    Output::open(None, false, &Taken::default())?.write(text.as_bytes())?;
    let agreed = best.agreed == best.answers && read.invalid == 0;
    Ok(if agreed { Answer::Yes } else { Answer::No })
}

/// The answers, as far as they were read.
struct Read {
    name: String,
    check: Check,
    skip_invalid: bool,
    answers: u64,
    /// Of those, thresholds.
    thresholds: u64,
    invalid: u64,
}

impl Read {
    /// Lines read at a time: enough for all threads.
    const LINES: usize = 1 << 15;

    fn all(&mut self, input: Input, quiet: bool) -> Result<()> {
        let progress = Progress::new(&input, quiet);
        let mut lines = (1..).zip(BufReader::with_capacity(1 << 18, input.stream).lines());
        loop {
            let some: Vec<(u64, std::io::Result<String>)> =
                lines.by_ref().take(Read::LINES).collect();
            if some.is_empty() {
                return Ok(());
            }
            self.some(some)?;
            progress.set(self.answers);
        }
    }

    fn some(&mut self, lines: Vec<(u64, std::io::Result<String>)>) -> Result<()> {
        let name = &self.name;
        let parsed: Vec<_> = lines
            .into_par_iter()
            .filter_map(|(line, text)| match text {
                Ok(text) => answer_on(line, &text).map(|answer| Ok(answer?)),
                Err(error) => Some(Err(anyhow!(error).context(format!("{name}, line {line}")))),
            })
            .collect();
        let mut answers: Vec<Said> = Vec::with_capacity(parsed.len());
        for answer in parsed {
            match answer {
                Ok(answer) => answers.push(answer),
                Err(error) if !error.is::<swaplist::check::AnswersError>() => return Err(error),
                Err(_) if self.skip_invalid => self.invalid += 1,
                Err(error) => {
                    let hint = "--skip-invalid passes over such lines";
                    return Err(anyhow!("{error}; {hint}")).context(self.name.clone());
                }
            }
        }
        self.answers += answers.len() as u64;
        let is_threshold = |answer: &&Said| matches!(answer.said, What::AtLeast { .. });
        self.thresholds += answers.iter().filter(is_threshold).count() as u64;
        self.check.add(&answers);
        Ok(())
    }
}

/// What came out.
struct Found<'a> {
    read: &'a Read,
    best: &'a Finding,
    /// Other rules, of those to choose from, that agree as often.
    rivals: usize,
    findings: &'a [Finding],
}

impl Found<'_> {
    fn profile(&self, profile: Profile, values: PieceValues) -> Option<&Finding> {
        let rules = Rules::new(profile, values);
        self.findings.iter().find(|finding| finding.rules == rules)
    }

    /// The piece values tried, in the order of the presets.
    fn tables(&self) -> Vec<PieceValues> {
        let mut tables: Vec<_> = self
            .findings
            .iter()
            .map(|finding| finding.rules.values)
            .collect();
        tables.sort_by_key(|values| {
            let presets = swaplist::check::PRESETS;
            presets.iter().position(|preset| preset == values)
        });
        tables.dedup();
        tables
    }

    fn to_text(&self) -> String {
        let (read, best) = (self.read, self.best);
        let mut text = format!("swaplist check {}\n", read.name);
        let values = grouped(read.answers - read.thresholds);
        let thresholds = grouped(read.thresholds);
        let _ = writeln!(
            text,
            "  answers   {}: {values} values, {thresholds} thresholds",
            grouped(read.answers)
        );
        if read.invalid > 0 {
            let _ = writeln!(text, "  invalid   {}, passed over", grouped(read.invalid));
        }
        let _ = writeln!(text, "  best      {}", best.rules);
        let _ = writeln!(
            text,
            "  agreed    {} of {} ({})",
            grouped(best.agreed),
            grouped(best.answers),
            percent(best)
        );
        match self.rivals {
            0 => {}
            1 => text.push_str("            and 1 other set of rules agrees as often\n"),
            n => {
                let _ = writeln!(
                    text,
                    "            and {n} other sets of rules agree as often"
                );
            }
        }
        self.table(&mut text);
        self.list(&mut text);
        text
    }

    fn table(&self, text: &mut String) {
        let tables = self.tables();
        let _ = write!(text, "\n  {:<8}", "profile");
        for values in &tables {
            let _ = write!(text, "  {:>21}", values.to_string());
        }
        text.push('\n');
        for profile in Profile::ALL {
            let _ = write!(text, "  {:<8}", profile.name());
            for &values in &tables {
                let agreed = self.profile(profile, values).map_or(String::new(), |f| {
                    format!("{} ({})", grouped(f.agreed), percent(f))
                });
                let _ = write!(text, "  {agreed:>21}");
            }
            text.push('\n');
        }
    }

    fn list(&self, text: &mut String) {
        let wrong = self.best.answers - self.best.agreed;
        if wrong == 0 {
            return;
        }
        let shown = self.best.disagreements.len();
        let first = match shown as u64 {
            0 => String::new(),
            shown if shown < wrong => format!(", the first {shown}"),
            _ => String::new(),
        };
        let s = if wrong == 1 { "" } else { "s" };
        let _ = writeln!(text, "\n  {} disagreement{s}{first}", grouped(wrong));
        for disagreement in &self.best.disagreements {
            self.show(disagreement, text);
        }
    }

    fn show(&self, disagreement: &Disagreement, text: &mut String) {
        let Disagreement { answer, see } = disagreement;
        let (capture, position) = (answer.capture, answer.position);
        let said = match answer.said {
            What::Value(value) => format!("{value}, the SEE is {see}"),
            What::AtLeast {
                threshold,
                holds: true,
            } => format!("at least {threshold}, the SEE is {see}"),
            What::AtLeast { threshold, .. } => format!("less than {threshold}, the SEE is {see}"),
        };
        let _ = writeln!(
            text,
            "\n  line {}: {capture} in '{position}': said {said}",
            answer.line
        );
        let trace = self.best.rules.trace(&position, capture);
        let _ = writeln!(text, "    {}", line_of_play(&trace, capture));
        for barred in passed_over(&trace) {
            let _ = writeln!(text, "    {barred}");
        }
        self.show_others(answer, text);
    }

    /// Under which other profiles it is as said, and what is different there.
    fn show_others(&self, answer: &Said, text: &mut String) {
        let mut others = self.agreeing_profiles(answer);
        let names: Vec<_> = others.clone().map(Profile::name).collect();
        if let Some(first) = others.next() {
            let _ = writeln!(text, "    as said under profile {}", names.join(", "));
            let rules = Rules::new(first, self.best.rules.values);
            let trace = rules.trace(&answer.position, answer.capture);
            let line = line_of_play(&trace, answer.capture);
            let _ = writeln!(text, "    under {first}: {line}");
            for barred in passed_over(&trace) {
                let _ = writeln!(text, "    under {first}: {barred}");
            }
        }
    }

    /// The profiles under which an answer is right, with the best piece values.
    fn agreeing_profiles(&self, answer: &Said) -> impl Iterator<Item = Profile> + Clone {
        let (values, answer) = (self.best.rules.values, *answer);
        let agrees = move |profile: &Profile| answer.agrees(&Rules::new(*profile, values));
        Profile::ALL.into_iter().filter(agrees)
    }

    fn to_json(&self) -> Value {
        let (read, best) = (self.read, self.best);
        let profiles: Vec<_> = Profile::ALL
            .into_iter()
            .flat_map(|profile| {
                self.tables()
                    .into_iter()
                    .map(move |values| (profile, values))
            })
            .filter_map(|(profile, values)| self.profile(profile, values))
            .map(|finding| json!({ "rules": rules_json(&finding.rules), "agreed": finding.agreed }))
            .collect();
        let disagreements: Vec<_> = best
            .disagreements
            .iter()
            .map(|disagreement| self.disagreement_json(disagreement))
            .collect();
        json!({
            "command": "check",
            "input": read.name,
            "answers": read.answers,
            "values": read.answers - read.thresholds,
            "thresholds": read.thresholds,
            "invalid": read.invalid,
            "rules": rules_json(&best.rules),
            "agreed": best.agreed,
            "equally_good": self.rivals,
            "profiles": profiles,
            "disagreements": best.answers - best.agreed,
            "first_disagreements": disagreements,
        })
    }

    fn disagreement_json(&self, disagreement: &Disagreement) -> Value {
        let Disagreement { answer, see } = disagreement;
        let trace = self.best.rules.trace(&answer.position, answer.capture);
        let mut json = json!({
            "line": answer.line,
            "fen": answer.position.to_string(),
            "move": answer.capture.to_string(),
            "see": see,
            "swap_list": trace.swap_list(),
            "barred": barred_json(&trace),
            "as_under": self.agreeing_profiles(answer).map(Profile::name).collect::<Vec<_>>(),
        });
        match answer.said {
            What::Value(value) => json["value"] = value.into(),
            What::AtLeast { threshold, holds } => {
                json["threshold"] = threshold.into();
                json["ge"] = holds.into();
            }
        }
        json
    }
}

/// As `e4c5, Be7, Nd3; swap list 100, 225, -125`.
fn line_of_play(trace: &Trace, capture: swaplist::Capture) -> String {
    let mut line = capture.to_string();
    for recapture in &trace.recaptures {
        let _ = write!(
            line,
            ", {}{}",
            recapture.capturer.upper_char(),
            recapture.from
        );
    }
    if trace.speculative.is_none() {
        return line + ": settled by the first move under these rules";
    }
    let list: Vec<_> = trace.swap_list().iter().map(i32::to_string).collect();
    format!("{line}; swap list {}", list.join(", "))
}

/// Who was passed over and why, each said once.
fn passed_over(trace: &Trace) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for ply in 0..=trace.recaptures.len() {
        for barred in trace.passed_over(ply).map(ToString::to_string) {
            if !all.contains(&barred) {
                all.push(barred);
            }
        }
    }
    all
}

fn percent(finding: &Finding) -> String {
    let percent = 100.0 * finding.agreed as f64 / finding.answers.max(1) as f64;
    // Never 100 % where something disagrees.
    let percent = if finding.agreed < finding.answers {
        percent.min(99.99)
    } else {
        percent
    };
    format!("{percent:.2} %")
}

//! The findings of `swaplist check` as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use swaplist::check::{Answer, Deviation, Finding, Said, fen_on};
use swaplist::{Barred, Capture, Profile, Rules, Trace};

use swaplist::jobs::front::{Shown, grouped};

pub struct Report<'a> {
    pub name: &'a str,
    pub lines: &'a [&'a [u8]],
    pub answers: &'a [Answer],
    pub invalid: u64,
    pub best: &'a Finding,
    /// Whether the piece values were fitted to the answers.
    pub are_fitted: bool,
    /// Other rules tried that agree as often.
    pub rivals: Vec<Rules>,
    pub findings: &'a [Finding],
    pub deviations: Vec<Deviation>,
    /// The first disagreements.
    pub listed: Vec<&'a Answer>,
}

impl Report<'_> {
    /// The findings for the profiles tried.
    fn profiles(&self) -> impl Iterator<Item = (Profile, &Finding)> {
        let named = |profile| {
            let is = move |finding: &&Finding| finding.rules.profile() == Some(profile);
            Some((profile, self.findings.iter().find(is)?))
        };
        Profile::ALL.into_iter().filter_map(named)
    }

    fn thresholds(&self) -> usize {
        let is_threshold = |answer: &&Answer| matches!(answer.said, Said::AtLeast { .. });
        self.answers.iter().filter(is_threshold).count()
    }

    /// An agreement as `196 of 200 (98.00 %)`.
    fn agreed(&self, finding: &Finding) -> String {
        let (agreed, all) = (finding.agreed, self.answers.len());
        #[allow(clippy::cast_precision_loss)] // shown rounded
        let percent = 100.0 * agreed as f64 / all.max(1) as f64;
        // Never shows 100 % if an answer disagrees.
        let percent = if agreed < all {
            percent.min(99.99)
        } else {
            percent
        };
        format!("{} of {} ({percent:.2} %)", count(agreed), count(all))
    }

    pub fn shown(&self) -> Shown {
        let mut shown = Shown::of("check");
        let (all, thresholds) = (self.answers.len(), self.thresholds());
        let values = all - thresholds;
        shown.value("input", self.name).value("answers", all);
        shown
            .value("values", values)
            .value("thresholds", thresholds);
        let [answers, values, thresholds] = [all, values, thresholds].map(count);
        let answers = format!("{answers}: {values} values, {thresholds} thresholds");
        shown.row("answers", answers).value("invalid", self.invalid);
        if self.invalid > 0 {
            shown.row("invalid", format!("{}, skipped", grouped(self.invalid)));
        }
        shown.value("rules", self.best.rules.to_json());
        shown.value("values_fitted", self.are_fitted);
        shown.value("agreed", self.best.agreed);
        if self.best.agreed == 0 && !self.rivals.is_empty() {
            let sets = self.rivals.len() + 1;
            let none = format!("none of {sets} sets of rules agrees with any answer");
            shown.row("best", none);
        } else {
            shown.row("best", self.best.rules);
            if self.are_fitted {
                shown.row("", "piece values fitted to the answers");
            }
            shown.row("agreed", self.agreed(self.best));
            self.name_rivals(&mut shown);
        }
        let rivals: Vec<_> = self.rivals.iter().map(Rules::to_json).collect();
        shown.value("equally_good", rivals.len());
        shown.value("equally_good_rules", rivals);
        let profiles = self.profiles().map(
            |(_, finding)| json!({ "rules": finding.rules.to_json(), "agreed": finding.agreed }),
        );
        shown.value("profiles", profiles.collect::<Vec<_>>());
        shown.value("disagreements", all - self.best.agreed);
        let deviations = self.deviations.iter().map(|deviation| {
            json!({
                "class": deviation.class,
                "disagree": deviation.disagree,
                "answers": deviation.answers,
            })
        });
        shown.value("deviations", deviations.collect::<Vec<_>>());
        let listed = self.listed.iter();
        let listed: Vec<_> = listed
            .map(|answer| self.disagreement_json(answer))
            .collect();
        shown.value("first_disagreements", listed);
        shown
    }

    /// The text after the rows: profiles and disagreements.
    pub fn after(&self) -> String {
        let mut text = format!("\n  {:<8}  {:<29}  agreed\n", "profile", "values");
        for (profile, finding) in self.profiles() {
            let (values, agreed) = (finding.rules.values.to_string(), self.agreed(finding));
            let _ = writeln!(text, "  {profile:<8}  {values:<29}  {agreed}");
        }
        self.list(&mut text);
        text
    }

    fn name_rivals(&self, shown: &mut Shown) {
        const NAMED: usize = 5;
        match self.rivals.len() {
            0 => return,
            1 => shown.row("", "1 other set of rules agrees as often:"),
            n => shown.row("", format!("{n} other sets of rules agree as often:")),
        };
        for rules in self.rivals.iter().take(NAMED) {
            shown.row("", format!("  {rules}"));
        }
        if self.rivals.len() > NAMED {
            shown.row("", "  and more, all named with --json");
        }
    }

    /// The classes of disagreements, and the first ones.
    fn list(&self, text: &mut String) {
        let wrong = self.answers.len() - self.best.agreed;
        if wrong == 0 {
            return;
        }
        let s = if wrong == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "\n  {} disagreement{s} with {}",
            count(wrong),
            self.best.rules
        );
        for deviation in &self.deviations {
            let all = if deviation.disagree == deviation.answers {
                "all "
            } else {
                ""
            };
            let class = format!("{all}{}", deviation.class);
            let (disagree, answers) = (count(deviation.disagree), count(deviation.answers));
            let _ = writeln!(text, "    {class:<30}  {disagree} of {answers}");
        }
        for answer in &self.listed {
            self.show(answer, text);
        }
    }

    fn show(&self, answer: &Answer, text: &mut String) {
        let capture = answer.capture;
        let see = self.best.rules.see(&answer.position, capture);
        let fen = self.fen(answer);
        let said = match answer.said {
            Said::Value(value) => value.to_string(),
            Said::AtLeast { threshold, holds } => {
                let what = if holds { "at least" } else { "less than" };
                format!("{what} {threshold}")
            }
        };
        let line = answer.line;
        let _ = writeln!(
            text,
            "\n  line {line}: {capture} in '{fen}': said {said}, the SEE is {see}"
        );
        show_exchange(&self.best.rules, answer, "", text);
        // Other profiles that agree with the answer, and the first one's exchange.
        let others: Vec<Profile> = self.agreeing_profiles(answer).collect();
        if let Some(&first) = others.first() {
            let names: Vec<_> = others.iter().map(|other| other.name()).collect();
            let _ = writeln!(text, "    as said under profile {}", names.join(", "));
            let rules = Rules::new(first, self.best.rules.values);
            show_exchange(&rules, answer, &format!("under {first}: "), text);
        }
    }

    /// A position as given in the input.
    fn fen(&self, answer: &Answer) -> String {
        let line = self.lines[answer.line as usize - 1];
        fen_on(answer.line, line).unwrap_or_default()
    }

    /// The profiles, with the best piece values, that agree with an answer.
    fn agreeing_profiles(&self, answer: &Answer) -> impl Iterator<Item = Profile> {
        let (values, answer) = (self.best.rules.values, *answer);
        let agrees = move |profile: &Profile| answer.agrees(&Rules::new(*profile, values));
        Profile::ALL.into_iter().filter(agrees)
    }

    fn disagreement_json(&self, answer: &Answer) -> Value {
        let trace = self.best.rules.trace(&answer.position, answer.capture);
        let mut json = json!({
            "line": answer.line,
            "fen": self.fen(answer),
            "move": answer.capture.to_string(),
            "see": trace.value,
            "swap_list": trace.swap_list(),
            "barred": trace.barred.iter().map(Barred::to_json).collect::<Vec<_>>(),
            "as_under": self.agreeing_profiles(answer).map(Profile::name).collect::<Vec<_>>(),
        });
        match answer.said {
            Said::Value(value) => json["value"] = value.into(),
            Said::AtLeast { threshold, holds } => {
                json["threshold"] = threshold.into();
                json["ge"] = holds.into();
            }
        }
        json
    }
}

/// The moves of an exchange, and the recaptures passed over, under rules.
fn show_exchange(rules: &Rules, answer: &Answer, under: &str, text: &mut String) {
    let trace = rules.trace(&answer.position, answer.capture);
    let moves = line_of_play(&trace, answer.capture);
    for line in core::iter::once(moves).chain(passed_over(&trace)) {
        let _ = writeln!(text, "    {under}{line}");
    }
}

/// As `e4c5, Be7, Nd3; swap list 100, 225, -125`.
fn line_of_play(trace: &Trace, capture: Capture) -> String {
    let mut line = capture.to_string();
    for recapture in &trace.recaptures {
        let _ = write!(line, ", {}", recapture.piece);
    }
    if trace.speculative.is_none() {
        return line + ": settled by the first move under these rules";
    }
    let list: Vec<_> = trace.swap_list().iter().map(i32::to_string).collect();
    format!("{line}; swap list {}", list.join(", "))
}

/// The barred recaptures with reasons, without repetitions.
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

fn count(number: usize) -> String {
    grouped(number as u64)
}

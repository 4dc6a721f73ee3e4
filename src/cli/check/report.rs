//! The findings of `swaplist check` as text and JSON.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use serde_json::{Value, json};
use swaplist::check::{Answer, Check, Finding, Said};
use swaplist::{Barred, Capture, Profile, Rules, Trace};

use super::Read;
use swaplist::jobs::shown::{Lines, grouped};

pub struct Found<'a> {
    pub read: &'a Read,
    pub best: &'a Finding,
    /// The intervals of piece values that fit equally, if fitted.
    pub intervals: Option<[RangeInclusive<i32>; 5]>,
    /// Other rules tried that agree as often.
    pub rivals: Vec<Rules>,
    pub findings: &'a [Finding],
}

impl Found<'_> {
    /// The findings for the profiles tried.
    fn profiles(&self) -> impl Iterator<Item = (Profile, &Finding)> {
        let named = |profile| {
            let is = move |finding: &&Finding| finding.rules.profile() == Some(profile);
            Some((profile, self.findings.iter().find(is)?))
        };
        Profile::ALL.into_iter().filter_map(named)
    }

    pub fn to_text(&self) -> String {
        let (read, best) = (self.read, self.best);
        let mut lines = Lines::default();
        let [all, values, thresholds] = [
            read.answers,
            read.answers - read.thresholds,
            read.thresholds,
        ]
        .map(grouped);
        let answers = format!("{all}: {values} values, {thresholds} thresholds");
        lines.add("answers", answers);
        if read.invalid > 0 {
            let skipped = format!("{}, skipped", grouped(read.invalid));
            lines.add("invalid", skipped);
        }
        if self.is_none_better() {
            let sets = self.rivals.len() + 1;
            let none = format!("none of {sets} sets of rules agrees with any answer");
            lines.add("best", none);
        } else {
            let (agreed, answers) = (grouped(best.agreed), grouped(best.answers));
            let agreed = format!("{agreed} of {answers} ({})", percent(best));
            lines.add("best", best.rules);
            lines.add("agreed", agreed);
            self.name_values(&mut lines);
            self.name_rivals(&mut lines);
        }
        let mut text = format!("swaplist check {}\n{}", read.name, lines.text());
        self.table(&mut text);
        self.list(&mut text);
        text
    }

    /// Whether several rules were tried and none agrees with any answer.
    fn is_none_better(&self) -> bool {
        self.best.agreed == 0 && !self.rivals.is_empty()
    }

    fn name_values(&self, lines: &mut Lines) {
        let Some(intervals) = &self.intervals else {
            return;
        };
        let (mut values, mut open) = (Vec::new(), Vec::new());
        for (piece, interval) in ["P", "N", "B", "R", "Q"].into_iter().zip(intervals) {
            if interval.start() == interval.end() {
                values.push(format!("{piece} {}", interval.start()));
            } else {
                values.push(format!("{piece} {interval:?}"));
                open.push(piece);
            }
        }
        lines.add("values", values.join(", "));
        let basis = if self.read.answers > Check::BASIS as u64 {
            format!("first {} answers", grouped(Check::BASIS as u64))
        } else {
            "answers".to_owned()
        };
        let open = match &open[..] {
            [] => "none".to_owned(),
            open => open.join(", "),
        };
        let found = format!("found from the {basis}, which leave {open} open");
        lines.add("", found);
    }

    fn name_rivals(&self, lines: &mut Lines) {
        const NAMED: usize = 5;
        match self.rivals.len() {
            0 => return,
            1 => lines.add("", "1 other set of rules agrees as often:"),
            n => lines.add("", format!("{n} other sets of rules agree as often:")),
        }
        for rules in self.rivals.iter().take(NAMED) {
            lines.add("", format!("  {rules}"));
        }
        if self.rivals.len() > NAMED {
            lines.add("", "  and more, all named with --json");
        }
    }

    fn table(&self, text: &mut String) {
        let _ = writeln!(text, "\n  {:<8}  {:<29}  agreed", "profile", "values");
        for (profile, finding) in self.profiles() {
            let values = finding.rules.values.to_string();
            let agreed = grouped(finding.agreed);
            let percent = percent(finding);
            let _ = writeln!(text, "  {profile:<8}  {values:<29}  {agreed} ({percent})");
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
        let under = if self.is_none_better() {
            format!(" with {}", self.best.rules)
        } else {
            String::new()
        };
        let wrong = grouped(wrong);
        let _ = writeln!(text, "\n  {wrong} disagreement{s}{under}{first}");
        for answer in &self.best.disagreements {
            self.show(answer, text);
        }
    }

    fn show(&self, answer: &Answer, text: &mut String) {
        let capture = answer.capture;
        let see = self.best.rules.see(&answer.position, capture);
        let fen = self.read.fen(answer);
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

    /// The profiles, with the best piece values, that agree with an answer.
    fn agreeing_profiles(&self, answer: &Answer) -> impl Iterator<Item = Profile> {
        let (values, answer) = (self.best.rules.values, *answer);
        let agrees = move |profile: &Profile| answer.agrees(&Rules::new(*profile, values));
        Profile::ALL.into_iter().filter(agrees)
    }

    pub fn to_json(&self) -> Value {
        let (read, best) = (self.read, self.best);
        let profiles: Vec<_> = self
            .profiles()
            .map(|(_, finding)| json!({ "rules": finding.rules.to_json(), "agreed": finding.agreed }))
            .collect();
        let intervals = self.intervals.as_ref().map(|intervals| {
            let ends = |interval: &RangeInclusive<i32>| [*interval.start(), *interval.end()];
            intervals.iter().map(ends).collect::<Vec<_>>()
        });
        let disagreements: Vec<_> = best
            .disagreements
            .iter()
            .map(|answer| self.disagreement_json(answer))
            .collect();
        json!({
            "command": "check",
            "input": read.name,
            "answers": read.answers,
            "values": read.answers - read.thresholds,
            "thresholds": read.thresholds,
            "invalid": read.invalid,
            "rules": best.rules.to_json(),
            "agreed": best.agreed,
            "intervals": intervals,
            "equally_good": self.rivals.len(),
            "equally_good_rules": self.rivals.iter().map(Rules::to_json).collect::<Vec<_>>(),
            "profiles": profiles,
            "disagreements": best.answers - best.agreed,
            "first_disagreements": disagreements,
        })
    }

    fn disagreement_json(&self, answer: &Answer) -> Value {
        let trace = self.best.rules.trace(&answer.position, answer.capture);
        let mut json = json!({
            "line": answer.line,
            "fen": self.read.fen(answer),
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

fn percent(finding: &Finding) -> String {
    #[allow(clippy::cast_precision_loss)] // shown rounded
    let percent = 100.0 * finding.agreed as f64 / finding.answers.max(1) as f64;
    // Never shows 100 % if an answer disagrees.
    let percent = if finding.agreed < finding.answers {
        percent.min(99.99)
    } else {
        percent
    };
    format!("{percent:.2} %")
}

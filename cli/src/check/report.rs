//! The findings of `swaplist check` as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};
use swaplist::{Choice, ParseError, Profile, Rules};
use swaplist_files::check::{
    Answer, Claim, Deviation, Diagnosis, Evidence, Finding, disagreement_in_words, evidence,
    evidence_in_words,
};
use swaplist_files::explain::{barred_to_json, rules_to_json};

use swaplist_files::report::{ResultTable, grouped};

/// What was found about an engine's answers.
pub struct Report<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// At least one.
    pub answers: &'a [Answer],
    /// The errors of the lines that were skipped.
    pub invalid: &'a [ParseError],
    /// Notes on how values were read that are not plain centipawns.
    pub notes: &'a [String],
    /// Whether the piece values were fitted to the answers.
    pub are_fitted: bool,
    /// How many answers each set of rules agrees with, the best first; at least one.
    pub findings: Vec<Finding>,
    /// Why answers disagree with the best rules.
    pub diagnosis: Diagnosis,
    /// How many disagreements to list.
    pub limit: usize,
}

impl Report<'_> {
    /// The finding of the best rules.
    fn best(&self) -> &Finding {
        &self.findings[0]
    }

    /// The number of answers that disagree with the best rules.
    pub fn disagreements(&self) -> usize {
        self.answers.len() - self.best().agreed
    }

    /// The first answers that disagree with the best rules, as many as are listed.
    fn listed(&self) -> impl Iterator<Item = &Answer> {
        self.answers
            .iter()
            .filter(|answer| !answer.agrees(&self.best().rules))
            .take(self.limit)
    }

    /// How surely the answers determine the piece values that were fitted to them.
    fn evidence(&self) -> Option<[Evidence; 5]> {
        self.are_fitted
            .then(|| evidence(self.answers, &self.findings))
    }

    /// Other rules tried that agree as often.
    fn rivals(&self) -> Vec<Rules> {
        let others = self.findings.iter().skip(1);
        let rivals = others.take_while(|other| other.agreed == self.best().agreed);
        rivals.map(|rival| rival.rules).collect()
    }

    /// The findings for the profiles tried.
    fn profiles(&self) -> impl Iterator<Item = (Profile, &Finding)> {
        Profile::ALL.iter().copied().filter_map(|profile| {
            let mut all = self.findings.iter();
            let found = all.find(|finding| finding.rules.profile() == Some(profile))?;
            Some((profile, found))
        })
    }

    /// An agreement as `196 of 200 (98.00 %)`.
    fn agreed(&self, finding: &Finding) -> String {
        let agreed = finding.agreed;
        let all = self.answers.len();
        // Rounded down: not 100 % if an answer disagrees.
        let hundredths = agreed * 10_000 / all;
        let percent = format!("{}.{:02}", hundredths / 100, hundredths % 100);
        format!("{} of {} ({percent} %)", count(agreed), count(all))
    }

    /// The rows of the result, and all of its JSON.
    pub fn sheet(&self) -> ResultTable {
        let mut sheet = ResultTable::new("check");
        sheet.title = format!("check {}", self.name);
        let all = self.answers.len();
        let best = self.best();
        let rivals = self.rivals();
        let evidence = self.evidence();
        let in_words = |evidence: &[Evidence; 5]| evidence_in_words(evidence, best.rules.values);
        let value_count = self
            .answers
            .iter()
            .filter(|answer| matches!(answer.said, Claim::Value(_)))
            .count();
        sheet
            .value("input", self.name)
            .value("answers", all)
            .value("values", value_count)
            .value("thresholds", all - value_count)
            .value("rules", rules_to_json(&best.rules))
            .value("values_fitted", self.are_fitted)
            .value("value_evidence", json!(evidence))
            .value("agreed", best.agreed)
            .value("disagreements", self.disagreements())
            .value("equally_good", rivals.len());
        let rivals_json: Vec<Value> = rivals.iter().map(rules_to_json).collect();
        let profiles = self.profiles().map(
            |(_, finding)| json!({ "rules": rules_to_json(&finding.rules), "agreed": finding.agreed }),
        );
        let listed = self.listed().map(|answer| self.disagreement_json(answer));
        sheet
            .value("equally_good_rules", rivals_json)
            .value("profiles", profiles.collect::<Value>())
            .value("deviations", self.diagnosis.deviations())
            .value("explanations", self.explanations())
            .value("first_disagreements", listed.collect::<Value>());
        let values = counted(value_count, "value");
        let thresholds = counted(all - value_count, "threshold");
        sheet.row("answers", format!("{}: {values}, {thresholds}", count(all)));
        sheet.value("notes", self.notes);
        for note in self.notes {
            sheet.row("note", note);
        }
        let invalid = self.invalid.len() as u64;
        // The first word is the row's name, the second the key in the JSON.
        sheet.any("invalid", "invalid", invalid, ", skipped, such as");
        for error in self.invalid.iter().take(3) {
            sheet.row("", error);
        }
        // With only one set of rules, `0 of` all answers says as much.
        if best.agreed == 0 && !rivals.is_empty() {
            let sets = rivals.len() + 1;
            let none = format!("none of {sets} sets of rules agrees with any answer");
            sheet.row("best", none);
        } else {
            sheet.row("best", best.rules);
            if self.are_fitted {
                sheet.row("", "piece values fitted to the answers");
            }
            for words in evidence.map_or_else(Vec::new, |evidence| in_words(&evidence)) {
                sheet.row("", words);
            }
            sheet.row("agreed", self.agreed(best));
            name_rivals(&rivals, &mut sheet);
        }
        sheet
    }

    /// The JSON of what the engine seems to do: for each class of disagreements the faults that
    /// would explain some of them, each with other faults that would explain the same ones.
    fn explanations(&self) -> Value {
        let classes = self.diagnosis.deviations().into_iter();
        let all = classes.flat_map(|Deviation { class, .. }| {
            let found = self.diagnosis.explanations(class).into_iter();
            found.map(move |(seems, answers)| {
                let others = self.diagnosis.instead_of(seems);
                json!({ "class": class, "seems": seems, "or": others, "answers": answers })
            })
        });
        all.collect()
    }

    /// The text after the rows: profiles and disagreements.
    pub fn after(&self) -> String {
        // Five values of five digits take 29 columns.
        let mut text = format!("\n  {:<8}  {:<29}  agreed\n", "profile", "values");
        for (profile, finding) in self.profiles() {
            let values = finding.rules.values.to_string();
            let agreed = self.agreed(finding);
            let _ = writeln!(text, "  {profile:<8}  {values:<29}  {agreed}");
        }
        let wrong = self.disagreements();
        let rules = self.best().rules;
        if wrong > 0 {
            let disagreements = counted(wrong, "disagreement");
            let _ = writeln!(text, "\n  {disagreements} with {rules}");
        }
        // These words follow where a line says `or 3 others`.
        for line in self.diagnosis.in_words(", --json names all").lines() {
            let _ = writeln!(text, "    {line}");
        }
        for answer in self.listed() {
            self.show(answer, &mut text);
        }
        text
    }

    /// Adds an answer that disagrees, with the exchange by the best rules, and by the first profile
    /// that agrees with it.
    fn show(&self, answer: &Answer, text: &mut String) {
        let words = disagreement_in_words(answer, &self.best().rules);
        let _ = write!(text, "\n  line {}: {words}", answer.line);
    }

    /// The JSON of an answer that disagrees.
    fn disagreement_json(&self, answer: &Answer) -> Value {
        let trace = self.best().rules.trace(&answer.position, answer.capture);
        let profiles = answer.agreeing_profiles(&self.best().rules).into_iter();
        let mut json = json!({
            "line": answer.line,
            "fen": answer.fen,
            "move": answer.capture.to_string(),
            "see": trace.value,
            "swap_list": trace.swap_list(),
            "barred": trace.barred.iter().map(barred_to_json).collect::<Value>(),
            "as_under": profiles.map(Profile::name).collect::<Value>(),
        });
        match answer.said {
            Claim::Value(value) => json["value"] = value.into(),
            Claim::AtLeast { threshold, holds } => {
                json["threshold"] = threshold.into();
                json["ge"] = holds.into();
            }
        }
        json
    }
}

/// Adds rows that name the first five other sets of rules that agree as often.
fn name_rivals(rivals: &[Rules], sheet: &mut ResultTable) {
    const NAMED: usize = 5;
    let others = match rivals.len() {
        0 => return,
        1 => "1 other set of rules".to_owned(),
        n => format!("{n} others, --json names all"),
    };
    sheet.row("", format!("these answers do not tell it from {others}:"));
    for rules in rivals.iter().take(NAMED) {
        sheet.row("", format!("  {rules}"));
    }
}

/// A number with a noun, in the plural unless it is 1.
pub fn counted(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", count(number))
}

/// A number with its digits in groups.
fn count(number: usize) -> String {
    grouped(number as u64)
}

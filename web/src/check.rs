//! Another engine's answers: which rules they follow, and where they deviate.

use core::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};
use swaplist::check::{self, Finding, answers, candidates, class_of, deviations, findings, fitted};
use swaplist::{Pins, Profile, Rules};

use crate::notation::names;
use crate::settings::named;
use crate::{Answer, Failure, bytes, object};

#[derive(Deserialize)]
struct Asked {
    text: String,
    /// Empty: all are tried.
    profile: String,
    /// Empty: those that fit the answers best.
    values: String,
    /// How many deviations to list.
    limit: usize,
}

struct Checked {
    said: Vec<check::Answer>,
    /// What is wrong with which other lines.
    bad: Vec<String>,
    /// The best first; none without answers.
    findings: Vec<Finding>,
}

impl Asked {
    fn checked(&self) -> Answer<Checked> {
        let (mut said, mut bad) = (Vec::new(), Vec::new());
        for answer in answers(self.text.as_bytes()) {
            match answer {
                Ok(answer) => said.push(answer),
                Err(error) => bad.push(error.to_string()),
            }
        }
        let profile: Option<Profile> = named("check-rules", Some(&self.profile))?;
        let values = named("check-values", Some(&self.values))?;
        let mut rules = candidates(values.unwrap_or_default());
        if let Some(profile) = profile {
            rules.retain(|rules| rules.profile() == Some(profile));
        }
        if said.is_empty() {
            rules.clear();
        } else if values.is_none() {
            rules = fitted(&said, &rules);
        }
        let findings = findings(&said, &rules);
        Ok(Checked {
            said,
            bad,
            findings,
        })
    }
}

/// Compares answers with the rules.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> i32 {
    object(|asked: Asked| {
        let Checked {
            said,
            bad,
            findings,
        } = asked.checked()?;
        let mut found = json!({ "answers": said.len(), "bad": bad });
        let Some(best) = findings.first() else {
            return Ok(found);
        };
        let rules = &best.rules;
        let rivals = findings.iter().skip(1);
        let rivals = rivals.take_while(|other| other.agreed == best.agreed);
        let profiles = Profile::ALL.into_iter().filter_map(|profile| {
            let mut all = findings.iter();
            all.find(|finding| finding.rules.profile() == Some(profile))
        });
        let wrong = said.iter().filter(|answer| !answer.agrees(rules));
        let rows = wrong.take(asked.limit).map(|answer| row(answer, rules));
        found["best"] = finding(best);
        found["rivals"] = rivals.map(finding).collect();
        found["profiles"] = profiles.map(finding).collect();
        found["classes"] = json!(deviations(&said, rules));
        found["rows"] = rows.collect();
        Ok(found)
    })
}

fn finding(Finding { rules, agreed }: &Finding) -> Value {
    json!({
        "words": rules.to_string(),
        "profile": rules.profile().map(Profile::name),
        "values": rules.values.to_string(),
        "agreed": agreed,
    })
}

/// An answer that disagrees.
fn row(answer: &check::Answer, rules: &Rules) -> Value {
    let under = Profile::ALL
        .into_iter()
        .filter(|&profile| answer.agrees(&Rules::new(profile, rules.values)));
    json!({
        "line": answer.line,
        "fen": answer.fen,
        "move": answer.capture.to_string(),
        "class": class_of(answer, rules),
        "said": answer.said.to_string(),
        "see": rules.see(&answer.position, answer.capture),
        "under": under.map(Profile::name).collect::<Value>(),
        "shown": shown(rules).name(),
    })
}

/// The profile that explains these rules best.
fn shown(rules: &Rules) -> Profile {
    rules.profile().unwrap_or(match rules.pins {
        Pins::None => Profile::Swap,
        Pins::Sf8 => Profile::Sf8,
        Pins::Sf => Profile::Sf,
        Pins::Legal => Profile::Legal,
    })
}

/// The answers as a suite: an EPD line each, with the SEE under the best rules.
#[unsafe(no_mangle)]
pub extern "C" fn check_epd() -> i32 {
    bytes(|| {
        let asked: Asked = crate::asked()?;
        let Checked { said, findings, .. } = asked.checked()?;
        let Some(Finding { rules, .. }) = findings.first() else {
            return Err(Failure::of("answers", "there are no answers to save"));
        };
        let mut suite = String::new();
        for answer in &said {
            let fen = &answer.fen;
            let names = names(fen, answer.capture);
            let san = names.map_or_else(|| answer.capture.to_string(), |[_, san]| san);
            let see = rules.see(&answer.position, answer.capture);
            let fields: Vec<_> = fen.split_ascii_whitespace().take(4).collect();
            let fields = fields.join(" ");
            let _ = writeln!(suite, "{fields} sm {san}; ce {see}; c0 \"SEE, {rules}\";");
        }
        Ok(suite.into_bytes())
    })
}

//! Another engine's answers: which rules they follow, and where they deviate.

use core::fmt::Write as _;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use swaplist::{Choice, Pins, Profile, Rules};
use swaplist_files::check::{
    self, Diagnosis, Evidence, Finding, answers, compare, evidence, evidence_in_words,
};

use crate::notation::names;
use crate::settings::named;
use crate::{Answer, Failure, bytes, object};

/// How many explanations are named that have the same answers as one.
const NAMED: usize = 3;

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

struct Read {
    said: Vec<check::Answer>,
    /// What is wrong with which other lines.
    bad: Vec<String>,
    /// Whether no line is an answer, all for the same reason: `bad` is one message then.
    fail_alike: bool,
    /// How values were read that are not plain centipawns.
    notes: Vec<String>,
    /// The best first; none without answers.
    findings: Vec<Finding>,
    /// Why answers disagree with the best.
    diagnosis: Option<Diagnosis>,
}

impl Asked {
    fn read(&self) -> Answer<Read> {
        let mut said = Vec::new();
        let mut bad = Vec::new();
        let answers = answers(self.text.as_bytes());
        let fail_alike = answers.fail_alike;
        let notes = answers.notes.clone();
        for answer in answers {
            match answer {
                Ok(answer) => said.push(answer),
                Err(error) => bad.push(error.to_string()),
            }
        }
        let profile: Option<Profile> = named("check-rules", Some(&self.profile))?;
        let values = named("check-values", Some(&self.values))?;
        let is_wanted = |rules: &Rules| profile.is_none() || rules.profile() == profile;
        let (findings, diagnosis) = compare(&said, values, is_wanted).unzip();
        Ok(Read {
            said,
            bad,
            fail_alike,
            notes,
            findings: findings.unwrap_or_default(),
            diagnosis,
        })
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Checked {
    answers: usize,
    /// What is wrong with which other lines.
    bad: Vec<String>,
    /// Whether no line is an answer, all for the same reason: `bad` is one message then.
    fail_alike: bool,
    /// How values were read that are not plain centipawns.
    notes: Vec<String>,
    /// The rules that fit the answers best; null if there are no answers.
    best: Option<Fit>,
    /// How surely the answers determine each piece value of the best rules, from pawn to queen.
    #[cfg_attr(test, ts(type = "Array<'none' | 'one_answer' | 'several'>"))]
    evidence: [&'static str; 5],
    /// That evidence in words, a sentence each.
    about_values: Vec<String>,
    /// The options of which another choice agrees as often.
    open: BTreeSet<&'static str>,
    /// The best of each rule set.
    profiles: Vec<Fit>,
    classes: Vec<Class>,
    /// Answers that disagree.
    rows: Vec<Row>,
}

/// A class of answers in which some disagree.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[allow(clippy::struct_field_names)] // the page's name of it
pub struct Class {
    class: &'static str,
    disagree: usize,
    answers: usize,
    /// What the engine seems to do, with how many of the disagreeing answers that explains; the most
    /// first.
    seems: Vec<(String, usize)>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fit {
    words: String,
    profile: Option<&'static str>,
    values: String,
    agreed: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Row {
    #[cfg_attr(test, ts(type = "number"))]
    line: u64,
    fen: String,
    #[serde(rename = "move")]
    uci: String,
    class: &'static str,
    /// What the engine seems to do, if anything known explains the answer.
    seems: Option<&'static str>,
    said: String,
    see: i32,
    /// The rule sets under which it is right.
    under: Vec<&'static str>,
    /// The rule set that explains it.
    shown: &'static str,
}

/// Compares answers with the rules.
#[unsafe(no_mangle)]
pub extern "C" fn check() -> i32 {
    object(|asked: Asked| {
        let Read {
            said,
            bad,
            fail_alike,
            notes,
            findings,
            diagnosis,
        } = asked.read()?;
        let best = findings.first();
        let profiles = Profile::ALL.iter().copied().filter_map(|profile| {
            let mut all = findings.iter();
            all.find(|finding| finding.rules.profile() == Some(profile))
        });
        let mut classes = Vec::new();
        let mut rows = Vec::new();
        let mut about_values = Vec::new();
        let evidence = evidence(&said, &findings);
        if let (Some(Finding { rules, .. }), Some(diagnosis)) = (best, diagnosis) {
            let wrong = (0..said.len()).filter(|&nth| !said[nth].agrees(rules));
            rows.extend(
                wrong
                    .take(asked.limit)
                    .map(|nth| row(&said[nth], nth, &diagnosis, rules)),
            );
            classes = classes_of(&diagnosis);
            about_values = evidence_in_words(&evidence, rules.values);
        }
        Ok(Checked {
            answers: said.len(),
            bad,
            fail_alike,
            notes,
            best: best.map(fit),
            evidence: evidence.map(Evidence::name),
            about_values,
            open: open(&findings),
            profiles: profiles.map(fit).collect(),
            classes,
            rows,
        })
    })
}

/// The classes of the answers that disagree, and what the engine seems to do in each.
fn classes_of(diagnosis: &Diagnosis) -> Vec<Class> {
    let classes = diagnosis.deviations().into_iter().map(|found| {
        let explanations = diagnosis.explanations(found.class).into_iter();
        Class {
            class: found.class,
            disagree: found.disagree,
            answers: found.answers,
            seems: explanations
                .map(|(seems, count)| (with_others(seems, diagnosis), count))
                .collect(),
        }
    });
    classes.collect()
}

/// What an engine seems to do, with the other faults that would give the same answers.
fn with_others(seems: &str, diagnosis: &Diagnosis) -> String {
    let mut words = String::from(seems);
    let others = diagnosis.instead_of(seems);
    // The last one is named where the text would only say that there is one more.
    let named = NAMED + usize::from(others.len() == NAMED + 1);
    for other in others.iter().take(named) {
        words = words + ", or " + other;
    }
    if others.len() > named {
        let _ = write!(words, ", or {} others", others.len() - named);
    }
    words
}

/// The options of which another choice alone agrees as often as the best rules.
fn open(findings: &[Finding]) -> BTreeSet<&'static str> {
    let Some((Finding { rules, agreed }, others)) = findings.split_first() else {
        return BTreeSet::new();
    };
    let rivals = others.iter().take_while(|other| other.agreed == *agreed);
    let options = rivals.filter_map(|Finding { rules: other, .. }| {
        let differ = [
            ("pins", rules.pins != other.pins),
            ("en passant", rules.en_passant != other.en_passant),
            ("promotions", rules.first_promotion != other.first_promotion),
            (
                "promotions in recaptures",
                rules.recapture_promotion != other.recapture_promotion,
            ),
        ];
        let mut names = differ.into_iter().filter(|&(_, differs)| differs);
        names.next().filter(|_| names.next().is_none())
    });
    options.map(|(name, _)| name).collect()
}

fn fit(Finding { rules, agreed }: &Finding) -> Fit {
    Fit {
        words: rules.to_string(),
        profile: rules.profile().map(Profile::name),
        values: rules.values.to_string(),
        agreed: *agreed,
    }
}

/// The answer with this place, which disagrees.
fn row(answer: &check::Answer, nth: usize, diagnosis: &Diagnosis, rules: &Rules) -> Row {
    let under = answer.agreeing_profiles(rules).into_iter();
    let (class, seems) = diagnosis.of_answer(nth);
    Row {
        line: answer.line,
        fen: answer.fen.clone(),
        uci: answer.capture.to_string(),
        class,
        seems,
        said: answer.said.to_string(),
        see: rules.see(&answer.position, answer.capture),
        under: under.map(Profile::name).collect(),
        shown: shown(rules).name(),
    }
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
        let Read { said, findings, .. } = asked.read()?;
        let Some(Finding { rules, .. }) = findings.first() else {
            return Err(Failure::new("answers", "there are no answers to save"));
        };
        let mut suite = String::new();
        for answer in &said {
            let fen = &answer.fen;
            let names = names(fen, answer.capture);
            let san = names.map_or_else(|| answer.capture.to_string(), |[_, san]| san);
            let see = rules.see(&answer.position, answer.capture);
            let words: Vec<_> = fen.split_ascii_whitespace().take(4).collect();
            let fields = words.join(" ");
            let _ = writeln!(suite, "{fields} sm {san}; ce {see}; c0 \"SEE, {rules}\";");
        }
        Ok(suite.into_bytes())
    })
}

//! Compares another SEE with the rules, and finds the rules that it follows, for engine authors.
//!
//! In an engine's own tests, [`against`] compares a function with rules on positions of yours. The
//! rest works on answers in a text, whatever the engine's language:
//!
//! ```
//! use swaplist_files::check::{Answer, answers, compare};
//! use swaplist::{PieceValues, Profile, Rules};
//!
//! // The engine's answers, as `FEN;move;value` or `FEN;move;threshold;0|1`.
//! let said = "\
//! 1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1;Rxe5;100
//! 4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;e4c5;-225
//! 4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;e4c5;0;0
//! 7k/2p5/8/3pP3/8/8/6B1/7K w - d6 0 1;e5d6;100;0
//! ";
//! let said: Vec<Answer> = answers(said.as_bytes()).collect::<Result<_, _>>()?;
//!
//! // Why answers disagree with the rules that the engine should follow:
//! let (_, diagnosis) = compare(&said, Some(PieceValues::CPW), |rules| *rules == Rules::SWAP).unwrap();
//! assert!(diagnosis.deviations().is_empty());
//!
//! // Or to find the rules and the piece values:
//! let (findings, _) = compare(&said, None, |_| true).unwrap();
//! assert_eq!(findings[0].rules.profile(), Some(Profile::Swap));
//! assert_eq!(findings[0].agreed, said.len());
//! # Ok::<(), swaplist::ParseError>(())
//! ```

use core::cmp::Reverse;

mod against;
mod amount;
mod answers;
mod applied;
mod callee;
mod claim;
mod columns;
mod comments;
mod compared;
mod diagnosis;
mod draft;
mod fields;
mod json;
mod line;
mod lines;
mod literal;
mod named;
mod names;
mod objects;
mod question;
mod rows;
mod skipped;
mod statement;
mod suggest;
mod suspects;
mod table;
mod tokens;
mod unit;
mod uses;
mod values;
mod whole;
mod words;
mod wrong;

pub use against::{Disagreements, against, against_ge, disagreement_in_words};
pub use answers::{Answer, Answers, answers};
pub use claim::Claim;
pub use diagnosis::{Deviation, Diagnosis};
pub use values::{Evidence, evidence, evidence_in_words};

pub(crate) use values::fitted;

use swaplist::{
    Choice, EnPassant, FirstPromotion, PieceValues, Pins, Profile, RecapturePromotion, Rules,
};

/// The preset piece values, where fitting starts.
const PRESETS: [PieceValues; 3] = [
    PieceValues::CPW,
    PieceValues::STOCKFISH,
    PieceValues::CLASSICAL,
];

/// All combinations of the options with these values, the profiles first.
pub fn candidates(values: PieceValues) -> Vec<Rules> {
    let mut all: Vec<_> = Profile::ALL
        .iter()
        .map(|name| Rules::new(*name, values))
        .collect();
    for &pins in Pins::ALL {
        for &en_passant in EnPassant::ALL {
            for &first_promotion in FirstPromotion::ALL {
                for &recapture_promotion in RecapturePromotion::ALL {
                    let rules = Rules {
                        pins,
                        en_passant,
                        first_promotion,
                        recapture_promotion,
                        values,
                    };
                    if rules.profile().is_none() {
                        all.push(rules);
                    }
                }
            }
        }
    }
    all
}

/// The agreement of one rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule set that the answers were compared with.
    pub rules: Rules,
    /// How many answers these rules agree with, from 0 to the number of answers.
    pub agreed: usize,
}

/// Compares answers with each of the [`candidates`] that is wanted, with these piece values, or
/// without any with those that fit the answers best. Returns with how many answers each agrees, and why
/// answers disagree with the first. `None` if there are no answers, or if no candidate is wanted.
///
/// The best is first. Ties: preset values first, then values in order from pawn to queen, then the
/// order of the candidates. There is one exception: if one fault explains all answers under a profile,
/// and none does under the best rules, the profile is first.
pub fn compare(
    answers: &[Answer],
    values: Option<PieceValues>,
    is_wanted: impl Fn(&Rules) -> bool,
) -> Option<(Vec<Finding>, Diagnosis)> {
    let mut rules = candidates(values.unwrap_or_default());
    rules.retain(is_wanted);
    if answers.is_empty() || rules.is_empty() {
        return None;
    }
    if values.is_none() {
        rules = fitted(answers, &rules);
    }
    let mut findings = findings(answers, &rules);
    let diagnosis = Diagnosis::from_findings(answers, &mut findings)?;
    Some((findings, diagnosis))
}

/// Rule sets with their agreement, the best first, as [`compare`] says.
pub(crate) fn findings(answers: &[Answer], candidates: &[Rules]) -> Vec<Finding> {
    sorted(on_all_threads(candidates, |&rules| Finding {
        rules,
        agreed: answers
            .iter()
            .filter(|answer| answer.agrees(&rules))
            .count(),
    }))
}

/// The best first.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| {
        let values = finding.rules.values;
        let ordered = values.to_array().is_sorted();
        (
            Reverse(finding.agreed),
            !PRESETS.contains(&values),
            !ordered,
        )
    });
    findings
}

/// Evenly spaced answers, at most this many.
#[inline(never)] // for the size of the page's module
fn evenly_spaced(answers: &[Answer], most: usize) -> Vec<Answer> {
    let stride = answers.len().div_ceil(most).max(1);
    answers.iter().step_by(stride).cloned().collect()
}

#[cfg(feature = "rayon")]
fn on_all_threads<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().map(of).collect()
}

#[cfg(not(feature = "rayon"))]
fn on_all_threads<T, R>(items: &[T], of: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(of).collect()
}

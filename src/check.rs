//! Finds the rules that another implementation follows, for engine authors.
//!
//! Give an engine's answers, values or thresholds, to a [`Check`]. It evaluates every candidate
//! rule set on them, fits the piece values unless they are given, and returns the agreement of
//! each with its disagreements.
//!
//! ```
//! use swaplist::check::{Answer, Check, answers};
//! use swaplist::Profile;
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
//! // In an engine's own tests, against the rules that it should follow:
//! let mut check = Check::against([swaplist::Rules::SWAP], 20);
//! check.add(&said);
//! assert!(check.findings()[0].disagreements.is_empty());
//!
//! // Or to find the rules and the piece values:
//! let mut check = Check::all(None, 20);
//! check.add(&said);
//! let best = &check.findings()[0].rules;
//! assert_eq!(best.profile(), Some(Profile::Swap));
//! // No answer depends on queens.
//! assert_eq!(check.intervals(best).unwrap()[4], 1..=30_000);
//! # Ok::<(), swaplist::check::AnswerError>(())
//! ```

use core::cmp::Reverse;
use core::ops::RangeInclusive;
use std::collections::BTreeSet;

mod answers;
mod candidates;
mod fit;
mod line;
mod sweep;
mod tables;
mod tally;
#[cfg(test)]
mod tests;

pub use answers::{Answer, AnswerError, Said, answer_on, answers, fen_on};
use candidates::Kind;
pub use candidates::{PRESETS, candidates};
use fit::Fit;
use tally::Tally;

use crate::{PieceValues, Rules};

/// The agreement of one rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rules.
    pub rules: Rules,
    /// How many answers agree.
    pub agreed: u64,
    /// How many answers there are.
    pub answers: u64,
    /// The first answers that disagree, in order, as many as the [`Check`] keeps.
    pub disagreements: Vec<Answer>,
}

/// Compares answers with candidate rules, chunk by chunk, in bounded memory.
#[derive(Clone, Debug)]
pub struct Check {
    candidates: Vec<Rules>,
    /// One per kind of move.
    tallies: [Tally; Kind::COUNT],
    keep: usize,
    values: Values,
}

/// The origin of the candidates' piece values.
#[derive(Clone, Debug)]
enum Values {
    Given,
    /// To be fitted when there are more answers than these.
    Wanted(Vec<Answer>),
    /// Fitted to these answers.
    Found(Vec<Answer>),
}

impl Check {
    /// The most answers that values are fitted to: the first ones.
    #[doc(hidden)] // for our command and tests
    pub const BASIS: usize = 1 << 17;

    /// Checks these rules; keeps the first `keep` disagreements of each. They are kept
    /// separately for each kind of move, up to eight times as many.
    #[must_use]
    pub fn against(candidates: impl IntoIterator<Item = Rules>, keep: usize) -> Check {
        let candidates: Vec<_> = candidates.into_iter().collect();
        Check {
            tallies: tallies(&candidates),
            candidates,
            keep,
            values: Values::Given,
        }
    }

    /// Like [`Check::against`], but fits the piece values of each rule set to the first
    /// [`Check::BASIS`] answers.
    #[must_use]
    pub fn fitting(candidates: impl IntoIterator<Item = Rules>, keep: usize) -> Check {
        Check {
            values: Values::Wanted(Vec::new()),
            ..Check::against(candidates, keep)
        }
    }

    /// Checks all combinations of the options, with these values or fitted ones; keeps the
    /// first `keep` disagreements of each.
    #[must_use]
    pub fn all(values: Option<PieceValues>, keep: usize) -> Check {
        let candidates = candidates(values.unwrap_or_default());
        match values {
            Some(_) => Check::against(candidates, keep),
            None => Check::fitting(candidates, keep),
        }
    }

    /// Adds answers, on all threads with the feature `rayon`. Chunks of 10,000 or more keep
    /// those busy.
    pub fn add(&mut self, mut answers: &[Answer]) {
        if let Values::Wanted(basis) = &mut self.values {
            let room = Check::BASIS - basis.len();
            let (first, rest) = answers.split_at(room.min(answers.len()));
            basis.extend_from_slice(first);
            if basis.len() < Check::BASIS {
                return;
            }
            answers = rest;
            self.find_values();
        }
        self.count(answers);
    }

    fn find_values(&mut self) {
        if let Values::Wanted(basis) = &mut self.values {
            let basis = core::mem::take(basis);
            self.candidates = tables::fitted(&self.candidates, &basis);
            self.tallies = tallies(&self.candidates);
            self.count(&basis);
            self.values = Values::Found(basis);
        }
    }

    fn count(&mut self, answers: &[Answer]) {
        let mut kinds: [Vec<Answer>; Kind::COUNT] = core::array::from_fn(|_| Vec::new());
        for answer in answers {
            kinds[Kind::of(&answer.position, answer.capture).0].push(*answer);
        }
        for (tally, answers) in self.tallies.iter_mut().zip(&kinds) {
            tally.add(answers, self.keep);
        }
    }

    /// The interval of each piece value, pawn to queen, under these rules: at both ends some
    /// table agrees as often with the answers used for fitting. An undetermined value has the
    /// interval 1 to [`MAX_VALUE`](crate::values::MAX_VALUE). `None` if the values were given,
    /// or one of these is less than 1.
    #[must_use]
    pub fn intervals(&self, rules: &Rules) -> Option<[RangeInclusive<i32>; 5]> {
        let (Values::Wanted(basis) | Values::Found(basis)) = &self.values else {
            return None;
        };
        let table = rules.values.to_array();
        let positive = table.iter().all(|&value| value >= 1);
        positive.then(|| Fit::new(rules, basis).intervals(table))
    }

    /// The lines from `line` on that some candidate keeps as a disagreement, if answers are
    /// added in line order.
    #[must_use]
    #[doc(hidden)] // for our command and tests
    pub fn kept_since(&self, line: u64) -> BTreeSet<u64> {
        if let Values::Wanted(basis) = &self.values {
            let lines = basis.iter().rev().map(|answer| answer.line);
            return lines.take_while(|&kept| kept >= line).collect();
        }
        let tallies = self.tallies.iter();
        tallies.flat_map(|tally| tally.kept_since(line)).collect()
    }

    /// All candidates with their agreement, the best first. Ties: preset values first, then
    /// values in order from pawn to queen, then the candidate given first.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        if let Values::Wanted(_) = self.values {
            let mut complete = self.clone();
            complete.find_values();
            return complete.findings();
        }
        let mut findings: Vec<_> = self
            .candidates
            .iter()
            .map(|rules| self.finding(rules))
            .collect();
        let rank = |finding: &Finding| {
            let values = finding.rules.values;
            let ordered = values.to_array().is_sorted();
            (
                Reverse(finding.agreed),
                !PRESETS.contains(&values),
                !ordered,
            )
        };
        findings.sort_by_key(rank);
        findings
    }

    fn finding(&self, rules: &Rules) -> Finding {
        let mut finding = Finding {
            rules: *rules,
            agreed: 0,
            answers: 0,
            disagreements: Vec::new(),
        };
        for tally in &self.tallies {
            let (agreed, disagreements) = tally.of(rules);
            finding.agreed += agreed;
            finding.answers += tally.answers();
            finding.disagreements.extend_from_slice(disagreements);
        }
        finding.disagreements.sort_by_key(|answer| answer.line);
        finding.disagreements.truncate(self.keep);
        finding
    }
}

fn tallies(candidates: &[Rules]) -> [Tally; Kind::COUNT] {
    core::array::from_fn(|kind| Tally::new(Kind(kind), candidates))
}

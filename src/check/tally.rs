//! Counts agreeing answers, for moves of one kind.

use super::answers::Answer;
use super::candidates::Kind;
use crate::Rules;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Answers per task: enough to hide the cost of starting it.
#[cfg(feature = "rayon")]
const ANSWERS_A_TASK: usize = 1024;

/// The candidates that differ on moves of this kind, with their counts.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    kind: Kind,
    rules: Vec<Rules>,
    counts: Vec<Count>,
    answers: u64,
}

/// The counts of a candidate.
#[derive(Clone, Debug, Default)]
struct Count {
    agreed: u64,
    disagreements: Vec<Answer>,
}

impl Tally {
    pub(super) fn new(kind: Kind, candidates: &[Rules]) -> Tally {
        let mut rules = Vec::new();
        for candidate in candidates {
            let reduced = kind.reduce(candidate);
            if !rules.contains(&reduced) {
                rules.push(reduced);
            }
        }
        Tally {
            kind,
            counts: vec![Count::default(); rules.len()],
            rules,
            answers: 0,
        }
    }

    pub(super) fn add(&mut self, answers: &[Answer], keep: usize) {
        self.answers += answers.len() as u64;
        for (rules, count) in self.rules.iter().zip(&mut self.counts) {
            #[cfg(feature = "rayon")]
            let more = answers
                .par_chunks(ANSWERS_A_TASK)
                .map(|answers| Count::of(answers, rules, keep))
                .reduce(Count::default, |one, other| one.and(other, keep));
            #[cfg(not(feature = "rayon"))]
            let more = Count::of(answers, rules, keep);
            *count = core::mem::take(count).and(more, keep);
        }
    }

    pub(super) fn answers(&self) -> u64 {
        self.answers
    }

    /// The lines of disagreements from `line` on.
    pub(super) fn kept_since(&self, line: u64) -> impl Iterator<Item = u64> {
        self.counts.iter().flat_map(move |count| {
            let lines = count.disagreements.iter().rev().map(|answer| answer.line);
            lines.take_while(move |&kept| kept >= line)
        })
    }

    /// A candidate's number of agreeing answers, and its first disagreements.
    pub(super) fn of(&self, candidate: &Rules) -> (u64, &[Answer]) {
        let reduced = self.kind.reduce(candidate);
        let found = self.rules.iter().position(|rules| *rules == reduced);
        found.map_or((0, &[]), |i| {
            (self.counts[i].agreed, &self.counts[i].disagreements)
        })
    }
}

impl Count {
    fn of(answers: &[Answer], rules: &Rules, keep: usize) -> Count {
        let mut count = Count::default();
        for answer in answers {
            if answer.agrees(rules) {
                count.agreed += 1;
            } else if count.disagreements.len() < keep {
                count.disagreements.push(*answer);
            }
        }
        count
    }

    fn and(mut self, mut later: Count, keep: usize) -> Count {
        self.agreed += later.agreed;
        later
            .disagreements
            .truncate(keep.saturating_sub(self.disagreements.len()));
        self.disagreements.append(&mut later.disagreements);
        self
    }
}

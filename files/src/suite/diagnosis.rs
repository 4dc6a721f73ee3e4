//! From the lines that an engine fails to its fault.

use super::answers::suggested_values;
use super::{Fault, FaultyEngine, Line, LineResult, lines};
use swaplist::{Choice, PieceValues, Profile};

/// What may be wrong with an engine, by its answers to the suite.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuiteDiagnosis {
    /// The rule set that fits best.
    pub profile: Profile,
    /// The engine's piece values: given, or those that fit best.
    pub values: PieceValues,
    /// The lines that were answered, by their place in the suite from 0.
    pub answered: Vec<usize>,
    /// The lines among them that the engine fails.
    pub failed: Vec<usize>,
    /// The faults that explain every answer, those that pass and those that fail: each entry is one
    /// fault, or two together. Several entries cannot be told apart by these answers. Empty if
    /// nothing is wrong, or if no one or two faults explain all.
    pub explanations: Vec<Vec<Fault>>,
    /// If nothing explains all: faults that explain some failing lines and contradict no answer,
    /// with the number of these lines, the largest first.
    pub partial: Vec<(Fault, usize)>,
}

/// Names the fault, or the two faults, that explain an engine's answers to the suite: one for each
/// of [`lines()`], in their order. Lines after the last answer are unanswered, and answers after the
/// last line are passed over. A rule set and piece values that are not given are those that fit best.
pub fn diagnose(
    results: &[Option<LineResult>],
    profile: Option<Profile>,
    values: Option<PieceValues>,
) -> SuiteDiagnosis {
    let suite = lines();
    let mut results = results.to_vec();
    results.resize(suite.len(), None);
    let results = results.as_slice();
    let tries: Vec<Try<'_>> = Profile::ALL
        .iter()
        .copied()
        .filter(|known| profile.is_none_or(|given| given == *known))
        .flat_map(|profile| {
            let tables = values.map_or_else(|| tables(results, profile), |values| vec![values]);
            let suite = &suite;
            tables.into_iter().map(move |values| Try {
                suite,
                results,
                profile,
                values,
            })
        })
        .collect();
    // The fewest failing lines; but one fault under another rule set is simpler than two under this.
    let fewest = (0..tries.len()).min_by_key(|at| tries[*at].failed().len());
    let best = &tries[fewest.unwrap_or(0)];
    if best.failed().is_empty() {
        return best.diagnosis(Vec::new(), Vec::new());
    }
    for faults in [1, 2] {
        let found = tries.iter().map(|one| (one, one.explanations(faults)));
        let found = found.filter(|(_, explanations)| !explanations.is_empty());
        if let Some((one, explanations)) = found.min_by_key(|(one, _)| one.failed().len()) {
            return one.diagnosis(explanations, Vec::new());
        }
    }
    best.diagnosis(Vec::new(), best.partial())
}

/// Piece values to try: presets, and those that the answers suggest.
fn tables(results: &[Option<LineResult>], profile: Profile) -> Vec<PieceValues> {
    let presets = [
        PieceValues::CPW,
        PieceValues::STOCKFISH,
        PieceValues::CLASSICAL,
    ];
    let suggested = suggested_values(results, profile);
    let suggested = suggested.filter(|values| !presets.contains(values));
    suggested.into_iter().chain(presets).collect()
}

/// The answers compared with one rule set and one table of piece values.
#[derive(Clone, Copy)]
struct Try<'a> {
    suite: &'a [Line<'static>],
    results: &'a [Option<LineResult>],
    profile: Profile,
    values: PieceValues,
}

impl Try<'_> {
    fn faults(&self) -> impl Iterator<Item = Fault> {
        Fault::ALL
            .iter()
            .copied()
            .filter(|fault| fault.is_fault_of(self.profile))
    }

    fn right(&self, at: usize) -> i32 {
        self.suite[at].sums[self.profile as usize].at(&self.values)
    }

    fn said_by(&self, engine: &FaultyEngine, at: usize) -> i32 {
        let line = &self.suite[at];
        engine.see(&line.position, line.played, &self.values)
    }

    fn answered(&self) -> impl Iterator<Item = usize> {
        (0..self.suite.len()).filter(|at| self.results[*at].is_some())
    }

    fn is_explained(&self, at: usize, value: i32) -> bool {
        self.results[at].is_none_or(|result| result.agrees(value, self.right(at)))
    }

    fn failed(&self) -> Vec<usize> {
        self.answered()
            .filter(|at| !self.is_explained(*at, self.right(*at)))
            .collect()
    }

    fn explains_all(&self, engine: &FaultyEngine, order: &[usize]) -> bool {
        order
            .iter()
            .all(|at| self.is_explained(*at, self.said_by(engine, *at)))
    }

    /// The answered lines, failing ones first: they refute most faults.
    fn order(&self) -> Vec<usize> {
        let failed = self.failed();
        let passed: Vec<usize> = self.answered().filter(|at| !failed.contains(at)).collect();
        [failed, passed].concat()
    }

    /// Single faults that explain all answers, or pairs of faults.
    fn explanations(&self, faults: usize) -> Vec<Vec<Fault>> {
        let order = self.order();
        let known: Vec<Fault> = self.faults().collect();
        let mut explanations = Vec::new();
        for (at, first) in known.iter().enumerate() {
            let one = FaultyEngine::faultless(self.profile).with(*first);
            if faults == 1 && self.explains_all(&one, &order) {
                explanations.push(vec![*first]);
            }
            for second in known[at + 1..].iter().filter(|_| faults == 2) {
                if self.explains_all(&one.with(*second), &order) {
                    explanations.push(vec![*first, *second]);
                }
            }
        }
        explanations
    }

    /// Faults that fail only lines which the engine fails too, with the number of these.
    fn partial(&self) -> Vec<(Fault, usize)> {
        let failed = self.failed();
        let mut partial = Vec::new();
        for fault in self.faults() {
            let engine = FaultyEngine::faultless(self.profile).with(fault);
            let fails: Vec<usize> = self
                .answered()
                .filter(|at| self.said_by(&engine, *at) != self.right(*at))
                .collect();
            if !fails.is_empty() && fails.iter().all(|at| failed.contains(at)) {
                partial.push((fault, fails.len()));
            }
        }
        partial.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
        partial
    }

    fn diagnosis(
        &self,
        explanations: Vec<Vec<Fault>>,
        partial: Vec<(Fault, usize)>,
    ) -> SuiteDiagnosis {
        SuiteDiagnosis {
            profile: self.profile,
            values: self.values,
            answered: self.answered().collect(),
            failed: self.failed(),
            explanations,
            partial,
        }
    }
}

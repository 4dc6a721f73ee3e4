//! Piece values for many rule sets at once.

use super::Check;
use super::answers::Answer;
use super::candidates::PRESETS;
use super::fit::Fit;
use crate::{PieceValues, Rules};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Answers used for the search; all of them choose among its results.
const SAMPLE: usize = 4096;

/// The rule sets, each with values that fit the answers.
///
/// Few answers depend on other options than pins. So one search per pin rule finds tables for
/// all; then the best rules' table is improved on all answers, until they no longer change.
pub(super) fn fitted(options: &[Rules], answers: &[Answer]) -> Vec<Rules> {
    let stride = answers.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Answer> = answers.iter().step_by(stride).copied().collect();
    let mut searched: Vec<Rules> = Vec::new();
    for rules in options {
        if searched.iter().all(|other| other.pins != rules.pins) {
            searched.push(*rules);
        }
    }
    let search = |rules: &Rules| Fit::new(rules, &sample).search();
    #[cfg(feature = "rayon")]
    let found: Vec<_> = searched.par_iter().map(search).collect();
    #[cfg(not(feature = "rayon"))]
    let found: Vec<_> = searched.iter().map(search).collect();
    let mut tables: Vec<PieceValues> = PRESETS.into_iter().chain(found).collect();
    loop {
        let best = best_of_each(options, &tables, answers);
        let Some(first) = best.first() else {
            return best;
        };
        let improved = Fit::new(first, answers).improve(first.values.to_array());
        if tables.contains(&improved) {
            // In the given order, which breaks ties.
            let with_values = |rules: &Rules| {
                let values = best.iter().find(|found| same_options(found, rules));
                values.copied().unwrap_or(*rules)
            };
            return options.iter().map(with_values).collect();
        }
        tables.push(improved);
    }
}

/// Each option set with the table under which most answers agree, the best first.
fn best_of_each(options: &[Rules], tables: &[PieceValues], answers: &[Answer]) -> Vec<Rules> {
    let with = |&values: &PieceValues| options.iter().map(move |&rules| Rules { values, ..rules });
    let mut check = Check::against(tables.iter().flat_map(with), 0);
    check.add(answers);
    let mut best: Vec<Rules> = Vec::new();
    for finding in check.findings() {
        if best
            .iter()
            .all(|rules| !same_options(rules, &finding.rules))
        {
            best.push(finding.rules);
        }
    }
    best
}

fn same_options(one: &Rules, other: &Rules) -> bool {
    Rules {
        values: other.values,
        ..*one
    } == *other
}

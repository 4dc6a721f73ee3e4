//! Fits piece values to an engine's answers.
//!
//! From several guesses, sweeps in many directions lead to a table that no sweep improves. Each
//! counts all answers, so that wrong ones are outvoted.

use core::ops::RangeInclusive;
use std::collections::HashMap;

use super::answers::{Answer, Said};
use super::candidates::PRESETS;
use super::line::{Line, Table, wins};
use super::sweep::{Group, Sweep, moved, stretch};
use crate::exchange::INFINITE;
use crate::{PieceValues, Rules};

/// Up to this many groups, sweeps in all directions from each guess are cheap.
const FEW: usize = 256;

/// Rounds of extending the intervals from their last ends.
const ROUNDS: usize = 3;

/// Answers under a rule set without values.
pub(super) struct Fit {
    pub(super) groups: Vec<Group>,
    answers: i64,
}

impl Fit {
    pub(super) fn new<'a>(rules: &Rules, answers: impl IntoIterator<Item = &'a Answer>) -> Fit {
        let mut counts: HashMap<(Line, Said), i64> = HashMap::new();
        let mut all = 0;
        for answer in answers {
            let line = Line::new(rules, &answer.position, answer.capture);
            *counts.entry((line, answer.said)).or_default() += 1;
            all += 1;
        }
        let group = |((line, said), count)| Group { line, said, count };
        Fit {
            groups: counts.into_iter().map(group).collect(),
            answers: all,
        }
    }

    /// A table that fits well, from several guesses.
    pub(super) fn search(&self) -> PieceValues {
        let presets = PRESETS.map(|preset| preset.to_array());
        let guesses = presets.into_iter().chain([self.alone(presets[0])]);
        let mut steps = steps(if self.groups.len() > FEW { 1 } else { 5 });
        let mut best = (presets[0], -1);
        for guess in guesses {
            for _ in 0..guess.len() {
                let found = self.climb(guess, &steps);
                // Ties: a table in order, then the first; so a preset stays.
                let rank = |(table, agreed): (Table, i64)| (agreed, table.is_sorted());
                if rank(found) > rank(best) {
                    best = found;
                }
                // The order of directions decides which value gives way.
                steps.rotate_left(1);
            }
        }
        self.improve(best.0)
    }

    /// The table that sweeps in all directions lead to.
    pub(super) fn improve(&self, table: Table) -> PieceValues {
        let (table, _) = self.climb(table, &steps(5));
        PieceValues::new(table).unwrap_or_default()
    }

    /// The intervals of piece values in tables, found step by step from this one, that agree
    /// with all answers that it agrees with.
    pub(super) fn intervals(&self, table: Table) -> [RangeInclusive<i32>; 5] {
        let tight = self.tight(&table);
        let steps = steps(5);
        let mut ends = [[table; 2]; 5];
        for _ in 0..ROUNDS {
            let before = ends;
            let mut starts = before.concat();
            starts.sort_unstable();
            starts.dedup();
            for start in starts {
                for step in steps.iter().chain([&start]) {
                    for t in stretch(&tight, &start, step) {
                        let next = moved(&start, step, t);
                        for (i, [low, high]) in ends.iter_mut().enumerate() {
                            if next[i] < low[i] {
                                *low = next;
                            }
                            if next[i] > high[i] {
                                *high = next;
                            }
                        }
                    }
                }
            }
            if ends == before {
                break;
            }
        }
        core::array::from_fn(|i| ends[i][0][i]..=ends[i][1][i])
    }

    /// The tightest of the answers that agree with a table, for each line.
    pub(super) fn tight(&self, table: &Table) -> Vec<Group> {
        let wins = wins(*table);
        let mut bounds: HashMap<Line, (i32, i32)> = HashMap::new();
        for Group { line, said, .. } in &self.groups {
            if !said.is(line.see(|capture| wins[capture])) {
                continue;
            }
            let (low, high) = bounds.entry(*line).or_insert((-INFINITE, INFINITE));
            match *said {
                Said::Value(value) => (*low, *high) = (value, value),
                Said::AtLeast { threshold, holds } if holds => *low = threshold.max(*low),
                Said::AtLeast { threshold, .. } => *high = (threshold - 1).min(*high),
            }
        }
        let bound = |line, threshold, holds| Group {
            line,
            said: Said::AtLeast { threshold, holds },
            count: 1,
        };
        let groups = bounds.into_iter();
        groups
            .flat_map(|(line, (low, high))| [bound(line, low, true), bound(line, high + 1, false)])
            .collect()
    }

    /// Sets each value from the exchanges in which only that piece type is captured.
    fn alone(&self, mut table: Table) -> Table {
        for step in steps(1) {
            let own = wins(step);
            let only = |group: &&Group| group.line.captures().all(|capture| own[capture] == 1);
            let sweep = Sweep::new(self.groups.iter().filter(only), &table, &step);
            table = moved(&table, &step, sweep.best().1);
        }
        table
    }

    /// Sweeps until no step improves; returns the table and the number of agreeing answers.
    fn climb(&self, mut table: Table, steps: &[Table]) -> (Table, i64) {
        let (mut agreed, mut since) = (0, 0);
        for step in steps.iter().cycle() {
            let (better, t) = Sweep::new(&self.groups, &table, step).best();
            if better > agreed {
                (agreed, since) = (better, 0);
                table = moved(&table, step, t);
            }
            since += 1;
            if since > steps.len() || agreed == self.answers {
                break;
            }
        }
        (table, agreed)
    }
}

/// All directions that change up to `most` values by the same amount; those that change few
/// come first.
pub(super) fn steps(most: usize) -> Vec<Table> {
    let digit = |n: i32, place: u32| n / 3_i32.pow(place) % 3 - 1;
    let all = (0..3_i32.pow(5)).map(|n| [4, 3, 2, 1, 0].map(|place| digit(n, place)));
    let changed = |step: &Table| step.iter().filter(|&&change| change != 0).count();
    // The other half are the same directions backwards.
    let mut steps: Vec<_> = all.skip(122).filter(|step| changed(step) <= most).collect();
    steps.sort_by_key(changed);
    steps
}

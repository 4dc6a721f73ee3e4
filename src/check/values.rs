//! Piece values that fit an engine's answers.
//!
//! Who captures next does not depend on values, only where the sides stop does. So each gain of
//! an exchange is linear in the values, and for one piece type all answers are counted at every
//! value in one sweep. Wrong answers are outvoted.

use core::cmp::Reverse;
use std::collections::HashMap;

use super::answers::Answer;
use super::claim::Claim;
use super::{Finding, PRESETS, findings, on_all_threads};
use crate::exchange::INFINITE;
use crate::values::MAX_VALUE;
use crate::{PieceValues, Rules};

/// Answers that values are fitted to, evenly spaced.
const SAMPLE: usize = 1 << 13;

/// Pawn, knight, bishop, rook, queen; or the share of each in a gain.
type Table = [i32; 5];

/// The rule sets, each with piece values from 1 to [`MAX_VALUE`] that fit the answers.
pub fn fitted(answers: &[Answer], options: &[Rules]) -> Vec<Rules> {
    let stride = answers.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Answer> = answers.iter().step_by(stride).cloned().collect();
    // Few answers depend on other options than pins.
    let mut searched: Vec<Rules> = Vec::new();
    for rules in options {
        if searched.iter().all(|other| other.pins != rules.pins) {
            searched.push(*rules);
        }
    }
    let found = on_all_threads(&searched, |rules| search(&cases(rules, &sample)));
    let mut tables: Vec<PieceValues> = PRESETS.into_iter().chain(found).collect();
    let choose = |tables: &[PieceValues], rules: &Rules| {
        let with: Vec<Rules> = tables
            .iter()
            .map(|&values| Rules { values, ..*rules })
            .collect();
        let found = findings(&sample, &with).into_iter();
        let best = found.min_by_key(|Finding { rules, agreed }| {
            let doubt = doubt(&rules.values.to_array(), sample.len().cast_signed());
            Reverse(agreed.cast_signed() - doubt)
        });
        best.map_or(*rules, |best| best.rules)
    };
    let chosen: Vec<Rules> = options.iter().map(|rules| choose(&tables, rules)).collect();
    if let Some(best) = findings(&sample, &chosen).first() {
        let cases = cases(&best.rules, &sample);
        let all: Vec<&Case> = cases.iter().collect();
        let table = climb(&all, best.rules.values.to_array());
        let fits = |other: &Table| credit(&all, other) >= credit(&all, &table);
        let rounded = [100, 50, 25, 10, 5, 1].map(|step| rounded(table, step));
        let roundest = rounded.into_iter().find(fits).and_then(PieceValues::new);
        // Of tables that fit equally well the first is chosen.
        tables.splice(PRESETS.len()..PRESETS.len(), roundest);
    }
    options.iter().map(|rules| choose(&tables, rules)).collect()
}

/// Which piece values, from pawn to queen, the answers determine under these rules: any other value
/// of the piece, alone or with other values of other pieces, agrees with fewer answers. Where the
/// answers leave this open, as thresholds often do, a value counts as not determined.
pub fn determined(answers: &[Answer], rules: &Rules) -> [bool; 5] {
    let stride = answers.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Answer> = answers.iter().step_by(stride).cloned().collect();
    let cases = cases(rules, &sample);
    let all: Vec<&Case> = cases.iter().collect();
    let table = rules.values.to_array();
    let mut equations = Equations::default();
    for gain in exact_gains(&cases, &table) {
        equations.add(gain);
    }
    let solved = equations.solved();
    core::array::from_fn(|piece| solved[piece] && is_alone(&all, table, piece))
}

/// Whether every other value of the piece agrees with fewer answers than the one in the table.
fn is_alone(cases: &[&Case], table: Table, piece: usize) -> bool {
    let agreed = agreement(cases, table, piece);
    let Some(&own) = agreed.get(table[piece].unsigned_abs() as usize) else {
        return false;
    };
    let others = agreed.iter().skip(1).filter(|&&agreed| agreed >= own);
    table[piece] > 0 && others.count() == 1
}

/// The gains whose sizes the right answers tell exactly: those of values, and of two thresholds of
/// one exchange next to each other, of which the SEE reaches one.
fn exact_gains(cases: &[Case], table: &Table) -> Vec<Table> {
    let mut thresholds: HashMap<&[Table], [Option<i32>; 2]> = HashMap::new();
    let mut exact: Vec<&Case> = Vec::new();
    for case in cases.iter().filter(|case| case.is_right(table)) {
        let Claim::AtLeast { threshold, holds } = case.said else {
            exact.push(case);
            continue;
        };
        let [reached, missed] = thresholds.entry(&case.gains).or_default();
        if holds {
            *reached = (*reached).max(Some(threshold));
        } else {
            *missed = Some(missed.map_or(threshold, |missed| missed.min(threshold)));
        }
        if let (Some(reached), Some(missed)) = (*reached, *missed)
            && reached + 1 == missed
        {
            exact.push(case);
        }
    }
    let gain = |case: &Case| {
        let found = see(case.gains.iter().map(|gain| product(gain, table)));
        let signed = case.gains.iter().enumerate().map(|(ply, gain)| {
            let sign = if ply.is_multiple_of(2) { 1 } else { -1 };
            gain.map(|share| sign * share)
        });
        let mut equal = signed.filter(|gain| product(gain, table) == found);
        // Of several equal gains it is open which one is the value.
        let first = equal.next()?;
        equal.all(|other| other == first).then_some(first)
    };
    exact.into_iter().filter_map(gain).collect()
}

/// Linear equations of the piece values, in echelon form: those whose first unknown is each piece.
#[derive(Default)]
struct Equations([Option<[i128; 5]>; 5]);

impl Equations {
    fn add(&mut self, equation: Table) {
        let mut equation = equation.map(i128::from);
        for piece in 0..equation.len() {
            if equation[piece] == 0 {
                continue;
            }
            let Some(known) = &self.0[piece] else {
                self.0[piece] = Some(equation);
                return;
            };
            equation = without(&equation, known, piece);
        }
    }

    /// Which unknowns the equations determine.
    fn solved(&self) -> [bool; 5] {
        core::array::from_fn(|piece| {
            let Some(mut equation) = self.0[piece] else {
                return false;
            };
            for other in piece + 1..equation.len() {
                if equation[other] == 0 {
                    continue;
                }
                match &self.0[other] {
                    Some(known) => equation = without(&equation, known, other),
                    None => return false,
                }
            }
            true
        })
    }
}

/// An equation less as much of another that the piece is gone from it, in lowest terms.
fn without(equation: &[i128; 5], known: &[i128; 5], piece: usize) -> [i128; 5] {
    let difference: [i128; 5] =
        core::array::from_fn(|at| equation[at] * known[piece] - known[at] * equation[piece]);
    let divisor = difference.iter().copied().fold(0, greatest_divisor).max(1);
    difference.map(|share| share / divisor)
}

fn greatest_divisor(one: i128, other: i128) -> i128 {
    if other == 0 {
        one.abs()
    } else {
        greatest_divisor(other, one % other)
    }
}

/// The values rounded to multiples of a step.
fn rounded(table: Table, step: i32) -> Table {
    table.map(|value| ((value + step / 2) / step * step).max(1))
}

/// Equal answers with their number.
struct Case {
    gains: Vec<Table>,
    said: Claim,
    count: isize,
}

/// The SEE, given the gains to the last recapture: each side may stop after the first move.
pub(super) fn see(gains: impl DoubleEndedIterator<Item = i32>) -> i32 {
    gains.rfold(-INFINITE, |after, gain| gain.min(-after))
}

fn product(gain: &Table, table: &Table) -> i32 {
    gain.iter()
        .zip(table)
        .map(|(share, value)| share * value)
        .sum()
}

impl Case {
    fn is_right(&self, table: &Table) -> bool {
        self.said
            .is(see(self.gains.iter().map(|gain| product(gain, table))))
    }
}

/// How many of the answers may agree with a table by chance. They count for nothing if its values
/// are out of order, as with a queen below a rook.
fn doubt(table: &Table, answers: isize) -> isize {
    let [pawn, knight, bishop, rook, queen] = *table;
    let is_ordered = |minor| [pawn, minor, rook, queen].is_sorted_by(|less, more| less < more);
    if is_ordered(knight) && is_ordered(bishop) {
        return 0;
    }
    2 + answers / 20
}

fn count<'a>(cases: impl IntoIterator<Item = &'a &'a Case>) -> isize {
    cases.into_iter().map(|case| case.count).sum()
}

/// How many answers agree with a table, less the doubt.
fn credit(cases: &[&Case], table: &Table) -> isize {
    let right = cases.iter().filter(|case| case.is_right(table));
    count(right) - doubt(table, count(cases))
}

fn cases(rules: &Rules, answers: &[Answer]) -> Vec<Case> {
    let units = [0, 1, 2, 3, 4].map(|piece| {
        let table = core::array::from_fn(|other| i32::from(piece == other));
        let values = PieceValues::new(table).unwrap_or_default();
        Rules { values, ..*rules }
    });
    let mut counts: HashMap<(Vec<Table>, Claim), isize> = HashMap::new();
    for answer in answers {
        let shares = units.map(|rules| {
            let trace = rules.trace(&answer.position, answer.capture);
            trace.gains().collect::<Vec<_>>()
        });
        let gains = (0..shares[0].len()).map(|i| shares.each_ref().map(|share| share[i]));
        *counts.entry((gains.collect(), answer.said)).or_default() += 1;
    }
    let case = |((gains, said), count)| Case { gains, said, count };
    counts.into_iter().map(case).collect()
}

/// The best of several tables that no sweep improves.
fn search(cases: &[Case]) -> PieceValues {
    let all: Vec<&Case> = cases.iter().collect();
    let (lone, _): (Vec<&Case>, Vec<_>) = all.iter().partition(|case| case.gains.len() == 1);
    let mut best = (-1, false, PieceValues::CPW);
    for preset in PRESETS.map(|preset| preset.to_array()) {
        // Captures of single pieces tell their values.
        for start in [preset, climb(&lone, preset)] {
            let table = climb(&all, start);
            let rank = (credit(&all, &table), table.is_sorted());
            if let Some(values) = PieceValues::new(table)
                && rank > (best.0, best.1)
            {
                best = (rank.0, rank.1, values);
            }
        }
    }
    best.2
}

/// Sets one value after another, as long as more answers agree.
fn climb(cases: &[&Case], mut table: Table) -> Table {
    loop {
        let before = table;
        for piece in 0..table.len() {
            table[piece] = sweep(cases, table, piece);
        }
        if table == before {
            return table;
        }
    }
}

/// The value of a piece type at which most answers agree, the nearest one to that in the table.
fn sweep(cases: &[&Case], table: Table, piece: usize) -> i32 {
    let all = count(cases);
    let agreed = agreement(cases, table, piece).into_iter();
    let best = (0..).zip(agreed).skip(1);
    let best = best.max_by_key(|&(value, agreed)| {
        let credit = agreed - doubt(&with_value(table, piece, value), all);
        (credit, Reverse(table[piece].abs_diff(value)))
    });
    best.map_or(table[piece], |(value, _)| value)
}

fn with_value(mut table: Table, piece: usize, value: i32) -> Table {
    table[piece] = value;
    table
}

/// With how many answers that depend on a piece type a table agrees, by the value of that piece; the
/// first one, of value 0, says nothing.
fn agreement(cases: &[&Case], table: Table, piece: usize) -> Vec<isize> {
    let with = |value: i32| with_value(table, piece, value);
    // How many more answers agree at a value than at the one below.
    let mut changes = vec![0_isize; MAX_VALUE as usize + 1];
    let mut turns = Vec::new();
    let depends = |case: &&&Case| case.gains.iter().any(|gain| gain[piece] != 0);
    for case in cases.iter().filter(depends) {
        let (Claim::Value(said)
        | Claim::AtLeast {
            threshold: said, ..
        }) = case.said;
        let mut said = said.clamp(-INFINITE, INFINITE);
        turns.clear();
        turns.push(1);
        for gain in &case.gains {
            // An answer can change only where a gain, of either side, passes it.
            if gain[piece] != 0 {
                let turn = (said - product(gain, &with(0))) / gain[piece];
                turns.extend((turn - 1..=turn + 1).filter(|turn| (1..=MAX_VALUE).contains(turn)));
            }
            said = -said;
        }
        turns.sort_unstable();
        let mut was = false;
        for &turn in &turns {
            let is = case.is_right(&with(turn));
            changes[turn.unsigned_abs() as usize] +=
                case.count * (isize::from(is) - isize::from(was));
            was = is;
        }
    }
    let agreed = changes.iter().scan(0, |agreed, change| {
        *agreed += change;
        Some(*agreed)
    });
    agreed.collect()
}

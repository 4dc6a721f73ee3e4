//! Piece values that fit an engine's answers.
//!
//! Who captures next does not depend on values, only where the sides stop does. So each gain of
//! an exchange is linear in the values, and for one piece type all answers are counted at every
//! value in one sweep. Wrong answers are outvoted.

use core::cmp::Reverse;
use std::collections::HashMap;

use super::answers::Answer;
use super::claim::Claim;
use super::{Finding, PRESETS, evenly_spaced, findings, on_all_threads, sorted};
use crate::suite::{Fault, FaultyEngine};
use swaplist::values::MAX_VALUE;
use swaplist::{Choice, PieceValues, Rules};

/// Above every balance of an exchange: each of at most 63 recaptures wins at most three times
/// [`MAX_VALUE`].
const INFINITE: i32 = 1 << 24;

/// Answers that values are fitted to, evenly spaced.
const SAMPLE: usize = 1 << 13;
/// Answers that mostly determine all values.
const FIRST_SAMPLE: usize = 1 << 10;
/// Answers that show whether values may fit an engine with a fault.
const FEW: usize = 1 << 8;

/// Pawn, knight, bishop, rook, queen; or the share of each in a gain.
type Table = [i32; 5];

/// The rule sets, each with piece values from 1 to [`MAX_VALUE`] that fit the answers. If far more
/// answers fit values with the other sign, with `>` for `>=`, or those of an engine that counts other
/// pieces, it is these values, and only the rule sets that fit best then.
pub(crate) fn fitted(answers: &[Answer], options: &[Rules]) -> Vec<Rules> {
    let sample = evenly_spaced(answers, SAMPLE);
    let usual = Fit::to(&sample, None);
    let (mut best, are_told) = usual.fitted(options);
    if are_told {
        return best;
    }
    let mut fewest = usual.disagreements(&best);
    let mended = |mend: fn(Claim) -> Claim| -> Vec<Answer> {
        let mut mended = sample.clone();
        for answer in &mut mended {
            answer.said = mend(answer.said);
        }
        mended
    };
    let mended = [Claim::negated, Claim::with_strict_threshold].map(mended);
    let mended = mended.iter().filter(|mended| **mended != sample);
    let few = evenly_spaced(&sample, FEW);
    let faulty = HIDE_VALUES.into_iter().filter(|fault| {
        let fit = Fit::to(&few, Some(*fault));
        let (best, _) = fit.fitted(&one_of_each_pins(options));
        2 * fit.disagreements(&best) * sample.len() <= fewest * few.len()
    });
    let faulty: Vec<Fault> = faulty.collect();
    let fits = mended.map(|mended| Fit::to(mended, None));
    for fit in fits.chain(faulty.iter().map(|fault| Fit::to(&sample, Some(*fault)))) {
        if fewest == 0 {
            break;
        }
        let (other, _) = fit.fitted(options);
        let left = fit.disagreements(&other);
        // A few answers more may be chance.
        if 2 * left <= fewest {
            // Other options may fit the claims as they are by chance.
            best = other
                .into_iter()
                .filter(|rules| fit.disagreements(&[*rules]) == left)
                .collect();
            fewest = left;
        }
    }
    best
}

/// The first of the rule sets with each choice of pins: few answers depend on other options.
fn one_of_each_pins(options: &[Rules]) -> Vec<Rules> {
    let mut chosen: Vec<Rules> = Vec::new();
    for rules in options {
        if chosen.iter().all(|other| other.pins != rules.pins) {
            chosen.push(*rules);
        }
    }
    chosen
}

/// Faults with which captures that nothing recaptures do not tell the piece values, as the engine
/// counts other pieces or others recapture.
const HIDE_VALUES: [Fault; 3] = [
    Fault::VictimUncounted,
    Fault::MoverIsVictim,
    Fault::MoverSideRecaptures,
];

/// Fits values to answers of an engine without a fault, or with one.
#[derive(Clone, Copy)]
struct Fit<'a> {
    answers: &'a [Answer],
    fault: Option<Fault>,
}

impl<'a> Fit<'a> {
    const fn to(answers: &'a [Answer], fault: Option<Fault>) -> Fit<'a> {
        Fit { answers, fault }
    }

    /// How many answers each rule set agrees with, the best first.
    fn findings(&self, rules: &[Rules]) -> Vec<Finding> {
        let Some(fault) = self.fault else {
            return findings(self.answers, rules);
        };
        sorted(on_all_threads(rules, |&rules| {
            let engine = FaultyEngine::following(&rules).with(fault);
            let agreed = self
                .answers
                .iter()
                .filter(|answer| {
                    let see = engine.see(&answer.position, answer.capture, &rules.values);
                    answer.said.is(see)
                })
                .count();
            Finding { rules, agreed }
        }))
    }

    /// How many answers disagree with the best of the rule sets.
    fn disagreements(&self, rules: &[Rules]) -> usize {
        let found = self.findings(rules);
        self.answers.len() - found.first().map_or(0, |best| best.agreed)
    }

    fn cases(&self, rules: &Rules) -> Vec<Case> {
        match self.fault {
            None => cases(rules, self.answers),
            Some(fault) => {
                let engine = FaultyEngine::following(rules).with(fault);
                counted(self.answers, |answer| gains_of(&engine, answer))
            }
        }
    }

    /// The rule sets with values that fit, and whether captures that nothing recaptures tell the
    /// values.
    fn fitted(&self, options: &[Rules]) -> (Vec<Rules>, bool) {
        let searched = one_of_each_pins(options);
        let by_lone = searched
            .iter()
            .find_map(|rules| values_by_lone_captures(&self.cases(rules)));
        if let Some(values) = by_lone {
            let with_values = options.iter().map(|rules| Rules { values, ..*rules });
            return (with_values.collect(), true);
        }
        let best_tables = on_all_threads(&searched, |rules| search(&self.cases(rules)));
        let mut tables: Vec<PieceValues> = PRESETS.into_iter().chain(best_tables).collect();
        let all = self.answers.len().cast_signed();
        let choose = |tables: &[PieceValues], rules: &Rules| {
            let with: Vec<Rules> = tables
                .iter()
                .map(|&values| Rules { values, ..*rules })
                .collect();
            let best = self
                .findings(&with)
                .into_iter()
                .min_by_key(|Finding { rules, agreed }| {
                    let doubt = doubt(&rules.values.to_array(), all);
                    Reverse(agreed.cast_signed() - doubt)
                });
            best.map_or(*rules, |best| best.rules)
        };
        let chosen: Vec<Rules> = options.iter().map(|rules| choose(&tables, rules)).collect();
        if let Some(best) = self.findings(&chosen).first() {
            let cases = self.cases(&best.rules);
            let all: Vec<&Case> = cases.iter().collect();
            let table = climb(&all, best.rules.values.to_array());
            let rounded = [100, 50, 25, 10, 5, 1].map(|step| rounded(table, step));
            let roundest = rounded
                .into_iter()
                .find(|other| credit(&all, other) >= credit(&all, &table))
                .and_then(PieceValues::new);
            // If several tables fit equally well, the first is chosen.
            tables.splice(PRESETS.len()..PRESETS.len(), roundest);
        }
        let chosen = options.iter().map(|rules| choose(&tables, rules));
        (chosen.collect(), false)
    }
}

/// How surely answers determine a piece value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Evidence {
    /// Not at all: another value may fit as often.
    None,
    /// By one answer: without it, another value may fit as often.
    OneAnswer,
    /// By several answers: without any one of them, the value would still be determined.
    Several,
}

/// The names are those in JSON.
impl Choice for Evidence {
    const ALL: &'static [Evidence] = &[Evidence::None, Evidence::OneAnswer, Evidence::Several];

    fn name(self) -> &'static str {
        match self {
            Evidence::None => "none",
            Evidence::OneAnswer => "one_answer",
            Evidence::Several => "several",
        }
    }
}

/// How surely the answers determine each piece value, from pawn to queen, of the best of these
/// findings: with any other value of the piece, alone or with other values of other pieces,
/// fewer answers agree. Where the answers leave this open, as thresholds often do, or where rules
/// that agree as often have another value, a value is not determined.
pub fn evidence(answers: &[Answer], findings: &[Finding]) -> [Evidence; 5] {
    let Some((Finding { rules, agreed }, others)) = findings.split_first() else {
        return [Evidence::None; 5];
    };
    let mut found = evidence_of(&evenly_spaced(answers, FIRST_SAMPLE), rules);
    if answers.len() > FIRST_SAMPLE && found != [Evidence::Several; 5] {
        found = evidence_of(&evenly_spaced(answers, SAMPLE), rules);
    }
    // What one answer of a sample tells, several of all may tell.
    if answers.len() > SAMPLE && found.contains(&Evidence::OneAnswer) {
        found = evidence_of(answers, rules);
    }
    let table = rules.values.to_array();
    for rival in others.iter().take_while(|other| other.agreed == *agreed) {
        let values = rival.rules.values.to_array();
        for piece in (0..found.len()).filter(|&piece| values[piece] != table[piece]) {
            found[piece] = Evidence::None;
        }
    }
    found
}

/// What [`evidence`] says of these values, a sentence each, without a capital and a full stop.
pub fn evidence_in_words(evidence: &[Evidence; 5], values: PieceValues) -> Vec<String> {
    const NAMES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];
    let mut lists: [Vec<String>; 3] = Default::default();
    let [open, doubtful, determined] = &mut lists;
    for ((name, value), evidence) in NAMES.iter().zip(values.to_array()).zip(evidence) {
        match evidence {
            Evidence::None => open.push((*name).to_owned()),
            Evidence::OneAnswer => doubtful.push(format!("{name} {value}")),
            Evidence::Several => determined.push(format!("{name} {value}")),
        }
    }
    if determined.len() == NAMES.len() {
        return vec!["the answers determine all piece values".to_owned()];
    }
    if open.len() == NAMES.len() {
        return vec!["no piece value is determined: others may fit equally well".to_owned()];
    }
    let rest = if doubtful.len() == 1 {
        " rests on one answer: if that answer is wrong, so is the value"
    } else {
        " rest on one answer each: if that answer is wrong, so is the value"
    };
    let parts = [
        ("the answers determine ", &*determined, ""),
        ("", &*doubtful, rest),
        ("other values of ", &*open, " may fit equally well"),
    ];
    parts
        .into_iter()
        .filter(|(_, list, _)| !list.is_empty())
        .map(|(before, list, after)| [before, &enumerated(list), after].concat())
        .collect()
}

/// A list in a sentence.
fn enumerated(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => [&first.join(", "), " and ", last].concat(),
        _ => words.concat(),
    }
}

/// How surely the answers determine each value of one rule set.
fn evidence_of(answers: &[Answer], rules: &Rules) -> [Evidence; 5] {
    let cases = cases(rules, answers);
    let all: Vec<&Case> = cases.iter().collect();
    let table = rules.values.to_array();
    let gains = exact_gains(&cases, &table);
    let solved = solved(&gains, None);
    // Which values are still determined if any gain that only one answer tells is unknown.
    let mut are_firm = [true; 5];
    for (lone, _) in gains.iter().filter(|(_, answers)| *answers == 1) {
        let without = self::solved(&gains, Some(lone));
        for (is_firm, is_solved) in are_firm.iter_mut().zip(without) {
            *is_firm &= is_solved;
        }
    }
    core::array::from_fn(|piece| match lead(&all, table, piece) {
        lead if lead < 1 || !solved[piece] => Evidence::None,
        1 => Evidence::OneAnswer,
        _ if are_firm[piece] => Evidence::Several,
        _ => Evidence::OneAnswer,
    })
}

/// How many more answers agree with the piece's value in the table than with the best other value.
fn lead(cases: &[&Case], table: Table, piece: usize) -> isize {
    let (own, others): (Vec<Stretch>, Vec<_>) = agreement(cases, table, piece)
        .into_iter()
        .partition(|stretch| stretch.first == table[piece]);
    let Some(own) = own.first() else {
        return 0;
    };
    let with_other = others.iter().map(|stretch| stretch.agreed).max();
    own.agreed - with_other.unwrap_or(0)
}

/// The gains whose sizes the right answers tell exactly, each once, and how many tell it: those of
/// values, and of two thresholds of one exchange next to each other, of which the SEE reaches one.
fn exact_gains(cases: &[Case], table: &Table) -> Vec<(Table, isize)> {
    let mut gains: Vec<(Table, isize)> = Vec::new();
    let mut add = |case: &Case, answers: isize| {
        let Some(gain) = exact_gain(case, table) else {
            return;
        };
        match gains.iter_mut().find(|(known, _)| *known == gain) {
            Some((_, count)) => *count += answers,
            None => gains.push((gain, answers)),
        }
    };
    // The highest threshold that the SEE reaches, and the lowest that it does not.
    let mut thresholds: HashMap<&[Table], [Option<&Case>; 2]> = HashMap::new();
    for case in cases.iter().filter(|case| case.is_right(table)) {
        let Claim::AtLeast { threshold, holds } = case.said else {
            add(case, case.count);
            continue;
        };
        let [reached, missed] = thresholds.entry(&case.gains).or_default();
        let (nearest, is_nearer) = if holds {
            let before = reached.map(Case::number);
            (reached, before.is_none_or(|before| threshold > before))
        } else {
            let before = missed.map(Case::number);
            (missed, before.is_none_or(|before| threshold < before))
        };
        if is_nearer {
            *nearest = Some(case);
        }
    }
    for pair in thresholds.values() {
        if let [Some(reached), Some(missed)] = pair
            && reached.number() + 1 == missed.number()
        {
            add(reached, reached.count.min(missed.count));
        }
    }
    gains
}

/// The gain that is the SEE of an exchange, with the sign by which equal gains are equal; none where
/// several may be.
fn exact_gain(case: &Case, table: &Table) -> Option<Table> {
    let found = see(case.gains.iter().map(|gain| product(gain, table)));
    let signed = case.gains.iter().enumerate().map(|(ply, gain)| {
        let sign = if ply.is_multiple_of(2) { 1 } else { -1 };
        gain.map(|share| sign * share)
    });
    let mut equal = signed.filter(|gain| product(gain, table) == found);
    // If several gains are equal, it is open which one is the value.
    let first = equal.next()?;
    let first_share = first.iter().find(|share| **share != 0)?;
    let sign = first_share.signum();
    equal
        .all(|other| other == first)
        .then_some(first.map(|share| sign * share))
}

/// Which values these gains determine, all except one, if their sizes are known.
#[inline(never)] // for the size of the page's module
fn solved(gains: &[(Table, isize)], unknown: Option<&Table>) -> [bool; 5] {
    let mut equations = Equations::default();
    for (gain, _) in gains.iter().filter(|(gain, _)| Some(gain) != unknown) {
        equations.add(*gain);
    }
    equations.solved()
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
fn see(gains: impl DoubleEndedIterator<Item = i32>) -> i32 {
    gains.rfold(-INFINITE, |after, gain| gain.min(-after))
}

fn product(gain: &Table, table: &Table) -> i32 {
    gain.iter()
        .zip(table)
        .map(|(share, value)| share * value)
        .sum()
}

impl Case {
    /// The value or the threshold.
    const fn number(&self) -> i32 {
        match self.said {
            Claim::Value(threshold) | Claim::AtLeast { threshold, .. } => threshold,
        }
    }

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
    counted(answers, |answer| {
        let shares = units.map(|rules| {
            let trace = rules.trace(&answer.position, answer.capture);
            trace.gains().collect::<Vec<_>>()
        });
        let gains = (0..shares[0].len()).map(|i| shares.each_ref().map(|share| share[i]));
        gains.collect()
    })
}

/// The gains to each capture of an engine, from what each of them wins.
fn gains_of(engine: &FaultyEngine, answer: &Answer) -> Vec<Table> {
    let wins = engine.gains(&answer.position, answer.capture).into_iter();
    let gains = wins.scan([0; 5], |before, win| {
        let win = win.counts();
        *before = core::array::from_fn(|piece| win[piece] - before[piece]);
        Some(*before)
    });
    gains.collect()
}

/// Equal answers with their number.
fn counted(answers: &[Answer], gains: impl Fn(&Answer) -> Vec<Table>) -> Vec<Case> {
    let mut counts: HashMap<(Vec<Table>, Claim), isize> = HashMap::new();
    for answer in answers {
        *counts.entry((gains(answer), answer.said)).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|((gains, said), count)| Case { gains, said, count })
        .collect()
}

/// How many captures of a piece that nothing recaptures tell its value.
const FEWEST_LONE: isize = 3;

/// What captures that nothing recaptures say the pieces are worth, if nine in ten of them agree, and
/// the values are in order. Few faults touch these captures, while an engine that, say, never
/// recaptures is wrong so often that other values fit its answers better than its own.
fn values_by_lone_captures(cases: &[Case]) -> Option<PieceValues> {
    let mut table = [0; 5];
    for (piece, value) in table.iter_mut().enumerate() {
        let mut said: HashMap<i32, isize> = HashMap::new();
        for case in cases {
            if let ([gain], Claim::Value(value)) = (&case.gains[..], case.said)
                && *gain == with_value([0; 5], piece, 1)
            {
                *said.entry(value).or_default() += case.count;
            }
        }
        let all: isize = said.values().sum();
        let (most, agreed) = said.into_iter().max_by_key(|(_, count)| *count)?;
        if all < FEWEST_LONE || 10 * agreed < 9 * all {
            return None;
        }
        *value = most;
    }
    PieceValues::new(table).filter(|_| doubt(&table, 0) == 0)
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
    let candidates = agreement(cases, table, piece).into_iter().map(|stretch| {
        let value = table[piece].clamp(stretch.first, stretch.last);
        let credit = stretch.agreed - doubt(&with_value(table, piece, value), all);
        (credit, Reverse(table[piece].abs_diff(value)), value)
    });
    candidates.max().map_or(table[piece], |(_, _, value)| value)
}

fn with_value(mut table: Table, piece: usize, value: i32) -> Table {
    table[piece] = value;
    table
}

/// Values of a piece with which equally many answers agree, all of them in the same place among the
/// values of the table.
struct Stretch {
    first: i32,
    last: i32,
    agreed: isize,
}

/// With how many answers that depend on a piece type a table agrees, by the value of that piece, from
/// 1 to [`MAX_VALUE`]. The table's own value is a stretch of its own.
fn agreement(cases: &[&Case], table: Table, piece: usize) -> Vec<Stretch> {
    let with = |value: i32| with_value(table, piece, value);
    // How many more answers agree at a value than at the one below, and where a stretch begins.
    let mut changes = vec![0_isize; MAX_VALUE as usize + 1];
    let mut is_start = vec![false; MAX_VALUE as usize + 1];
    let starts = table.iter().flat_map(|value| [*value, value + 1]);
    for start in starts.chain([1]).filter(|&start| is_value(start)) {
        is_start[start.unsigned_abs() as usize] = true;
    }
    let mut turns = Vec::new();
    let depending = cases
        .iter()
        .filter(|case| case.gains.iter().any(|gain| gain[piece] != 0));
    for case in depending {
        let mut said = case.number().clamp(-INFINITE, INFINITE);
        turns.clear();
        turns.push(1);
        for gain in &case.gains {
            // An answer can change only where a gain, of either side, passes it.
            if gain[piece] != 0 {
                let turn = (said - product(gain, &with(0))) / gain[piece];
                turns.extend((turn - 1..=turn + 1).filter(|&turn| is_value(turn)));
            }
            said = -said;
        }
        turns.sort_unstable();
        let mut was = false;
        for &turn in &turns {
            let is = case.is_right(&with(turn));
            if is != was {
                let more = if is { case.count } else { -case.count };
                changes[turn.unsigned_abs() as usize] += more;
                is_start[turn.unsigned_abs() as usize] = true;
            }
            was = is;
        }
    }
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut agreed = 0;
    for first in (1..=MAX_VALUE).filter(|value| is_start[value.unsigned_abs() as usize]) {
        agreed += changes[first.unsigned_abs() as usize];
        if let Some(before) = stretches.last_mut() {
            before.last = first - 1;
        }
        stretches.push(Stretch {
            first,
            last: MAX_VALUE,
            agreed,
        });
    }
    stretches
}

/// Whether a piece can have this value.
fn is_value(value: i32) -> bool {
    (1..=MAX_VALUE).contains(&value)
}

//! Counting what a data set holds.

// bin numbers are small
#![allow(clippy::cast_possible_wrap)]

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::Result;
use super::job::Job;
use super::step::{Needs, Step, Task};
use super::summary::Summary;
use crate::backend::{Answers, Question};
use crate::formats::{Codec, RecordFields, VALUE_NONE};
use crate::{Evaluator, Rules, Verdict};

impl Job<'_> {
    /// Counts what the records hold.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind.
    pub fn count(self, rules: &Rules, evaluator: &Evaluator) -> Result<Summary> {
        self.run(CountTask(*rules), &[], Some(evaluator))
    }
}

pub(super) struct CountTask(pub Rules);

impl Task for CountTask {
    fn needs(&self) -> Needs {
        Needs {
            rules: Some(self.0),
            ..Needs::of("count")
        }
    }

    fn question<'a>(&self, _: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &step.decoded.positions,
            with_threat: false,
        }))
    }

    fn finish(&self, codec: &Codec, step: &mut Step, answers: &Answers) -> Result<()> {
        let (decoded, tally) = (&step.decoded, &mut step.done.tally);
        let none = || Counts::none(&self.0);
        let [counts, _] = &mut **tally.counts.get_or_insert_with(none);
        let judged = decoded.records.iter().zip(&answers.verdicts);
        for ((record, verdict), position) in judged.zip(&decoded.positions) {
            counts.add(position.occupied().count(), record, verdict);
        }
        if codec.format().units().is_some() {
            // Games and chains never span two parts.
            counts.units += decoded.units().count() as u64;
        }
        tally.records += decoded.records.len() as u64;
        Ok(())
    }

    fn sum_up(&self, summary: &mut Summary) {
        let counts = &mut summary.tally.counts;
        counts.get_or_insert_with(|| Counts::none(&self.0));
    }
}

pub(super) fn results_json([white, draw, black]: [u64; 3]) -> Value {
    json!({ "white": white, "draw": draw, "black": black })
}

/// Counts over records.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// All positions.
    pub positions: u64,
    /// Games or chains, where the format has any.
    pub units: u64,
    /// Positions in check.
    pub in_check: u64,
    /// Positions with a noisy move.
    pub noisy: u64,
    /// All their noisy moves.
    pub noisy_moves: u64,
    /// Positions with a noisy move that wins material.
    pub winning: u64,
    /// White won, drawn, Black won.
    pub outcomes: [u64; 3],
    /// Positions with a score, 32002 excepted.
    pub scored: u64,
    /// Positions whose score is 32002, no score.
    pub unscored: u64,
    /// Positions by number of pieces, up to 32.
    pub pieces: Vec<u64>,
    /// The SEE of the best noisy move.
    see: Histogram,
    /// The score of the side to move.
    scores: Histogram,
}

impl Counts {
    fn new(rules: &Rules) -> Counts {
        // One pawn a bin; 100 if a pawn is worth 50 or more.
        let pawn = rules.values.to_array()[0];
        let width = if pawn >= 50 { 100 } else { pawn };
        Counts {
            pieces: vec![0; 33],
            see: Histogram::new(width),
            scores: Histogram::new(200),
            ..Counts::default()
        }
    }

    /// Nothing counted yet, of the records read and of those kept.
    pub(super) fn none(rules: &Rules) -> Box<[Counts; 2]> {
        Box::new([Counts::new(rules), Counts::new(rules)])
    }

    pub(super) fn add(&mut self, pieces: usize, record: &RecordFields, verdict: &Verdict) {
        self.positions += 1;
        self.in_check += u64::from(verdict.in_check());
        self.noisy_moves += u64::from(verdict.noisy());
        if let Some(best) = verdict.best() {
            self.noisy += 1;
            self.winning += u64::from(best.see > 0);
            self.see.add(best.see);
        }
        if let Some(outcome) = record.outcome() {
            // Black won, drawn, White won.
            self.outcomes[2 - outcome as usize] += 1;
        }
        match record.score() {
            // Formats with White's score also flip the sign of 32002.
            Some(score) if score.abs() == i32::from(VALUE_NONE) => self.unscored += 1,
            Some(score) => {
                self.scored += 1;
                self.scores.add(score);
            }
            None => {}
        }
        self.pieces[pieces] += 1;
    }

    pub(super) fn add_all(&mut self, other: &Counts) {
        self.positions += other.positions;
        self.units += other.units;
        self.in_check += other.in_check;
        self.noisy += other.noisy;
        self.noisy_moves += other.noisy_moves;
        self.winning += other.winning;
        self.scored += other.scored;
        self.unscored += other.unscored;
        let sums = self.outcomes.iter_mut().chain(&mut self.pieces);
        for (sum, count) in sums.zip(other.outcomes.iter().chain(&other.pieces)) {
            *sum += count;
        }
        self.see.add_all(&other.see);
        self.scores.add_all(&other.scores);
    }

    /// The SEE of the best noisy moves: each bin's name and count.
    pub fn see_bars(&self) -> Vec<(String, u64)> {
        self.see.bars()
    }

    /// The scores of the side to move, likewise.
    pub fn score_bars(&self) -> Vec<(String, u64)> {
        self.scores.bars()
    }

    /// Piece counts in pairs, as bars.
    pub fn pieces_bars(&self) -> Vec<(String, u64)> {
        let count = |pieces: usize| self.pieces.get(pieces).copied().unwrap_or(0);
        let bar = |n| (format!("{n} .. {}", n + 1), count(n) + count(n + 1));
        let mut bars: Vec<_> = (2..32).step_by(2).map(bar).collect();
        bars.push(("32".to_owned(), count(32)));
        bars
    }

    /// Whether any record tells how its game ended.
    pub fn has_outcomes(&self) -> bool {
        self.outcomes != [0; 3]
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "positions": self.positions,
            "in_check": self.in_check,
            "with_noisy_move": self.noisy,
            "noisy_moves": self.noisy_moves,
            "winning": self.winning,
            "results": self.has_outcomes().then(|| results_json(self.outcomes)),
            "scored": self.scored,
            "no_score": self.unscored,
            "pieces": self.pieces,
            "best_see": self.see.to_json(),
            "scores": self.scores.to_json(),
        })
    }
}

/// Bins on either side of 0, including the open one at the end.
const SIDE: usize = 11;
const BINS: usize = 2 * SIDE + 1;

/// Counts values in bins of equal width; 0 has a bin of its own.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Histogram {
    width: i32,
    bins: [u64; BINS],
}

impl Histogram {
    fn new(width: i32) -> Histogram {
        Histogram {
            width: width.max(1),
            bins: [0; BINS],
        }
    }

    fn add(&mut self, value: i32) {
        self.bins[self.bin(value)] += 1;
    }

    fn bin(&self, value: i32) -> usize {
        let steps = (value.unsigned_abs().max(1) - 1) / self.width.unsigned_abs();
        let distance = (steps as usize + 1).min(SIDE);
        match value.signum() {
            0 => SIDE,
            1 => SIDE + distance,
            _ => SIDE - distance,
        }
    }

    fn add_all(&mut self, other: &Histogram) {
        for (sum, count) in self.bins.iter_mut().zip(other.bins) {
            *sum += count;
        }
    }

    /// The lowest and highest value of a bin; the last bins are open.
    fn ends(&self, bin: usize) -> [Option<i32>; 2] {
        let distance = bin.abs_diff(SIDE) as i32;
        let inner = (distance - 1) * self.width + 1;
        let outer = (distance < SIDE as i32).then_some(distance * self.width);
        match bin.cmp(&SIDE) {
            core::cmp::Ordering::Equal => [Some(0); 2],
            core::cmp::Ordering::Greater => [Some(inner), outer],
            core::cmp::Ordering::Less => [outer.map(|value| -value), Some(-inner)],
        }
    }

    fn bars(&self) -> Vec<(String, u64)> {
        let name = |bin| match self.ends(bin) {
            [Some(low), Some(high)] if low == high => low.to_string(),
            [Some(low), Some(high)] => format!("{low} .. {high}"),
            [Some(low), None] => format!("{low} and up"),
            [_, high] => format!("{} and below", high.unwrap_or_default()),
        };
        (0..BINS).map(|bin| (name(bin), self.bins[bin])).collect()
    }

    fn to_json(&self) -> Value {
        let bin = |bin| {
            let [from, to] = self.ends(bin);
            json!({ "from": from, "to": to, "count": self.bins[bin] })
        };
        (0..BINS).map(bin).collect()
    }
}

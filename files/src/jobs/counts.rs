//! Counts over records: of pieces, noisy moves, scores and results.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bands::Histogram;
use super::data::{Buckets, DataCounts};
use crate::formats::{RecordFields, VALUE_NONE};
use swaplist::{Rules, Verdict};

/// Whether this build can count what matters to training ([`DataCounts`]). The web page never asks
/// for it, and is smaller without it.
pub(super) const HAS_DATA: bool = cfg!(not(target_family = "wasm"));

pub(super) fn results_json([white, draw, black]: [u64; 3]) -> Value {
    json!({ "white": white, "draw": draw, "black": black })
}

/// Counts over the valid records of a file, or of several. Scores and SEEs are those of the side to
/// move.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// All positions, one for each valid record.
    pub positions: u64,
    /// Games or chains, where the format has any.
    pub units: u64,
    /// Positions whose side to move is in check.
    pub in_check: u64,
    /// Positions with a noisy move.
    pub noisy: u64,
    /// The noisy moves of all positions together.
    pub noisy_moves: u64,
    /// Positions with a noisy move that wins material.
    pub winning: u64,
    /// White won, drawn, Black won.
    pub outcomes: [u64; 3],
    /// Positions with a score, 32002 excepted.
    pub scored: u64,
    /// Positions whose score is 32002, no score.
    pub unscored: u64,
    /// Positions by number of pieces, from 0 to 32. It is a list since serde reads no array of 33.
    pub pieces: Vec<u64>,
    /// The SEE of the best noisy move.
    see: Histogram,
    /// The score of the side to move.
    scores: Histogram,
    /// What matters to training, if it was asked for.
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub data: Option<Box<DataCounts>>,
}

/// What a bar chart counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bars {
    /// The SEE of the best noisy moves.
    See,
    /// The scores of the side to move.
    Score,
    /// How many positions have 2 or 3 pieces, 4 or 5, and so on.
    Pieces,
    /// The positions in each output bucket of a trainer.
    Buckets(Buckets),
    /// The positions by half-moves since the start of the game; none if the
    /// [data](Counts::data) were not counted.
    Plies,
    /// The games or chains by their number of positions; none if the data were not counted.
    Lengths,
}

impl Counts {
    fn new(rules: &Rules) -> Counts {
        // A bin of SEEs is as wide as a pawn is worth, or 100 wide if that is 50 or more.
        let pawn = rules.values.to_array()[0];
        let width = if pawn >= 50 { 100 } else { pawn };
        Counts {
            pieces: vec![0; 33],
            see: Histogram::new(width),
            scores: Histogram::new(200),
            ..Counts::default()
        }
    }

    /// Two counts that are still zero: of the records read, and of those that a filter keeps.
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
            // The numbers of outcomes go from Black's win to White's.
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

    /// Adds other counts, which were made for the same rules: their bins are as wide.
    pub(super) fn add_all(&mut self, other: &Counts) {
        assert_eq!(self.pieces.len(), other.pieces.len(), "made by `new`");
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
        if let Some(of_other) = other.data.as_ref().filter(|_| HAS_DATA) {
            self.data.get_or_insert_default().add_all(of_other);
        }
    }

    /// Each bar's name and number of positions, or of games for [`Bars::Lengths`].
    pub fn bars(&self, of: Bars) -> Vec<(String, u64)> {
        let data = self.data.as_deref();
        match of {
            Bars::See => self.see.bars(),
            Bars::Score => self.scores.bars(),
            Bars::Pieces => self.pieces_bars(),
            Bars::Buckets(buckets) => buckets.bars(&self.pieces),
            Bars::Plies => data.map_or_else(Vec::new, DataCounts::plies_bars),
            Bars::Lengths => data.map_or_else(Vec::new, DataCounts::lengths_bars),
        }
    }

    /// How many positions have 2 or 3 pieces, 4 or 5, and so on: each bin's name and count.
    fn pieces_bars(&self) -> Vec<(String, u64)> {
        let count = |pieces: usize| self.pieces.get(pieces).copied().unwrap_or(0);
        let mut bars: Vec<_> = (2..32)
            .step_by(2)
            .map(|n| (format!("{n} .. {}", n + 1), count(n) + count(n + 1)))
            .collect();
        bars.push(("32".to_owned(), count(32)));
        bars
    }

    /// Whether any record tells how its game ended.
    pub(super) fn has_outcomes(&self) -> bool {
        self.outcomes != [0; 3]
    }

    /// The counts as a JSON object; `results` is null if no record tells how its game ended.
    pub(crate) fn to_json(&self) -> Value {
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

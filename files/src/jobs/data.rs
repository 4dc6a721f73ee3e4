//! What a training set holds besides its captures: how far the games are at each position, where
//! the kings stand, how the games ended by score, how long the games are, and how many positions
//! come more than once.

// shares are rounded, numbers of plies are small
#![allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)]

use core::ops::RangeInclusive;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shakmaty::Color;

use super::bands::{Bands, name};
use super::distinct::Sketch;
use crate::formats::fingerprint::{Fingerprints, Identity};
use crate::formats::{Format, Outcome, Record, RecordFields};
use swaplist::{Choice, Position};

/// Plies and lengths are counted one by one below these. Plies begin with 0 and lengths with 1, so
/// this makes the same number of bars for both.
const MOST_PLIES: usize = 400;
const MOST_LENGTH: usize = MOST_PLIES + 1;
/// How many plies or lengths make up a bar.
const A_BAR: usize = 20;

/// How many played captures it takes to tell whether data are minimised.
const MANY_CAPTURES: u64 = 1_000;

/// Bands of scores: half a pawn wide up to 20 pawns, which are 40, and one for all beyond.
const SCORES: Bands = Bands::new(50, 41);
/// Beyond this distance from 0, in bands, one row shows the rest.
const SHOWN: usize = 20;
/// Bands that a row shows together.
const A_ROW: usize = 2;

/// Counts for training, over the records of a file or of several; see
/// [`Options::data`](super::Options::data).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct DataCounts {
    /// Positions by half-moves since the start of the game, where the file tells them. The last
    /// number is that of all later ones.
    pub plies: Vec<u64>,
    /// Positions by the square of the king of the side to move, from a1 to h8 and seen from its own
    /// side: with Black to move, the board is turned upside down.
    pub kings: Vec<u64>,
    /// The square of the other side's king, seen from that side.
    pub other_kings: Vec<u64>,
    /// Games or chains by their number of positions, where the format has any. The last number is
    /// that of all longer ones.
    pub lengths: Vec<u64>,
    /// Positions with a score of 0 where the played move captures or the side to move is in check:
    /// in minimised data that is no score.
    pub placeholders: u64,
    /// Positions with a score whose played move captures, and those of them whose score is 0.
    pub scored_and_zero_captures: [u64; 2],
    /// The fewest and the most positions of a game or chain.
    pub shortest_and_longest: Option<[u64; 2]>,
    /// Positions with a castling right that standard chess does not have: the king is not on e1 or
    /// e8, or the rook is not in a corner. 0 where the format holds no castling rights.
    pub chess960: u64,
    /// The side to move won, drew, lost, for each band of its score.
    results: Vec<[u64; 3]>,
    positions: Sketch,
    placements: Sketch,
    /// How positions were compared: more than one way if the formats of the files differ.
    views: BTreeSet<[bool; 2]>,
}

/// A band of scores, and how the games of its positions ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoreBand {
    /// Its scores, such as `1 .. 100`.
    pub name: String,
    /// The side to move won, drew, lost.
    pub results: [u64; 3],
    /// The number of positions in the band, whatever the result.
    pub positions: u64,
    /// What the side to move scored on average: 1 for a win, half for a draw.
    pub expected: f64,
}

/// How output buckets are chosen by the number of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buckets {
    /// bullet's `MaterialCount<8>`: (pieces - 2) / 4.
    Bullet,
    /// nnue-pytorch's and Stockfish's layer stacks: (pieces - 1) / 4.
    NnuePytorch,
}

impl Choice for Buckets {
    const ALL: &'static [Buckets] = &[Buckets::Bullet, Buckets::NnuePytorch];

    fn name(self) -> &'static str {
        match self {
            Buckets::Bullet => "bullet",
            Buckets::NnuePytorch => "nnue-pytorch",
        }
    }
}

impl Buckets {
    /// The number of output buckets, the same for both trainers.
    const COUNT: usize = 8;

    /// The fewest pieces of bucket 0, kings counted; the next bucket begins four pieces later.
    const fn first(self) -> usize {
        match self {
            Buckets::Bullet => 2,
            Buckets::NnuePytorch => 1,
        }
    }

    /// The bucket of a position with so many pieces.
    const fn for_pieces(self, pieces: usize) -> usize {
        let bucket = pieces.saturating_sub(self.first()) / 4;
        if bucket < Buckets::COUNT {
            bucket
        } else {
            Buckets::COUNT - 1
        }
    }

    /// The numbers of pieces of the positions in a bucket.
    fn pieces(self, bucket: usize) -> RangeInclusive<usize> {
        let fewest = self.first() + 4 * bucket;
        fewest.max(2)..=(fewest + 3).min(32)
    }

    /// The name of each bucket and its number of positions. `pieces` has the number of positions
    /// for each number of pieces.
    pub(super) fn bars(self, pieces: &[u64]) -> Vec<(String, u64)> {
        let mut bars: Vec<(String, u64)> = Vec::new();
        for bucket in 0..Buckets::COUNT {
            let pieces = self.pieces(bucket);
            let name = format!("{bucket}: {} .. {} pieces", pieces.start(), pieces.end());
            bars.push((name, 0));
        }
        for (count, positions) in pieces.iter().enumerate() {
            bars[self.for_pieces(count)].1 += positions;
        }
        bars
    }
}

/// What tells positions and placements of a format apart.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    positions: Fingerprints,
    placements: Fingerprints,
}

impl Comparison {
    pub fn new(format: Format) -> Comparison {
        Comparison {
            positions: Fingerprints::new(Identity::Position, format),
            placements: Fingerprints::new(Identity::Placement, format),
        }
    }

    /// Whether castling rights are needed.
    pub fn needs_state(self) -> bool {
        self.positions.needs_state()
    }
}

impl Default for DataCounts {
    fn default() -> DataCounts {
        DataCounts {
            plies: vec![0; MOST_PLIES + 1],
            kings: vec![0; 64],
            other_kings: vec![0; 64],
            lengths: vec![0; MOST_LENGTH + 1],
            placeholders: 0,
            scored_and_zero_captures: [0; 2],
            shortest_and_longest: None,
            chess960: 0,
            results: vec![[0; 3]; SCORES.count()],
            positions: Sketch::default(),
            placements: Sketch::default(),
            views: BTreeSet::new(),
        }
    }
}

/// The square of a side's king, as that side sees it.
fn king_square(position: &Position, side: Color) -> usize {
    let square = position.king_of(side) as usize;
    if side.is_white() { square } else { square ^ 56 }
}

/// The slot of the result for the side to move: won, drew, lost.
fn result_of(outcome: Outcome, turn: Color) -> usize {
    match (outcome, turn) {
        (Outcome::Draw, _) => 1,
        (Outcome::White, Color::White) | (Outcome::Black, Color::Black) => 0,
        _ => 2,
    }
}

impl DataCounts {
    /// Adds a record, with castling rights if the comparison [needs](Comparison::needs_state) them.
    pub(super) fn add(&mut self, record: &Record, comparison: Comparison) {
        let position = &record.position;
        let fields = &record.fields;
        let turn = position.turn();
        if let Some(ply) = fields.ply() {
            self.plies[(ply as usize).min(MOST_PLIES)] += 1;
        }
        self.kings[king_square(position, turn)] += 1;
        self.other_kings[king_square(position, !turn)] += 1;
        if let (Some(score), Some(outcome)) = (fields.score(), fields.outcome())
            && !fields.is_unscored()
        {
            self.results[SCORES.of(score)][result_of(outcome, turn)] += 1;
        }
        self.placeholders += u64::from(fields.is_placeholder(position));
        if let Some(score) = fields.score().filter(|_| !fields.is_unscored())
            && fields.captures(position)
        {
            self.scored_and_zero_captures[0] += 1;
            self.scored_and_zero_captures[1] += u64::from(score == 0);
        }
        self.chess960 += u64::from(record.castles_as_in_chess960());
        // The number of distinct records is an estimate anyway, so half of a fingerprint is enough.
        self.positions.add(comparison.positions.of(record) as u64);
        self.placements.add(comparison.placements.of(record) as u64);
    }

    /// Notes how the positions that were added are compared.
    pub(super) fn compared_by(&mut self, comparison: Comparison) {
        self.views.insert(comparison.positions.view());
    }

    /// Adds a game or chain.
    pub(super) fn add_unit(&mut self, records: &[RecordFields]) {
        let length = records.len();
        self.lengths[length.min(MOST_LENGTH)] += 1;
        self.add_ends([length as u64; 2]);
    }

    /// Whether the data look minimised: of 1,000 or more played captures nearly all have the
    /// score 0. En-passant captures may keep theirs.
    pub(crate) fn is_minimised(&self) -> bool {
        let [scored, zero] = self.scored_and_zero_captures;
        scored >= MANY_CAPTURES && 100 * zero >= 99 * scored
    }

    fn add_ends(&mut self, [shortest, longest]: [u64; 2]) {
        let ends = self.shortest_and_longest.get_or_insert([shortest, longest]);
        ends[0] = ends[0].min(shortest);
        ends[1] = ends[1].max(longest);
    }

    pub(super) fn add_all(&mut self, other: &DataCounts) {
        for (sums, counts) in [
            (&mut self.plies, &other.plies),
            (&mut self.kings, &other.kings),
            (&mut self.other_kings, &other.other_kings),
            (&mut self.lengths, &other.lengths),
        ] {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        self.placeholders += other.placeholders;
        let captures = other.scored_and_zero_captures;
        for (sum, count) in self.scored_and_zero_captures.iter_mut().zip(captures) {
            *sum += count;
        }
        if let Some(ends) = other.shortest_and_longest {
            self.add_ends(ends);
        }
        self.chess960 += other.chess960;
        for (sums, results) in self.results.iter_mut().zip(&other.results) {
            for (sum, result) in sums.iter_mut().zip(results) {
                *sum += result;
            }
        }
        self.positions.add_all(&other.positions);
        self.placements.add_all(&other.placements);
        self.views.extend(&other.views);
    }

    /// Keeps of what tells positions apart only how many there are. Nothing may be added
    /// afterwards.
    pub(super) fn settle(&mut self) {
        self.positions.settle();
        self.placements.settle();
    }

    /// About how many different positions there are: of the same pieces, side to move, castling
    /// rights, and en-passant square if a capture on it is legal, as far as the format holds these.
    pub fn distinct_positions(&self) -> u64 {
        self.positions.estimate().min(self.all())
    }

    /// About how many different placements of pieces there are, whoever moves.
    pub(crate) fn distinct_placements(&self) -> u64 {
        // There cannot be more placements than positions, but the estimates could say so.
        self.placements.estimate().min(self.distinct_positions())
    }

    /// The standard error of these two numbers, relative to them.
    pub(crate) fn standard_error() -> f64 {
        Sketch::standard_error()
    }

    /// Whether the files hold different fields, so that equal positions of two files may count as
    /// different ones.
    pub(crate) fn compares_unlike(&self) -> bool {
        self.views.len() > 1
    }

    /// All positions.
    fn all(&self) -> u64 {
        self.kings.iter().sum()
    }

    /// Positions by half-moves, as bars.
    pub(super) fn plies_bars(&self) -> Vec<(String, u64)> {
        bars(&self.plies, 0)
    }

    /// Games or chains by their number of positions, as bars.
    pub(super) fn lengths_bars(&self) -> Vec<(String, u64)> {
        bars(&self.lengths, 1)
    }

    /// How games ended, by the score of the side to move, from the lowest band of scores up.
    pub fn score_bands(&self) -> Vec<ScoreBand> {
        // The band of score 0, with as many on either side.
        let middle = SCORES.count() / 2;
        let mut starts = vec![0];
        starts.extend((middle - SHOWN..middle).step_by(A_ROW));
        starts.push(middle);
        // The last one begins the row of all higher scores.
        starts.extend((middle + 1..=middle + 1 + SHOWN).step_by(A_ROW));
        self.bands_from(&starts)
    }

    /// The same in seven bands, few enough to be the columns of a table of files.
    pub fn wide_score_bands(&self) -> Vec<ScoreBand> {
        let middle = SCORES.count() / 2;
        // How many bands there are from 1 to a pawn, and to four.
        let [pawn, four_pawns] = [100, 400].map(|score| SCORES.of(score) - middle);
        let below = [0, middle - four_pawns, middle - pawn, middle];
        let above = [0, pawn, four_pawns].map(|bands| middle + 1 + bands);
        self.bands_from(&[&below[..], &above].concat())
    }

    /// Bands that begin where these do.
    fn bands_from(&self, starts: &[usize]) -> Vec<ScoreBand> {
        let rows = starts.iter().enumerate();
        rows.map(|(row, &start)| {
            let end = starts.get(row + 1).copied().unwrap_or(self.results.len());
            let [low, _] = SCORES.ends(start);
            let [_, high] = SCORES.ends(end - 1);
            let mut results = [0; 3];
            for of_band in &self.results[start..end] {
                for (sum, count) in results.iter_mut().zip(of_band) {
                    *sum += count;
                }
            }
            let [won, drawn, _] = results;
            let positions = results.iter().sum();
            ScoreBand {
                name: name([low, high]),
                results,
                positions,
                expected: (won as f64 + drawn as f64 / 2.0) / (positions as f64).max(1.0),
            }
        })
        .collect()
    }

    /// As JSON; `pieces` are the positions by number of pieces, `units` the name of games or
    /// chains.
    pub(super) fn to_json(&self, pieces: &[u64], units: Option<&str>) -> Value {
        let mut buckets = serde_json::Map::new();
        for &kind in Buckets::ALL {
            let bars = kind.bars(pieces).into_iter();
            let positions: Vec<u64> = bars.map(|(_, positions)| positions).collect();
            buckets.insert(kind.name().to_owned(), json!(positions));
        }
        let mut results = Vec::new();
        for (band, [won, drawn, lost]) in self.results.iter().enumerate() {
            let [from, to] = SCORES.ends(band);
            results
                .push(json!({ "from": from, "to": to, "won": won, "drawn": drawn, "lost": lost }));
        }
        let all = self.all();
        let distinct =
            |distinct: u64| json!({ "distinct": distinct, "duplicates": all - distinct });
        let lengths = units.map(|name| {
            json!({
                "of": name,
                "shortest": self.shortest_and_longest.map(|ends| ends[0]),
                "longest": self.shortest_and_longest.map(|ends| ends[1]),
                "counts": self.lengths,
            })
        });
        json!({
            "plies": self.plies,
            "kings": self.kings,
            "other_kings": self.other_kings,
            "output_buckets": buckets,
            "results_by_score": results,
            "placeholders": {
                "positions": self.placeholders,
                "scored_captures": self.scored_and_zero_captures[0],
                "captures_with_score_0": self.scored_and_zero_captures[1],
                "is_minimised": self.is_minimised(),
            },
            "chess960": self.chess960,
            "lengths": lengths,
            "duplicates": {
                "standard_error": Sketch::standard_error(),
                "positions": distinct(self.distinct_positions()),
                "placements": distinct(self.distinct_placements()),
                "compares_unlike_formats": self.compares_unlike(),
            },
        })
    }
}

/// Counts from `first` on as bars of 20; the last count is that of everything from its place on.
fn bars(counts: &[u64], first: usize) -> Vec<(String, u64)> {
    let last = counts.len() - 1;
    let mut bars = Vec::new();
    for start in (first..last).step_by(A_BAR) {
        let end = (start + A_BAR).min(last);
        let ends = [start, end - 1].map(|end| Some(end as i64));
        bars.push((name(ends), counts[start..end].iter().sum()));
    }
    bars.push((name([Some(last as i64), None]), counts[last]));
    bars
}

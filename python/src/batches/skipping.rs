//! Positions skipped at random, by the options of nnue-pytorch's loader and with their names.
//!
//! What each option does follows nnue-pytorch's commit 9f72946. There, each thread draws from a
//! generator of its own. Here, a draw is a hash of the epoch, the position's place and the option,
//! so that an epoch can be repeated. If any option is on, that loader also skips scores of 0 that
//! it takes for placeholders: [`DecidedZeros`](swaplist_files::filter::DecidedZeros) finds them.

// Plies and pieces are small numbers.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use swaplist::{PieceValues, Position};
use swaplist_files::formats::{Outcome, RecordFields};

use crate::arguments::Argument;

/// The options, with what is computed of them once.
pub struct Skipping {
    /// Skips captures and checks.
    filtered: bool,
    /// Skips by how improbable the game's result is with this score at this ply.
    wld_filtered: bool,
    /// The probability of skipping any position.
    random: f64,
    /// The last ply that is skipped; -1 for none.
    early: i64,
    /// The probabilities of keeping the first plies.
    soft_early: Vec<f64>,
    /// Positions whose material is closer to even are skipped.
    simple_eval: i32,
    /// The wanted share of positions by their number of pieces.
    by_pieces: Option<[f64; 33]>,
}

impl<'py> Argument<'py> for Skipping {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Skipping> {
        Skipping::new(&Bound::from_python(name, value)?)
    }
}

/// What a number is drawn for: draws for one record must be independent.
#[derive(Clone, Copy)]
pub enum Purpose {
    Random = 1,
    Result,
    Early,
    /// The curve of pieces, see [`Curve::takes`].
    Pieces,
}

impl Skipping {
    /// Reads options by their names; those that are not named are off.
    pub fn new(options: &Bound<'_, PyDict>) -> PyResult<Skipping> {
        let number = |name: &str, otherwise: f64| {
            let Some(value) = options.get_item(name)? else {
                return Ok(otherwise);
            };
            let number: f64 = value.extract()?;
            if number.is_finite() {
                Ok(number)
            } else {
                let message = format!("skipping: {name}: expected a number, not {number}");
                Err(PyValueError::new_err(message))
            }
        };
        let flag = |name: &str| {
            let value = options.get_item(name)?;
            value.map_or(Ok(false), |value| value.extract())
        };
        let whole = |name: &str, otherwise: i64| {
            let value = options.get_item(name)?;
            value.map_or(Ok(otherwise), |value| value.extract::<i64>())
        };
        let random = whole("random_fen_skipping", 0)?.clamp(0, 1 << 50) as f64;
        let soft = whole("soft_early_fen_skipping", 0)?.clamp(0, 1 << 14);
        let points = [
            (number("ply_x1", 0.0)?, number("ply_y1", 0.1)?),
            (number("ply_x2", 6.0)?, number("ply_y2", 0.15)?),
            (number("ply_x3", 10.0)?, number("ply_y3", 0.25)?),
            (number("ply_x4", 18.0)?, number("ply_y4", 0.75)?),
            (soft as f64, 1.0),
        ];
        let mut knots = [
            ("pc_y0", 0.0),
            ("pc_y1", 0.4),
            ("pc_y2", 1.0),
            ("pc_y3", 1.0),
            ("pc_y4", 0.75),
        ];
        let mut has_knots = false;
        for (name, height) in &mut knots {
            has_knots |= options.contains(*name)?;
            *height = number(name, *height)?;
        }
        let heights = knots.map(|(_, height)| height);
        let simple_eval = whole("simple_eval_skipping", -1)?.clamp(-1, 1 << 20);
        Ok(Skipping {
            filtered: flag("filtered")?,
            wld_filtered: flag("wld_filtered")?,
            random: random / (random + 1.0),
            early: whole("early_fen_skipping", -1)?,
            soft_early: (0..soft)
                .map(|ply| on_line(&points, ply as f64).clamp(0.0, 1.0))
                .collect(),
            simple_eval: simple_eval as i32,
            by_pieces: has_knots.then(|| wanted(&heights)),
        })
    }

    /// Whether the options skip at random, so that each epoch skips other positions.
    pub fn is_random(&self) -> bool {
        let is_drawn = self.random > 0.0 || self.wld_filtered || self.by_pieces.is_some();
        is_drawn || !self.soft_early.is_empty()
    }

    /// Whether any option is on. Then zeros in decided games are skipped, too.
    pub fn is_on(&self) -> bool {
        let is_fixed = self.filtered || self.early >= 0 || self.simple_eval > 0;
        is_fixed || self.is_random()
    }

    /// The curve of pieces at the start of a pass, if there is one.
    pub fn curve(&self) -> Option<Curve> {
        self.by_pieces.as_ref().map(Curve::new)
    }

    /// Whether a position is skipped, apart from the curve of pieces. `draw` gives a number in
    /// `0.0..1.0` for a purpose.
    ///
    /// # Errors
    ///
    /// Names the option and what it needs, if the record lacks that; the caller adds the record's
    /// place.
    pub fn skips(
        &self,
        position: &Position,
        record: &RecordFields,
        draw: impl Fn(Purpose) -> f64,
    ) -> Result<bool, String> {
        let happens = |purpose: Purpose, chance: f64| draw(purpose) < chance;
        let ply = |name: &str| {
            let ply = record.ply().map(i64::from);
            ply.ok_or_else(|| format!("{name} needs the ply"))
        };
        if self.early >= 0 && ply("early_fen_skipping")? <= self.early {
            return Ok(true);
        }
        if self.random > 0.0 && happens(Purpose::Random, self.random) {
            return Ok(true);
        }
        if self.filtered {
            let to = record.played().ok_or("filtered needs the move")?.to();
            let turn = position.turn();
            let taken = position.piece_at(to);
            if taken.is_some_and(|piece| piece.color != turn) || position.in_check() {
                return Ok(true);
            }
        }
        if self.wld_filtered {
            let chance = of_result(position, record, ply("wld_filtered")?);
            if happens(Purpose::Result, 1.0 - chance) {
                return Ok(true);
            }
        }
        if self.simple_eval > 0 && material(position).abs() < self.simple_eval {
            return Ok(true);
        }
        if !self.soft_early.is_empty() {
            let number = usize::try_from(ply("soft_early_fen_skipping")?).ok();
            let kept = number.and_then(|ply| self.soft_early.get(ply));
            if kept.is_some_and(|kept| happens(Purpose::Early, 1.0 - kept)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The height at x of a line through points; the line is level before the first and after the last.
fn on_line(points: &[(f64, f64)], x: f64) -> f64 {
    let Some(after) = points.iter().position(|point| x <= point.0) else {
        return points.last().map_or(1.0, |last| last.1);
    };
    let (x1, y1) = points[after];
    if after == 0 {
        return y1;
    }
    let (x0, y0) = points[after - 1];
    if x1 > x0 {
        y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    } else {
        y0
    }
}

/// The wanted weight of 0 to 32 pieces: a cubic Hermite curve through knots at 0, 8, 16, 24 and 32,
/// whose slope at a knot is that from the knot before to the one after.
fn wanted(knots: &[f64; 5]) -> [f64; 33] {
    let slope = |knot: usize| {
        let before = knot.saturating_sub(1);
        let after = (knot + 1).min(4);
        (knots[after] - knots[before]) / (after - before) as f64
    };
    let weights: [f64; 33] = std::array::from_fn(|pieces| {
        let knot = (pieces / 8).min(3);
        let t = pieces as f64 / 8.0 - knot as f64;
        let start = knots[knot];
        let end = knots[knot + 1];
        let leaving = slope(knot);
        let arriving = slope(knot + 1);
        let share = t * t * (3.0 - 2.0 * t);
        let bend = leaving * t * (1.0 - t).powi(2) - arriving * t * t * (1.0 - t);
        (start + (end - start) * share + bend).max(0.0)
    });
    if weights.iter().sum::<f64>() > 0.0 {
        weights
    } else {
        [1.0; 33]
    }
}

/// The probability that the game ended as it did, given the score and the ply, by a fit to
/// Stockfish's games.
fn of_result(position: &Position, record: &RecordFields, ply: i64) -> f64 {
    // Coefficients, that of the lowest power last.
    const CENTRE: [f64; 4] = [-3.683_893_04, 30.070_659_21, -60.528_787_23, 149.533_785_57];
    const WIDTH: [f64; 4] = [-2.018_185_7, 15.856_850_38, -29.834_520_23, 47.590_788_27];
    let phase = ply.min(240) as f64 / 64.0;
    let of = |powers: [f64; 4]| powers.iter().fold(0.0, |sum, factor| sum * phase + factor);
    let centre = of(CENTRE);
    let width = of(WIDTH) * 1.5;
    let centipawns = 100.0 * f64::from(record.score().unwrap_or_default()) / 208.0;
    let score = centipawns.clamp(-2000.0, 2000.0);
    let above = |score: f64| 1.0 / (1.0 + f64::exp((centre - score) / width));
    let won = above(score);
    let lost = above(-score);
    let white = match record.outcome() {
        Some(Outcome::White) => 1,
        Some(Outcome::Black) => -1,
        _ => return 1.0 - won - lost,
    };
    if position.turn().fold_wb(white, -white) > 0 {
        won
    } else {
        lost
    }
}

/// The side to move's material less the other's, by Stockfish's piece values.
fn material(position: &Position) -> i32 {
    let [bit0, bit1, bit2, black] = position.planes();
    let values = PieceValues::STOCKFISH.to_array();
    let balance: i32 = (1..)
        .zip(values)
        .map(|(code, value)| {
            let plane = |plane: u64, bit: u64| if code & bit != 0 { plane } else { !plane };
            let pieces = plane(bit0, 1) & plane(bit1, 2) & plane(bit2, 4);
            let count = |pieces: u64| pieces.count_ones().cast_signed();
            value * (count(pieces & !black) - count(pieces & black))
        })
        .sum();
    position.turn().fold_wb(balance, -balance)
}

/// Keeps positions so that their numbers of pieces come nearer to what is wanted. It learns how
/// many of each there are from those that come to it, from the start of the epoch.
pub struct Curve {
    wanted: [f64; 33],
    total_wanted: f64,
    /// How many positions have come, by their pieces; the past is halved now and then.
    seen: [f64; 33],
    total: f64,
    steps: u64,
    /// A factor, such that positions with the most frequent numbers of pieces are skipped at the
    /// rate [`Curve::MOST_SKIPPED`].
    scale: f64,
}

/// What a [`Curve`] has learnt. Its numbers are stored by their bits, so exactly.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CurveState {
    seen: Vec<u64>,
    total: u64,
    steps: u64,
    scale: u64,
}

impl Curve {
    /// The share of positions that is skipped of the most frequent numbers of pieces.
    const MOST_SKIPPED: f64 = 0.975;

    fn new(wanted: &[f64; 33]) -> Curve {
        Curve {
            wanted: *wanted,
            total_wanted: wanted.iter().sum(),
            seen: [0.0; 33],
            total: 0.0,
            steps: 0,
            scale: 1.0,
        }
    }

    /// What it has learnt.
    pub fn state(&self) -> CurveState {
        CurveState {
            seen: self.seen.iter().map(|seen| seen.to_bits()).collect(),
            total: self.total.to_bits(),
            steps: self.steps,
            scale: self.scale.to_bits(),
        }
    }

    /// The curve after it has learnt what the state tells.
    pub fn at(mut self, state: Option<&CurveState>) -> Curve {
        if let Some(state) = state {
            for (seen, bits) in self.seen.iter_mut().zip(&state.seen) {
                *seen = f64::from_bits(*bits);
            }
            self.total = f64::from_bits(state.total);
            self.steps = state.steps;
            self.scale = f64::from_bits(state.scale);
        }
        self
    }

    /// How much more frequent a number of pieces is wanted than it is.
    fn lack(&self, pieces: usize) -> Option<f64> {
        let wanted = self.wanted[pieces];
        let seen = self.seen[pieces];
        let is_known = wanted > 0.0 && seen > 0.0;
        is_known.then(|| self.total * wanted / (self.total_wanted * seen))
    }

    /// Whether the next position is kept, given its number of pieces and a draw.
    pub fn takes(&mut self, pieces: usize, draw: f64) -> bool {
        let pieces = pieces.min(32);
        self.seen[pieces] += 1.0;
        self.total += 1.0;
        self.steps += 1;
        let is_whole = self.steps.is_multiple_of(10_000);
        if is_whole || [100, 500, 1000, 2500, 5000].contains(&self.steps) {
            let lacks = (0..33).filter_map(|pieces| self.lack(pieces));
            let least = lacks.fold(f64::INFINITY, f64::min);
            if least.is_finite() && least > 0.0 {
                self.scale = (1.0 - Curve::MOST_SKIPPED) / least;
            }
            if is_whole {
                self.seen = self.seen.map(|seen| seen / 2.0);
                self.total /= 2.0;
            }
        }
        let kept = self.lack(pieces).map_or(0.0, |lack| self.scale * lack);
        draw < kept
    }
}

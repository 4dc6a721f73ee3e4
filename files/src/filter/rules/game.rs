//! Rules about the game's result, and random rules.

use super::super::{DecidedZeros, Probability, Settings, WdlModel, material};
use super::{LooksAt, Quantity, Rule, Test, View};
use crate::formats::{Field, Outcome, RecordFields};
use crate::random::{fraction, mixed};
use swaplist::{PackedMove, Position};

pub const EVAL_INCORRECTNESS: Rule = Rule {
    name: "eval_incorrectness",
    label: "score against the result",
    needs: &[Field::Score, Field::Result],
    of: |settings, _| {
        let max = settings
            .max_eval_incorrectness
            .filter(|&max| max < u32::MAX)?;
        let words = format!(
            "the game was drawn and the score is more than {max} from 0, or it was won and the \
             winner's score is below -{max}"
        );
        let test = Test::new(words, LooksAt::Board, move |seen| {
            let score_and_outcome = white_score(seen).zip(seen.record.outcome());
            let wrong = score_and_outcome.map(|(score, outcome)| match outcome {
                Outcome::Draw => score.unsigned_abs(),
                Outcome::White => score.min(0).unsigned_abs(),
                Outcome::Black => score.max(0).unsigned_abs(),
            });
            wrong.is_some_and(|wrong| wrong > max)
        });
        Some(test.keeping(Quantity::Incorrectness, 0..=max.into()))
    },
};

/// viridithas's rule about games that begin with one side far ahead.
pub const OPENING_SCORE: Rule = Rule {
    name: "opening_score",
    label: "the game's first score too far from 0",
    needs: &[Field::Score],
    of: |settings, _| {
        let max = settings.max_opening_eval.filter(|&max| max < u32::MAX)?;
        let words = format!(
            "the score of the first record of its game or chain is more than {max} centipawns \
             from 0"
        );
        let test = Test::over_all(words, LooksAt::Record, move |input, why| {
            input.drop_units(why, |first| {
                first
                    .score()
                    .is_some_and(|score| score.unsigned_abs() > max)
            });
        });
        Some(test.keeping(Quantity::OpeningScore, 0..=max.into()))
    },
};

/// What nnue-pytorch's loader takes for zeros that stand for no score.
pub const DECIDED_ZERO: Rule = Rule {
    name: "decided_zero",
    label: "0 after a score far from 0 in a decided game",
    // It needs no field: where there is no score or result, there is no such zero.
    needs: &[],
    of: |settings, _| {
        let words = format!(
            "the score is 0, the game was not drawn, and its score before was more than {} from 0",
            DecidedZeros::FAR
        );
        (settings.drop_decided_zeros == Some(true)).then(|| {
            Test::over_all(words, LooksAt::Record, |input, why| {
                let mut zeros = DecidedZeros::default();
                for (reason, record) in input.reasons.iter_mut().zip(input.records) {
                    // The next records depend on this one, whatever rule drops it.
                    if zeros.has_next(record) && reason.is_none() {
                        *reason = Some(why);
                    }
                }
            })
            .keeping(Quantity::DecidedZero, 0..=0)
        })
    },
};

/// The score from White's view.
fn white_score(seen: &View<'_>) -> Option<i32> {
    let score = seen.record.score()?;
    let turn = seen.position?.turn();
    Some(turn.fold_wb(score, score.saturating_neg()))
}

pub const WDL: Rule = Rule {
    name: "wdl",
    label: "skipped by the WDL model",
    needs: &[Field::Score, Field::Result],
    of: |settings, _| {
        let model = settings.wdl_model()?;
        let of_defaults = "kept with the probability that the game's result has with this score, by \
                           viriformat's WDL model";
        let words = if model == WdlModel::default() {
            of_defaults.to_owned()
        } else {
            format!("{of_defaults} with {model:?}")
        };
        Some(draw(
            settings,
            Purpose::Wdl,
            &words,
            Chance::OfKeeping,
            move |seen: &View<'_>| {
                let material = material(seen.position?);
                let score = white_score(seen)?;
                Some(model.probability(material, score, seen.record.outcome()?))
            },
        ))
    },
};

pub const MATERIAL_COUNT: Rule = Rule {
    name: "material_count",
    label: "skipped by the number of pieces",
    needs: &[],
    of: |settings, _| {
        let is_on = settings.material_count_filtered == Some(true);
        let probabilities = settings.material_count_probabilities;
        let table = is_on.then(|| probabilities.unwrap_or([Probability::default(); 33]))?;
        let numbers = table.map(|skip| skip.get().to_string()).join(", ");
        let words = format!("with these probabilities for 0 to 32 pieces on the board: {numbers}");
        Some(draw(
            settings,
            Purpose::MaterialCount,
            &words,
            Chance::OfDropping,
            move |seen: &View<'_>| Some(table.get(seen.pieces() as usize)?.get()),
        ))
    },
};

pub const RANDOM_SKIP: Rule = Rule {
    name: "random_skip",
    label: "skipped at random",
    needs: &[],
    of: |settings, _| {
        let is_on = settings.random_fen_skipping == Some(true);
        if !is_on {
            return None;
        }
        let probability = settings.random_fen_skip_probability.unwrap_or_default();
        let words = format!("with probability {}", probability.get());
        Some(draw(
            settings,
            Purpose::RandomSkip,
            &words,
            Chance::OfDropping,
            move |_: &View<'_>| Some(probability.get()),
        ))
    },
};

pub const THINNED: Rule = Rule {
    name: "thinned",
    label: "thinned out",
    needs: &[],
    of: |settings, _| {
        let fraction = settings.keep_fraction?.get();
        let words = format!("kept with probability {fraction}");
        Some(draw(
            settings,
            Purpose::KeepFraction,
            &words,
            Chance::OfKeeping,
            move |_: &View<'_>| Some(fraction),
        ))
    },
};

/// What has the probability of a draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chance {
    OfDropping,
    OfKeeping,
}

/// Drops records by a probability, which is that of `chance`. Records without one are kept.
fn draw(
    settings: &Settings,
    purpose: Purpose,
    words: &str,
    chance: Chance,
    probability: impl Fn(&View<'_>) -> Option<f64> + Send + Sync + 'static,
) -> Test {
    let seed = settings.seed.unwrap_or(0);
    let words = format!("a draw (seed {seed}) says so: {words}");
    Test::new(words, LooksAt::Board, move |seen| {
        seen.position
            .zip(probability(seen))
            .is_some_and(|(position, probability)| {
                let happens = happens(probability, seed, purpose, position, seen.record);
                happens == (chance == Chance::OfDropping)
            })
    })
}

/// The use of a draw; draws for one record must be independent.
#[derive(Clone, Copy)]
enum Purpose {
    Wdl = 1,
    MaterialCount,
    RandomSkip,
    KeepFraction,
}

/// True with the given probability: always for 1, never for 0.
///
/// The result must not depend on the number of threads or the size of blocks. So each draw is a
/// hash of the seed and the record. The record's place in the file is included, so that equal
/// positions are drawn independently.
fn happens(
    probability: f64,
    seed: u64,
    purpose: Purpose,
    position: &Position,
    record: &RecordFields,
) -> bool {
    let place = record.place().number();
    // In some formats all positions of a chain or game have the same place.
    let ply = record.ply().map_or(u64::MAX, u64::from);
    let played = record
        .played()
        .map_or(u64::MAX, |played: PackedMove| played.to_bits().into());
    let [a, b, c, d] = position.planes();
    let hash = [purpose as u64, place, a, b, c, d, played, ply]
        .into_iter()
        .fold(mixed(seed), |hash, word| mixed(hash ^ word));
    fraction(hash) < probability
}

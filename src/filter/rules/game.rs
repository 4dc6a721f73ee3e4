//! Rules about the game's result, and random rules.

use super::super::draw::{self, Purpose};
use super::super::rule::{LooksAt, Rule, Test, View};
use super::super::{Probability, Settings, WdlModel, material};
use crate::formats::{Field, Outcome};

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
        Some(Test::new(words, LooksAt::Board, move |seen| {
            let wrong = white_score(seen).zip(seen.record.outcome());
            let wrong = wrong.map(|(score, outcome)| match outcome {
                Outcome::Draw => score.unsigned_abs(),
                Outcome::White => score.min(0).unsigned_abs(),
                Outcome::Black => score.max(0).unsigned_abs(),
            });
            wrong.is_some_and(|wrong| wrong > max)
        }))
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
        let words = "kept with the probability that the game's result has with this score, by \
                     viriformat's WDL model";
        let words = if model == WdlModel::default() {
            words.to_owned()
        } else {
            format!("{words} with {model:?}")
        };
        let keep = move |seen: &View<'_>| {
            let (material, score) = (material(seen.position?), white_score(seen)?);
            Some(model.probability(material, score, seen.record.outcome()?))
        };
        Some(draw(settings, Purpose::Wdl, &words, false, keep))
    },
};

pub const MATERIAL_COUNT: Rule = Rule {
    name: "material_count",
    label: "skipped by the number of pieces",
    needs: &[],
    of: |settings, _| {
        let is_on = settings.material_count_filtered == Some(true);
        let given = settings.material_count_probabilities;
        let table = is_on.then(|| given.unwrap_or([Probability::default(); 33]))?;
        let numbers = table.map(|skip| skip.get().to_string()).join(", ");
        let words = format!("with these probabilities for 0 to 32 pieces on the board: {numbers}");
        let skip = move |seen: &View<'_>| Some(table.get(seen.pieces() as usize)?.get());
        Some(draw(settings, Purpose::MaterialCount, &words, true, skip))
    },
};

pub const RANDOM_SKIP: Rule = Rule {
    name: "random_skip",
    label: "skipped at random",
    needs: &[],
    of: |settings, _| {
        let is_on = settings.random_fen_skipping == Some(true);
        let skip = is_on.then(|| {
            settings
                .random_fen_skip_probability
                .unwrap_or_default()
                .get()
        })?;
        let words = format!("with probability {skip}");
        let skip = move |_: &View<'_>| Some(skip);
        Some(draw(settings, Purpose::RandomSkip, &words, true, skip))
    },
};

pub const THINNED: Rule = Rule {
    name: "thinned",
    label: "thinned out",
    needs: &[],
    of: |settings, _| {
        let keep = settings.keep_fraction?.get();
        let words = format!("kept with probability {keep}");
        let keep = move |_: &View<'_>| Some(keep);
        Some(draw(settings, Purpose::KeepFraction, &words, false, keep))
    },
};

/// Drops records by the chance to drop them, or else to keep them; without a chance they are kept.
fn draw(
    settings: &Settings,
    purpose: Purpose,
    words: &str,
    is_to_drop: bool,
    chance: impl Fn(&View<'_>) -> Option<f64> + Send + Sync + 'static,
) -> Test {
    let seed = settings.seed.unwrap_or(0);
    let words = format!("a draw (seed {seed}) says so: {words}");
    Test::new(words, LooksAt::Board, move |seen| {
        seen.position
            .zip(chance(seen))
            .is_some_and(|(position, chance)| {
                is_to_drop == draw::happens(chance, seed, purpose, position, seen.record)
            })
    })
}

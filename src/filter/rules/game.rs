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
        Some(draw(settings, Purpose::Wdl, &words, move |seen| {
            let (material, score) = (material(seen.position?), white_score(seen)?);
            let kept = model.probability(material, score, seen.record.outcome()?);
            Some(Chance::ToKeep(kept))
        }))
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
        Some(draw(
            settings,
            Purpose::MaterialCount,
            &words,
            move |seen| {
                let skipped = table.get(seen.pieces() as usize)?;
                Some(Chance::ToDrop(skipped.get()))
            },
        ))
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
        Some(draw(settings, Purpose::RandomSkip, &words, move |_| {
            Some(Chance::ToDrop(skip))
        }))
    },
};

pub const THINNED: Rule = Rule {
    name: "thinned",
    label: "thinned out",
    needs: &[],
    of: |settings, _| {
        let keep = settings.keep_fraction?.get();
        let words = format!("kept with probability {keep}");
        Some(draw(settings, Purpose::KeepFraction, &words, move |_| {
            Some(Chance::ToKeep(keep))
        }))
    },
};

enum Chance {
    ToKeep(f64),
    ToDrop(f64),
}

/// Drops records by chance; without a chance they are kept.
fn draw(
    settings: &Settings,
    purpose: Purpose,
    words: &str,
    chance: impl Fn(&View<'_>) -> Option<Chance> + Send + Sync + 'static,
) -> Test {
    let seed = settings.seed.unwrap_or(0);
    let words = format!("a draw (seed {seed}) says so: {words}");
    Test::new(words, LooksAt::Board, move |seen| {
        let Some((position, chance)) = seen.position.zip(chance(seen)) else {
            return false;
        };
        let happens = |chance| draw::happens(chance, seed, purpose, position, seen.record);
        match chance {
            Chance::ToKeep(chance) => !happens(chance),
            Chance::ToDrop(chance) => happens(chance),
        }
    })
}

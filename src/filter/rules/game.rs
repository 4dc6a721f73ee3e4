//! Rules about the game's result, and random rules.

use super::super::draw::{self, Purpose};
use super::super::keys::{Key, Kind};
use super::super::rule::{Rule, Screen, Screening, pieces};
use super::super::value::Value;
use super::super::{WdlModel, material};
use crate::Position;
use crate::formats::{Outcome, Part, Record};

pub const EVAL_INCORRECTNESS: Rule = Rule {
    name: "eval_incorrectness",
    label: "score against the result",
    needs: &[Part::Score, Part::Result],
    keys: &[Key::own(
        "max_eval_incorrectness",
        Kind::count("centipawns"),
        |value, setting| {
            let max = setting.int().filter(|&max| max < u32::MAX.into());
            Value::bound(value, |range| range.1 = max.unwrap_or(i64::MAX));
        },
    )],
    words: |value, _| {
        let (_, max) = value.range();
        format!(
            "the game was drawn and the score is more than {max} from 0, or it was won and the \
             winner's score is below -{max}"
        )
    },
    screen: Screen::Board(|value, screening| {
        let (_, max) = value.range();
        screening.drop_where(|position, record| {
            let wrong = white_score(position, record).zip(record.outcome());
            let wrong = wrong.map(|(score, outcome)| match outcome {
                Outcome::Draw => score.unsigned_abs(),
                Outcome::White => score.min(0).unsigned_abs(),
                Outcome::Black => score.max(0).unsigned_abs(),
            });
            wrong.is_some_and(|wrong| i64::from(wrong) > max)
        });
    }),
};

/// The score from White's view.
fn white_score(position: &Position, record: &Record) -> Option<i32> {
    let score = record.score()?;
    Some(position.turn().fold_wb(score, score.saturating_neg()))
}

pub const WDL: Rule = Rule {
    name: "wdl",
    label: "skipped by the WDL model",
    needs: &[Part::Score, Part::Result],
    keys: &[
        Key::own("wdl_filtered", Kind::Bool, |value, setting| {
            let model = || value.take().unwrap_or(Value::Model(WdlModel::default()));
            *value = setting.is_true().then(model);
        }),
        Key::own("wdl_model_params_a", Kind::Numbers(4), |value, setting| {
            model(value, |model| setting.copy_to(&mut model.params_a));
        }),
        Key::own("wdl_model_params_b", Kind::Numbers(4), |value, setting| {
            model(value, |model| setting.copy_to(&mut model.params_b));
        }),
        Key::own("material_min", Kind::count("points"), |value, setting| {
            model(value, |model| model.material_min = setting.count());
        }),
        Key::own("material_max", Kind::count("points"), |value, setting| {
            model(value, |model| model.material_max = setting.count());
        }),
        Key::own(
            "mom_target",
            Kind::Whole(1, u32::MAX as i64, "points"),
            |value, setting| {
                model(value, |model| model.mom_target = setting.count());
            },
        ),
        Key::own("wdl_heuristic_scale", Kind::Factor, |value, setting| {
            model(value, |model| model.heuristic_scale = setting.number());
        }),
    ],
    words: |_, seed| {
        format!(
            "a draw (seed {seed}) says so: kept with the probability that the game's result has \
             with this score, by viriformat's WDL model"
        )
    },
    screen: Screen::Board(|value, screening| {
        let Value::Model(model) = value else { return };
        draw(screening, Purpose::Wdl, |position, record| {
            let score = white_score(position, record)?;
            let kept = model.probability(material(position), score, record.outcome()?);
            Some(Chance::ToKeep(kept))
        });
    }),
};

/// Changes the model, if the rule is on.
fn model(value: &mut Option<Value>, change: impl FnOnce(&mut WdlModel)) {
    if let Some(Value::Model(model)) = value {
        change(model);
    }
}

pub const MATERIAL_COUNT: Rule = Rule {
    name: "material_count",
    label: "skipped by the number of pieces",
    needs: &[],
    keys: &[
        Key::own("material_count_filtered", Kind::Bool, |value, setting| {
            let table = || value.take().unwrap_or(Value::Table(Box::new([0.0; 33])));
            *value = setting.is_true().then(table);
        }),
        Key::own(
            "material_count_probabilities",
            Kind::Probabilities(33),
            |value, setting| {
                if let Some(Value::Table(table)) = value {
                    setting.copy_to(&mut **table);
                }
            },
        ),
    ],
    words: |_, seed| format!("a draw (seed {seed}) says so, by the number of pieces on the board"),
    screen: Screen::Board(|value, screening| {
        let Value::Table(table) = value else { return };
        draw(screening, Purpose::MaterialCount, |position, _| {
            let skipped = table.get(pieces(position) as usize);
            skipped.copied().map(Chance::ToDrop)
        });
    }),
};

pub const RANDOM_SKIP: Rule = Rule {
    name: "random_skip",
    label: "skipped at random",
    needs: &[],
    keys: &[
        Key::own("random_fen_skipping", Kind::Bool, |value, setting| {
            let skip = || value.take().unwrap_or(Value::Probability(0.0));
            *value = setting.is_true().then(skip);
        }),
        Key::own(
            "random_fen_skip_probability",
            Kind::Probability,
            |value, setting| {
                if value.is_some() {
                    *value = Some(Value::Probability(setting.number()));
                }
            },
        ),
    ],
    words: |value, seed| {
        let skip = probability(value);
        format!("a draw (seed {seed}) says so, with probability {skip}")
    },
    screen: Screen::Board(|value, screening| {
        let skip = probability(value);
        draw(screening, Purpose::RandomSkip, |_, _| {
            Some(Chance::ToDrop(skip))
        });
    }),
};

pub const THINNED: Rule = Rule {
    name: "thinned",
    label: "thinned out",
    needs: &[],
    keys: &[
        Key::own("keep_fraction", Kind::Probability, |value, setting| {
            *value = Some(Value::Probability(setting.number()));
        })
        .flag(
            "Keep a record with this probability, drawn from the seed and the record (what it \
               holds and where it begins in the file, so that equal positions are drawn apart): \
               the same ones for any number of threads, others if the data are in another format",
        ),
    ],
    words: |value, seed| {
        let keep = probability(value);
        format!("a draw (seed {seed}) says so: kept with probability {keep}")
    },
    screen: Screen::Board(|value, screening| {
        let keep = probability(value);
        draw(screening, Purpose::KeepFraction, |_, _| {
            Some(Chance::ToKeep(keep))
        });
    }),
};

fn probability(value: &Value) -> f64 {
    match *value {
        Value::Probability(probability) => probability,
        _ => 1.0,
    }
}

/// The probability of keeping or dropping.
enum Chance {
    ToKeep(f64),
    ToDrop(f64),
}

/// Drops records by chance; without a chance they are kept.
fn draw(
    screening: &mut Screening<'_>,
    purpose: Purpose,
    chance: impl Fn(&Position, &Record) -> Option<Chance>,
) {
    let seed = screening.seed;
    screening.drop_where(|position, record| {
        let happens = |chance| draw::happens(chance, seed, purpose, position, record);
        match chance(position, record) {
            Some(Chance::ToKeep(chance)) => !happens(chance),
            Some(Chance::ToDrop(chance)) => happens(chance),
            None => false,
        }
    });
}

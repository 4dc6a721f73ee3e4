//! What changes a filter: the keys of a TOML file, or the flags of a command.

use core::{fmt, str::FromStr};

use super::{Filter, PlayedRules, Preset, WdlModel};

#[cfg(feature = "cli")]
mod toml;

/// A bound that can be lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit<T> {
    /// No bound.
    None,
    /// This bound.
    At(T),
}

impl<T> Limit<T> {
    fn bound(self) -> Option<T> {
        match self {
            Limit::None => None,
            Limit::At(bound) => Some(bound),
        }
    }
}

/// A number, or `none`.
impl<T: FromStr> FromStr for Limit<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit<T>, String> {
        match text {
            "none" => Ok(Limit::None),
            _ => match text.parse() {
                Ok(bound) => Ok(Limit::At(bound)),
                Err(_) => Err("expected a whole number or 'none'".to_owned()),
            },
        }
    }
}

/// Changes to a filter; what is `None` stays as it is.
///
/// The first keys are swaplist's own. The others are those of viriformat's
/// `Filter`, with its meanings: a file written for viridithas is taken verbatim, and
/// starts from viriformat's defaults, as it does there.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "cli",
    derive(serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[allow(missing_docs)] // the fields of `Filter`, and viriformat's
pub struct Settings {
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::preset"))]
    pub preset: Option<Preset>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub max_see: Option<Limit<i32>>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub max_threat: Option<Limit<i32>>,
    pub keep_checks: Option<bool>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::played"))]
    pub played: Option<PlayedRules>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub min_played_see: Option<Limit<i32>>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub max_played_see: Option<Limit<i32>>,
    pub drop_unscored: Option<bool>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub max_score: Option<Limit<u32>>,
    pub min_ply: Option<u32>,
    pub min_pieces: Option<u32>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::limit"))]
    pub max_pieces: Option<Limit<u32>>,
    pub keep_fraction: Option<f64>,
    pub seed: Option<u64>,
    pub invert: Option<bool>,

    pub max_eval: Option<u32>,
    pub filter_tactical: Option<bool>,
    pub filter_check: Option<bool>,
    pub filter_castling: Option<bool>,
    pub max_eval_incorrectness: Option<u32>,
    pub random_fen_skipping: Option<bool>,
    pub random_fen_skip_probability: Option<f64>,
    pub wdl_filtered: Option<bool>,
    pub wdl_model_params_a: Option<[f64; 4]>,
    pub wdl_model_params_b: Option<[f64; 4]>,
    pub material_min: Option<u32>,
    pub material_max: Option<u32>,
    pub mom_target: Option<u32>,
    pub wdl_heuristic_scale: Option<f64>,
    pub material_count_filtered: Option<bool>,
    #[cfg_attr(feature = "cli", serde(deserialize_with = "toml::table"))]
    pub material_count_probabilities: Option<[f64; 33]>,
}

impl Settings {
    /// The preset to start from: the one named, else viriformat's defaults if there
    /// are keys that only viriformat has, or none that it has not, else
    /// [`Preset::Quiet`].
    #[must_use]
    pub fn base(&self) -> Preset {
        let shared = Settings {
            min_ply: self.min_ply,
            min_pieces: self.min_pieces,
            ..Settings::default()
        };
        let viriformat = Settings {
            max_eval: self.max_eval,
            filter_tactical: self.filter_tactical,
            filter_check: self.filter_check,
            filter_castling: self.filter_castling,
            max_eval_incorrectness: self.max_eval_incorrectness,
            random_fen_skipping: self.random_fen_skipping,
            random_fen_skip_probability: self.random_fen_skip_probability,
            wdl_filtered: self.wdl_filtered,
            wdl_model_params_a: self.wdl_model_params_a,
            wdl_model_params_b: self.wdl_model_params_b,
            material_min: self.material_min,
            material_max: self.material_max,
            mom_target: self.mom_target,
            wdl_heuristic_scale: self.wdl_heuristic_scale,
            material_count_filtered: self.material_count_filtered,
            material_count_probabilities: self.material_count_probabilities,
            ..shared.clone()
        };
        let quiet = viriformat == shared && viriformat != *self || *self == Settings::default();
        self.preset.unwrap_or(if quiet {
            Preset::Quiet
        } else {
            Preset::Viriformat
        })
    }

    /// The filter that these settings make of their preset.
    ///
    /// # Errors
    ///
    /// As [`Settings::apply`].
    pub fn filter(&self) -> Result<Filter, SettingsError> {
        let mut filter = self.base().filter();
        self.apply(&mut filter)?;
        Ok(filter)
    }

    /// Changes a filter; the preset is not looked at.
    ///
    /// # Errors
    ///
    /// A [`SettingsError`] if values are out of range or contradict each other.
    pub fn apply(&self, filter: &mut Filter) -> Result<(), SettingsError> {
        self.check()?;
        self.apply_numbers(filter);
        if let Some(keep) = self.keep_checks {
            filter.keep_checks = keep;
        }
        if let Some(drop) = self.filter_check {
            filter.keep_checks = !drop;
        }
        filter.played = self.played_rules(filter.played);
        self.apply_draws(filter);
        if let Some(invert) = self.invert {
            filter.invert = invert;
        }
        Ok(())
    }

    fn apply_numbers(&self, filter: &mut Filter) {
        let limit = |setting: Option<Limit<i32>>, bound: &mut Option<i32>| {
            *bound = setting.map_or(*bound, Limit::bound);
        };
        limit(self.max_see, &mut filter.max_see);
        limit(self.max_threat, &mut filter.max_threat);
        limit(self.min_played_see, &mut filter.min_played_see);
        limit(self.max_played_see, &mut filter.max_played_see);
        filter.max_pieces = self.max_pieces.map_or(filter.max_pieces, Limit::bound);
        filter.min_pieces = self.min_pieces.unwrap_or(filter.min_pieces);
        filter.min_ply = self.min_ply.unwrap_or(filter.min_ply);
        filter.drop_unscored = self.drop_unscored.unwrap_or(filter.drop_unscored);
        if let Some(max) = self.max_eval {
            filter.max_score = (max < u32::MAX).then_some(i64::from(max) - 1);
        }
        if let Some(max) = self.max_score {
            filter.max_score = max.bound().map(i64::from);
        }
        if let Some(max) = self.max_eval_incorrectness {
            filter.max_eval_incorrectness = (max < u32::MAX).then_some(max);
        }
    }

    fn played_rules(&self, before: PlayedRules) -> PlayedRules {
        let mut rules = self.played.unwrap_or(before);
        for (setting, rule) in [
            (self.filter_tactical, PlayedRules::QUIET),
            (self.filter_castling, PlayedRules::NO_CASTLING),
        ] {
            match setting {
                Some(true) => rules = rules | rule,
                // What `played` asks for in the same place is meant.
                Some(false) if self.played.is_none() => rules = rules.without(rule),
                _ => {}
            }
        }
        rules
    }

    fn apply_draws(&self, filter: &mut Filter) {
        filter.seed = self.seed.unwrap_or(filter.seed);
        filter.keep_fraction = self.keep_fraction.or(filter.keep_fraction);
        let on = |setting: Option<bool>, before: bool| setting.unwrap_or(before);
        let skip = self
            .random_fen_skip_probability
            .or(filter.random_skip)
            .unwrap_or(0.0);
        filter.random_skip =
            on(self.random_fen_skipping, filter.random_skip.is_some()).then_some(skip);
        let table = self
            .material_count_probabilities
            .or(filter.material_count)
            .unwrap_or([0.0; 33]);
        filter.material_count = on(
            self.material_count_filtered,
            filter.material_count.is_some(),
        )
        .then_some(table);
        let model = self.model(filter.wdl_model.unwrap_or_default());
        filter.wdl_model = on(self.wdl_filtered, filter.wdl_model.is_some()).then_some(model);
    }

    fn model(&self, before: WdlModel) -> WdlModel {
        WdlModel {
            params_a: self.wdl_model_params_a.unwrap_or(before.params_a),
            params_b: self.wdl_model_params_b.unwrap_or(before.params_b),
            material_min: self.material_min.unwrap_or(before.material_min),
            material_max: self.material_max.unwrap_or(before.material_max),
            mom_target: self.mom_target.unwrap_or(before.mom_target),
            heuristic_scale: self.wdl_heuristic_scale.unwrap_or(before.heuristic_scale),
        }
    }

    fn check(&self) -> Result<(), SettingsError> {
        if self.keep_checks.is_some() && self.keep_checks == self.filter_check {
            return Err(SettingsError::Contradiction("keep_checks", "filter_check"));
        }
        if self.max_score.is_some() && self.max_eval.is_some() {
            return Err(SettingsError::Contradiction("max_score", "max_eval"));
        }
        let table = self.material_count_probabilities.into_iter().flatten();
        let table = table.map(|value| ("material_count_probabilities", value));
        let single = [
            ("keep_fraction", self.keep_fraction),
            (
                "random_fen_skip_probability",
                self.random_fen_skip_probability,
            ),
        ];
        let single = single
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        for (key, value) in single.chain(table) {
            if !(0.0..=1.0).contains(&value) {
                return Err(SettingsError::Probability { key, value });
            }
        }
        self.check_model()
    }

    fn check_model(&self) -> Result<(), SettingsError> {
        let model = self.model(WdlModel::default());
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        if model.material_min > model.material_max {
            Err(SettingsError::Contradiction("material_min", "material_max"))
        } else if model.mom_target == 0 {
            Err(SettingsError::Model("mom_target must not be 0"))
        } else if model.heuristic_scale == 0.0 || !model.heuristic_scale.is_finite() {
            Err(SettingsError::Model(
                "wdl_heuristic_scale must be a number other than 0",
            ))
        } else if !finite(&model.params_a) || !finite(&model.params_b) {
            Err(SettingsError::Model(
                "the WDL model's parameters must be finite",
            ))
        } else {
            Ok(())
        }
    }
}

/// Why settings make no filter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingsError {
    /// The text is no TOML, or its keys or values are not known.
    Toml {
        /// The line, the first being 1, if one is to blame.
        line: Option<usize>,
        /// What is wrong there.
        message: String,
    },
    /// Not a probability.
    Probability {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// Two keys that cannot both have the values they have.
    Contradiction(&'static str, &'static str),
    /// The parameters of the WDL model make no sense.
    Model(&'static str),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Toml {
                line: Some(line),
                message,
            } => write!(f, "line {line}: {message}"),
            SettingsError::Toml {
                line: None,
                message,
            } => f.write_str(message),
            SettingsError::Probability { key, value } => {
                write!(f, "{key} = {value} is no probability, expected 0 to 1")
            }
            SettingsError::Contradiction(one, other) => {
                write!(f, "{one} and {other} contradict each other")
            }
            SettingsError::Model(problem) => f.write_str(problem),
        }
    }
}

impl core::error::Error for SettingsError {}

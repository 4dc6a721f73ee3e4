//! Settings: what filters are made from, in Rust, TOML, JSON or flags.

use core::num::NonZeroU32;

use super::rules::PlayedRule;
use super::text::{self, FromText, Probability, SettingError};
use super::{Filter, Preset, WdlModel};
use swaplist::{Bounds, ParseError, PieceValues, Profile};

/// Declares [`Settings`] and what all settings have in common: a new one is a field here.
///
/// A bound is an `Option`, as `none` lifts the one of a preset. A lowest count needs none, since 0
/// lifts it.
macro_rules! settings {
    (
        flags { $($(#[doc = $help:literal])+ $flag:ident: $of_flag:ty,)+ }
        keys { $($(#[doc = $about:literal])+ $key:ident: $of_key:ty,)+ }
    ) => {
        /// Changes to a filter; what is `None` stays as it is.
        ///
        /// The first settings are swaplist's own, each also a flag of the command with `-` for
        /// `_`; `Some(None)` lifts the preset's bound. `profile` and `values` are those of the
        /// SEE. The others are those of viriformat's `Filter` and of viridithas's, with their
        /// meanings: a file written for viridithas works unchanged. A file with one of these starts
        /// from viriformat's defaults, unless it names a preset. A file with nothing but `min_ply`
        /// and `min_pieces` could be either's, and has to name one.
        ///
        /// ```
        /// use swaplist_files::filter::{Preset, Settings};
        ///
        /// let mut settings = Settings { preset: Some(Preset::None), ..Settings::default() };
        /// settings.max_see = Some(Some(100));
        /// settings.set("min_ply", "16")?;
        /// assert_eq!(settings.filter()?.bounds().see, Some(100));
        /// # Ok::<(), Box<dyn core::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[allow(clippy::option_option)] // unchanged, no bound, a bound
        pub struct Settings {
            $(
                $(#[doc = $help])+
                #[serde(deserialize_with = "text::deserialized")]
                pub $flag: Option<$of_flag>,
            )+
            $(
                $(#[doc = $about])+
                #[serde(deserialize_with = "text::deserialized")]
                pub $key: Option<$of_key>,
            )+
        }

        /// The settings that are flags of the command.
        pub const FLAGS: &[Flag] = &[$(Flag {
            name: stringify!($flag),
            help: concat!($($help),+).trim_ascii_start(),
            value_name: <$of_flag as FromText>::NAME,
            is_switch: <$of_flag as FromText>::IS_SWITCH,
        }),+];

        impl Settings {
            /// Changes nothing.
            pub(super) const NONE: Settings = Settings { $($flag: None,)+ $($key: None,)+ };

            /// Sets one from text.
            ///
            /// # Errors
            ///
            /// A [`SettingError`] for an unknown name, and for text that is not such a value.
            pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
                match name {
                    $(stringify!($flag) => self.$flag = Some(text::value(text)?),)+
                    $(stringify!($key) => self.$key = Some(text::value(text)?),)+
                    _ => {
                        return Err(SettingError {
                            reason: ParseError::new(format!("unknown field `{name}`")),
                            takes_none: false,
                        });
                    }
                }
                Ok(())
            }

            /// These settings, and for those that are `None` the others'.
            fn or(self, others: &Settings) -> Settings {
                Settings {
                    $($flag: self.$flag.or_else(|| others.$flag.clone()),)+
                    $($key: self.$key.or_else(|| others.$key.clone()),)+
                }
            }

            /// Whether something is set that only viriformat and viridithas have.
            fn has_viriformats(&self) -> bool {
                let own = Settings {
                    $($flag: self.$flag.clone(),)+
                    profile: self.profile,
                    values: self.values,
                    ..Settings::NONE
                };
                *self != own
            }
        }
    };
}

settings! {
    flags {
        /// Rules to start from: quiet, calm, still, played-calm, bullet, viriformat,
        /// nnue-pytorch, see-ge0 or none [default: quiet]; --explain prints them
        preset: Preset,
        /// Seed of the random rules [default: 0]
        seed: u64,
        /// Keep exactly what would be dropped
        invert: bool,
        /// Drop if fewer than N half-moves were made since the start of the game
        min_ply: u32,
        /// Drop if there are fewer than N pieces on the board, kings and pawns counted
        min_pieces: u32,
        /// Drop if there are more than N pieces on the board
        max_pieces: Option<i64>,
        /// Drop if there is no score, or 32002, which means none
        drop_unscored: bool,
        /// Drop if the score is further from 0 than N centipawns
        max_score: Option<i64>,
        /// Do not drop for a 0 in place of a score: where the played move captures, or the side to
        /// move is in check. Minimised data, such as binpacks named `.min`, have 0 there in place
        /// of every score
        keep_placeholders: bool,
        /// Drop if the score is 0, the game was not drawn, and its score before was more than 100
        /// from 0, as nnue-pytorch's loader does
        drop_decided_zeros: bool,
        /// Do not drop for being in check
        keep_checks: bool,
        /// Drop if the played move's SEE is below N, in the unit of the piece values
        min_played_see: Option<i32>,
        /// Drop if the played move's SEE is above N, in the unit of the piece values
        max_played_see: Option<i32>,
        /// Keep each record with this probability. The draw depends on the seed, on what the
        /// record holds and on where it begins in the file. So equal positions are drawn
        /// separately, any number of threads keeps the same records, and the same data in
        /// another format other ones
        keep_fraction: Probability,
        /// Drop if a noisy move's SEE is above N, in the unit of the piece values; 'none' lifts
        /// the preset's bound
        max_see: Option<i32>,
        /// Drop if the opponent, were it to move, had a noisy move with a SEE above N
        max_threat: Option<i32>,
        /// Drop if the opponent, were it to move, could win something on two squares
        drop_double_threat: bool,
        /// Drop if noisy moves in turn win something: at most N + 1 of them before SEE decides,
        /// and either side may stop; N is 0 to 3, 'none' lifts the preset's
        quiescence: Option<u8>,
        /// Drop by the played move: quiet (it captures or promotes), normal (or castles),
        /// no-captures, empty-target (as no-captures, en passant passes), no-promotions,
        /// no-castling, see-ge0 (it captures, and the score is 0 or its SEE at least 0), or
        /// any (never). Several with commas
        played: PlayedRule,
    }
    keys {
        /// The profile of the SEE's rules
        profile: Profile,
        /// The piece values of the SEE
        values: PieceValues,
        /// Drop if the score is at least so far from 0, in centipawns; 4294967295 for no bound
        max_eval: u32,
        /// Drop all of a game or chain if the score of its first record is further from 0, in
        /// centipawns; 4294967295 for no bound
        max_opening_eval: u32,
        /// Drop if the side to move is in check
        filter_check: bool,
        /// Drop if the played move captures or promotes
        filter_tactical: bool,
        /// Drop if the played move castles
        filter_castling: bool,
        /// Drop if the game was drawn and the score is further from 0, or it was won and the
        /// winner's score is further below 0, in centipawns; 4294967295 for no bound
        max_eval_incorrectness: u32,
        /// Drop at random by the WDL model
        wdl_filtered: bool,
        /// Of the WDL model: the score at which a win has probability 1/2, a polynomial of the
        /// material, highest power first
        wdl_model_params_a: [f64; 4],
        /// Of the WDL model: the scale of the win probability, likewise
        wdl_model_params_b: [f64; 4],
        /// Of the WDL model: less material counts as this much
        material_min: u32,
        /// Of the WDL model: more material counts as this much
        material_max: u32,
        /// Of the WDL model: the unit of material
        mom_target: NonZeroU32,
        /// Of the WDL model: a factor of the second polynomial, other than 0
        wdl_heuristic_scale: f64,
        /// Drop at random by the number of pieces
        material_count_filtered: bool,
        /// The probability of dropping for each number of pieces, 0 to 32
        material_count_probabilities: [Probability; 33],
        /// Drop at random
        random_fen_skipping: bool,
        /// The probability of dropping
        random_fen_skip_probability: Probability,
    }
}

/// The default of `max_eval` in viridithas, since 2025-10.
const VIRIDITHAS_MAX_EVAL: u32 = 20_000;

/// A setting that is a flag of the command.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// The name, with `_` between words.
    pub name: &'static str,
    /// What it does, in one sentence or several.
    pub help: &'static str,
    /// The value's placeholder in help texts.
    pub value_name: &'static str,
    /// Whether it may be given without a value, which means `true`.
    pub is_switch: bool,
}

impl Settings {
    /// The preset to start from: the one named; else viriformat's defaults if there is a
    /// setting that only viriformat has; else [`Preset::Quiet`].
    pub fn base(&self) -> Preset {
        self.preset.unwrap_or(if self.has_viriformats() {
            Preset::Viriformat
        } else {
            Preset::Quiet
        })
    }

    /// Whether nothing but `min_ply` and `min_pieces` is set, which viriformat has, too: such a
    /// file could start from either's defaults.
    fn is_ambiguous(&self) -> bool {
        let shared = Settings {
            min_ply: self.min_ply,
            min_pieces: self.min_pieces,
            ..Settings::NONE
        };
        *self == shared && shared != Settings::NONE
    }

    /// The filter: these settings applied to their [base](Settings::base).
    ///
    /// # Errors
    ///
    /// A [`ParseError`] if values contradict each other.
    pub fn filter(&self) -> Result<Filter, ParseError> {
        self.base().filter().changed(self)
    }

    /// These settings changed by others. Settings of viriformat are turned into swaplist's own ones
    /// of the same meaning, if there are any. Fails if changes contradict each other.
    pub(super) fn changed(&self, changes: &Settings) -> Result<Settings, ParseError> {
        changes.check()?;
        let mut changes = changes.clone();
        if let Some(eval) = changes.max_eval {
            // viriformat also drops a score equal to max_eval, which stays set: by it the rule
            // knows whether its words shall say "at least".
            changes.max_score = Some((eval < u32::MAX).then(|| i64::from(eval) - 1));
        }
        if let Some(drops) = changes.filter_check.take() {
            changes.keep_checks = Some(!drops);
        }
        let is_played_set = changes.played.is_some();
        for (switch, moves) in [
            (changes.filter_tactical.take(), PlayedRule::QUIET),
            (changes.filter_castling.take(), PlayedRule::NO_CASTLING),
        ] {
            // A switch adds its moves to those that `played` of the same settings drops, but does
            // not take them away from these.
            if let Some(drops) = switch.filter(|drops| *drops || !is_played_set) {
                let played = changes.played.or(self.played).unwrap_or_default();
                changes.played = Some(played.switched(moves, drops));
            }
        }
        let settings = changes.or(self);
        let least_pieces = settings.min_pieces.map(i64::from);
        let most_pieces = settings.max_pieces.flatten();
        let least_see = settings.min_played_see.flatten();
        let most_see = settings.max_played_see.flatten();
        let model = WdlModel::default();
        let least_material = settings.material_min.unwrap_or(model.material_min);
        let most_material = settings.material_max.unwrap_or(model.material_max);
        let message = if least_material > most_material {
            "material_min and material_max contradict each other"
        } else if most_pieces.is_some() && least_pieces > most_pieces {
            "min_pieces and max_pieces contradict each other"
        } else if most_see.is_some() && least_see > most_see {
            "min_played_see and max_played_see contradict each other"
        } else if least_pieces > Some(32) || most_pieces.is_some_and(|most| most < 2) {
            "a position has 2 to 32 pieces, so that these rules keep none"
        } else {
            return Ok(settings);
        };
        Err(ParseError::new(message))
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            see: self.max_see.flatten(),
            threat: self.max_threat.flatten(),
            double_threat: self.drop_double_threat == Some(true),
        }
    }

    fn check(&self) -> Result<(), ParseError> {
        let checks = self.keep_checks.zip(self.filter_check);
        let [one, other] = if checks.is_some_and(|(keep, drop)| keep == drop) {
            ["keep_checks", "filter_check"]
        } else if self.max_score.is_some() && self.max_eval.is_some() {
            ["max_score", "max_eval"]
        } else if self.wdl_heuristic_scale == Some(0.0) {
            let message = "wdl_heuristic_scale: 0, expected a number other than 0";
            return Err(ParseError::new(message));
        } else {
            return Ok(());
        };
        let message = format!("{one} and {other} contradict each other");
        Err(ParseError::new(message))
    }

    pub(super) fn wdl_model(&self) -> Option<WdlModel> {
        let model = WdlModel::default();
        (self.wdl_filtered == Some(true)).then(|| WdlModel {
            params_a: self.wdl_model_params_a.unwrap_or(model.params_a),
            params_b: self.wdl_model_params_b.unwrap_or(model.params_b),
            material_min: self.material_min.unwrap_or(model.material_min),
            material_max: self.material_max.unwrap_or(model.material_max),
            mom_target: self.mom_target.map_or(model.mom_target, NonZeroU32::get),
            heuristic_scale: self.wdl_heuristic_scale.unwrap_or(model.heuristic_scale),
        })
    }
}

impl Settings {
    /// Reads the settings of a TOML file. If it has `max_opening_eval`, which viriformat has not,
    /// it starts from viridithas's defaults: `max_eval` is 20,000.
    ///
    /// ```
    /// use swaplist_files::filter::Settings;
    ///
    /// let settings = Settings::from_toml("preset = 'none'\nmax_see = 100")?;
    /// assert_eq!(settings.filter()?.bounds().see, Some(100));
    /// assert!(Settings::from_toml("max_sea = 100").is_err());
    /// # Ok::<(), swaplist::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ParseError`] with the line and the key for invalid TOML, an unknown key, a value of
    /// the wrong kind, contradicting values, or a file that could be swaplist's or
    /// viriformat's.
    pub fn from_toml(text: &str) -> Result<Settings, ParseError> {
        let parsed = toml::Deserializer::parse(text);
        let deserialized = parsed.and_then(<Settings as serde::Deserialize>::deserialize);
        let settings = deserialized.map_err(|mut error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            error.set_input(None);
            let message: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
            ParseError::new(format!("line {line}: {}", message.join(", ")))
        })?;
        settings.check()?;
        if settings.is_ambiguous() {
            let message = "viriformat's files have min_ply and min_pieces too, and start from \
                           other rules; add preset = 'quiet' or preset = 'viriformat'";
            return Err(ParseError::new(message));
        }
        Ok(settings.with_viridithas_default())
    }

    /// Only viridithas of 2025-10 and later has `max_opening_eval`, and since then its `max_eval`
    /// is another one by default than viriformat's.
    fn with_viridithas_default(mut self) -> Settings {
        let names_other = self.preset.is_some() || self.max_score.is_some();
        if self.max_opening_eval.is_some() && !names_other {
            self.max_eval.get_or_insert(VIRIDITHAS_MAX_EVAL);
        }
        self
    }
}

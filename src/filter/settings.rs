//! Settings: changes to a filter, from TOML or flags.

use super::keys::{Key, SHARED, Set, Setting};
use super::preset::Preset;
use super::rules::{PLAYED, PLAYED_NAMES, RULES};
use super::value::Value;
use super::{Filter, WdlModel};
use crate::ParseError;

/// Changes to a filter: keys with values; other settings stay.
///
/// Some keys are swaplist's flags, with `_` for `-`. The others are those of viriformat's
/// `Filter`, with its meanings: a file written for viridithas works unchanged, and starts from
/// viriformat's defaults.
///
/// ```
/// use swaplist::filter::Settings;
///
/// let mut settings = Settings::default();
/// settings.set("preset", "none")?;
/// settings.set("max_see", 100)?;
/// assert_eq!(settings.filter()?.bounds().see, Some(100));
/// assert!(settings.set("max_sea", 100).is_err());
/// # Ok::<(), swaplist::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Vec<(&'static str, Setting)>);

impl Settings {
    /// Sets a key's value; the last call counts.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] for an unknown key or a value of the wrong kind.
    pub fn set(&mut self, name: &str, value: impl Into<Setting>) -> Result<(), ParseError> {
        let value = value.into();
        let Some(key) = Key::named(name) else {
            return Err(ParseError::new(format!("unknown field `{name}`")));
        };
        key.kind
            .check(&value)
            .map_err(|error| ParseError::new(format!("{name}: {error}")))?;
        self.0.retain(|&(other, _)| other != key.name);
        self.0.push((key.name, value));
        Ok(())
    }

    fn get(&self, name: &str) -> Option<&Setting> {
        let found = self.0.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value)
    }

    /// The preset to start from: the one named; else viriformat's defaults if there is a key
    /// that only viriformat has, or no key that only swaplist has; else [`Preset::Quiet`].
    #[must_use]
    pub fn base(&self) -> Preset {
        let shared = |name: &str| ["min_ply", "min_pieces"].contains(&name);
        let keys = || self.0.iter().filter_map(|(name, _)| Key::named(name));
        let is_own = |key: &Key| !key.help.is_empty() && !shared(key.name);
        let has_viriformats = keys().any(|key| key.help.is_empty() && key.name != "preset");
        match self.get("preset") {
            Some(Setting::Text(name)) => name.parse().unwrap_or_default(),
            _ if has_viriformats => Preset::Viriformat,
            _ if self.0.is_empty() || keys().any(is_own) => Preset::Quiet,
            _ => Preset::Viriformat,
        }
    }

    /// The filter: these settings applied to their preset.
    ///
    /// # Errors
    ///
    /// As for [`Settings::apply`].
    pub fn filter(&self) -> Result<Filter, ParseError> {
        let mut filter = self.base().filter();
        self.apply(&mut filter)?;
        Ok(filter)
    }

    /// Changes a filter; the setting `preset` is ignored.
    ///
    /// # Errors
    ///
    /// A [`ParseError`] if values contradict each other.
    pub fn apply(&self, filter: &mut Filter) -> Result<(), ParseError> {
        self.check()?;
        for key in Key::all() {
            let Some(value) = self.get(key.name) else {
                continue;
            };
            // `played` of the same settings takes precedence.
            let is_tactical = ["filter_tactical", "filter_castling"].contains(&key.name);
            if is_tactical && !value.is_true() && self.get("played").is_some() {
                continue;
            }
            match key.set {
                Set::Preset => {}
                Set::Seed => filter.seed = value.int().unwrap_or(0).cast_unsigned(),
                Set::Invert => filter.invert = value.is_true(),
                Set::Played => {
                    clear_played(filter);
                    value
                        .names()
                        .for_each(|name| set_played(filter, name, true));
                }
                Set::PlayedPart(name) => set_played(filter, name, value.is_true()),
                Set::Own(set) => {
                    let is_it = |other: &Key| other.name == key.name;
                    if let Some(rule) = RULES.iter().find(|rule| rule.keys.iter().any(is_it)) {
                        set(filter.value_of(rule.name), value);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), ParseError> {
        let [keep, drop] = ["keep_checks", "filter_check"].map(|name| self.get(name));
        let model = WdlModel::default();
        let points = |name, default| self.get(name).map_or(default, Setting::count);
        let least = points("material_min", model.material_min);
        let both = if keep.is_some() && keep == drop {
            ["keep_checks", "filter_check"]
        } else if self.get("max_score").is_some() && self.get("max_eval").is_some() {
            ["max_score", "max_eval"]
        } else if least > points("material_max", model.material_max) {
            ["material_min", "material_max"]
        } else {
            return Ok(());
        };
        let [one, other] = both;
        let message = format!("{one} and {other} contradict each other");
        Err(ParseError::new(message))
    }
}

/// Sets the rules about the played move of a name, without changing the others.
fn set_played(filter: &mut Filter, name: &str, on: bool) {
    let (rule, value) = match name {
        "no-captures" => ("played_capture", Value::On),
        // En passant leaves the target square empty.
        "empty-target" => ("played_capture", Value::Range(1, 1)),
        "no-promotions" => ("played_promotion", Value::On),
        "no-castling" => ("played_castling", Value::On),
        "see-ge0" => ("played_see_ge0", Value::On),
        _ => {
            let parts = PLAYED_NAMES.iter().find(|(known, _)| *known == name);
            let parts = parts.map_or(&[][..], |(_, parts)| parts);
            return parts.iter().for_each(|part| set_played(filter, part, on));
        }
    };
    let before = filter.value_of(rule);
    // The stricter of two capture rules wins.
    if on && *before != Some(Value::On) {
        *before = Some(value);
    } else if !on && *before == Some(value) {
        *before = None;
    }
}

fn clear_played(filter: &mut Filter) {
    for rule in ["capture", "promotion", "castling", "see_ge0"] {
        *filter.value_of(&format!("played_{rule}")) = None;
    }
}

impl Key {
    /// All keys, in the order in which they are applied.
    pub fn all() -> impl Iterator<Item = &'static Key> {
        SHARED
            .iter()
            .chain(RULES.iter().flat_map(|rule| rule.keys))
            .chain(&PLAYED)
    }

    /// The key of this name.
    fn named(name: &str) -> Option<&'static Key> {
        Key::all().find(|key| key.name == name)
    }
}

impl Preset {
    /// The preset's filter.
    #[must_use]
    #[allow(clippy::missing_panics_doc)] // its settings are constants, and tested
    pub fn filter(self) -> Filter {
        let mut filter = Filter::none();
        let mut settings = Settings::default();
        for &(key, value) in self.settings() {
            let value = Key::named(key).and_then(|key| key.parse(value).ok());
            let set = settings.set(key, value.expect("presets are under test"));
            set.expect("presets are under test");
        }
        settings.apply(&mut filter).expect("presets are under test");
        filter
    }
}

impl Default for Filter {
    /// [`Preset::Quiet`].
    fn default() -> Filter {
        Preset::Quiet.filter()
    }
}

//! Settings out of a TOML file.

use core::{fmt, str::FromStr};

use serde::de::{Deserialize, Deserializer, Error};
use toml::Value;

use super::{Limit, Settings, SettingsError};
use crate::filter::{PlayedRules, Preset};

impl Settings {
    /// The settings in a TOML file's text.
    ///
    /// ```
    /// use swaplist::filter::{Preset, Settings};
    ///
    /// let settings = Settings::from_toml("preset = 'none'\nmax_see = 100")?;
    /// assert_eq!(settings.filter()?.max_see, Some(100));
    /// assert!(Settings::from_toml("max_sea = 100").is_err());
    /// # Ok::<(), swaplist::filter::SettingsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SettingsError::Toml`] if the text is no TOML or holds an unknown key or a
    /// value of the wrong kind, or another one as [`Settings::apply`] does.
    pub fn from_toml(text: &str) -> Result<Settings, SettingsError> {
        let settings: Settings =
            toml::from_str(text).map_err(|error| SettingsError::from_toml(&error, text))?;
        settings.check()?;
        Ok(settings)
    }
}

impl SettingsError {
    fn from_toml(error: &toml::de::Error, text: &str) -> SettingsError {
        let before = error.span().and_then(|span| text.get(..span.start));
        SettingsError::Toml {
            line: before.map(|before| before.matches('\n').count() + 1),
            message: error.message().lines().collect::<Vec<_>>().join(", "),
        }
    }
}

/// A number, or `"none"`.
pub fn limit<'de, D, T>(deserializer: D) -> Result<Option<Limit<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    match Value::deserialize(deserializer)? {
        Value::Integer(number) => match T::try_from(number) {
            Ok(bound) => Ok(Some(Limit::At(bound))),
            Err(_) => Err(D::Error::custom(format!("{number} is out of range"))),
        },
        Value::String(text) if text == "none" => Ok(Some(Limit::None)),
        other => Err(unexpected(&other, "a whole number or \"none\"")),
    }
}

/// A name.
pub fn preset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Preset>, D::Error> {
    parse(&String::deserialize(deserializer)?).map(Some)
}

/// A name, names with commas between, or a list of names.
pub fn played<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PlayedRules>, D::Error> {
    let rules = match Value::deserialize(deserializer)? {
        Value::String(names) => parse(&names)?,
        Value::Array(names) => names.iter().try_fold(PlayedRules::ANY, |rules, name| {
            let name = name
                .as_str()
                .ok_or_else(|| unexpected(name, "the name of a rule"))?;
            Ok(rules | parse(name)?)
        })?,
        other => return Err(unexpected(&other, "a name or a list of names")),
    };
    Ok(Some(rules))
}

/// One number for each count of men from 0 to 32.
pub fn table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<[f64; 33]>, D::Error> {
    let values: Vec<f64> = Vec::deserialize(deserializer)?;
    let length = values.len();
    let table = values
        .try_into()
        .map_err(|_| D::Error::custom(format!("{length} numbers, expected 33, for 0 to 32 men")))?;
    Ok(Some(table))
}

fn parse<T: FromStr<Err: fmt::Display>, E: Error>(text: &str) -> Result<T, E> {
    text.parse().map_err(E::custom)
}

fn unexpected<E: Error>(value: &Value, expected: &str) -> E {
    E::custom(format!(
        "unexpected {}, expected {expected}",
        value.type_str()
    ))
}

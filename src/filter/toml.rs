//! Reading settings from TOML.

use toml::de::{DeTable, DeValue};

use super::Settings;
use super::keys::Setting;
use crate::ParseError;

impl Settings {
    /// Reads the settings of a TOML file.
    ///
    /// ```
    /// use swaplist::filter::Settings;
    ///
    /// let settings = Settings::from_toml("preset = 'none'\nmax_see = 100")?;
    /// assert_eq!(settings.filter()?.bounds().see, Some(100));
    /// assert!(Settings::from_toml("max_sea = 100").is_err());
    /// # Ok::<(), swaplist::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`ParseError`] for invalid TOML, an unknown key, a value of the wrong kind, or
    /// contradicting values.
    pub fn from_toml(text: &str) -> Result<Settings, ParseError> {
        let error_at = |at: Option<usize>, message: &str| {
            let before = at.and_then(|at| text.get(..at));
            ParseError::new(before.map_or(message.to_owned(), |before| {
                let line = before.matches('\n').count() + 1;
                format!("line {line}: {message}")
            }))
        };
        let table = DeTable::parse(text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            error_at(error.span().map(|span| span.start), &message)
        })?;
        let mut settings = Settings::default();
        let mut entries: Vec<_> = table.into_inner().into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let at = Some(key.span().start);
            let value = setting(value.get_ref()).map_err(|error| error_at(at, &error))?;
            let set = settings.set(key.get_ref(), value);
            set.map_err(|error| error_at(at, &error.to_string()))?;
        }
        settings.check()?;
        Ok(settings)
    }
}

fn setting(value: &DeValue<'_>) -> Result<Setting, String> {
    Ok(match value {
        DeValue::Boolean(value) => Setting::Bool(*value),
        DeValue::String(text) => Setting::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            Setting::Int(parsed.map_err(|_| format!("{number} is out of range"))?)
        }
        DeValue::Float(number) => {
            let parsed = number.as_str().parse();
            Setting::Float(parsed.map_err(|_| format!("{number} is no number"))?)
        }
        DeValue::Array(list) => {
            let list = list.iter().map(|value| setting(value.get_ref()));
            Setting::List(list.collect::<Result<_, _>>()?)
        }
        // No key takes one; setting it reports the kind.
        DeValue::Datetime(time) => Setting::Text(time.to_string()),
        DeValue::Table(_) => Setting::List(Vec::new()),
    })
}

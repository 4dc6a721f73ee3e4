//! Settings, as the page sends them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use swaplist::Choice;
use swaplist_files::explain::rules_to_json;
use swaplist_files::filter::FLAGS;
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Mode, Options};

use crate::rules::RulesOf;
use crate::{Answer, Failure, object};

/// A job on a file.
#[derive(Deserialize)]
#[allow(clippy::struct_excessive_bools)] // As the page sends it.
pub struct JobOf {
    pub name: String,
    /// Without a number the input is not read.
    pub bytes: Option<f64>,
    pub counts: bool,
    /// Whether a filter counts what it reads and keeps; that needs whole verdicts.
    #[serde(default)]
    pub histograms: bool,
    pub from: Option<String>,
    pub to: Option<String>,
    pub mode: Option<String>,
    pub preset: String,
    /// The filter's other settings, as text.
    pub keys: BTreeMap<String, String>,
    pub skip_invalid: bool,
    pub workers: usize,
    pub on_gpu: bool,
    pub rules: RulesOf,
}

impl JobOf {
    pub fn filter(&self) -> Answer<Filter> {
        let mut settings = Settings {
            preset: Some(named("preset", Some(&self.preset))?.unwrap_or_default()),
            ..Settings::default()
        };
        for (name, text) in &self.keys {
            let set = settings.set(name, text);
            set.map_err(|error| Failure::new(name, error))?;
        }
        let filter = settings
            .filter()
            .map_err(|error| Failure::new("rules", error))?;
        Ok(filter.with_see_rules(self.rules.rules()?))
    }

    pub fn options(&self) -> Answer<Options> {
        let mode = self.mode.as_deref();
        Ok(Options {
            from: named("from", self.from.as_deref())?,
            to: named("to", self.to.as_deref())?,
            mode: mode.and_then(|mode| mode.parse::<Mode>().ok()),
            counts: self.histograms && !self.counts,
            skip_invalid: self.skip_invalid,
            threads: Some(self.workers),
            ..Options::default()
        })
    }
}

pub fn named<T: core::str::FromStr>(field: &str, name: Option<&str>) -> Answer<Option<T>>
where
    T::Err: core::fmt::Display,
{
    let name = name.filter(|name| !name.is_empty()).map(str::parse);
    name.transpose().map_err(|error| Failure::new(field, error))
}

/// Checks the settings without a file.
#[unsafe(no_mangle)]
pub extern "C" fn check_settings() -> i32 {
    object(|asked: JobOf| {
        asked.filter().and(asked.options())?;
        Ok(())
    })
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Choices {
    formats: Vec<FormatChoice>,
    presets: Vec<PresetChoice>,
    keys: Vec<KeyChoice>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[allow(clippy::struct_excessive_bools)] // columns of a table
pub struct FormatChoice {
    name: &'static str,
    is_writable: bool,
    /// Whether records of other formats can be written in it.
    is_convertible_to: bool,
    can_mark: bool,
    prefers_mark: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PresetChoice {
    name: &'static str,
    about: String,
    /// The rules that it brings.
    #[cfg_attr(test, ts(type = "{ profile: string, values: number[] } | null"))]
    rules: Option<Value>,
    max_see: Option<i32>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeyChoice {
    name: &'static str,
    value: &'static str,
    help: &'static str,
    is_switch: bool,
}

/// A text of the command, for a form without flags.
fn in_form(text: &str) -> String {
    let words = [
        (
            "unless --profile or --values say otherwise",
            "unless other rules or values are chosen below",
        ),
        ("(--min-ply N stands for", "(the rule min-ply N stands for"),
        (
            "No rule but those that are asked for.",
            "No rules except those you add.",
        ),
    ];
    words
        .into_iter()
        .fold(text.to_owned(), |text: String, (from, to): (&str, &str)| {
            text.replace(from, to)
        })
}

/// The choices that the page offers.
#[unsafe(no_mangle)]
pub extern "C" fn choices() -> i32 {
    let format = |format: &Format| FormatChoice {
        name: format.name(),
        is_writable: format.spec().is_writable,
        is_convertible_to: format.spec().is_convertible_to,
        can_mark: format.spec().can_mark,
        prefers_mark: format.spec().prefers_mark,
    };
    let preset = |preset: Preset| PresetChoice {
        name: preset.name(),
        about: in_form(preset.about()),
        rules: preset.see_rules().map(|rules| rules_to_json(&rules)),
        max_see: preset.filter().bounds().see,
    };
    object(|_: Value| {
        Ok(Choices {
            formats: Format::ALL.iter().map(format).collect(),
            presets: Preset::ALL.iter().copied().map(preset).collect(),
            keys: FLAGS
                .iter()
                .map(|flag| KeyChoice {
                    name: flag.name,
                    value: flag.value_name,
                    help: flag.help,
                    is_switch: flag.is_switch,
                })
                .collect(),
        })
    })
}

//! Counts of what stricter presets would have dropped in addition.

use serde_json::{Map, Value};

use super::shown::{Lines, share};
use crate::filter::Preset;

/// The presets whose rules are tried on the records kept.
pub(super) const STRICTER: [Preset; 3] = [Preset::Calm, Preset::Still, Preset::PlayedCalm];

/// How many of the records kept each of [`STRICTER`] would drop; `None` if a record lacks a field
/// that its rules need.
pub(super) type Stricter = [Option<u64>; STRICTER.len()];

/// Sums the counts of two blocks.
pub(super) fn sum(one: Option<Stricter>, other: Option<Stricter>) -> Option<Stricter> {
    let (Some(one), Some(other)) = (one, other) else {
        return one.or(other);
    };
    Some(core::array::from_fn(|i| Some(one[i]? + other[i]?)))
}

pub(super) fn lines(counts: &Stricter, kept: u64, lines: &mut Lines) {
    for (preset, count) in STRICTER.iter().zip(counts) {
        let dropped = match count {
            Some(count) => format!("{} of those kept", share(*count, kept)),
            None => "unknown, a record has no played move".to_owned(),
        };
        lines.add("stricter", format!("{dropped}, by preset {preset}"));
    }
}

pub(super) fn json(counts: &Stricter) -> Value {
    let counts = STRICTER.iter().zip(counts);
    let named = counts.map(|(preset, count)| (preset.to_string(), Value::from(*count)));
    named.collect::<Map<String, Value>>().into()
}

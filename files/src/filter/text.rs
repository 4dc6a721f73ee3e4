//! The values of settings, from text.

use core::fmt;
use core::num::NonZeroU32;
use core::ops::RangeBounds;
use core::str::FromStr;

use serde::Deserialize as _;
use serde_json::Value;

use super::Preset;
use super::rules::PlayedRule;
use swaplist::{MAX_QUIESCENCE, ParseError, PieceValues, Profile};

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probability(f64);

impl Probability {
    /// `None` for numbers that are not from 0 to 1.
    pub fn new(number: f64) -> Option<Probability> {
        (0.0..=1.0).contains(&number).then_some(Probability(number))
    }

    /// The number, from 0 to 1.
    pub(crate) const fn get(self) -> f64 {
        self.0
    }
}

/// The value of a setting, from text.
pub trait FromText: Sized {
    /// The placeholder in help texts.
    const NAME: &'static str = "N";
    /// Whether `none` is a value, besides those that an error of `from_text` names.
    const TAKES_NONE: bool = false;
    /// Whether no text means `true`.
    const IS_SWITCH: bool = false;

    fn from_text(text: &str) -> Result<Self, ParseError>;
}

/// Why a setting cannot be set to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What is wrong with the text, or with the setting's name.
    pub reason: ParseError,
    /// Whether the setting could be `none`, for no bound. The reason does not say so, as languages
    /// have their own words for it.
    pub takes_none: bool,
}

/// Writes the reason, and `, or 'none' for no bound` if that is possible.
impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_none = if self.takes_none {
            ", or 'none' for no bound"
        } else {
            ""
        };
        write!(f, "{}{or_none}", self.reason)
    }
}

impl core::error::Error for SettingError {}

impl From<SettingError> for ParseError {
    fn from(error: SettingError) -> ParseError {
        ParseError::new(error.to_string())
    }
}

/// The value of a setting, from text.
pub(super) fn value<T: FromText>(text: &str) -> Result<T, SettingError> {
    T::from_text(text).map_err(|reason| SettingError {
        reason,
        takes_none: T::TAKES_NONE,
    })
}

/// Parses a whole number in a range.
///
/// # Errors
///
/// A [`ParseError`] that says what is wrong with it, and what was expected.
pub fn parse_number<T: FromStr + PartialOrd>(
    text: &str,
    range: impl RangeBounds<T>,
    expected: &str,
) -> Result<T, ParseError> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let problem = if is_whole {
            &format!("{text} is out of range, ")
        } else {
            ""
        };
        ParseError::new(format!("{problem}expected {expected}"))
    })
}

/// What is expected of a count.
const COUNT: &str = "a whole number, 0 or more";

macro_rules! whole_numbers {
    ($($of_type:ty, $range:expr, $expected:expr;)+) => {
        $(impl FromText for $of_type {
            fn from_text(text: &str) -> Result<$of_type, ParseError> {
                parse_number(text, $range, $expected)
            }
        })+
    };
}

whole_numbers! {
    u32, .., COUNT;
    u64, .., COUNT;
    NonZeroU32, .., "a whole number, 1 or more";
    // The highest count or score that is kept.
    i64, 0..=u32::MAX.into(), COUNT;
    // A SEE.
    i32, .., "a whole number (of centipawns, unless the piece values have another unit)";
    // The depth of a quiescence.
    u8, ..=MAX_QUIESCENCE as u8, &format!("a whole number, 0 to {MAX_QUIESCENCE}");
}

macro_rules! names {
    ($($of_type:ty, $name:literal;)+) => {
        $(impl FromText for $of_type {
            const NAME: &'static str = $name;

            fn from_text(text: &str) -> Result<$of_type, ParseError> {
                text.parse()
            }
        })+
    };
}

names! {
    Preset, "NAME";
    Profile, "NAME";
    PlayedRule, "RULES";
}

impl FromText for PieceValues {
    fn from_text(text: &str) -> Result<PieceValues, ParseError> {
        text.trim_matches(',').parse()
    }
}

impl FromText for bool {
    const NAME: &'static str = "BOOL";
    const IS_SWITCH: bool = true;

    fn from_text(text: &str) -> Result<bool, ParseError> {
        let expected = |_| ParseError::new("expected true or false");
        text.parse().map_err(expected)
    }
}

/// A bound, or `none`.
impl<T: FromText> FromText for Option<T> {
    const TAKES_NONE: bool = true;

    fn from_text(text: &str) -> Result<Option<T>, ParseError> {
        if text == "none" {
            return Ok(None);
        }
        T::from_text(text).map(Some)
    }
}

impl FromText for f64 {
    fn from_text(text: &str) -> Result<f64, ParseError> {
        let number: Option<f64> = text.parse().ok();
        let finite = number.filter(|number| number.is_finite());
        finite.ok_or_else(|| ParseError::new("expected a number"))
    }
}

impl FromText for Probability {
    const NAME: &'static str = "P";

    fn from_text(text: &str) -> Result<Probability, ParseError> {
        let probability = text.parse().ok().and_then(Probability::new);
        probability.ok_or_else(|| {
            ParseError::new(format!(
                "{text} is not a probability, expected a number from 0 to 1 such as 0.25"
            ))
        })
    }
}

impl<T: FromText, const COUNT: usize> FromText for [T; COUNT] {
    fn from_text(text: &str) -> Result<[T; COUNT], ParseError> {
        let list: Vec<T> = text
            .split(',')
            .filter(|text| !text.is_empty())
            .map(T::from_text)
            .collect::<Result<_, _>>()?;
        let wrong =
            |list: Vec<T>| ParseError::new(format!("{} numbers, expected {COUNT}", list.len()));
        list.try_into().map_err(wrong)
    }
}

/// For serde: any value as the text that a flag takes, a list with a comma after each value.
pub(super) fn deserialized<'de, T: FromText, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = text_of(&Value::deserialize(from)?).map_err(serde::de::Error::custom)?;
    value(&text).map(Some).map_err(serde::de::Error::custom)
}

fn text_of(value: &Value) -> Result<String, ParseError> {
    Ok(match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().try_fold(",".to_owned(), |all, value| {
            text_of(value).map(|value| all + &value + ",")
        })?,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Object(_) => {
            let expected = "expected a boolean, a number, a name, or a list of them";
            return Err(ParseError::new(expected));
        }
    })
}

//! The values of settings, from text.

use core::fmt;
use core::num::NonZeroU32;

use serde::Deserialize;

use super::Preset;
use super::rules::Played;
use crate::{MAX_QUIESCENCE, ParseError};

/// A bound between `MIN` and `MAX`, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<const MIN: i64, const MAX: i64>(Option<i64>);

/// The highest count that is kept.
pub type Most = Limit<0, { u32::MAX as i64 }>;

/// A bound on a SEE, in the unit of the piece values.
pub type SeeBound = Limit<{ i32::MIN as i64 }, { i32::MAX as i64 }>;

/// The depth of a quiescence.
pub type Depth = Limit<0, { MAX_QUIESCENCE as i64 }>;

impl<const MIN: i64, const MAX: i64> Limit<MIN, MAX> {
    /// No bound.
    pub const NONE: Limit<MIN, MAX> = Limit(None);

    pub(super) const fn at(bound: i64) -> Limit<MIN, MAX> {
        Limit(Some(bound))
    }

    /// The bound, if there is one.
    #[must_use]
    pub const fn get(self) -> Option<i64> {
        self.0
    }
}

/// Clamped to the range.
impl<const MIN: i64, const MAX: i64> From<i64> for Limit<MIN, MAX> {
    fn from(bound: i64) -> Limit<MIN, MAX> {
        Limit(Some(bound.clamp(MIN, MAX)))
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probability(f64);

impl Probability {
    /// `None` for numbers that are not from 0 to 1.
    #[must_use]
    pub fn new(number: f64) -> Option<Probability> {
        (0.0..=1.0).contains(&number).then_some(Probability(number))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The value of a setting, from text.
pub trait FromText: Sized {
    /// The placeholder in help texts.
    const NAME: &'static str = "N";

    fn from_text(text: &str) -> Result<Self, ParseError>;
}

/// An error that says what is wrong with a number, if it is one.
fn unexpected(text: &str, expected: impl fmt::Display) -> ParseError {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = if is_whole {
        &format!("{text} is out of range, ")
    } else {
        ""
    };
    ParseError::new(format!("{problem}expected {expected}"))
}

impl FromText for bool {
    const NAME: &'static str = "BOOL";

    fn from_text(text: &str) -> Result<bool, ParseError> {
        let expected = |_| ParseError::new("expected true or false");
        text.parse().map_err(expected)
    }
}

impl FromText for u32 {
    fn from_text(text: &str) -> Result<u32, ParseError> {
        text.parse().map_err(|_| unexpected(text, COUNT))
    }
}

impl FromText for u64 {
    fn from_text(text: &str) -> Result<u64, ParseError> {
        text.parse().map_err(|_| unexpected(text, COUNT))
    }
}

const COUNT: &str = "a whole number, 0 or more";

impl FromText for NonZeroU32 {
    fn from_text(text: &str) -> Result<NonZeroU32, ParseError> {
        text.parse()
            .map_err(|_| unexpected(text, "a whole number, 1 or more"))
    }
}

impl<const MIN: i64, const MAX: i64> FromText for Limit<MIN, MAX> {
    fn from_text(text: &str) -> Result<Limit<MIN, MAX>, ParseError> {
        if text == "none" {
            return Ok(Limit::NONE);
        }
        let number = text.parse().ok();
        let bound = number.filter(|number| (MIN..=MAX).contains(number));
        let range = match (MIN, MAX) {
            (0, ..100) => &format!(", 0 to {MAX}"),
            (0, _) => ", 0 or more",
            _ => " (of centipawns, unless the piece values have another unit)",
        };
        let expected = || {
            unexpected(
                text,
                format!("a whole number{range}, or 'none' for no bound"),
            )
        };
        bound.map(Limit::at).ok_or_else(expected)
    }
}

impl FromText for f64 {
    fn from_text(text: &str) -> Result<f64, ParseError> {
        let number = text.parse().ok();
        let number = number.filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| ParseError::new("expected a number"))
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

impl FromText for Preset {
    const NAME: &'static str = "NAME";

    fn from_text(text: &str) -> Result<Preset, ParseError> {
        text.parse()
    }
}

impl FromText for Played {
    const NAME: &'static str = "RULES";

    fn from_text(text: &str) -> Result<Played, ParseError> {
        text.parse()
    }
}

/// For serde: any value as the text that a flag takes, a list with a comma after each value.
pub(super) fn deserialized<'de, T: FromText, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(from)?;
    T::from_text(&value.text())
        .map(Some)
        .map_err(serde::de::Error::custom)
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a boolean, a number, a name, or a list of them"
)]
enum Value {
    None,
    Bool(bool),
    Whole(i64),
    Large(u64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::None => "none".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Whole(value) => value.to_string(),
            Value::Large(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::Text(text) => text.clone(),
            Value::List(list) => list
                .iter()
                .fold(",".to_owned(), |all, value| all + &value.text() + ","),
        }
    }
}

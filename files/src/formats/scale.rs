//! Scores in another unit: each is multiplied by a factor while records are read.

use core::fmt;
use core::str::FromStr;

use super::{LARGEST_SCORE, RecordFields};
use swaplist::ParseError;

/// A factor that brings scores into another unit, from 0.001 to 1000.
///
/// A product is rounded to the nearest whole number, halves away from 0, so that both sides' views
/// stay each other's negative. Only 0 becomes 0, since it may stand for no score (in minimised
/// data): smaller products become 1 or -1. Products beyond 30,999 on either side become 30,999, as
/// higher scores stand for mates and for wins by tablebases. So scores from 31,000 to 32,767, which
/// have no unit, stay as they are, and so does 32,002, which means no score.
///
/// ```
/// use swaplist_files::formats::Scale;
///
/// let scale: Scale = "3.78".parse()?;
/// assert_eq!(scale.to_string(), "3.78");
/// assert!("0".parse::<Scale>().is_err());
/// # Ok::<(), swaplist::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale(f64);

// A factor is never NaN.
impl Eq for Scale {}

/// What a factor has to be.
const FACTORS: core::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// A score in another unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scaled {
    score: i32,
    /// Whether the product was beyond [`LARGEST_SCORE`].
    is_clipped: bool,
}

impl Scale {
    /// `None` for factors that are not from 0.001 to 1000.
    pub fn new(factor: f64) -> Option<Scale> {
        FACTORS.contains(&factor).then_some(Scale(factor))
    }

    /// The factor.
    pub(crate) const fn factor(self) -> f64 {
        self.0
    }

    fn scaled(self, score: i32) -> Scaled {
        let is_of_mate = (LARGEST_SCORE + 1..=i16::MAX.into()).contains(&score.saturating_abs());
        if is_of_mate {
            return Scaled {
                score,
                is_clipped: false,
            };
        }
        let product = match (f64::from(score) * self.0).round() {
            0.0 => f64::from(score.signum()),
            product => product,
        };
        let largest = f64::from(LARGEST_SCORE);
        Scaled {
            score: product.clamp(-largest, largest) as i32,
            is_clipped: product.abs() > largest,
        }
    }

    /// Multiplies the scores of all records, and adds the numbers of those that are clipped.
    pub(super) fn apply(self, records: &mut [RecordFields], clipped: &mut Vec<usize>) {
        for (number, record) in records.iter_mut().enumerate() {
            let Some(score) = record.score() else {
                continue;
            };
            let scaled = self.scaled(score);
            *record = record.with_score(Some(scaled.score));
            if scaled.is_clipped {
                clipped.push(number);
            }
        }
    }
}

impl FromStr for Scale {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Scale, ParseError> {
        let scale = text.parse().ok().and_then(Scale::new);
        scale.ok_or_else(|| {
            ParseError::new(format!(
                "'{text}' is not a factor, expected a number from 0.001 to 1000 such as 0.5"
            ))
        })
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! Values of rules.

use super::WdlModel;

/// The value of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A rule without parameters.
    On,
    /// The lowest and the highest number that is kept.
    Range(i64, i64),
    /// A probability.
    Probability(f64),
    /// A probability for each number of pieces.
    Table(Box<[f64; 33]>),
    /// viriformat's model.
    Model(WdlModel),
}

impl Value {
    /// No bounds.
    pub const OPEN: (i64, i64) = (i64::MIN, i64::MAX);

    /// The bounds of a range.
    pub fn range(&self) -> (i64, i64) {
        match *self {
            Value::Range(min, max) => (min, max),
            _ => Value::OPEN,
        }
    }

    /// Changes the bounds of a range; without bounds the rule is off.
    pub fn bound(value: &mut Option<Value>, change: impl FnOnce(&mut (i64, i64))) {
        let mut range = value.as_ref().map_or(Value::OPEN, Value::range);
        change(&mut range);
        *value = (range != Value::OPEN).then_some(Value::Range(range.0, range.1));
    }
}

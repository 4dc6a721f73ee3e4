//! What a rule is set to.

use super::WdlModel;

/// What a rule is set to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// It has nothing to set.
    On,
    /// The lowest and the highest number that pass.
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

    /// Sets one bound or both of a range; without bounds there is no rule.
    pub fn bound(value: &mut Option<Value>, change: impl FnOnce(&mut (i64, i64))) {
        let mut range = value.as_ref().map_or(Value::OPEN, Value::range);
        change(&mut range);
        *value = (range != Value::OPEN).then_some(Value::Range(range.0, range.1));
    }
}

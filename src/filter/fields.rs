//! Fields of records that filters may need.

use core::fmt;

use crate::formats::{Field, Place};

/// The fields that rules may need, in the order in which they are missed.
pub(super) const FIELDS: [Field; 4] = [Field::Played, Field::Score, Field::Result, Field::Clocks];

/// A field's name in messages: of the clocks, filters need the move number.
#[must_use]
pub fn name_of(field: Field) -> String {
    match field {
        Field::Clocks => "move number".to_owned(),
        field => field.to_string(),
    }
}

/// A record lacks a field that a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The missing field.
    pub field: Field,
    /// The record's place in the file.
    pub place: Place,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, place) = (name_of(self.field), self.place);
        write!(
            f,
            "{place}: the filter asks for the {field}, which this record does not have"
        )
    }
}

impl core::error::Error for Missing {}

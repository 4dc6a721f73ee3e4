//! Possible conversions.

use core::fmt;

use crate::formats::part::Field;
use crate::formats::{EncodeError, Format};

/// Why a conversion is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The format read.
    pub from: Format,
    /// The format asked for.
    pub to: Format,
    /// What `to` needs and `from` never holds; `None` if `to` can only be read.
    pub lacks: Option<Field>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to, lacks) = (self.from.name(), self.to.name(), self.lacks);
        let Some(lacks) = lacks else {
            return EncodeError::ReadOnly(to).fmt(f);
        };
        write!(
            f,
            "{from} cannot be converted to {to}: it holds no {lacks}, which {to} needs"
        )
    }
}

impl core::error::Error for Refused {}

/// Whether a conversion is possible.
pub(super) fn possible(from: Format, to: Format) -> Result<(), Refused> {
    let mut needed = to.row().needs.iter().copied();
    match needed.find(|&part| !from.holds(part)) {
        None if to.is_convertible_to() => Ok(()),
        lacks => Err(Refused { from, to, lacks }),
    }
}

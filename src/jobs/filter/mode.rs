//! What becomes of records that are not kept.

use crate::formats::{Action, EncodeError, Format};
use crate::jobs::error::Result;

/// What becomes of records that are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are left out.
    Drop,
    /// They get the score 32002 (no score), which trainers skip.
    Mark,
}

impl Mode {
    pub(super) fn of(asked: Option<Mode>, format: Format) -> Result<Mode> {
        let suited = if format.prefers_mark() {
            Mode::Mark
        } else {
            Mode::Drop
        };
        let mode = asked.unwrap_or(suited);
        if mode == Mode::Mark && !format.can_mark() {
            return Err(EncodeError::NoMark(format.name()).into());
        }
        Ok(mode)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Mode::Drop => "drop",
            Mode::Mark => "mark",
        }
    }

    pub(super) const fn action(self) -> Action {
        match self {
            Mode::Drop => Action::Drop,
            Mode::Mark => Action::Mark,
        }
    }
}

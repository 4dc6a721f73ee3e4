//! Why a line is not an answer.

/// A line that is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub stage: Stage,
    pub message: String,
}

/// What of a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Text,
    /// The header of its table.
    Header,
    Fields,
    Position,
    Move,
    Value,
}

impl Stage {
    pub fn wrong(self, message: impl Into<String>) -> Wrong {
        let message = message.into();
        Wrong {
            stage: self,
            message,
        }
    }
}

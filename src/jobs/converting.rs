//! The formats of a job, and how records are converted.

use super::error::Result;
use crate::formats::{Codec, Format, VALUE_NONE};

/// What becomes of records without a score, which includes the score 32002.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unscored {
    /// Written without a score if the target format has a way to say so, else refused.
    Kept,
    /// Left out, by the task.
    Dropped,
    /// Written with this score, from the side to move's view.
    Given(i16),
}

/// The formats read and written, and how records are converted.
#[derive(Clone, Copy)]
pub(super) struct Converting {
    pub from: Format,
    pub to: Format,
    pub unscored: Unscored,
    /// Whether illegal played moves are errors, even if records are copied.
    pub checks_moves: bool,
}

impl Converting {
    /// Whether records are written as they were read.
    pub fn copies(self) -> bool {
        self.from == self.to
    }

    /// An error if it is impossible for these formats.
    pub fn codec(self, codec: Codec) -> Result<Codec> {
        let mut codec = if self.copies() {
            codec
        } else {
            codec.converting_to(self.to)?
        };
        codec = match self.unscored {
            Unscored::Kept => codec,
            Unscored::Dropped => codec.omitting_unscored(),
            Unscored::Given(score) => codec.scoring(score),
        };
        if self.checks_moves {
            codec = codec.checking_moves();
        }
        Ok(codec)
    }

    /// What became of records without a score, for the summary.
    pub fn became(self) -> String {
        match self.unscored {
            Unscored::Dropped => "dropped".to_owned(),
            Unscored::Kept if self.copies() => "copied".to_owned(),
            Unscored::Given(score) => format!("written as {score}"),
            // Text can leave the score out.
            Unscored::Kept if self.to.is_text() => "written as such".to_owned(),
            Unscored::Kept => format!("written as {VALUE_NONE}"),
        }
    }
}

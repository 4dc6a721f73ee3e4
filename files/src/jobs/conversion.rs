//! How a job turns the records that it reads into those that it writes.

use super::error::{Error, Result};
use crate::formats::{
    Action, Codec, Field, Format, LabelledFields, RecordFields, Scale, VALUE_NONE,
};
use swaplist::Choice;

/// The formats read and written, and how records are converted.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
pub(crate) struct Conversion {
    pub from: Format,
    pub to: Format,
    /// The fields that records of a table have because their columns are named.
    pub labelled: LabelledFields,
    /// Whether records without a score are left out.
    pub drops_unscored: bool,
    /// Whether the records left out are still written, as marked records or as rejects.
    pub writes_dropped: bool,
    /// The score to write for records without one.
    pub score: Option<i16>,
    /// The factor for all scores.
    pub scale: Option<Scale>,
    /// Whether castling rights that the format written cannot hold are dropped.
    pub drops_castling: bool,
    /// Whether illegal played moves are errors, even if records are copied.
    pub checks_moves: bool,
}

impl Conversion {
    /// Whether records are written as they were read.
    pub fn copies(self) -> bool {
        self.from == self.to && self.scale.is_none()
    }

    /// Whether records that are read can have a field.
    pub fn holds(self, field: Field) -> bool {
        self.from.holds(field) || self.labelled.has(field)
    }

    /// The fields that are written anew, not copied with their records.
    pub fn written(self) -> impl Iterator<Item = Field> {
        Field::ALL
            .iter()
            .copied()
            .filter(move |field| !self.copies() && self.to.writes(*field))
    }

    /// An error if it is impossible for these formats.
    pub fn codec(self, codec: Codec) -> Result<Codec> {
        let codec = codec.labelling(self.labelled);
        let mut codec = if self.copies() {
            codec
        } else {
            self.check_scale()?;
            codec.rewriting_to(self.to)?
        };
        if let Some(scale) = self.scale {
            codec = codec.scaling(scale);
        }
        codec.target.drops_unscored = self.drops_unscored;
        codec.target.writes_dropped = self.writes_dropped;
        codec.target.drops_castling = self.drops_castling;
        if let Some(score) = self.score {
            codec.target.unscored = Some(score.into());
        }
        if self.checks_moves {
            codec = codec.checking_moves();
        }
        Ok(codec)
    }

    /// Refuses to multiply scores where there are none, or where records can only be copied.
    fn check_scale(self) -> Result<()> {
        let Conversion { from, to, .. } = self;
        if self.scale.is_none() {
            return Ok(());
        }
        let name = from.name();
        if !self.holds(Field::Score) {
            return Err(Error::refused(format!(
                "{name} holds no score, so there is none to multiply"
            )));
        }
        if from == to && !to.is_convertible_to() {
            return Err(Error::refused(format!(
                "records of {name} can only be copied, so their scores cannot be multiplied; \
                 write another format"
            )));
        }
        Ok(())
    }

    /// What became of records without a score, for the summary.
    pub fn became(self) -> String {
        match self.score {
            _ if self.drops_unscored => "dropped".to_owned(),
            _ if self.copies() => "copied".to_owned(),
            None if self.to.is_text() && !self.to.skips_unscored() => {
                "written without a score".to_owned()
            }
            score => format!("written as {}", score.unwrap_or(VALUE_NONE)),
        }
    }
}

/// What becomes of records that no filter has judged: all are kept, unless those without a score
/// are left out.
pub(crate) fn kept(records: &[RecordFields], drops_unscored: bool) -> Vec<Action> {
    if !drops_unscored {
        return vec![Action::Keep; records.len()];
    }
    records
        .iter()
        .map(|record| {
            if record.is_unscored() {
                Action::Drop
            } else {
                Action::Keep
            }
        })
        .collect()
}

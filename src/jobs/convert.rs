//! Converting records to another format.

use super::error::{Error, Result};
use super::job::Job;
use super::pipeline::{Step, Task};
use super::summary::Summary;
use crate::formats::{Action, Actions, Codec, Conversion, Format, Record, VALUE_NONE};

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
    pub fn codec(self, codec: Box<dyn Codec>) -> Result<Box<dyn Codec>> {
        if self.copies() && !self.checks_moves {
            return Ok(codec);
        }
        let mut conversion = Conversion::new(self.from, codec, self.to)?;
        conversion = match self.unscored {
            Unscored::Kept => conversion,
            Unscored::Dropped => conversion.omitting_unscored(),
            Unscored::Given(score) => conversion.scoring(score),
        };
        if self.checks_moves {
            conversion = conversion.checking_moves();
        }
        Ok(Box::new(conversion))
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

impl Job<'_> {
    /// Writes all records in another format, or copies them in the same one.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn convert(mut self, to: Format, unscored: Unscored) -> Result<Summary> {
        if matches!(unscored, Unscored::Given(_)) && to == self.converting.from {
            return Err(Error::refused(
                "a score can only be given when the format changes: in the same format, records are copied",
            ));
        }
        self.converting.unscored = unscored;
        self.write_records(Some(to))?;
        let task = Convert {
            drop_unscored: unscored == Unscored::Dropped,
        };
        self.run("convert", &task, &[], None, |_| {})
    }
}

struct Convert {
    drop_unscored: bool,
}

impl Task for Convert {
    fn bytes_a_record(&self) -> usize {
        80
    }

    fn run(&self, mut step: Step<'_>) -> Result<()> {
        let (block, decoded, tally) = (step.block, step.decoded, &mut step.done.tally);
        let action = |record: &Record| {
            if self.drop_unscored && record.is_unscored() {
                Action::Drop
            } else {
                Action::Keep
            }
        };
        let actions: Vec<_> = decoded.records.iter().map(action).collect();
        let held = actions.iter().filter(|&&action| action == Action::Keep);
        let unscored = decoded.records.iter().filter(|record| record.is_unscored());
        tally.records += actions.len() as u64;
        tally.held += held.count() as u64;
        tally.unscored += unscored.count() as u64;
        let kept = Actions {
            records: &actions,
            invalid: false,
        };
        let (data, open) = (&mut step.done.data, &mut step.done.open[0]);
        step.codec.encode_part(block, decoded, &kept, data, open)?;
        step.send_if_large()
    }
}

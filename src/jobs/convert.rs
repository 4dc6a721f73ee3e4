//! Converting records to another format.

use super::converting::Unscored;
use super::error::{Error, Result};
use super::job::Job;
use super::pipeline::{Step, Task};
use super::summary::Summary;
use crate::formats::{Action, Actions, Format, Record};

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
        let (codec, block, decoded) = (step.codec, step.block, step.decoded);
        let action = |record: &Record| {
            if self.drop_unscored && record.is_unscored() {
                Action::Drop
            } else {
                Action::Keep
            }
        };
        let actions: Vec<_> = decoded.records.iter().map(action).collect();
        let kept = Actions {
            records: &actions,
            invalid: false,
        };
        codec.encode_part(
            block,
            decoded,
            &kept,
            &mut step.done.data,
            &mut step.done.open[0],
        )?;
        let unscored = decoded.records.iter().filter(|record| record.is_unscored());
        step.done.tally.unscored += unscored.count() as u64;
        step.done.tally.records += actions.len() as u64;
        let held = actions.iter().filter(|&&action| action == Action::Keep);
        step.done.tally.held += held.count() as u64;
        step.send_if_large()
    }
}

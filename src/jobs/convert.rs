//! Converting records to another format.

use super::converting::Unscored;
use super::error::{Error, Result};
use super::job::Job;
use super::pipeline::{Ahead, Done, Task};
use super::summary::Summary;
use crate::formats::{Block, Codec, Decoded, Fate, Fates, Format, Record};

impl Job<'_> {
    /// Writes all records in another format, or copies them in the same one.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn convert(mut self, to: Format, unscored: Unscored) -> Result<Summary> {
        if matches!(unscored, Unscored::Given(_)) && to == self.from {
            return Err(Error::refused(
                "a score can only be given when the format changes: in the same format, records are copied",
            ));
        }
        self.unscored = unscored;
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

    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()> {
        let fate = |record: &Record| {
            if self.drop_unscored && record.is_unscored() {
                Fate::Drop
            } else {
                Fate::Keep
            }
        };
        let fates: Vec<_> = decoded.records.iter().map(fate).collect();
        let kept = Fates {
            records: &fates,
            invalid: false,
        };
        codec.encode_part(block, decoded, &kept, &mut done.data, &mut done.open[0])?;
        let unscored = decoded.records.iter().filter(|record| record.is_unscored());
        done.tally.unscored += unscored.count() as u64;
        done.tally.records += fates.len() as u64;
        let held = fates.iter().filter(|&&fate| fate == Fate::Keep);
        done.tally.held += held.count() as u64;
        done.send_if_large(send)
    }
}

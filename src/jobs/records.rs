//! Records in memory as input.

use std::io::Cursor;

use super::error::Result;
use super::input::Input;
use crate::formats::{Format, Record, Writer};

impl Input {
    /// Reads records in memory, as a file of this format would hold them.
    ///
    /// ```
    /// use swaplist::formats::{Format, Outcome, Place, Record, RecordFields};
    /// use swaplist::jobs::{Input, Job, Options};
    /// use swaplist::{Evaluator, Rules};
    ///
    /// let position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// let record = RecordFields::new(Place::Line(1), 0..0)
    ///     .with_score(Some(12))
    ///     .with_outcome(Some(Outcome::Draw));
    /// let records = [Record::new(position).with(record)];
    /// let input = Input::records(Format::Bulletformat, records)?;
    /// let summary = Job::new(input, Options::default())?.count(&Rules::SWAP, &Evaluator::cpu())?;
    /// assert_eq!(summary.tally.records, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the format cannot be written, or cannot hold one of the records.
    pub fn records(format: Format, records: impl IntoIterator<Item = Record>) -> Result<Input> {
        let (mut writer, mut bytes) = (Writer::new(format)?, Vec::new());
        for record in records {
            writer.push(&record, &mut bytes)?;
        }
        writer.finish(&mut bytes)?;
        // The name tells the format.
        let name = format!("records.{}", format.extensions()[0]);
        Input::named(&name, Cursor::new(bytes))
    }
}

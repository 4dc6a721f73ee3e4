//! Records in memory as input.

use std::io::{self, Read};

use super::error::Result;
use super::input::Input;
use crate::formats::{Format, Record, Writer};

/// A file made of records while it is read.
struct Written<I> {
    records: I,
    /// `None` after the last record.
    writer: Option<Writer>,
    bytes: Vec<u8>,
    /// How many of them were read.
    read: usize,
}

impl<I: Iterator<Item = Record>> Written<I> {
    /// Writes records until some bytes are there, or all are written.
    fn write(&mut self) -> io::Result<()> {
        self.read = 0;
        self.bytes.clear();
        while self.bytes.is_empty()
            && let Some(mut writer) = self.writer.take()
        {
            match self.records.next() {
                Some(entry) => {
                    let pushed = writer.push(&entry, &mut self.bytes);
                    pushed.map_err(io::Error::other)?;
                    self.writer = Some(writer);
                }
                None => writer.finish(&mut self.bytes).map_err(io::Error::other)?,
            }
        }
        Ok(())
    }
}

impl<I: Iterator<Item = Record>> Read for Written<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.bytes.len() {
            self.write()?;
        }
        let bytes = (&self.bytes[self.read..]).read(buffer)?;
        self.read += bytes;
        Ok(bytes)
    }
}

impl Input {
    /// Reads records in memory, as a file of this format would hold them. A record that the
    /// format cannot hold is a read error.
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
    /// If the format cannot be written, or cannot hold one of the first records.
    pub fn records<I>(format: Format, records: I) -> Result<Input>
    where
        I: IntoIterator<Item = Record>,
        I::IntoIter: Send + 'static,
    {
        let written = Written {
            records: records.into_iter(),
            writer: Some(Writer::new(format)?),
            bytes: Vec::new(),
            read: 0,
        };
        // The name tells the format.
        Input::named(&format!("records.{}", format.extensions()[0]), written)
    }
}

//! Writing records from anywhere.

use super::convert::Target;
use super::games::goes_on;
use super::legal::Proof;
use super::{Action, ConversionError, DecodedPart, Format, OpenEnd, Record, RecordError};

/// Writes records in a format, also those that come from no file.
///
/// In formats with games or chains, a record that continues the one before is written in the
/// same game or chain.
///
/// ```
/// use swaplist::formats::{Format, Writer};
///
/// let text = "4k3/8/8/8/8/8/8/4K2R w K - 3 9 | 12 | 0.5\n";
/// let mut writer = Writer::new(Format::Bulletformat)?;
/// let mut bytes = Vec::new();
/// for entry in Format::Text.records(text.as_bytes()) {
///     writer.push(&entry?, &mut bytes)?;
/// }
/// writer.finish(&mut bytes);
/// assert_eq!(bytes.len(), 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    target: Target,
    /// Records that are not written yet, up to a game's end.
    batch: DecodedPart,
}

/// Records written together; binpack makes a chunk of them.
const TOGETHER: usize = 1 << 15;
/// Games that are longer are cut, to bound memory.
const LONGEST: usize = 1 << 18;

impl Writer {
    /// A writer of this format.
    ///
    /// # Errors
    ///
    /// [`ConversionError`] if records of other formats cannot be written in it.
    pub fn new(to: Format) -> Result<Writer, ConversionError> {
        if !to.is_convertible_to() {
            let (from, lacks) = (to, None);
            return Err(ConversionError { from, to, lacks });
        }
        Ok(Writer {
            target: Target::new(to),
            batch: DecodedPart::default(),
        })
    }

    /// Adds a record, and appends earlier ones to `out` now and then.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the format cannot hold it: a missing field, a score of too many
    /// bits, an illegal played move where moves are replayed. It is left out then.
    pub fn push(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), RecordError> {
        if let Some(fault) = self.target.fault(record, Proof::Nothing) {
            return Err(fault.at(record.fields.place(), record.fields.span()));
        }
        let count = self.batch.records.len();
        if count >= LONGEST || count >= TOGETHER && !self.continues(record) {
            self.write(out);
        }
        self.batch.records.push(record.fields);
        self.batch.full.push(*record);
        Ok(())
    }

    /// Appends the last records.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.write(out);
    }

    /// Whether a position belongs to the last game.
    fn continues(&self, record: &Record) -> bool {
        let last = self.batch.full.last();
        self.target.format.replays_moves() && last.is_some_and(|last| goes_on(last, record))
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        let actions = vec![Action::Keep; self.batch.records.len()];
        let open = &mut OpenEnd::default();
        self.target.write(&self.batch, &actions, out, open);
        self.batch.clear();
    }
}

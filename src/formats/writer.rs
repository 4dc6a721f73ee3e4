//! Writing records from anywhere.

use super::convert::{OutputRecords, Target};
use super::legal::Proved;
use super::reach::is_same;
use super::whole_games::after_move;
use super::{Action, Entry, Format, Open, Record, RecordError, Refused, State};

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
/// writer.finish(&mut bytes)?;
/// assert_eq!(bytes.len(), 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    target: Target,
    /// Records that are not written yet, up to a game's end.
    records: Vec<Record>,
    states: Vec<State>,
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
    /// [`Refused`] if records of other formats cannot be written in it.
    pub fn new(to: Format) -> Result<Writer, Refused> {
        if !to.is_convertible_to() {
            let (from, lacks) = (to, None);
            return Err(Refused { from, to, lacks });
        }
        Ok(Writer {
            target: Target::new(to),
            records: Vec::new(),
            states: Vec::new(),
        })
    }

    /// Adds a record, and appends earlier ones to `out` now and then.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the format cannot hold it: a missing field, a score of too many
    /// bits, an illegal played move where moves are replayed. It is left out then.
    pub fn push(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let Entry { record, state } = entry;
        if let Some(fault) = self.target.fault(record, state, Proved::Nothing) {
            return Err(fault.at(record.place(), record.span()));
        }
        let count = self.records.len();
        if count >= LONGEST || count >= TOGETHER && !self.continues(state) {
            self.write(out)?;
        }
        self.records.push(*record);
        self.states.push(*state);
        Ok(())
    }

    /// Appends the last records.
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the format cannot hold one.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<(), RecordError> {
        self.write(out)
    }

    /// Whether a position belongs to the last game.
    fn continues(&self, state: &State) -> bool {
        let last = self.states.last().zip(self.records.last());
        self.target.format.plays()
            && last
                .and_then(|(state, record)| after_move(state, record))
                .is_some_and(|next| is_same(&next, &state.board()))
    }

    fn write(&mut self, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let Some(target) = self.target.format.row().target else {
            return Ok(());
        };
        let actions = vec![Action::Keep; self.records.len()];
        let kept = OutputRecords::new(self.target, &self.records, &self.states, &actions);
        (target.write)(kept, out, &mut Open::default())?;
        self.records.clear();
        self.states.clear();
        Ok(())
    }
}

//! Conversions between formats.
//!
//! A [`Conversion`] is a [`Codec`] that reads one format and writes another. Fields that the
//! target cannot hold are lost. A record that it cannot hold at all is invalid here, games as a
//! whole: a missing field, a score of too many bits, an inexpressible castling right, an
//! illegal played move where moves are replayed. Blocks are still converted independently and
//! in any order: with [`whole_games`] no game or chain spans two of them.

use std::borrow::Cow;

use super::{Actions, Block, Codec, Cut, Decoded, EncodeError, Format, Open, State};
use crate::Capture;
use crate::backend::RawAnswer;

mod aside;
mod edges;
mod parts;
mod target;
mod writer;
mod written;

pub use edges::whole_games;
pub use parts::Refused;
use target::Target;
pub use writer::Writer;
pub(crate) use written::{Kept, Written, no_place_for_white_in_16_bits, no_place_in_16_bits};

/// Reads one format and writes another.
///
/// Invalid records are never written: only their own format has a place for them.
pub struct Conversion {
    from: Box<dyn Codec>,
    reads: Format,
    to: Target,
}

impl Conversion {
    /// Converts from a format, read by its codec, to another; or copies in the same one.
    ///
    /// A record without a score gets [`VALUE_NONE`] if trainers skip that in the target format,
    /// and is invalid otherwise.
    ///
    /// # Errors
    ///
    /// [`Refused`] if records of `from` never hold a field that `to` needs, or `to` can only be
    /// read.
    pub fn new(from: Format, codec: Box<dyn Codec>, to: Format) -> Result<Conversion, Refused> {
        let to = if from == to && to.is_writable() {
            Target::copy(to)
        } else {
            parts::possible(from, to)?;
            Target::new(to)
        };
        Ok(Conversion {
            from: codec,
            reads: from,
            to,
        })
    }

    /// Gives this score, from the side to move's view, to all records without one.
    #[must_use]
    pub const fn scoring(mut self, score: i16) -> Conversion {
        self.to.unscored = Some(score as i32);
        self
    }

    /// Accepts records without a score for any target format; the encoder leaves them out.
    #[must_use]
    pub const fn omitting_unscored(mut self) -> Conversion {
        self.to.omits_unscored = true;
        self
    }

    /// Treats records with illegal played moves as invalid, for any target format.
    #[must_use]
    pub const fn checking_moves(mut self) -> Conversion {
        self.to.checks_moves = true;
        self
    }

    /// Computes what depends on the decoded records.
    fn finish(&self, block: &Block, into: &mut Decoded) {
        if self.to.copies && self.reads.plays() {
            // Their games are not played through once more.
            return self.set_aside(block, into);
        }
        if self.to.needs_states() {
            into.find_states(&*self.from, block);
        } else {
            into.find_bare_states();
        }
        self.set_aside(block, into);
    }
}

impl Codec for Conversion {
    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize> {
        let at = self.from.decode_part(block, from, records, into);
        self.finish(block, into);
        at
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        self.from.fen(block, decoded, record)
    }

    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        open: &mut Open,
    ) -> Result<(), EncodeError> {
        if self.to.copies {
            return self.from.encode_part(block, decoded, actions, out, open);
        }
        let Some(target) = self.to.format.row().target else {
            return Err(EncodeError::ReadOnly(self.to.format.name()));
        };
        let (records, states) = (&decoded.records, &decoded.states);
        let kept = Kept::new(self.to, records, states, actions.records);
        (target.write)(kept, out, open)
    }

    fn format(&self) -> Format {
        self.reads
    }

    fn cut(&self, block: &Block, from: usize, records: usize) -> Option<Cut> {
        let cut = self.to.copies.then(|| self.from.cut(block, from, records));
        cut.flatten()
    }

    fn outline(&self, block: &Block, cut: &Cut, answers: &[RawAnswer], into: &mut Decoded) {
        self.from.outline(block, cut, answers, into);
    }

    fn replay(&self, unit: &[u8], found: &mut dyn FnMut(&State, Option<Capture>)) {
        self.from.replay(unit, found);
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        if decoded.states.is_empty() || !self.to.needs_states() {
            return self.from.states(block, decoded, found);
        }
        let states = decoded.states.iter().enumerate();
        states.for_each(|(i, state)| found(i, state));
    }
}

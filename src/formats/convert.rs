//! Conversions between formats.
//!
//! A [`Conversion`] is a [`Codec`] that reads one format and writes another. Fields that the
//! target cannot hold are lost. A record that it cannot hold at all is invalid here, games as a
//! whole: a missing field, a score of too many bits, an inexpressible castling right, an
//! illegal played move where moves are replayed. Blocks are still converted independently and
//! in any order: with [`whole_games`] no game or chain spans two of them.

use std::borrow::Cow;

use super::part::Part;
use super::{Block, Codec, Decoded, EncodeError, Fates, Format, Open, State};

mod aside;
mod edges;
mod parts;
mod written;

pub use edges::whole_games;
pub use parts::Refused;
use written::Scores;
pub(crate) use written::{Kept, no_place_for_white_in_16_bits, no_place_in_16_bits};

/// Reads one format and writes another.
///
/// Invalid records are never written: only their own format has a place for them.
pub struct Conversion {
    from: Box<dyn Codec>,
    reads: Format,
    to: Format,
    scores: Scores,
    omits_unscored: bool,
    checks_moves: bool,
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
        let copies = from == to && to.is_writable();
        if !copies {
            parts::possible(from, to)?;
        }
        Ok(Conversion {
            from: codec,
            reads: from,
            to,
            scores: Scores::of(to),
            omits_unscored: false,
            checks_moves: to.plays() && !copies,
        })
    }

    /// Gives this score, from the side to move's view, to all records without one.
    #[must_use]
    pub const fn scoring(mut self, score: i16) -> Conversion {
        self.scores.unscored = Some(score as i32);
        self
    }

    /// Accepts records without a score for any target format; the encoder leaves them out.
    #[must_use]
    pub const fn omitting_unscored(mut self) -> Conversion {
        self.omits_unscored = true;
        self
    }

    /// Treats records with illegal played moves as invalid, for any target format.
    #[must_use]
    pub const fn checking_moves(mut self) -> Conversion {
        self.checks_moves = true;
        self
    }

    /// Copies byte for byte, in the same format.
    fn copies(&self) -> bool {
        self.reads == self.to
    }

    /// Whether castling rights and clocks are needed.
    fn needs_states(&self) -> bool {
        self.to.holds(Part::Castling) || self.checks_moves
    }

    /// Computes what depends on the decoded records.
    fn finish(&self, block: &Block, into: &mut Decoded) {
        if self.copies() && self.reads.plays() {
            // Their games are not played through once more.
            return self.set_aside(block, into);
        }
        if self.needs_states() {
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
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        open: &mut Open,
    ) -> Result<(), EncodeError> {
        if self.copies() {
            return self.from.encode_part(block, decoded, fates, out, open);
        }
        match self.to.row().target {
            Some(target) => (target.write)(Kept::new(self.scores, decoded, fates), out, open),
            None => Err(EncodeError::ReadOnly(self.to.name())),
        }
    }

    fn format(&self) -> Format {
        self.reads
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        if decoded.states.is_empty() || !self.needs_states() {
            return self.from.states(block, decoded, found);
        }
        let states = decoded.records.iter().zip(&decoded.states);
        states
            .enumerate()
            .for_each(|(i, (_, state))| found(i, state));
    }
}

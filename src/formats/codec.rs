//! Decoding blocks, and encoding their records in the same format or another.
//!
//! A [`Reader`] cuts a stream into [`Block`]s of whole records without decoding them. A
//! [`Codec`], shared by all workers, decodes a block into records, and encodes the kept ones.
//! Both depend only on the block, so blocks may be worked on in any order, on any thread; only
//! reading and writing are in order.
//!
//! [`Reader`]: super::Reader

use core::ops::Range;
use std::io::Read;

use super::convert::Target;
use super::cut::Cut;
use super::isa::Features;
use super::{
    Action, Actions, Block, DecodedPart, Field, Format, OpenEnd, Reader, Record, Required,
};
use crate::{CpuPath, ParseError};

/// Decodes blocks of one format and encodes their records, in the same format or another; shared
/// by all workers.
///
/// In the same format, records are copied byte for byte. In another one, fields that it cannot
/// hold are lost, and a record that it cannot hold at all is invalid, games as a whole: a missing
/// field, a score of too many bits, an inexpressible castling right, an illegal played move where
/// moves are replayed. Blocks are still converted independently and in any order: with
/// [`Reader::of_whole_games`](super::Reader::of_whole_games) no game or chain spans two of them.
pub struct Codec {
    pub(super) format: Format,
    features: Features,
    pub(crate) target: Target,
    required: Required,
}

impl Format {
    /// A reader of a stream, and the codec of its blocks of roughly `block_bytes`.
    #[doc(hidden)]
    pub fn open<'a>(self, input: impl Read + Send + 'a, block_bytes: usize) -> (Reader<'a>, Codec) {
        let reader = Reader::new(self.spec(), input, block_bytes);
        (reader, self.codec())
    }

    /// The codec of its blocks, which writes records as they were read.
    pub fn codec(self) -> Codec {
        self.codec_on(CpuPath::best())
    }

    /// The same by this CPU path, if the format has several.
    pub fn codec_on(self, path: CpuPath) -> Codec {
        Codec {
            format: self,
            features: Features::of(path),
            target: Target {
                copies: true,
                checks_moves: false,
                ..Target::new(self)
            },
            required: Required::ALL,
        }
    }
}

impl Codec {
    /// Writes another format; or copies in the same one. Invalid records are then never written:
    /// only their own format has a place for them.
    ///
    /// A record without a score gets [`VALUE_NONE`](super::VALUE_NONE) if trainers skip that in
    /// the other format, and is invalid otherwise.
    ///
    /// # Errors
    ///
    /// If the records read never hold a field that `to` needs, or `to` can only be read.
    pub fn converting_to(mut self, to: Format) -> Result<Codec, ParseError> {
        let from = self.format;
        if from == to && to.is_writable() {
            return Ok(self);
        }
        let target = Target::of_any(to)?;
        if let Some(lacks) = to.spec().needs.iter().find(|&&field| !from.holds(field)) {
            let (from, to) = (from.name(), to.name());
            return Err(ParseError::new(format!(
                "{from} cannot be converted to {to}: it holds no {lacks}, which {to} needs"
            )));
        }
        self.target = target;
        Ok(self)
    }

    /// Writes another format, or all records of the same one anew, each by itself if asked for one
    /// by one.
    ///
    /// # Errors
    ///
    /// Like [`Codec::converting_to`].
    pub(crate) fn rewriting_to(mut self, to: Format) -> Result<Codec, ParseError> {
        if self.format != to {
            return self.converting_to(to);
        }
        self.target = Target::of_any(to)?;
        Ok(self)
    }

    /// Appends those of a unit's records that are not dropped: of a game or a chain, or one
    /// record. The actions are those of the unit's records.
    pub(crate) fn encode_unit(
        &self,
        block: &Block,
        decoded: &DecodedPart,
        unit: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        if self.target.copies {
            let code = self.format.code();
            return code.select_unit(self.features, block, decoded, unit, actions, out);
        }
        let start = out.len();
        let target = &self.target;
        target.write_from(unit.start, decoded, actions, out, &mut OpenEnd::default());
        target.format.code().remove_frame(start, out);
    }

    /// Treats records with illegal played moves as invalid, for any format.
    #[must_use]
    pub const fn checking_moves(mut self) -> Codec {
        self.target.checks_moves = true;
        self
    }

    /// Passes over what cannot be read of a line, if it is not required. By default all is.
    #[must_use]
    pub const fn requiring(mut self, required: Required) -> Codec {
        self.required = required;
        self
    }

    /// The format read.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Decodes a block into `into`, which is emptied first; its memory is reused.
    pub fn decode(&self, block: &Block, into: &mut DecodedPart) {
        self.decode_part(block, 0, usize::MAX, into);
    }

    /// Decodes a part of a block from a byte offset on (0 at first): roughly this many records,
    /// and whole games or chains. Returns the start of the next part, or `None` after the last.
    ///
    /// Formats with very small records have parts, to bound memory; others decode all at once.
    pub fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut DecodedPart,
    ) -> Option<usize> {
        let code = self.format.code();
        let next = code.decode(self.features, block, from, records, into);
        if !into.notes.fens.unread.is_empty() {
            into.refuse_unread(self.required);
        }
        let target = self.target;
        if target.copies && !target.checks_moves {
            return next;
        }
        // Games that are copied are not played through once more.
        let is_copied_game = target.copies && self.format.replays_moves();
        let needs_states =
            target.format.holds(Field::Castling) || target.checks_moves || !into.states.is_empty();
        if needs_states && !is_copied_game {
            self.states(block, into);
        }
        if !target.copies && target.format.holds(Field::Clocks) {
            target.note_clocks(block, into);
        }
        self.set_aside(is_copied_game, block, into);
        next
    }

    /// The records with castling rights and clocks, computed on demand. Castling rights without a
    /// rook are dropped and noted.
    pub fn states<'a>(&self, block: &Block, decoded: &'a mut DecodedPart) -> &'a [Record] {
        if decoded.states.is_empty() {
            let mut states = core::mem::take(&mut decoded.states);
            let code = self.format.code();
            code.states(self.features, block, decoded, &mut states);
            decoded.states = states;
        }
        decoded.drop_lost_rights();
        for (state, fields) in decoded.states.iter_mut().zip(&decoded.records) {
            state.fields = *fields;
        }
        &decoded.states
    }

    /// Appends the records of a part of a block that are not dropped to `out`. `open` is the state
    /// left by the parts before it, empty at first.
    pub fn encode_part(
        &self,
        block: &Block,
        decoded: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        open: &mut OpenEnd,
    ) {
        if self.target.copies {
            let code = self.format.code();
            return code.select(self.features, block, decoded, actions, out, open);
        }
        self.target.write(decoded, actions.records, out, open);
    }

    /// The bytes of a game or chain, of what was written for a
    /// [block of its own](Cut::block_of).
    pub(crate) fn unframed(&self, mut written: Vec<u8>) -> Vec<u8> {
        self.format.code().remove_frame(0, &mut written);
        written
    }

    /// Cuts a block into games or chains, for a device that filters them; `None` if that needs
    /// decoding, or another format is written.
    pub fn cut(&self, block: &Block) -> Option<Cut> {
        if !self.target.copies {
            return None;
        }
        self.format.code().cut(block)
    }
}

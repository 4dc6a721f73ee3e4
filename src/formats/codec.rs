//! Decoding blocks, and encoding their records in the same format or another.
//!
//! A [`Reader`] cuts a stream into [`Block`]s of whole records without decoding them. A
//! [`Codec`], shared by all workers, decodes a block into records, and encodes the kept ones.
//! Both depend only on the block, so blocks may be worked on in any order, on any thread; only
//! reading and writing are in order.
//!
//! ```
//! use swaplist::formats::{Decoded, Action, Actions, Format};
//!
//! let text = "8/8/4k3/8/8/4K3/8/8 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 b - - | 12 | 0.5\n";
//! let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
//! let block = reader.next_block()?.expect("there are records");
//! let mut decoded = Decoded::default();
//! codec.decode(&block, &mut decoded);
//! assert_eq!(decoded.records[1].score(), Some(-12)); // from the side to move
//!
//! let mut kept = Vec::new();
//! let actions = Actions { records: &[Action::Drop, Action::Keep], invalid: false };
//! codec.encode(&block, &decoded, &actions, &mut kept)?;
//! assert_eq!(kept, text.as_bytes()[30..]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Reader`]: super::Reader

use core::fmt;
use core::ops::Range;

use super::convert::{OutputRecords, Target};
use super::cut::Cut;
use super::{
    Action, Actions, Block, Decoded, Fault, Field, Format, Invalid, Open, RecordError, State,
};
use crate::backend::{Coding, RawAnswer};
use crate::{Capture, Position};

/// The half of a format that reads: what its own file implements. The other half, which writes
/// records of other formats, is a column of the table.
pub(super) trait Decode: Send + Sync {
    /// Decodes a part of a block, as [`Codec::decode_part`].
    fn decode(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize>;

    /// Calls `found` with each record's number and its position, castling rights and clocks, in
    /// order.
    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        for (record, position) in decoded.positions.iter().enumerate() {
            let fen = decoded.fen_bytes(block, record).unwrap_or_default();
            let state = State::of_ascii(fen, *position);
            found(
                record,
                &state.map_or(State::bare(*position), |(state, _)| state),
            );
        }
    }

    /// Appends the records that are not dropped, as they were or marked.
    fn select(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _open: &mut Open,
    ) {
        let mark = |record: &[u8], out: &mut Vec<u8>| self.mark(record, out);
        select_in_order(block, decoded, actions, out, &mark);
    }

    /// Appends a record so that trainers skip it, in formats that can mark.
    fn mark(&self, _record: &[u8], _out: &mut Vec<u8>) {}

    /// Cuts a part like [`decode`](Decode::decode)'s into games or chains for a device that
    /// decodes them; `None` if it cannot be cut without decoding.
    fn cut(&self, _block: &Block, _from: usize, _records: usize) -> Option<Cut> {
        None
    }

    /// Adds the records of such a part, without positions, to `into`, which is empty. The
    /// device decoded them all.
    fn outline(&self, _block: &Block, _cut: &Cut, _answers: &[RawAnswer], _into: &mut Decoded) {}
}

/// Appends independent records that are not dropped, and the invalid ones between them if asked
/// for.
pub(super) fn select_in_order(
    block: &Block,
    decoded: &Decoded,
    actions: &Actions<'_>,
    out: &mut Vec<u8>,
    mark: &dyn Fn(&[u8], &mut Vec<u8>),
) {
    if block.continued && actions.invalid {
        out.extend_from_slice(&block.bytes);
    }
    let invalid = decoded.invalid.iter().filter(|_| actions.invalid);
    let mut invalid = invalid.map(|error| &error.span).peekable();
    let copy = |span: &Range<u32>, out: &mut Vec<u8>| out.extend_from_slice(block.slice(span));
    for (record, action) in decoded.records.iter().zip(actions.records) {
        let span = record.span();
        while let Some(invalid) = invalid.next_if(|invalid| invalid.start < span.start) {
            copy(invalid, out);
        }
        match action {
            Action::Drop => {}
            Action::Keep => copy(&span, out),
            Action::Mark => mark(block.slice(&span), out),
        }
    }
    invalid.for_each(|span| copy(span, out));
}

/// The [`states`](Decode::states) of records in games or chains, each of which `replay` plays
/// through.
pub(super) fn replayed_states(
    block: &Block,
    decoded: &Decoded,
    found: &mut dyn FnMut(usize, &State),
    replay: impl Fn(&[u8], &mut dyn FnMut(&State)),
) {
    let mut end = 0;
    for unit in decoded.units() {
        let mut record = end;
        end += unit.len();
        replay(block.slice(&unit[0].span()), &mut |state| {
            if record < end {
                found(record, state);
                record += 1;
            }
        });
    }
}

/// Decodes blocks of one format and encodes their records, in the same format or another; shared
/// by all workers.
///
/// In the same format, records are copied byte for byte. In another one, fields that it cannot
/// hold are lost, and a record that it cannot hold at all is invalid, games as a whole: a missing
/// field, a score of too many bits, an inexpressible castling right, an illegal played move where
/// moves are replayed. Blocks are still converted independently and in any order: with
/// [`whole_games`](super::whole_games) no game or chain spans two of them.
pub struct Codec {
    format: Format,
    decoder: Box<dyn Decode>,
    target: Target,
}

impl Codec {
    /// Writes records as they were read.
    pub(super) fn new(format: Format, decoder: Box<dyn Decode>) -> Codec {
        Codec {
            format,
            decoder,
            target: Target::copy(format),
        }
    }

    /// Writes another format; or copies in the same one. Invalid records are then never written:
    /// only their own format has a place for them.
    ///
    /// A record without a score gets [`VALUE_NONE`](super::VALUE_NONE) if trainers skip that in the other format,
    /// and is invalid otherwise.
    ///
    /// # Errors
    ///
    /// [`Refused`] if the records read never hold a field that `to` needs, or `to` can only be
    /// read.
    pub fn converting_to(mut self, to: Format) -> Result<Codec, Refused> {
        let from = self.format;
        if from == to && to.is_writable() {
            return Ok(self);
        }
        let mut needed = to.row().needs.iter().copied();
        let lacks = needed.find(|&field| !from.holds(field));
        if lacks.is_some() || !to.is_convertible_to() {
            return Err(Refused { from, to, lacks });
        }
        self.target = Target::new(to);
        Ok(self)
    }

    /// Gives this score, from the side to move's view, to all records without one.
    #[must_use]
    pub const fn scoring(mut self, score: i16) -> Codec {
        self.target.unscored = Some(score as i32);
        self
    }

    /// Accepts records without a score for any format; the encoder leaves them out.
    #[must_use]
    pub const fn omitting_unscored(mut self) -> Codec {
        self.target.omits_unscored = true;
        self
    }

    /// Treats records with illegal played moves as invalid, for any format.
    #[must_use]
    pub const fn checking_moves(mut self) -> Codec {
        self.target.checks_moves = true;
        self
    }

    /// The format read.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Decodes a block into `into`, which is emptied first; its memory is reused.
    pub fn decode(&self, block: &Block, into: &mut Decoded) {
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
        into: &mut Decoded,
    ) -> Option<usize> {
        let next = self.decoder.decode(block, from, records, into);
        let Target {
            copies,
            checks_moves,
            ..
        } = self.target;
        if !copies || checks_moves {
            // Games that are copied are not played through once more.
            if !(copies && self.format.plays()) {
                self.find_target_states(block, into);
            }
            self.target.set_aside(self, block, into);
        }
        next
    }

    fn find_target_states(&self, block: &Block, into: &mut Decoded) {
        if self.target.needs_states() {
            self.find_states(block, into);
        } else {
            into.find_bare_states();
        }
    }

    /// Fills in the states of all records.
    pub(super) fn find_states(&self, block: &Block, into: &mut Decoded) {
        into.find_bare_states();
        let mut states = core::mem::take(&mut into.states);
        self.states(block, into, &mut |record, state| states[record] = *state);
        into.states = states;
    }

    /// Calls `found` with each record's number and its position, castling rights and clocks, in
    /// order.
    pub fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        self.decoder.states(block, decoded, found);
    }

    /// Appends the records that are not dropped to `out`.
    ///
    /// # Errors
    ///
    /// If the format cannot hold a record, or be written at all.
    pub fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        self.encode_part(block, decoded, actions, out, &mut Open::default())
    }

    /// Like [`Codec::encode`], for consecutive parts of a block. `open` is the state left by
    /// the previous parts, empty at first.
    ///
    /// # Errors
    ///
    /// As for [`Codec::encode`].
    pub fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        open: &mut Open,
    ) -> Result<(), RecordError> {
        if let Some(target) = self.target.format.row().target
            && !self.target.copies
        {
            let (records, states) = (&decoded.records, &decoded.states);
            let kept = OutputRecords::new(self.target, records, states, actions.records);
            return (target.write)(kept, out, open);
        }
        let unwritable =
            |message| Err(Invalid::new(Fault::Unwritable, message).at(block.start, 0..0));
        if !self.format.is_writable() && !actions.records.is_empty() {
            return unwritable(read_only(self.format));
        }
        if !self.format.can_mark() && actions.records.contains(&Action::Mark) {
            return unwritable(self.format.no_mark());
        }
        self.decoder.select(block, decoded, actions, out, open);
        Ok(())
    }

    /// Cuts a part like [`Codec::decode_part`]'s into games or chains for a device that decodes
    /// them; `None` if it cannot be cut without decoding.
    #[doc(hidden)]
    #[must_use]
    pub fn cut(&self, block: &Block, from: usize, records: usize) -> Option<Cut> {
        self.decoder
            .cut(block, from, records)
            .filter(|_| self.target.copies)
    }

    /// Adds the records of such a part, without positions, to `into`, which is empty. The
    /// device decoded them all.
    #[doc(hidden)]
    pub fn outline(&self, block: &Block, cut: &Cut, answers: &[RawAnswer], into: &mut Decoded) {
        self.decoder.outline(block, cut, answers, into);
    }

    /// A unit of a cut, decoded here: its positions and the moves played in them.
    pub(crate) fn unit_of(
        &self,
        block: &Block,
        cut: &Cut,
        unit: usize,
    ) -> Vec<(Position, Option<Capture>)> {
        let raw = cut.raw(&block.bytes);
        let [start, end] = [unit, unit + 1].map(|unit| raw.unit(unit).start as usize);
        let bytes = &raw.bytes[start..end];
        let mut framed = Vec::with_capacity(bytes.len());
        if raw.coding == Coding::Binpack {
            super::binpack::put_header(&mut framed, bytes.len());
        }
        framed.extend_from_slice(bytes);
        let mut decoded = Decoded::default();
        let block = Block::new(framed, block.start);
        self.decoder.decode(&block, 0, usize::MAX, &mut decoded);
        // Other chains may follow if one was cut wrongly.
        let own = decoded.units().next().unwrap_or_default().iter();
        let own = own.zip(decoded.positions.iter());
        own.map(|(record, position)| (*position, record.played()))
            .collect()
    }
}

fn read_only(format: Format) -> String {
    let name = format.name();
    format!("{name} can only be read, choose another format to write")
}

/// Why a format cannot be written, or not from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The format read.
    pub from: Format,
    /// The format asked for.
    pub to: Format,
    /// What `to` needs and `from` never holds; `None` if `to` can only be read.
    pub lacks: Option<Field>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to, lacks) = (self.from.name(), self.to.name(), self.lacks);
        let Some(lacks) = lacks else {
            return f.write_str(&read_only(self.to));
        };
        write!(
            f,
            "{from} cannot be converted to {to}: it holds no {lacks}, which {to} needs"
        )
    }
}

impl core::error::Error for Refused {}

//! Files read and written in blocks.
//!
//! A [`Reader`] cuts a stream into [`Block`]s of whole records, one after the
//! other and without looking into them. A [`Codec`] is what workers share: it
//! decodes a block into records, and encodes those that are kept into bytes of
//! the same format. Both are pure functions of the block, so blocks may be
//! worked on in any order, on any thread; only reading and writing are in order.
//!
//! ```
//! use swaplist::formats::{Decoded, Fate, Fates, Format};
//!
//! let text = "8/8/4k3/8/8/4K3/8/8 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 b - - | 12 | 0.5\n";
//! let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
//! let block = reader.next_block()?.expect("there are records");
//! let mut decoded = Decoded::default();
//! codec.decode(&block, &mut decoded);
//! assert_eq!(decoded.records[1].score(), Some(-12)); // from the side to move
//!
//! let mut kept = Vec::new();
//! let fates = Fates { records: &[Fate::Drop, Fate::Keep], invalid: false };
//! codec.encode(&block, &decoded, &fates, &mut kept)?;
//! assert_eq!(kept, text.as_bytes()[30..]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::ops::Range;
use std::borrow::Cow;

use super::{EncodeError, Format, NamedMoves, Place, ReadError, Record, RecordError, State};
use crate::{Capture, Position};

/// Raw bytes that hold whole records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes, exactly as read.
    pub bytes: Vec<u8>,
    /// Where the first of them stands.
    pub start: Place,
    /// The block is the beginning of one record that is too long; the rest of
    /// that record was passed over.
    pub truncated: bool,
}

/// Cuts a stream into blocks.
pub trait Reader: Send {
    /// The next block, never empty, or `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] if the stream fails or cannot be cut any further. Nothing
    /// may be read after that.
    fn next_block(&mut self) -> Result<Option<Block>, ReadError>;

    /// Takes the bytes of a block back that is done with, for the memory to be used
    /// again.
    fn recycle(&mut self, _spent: Vec<u8>) {}

    /// From the next block on, about so many bytes are in each. Readers whose blocks
    /// have a size of their own, chunks or games, may take no notice.
    fn set_block_bytes(&mut self, _block_bytes: usize) {}
}

/// Decodes and encodes blocks; shared by all workers.
pub trait Codec: Send + Sync {
    /// Decodes a block. `into` is emptied first; its memory is used again.
    fn decode(&self, block: &Block, into: &mut Decoded) {
        self.decode_part(block, 0, usize::MAX, into);
    }

    /// Decodes a part of a block, from a byte offset on: about so many records, and
    /// whole games or chains. Where the next part begins, or `None` behind the last.
    /// The first part begins at 0.
    ///
    /// Formats that hold a record in a few bytes have parts, so that what is decoded
    /// stays small; the others decode all at once.
    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize>;

    /// The FEN of a decoded record, as it stands in the file if it does.
    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        let fen = decoded.fens.get(record).cloned().unwrap_or_default();
        super::text::text_of(slice(block, &fen))
    }

    /// Appends the records that are not dropped to `out`, in the format's bytes.
    ///
    /// # Errors
    ///
    /// An [`EncodeError`] if the format cannot express what is asked for.
    fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_part(block, decoded, fates, out, &mut Open::default())
    }

    /// As [`Codec::encode`], for one part of a block behind the other. `open` is what
    /// the parts before have left open in `out`; for the first, nothing.
    ///
    /// # Errors
    ///
    /// As [`Codec::encode`].
    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        _open: &mut Open,
    ) -> Result<(), EncodeError> {
        super::in_order::encode(self, block, decoded, fates, out)
    }

    /// Appends a record so that trainers skip it.
    ///
    /// # Errors
    ///
    /// An [`EncodeError`] if the format has no way to say so.
    fn mark(&self, _record: &[u8], _out: &mut Vec<u8>) -> Result<(), EncodeError> {
        Err(EncodeError::NoMark(self.format().name()))
    }

    /// The format that it reads.
    fn format(&self) -> Format;

    /// The format that it writes.
    fn written_format(&self) -> Format {
        self.format()
    }

    /// Whether records can be marked as skipped instead of dropped.
    fn can_mark(&self) -> bool {
        self.written_format().can_mark()
    }

    /// Whether marking is to be preferred to dropping ([`Format::prefers_mark`]).
    fn prefers_mark(&self) -> bool {
        self.written_format().prefers_mark()
    }

    /// Name of the record group, if records hang together ([`Format::units`]).
    fn units(&self) -> Option<&'static str> {
        self.format().units()
    }

    /// Calls `found` with each record's number and its position, castling rights
    /// and clocks, in order.
    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        for (record, position) in decoded.positions.iter().enumerate() {
            let fen = self.fen(block, decoded, record);
            found(record, &State::of_fen(&fen, *position));
        }
    }
}

/// The records of a block, in the file's order.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// Each record's position, ready for a backend.
    pub positions: Vec<Position>,
    /// What else each record holds; as many as positions.
    pub records: Vec<Record>,
    /// The moves named by those records that name some.
    pub named: NamedMoves,
    /// The bytes of each record's FEN in the block, where records hold FENs;
    /// empty elsewhere.
    pub fens: Vec<Range<u32>>,
    /// What is no record.
    pub invalid: Vec<RecordError>,
    /// Where in the block those games begin whose tag tells another result than what
    /// stands behind their moves, which is taken.
    pub contradicted: Vec<u32>,
    /// The bytes of the block that were decoded, where the format has parts.
    pub(crate) part: Range<u32>,
    /// Each record's position with castling rights and clocks, where they were asked for.
    pub(crate) states: Vec<State>,
    /// Where the scores stand in their chains' movetext, where there is such a text.
    pub(crate) scores: Vec<super::binpack::ScoreBits>,
}

impl Decoded {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.records.clear();
        self.named.clear();
        self.fens.clear();
        self.invalid.clear();
        self.contradicted.clear();
        self.part = 0..0;
        self.states.clear();
        self.scores.clear();
    }

    /// Fills in the states of all records, of which nothing is asked but positions.
    pub(crate) fn find_bare_states(&mut self) {
        let bare = self.positions.iter().map(|&position| State::bare(position));
        self.states.clear();
        self.states.extend(bare);
    }

    /// Fills in the states of all records.
    pub(crate) fn find_states(&mut self, codec: &dyn Codec, block: &Block) {
        self.find_bare_states();
        let mut states = core::mem::take(&mut self.states);
        codec.states(block, self, &mut |record, state| states[record] = *state);
        self.states = states;
    }

    /// The moves that a record names, where it names any.
    #[must_use]
    pub fn named_moves(&self, record: usize) -> Option<&[Capture]> {
        self.named.of(record)
    }
}

/// What the parts of a block that are written leave open: a chunk whose size is not
/// known before its last part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    pub(super) chunk: Option<super::binpack::OpenChunk>,
}

/// What becomes of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fate {
    /// It is left out.
    #[default]
    Drop,
    /// It is written as it was read.
    Keep,
    /// It is written so that trainers skip it.
    Mark,
}

/// What becomes of a block's records.
#[derive(Clone, Copy, Debug)]
pub struct Fates<'a> {
    /// One for each record.
    pub records: &'a [Fate],
    /// Whether the bytes of invalid ones are written too, as they were read.
    pub invalid: bool,
}

pub(crate) fn slice<'a>(block: &'a Block, span: &Range<u32>) -> &'a [u8] {
    block
        .bytes
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

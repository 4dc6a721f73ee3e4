//! Reading and writing files in blocks.
//!
//! A [`Reader`] cuts a stream into [`Block`]s of whole records without decoding them. A
//! [`Codec`], shared by all workers, decodes a block into records, and encodes the kept ones in
//! the same format. Both depend only on the block, so blocks may be worked on in any order, on
//! any thread; only reading and writing are in order.
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

use core::ops::Range;
use std::borrow::Cow;

use super::cut::Cut;
use super::{EncodeError, Format, Invalid, Place, ReadError, Record, RecordError, State};
use crate::backend::RawAnswer;
use crate::{Capture, Position};

/// Bytes of whole records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes, exactly as read.
    pub bytes: Vec<u8>,
    /// The place of the first byte.
    pub start: Place,
    /// The block is the beginning of an overlong line, which the next blocks continue.
    pub truncated: bool,
    /// The block continues an overlong line: it holds no record.
    pub continued: bool,
}

impl Block {
    pub(super) const fn new(bytes: Vec<u8>, start: Place) -> Block {
        Block {
            bytes,
            start,
            truncated: false,
            continued: false,
        }
    }

    /// Whether it is a part of an overlong line.
    pub(super) const fn is_part_of_line(&self) -> bool {
        self.truncated || self.continued
    }

    /// These bytes; none if they are not there.
    pub(crate) fn slice(&self, span: &Range<u32>) -> &[u8] {
        let span = span.start as usize..span.end as usize;
        self.bytes.get(span).unwrap_or_default()
    }
}

/// Cuts a stream into blocks.
pub trait Reader: Send {
    /// The next block, never empty, or `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] if the stream fails or cannot be cut further. Do not read after that.
    fn next_block(&mut self) -> Result<Option<Block>, ReadError>;

    /// Takes back a used block, to reuse its memory.
    fn recycle(&mut self, _spent: Vec<u8>) {}

    /// Sets the size of the following blocks, roughly. Readers of chunks or games may ignore
    /// it.
    fn set_block_bytes(&mut self, _block_bytes: usize) {}
}

/// Decodes and encodes blocks; shared by all workers.
pub trait Codec: Send + Sync {
    /// Decodes a block into `into`, which is emptied first; its memory is reused.
    fn decode(&self, block: &Block, into: &mut Decoded) {
        self.decode_part(block, 0, usize::MAX, into);
    }

    /// Decodes a part of a block from a byte offset on (0 at first): roughly this many records,
    /// and whole games or chains. Returns the start of the next part, or `None` after the last.
    ///
    /// Formats with very small records have parts, to bound memory; others decode all at once.
    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize>;

    /// The FEN of a decoded record, borrowed from the file if it is there.
    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        if self.format().units().is_some() {
            return replayed_fen(self, block, decoded, record).into();
        }
        let fen = decoded.fens.get(record).cloned().unwrap_or_default();
        super::text::text_of(block.slice(&fen))
    }

    /// Appends the records that are not dropped to `out`, in the format's bytes.
    ///
    /// # Errors
    ///
    /// An [`EncodeError`] if the format cannot express the result.
    fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_part(block, decoded, actions, out, &mut Open::default())
    }

    /// Like [`Codec::encode`], for consecutive parts of a block. `open` is the state left by
    /// the previous parts, empty at first.
    ///
    /// # Errors
    ///
    /// As for [`Codec::encode`].
    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _open: &mut Open,
    ) -> Result<(), EncodeError> {
        super::in_order::encode(self, block, decoded, actions, out)
    }

    /// Appends a record so that trainers skip it.
    ///
    /// # Errors
    ///
    /// An [`EncodeError`] if the format cannot mark records.
    fn mark(&self, _record: &[u8], _out: &mut Vec<u8>) -> Result<(), EncodeError> {
        Err(EncodeError::NoMark(self.format().name()))
    }

    /// The input format.
    fn format(&self) -> Format;

    /// Calls `found` with each record's number and its position, castling rights
    /// and clocks, in order.
    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        if self.format().units().is_some() {
            return replayed_states(self, block, decoded, found);
        }
        for (record, position) in decoded.positions.iter().enumerate() {
            // Where it is in the block, it need not be a `str`.
            let fen = decoded.fens.get(record);
            let there = fen.and_then(|fen| State::of_ascii(block.slice(fen), *position));
            let state = match there {
                Some((state, _)) => state,
                None => State::of_fen(&self.fen(block, decoded, record), *position),
            };
            found(record, &state);
        }
    }

    /// Cuts a part like [`Codec::decode_part`]'s into games or chains for a device that decodes
    /// them; `None` if it cannot be cut without decoding.
    #[doc(hidden)]
    fn cut(&self, _block: &Block, _from: usize, _records: usize) -> Option<Cut> {
        None
    }

    /// Adds the records of such a part, without positions, to `into`, which is empty. The
    /// device decoded them all.
    #[doc(hidden)]
    fn outline(&self, _block: &Block, _cut: &Cut, _answers: &[RawAnswer], _into: &mut Decoded) {}

    /// Calls `found` with each position of a game or chain and the move played in it, up to a
    /// fault.
    fn replay(&self, _unit: &[u8], _found: &mut dyn FnMut(&State, Option<Capture>)) {}
}

/// A unit of a cut, decoded here: its positions and the moves played in them.
#[must_use]
pub fn unit_of(
    codec: &dyn Codec,
    block: &Block,
    cut: &Cut,
    unit: usize,
) -> Vec<(Position, Option<Capture>)> {
    let raw = cut.raw(&block.bytes);
    let [start, end] = [unit, unit + 1].map(|unit| raw.unit(unit).start as usize);
    let bytes = &raw.bytes[start..end];
    if raw.coding.record_bytes().is_some() {
        let mut decoded = Decoded::default();
        codec.decode(&Block::new(bytes.to_vec(), block.start), &mut decoded);
        return decoded
            .positions
            .into_iter()
            .map(|position| (position, None))
            .collect();
    }
    let mut found = Vec::new();
    codec.replay(bytes, &mut |state, played| {
        found.push((state.position, played));
    });
    found
}

/// The states of all records, replaying their games or chains.
fn replayed_states(
    codec: &(impl Codec + ?Sized),
    block: &Block,
    decoded: &Decoded,
    found: &mut dyn FnMut(usize, &State),
) {
    let mut end = 0;
    for unit in decoded.units() {
        let mut record = end;
        end += unit.len();
        codec.replay(block.slice(&unit[0].span()), &mut |state, _| {
            if record < end {
                found(record, state);
                record += 1;
            }
        });
    }
}

/// The FEN of one record, replaying its game or chain up to it.
fn replayed_fen(
    codec: &(impl Codec + ?Sized),
    block: &Block,
    decoded: &Decoded,
    record: usize,
) -> String {
    let mut left = decoded.index_in_unit(record) + 1;
    let mut fen = None;
    codec.replay(
        block.slice(&decoded.records[record].span()),
        &mut |state, _| {
            left = left.wrapping_sub(1);
            if left == 0 {
                fen = Some(state.to_xfen());
            }
        },
    );
    fen.unwrap_or_else(|| decoded.positions[record].to_string())
}

/// The records of a block, in order.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// Each record's position, ready for a backend.
    pub positions: Vec<Position>,
    /// The other fields of each record.
    pub records: Vec<Record>,
    /// The bytes of each record's FEN in the block, in formats with FENs; else empty.
    pub fens: Vec<Range<u32>>,
    /// Records that failed to decode.
    pub invalid: Vec<RecordError>,
    /// Records that decoded, but were taken out with an invalid one: of its game or chain, or itself
    /// one that the output format cannot hold.
    pub(crate) taken_out: u64,
    /// The offsets of games whose result tag contradicts the end of the movetext, which counts.
    pub contradicted: Vec<u32>,
    /// The offsets of games, one for each score in a comment that was clamped below mates.
    pub clamped: Vec<u32>,
    /// The records that name moves, in order, with their moves.
    pub(super) named: Vec<(usize, Vec<Capture>)>,
    /// The number of bytes decoded, in formats with parts.
    pub(crate) part: Range<u32>,
    /// Each record's position with castling rights and clocks, if asked for.
    pub(crate) states: Vec<State>,
    /// The places of scores in their chains' movetext, in binpacks.
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
        self.taken_out = 0;
        self.contradicted.clear();
        self.clamped.clear();
        self.part = 0..0;
        self.states.clear();
        self.scores.clear();
    }

    /// The bits of a record's score in its chain's movetext, in binpacks. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn score_bits(&self, record: usize) -> Range<usize> {
        let bits = self.scores[record];
        bits.start()..bits.end()
    }

    /// Adds a record that failed to decode.
    pub(super) fn refuse(&mut self, block: &Block, span: Range<u32>, reason: impl Into<Invalid>) {
        let place = block.start.plus(span.start);
        self.invalid.push(RecordError::new(place, span, reason));
    }

    /// Fills in the states of all records from their positions alone.
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

    /// The records of each game or chain: their spans are those of the whole group.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[Record]> {
        self.records
            .chunk_by(|a, b| a.span().start == b.span().start)
    }

    /// A record's index in its game or chain.
    pub(super) fn index_in_unit(&self, record: usize) -> usize {
        let start = self.records[record].span().start;
        let begins_before = |other: &Record| other.span().start < start;
        record - self.records.partition_point(begins_before)
    }

    /// The moves that a record names, if any.
    #[must_use]
    pub fn named_moves(&self, record: usize) -> Option<&[Capture]> {
        let found = self.named.binary_search_by_key(&record, |named| named.0);
        Some(&self.named[found.ok()?].1)
    }
}

/// The state between the written parts of a block: a chunk whose size is known only after its
/// last part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    pub(super) chunk: Option<super::binpack::OpenChunk>,
}

/// An action on a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave it out.
    #[default]
    Drop,
    /// Write it as read.
    Keep,
    /// Write it so that trainers skip it.
    Mark,
}

/// The actions on a block's records.
#[derive(Clone, Copy, Debug)]
pub struct Actions<'a> {
    /// One per record.
    pub records: &'a [Action],
    /// Whether to write the bytes of invalid records, too.
    pub invalid: bool,
}

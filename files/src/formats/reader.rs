//! Reading a stream in blocks of whole records, in bounded memory.

use std::io::{ErrorKind, Read};

use super::detect::{UTF16, is_utf16};
use super::error::MAX_LINE;
use super::spec::{FormatSpec, Naming, WholeRecords};
use super::{Block, Codec, Field, Format, LabelColumns, Place, ReadError, games};

/// The largest block of a binary format: spans must fit in 32 bits, and memory stays small.
const MAX_BLOCK: usize = 64 << 20;

/// Longer games are cut, so that memory stays small.
const LONGEST_GAME: usize = 1 << 20;

/// Cuts a stream into blocks of whole records, games or chunks. An incomplete one at the end
/// belongs to the last block, where decoding reports it.
#[must_use]
pub struct Reader<'a> {
    input: Box<dyn Read + Send + 'a>,
    spec: &'static FormatSpec,
    block_bytes: usize,
    /// Bytes read, but not yet part of a block: at most one incomplete record or game.
    rest: Vec<u8>,
    /// Buffers of finished blocks, with their old content: to clear them would take a tenth of a
    /// filter's time.
    spare: Vec<Vec<u8>>,
    /// The place of the next block.
    at: u64,
    /// Whether `rest` begins with whole records: the last block had as many as it may have.
    has_whole: bool,
    /// Whether the stream has ended.
    ended: bool,
    /// Finds the games of independent records, where blocks shall not cut them.
    games: Option<Codec>,
    /// What the header says, once it is read.
    columns: u64,
    /// The column of the FEN in a table, if it was named.
    fen_column: Option<String>,
    /// The columns of the score and the result in a table, if they were named.
    labels: LabelColumns,
}

impl Format {
    /// A reader of a stream, and the codec of its blocks of roughly `block_bytes`.
    pub(crate) fn open<'a>(
        self,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Reader<'a>, Codec) {
        let reader = Reader::new(self.spec(), input, block_bytes);
        (reader, self.codec())
    }
}

impl<'a> Reader<'a> {
    /// Reads about `block_bytes` at a time.
    pub(super) fn new(
        spec: &'static FormatSpec,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> Reader<'a> {
        let mut reader = Reader {
            input: Box::new(input),
            spec,
            block_bytes: 0,
            rest: Vec::new(),
            spare: Vec::new(),
            at: spec.is_text.into(),
            has_whole: false,
            ended: false,
            games: None,
            columns: 0,
            fen_column: None,
            labels: LabelColumns::default(),
        };
        reader.set_block_bytes(block_bytes);
        reader
    }

    /// Makes blocks end where games end if `to` writes games or chains and the records of `from`,
    /// the format read, are independent. A game ends where the next record is not the position
    /// after the played move.
    pub fn whole_games(mut self, from: Format, to: Format) -> Reader<'a> {
        let is_independent = from.units().is_none() && from.holds(Field::Played);
        if from != to && to.replays_moves() && is_independent {
            self.games = Some(from.codec());
        }
        self
    }

    /// Before reading, names the column of the FEN in a table; by default it is the one named `fen`
    /// or, if there is none, `epd`.
    pub(crate) fn set_fen_column(&mut self, name: Option<String>) {
        self.fen_column = name;
    }

    /// Before reading, names the columns of the score and the result in a table; by default they
    /// are not read.
    pub(crate) fn set_label_columns(&mut self, labels: LabelColumns) {
        self.labels = labels;
    }

    /// Before reading, sets the number of the first line, byte or game, and what the file's header
    /// says, if the stream is a part of a file.
    pub(crate) fn start_at(&mut self, first: u64, columns: u64) {
        self.at = first;
        self.columns = columns;
    }

    /// The next block, never empty, or `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] if the stream fails or cannot be cut further. Do not read after that.
    pub fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        let mut filled = self.rest.len();
        bytes.resize(bytes.len().max(filled), 0);
        bytes[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let mut more = if self.has_whole { 0 } else { self.block_bytes };
        loop {
            if self.ended {
                bytes.truncate(filled);
            } else {
                self.fill(&mut bytes, filled, more)?;
                filled = bytes.len();
            }
            let whole_records = self.spec.code.whole_records(&bytes);
            let mut whole = whole_records.length;
            let rest = bytes.get(whole..).unwrap_or_default();
            match self.spec.code.never_whole(rest) {
                Some(broken) if whole == 0 => {
                    return Err(ReadError::Broken {
                        place: self.place().plus(broken.offset),
                        reason: broken.reason,
                    });
                }
                None if self.ended => whole = filled,
                // The games before a broken one are returned first.
                _ => {}
            }
            let few = self.few_records(&bytes[..whole.min(filled)]);
            self.has_whole = few < whole.min(filled);
            if self.has_whole {
                whole = few;
            }
            let is_last = self.ended && !self.has_whole;
            if let Some(codec) = self.games.as_ref().filter(|_| !is_last) {
                match games::last_one(codec, &bytes[..whole], self.place()) {
                    0 if self.has_whole || filled >= LONGEST_GAME => {}
                    last => whole = last,
                }
            }
            if (1..=filled).contains(&whole) {
                self.rest.extend_from_slice(&bytes[whole..]);
                bytes.truncate(whole);
                return self.block(bytes, whole_records).map(Some);
            }
            if self.ended {
                return Ok(None);
            }
            // Grow geometrically: each attempt looks through all bytes again.
            let quarter = self.block_bytes.max(filled / 4);
            more = whole.checked_sub(filled).unwrap_or(quarter);
        }
    }

    /// The length of the first of whole records, as many as a block may have.
    fn few_records(&self, whole: &[u8]) -> usize {
        /// A small block may have more short lines than its size allows: those of any game.
        const LINES: usize = 1024;
        let spec = self.spec;
        spec.least_text_bytes.map_or(whole.len(), |bytes| {
            let lines = LINES.max(self.block_bytes / bytes);
            spec.code.first_records(whole, lines)
        })
    }

    /// Takes back a used block, to reuse its memory.
    pub fn recycle(&mut self, spent: Vec<u8>) {
        if spent.capacity() >= self.block_bytes {
            self.spare.push(spent);
        }
    }

    /// Memory of used blocks that was taken back, for another reader.
    pub fn take_spare(&mut self) -> Option<Vec<u8>> {
        self.spare.pop()
    }

    /// Sets the size of the following blocks, roughly.
    pub(crate) fn set_block_bytes(&mut self, block_bytes: usize) {
        let most = if self.spec.is_text {
            MAX_LINE
        } else {
            MAX_BLOCK
        };
        let record = self.spec.record_bytes.unwrap_or(1);
        self.block_bytes = (block_bytes.min(most) / record).max(1) * record;
    }

    /// Reads `more` bytes after the first `from` ones, or all that are left.
    fn fill(&mut self, bytes: &mut Vec<u8>, from: usize, more: usize) -> Result<(), ReadError> {
        let end = from + more;
        bytes.reserve_exact(end.saturating_sub(bytes.len()));
        bytes.resize(end, 0);
        let mut read = 0;
        while read < more {
            match self.input.read(&mut bytes[from + read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        bytes.truncate(from + read);
        self.ended = read < more;
        Ok(())
    }

    /// The place of the next block.
    fn place(&self) -> Place {
        self.spec.places.place(self.at)
    }

    /// A block of these bytes, in which these whole records were found. In the last block their
    /// number of games may be too low: no place follows.
    fn block(&mut self, bytes: Vec<u8>, whole: WholeRecords) -> Result<Block, ReadError> {
        let start = self.place();
        if start == Place::Line(1) && is_utf16(&bytes) {
            return Err(ReadError::Broken {
                place: start,
                reason: UTF16.to_owned(),
            });
        }
        if self.spec.has_header && self.columns == 0 {
            let naming = Naming {
                fen: self.fen_column.as_deref(),
                labels: &self.labels,
            };
            let header = self.spec.code.header(&bytes, start.number(), &naming);
            self.columns = header.map_err(|broken| ReadError::Broken {
                place: Place::Line(start.number() + u64::from(broken.offset)),
                reason: broken.reason,
            })?;
        }
        self.at += self.spec.places.count(&bytes, whole.games);
        Ok(Block {
            bytes,
            start,
            columns: self.columns,
            game_ends: whole.game_ends,
        })
    }
}

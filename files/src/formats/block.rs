//! Blocks of whole records, as the reader cuts them, and what becomes of their records.

use core::ops::Range;

use super::Place;

/// Bytes of whole records: what a reader hands on at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The bytes, exactly as read.
    pub bytes: Vec<u8>,
    /// The place of the first byte.
    pub start: Place,
    /// What the header of the file says about columns, if the format has one; 0 otherwise.
    pub columns: u64,
    /// Where the games of the block end, if the reader had to find out. Empty in formats without
    /// games of known length, and in a block that no reader has made.
    pub(super) game_ends: Vec<u32>,
}

impl Block {
    /// A block of whole records.
    pub const fn new(bytes: Vec<u8>, start: Place) -> Block {
        Block {
            bytes,
            start,
            columns: 0,
            game_ends: Vec::new(),
        }
    }

    /// The bytes of `span`; empty if it is out of range.
    pub(crate) fn slice(&self, span: &Range<u32>) -> &[u8] {
        let span = span.start as usize..span.end as usize;
        self.bytes.get(span).unwrap_or_default()
    }
}

#[cfg(feature = "jobs")]
impl Block {
    /// The block's bytes, its columns and kind of place, and the place, to be handed to another
    /// thread or process. What the reader knows of its games is left out.
    pub(crate) fn into_message(self) -> Vec<u8> {
        let (kind, start) = match self.start {
            Place::Line(line) => (0, line),
            Place::Offset(offset) => (1, offset),
            Place::Game(game) => (2, game),
        };
        let mut message = self.bytes;
        message.extend((kind | self.columns << 2).to_le_bytes());
        message.extend(start.to_le_bytes());
        message
    }

    /// A block of a [message](Block::into_message); `None` if it is too short.
    pub(crate) fn from_message(mut message: Vec<u8>) -> Option<Block> {
        let bytes = message.len().checked_sub(16)?;
        let numbers: [u8; 16] = message[bytes..].try_into().ok()?;
        message.truncate(bytes);
        let [kind, start] = [0, 8].map(|at| {
            let number = numbers[at..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(number)
        });
        let start = match kind & 3 {
            0 => Place::Line(start),
            1 => Place::Offset(start),
            _ => Place::Game(start),
        };
        Some(Block {
            columns: kind >> 2,
            ..Block::new(message, start)
        })
    }
}

/// The state between the written parts of a block: a chunk of a binpack, whose size is known only
/// after its last part. Other formats leave it empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenChunk {
    /// The offset of the original chunk in the block, and of its header in the output, which is
    /// valid if the chunk ends here.
    pub(super) chunk: Option<(usize, usize)>,
    /// Where the chains end in the output that were made of other formats' records: a job puts them
    /// into other chunks, which do not depend on its blocks (`jobs/chunks.rs`).
    pub(crate) chain_ends: Vec<usize>,
}

/// An action on a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave the record out; a game or chain that it was part of is written without it.
    #[default]
    Drop,
    /// Write the record as it was read.
    Keep,
    /// Write the record with the score [`VALUE_NONE`](super::VALUE_NONE), so that trainers skip it.
    Mark,
}

/// The actions on a block's records.
#[derive(Clone, Copy, Debug)]
pub struct Actions<'a> {
    /// An action for each record.
    pub records: &'a [Action],
    /// Whether to write the bytes of invalid records, too.
    pub writes_invalid: bool,
}

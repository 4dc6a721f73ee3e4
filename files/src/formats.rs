//! File formats of positions, and their records.
//!
//! ```
//! use swaplist_files::formats::{Format, Outcome};
//!
//! let text = "8/8/4k3/8/8/4K3/8/8 w - - 0 1\n4k3/8/8/8/8/8/8/4K3 b - - | 12 | 0.5\n";
//! let records: Result<Vec<_>, _> = Format::Text.records(text.as_bytes()).collect();
//! let record = records?[1];
//! assert_eq!(record.fields.score(), Some(-12)); // from the side to move
//! assert_eq!(record.fields.outcome(), Some(Outcome::Draw));
//! # Ok::<(), swaplist_files::formats::ReadError>(())
//! ```
//!
//! A loop over many records takes less time with [`Records::next_batch`]. [`jobs`](crate::jobs) works
//! on whole files with many threads.

// Some of it is for whole files alone.
#![cfg_attr(not(feature = "jobs"), allow(dead_code, unused_imports))]

use core::fmt;

use shakmaty::Color;

mod arise;
mod binpack;
mod block;
mod board;
mod breakage;
mod bulletformat;
mod codec;
#[cfg(feature = "jobs")]
pub mod compressed;
mod convert;
mod csv;
mod cut;
mod decoded;
mod detect;
pub(crate) mod error;
mod fens;
pub(crate) mod fingerprint;
mod fixed;
mod format;
mod games;
mod isa;
mod jsonl;
mod label_columns;
mod legal;
mod marlinformat;
mod montyformat;
mod notes;
mod pgn;
mod pieces;
mod plain;
mod reader;
mod record;
mod records;
mod scale;
mod sfbin;
mod spec;
mod text;
mod viriformat;

pub(crate) use binpack::{CHAIN_HEAD, put_marked_chain};
#[cfg(feature = "jobs")]
pub use compressed::open;
pub use convert::{Losses, Writer};
pub use decoded::DecodedPart;
pub(crate) use detect::{UTF16, is_utf16};
pub(crate) use error::{Fault, Invalid};
pub use error::{MAX_LINE, ReadError, RecordError};
pub(crate) use fens::Required;
pub use format::{Field, Format};
pub(crate) use label_columns::LabelledFields;
pub use label_columns::{LabelColumns, ResultValues, ScoreView};
pub(crate) use pgn::is_chess;
pub use record::{Record, RecordFields};
pub use records::Records;
pub use scale::Scale;
pub use spec::FormatSpec;
pub(crate) use spec::Naming;
pub(crate) use text::{begins_with_operation, decode_text, read_move, split_operands, text_of};
pub(crate) use viriformat::{RecordMarks, are_numbered};
pub(crate) use {
    binpack::chunks::{CHUNK_HEADER, chunk_header, put_header},
    legal::record_goes_on as goes_on,
};
pub(crate) use {
    block::{Action, Actions, Block, OpenChunk},
    codec::Codec,
    cut::{Cut, CutUnit},
    detect::HEAD,
    reader::Reader,
};
pub use {
    plain::parse_move,
    text::{move_on, split_fen},
};

/// What the fuzz targets look at: blocks, and what decodes and encodes them. It is there for them
/// alone.
#[cfg(fuzzing)]
#[allow(missing_docs)]
pub mod inside {
    use std::borrow::Cow;
    use std::io::{self, Read, Write as _};

    use swaplist::CpuPath;

    pub use super::block::{Action, Actions, Block, OpenChunk};
    pub use super::codec::Codec;
    use super::compressed::Compression;
    pub use super::reader::Reader;
    use super::{DecodedPart, Format};

    pub fn open<'a>(
        format: Format,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Reader<'a>, Codec) {
        format.open(input, block_bytes)
    }

    pub fn codec_on(format: Format, path: CpuPath) -> Codec {
        format.codec_on(path)
    }

    pub fn fen<'a>(decoded: &'a DecodedPart, block: &'a Block, record: usize) -> Cow<'a, str> {
        decoded.fen(block, record).unwrap_or_default()
    }

    pub fn decompressed(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(super::compressed::decompressed(input, None)?.0)
    }

    pub fn compress(kind: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut writer = kind.compress_at(kind.default_level(), &mut file)?;
        writer.write_all(bytes)?;
        writer.end()?;
        drop(writer);
        Ok(file)
    }
}

/// The score that means no score, which marked records carry. Loaders skip it, nnue-pytorch by
/// its value, bullet and viriformat by their bounds.
pub const VALUE_NONE: i16 = 32002;

/// Converts between White's score and the side to move's. [`VALUE_NONE`] means no score for
/// both sides and with either sign: some converters flip it like any other.
pub(crate) fn turned_score(score: i32, turn: Color) -> i32 {
    let none = i32::from(VALUE_NONE);
    match turn {
        _ if score == none || score == -none => none,
        Color::White => score,
        Color::Black => score.saturating_neg(),
    }
}

/// The score of mate on the board, in centipawns, for formats with mates in moves: a mate in n
/// moves is n less.
pub const MATE: i32 = 32_000;

/// The most moves of a mate that scores distinguish; longer mates have the score of this one.
const MAX_MATE: u32 = 1000;

/// Larger scores in PGN comments, as of won endgames in tablebases, become this one, below all
/// mates; so do larger scores that come of a [`Scale`].
pub(crate) const LARGEST_SCORE: i32 = MATE - MAX_MATE.cast_signed() - 1;

/// The score of a mate in `moves` moves; negative if the other side mates.
pub(crate) fn mate_score(moves: i32) -> i32 {
    let score = MATE - moves.unsigned_abs().min(MAX_MATE).cast_signed();
    if moves < 0 { -score } else { score }
}

/// A place in a file, as messages name it; of decompressed bytes, if the file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The number of a line, from 1.
    Line(u64),
    /// The offset of a byte, from 0.
    Offset(u64),
    /// The number of a game, from 1.
    Game(u64),
}

impl Place {
    /// The number of the line or game from 1, or of the byte from 0.
    pub const fn number(self) -> u64 {
        let (Place::Line(number) | Place::Offset(number) | Place::Game(number)) = self;
        number
    }

    /// Adds bytes to an offset; other places stay the same.
    pub(crate) fn plus(self, bytes: u32) -> Place {
        match self {
            Place::Offset(offset) => Place::Offset(offset + u64::from(bytes)),
            other => other,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Offset(offset) => write!(f, "byte {offset}"),
            Place::Game(game) => write!(f, "game {game}"),
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Black won the game, whichever side is to move in the record.
    Black,
    /// The game was drawn, by agreement or by a rule.
    Draw,
    /// White won the game, whichever side is to move in the record.
    White,
}

impl Outcome {
    /// The result of a game, given White's: positive for a win, 0 for a draw, negative for a loss.
    pub(crate) const fn from_white(result: i32) -> Outcome {
        match result {
            ..0 => Outcome::Black,
            0 => Outcome::Draw,
            1.. => Outcome::White,
        }
    }
}

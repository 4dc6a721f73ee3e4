//! Stockfish's `.binpack`: chunks of chains of positions.
//!
//! A file is a sequence of chunks: `BINP`, the size in bytes (u32, little-endian), and that
//! many bytes of chains. A chain is a *stem*, the number of moves that follow (u16,
//! big-endian), and the *movetext*: for every further position the move played in it and its
//! score, in as few bits as the position allows, padded to whole bytes.
//!
//! | bytes of the stem | holds (big-endian) |
//! |---|---|
//! | 0..8 | the occupied squares |
//! | 8..24 | the pieces, a nibble each: type << 1 \| colour; 12 a pawn with the en-passant target behind it, 13 and 14 a rook that may castle, 15 the black king with Black to move |
//! | 24..26 | the move: kind << 14 (1 promotion, 2 castling, 3 en passant) \| origin << 8 \| target << 2 \| promotion |
//! | 26..28 | the score of the side to move, zigzag |
//! | 28..30 | the result of the side to move, zigzag << 14 \| the ply |
//! | 30..32 | the half-move clock |
//!
//! Scores and results are the side to move's. Moves are numbered among the *pseudo-legal* ones
//! of a piece, in ascending order of their targets; a score is stored as the difference to the
//! previous one with its sign flipped.
//!
//! # What a filter writes
//!
//! A chain with all positions kept is copied byte for byte. *Marked* positions get the score
//! [`VALUE_NONE`](super::VALUE_NONE) and the chain stays whole: move bits are copied, only
//! scores are coded again. If positions are *dropped*, each run of kept ones becomes a chain
//! with a new stem; the bits after it are copied.

mod bits;
mod chain;
mod codec;
mod layout;
mod mark;
mod moves;
mod outline;
mod plain;
mod rewrite;
mod stem;
mod stream;
mod write;

pub(crate) use mark::ScoreBits;
pub(crate) use write::OpenChunk;

use super::convert::no_place_in_16_bits;
use super::isa::Features;
use super::row::{Detect, Row, Target};
use super::{Field, State};
use codec::ChunkCodec;
use layout::MAGIC;
pub(super) use layout::put_header;
use stream::ChunkReader;

pub(super) const ROW: Row = Row {
    extensions: &["binpack"],
    detect: Detect::Begins(|head| head.starts_with(&MAGIC)),
    tenths_of_a_record: 24,
    // Roughly a chunk.
    least_block_bytes: Some(900_000),
    units: Some("chains"),
    prefers_mark: true,
    skips_unscored: true,
    needs: &[Field::Played, Field::Score, Field::Result],
    max_ply: stem::MAX_PLY as u32,
    numbers_moves: true,
    reader: Some(|input, block_bytes| Box::new(ChunkReader::new(input, block_bytes))),
    target: Some(Target {
        no_place,
        write: write::write,
    }),
    ..Row::new("binpack", <[u8]>::len, |path| {
        Box::new(ChunkCodec(Features::of(path)))
    })
};

/// Castling rights exist only for rooks in the corners.
fn no_place(score: Option<i32>, state: &State) -> Option<String> {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    no_place_in_16_bits(score, state).or_else(|| {
        let elsewhere = state.castling.0 & !CORNERS != 0;
        elsewhere.then(|| "the castling right of a rook that is not in the corner".to_owned())
    })
}

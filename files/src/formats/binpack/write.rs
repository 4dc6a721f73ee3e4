//! Writing new chains and chunks.

use super::super::OpenChunk;
use super::super::board::Board;
use super::super::convert::OutputRecords;
use super::super::legal;
use super::bits::{BitWriter, score_code};
use super::chunks::{CHUNK_HEADER, MAGIC, put_header};
use super::moves;
use super::stem::{MAX_PLY, Stem, lost_castling, touched};

/// Writes records as chains, those of a block as one chunk. A block that is decoded in parts is
/// written by several calls.
pub(super) fn write(records: OutputRecords<'_>, out: &mut Vec<u8>, open_chunk: &mut OpenChunk) {
    let mut chain: Option<ChainWriter> = None;
    records.each(|record| {
        // Records without a move were refused before, as the format needs one.
        let Some(played) = record.source.fields.played() else {
            return;
        };
        let board = record.source.board();
        let stem = Stem {
            board,
            played,
            kind: board.kind(played),
            score: record.score(),
            ply: record.source.ply_or_clock().min(MAX_PLY.into()) as u16,
            result: record.result().cast_signed() - 1,
        };
        // All records go into one chunk, as if they came from one at the byte 0.
        open_chunk.go_on(0, out);
        if chain.as_mut().is_some_and(|chain| chain.append(&stem)) {
            return;
        }
        if let Some(chain) = chain.replace(ChainWriter::new(stem)) {
            chain.write(out);
            open_chunk.chain_ends.push(out.len());
        }
    });
    if let Some(chain) = chain {
        chain.write(out);
        open_chunk.chain_ends.push(out.len());
    }
    open_chunk.pause(out);
}

/// A chain that grows while each position follows from the previous one.
struct ChainWriter {
    /// The first position of the chain.
    stem: Stem,
    /// The number of positions after it.
    moves: u16,
    /// The movetext of these positions, with slack for the writer.
    text: Vec<u8>,
    bits: BitWriter,
    /// The last position of the chain so far.
    last: Stem,
    /// The board after the last move, played as readers would.
    next: Option<Board>,
}

/// The board after a stem's move, with the castling rights that readers leave it; `None` if the
/// move cannot be played.
fn play(stem: &Stem) -> Option<Board> {
    let mut board = stem.board;
    board.play(stem.played, stem.kind).ok()?;
    board.castling &= !lost_castling(touched(stem.played));
    Some(board)
}

impl ChainWriter {
    fn new(stem: Stem) -> ChainWriter {
        ChainWriter {
            stem,
            moves: 0,
            text: Vec::new(),
            bits: BitWriter::default(),
            last: stem,
            next: play(&stem),
        }
    }

    /// Adds a position, unless it does not follow from the last one.
    fn append(&mut self, stem: &Stem) -> bool {
        let last = &self.last;
        let next = self.next.as_ref();
        let follows = next.is_some_and(|next| legal::goes_on(next, &stem.board))
            && stem.ply == last.ply + 1
            && stem.result == -last.result
            && self.moves < u16::MAX;
        if !follows {
            return false;
        }
        let ep = stem.board.legal_ep();
        let Some(move_code) = moves::write(&stem.board, ep, stem.played, stem.kind) else {
            return false;
        };
        // The movetext has the difference from the negated score before, as the sides alternate.
        let score = score_code(stem.score.wrapping_add(last.score));
        // More than enough for a code of at most 32 bits, and the slack after it.
        let room = self.bits.bytes() + 2 * BitWriter::SLACK;
        self.text.resize(room, 0);
        self.bits.put(&mut self.text, move_code.followed_by(score));
        self.moves += 1;
        self.last = *stem;
        self.next = play(stem);
        true
    }

    fn write(self, out: &mut Vec<u8>) {
        self.stem.write(out);
        out.extend_from_slice(&self.moves.to_be_bytes());
        out.extend_from_slice(&self.text[..self.bits.bytes()]);
    }
}

impl OpenChunk {
    /// Begins a chunk, unless one is open that holds chains of the same original chunk, which
    /// begins at the byte `source` of the block.
    pub(super) fn go_on(&mut self, source: usize, out: &mut Vec<u8>) {
        if self.chunk.is_none_or(|(original, _)| original != source) {
            self.chunk = Some((source, out.len()));
            put_header(out, 0);
        }
    }

    /// Writes the chunk's size; removes the chunk if it is empty.
    pub(super) fn pause(&mut self, out: &mut Vec<u8>) {
        let Some((_, header)) = self.chunk else {
            return;
        };
        let size = out.len() - header - CHUNK_HEADER;
        if size == 0 {
            out.truncate(header);
            self.chunk = None;
        } else {
            let at = header + MAGIC.len();
            out[at..header + CHUNK_HEADER].copy_from_slice(&(size as u32).to_le_bytes());
        }
    }
}

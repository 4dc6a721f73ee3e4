//! Writing new chains and chunks.

use super::super::OpenEnd;
use super::super::board::Board;
use super::super::convert::OutputRecords;
use super::super::legal;
use super::bits::{BitWriter, score_code};
use super::chunks::{CHUNK_HEADER, MAGIC, put_header};
use super::moves;
use super::stem::{MAX_PLY, Stem, lost_castling, touched};

/// Writes records as chains: one chunk for each block, possibly in several parts.
pub(super) fn write(records: OutputRecords<'_>, out: &mut Vec<u8>, open: &mut OpenEnd) {
    let mut chain: Option<ChainWriter> = None;
    records.each(|record| {
        let Some(played) = record.source.fields.played() else {
            return;
        };
        let board = record.source.board();
        let stem = Stem {
            board,
            played,
            kind: board.kind(played),
            score: record.score(),
            ply: record.source.ply().min(MAX_PLY.into()) as u16,
            result: record.result().cast_signed() - 1,
        };
        open.go_on(0, out);
        if chain.as_mut().is_some_and(|chain| chain.append(&stem)) {
            return;
        }
        if let Some(chain) = chain.replace(ChainWriter::new(stem)) {
            chain.write(out);
        }
    });
    if let Some(chain) = chain {
        chain.write(out);
    }
    open.pause(out);
}

/// A chain that grows while each position follows from the previous one.
struct ChainWriter {
    stem: Stem,
    moves: u16,
    text: Vec<u8>,
    bits: BitWriter,
    last: Stem,
    /// The board after the last move, played as readers would.
    next: Option<Board>,
}

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
        let ep = stem.board.legal_ep();
        let Some([piece, target]) =
            moves::write(&stem.board, ep, stem.played, stem.kind).filter(|_| follows)
        else {
            return false;
        };
        let score = score_code(stem.score.wrapping_add(last.score));
        let code = [target, score].into_iter().fold(piece, |all, next| {
            (all.0 << next.1 | next.0, all.1 + next.1)
        });
        let room = self.bits.bytes() + 2 * BitWriter::SLACK;
        self.text.resize(room, 0);
        self.bits.put(&mut self.text, code);
        self.moves += 1;
        (self.last, self.next) = (*stem, play(stem));
        true
    }

    fn write(self, out: &mut Vec<u8>) {
        self.stem.write(out);
        out.extend_from_slice(&self.moves.to_be_bytes());
        out.extend_from_slice(&self.text[..self.bits.bytes()]);
    }
}

impl OpenEnd {
    /// Continues the chunk of the same original, or begins one.
    pub(super) fn go_on(&mut self, source: usize, out: &mut Vec<u8>) {
        if self.chunk.is_none_or(|open| open.0 != source) {
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

//! Writing new chains and chunks.

use super::super::board::{Board, Kind};
use super::super::convert::Kept;
use super::super::reach::counted_ep;
use super::super::{EncodeError, Fault, Open};
use super::bits::BitWriter;
use super::layout::{CHUNK_HEADER, MAGIC};
use super::moves;
use super::stem::{MAX_PLY, Stem, lost_castling, touched};
use crate::{Capture, Position};

/// One chunk per block, possibly in several parts.
pub(super) fn write(
    records: Kept<'_>,
    out: &mut Vec<u8>,
    open: &mut Open,
) -> Result<(), EncodeError> {
    let mut chain: Option<ChainWriter> = None;
    for record in records {
        let (played, kind) = record.played()?;
        let link = Link {
            board: record.board,
            position: record.state.position,
            played,
            kind,
            score: record.score()?,
            ply: record.ply().min(MAX_PLY.into()) as u16,
            result: record.result()?.cast_signed() - 1,
        };
        open.chunk = Some(OpenChunk::go_on(open.chunk, 0, out));
        if chain.as_mut().is_some_and(|chain| chain.append(&link)) {
            continue;
        }
        if let Some(chain) = chain.replace(ChainWriter::new(&link)) {
            chain.write(out);
        }
    }
    if let Some(chain) = chain {
        chain.write(out);
    }
    open.chunk = open.chunk.and_then(|chunk| chunk.pause(out));
    Ok(())
}

/// A position to write, with its played move.
pub(crate) struct Link {
    pub board: Board,
    pub position: Position,
    pub played: Capture,
    pub kind: Kind,
    /// The score of the side to move.
    pub score: i16,
    pub ply: u16,
    /// The result of the side to move: -1, 0 or 1.
    pub result: i8,
}

/// A chain that grows while each position follows from the previous one.
pub(crate) struct ChainWriter {
    stem: Stem,
    moves: u16,
    text: Vec<u8>,
    pending: (u64, u32),
    last: Last,
}

/// The expected next position.
struct Last {
    board: Option<Board>,
    score: i16,
    ply: u16,
    result: i8,
}

impl Last {
    fn new(link: &Link) -> Last {
        Last {
            board: play(link).ok(),
            score: link.score,
            ply: link.ply,
            result: link.result,
        }
    }
}

/// Played as readers would.
fn play(link: &Link) -> Result<Board, Fault> {
    let mut board = link.board;
    board.play(link.played, link.kind)?;
    board.forbid_castling(lost_castling(touched(link.played)));
    Ok(board)
}

impl ChainWriter {
    pub(crate) fn new(link: &Link) -> ChainWriter {
        let mut board = link.board;
        board.set_ep(counted_ep(&link.position, &board));
        ChainWriter {
            stem: Stem {
                board,
                played: link.played,
                kind: link.kind,
                score: link.score,
                ply: link.ply,
                result: link.result,
            },
            moves: 0,
            text: Vec::new(),
            pending: (0, 0),
            last: Last::new(link),
        }
    }

    /// Adds a position, unless it does not follow from the last one.
    pub(crate) fn append(&mut self, link: &Link) -> bool {
        let last = &self.last;
        let follows = last.board == Some(link.board)
            && link.ply == last.ply + 1
            && link.result == -last.result
            && self.moves < u16::MAX;
        let ep = counted_ep(&link.position, &link.board);
        let Some(code) = moves::write(&link.board, ep, link.played, link.kind).filter(|_| follows)
        else {
            return false;
        };
        let mut writer = BitWriter::resume(&mut self.text, self.pending);
        for (number, bits) in code {
            writer.put(number, bits);
        }
        writer.put_score(link.score.wrapping_add(last.score));
        self.pending = writer.pause();
        self.moves += 1;
        self.last = Last::new(link);
        true
    }

    pub(crate) fn write(mut self, out: &mut Vec<u8>) {
        self.stem.write(out);
        out.extend_from_slice(&self.moves.to_be_bytes());
        BitWriter::resume(&mut self.text, self.pending).finish();
        out.append(&mut self.text);
    }
}

/// A chunk being written, with a header valid if it ended here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenChunk {
    /// The offset of the original chunk in the block.
    source: usize,
    /// The offset of its header in the output.
    header: usize,
}

impl OpenChunk {
    /// Continues the chunk of the same original, or begins one.
    pub(crate) fn go_on(open: Option<OpenChunk>, source: usize, out: &mut Vec<u8>) -> OpenChunk {
        if let Some(open) = open.filter(|open| open.source == source) {
            return open;
        }
        let header = out.len();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[0; CHUNK_HEADER - MAGIC.len()]);
        OpenChunk { source, header }
    }

    /// Writes the chunk's size; removes the chunk if it is empty.
    pub(crate) fn pause(self, out: &mut Vec<u8>) -> Option<OpenChunk> {
        let size = out.len() - self.header - CHUNK_HEADER;
        if size == 0 {
            out.truncate(self.header);
            return None;
        }
        let at = self.header + MAGIC.len();
        out[at..self.header + CHUNK_HEADER].copy_from_slice(&(size as u32).to_le_bytes());
        Some(self)
    }
}

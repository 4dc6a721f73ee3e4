//! Formats of games and chains: positions that follow each other are written as
//! moves.

use super::super::binpack::{self, ChainWriter, Link, OpenChunk};
use super::super::board::Board;
use super::super::{EncodeError, Open, marlinformat, viriformat};
use super::{Entry, Sink};

/// The game that is being written.
#[derive(Default)]
pub(super) struct Viriformat {
    /// The board behind its last move, and its result.
    open: Option<(Board, u8)>,
}

impl Sink for Viriformat {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let (score, result) = (entry.white_score()?, entry.white_result()?);
        let (played, kind) = entry.played()?;
        let (step, next) = viriformat::step(&entry.board, played, kind, score)
            .map_err(|fault| entry.error(fault.to_string()))?;
        if self.open != Some((entry.board, result)) {
            self.finish(out);
            out.extend_from_slice(&marlinformat::pack(&entry.board, 0, result));
        }
        out.extend_from_slice(&step);
        self.open = Some((next, result));
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.open.take().is_some() {
            out.extend_from_slice(&[0; viriformat::STEP]);
        }
    }
}

/// The chunk that is being written: one a block.
pub(super) struct Binpack<'a> {
    chain: Option<ChainWriter>,
    /// Left open by the block's part before.
    open: &'a mut Open,
}

impl Binpack<'_> {
    pub(super) fn new(open: &mut Open) -> Binpack<'_> {
        Binpack { chain: None, open }
    }
}

impl Sink for Binpack<'_> {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let (played, kind) = entry.played()?;
        let link = Link {
            board: entry.board,
            position: entry.state.position,
            played,
            kind,
            score: entry.score()?,
            ply: binpack_ply(entry),
            result: entry.result()?.cast_signed() - 1,
        };
        self.open.chunk = Some(OpenChunk::go_on(self.open.chunk, 0, out));
        if let Some(chain) = &mut self.chain
            && chain.append(&link)
        {
            return Ok(());
        }
        if let Some(chain) = self.chain.replace(ChainWriter::new(&link)) {
            chain.write(out);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(chain) = self.chain.take() {
            chain.write(out);
        }
        self.open.chunk = self.open.chunk.and_then(|chunk| chunk.pause(out));
    }
}

/// Fits into 14 bits.
fn binpack_ply(entry: &Entry) -> u16 {
    entry.ply().min(binpack::MAX_PLY.into()) as u16
}

//! Aligning blocks to game boundaries, so that no conversion cuts a game.

use super::board::Board;
use super::legal::is_same;
use super::reader::count_lines;
use super::{Block, Codec, Decoded, Field, Format, Place, ReadError, Reader, Record};

use crate::Capture;

/// Longer games are cut, so that memory stays small.
const LONGEST: usize = 1 << 20;

/// Bytes decoded at the end of a block to find where its last game begins, and the factor for
/// further attempts.
const TAIL: usize = 1 << 14;
const MORE: usize = 8;

/// Makes a reader's blocks end at game boundaries if `to` writes games or chains and the
/// records of `from` are independent. A game ends where the next record is not the position
/// after the played move.
#[must_use]
pub fn whole_games<'a>(
    reader: Box<dyn Reader + 'a>,
    from: Format,
    to: Format,
) -> Box<dyn Reader + 'a> {
    if from == to || !to.replays_moves() || from.units().is_some() || !from.holds(Field::Played) {
        return reader;
    }
    Box::new(WholeGames {
        reader,
        codec: from.codec(),
        begun: None,
        next: None,
    })
}

struct WholeGames<'a> {
    reader: Box<dyn Reader + 'a>,
    codec: Codec,
    /// The game at the end of the previous block.
    begun: Option<Block>,
    /// A block to which nothing can be prepended.
    next: Option<Block>,
}

impl WholeGames<'_> {
    /// The start of a block's last game; 0 if there is only one.
    fn last_game(&self, block: &Block) -> usize {
        let mut tail = TAIL;
        loop {
            let before = block.bytes.len().saturating_sub(tail);
            let start = (self.codec.format().row().whole_records)(&block.bytes[..before]);
            let found = self.last_game_after(block, start);
            if found > start || start == 0 {
                return found;
            }
            tail *= MORE;
        }
    }

    /// The same, searched after some byte, or else that byte.
    fn last_game_after(&self, block: &Block, start: usize) -> usize {
        let place = match block.start {
            Place::Line(line) if start > 0 => Place::Line(line + 1),
            at => at,
        };
        let tail = Block::new(block.bytes[start..].to_vec(), place);
        let mut decoded = Decoded::default();
        self.codec.decode(&tail, &mut decoded);
        let mut last = start;
        let mut expected = None;
        self.codec.states(&tail, &decoded, &mut |i, state| {
            let record = &decoded.records[i];
            let goes_on = |next: &Board| is_same(next, &state.board());
            if i > 0 && !expected.as_ref().is_some_and(goes_on) {
                last = start + record.span().start as usize;
            }
            expected = after_move(state, record.played());
        });
        last
    }
}

/// The board after the played move.
pub(super) fn after_move(record: &Record, played: Option<Capture>) -> Option<Board> {
    let (mut board, played) = (record.board(), played?);
    let kind = board.kind(played);
    board.advance(played, kind).ok()?;
    Some(board)
}

/// The place in the file of a byte of a block.
fn place(block: &Block, at: usize) -> Place {
    match block.start {
        Place::Line(line) => Place::Line(line + count_lines(&block.bytes[..at])),
        start => start.plus(at as u32),
    }
}

// Spent buffers are not passed on: the reader has its own memory back already, and more would
// pile up.
impl Reader for WholeGames<'_> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        loop {
            let next = match self.next.take() {
                None => self.reader.next_block()?,
                next => next,
            };
            let Some(next) = next else {
                return Ok(self.begun.take());
            };
            let mut block = match self.begun.take() {
                Some(begun) if next.is_part_of_line() => {
                    self.next = Some(next);
                    return Ok(Some(begun));
                }
                Some(mut begun) => {
                    begun.bytes.extend_from_slice(&next.bytes);
                    self.reader.recycle(next.bytes);
                    begun
                }
                None if next.is_part_of_line() => return Ok(Some(next)),
                None => next,
            };
            match self.last_game(&block) {
                0 if block.bytes.len() < LONGEST => self.begun = Some(block),
                0 => return Ok(Some(block)),
                last => {
                    let place = place(&block, last);
                    self.begun = Some(Block::new(block.bytes.split_off(last), place));
                    return Ok(Some(block));
                }
            }
        }
    }

    fn set_block_bytes(&mut self, block_bytes: usize) {
        self.reader.set_block_bytes(block_bytes);
    }
}

//! From one format into another.
//!
//! A [`Conversion`] is a [`Codec`] that reads one format and writes another.
//! What the other cannot hold is lost; a record that does not have what it must hold
//! is an invalid one here, a game as a whole. Blocks are still converted one by one
//! and in any order: games and chains do not reach beyond their block.

use std::borrow::Cow;

use super::board::{Board, Kind};
use super::{
    Block, Codec, Decoded, EncodeError, Fate, Fates, Format, Open, Outcome, Place, Reason, State,
    VALUE_NONE, turned_score,
};
use crate::Capture;

mod games;
mod incomplete;
mod parts;
mod single;

pub use parts::{Part, Refused};

/// Reads one format and writes another.
///
/// Invalid records are never written: only the format they come from has a place
/// for them.
pub struct Conversion {
    from: Box<dyn Codec>,
    /// The score of records without one, where there may be some.
    unscored: Option<i32>,
    to: Format,
    writes: Box<dyn Codec>,
}

impl Conversion {
    /// From a format, read by its codec, into another.
    ///
    /// # Errors
    ///
    /// [`Refused`] if records of `from` never hold what `to` must hold, or `to`
    /// can only be read.
    pub fn new(from: Format, codec: Box<dyn Codec>, to: Format) -> Result<Conversion, Refused> {
        parts::possible(from, to)?;
        let unscored = from.may_lack_score_in(to).then_some(VALUE_NONE.into());
        Ok(Conversion {
            from: codec,
            unscored,
            to,
            writes: to.open(std::io::empty(), 1).1,
        })
    }
}

impl Codec for Conversion {
    fn decode(&self, block: &Block, into: &mut Decoded) {
        self.from.decode(block, into);
        self.set_aside(into);
    }

    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize> {
        let at = self.from.decode_part(block, from, records, into);
        self.set_aside(into);
        at
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        self.from.fen(block, decoded, record)
    }

    fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_part(block, decoded, fates, out, &mut Open::default())
    }

    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        open: &mut Open,
    ) -> Result<(), EncodeError> {
        match self.to {
            Format::Text => self.each(block, decoded, fates, out, &mut single::Text),
            Format::Bulletformat => {
                self.each(block, decoded, fates, out, &mut single::Bulletformat)
            }
            Format::Marlinformat => {
                self.each(block, decoded, fates, out, &mut single::Marlinformat)
            }
            Format::Sfbin => self.each(block, decoded, fates, out, &mut single::Sfbin),
            Format::Pgn => Err(EncodeError::ReadOnly("pgn")),
            #[cfg(feature = "formats")]
            Format::Jsonl => Err(EncodeError::ReadOnly("jsonl")),
            Format::Plain => self.each(block, decoded, fates, out, &mut single::Plain),
            Format::Viriformat => {
                let mut games = games::Viriformat::default();
                self.each(block, decoded, fates, out, &mut games)
            }
            Format::Binpack => {
                let mut chains = games::Binpack::new(open);
                self.each(block, decoded, fates, out, &mut chains)
            }
        }
    }

    fn can_mark(&self) -> bool {
        self.writes.can_mark()
    }

    fn prefers_mark(&self) -> bool {
        self.writes.prefers_mark()
    }

    fn units(&self) -> Option<&'static str> {
        self.from.units()
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        self.from.states(block, decoded, found);
    }
}

impl Conversion {
    fn each(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), EncodeError> {
        let mut result = Ok(());
        self.from.states(block, decoded, &mut |i, state| {
            let fate = fates.records.get(i).copied().unwrap_or_default();
            if fate == Fate::Drop || result.is_err() {
                return;
            }
            let record = &decoded.records[i];
            let entry = Entry {
                state: *state,
                board: state.board(),
                to: self.to,
                place: record.place(),
                played: record.played(),
                score: match fate {
                    Fate::Mark => Some(VALUE_NONE.into()),
                    _ => record.score().or(self.unscored),
                },
                outcome: record.outcome(),
                ply: record.ply(),
            };
            result = sink.put(&entry, out);
        });
        sink.finish(out);
        result
    }
}

/// Writes the records of a block in one format.
trait Sink {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Ends what is still open.
    fn finish(&mut self, _out: &mut Vec<u8>) {}
}

/// All that is known of a record.
struct Entry {
    state: State,
    board: Board,
    to: Format,
    place: Place,
    played: Option<Capture>,
    /// Of the side to move.
    score: Option<i32>,
    outcome: Option<Outcome>,
    ply: Option<u32>,
}

impl Entry {
    fn error(&self, reason: String) -> EncodeError {
        EncodeError::Record {
            place: self.place,
            reason,
        }
    }

    fn lacks(&self, part: Part) -> EncodeError {
        let (format, lacks) = (self.to.name(), part);
        self.error(Reason::Incomplete { format, lacks }.to_string())
    }

    /// The score of the side to move, in 16 bits.
    fn score(&self) -> Result<i16, EncodeError> {
        let score = self.score.ok_or_else(|| self.lacks(Part::Score))?;
        score.try_into().map_err(|_| {
            let to = self.to.name();
            self.error(format!("the score {score} does not fit into {to}"))
        })
    }

    /// White's score.
    fn white_score(&self) -> Result<i16, EncodeError> {
        let turned = turned_score(self.score()?.into(), self.board.turn());
        Ok(turned.try_into().unwrap_or(i16::MAX))
    }

    /// White's result: 0 loss, 1 draw, 2 win.
    fn white_result(&self) -> Result<u8, EncodeError> {
        match self.outcome {
            Some(Outcome::Black) => Ok(0),
            Some(Outcome::Draw) => Ok(1),
            Some(Outcome::White) => Ok(2),
            None => Err(self.lacks(Part::Result)),
        }
    }

    /// The result of the side to move: 0 loss, 1 draw, 2 win.
    fn result(&self) -> Result<u8, EncodeError> {
        let white = self.white_result()?;
        Ok(self.board.turn().fold_wb(white, 2 - white))
    }

    /// Half-moves since the start of the game, if need be by the move number.
    fn ply(&self) -> u32 {
        let moves = u32::from(self.board.fullmoves().saturating_sub(1));
        let counted = moves * 2 + u32::from(self.board.turn().is_black());
        self.ply.unwrap_or(counted)
    }

    /// The played move and its kind.
    fn played(&self) -> Result<(Capture, Kind), EncodeError> {
        let played = self.played.ok_or_else(|| self.lacks(Part::Played))?;
        Ok((played, self.board.kind(played)))
    }
}

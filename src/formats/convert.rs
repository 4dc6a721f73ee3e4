//! From one format into another.
//!
//! A [`Conversion`] is a [`Codec`] that reads one format and writes another.
//! What the other has no place for is lost; a record that it cannot hold is an invalid
//! one here, a game as a whole: one that lacks what it must have, a score of more bits
//! than there are, a castling right that it cannot name, a played move that is not
//! legal where it has to be played. Blocks are still converted one by one and in any
//! order: games and chains do not reach beyond their block, and with [`whole_games`]
//! need not.

use std::borrow::Cow;

use super::board::{Board, Kind};
use super::{
    Block, Codec, Decoded, EncodeError, Fate, Fates, Format, Open, Outcome, Place, Reason, Record,
    State, VALUE_NONE, turned_score,
};
use crate::Capture;

mod aside;
mod edges;
mod games;
mod parts;
mod single;

pub use edges::whole_games;
pub use parts::{Part, Refused};

/// Reads one format and writes another.
///
/// Invalid records are never written: only the format they come from has a place
/// for them.
pub struct Conversion {
    from: Box<dyn Codec>,
    reads: Format,
    to: Format,
    writes: Box<dyn Codec>,
    /// What the other format has no way to leave out.
    needed: Vec<Part>,
    /// The score that records without one are written with, if they may be written.
    unscored: Option<i32>,
    omits_unscored: bool,
    checks_moves: bool,
}

impl Conversion {
    /// From a format, read by its codec, into another; or into its own, which copies.
    ///
    /// A record without a score gets [`VALUE_NONE`] where what trains on the other format
    /// passes over it, and is an invalid one where not.
    ///
    /// # Errors
    ///
    /// [`Refused`] if records of `from` never hold what `to` must hold, or `to`
    /// can only be read.
    pub fn new(from: Format, codec: Box<dyn Codec>, to: Format) -> Result<Conversion, Refused> {
        let copies = from == to && to.is_writable();
        if !copies {
            parts::possible(from, to)?;
        }
        let needed = Part::ALL.into_iter().filter(|part| part.is_needed(to));
        Ok(Conversion {
            from: codec,
            reads: from,
            to,
            writes: to.open(std::io::empty(), 1).1,
            needed: needed.collect(),
            unscored: to.skips_unscored().then_some(VALUE_NONE.into()),
            omits_unscored: false,
            checks_moves: to.plays() && !copies,
        })
    }

    /// Gives all records without a score this one, of the side to move.
    #[must_use]
    pub const fn scoring(mut self, score: i16) -> Conversion {
        self.unscored = Some(score as i32);
        self
    }

    /// Records without a score are decoded whatever the other format needs: whoever
    /// encodes leaves them out.
    #[must_use]
    pub const fn omitting_unscored(mut self) -> Conversion {
        self.omits_unscored = true;
        self
    }

    /// A record whose played move is not legal is an invalid one, whatever the other
    /// format needs.
    #[must_use]
    pub const fn checking_moves(mut self) -> Conversion {
        self.checks_moves = true;
        self
    }

    /// Into its own format, byte for byte.
    fn copies(&self) -> bool {
        self.reads == self.to
    }

    /// The score that a record is written with.
    fn score(&self, record: &Record) -> Option<i32> {
        if record.is_unscored() && (self.unscored.is_some() || self.needed.contains(&Part::Score)) {
            self.unscored
        } else {
            record.score()
        }
    }

    /// What is found once the records are.
    fn finish(&self, block: &Block, into: &mut Decoded) {
        if self.copies() && self.reads.plays() {
            // Their games are not played through once more.
            return self.set_aside(block, into);
        }
        let Decoded { positions, .. } = into;
        let mut states: Vec<State> = core::mem::take(&mut into.states);
        states.extend(positions.iter().map(|&position| State::bare(position)));
        self.from
            .states(block, into, &mut |i, state| states[i] = *state);
        into.states = states;
        self.set_aside(block, into);
    }
}

impl Codec for Conversion {
    fn decode(&self, block: &Block, into: &mut Decoded) {
        self.from.decode(block, into);
        self.finish(block, into);
    }

    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize> {
        let at = self.from.decode_part(block, from, records, into);
        self.finish(block, into);
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
        if self.copies() {
            return self.from.encode_part(block, decoded, fates, out, open);
        }
        match self.to {
            Format::Text => self.each(decoded, fates, out, &mut single::Text),
            Format::Bulletformat => self.each(decoded, fates, out, &mut single::Bulletformat),
            Format::Marlinformat => self.each(decoded, fates, out, &mut single::Marlinformat),
            Format::Sfbin => self.each(decoded, fates, out, &mut single::Sfbin),
            Format::Pgn => Err(EncodeError::ReadOnly("pgn")),
            #[cfg(feature = "formats")]
            Format::Jsonl => Err(EncodeError::ReadOnly("jsonl")),
            Format::Plain => self.each(decoded, fates, out, &mut single::Plain),
            Format::Viriformat => {
                let mut games = games::Viriformat::default();
                self.each(decoded, fates, out, &mut games)
            }
            Format::Binpack => {
                let mut chains = games::Binpack::new(open);
                self.each(decoded, fates, out, &mut chains)
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
        if decoded.states.is_empty() {
            return self.from.states(block, decoded, found);
        }
        let states = decoded.records.iter().zip(&decoded.states);
        states
            .enumerate()
            .for_each(|(i, (_, state))| found(i, state));
    }
}

impl Conversion {
    fn each(
        &self,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), EncodeError> {
        let records = decoded.records.iter().zip(&decoded.states);
        for ((record, state), &fate) in records.zip(fates.records) {
            if fate == Fate::Drop {
                continue;
            }
            let entry = Entry {
                state: *state,
                board: state.board(),
                to: self.to,
                place: record.place(),
                played: record.played(),
                score: match fate {
                    Fate::Mark => Some(VALUE_NONE.into()),
                    _ => self.score(record),
                },
                outcome: record.outcome(),
                ply: record.ply(),
            };
            sink.put(&entry, out)?;
        }
        sink.finish(out);
        Ok(())
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
        self.in_16_bits(|score| score)
    }

    fn in_16_bits(&self, seen: impl Fn(i32) -> i32) -> Result<i16, EncodeError> {
        let score = seen(self.score.ok_or_else(|| self.lacks(Part::Score))?);
        let to = self.to.name();
        let too_large = |_| self.error(format!("{to} cannot hold the score {score}"));
        score.try_into().map_err(too_large)
    }

    /// White's score.
    fn white_score(&self) -> Result<i16, EncodeError> {
        self.in_16_bits(|score| turned_score(score, self.board.turn()))
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

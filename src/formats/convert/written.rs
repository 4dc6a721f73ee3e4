//! Records as written in another format.

use super::target::Target;
use crate::Capture;
use crate::fen::ply;
use crate::formats::board::{Board, Kind};
use crate::formats::part::Field;
use crate::formats::{
    Action, EncodeError, Format, Invalid, Outcome, Record, State, VALUE_NONE, turned_score,
};

/// The records of a block that are not dropped.
pub(crate) struct Kept<'a> {
    target: Target,
    records: core::slice::Iter<'a, Record>,
    states: core::slice::Iter<'a, State>,
    actions: core::slice::Iter<'a, Action>,
}

impl<'a> Kept<'a> {
    pub(super) fn new(
        target: Target,
        records: &'a [Record],
        states: &'a [State],
        actions: &'a [Action],
    ) -> Kept<'a> {
        Kept {
            target,
            records: records.iter(),
            states: states.iter(),
            actions: actions.iter(),
        }
    }
}

impl Iterator for Kept<'_> {
    type Item = Written;

    #[inline]
    fn next(&mut self) -> Option<Written> {
        loop {
            let (record, state) = (self.records.next()?, self.states.next()?);
            let score = match self.actions.next()? {
                Action::Drop => continue,
                Action::Mark => Some(VALUE_NONE.into()),
                Action::Keep => self.target.score(record),
            };
            return Some(Written {
                state: *state,
                board: state.board(),
                to: self.target.format,
                record: *record,
                score,
            });
        }
    }
}

/// A record to be written in another format.
pub(crate) struct Written {
    pub state: State,
    pub board: Board,
    /// As read.
    pub record: Record,
    /// Of the side to move.
    pub score: Option<i32>,
    to: Format,
}

impl Written {
    pub(crate) fn error(&self, reason: String) -> EncodeError {
        EncodeError::Record {
            place: self.record.place(),
            reason,
        }
    }

    fn lacks(&self, part: Field) -> EncodeError {
        let (format, lacks) = (self.to.name(), part);
        self.error(Invalid::Incomplete { format, lacks }.to_string())
    }

    /// The score of the side to move, in 16 bits.
    pub(crate) fn score(&self) -> Result<i16, EncodeError> {
        self.in_16_bits(|score| score)
    }

    fn in_16_bits(&self, seen: impl Fn(i32) -> i32) -> Result<i16, EncodeError> {
        let score = seen(self.score.ok_or_else(|| self.lacks(Field::Score))?);
        let to = self.to.name();
        let too_large = |_| self.error(format!("{to} cannot hold the score {score}"));
        score.try_into().map_err(too_large)
    }

    /// White's score.
    pub(crate) fn white_score(&self) -> Result<i16, EncodeError> {
        self.in_16_bits(|score| turned_score(score, self.board.turn))
    }

    /// White's result: 0 loss, 1 draw, 2 win.
    pub(crate) fn white_result(&self) -> Result<u8, EncodeError> {
        let result = self.result()?;
        Ok(self.board.turn.fold_wb(result, 2 - result))
    }

    /// The result of the side to move: 0 loss, 1 draw, 2 win.
    pub(crate) fn result(&self) -> Result<u8, EncodeError> {
        self.known_result().ok_or_else(|| self.lacks(Field::Result))
    }

    /// The same, if it is known.
    pub(crate) fn known_result(&self) -> Option<u8> {
        let white = match self.record.outcome()? {
            Outcome::Black => 0,
            Outcome::Draw => 1,
            Outcome::White => 2,
        };
        Some(self.board.turn.fold_wb(white, 2 - white))
    }

    /// Half-moves since the start of the game, from the move number if needed.
    pub(crate) fn ply(&self) -> u32 {
        let of_board = || ply(self.board.fullmoves.into(), self.board.turn);
        self.record.ply().unwrap_or_else(of_board)
    }

    /// The played move and its kind.
    pub(crate) fn played(&self) -> Result<(Capture, Kind), EncodeError> {
        self.played_move().ok_or_else(|| self.lacks(Field::Played))
    }

    /// The same, if there is one.
    pub(crate) fn played_move(&self) -> Option<(Capture, Kind)> {
        let played = self.record.played()?;
        Some((played, self.board.kind(played)))
    }
}

/// A score (the side to move's) that does not fit in 16 bits.
pub(crate) fn no_place_in_16_bits(score: Option<i32>, _: &State) -> Option<String> {
    let score = score.filter(|&score| i16::try_from(score).is_err())?;
    Some(format!("the score {score}"))
}

/// The same for White's score.
pub(crate) fn no_place_for_white_in_16_bits(score: Option<i32>, state: &State) -> Option<String> {
    let white = score.map(|score| turned_score(score, state.position.turn()));
    no_place_in_16_bits(white, state)
}

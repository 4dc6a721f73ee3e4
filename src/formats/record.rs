//! The fields of a record besides its position.

use core::ops::Range;

use super::{Field, Outcome, Place};
use crate::Capture;

/// The fields of a record besides its position, in 32 bytes.
///
/// ```
/// use swaplist::formats::{Outcome, Place, Record};
///
/// let record = Record::new(Place::Line(7), 0..29)
///     .with_score(Some(-12))
///     .with_outcome(Some(Outcome::Draw));
/// assert_eq!(record.place(), Place::Line(7));
/// assert_eq!((record.score(), record.ply()), (Some(-12), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// A place << 2, plus its kind.
    place: u64,
    start: u32,
    end: u32,
    /// [`NO_SCORE`] if there is none.
    score: i32,
    /// [`NO_PLY`] if unknown.
    ply: u32,
    /// A move's bits, or [`NO_MOVE`].
    played: u16,
    outcome: Option<Outcome>,
}

const NO_SCORE: i32 = i32::MIN;
const NO_PLY: u32 = u32::MAX;
/// Larger than any move's bits.
const NO_MOVE: u16 = u16::MAX;

impl Record {
    /// A record without fields: its place in the file, and its bytes in the block, including a
    /// line's end.
    #[must_use]
    #[inline]
    pub const fn new(place: Place, span: Range<u32>) -> Record {
        Record {
            place: match place {
                Place::Offset(offset) => offset << 2,
                Place::Line(line) => line << 2 | 1,
                Place::Game(game) => game << 2 | 2,
            },
            start: span.start,
            end: span.end,
            score: NO_SCORE,
            ply: NO_PLY,
            played: NO_MOVE,
            outcome: None,
        }
    }

    /// Sets the move played in the position.
    #[must_use]
    #[inline]
    pub const fn with_played(mut self, played: Option<Capture>) -> Record {
        self.played = match played {
            Some(played) => played.to_bits(),
            None => NO_MOVE,
        };
        self
    }

    /// Sets the score in centipawns, from the side to move's view. The lowest `i32` means none.
    #[must_use]
    #[inline]
    pub const fn with_score(mut self, score: Option<i32>) -> Record {
        self.score = match score {
            Some(score) => score,
            None => NO_SCORE,
        };
        self
    }

    /// Sets the game's result.
    #[must_use]
    #[inline]
    pub const fn with_outcome(mut self, outcome: Option<Outcome>) -> Record {
        self.outcome = outcome;
        self
    }

    /// Sets the half-moves since the start of the game. The highest `u32` means unknown.
    #[must_use]
    #[inline]
    pub const fn with_ply(mut self, ply: Option<u32>) -> Record {
        self.ply = match ply {
            Some(ply) => ply,
            None => NO_PLY,
        };
        self
    }

    /// Its place in the file.
    #[must_use]
    #[inline]
    pub const fn place(&self) -> Place {
        let number = self.place >> 2;
        match self.place & 3 {
            0 => Place::Offset(number),
            1 => Place::Line(number),
            _ => Place::Game(number),
        }
    }

    /// Its bytes in the block; those of the whole game or chain in formats with record groups.
    #[must_use]
    #[inline]
    pub const fn span(&self) -> Range<u32> {
        self.start..self.end
    }

    /// The move played in the position.
    #[must_use]
    #[inline]
    pub const fn played(&self) -> Option<Capture> {
        match self.played {
            NO_MOVE => None,
            bits => Some(Capture::from_bits(bits)),
        }
    }

    /// The score in centipawns, from the side to move's view.
    #[must_use]
    #[inline]
    pub const fn score(&self) -> Option<i32> {
        match self.score {
            NO_SCORE => None,
            score => Some(score),
        }
    }

    /// Whether it has no score, or the score [`VALUE_NONE`](super::VALUE_NONE).
    #[must_use]
    #[inline]
    pub const fn is_unscored(&self) -> bool {
        self.score == NO_SCORE || self.score.abs() == super::VALUE_NONE as i32
    }

    /// The game's result.
    #[must_use]
    #[inline]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Half-moves since the start of the game.
    #[must_use]
    #[inline]
    pub const fn ply(&self) -> Option<u32> {
        match self.ply {
            NO_PLY => None,
            ply => Some(ply),
        }
    }

    /// Whether it has a field; none of those that a position may have is missing.
    pub(crate) const fn has(&self, part: Field) -> bool {
        match part {
            Field::Played => self.played().is_some(),
            Field::Score => self.score().is_some(),
            Field::Result => self.outcome.is_some(),
            Field::Clocks => self.ply().is_some(),
            Field::Turn | Field::Castling | Field::EnPassant => true,
        }
    }

    /// Corrects the end of the record's group.
    pub(crate) const fn end_at(&mut self, end: u32) {
        self.end = end;
    }
}

const _: () = assert!(size_of::<Record>() == 32);

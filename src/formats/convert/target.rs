//! What a format can hold of a record, and which score it gets.

use crate::fen::ply;
use crate::formats::legal::{Proved, is_legal};
use crate::formats::part::Field;
use crate::formats::{Format, Invalid, Record, State, VALUE_NONE};

/// How records are written.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub format: Format,
    /// Records are written as they were read.
    pub copies: bool,
    /// The score of records without one, if they are allowed.
    pub unscored: Option<i32>,
    /// Records without a score are left out later.
    pub omits_unscored: bool,
    /// Illegal played moves are faults.
    pub checks_moves: bool,
}

impl Target {
    /// Writes any records in a format.
    pub fn new(format: Format) -> Target {
        Target {
            format,
            copies: false,
            unscored: format.skips_unscored().then_some(VALUE_NONE.into()),
            omits_unscored: false,
            checks_moves: format.plays(),
        }
    }

    /// Copies records of the format itself.
    pub fn copy(format: Format) -> Target {
        Target {
            copies: true,
            checks_moves: false,
            ..Target::new(format)
        }
    }

    /// Whether castling rights and clocks are needed.
    pub fn needs_states(&self) -> bool {
        self.format.holds(Field::Castling) || self.checks_moves
    }

    /// The score that is written for a record.
    pub fn score(&self, record: &Record) -> Option<i32> {
        let is_needed = || self.format.needs(Field::Score);
        if record.is_unscored() && (self.unscored.is_some() || is_needed()) {
            self.unscored
        } else {
            record.score()
        }
    }

    /// Why a record cannot be written, if it cannot.
    pub fn fault(&self, record: &Record, state: &State, proved: Proved) -> Option<Invalid> {
        if !self.copies {
            let fault = self.lacks(record).map(|lacks| Invalid::Incomplete {
                format: self.format.name(),
                lacks,
            });
            let fault = fault.or_else(|| self.no_place(record, state));
            if fault.is_some() {
                return fault;
            }
        }
        let played = record.played().filter(|_| self.checks_moves)?;
        (!is_legal(state, played, proved)).then(|| Invalid::IllegalMove {
            text: played.to_string(),
            fen: state.to_fen(),
        })
    }

    /// The required field that a record lacks, if any.
    fn lacks(&self, record: &Record) -> Option<Field> {
        let is_known = |part| match part {
            Field::Score => self.omits_unscored || self.score(record).is_some(),
            Field::Clocks => true,
            part => record.has(part),
        };
        let mut needed = self.format.row().needs.iter().copied();
        needed.find(|&part| !is_known(part))
    }

    fn no_place(&self, record: &Record, state: &State) -> Option<Invalid> {
        let row = self.format.row();
        let target = row.target?;
        let of_state = || ply(state.fullmoves.into(), state.position.turn());
        let ply = record.ply().unwrap_or_else(of_state);
        let too_high = || (ply > row.max_ply).then(|| format!("the ply {ply}"));
        let what = (target.no_place)(self.score(record), state).or_else(too_high)?;
        let reason = format!("{} cannot hold {what}", self.format.name());
        Some(Invalid::NoPlace(reason))
    }
}

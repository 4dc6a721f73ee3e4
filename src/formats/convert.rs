//! Records as another format holds them, and those that it cannot hold.

use super::board::{Board, Kind};
use super::legal::{Proved, is_legal, was_legal};
use super::{
    Action, Block, Codec, Decoded, Fault, Field, Format, Invalid, Outcome, Record, RecordError,
    State, VALUE_NONE, turned_score,
};
use crate::Capture;
use crate::fen::ply;

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
            let fault = self.lacks(record).map(|field| lacks(self.format, field));
            let fault = fault.or_else(|| self.no_place(record, state));
            if fault.is_some() {
                return fault;
            }
        }
        let played = record.played().filter(|_| self.checks_moves)?;
        (!is_legal(state, played, proved)).then(|| unplayable(played, &state.to_fen()))
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
        Some(no_place(self.format, &what))
    }

    /// Makes such records invalid; games as a whole, since the rest of a game depends on every
    /// move.
    pub fn set_aside(&self, codec: &Codec, block: &Block, into: &mut Decoded) {
        let mut errors: Vec<RecordError> = Vec::new();
        for (i, record) in into.records.iter().enumerate() {
            let span = record.span();
            let is_known = errors.last().is_some_and(|error| error.span == span);
            if is_known {
                continue;
            }
            let proved = proved(codec.format(), &into.records, i);
            let reason = match into.states.get(i) {
                Some(state) => self.fault(record, state, proved),
                None => replay_fault(codec, block, into, i, proved),
            };
            if let Some(reason) = reason {
                errors.push(reason.at(record.place(), span));
            }
        }
        if errors.is_empty() {
            return;
        }
        let is_left = |record: &Record| {
            let start = record.span().start;
            let found = errors.binary_search_by_key(&start, |error| error.span.start);
            found.is_err()
        };
        let is_left: Vec<bool> = into.records.iter().map(is_left).collect();
        into.taken_out = is_left.iter().filter(|&&is_left| !is_left).count() as u64;
        retain(&mut into.records, &is_left);
        retain(&mut into.positions, &is_left);
        retain(&mut into.states, &is_left);
        retain(&mut into.fens, &is_left);
        retain(&mut into.scores, &is_left);
        // Only text holds them, which needs nothing.
        into.named.clear();
        into.invalid.extend(errors);
        into.invalid.sort_by_key(|error| error.span.start);
    }
}

/// What decoding has proved about a record's played move.
fn proved(from: Format, records: &[Record], i: usize) -> Proved {
    let start = records[i].span().start;
    let in_game = |i: usize| {
        let other = records.get(i);
        other.is_some_and(|other| other.span().start == start)
    };
    if !in_game(i + 1) {
        Proved::Nothing
    // After a chain's first, a move is stored by number and so pseudo-legal.
    } else if from.row().numbers_moves && in_game(i.wrapping_sub(1)) {
        Proved::All
    } else {
        Proved::KingIsSafe
    }
}

/// Why a record of a copied game cannot be replayed, if it cannot.
fn replay_fault(
    codec: &Codec,
    block: &Block,
    decoded: &Decoded,
    i: usize,
    proved: Proved,
) -> Option<Invalid> {
    let played = decoded.records[i].played()?;
    let is_legal = was_legal(&decoded.positions[i], played, proved);
    (!is_legal).then(|| unplayable(played, &fen_of(codec, block, decoded, i)))
}

fn unplayable(played: Capture, fen: &str) -> Invalid {
    let message = format!("illegal move '{played}' in the position '{fen}'");
    Invalid::new(Fault::Unplayable, message)
}

fn lacks(format: Format, field: Field) -> Invalid {
    let hint = match field {
        Field::Score => format!(" ({VALUE_NONE} means no score)"),
        _ => String::new(),
    };
    let format = format.name();
    let message = format!("{format} needs a {field}, which this record lacks{hint}");
    Invalid::new(Fault::Lacks(field), message)
}

fn no_place(format: Format, what: &str) -> Invalid {
    let message = format!("{} cannot hold {what}", format.name());
    Invalid::new(Fault::NoPlace, message)
}

/// The FEN of a record, its game or chain played through.
fn fen_of(codec: &Codec, block: &Block, decoded: &Decoded, record: usize) -> String {
    let mut fen = String::new();
    codec.states(block, decoded, &mut |i, state| {
        if i == record {
            fen = state.to_fen();
        }
    });
    fen
}

/// Leaves an empty list untouched.
fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut is_left = is_left.iter();
    list.retain(|_| is_left.next() == Some(&true));
}

/// The records of a block that are not dropped.
pub(crate) struct OutputRecords<'a> {
    target: Target,
    records: core::slice::Iter<'a, Record>,
    states: core::slice::Iter<'a, State>,
    actions: core::slice::Iter<'a, Action>,
}

impl<'a> OutputRecords<'a> {
    pub(super) fn new(
        target: Target,
        records: &'a [Record],
        states: &'a [State],
        actions: &'a [Action],
    ) -> OutputRecords<'a> {
        OutputRecords {
            target,
            records: records.iter(),
            states: states.iter(),
            actions: actions.iter(),
        }
    }
}

impl Iterator for OutputRecords<'_> {
    type Item = OutputRecord;

    #[inline]
    fn next(&mut self) -> Option<OutputRecord> {
        loop {
            let (record, state) = (self.records.next()?, self.states.next()?);
            let score = match self.actions.next()? {
                Action::Drop => continue,
                Action::Mark => Some(VALUE_NONE.into()),
                Action::Keep => self.target.score(record),
            };
            return Some(OutputRecord {
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
pub(crate) struct OutputRecord {
    pub state: State,
    pub board: Board,
    /// As read.
    pub record: Record,
    /// Of the side to move.
    pub score: Option<i32>,
    to: Format,
}

impl OutputRecord {
    /// A fault that the checks before writing have not found.
    pub(crate) fn error(&self, fault: Invalid) -> RecordError {
        fault.at(self.record.place(), self.record.span())
    }

    fn needed<T>(&self, field: Field, value: Option<T>) -> Result<T, RecordError> {
        value.ok_or_else(|| self.error(lacks(self.to, field)))
    }

    /// The score of the side to move, in 16 bits.
    pub(crate) fn score(&self) -> Result<i16, RecordError> {
        self.in_16_bits(self.score)
    }

    /// White's score.
    pub(crate) fn white_score(&self) -> Result<i16, RecordError> {
        let white = |score| turned_score(score, self.board.turn);
        self.in_16_bits(self.score.map(white))
    }

    fn in_16_bits(&self, score: Option<i32>) -> Result<i16, RecordError> {
        let score = self.needed(Field::Score, score)?;
        let too_large = |_| self.error(no_place(self.to, &format!("the score {score}")));
        score.try_into().map_err(too_large)
    }

    /// White's result: 0 loss, 1 draw, 2 win.
    pub(crate) fn white_result(&self) -> Result<u8, RecordError> {
        let result = self.result()?;
        Ok(self.board.turn.fold_wb(result, 2 - result))
    }

    /// The result of the side to move: 0 loss, 1 draw, 2 win.
    pub(crate) fn result(&self) -> Result<u8, RecordError> {
        self.needed(Field::Result, self.known_result())
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
    pub(crate) fn played(&self) -> Result<(Capture, Kind), RecordError> {
        self.needed(Field::Played, self.played_move())
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

//! Writes records in another format, and finds out what it cannot hold of them.

use shakmaty::Bitboard;

use super::legal::{Proof, is_legal, record_goes_on};
use super::{
    Action, Block, DecodedPart, Fault, Field, Format, Invalid, OpenChunk, Outcome, Record,
    RecordError, RecordFields, VALUE_NONE, turned_score,
};
use crate::packed::{QUEEN, promotion_code};
use swaplist::fen::{Extras, ply};
use swaplist::{Choice, PackedMove, ParseError};

/// What a format holds of the number of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    /// The full-move number, from which the ply follows.
    Moves,
    /// The ply, from which the full-move number follows.
    Plies,
    /// Both, which may contradict each other.
    Both,
}

/// The format in which records are written, and how.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // switches that go together in any way
pub(crate) struct Target {
    pub format: Format,
    /// Records are written as they were read.
    pub copies: bool,
    /// What a record without a score gets as the side to move's score. With `None` nothing is made
    /// up: where the format needs a score, that is a fault of the record.
    pub unscored: Option<i32>,
    /// Records without a score are allowed for any format, and left out later.
    pub drops_unscored: bool,
    /// Those that are left out are still written, as marked records or as rejects.
    pub writes_dropped: bool,
    /// Castling rights that the format cannot hold are dropped.
    pub drops_castling: bool,
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
            drops_unscored: false,
            writes_dropped: false,
            drops_castling: false,
            checks_moves: format.replays_moves(),
        }
    }

    /// Writes records of other formats in a format; an error if it cannot hold them.
    pub fn for_conversion(format: Format) -> Result<Target, ParseError> {
        if format.is_convertible_to() {
            return Ok(Target::new(format));
        }
        let name = format.name();
        let what = if format.is_writable() {
            "is not written from other formats"
        } else {
            "can only be read"
        };
        let message = format!("{name} {what}, choose another format to write");
        Err(ParseError::new(message))
    }

    /// The score that is written for a record. Where trainers do not skip 32002 they would take it
    /// for centipawns, so a record without a score never gets it there.
    pub fn score_of(&self, record: &RecordFields) -> Option<i32> {
        if record.is_unscored() {
            self.unscored
        } else {
            record.score()
        }
    }

    /// Appends the records that are not dropped.
    pub fn write(
        &self,
        decoded: &DecodedPart,
        actions: &[Action],
        out: &mut Vec<u8>,
        open_chunk: &mut OpenChunk,
    ) {
        self.write_from(0, decoded, actions, out, open_chunk);
    }

    /// Appends the records that are not dropped, from the number `first` on: one for each action.
    pub fn write_from(
        &self,
        first: usize,
        decoded: &DecodedPart,
        actions: &[Action],
        out: &mut Vec<u8>,
        open_chunk: &mut OpenChunk,
    ) {
        let records = OutputRecords {
            target: self,
            decoded,
            first,
            actions,
        };
        self.format.code().write(records, out, open_chunk);
    }

    /// Why a record cannot be written, if it cannot. One that is left out need not be.
    pub fn fault(&self, record: &Record, proved: Proof) -> Option<Invalid> {
        let is_left_out =
            self.drops_unscored && !self.writes_dropped && record.fields.is_unscored();
        if !self.copies
            && !is_left_out
            && let Some(fault) = self
                .lacks(&record.fields)
                .or_else(|| self.cannot_hold(record))
        {
            return Some(fault);
        }
        let played = record.fields.played().filter(|_| self.checks_moves)?;
        (!is_legal(record, played, proved)).then(|| unplayable(played, &record.to_string()))
    }

    /// Notes the records whose clocks are written otherwise than they are.
    pub fn note_clocks(&self, block: &Block, into: &mut DecodedPart) {
        for (number, record) in into.states.iter().enumerate() {
            // Only a text can have a higher clock than a record holds.
            let is_clamped = self.clamps_clock(record)
                || record.has_highest_clock()
                    && into.fen_bytes(block, number).is_some_and(|fen| {
                        Extras::from_fen(fen, &record.position).is_some_and(|extras| {
                            extras.halfmoves > u8::MAX.into() || extras.fullmoves > u16::MAX.into()
                        })
                    });
            if is_clamped {
                into.losses.clamped_clocks.push(number);
            }
            if self.loses_ply(record) {
                into.losses.lost_plies.push(number);
            }
        }
    }

    /// Whether the half-move clock is lowered to the highest that the format holds.
    fn clamps_clock(&self, record: &Record) -> bool {
        record.halfmoves > self.format.spec().max_halfmoves
    }

    /// Whether the ply and the move number contradict each other, and only one is written.
    #[inline]
    fn loses_ply(&self, record: &Record) -> bool {
        let Some(own) = record.fields.ply() else {
            return false;
        };
        let fullmoves = record.fullmoves.into();
        match self.format.spec().counts {
            Counting::Moves => ply(fullmoves, record.position.turn()) != own,
            // A FEN without a move number has 1.
            Counting::Plies => fullmoves > 1 && fullmoves != own / 2 + 1,
            Counting::Both => false,
        }
    }

    /// Names a field that the format needs and a record lacks.
    fn lacks(&self, record: &RecordFields) -> Option<Invalid> {
        let mut needed = self.format.spec().needs.iter().copied();
        let field = needed.find(|&field| match field {
            Field::Score => !self.drops_unscored && self.score_of(record).is_none(),
            // Every record has clocks to write, if need be 0 and 1.
            Field::Clocks => false,
            field => !record.has(field),
        })?;
        let hint = if field == Field::Score {
            format!("{VALUE_NONE} means no score")
        } else {
            let names: Vec<&str> = Format::ALL
                .iter()
                .filter(|to| to.is_convertible_to() && !to.needs(field))
                .map(|to| to.name())
                .collect();
            match names[..] {
                [name] => format!("{name} needs none"),
                _ => names.join(", ") + " need none",
            }
        };
        let name = self.format.name();
        let message = format!("{name} needs a {field}, which this record lacks ({hint})");
        Some(Invalid::new(Fault::Lacks(field), message))
    }

    /// Why the format cannot hold a record that lacks no field.
    fn cannot_hold(&self, record: &Record) -> Option<Invalid> {
        let spec = self.format.spec();
        let ply = record.ply_or_clock();
        let score = self.score_of(&record.fields);
        let fault = |kind, what: &str| {
            let message = format!("{} cannot hold {what}", spec.name);
            Invalid::new(kind, message)
        };
        if let Some(unheld) = spec.code.unheld_rights(record) {
            return Some(fault(Fault::NoRights, unheld.what));
        }
        let what = spec
            .code
            .cannot_hold(score, record)
            .or_else(|| (ply > spec.max_ply).then(|| format!("the ply {ply}")))?;
        Some(fault(Fault::NoPlace, &what))
    }
}

/// The fault of an illegal played move.
pub(super) fn unplayable(played: PackedMove, fen: &str) -> Invalid {
    let message = format!("illegal move '{played}' in the position '{fen}'");
    Invalid::new(Fault::Unplayable, message)
}

/// The records of a part that are not dropped.
pub(crate) struct OutputRecords<'a> {
    target: &'a Target,
    decoded: &'a DecodedPart,
    /// The record of the first action.
    first: usize,
    actions: &'a [Action],
}

impl OutputRecords<'_> {
    /// Calls `write` with each record. This is not an iterator, which would copy records.
    #[inline(always)]
    pub(crate) fn each(self, mut write: impl FnMut(&OutputRecord<'_>)) {
        for (i, &action) in (self.first..).zip(self.actions) {
            let without_state;
            let source = match self.decoded.states.get(i) {
                _ if action == Action::Drop => continue,
                Some(state) => state,
                None => {
                    without_state = self.decoded.record(i);
                    &without_state
                }
            };
            let score = match action {
                Action::Mark => Some(VALUE_NONE.into()),
                _ => self.target.score_of(&source.fields),
            };
            write(&OutputRecord { source, score });
        }
    }
}

/// A record to be written in another format, which was found to hold it.
pub(crate) struct OutputRecord<'a> {
    /// The record as it was read.
    pub source: &'a Record,
    /// The score to be written, the side to move's.
    pub score: Option<i32>,
}

impl OutputRecord<'_> {
    /// The score of the side to move, in 16 bits.
    pub(crate) fn score(&self) -> i16 {
        in_16_bits(self.score)
    }

    /// White's score, in 16 bits.
    pub(crate) fn white_score(&self) -> i16 {
        let turn = self.source.position.turn();
        in_16_bits(self.score.map(|score| turned_score(score, turn)))
    }

    /// White's result: 0 loss, 1 draw, 2 win. No result becomes a draw. That is never
    /// written: a format that needs a result refuses the record before, and `text`, which needs
    /// none, asks for the [`outcome`](RecordFields::outcome) first.
    pub(crate) fn white_result(&self) -> u8 {
        self.source.fields.outcome().unwrap_or(Outcome::Draw) as u8
    }

    /// The side to move's result: 0 loss, 1 draw, 2 win.
    pub(crate) fn result(&self) -> u8 {
        let white = self.white_result();
        self.source.position.turn().fold_wb(white, 2 - white)
    }
}

/// A score that is written in 16 bits; none becomes [`VALUE_NONE`].
fn in_16_bits(score: Option<i32>) -> i16 {
    let score = score.and_then(|score| score.try_into().ok());
    score.unwrap_or(VALUE_NONE)
}

/// Names a score that does not fit in 16 bits.
pub(crate) fn too_large_for_16_bits(score: Option<i32>) -> Option<String> {
    let score = score.filter(|&score| i16::try_from(score).is_err())?;
    Some(format!("the score {score}"))
}

/// Names White's score if it does not fit in 16 bits, given the side to move's.
pub(crate) fn white_too_large_for_16_bits(score: Option<i32>, record: &Record) -> Option<String> {
    let white = score.map(|score| turned_score(score, record.position.turn()));
    too_large_for_16_bits(white)
}

/// Castling rights of a record that a format cannot hold.
pub(crate) struct UnheldRights {
    /// The rooks that may castle.
    pub rooks: u64,
    /// What they are, for a message.
    what: &'static str,
}

impl UnheldRights {
    /// These rights; `None` if there are none.
    pub fn new(rooks: u64, what: &'static str) -> Option<UnheldRights> {
        (rooks != 0).then_some(UnheldRights { rooks, what })
    }
}

/// The castling rights that a FEN cannot name: of a side that has more than two, all except for the
/// outermost ones.
pub(crate) fn unheld_by_a_fen(record: &Record) -> Option<UnheldRights> {
    let mut rooks = Bitboard::EMPTY;
    for half in [Bitboard::SOUTH, Bitboard::NORTH] {
        let of_side = record.castling & half;
        if of_side.count() > 2 {
            let outermost = of_side.first().into_iter().chain(of_side.last());
            rooks |= of_side & !outermost.collect::<Bitboard>();
        }
    }
    UnheldRights::new(rooks.0, "more than two castling rights of one side")
}

/// Names a played move that moves nothing, or promotes to a piece that a pawn cannot become, for
/// formats that do not replay moves.
pub(crate) fn not_written_as_a_move(record: &Record) -> Option<String> {
    let played = record.fields.played()?;
    let promotes = matches!(promotion_code(played), 0 | 2..=QUEEN);
    (!promotes || played.from() == played.to()).then(|| format!("the move {played}"))
}

/// Writes records in a format, also those that come from no file.
///
/// In formats with games or chains, a record that continues the one before is written in the
/// same game or chain.
///
/// ```
/// use swaplist_files::formats::{Format, Writer};
///
/// let text = "4k3/8/8/8/8/8/8/4K2R w K - 3 9 | 12 | 0.5\n";
/// let mut writer = Writer::new(Format::Bulletformat)?;
/// let mut bytes = Vec::new();
/// for entry in Format::Text.records(text.as_bytes()) {
///     writer.push(&entry?, &mut bytes)?;
/// }
/// writer.finish(&mut bytes);
/// assert_eq!(bytes.len(), 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer {
    target: Target,
    /// Records that are not written yet, up to a game's end.
    batch: DecodedPart,
    losses: Losses,
}

/// How many of the records that a [`Writer`] wrote had something that was not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// Castling rights whose rook or king is not on its back rank.
    pub rights: u64,
    /// A half-move clock above the highest of the format, which was written instead.
    pub clocks: u64,
    /// A ply that contradicts the move number, in a format that holds one of both.
    pub plies: u64,
}

/// Records written together; binpack makes a chunk of them.
const TOGETHER: usize = 1 << 15;
/// Games that are longer are cut, to bound memory.
const LONGEST: usize = 1 << 18;

impl Writer {
    /// A writer of this format.
    ///
    /// # Errors
    ///
    /// If records of other formats cannot be written in it.
    pub fn new(to: Format) -> Result<Writer, ParseError> {
        Ok(Writer {
            target: Target::for_conversion(to)?,
            batch: DecodedPart::default(),
            losses: Losses::default(),
        })
    }

    /// What was not written of the records so far.
    pub const fn losses(&self) -> Losses {
        self.losses
    }

    /// Adds a record, and appends earlier ones to `out` now and then. Castling rights without a
    /// rook are dropped and [counted](Writer::losses).
    ///
    /// # Errors
    ///
    /// A [`RecordError`] if the format cannot hold it: a missing field, a score of too many
    /// bits, an illegal played move where moves are replayed. It is left out then.
    pub fn push(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let mut record = *record;
        let lost_rights = record.drop_lost_rights();
        if let Some(fault) = self.target.fault(&record, Proof::Nothing) {
            return Err(fault.at(record.fields.place(), record.fields.span()));
        }
        let holds = |field| self.target.format.holds(field);
        let has_clocks = holds(Field::Clocks);
        let clamps = has_clocks && self.target.clamps_clock(&record);
        self.losses.rights += u64::from(holds(Field::Castling) && lost_rights.any());
        self.losses.clocks += u64::from(clamps);
        self.losses.plies += u64::from(has_clocks && self.target.loses_ply(&record));
        let count = self.batch.records.len();
        if count >= LONGEST || count >= TOGETHER && !self.continues(&record) {
            self.write(out);
        }
        self.batch.records.push(record.fields);
        self.batch.states.push(record);
        Ok(())
    }

    /// Appends the records that are not written yet.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.write(out);
    }

    /// Whether a position belongs to the last game.
    fn continues(&self, record: &Record) -> bool {
        let last = self.batch.states.last();
        self.target.format.replays_moves() && last.is_some_and(|last| record_goes_on(last, record))
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        let actions = vec![Action::Keep; self.batch.records.len()];
        let mut open_chunk = OpenChunk::default();
        self.target
            .write(&self.batch, &actions, out, &mut open_chunk);
        self.batch.clear();
    }
}

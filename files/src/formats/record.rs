//! Records.

use core::fmt;
use core::ops::Range;

use shakmaty::{Bitboard, Color, File, Rank, Setup, Square};

use super::arise::rights_with_rook;
use super::board::Board;
use super::{Field, Outcome, Place};
use crate::notation::push_number;
use swaplist::CaptureKind;
use swaplist::fen::{Extras, ply};
use swaplist::{PackedMove, Position};

/// A record: a position with castling rights and clocks, and what its file says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Record {
    /// The position, ready for a backend.
    pub position: Position,
    /// Rooks that may castle. Readers of files and writers drop rights whose rook or king is not on
    /// its back rank; [`Record::from_fen`] keeps them.
    pub castling: Bitboard,
    /// Half-moves since the last capture or pawn move.
    pub halfmoves: u8,
    /// The full-move number, 1 at the start of a game; 0 if unknown.
    pub fullmoves: u16,
    /// Its score, result, played move and ply, and its place in the file.
    pub fields: RecordFields,
}

/// The squares of the rooks that castle in standard chess.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;

impl Record {
    /// A position without further information.
    pub const fn new(position: Position) -> Record {
        Record {
            position,
            castling: Bitboard::EMPTY,
            halfmoves: 0,
            fullmoves: 1,
            fields: RecordFields::new(Place::Offset(0), 0..0),
        }
    }

    /// Reads castling rights and clocks from a FEN of the position. What cannot be read is as in
    /// [`Record::new`]. Rights whose rook or king is not in place are kept, so that the writer
    /// drops and counts them. Whether the FEN has this position is not checked.
    ///
    /// The record's [`fields`](Record::fields) stay empty. A filter that asks for the move number
    /// needs it there: [`RecordFields::with_ply`], with [`swaplist::fen::ply`] of `fullmoves`.
    pub fn from_fen(fen: &str, position: Position) -> Record {
        Record::and_ep_of_fen(fen, position).0
    }

    /// Like [`Record::from_fen`], with the FEN's en-passant square, usable or not.
    pub(crate) fn and_ep_of_fen(fen: &str, position: Position) -> (Record, Option<Square>) {
        let parsed = Record::from_ascii(fen.as_bytes(), position);
        parsed.unwrap_or((Record::new(position), None))
    }

    /// Like [`Record::and_ep_of_fen`]; `None` if the text is not a FEN.
    pub(super) fn from_ascii(fen: &[u8], position: Position) -> Option<(Record, Option<Square>)> {
        let extras = Extras::from_fen(fen, &position)?;
        let state = Record {
            castling: Bitboard(extras.castling),
            halfmoves: extras.halfmoves.try_into().unwrap_or(u8::MAX),
            fullmoves: extras.fullmoves.try_into().unwrap_or(u16::MAX),
            ..Record::new(position)
        };
        Some((state, extras.ep))
    }

    /// Drops castling rights whose rook or king is not on its back rank; returns them.
    #[inline]
    pub(crate) fn drop_lost_rights(&mut self) -> Bitboard {
        let with_rook = Bitboard(rights_with_rook(&self.position, self.castling.0));
        let without_rook = self.castling & !with_rook;
        self.castling = with_rook;
        without_rook
    }

    /// Whether there is a castling right that standard chess does not have: of a king that is not
    /// on e1 or e8, or of a rook that is not in a corner.
    pub(crate) fn castles_as_in_chess960(&self) -> bool {
        self.castling.any()
            && Color::ALL.into_iter().any(|color| {
                let rank = Bitboard::from_rank(color.fold_wb(Rank::First, Rank::Eighth));
                let rooks = self.castling & rank;
                let king = self.position.king_of(color);
                rooks.any() && (king & 7 != File::E as u32 || (rooks.0 & !CORNERS) != 0)
            })
    }

    /// Whether a clock is the highest that fits: a text may have had a higher one.
    #[inline]
    pub(super) const fn has_highest_clock(&self) -> bool {
        self.halfmoves == u8::MAX || self.fullmoves == u16::MAX
    }

    /// A record of a board without other fields; `position` is the board's.
    pub(crate) fn from_board(board: &Board, position: Position) -> Record {
        Record {
            castling: Bitboard(board.castling),
            halfmoves: board.halfmoves,
            fullmoves: board.fullmoves,
            ..Record::new(position)
        }
    }

    /// The board, on which moves can be played.
    #[inline]
    pub(crate) fn board(&self) -> Board {
        Board::new(
            &self.position,
            self.castling.0,
            self.halfmoves,
            self.fullmoves,
        )
    }

    /// Half-moves since the start of the game, from the move number if the file gives none.
    pub(super) fn ply_or_clock(&self) -> u32 {
        self.fields
            .ply()
            .unwrap_or_else(|| ply(self.fullmoves.into(), self.position.turn()))
    }

    /// The record as shakmaty's setup.
    pub(crate) fn setup(&self) -> Setup {
        Setup {
            castling_rights: self.castling,
            halfmoves: self.halfmoves.into(),
            fullmoves: u32::from(self.fullmoves)
                .try_into()
                .unwrap_or(core::num::NonZeroU32::MIN),
            ..self.position.to_setup()
        }
    }

    /// Appends the FEN, with its six fields; the en-passant square only if a capture on it is
    /// legal.
    pub fn write_fen(&self, out: &mut Vec<u8>) {
        self.write_pieces(out);
        let turn = self.position.turn();
        out.extend_from_slice(turn.fold_wb(b" w ", b" b "));
        self.write_castling(out);
        out.push(b' ');
        match self.legal_ep() {
            Some(square) => {
                out.extend_from_slice(&[square.file().char() as u8, square.rank().char() as u8]);
            }
            None => out.push(b'-'),
        }
        for number in [self.halfmoves.into(), self.fullmoves.max(1).into()] {
            out.push(b' ');
            push_number(out, number);
        }
    }

    /// Whether there is an en-passant square on which a capture is legal.
    pub(crate) fn has_legal_ep(&self) -> bool {
        self.legal_ep().is_some()
    }

    /// The en-passant square, if a capture on it is legal.
    pub(super) fn legal_ep(&self) -> Option<Square> {
        Bitboard(self.board().legal_ep()).first()
    }

    /// Removes an en-passant target on which no capture is legal, as the record's FEN does.
    /// (Readers keep each target that a pawn attacks, also if the pawn is pinned.)
    #[inline]
    pub fn with_legal_ep(self) -> Record {
        if self.position.ep_square().is_none() || self.legal_ep().is_some() {
            return self;
        }
        let [bit0, bit1, bit2, black] = self.position.planes();
        let bare = Position::from_planes([bit0, bit1, bit2, black & (bit0 | bit1 | bit2)]);
        let position = bare.unwrap_or(self.position);
        Record { position, ..self }
    }

    /// Appends the pieces of a FEN. Four ranks are written at a time, nine bits each from a to h:
    /// the ninth is a square with a slash, so that one loop writes all.
    fn write_pieces(&self, out: &mut Vec<u8>) {
        const SLASHES: u64 = 1 << 8 | 1 << 17 | 1 << 26 | 1 << 35;
        // Eight ranks of eight pieces and a slash.
        let mut text = [0; 8 * 9];
        let mut end = 0;
        for lowest in [32, 0] {
            let highest_rank = lowest + 24;
            let [bit0, bit1, bit2, black] = self.position.planes().map(|plane| {
                // From the highest rank down, as in a FEN.
                let rank = |i: u32| (plane >> (highest_rank - 8 * i) & 0xff) << (9 * i);
                rank(0) | rank(1) | rank(2) | rank(3)
            });
            let black_or_slash = black | SLASHES;
            let mut rest = bit0 | bit1 | bit2 | SLASHES;
            let mut next = 0;
            while rest != 0 {
                let square = rest.trailing_zeros();
                let bit = |plane: u64| (plane >> square & 1) as usize;
                let code = bit(bit0) | bit(bit1) << 1 | bit(bit2) << 2 | bit(black_or_slash) << 3;
                text[end] = b'0' + (square - next) as u8;
                end += usize::from(square > next);
                text[end] = b" PNBRQKK/pnbrqkk"[code];
                end += 1;
                next = square + 1;
                rest &= rest - 1;
            }
        }
        out.extend_from_slice(&text[..end - 1]);
    }

    /// Appends the castling rights of a FEN: `KQkq` for rooks in the corners, file letters if there
    /// are others. Rights whose rook or king is not in place are left out: readers would take them
    /// for those of another rook, or of none.
    fn write_castling(&self, out: &mut Vec<u8>) {
        let castling = Bitboard(rights_with_rook(&self.position, self.castling.0));
        let orthodox = castling.0 & !CORNERS == 0;
        for (letter_of, half) in [
            (u8::to_ascii_uppercase as fn(&u8) -> u8, Bitboard::SOUTH),
            (u8::to_ascii_lowercase, Bitboard::NORTH),
        ] {
            for rook in (castling & half).into_iter().rev() {
                let letter = match rook.file() {
                    File::H if orthodox => b'k',
                    File::A if orthodox => b'q',
                    file => file.char() as u8,
                };
                out.push(letter_of(&letter));
            }
        }
        if castling.is_empty() {
            out.push(b'-');
        }
    }
}

/// Writes the FEN, with its six fields.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fen = Vec::new();
        self.write_fen(&mut fen);
        f.write_str(&String::from_utf8_lossy(&fen))
    }
}

/// The fields of a record besides its position, in 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct RecordFields {
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

impl RecordFields {
    /// A record without fields: its place in the file, and its bytes in the block, including a
    /// line's end. A record that stands in no file has none, as `0..0`; it is in no game.
    #[inline]
    pub const fn new(place: Place, span: Range<u32>) -> RecordFields {
        RecordFields {
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
    #[inline]
    pub fn with_played(mut self, played: Option<PackedMove>) -> RecordFields {
        self.played = played.map_or(NO_MOVE, PackedMove::to_bits);
        self
    }

    /// Sets the score in centipawns, from the side to move's view. The lowest `i32` means none.
    #[inline]
    pub fn with_score(mut self, score: Option<i32>) -> RecordFields {
        self.score = score.unwrap_or(NO_SCORE);
        self
    }

    /// Sets the result of the game.
    #[inline]
    pub const fn with_outcome(mut self, outcome: Option<Outcome>) -> RecordFields {
        self.outcome = outcome;
        self
    }

    /// Sets the half-moves since the start of the game. The highest `u32` means unknown.
    #[inline]
    pub fn with_ply(mut self, ply: Option<u32>) -> RecordFields {
        self.ply = ply.unwrap_or(NO_PLY);
        self
    }

    /// The record's place in the file.
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
    #[inline]
    pub const fn span(&self) -> Range<u32> {
        self.start..self.end
    }

    /// A number that all records of a game or chain have, and no other record of their block: where
    /// the bytes of the game begin. In formats of single records each record has its own. (Records
    /// cannot be grouped by their places, as in some formats each position of a game has its own.)
    /// `None` if the record has no bytes, as one that a caller has made: it is in no game.
    #[inline]
    pub(crate) fn unit(&self) -> Option<u32> {
        (self.start < self.end).then_some(self.start)
    }

    /// Whether it is of the same game or chain as another record of the block.
    #[inline]
    pub(crate) fn is_in_unit_of(&self, other: &RecordFields) -> bool {
        self.unit().is_some_and(|unit| other.unit() == Some(unit))
    }

    /// The move played in the position; `None` if the file does not say it.
    #[inline]
    pub fn played(&self) -> Option<PackedMove> {
        (self.played != NO_MOVE).then_some(PackedMove::from_bits(self.played))
    }

    /// The score in centipawns, from the side to move's view; `None` if the file does not say it.
    #[inline]
    pub fn score(&self) -> Option<i32> {
        (self.score != NO_SCORE).then_some(self.score)
    }

    /// Whether it has no score, or one of [`MATE`](super::MATE) or more on either side: by a single
    /// comparison, which takes three instructions.
    #[inline]
    pub(crate) const fn score_is_none_or_mate(&self) -> bool {
        let highest = super::MATE - 1;
        // The scores from `-highest` to `highest` become 0 to `2 * highest`, and all others,
        // `NO_SCORE` too, become larger numbers.
        self.score.wrapping_add(highest).cast_unsigned() > 2 * highest.cast_unsigned()
    }

    /// Whether it has no score, or [`VALUE_NONE`](super::VALUE_NONE) for either side.
    #[inline]
    pub const fn is_unscored(&self) -> bool {
        self.score == NO_SCORE || self.score.unsigned_abs() == super::VALUE_NONE as u32
    }

    /// Whether the played move captures, en passant too; false without one. `position` is the
    /// record's.
    #[inline]
    pub(crate) fn captures(&self, position: &Position) -> bool {
        let kind = self.played().map(|played| position.takes(played));
        matches!(kind, Some(CaptureKind::Piece | CaptureKind::EnPassant))
    }

    /// Whether its score is 0: a single comparison.
    #[inline]
    pub(crate) const fn has_score_0(&self) -> bool {
        self.score == 0
    }

    /// Whether its score is a 0 that may be a placeholder: the played move captures, or the side to
    /// move is in check. `position` is the record's.
    ///
    /// Tools that minimise binpacks set such scores to 0, since trainers skip these positions.
    /// Without a played move that cannot have been done.
    #[inline]
    pub(crate) fn is_placeholder(&self, position: &Position) -> bool {
        let may_be = self.has_score_0() && self.played != NO_MOVE;
        may_be && (self.captures(position) || position.in_check())
    }

    /// The result of the game; `None` if the file does not say it.
    #[inline]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Half-moves since the start of the game; `None` if the file does not say it.
    #[inline]
    pub fn ply(&self) -> Option<u32> {
        (self.ply != NO_PLY).then_some(self.ply)
    }

    /// Whether it has a field. Those of the position itself are never missing.
    pub(crate) fn has(&self, field: Field) -> bool {
        match field {
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

const _: () = assert!(size_of::<RecordFields>() == 32);

//! A position with castling rights and clocks: the content of a FEN.

use shakmaty::{Bitboard, Color, Setup, Square};

use super::board::Board;
use crate::Position;
use crate::fen::Extras;
use crate::notation::push_number;

/// A position with castling rights and clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The position.
    pub position: Position,
    /// Rooks that may castle.
    pub castling: Bitboard,
    /// Half-moves since the last capture or pawn move.
    pub halfmoves: u8,
    /// The full-move number, 1 at the start of a game; 0 if unknown.
    pub fullmoves: u16,
}

const CORNERS: [(u32, u8); 4] = [(7, b'K'), (0, b'Q'), (63, b'k'), (56, b'q')];

impl State {
    /// A position without further information.
    #[must_use]
    pub const fn bare(position: Position) -> State {
        State {
            position,
            castling: Bitboard::EMPTY,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// Reads castling rights and clocks from a FEN of the position; those that cannot be read
    /// are as in [`State::bare`]. Whether the FEN has this position is not checked.
    #[must_use]
    pub fn of_fen(fen: &str, position: Position) -> State {
        State::and_ep_of_fen(fen, position).0
    }

    /// The same with the FEN's en-passant square, usable or not.
    #[must_use]
    #[doc(hidden)] // for our command and tests
    pub fn and_ep_of_fen(fen: &str, position: Position) -> (State, Option<Square>) {
        let found = State::of_ascii(fen.as_bytes(), position);
        found.unwrap_or((State::bare(position), None))
    }

    /// The same; `None` if the text is not a FEN.
    pub(super) fn of_ascii(fen: &[u8], position: Position) -> Option<(State, Option<Square>)> {
        let extras = Extras::of(fen, &position)?;
        let state = State {
            position,
            castling: Bitboard(extras.castling),
            halfmoves: extras.halfmoves.try_into().unwrap_or(u8::MAX),
            fullmoves: extras.fullmoves.try_into().unwrap_or(u16::MAX),
        };
        Some((state, extras.ep))
    }

    pub(crate) fn of_board(board: &Board, position: Position) -> State {
        State {
            position,
            castling: Bitboard(board.castling),
            halfmoves: board.halfmoves,
            fullmoves: board.fullmoves,
        }
    }

    #[inline]
    pub(crate) fn board(&self) -> Board {
        Board::new(
            &self.position,
            self.castling.0,
            self.halfmoves,
            self.fullmoves,
        )
    }

    /// Converts to a shakmaty setup.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
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

    /// The en-passant square, if a capture on it is legal.
    pub(super) fn legal_ep(&self) -> Option<Square> {
        Bitboard(self.board().legal_ep()).first()
    }

    /// The FEN, with its six fields.
    #[must_use]
    pub fn to_fen(&self) -> String {
        let mut fen = Vec::new();
        self.write_fen(&mut fen);
        String::from_utf8_lossy(&fen).into_owned()
    }

    /// Four ranks at a time, as if each had a ninth square with a slash: so one loop writes all.
    fn write_pieces(&self, out: &mut Vec<u8>) {
        const SLASHES: u64 = 1 << 8 | 1 << 17 | 1 << 26 | 1 << 35;
        // Eight ranks of eight pieces and a slash.
        let mut text = [0; 8 * 9];
        let mut end = 0;
        for lowest in [32, 0] {
            let ranks = |plane: u64| {
                let rank = |i: u32| (plane >> (lowest + 24 - 8 * i) & 0xff) << (9 * i);
                rank(0) | rank(1) | rank(2) | rank(3)
            };
            let [bit0, bit1, bit2, black] = self.position.planes().map(ranks);
            let black = black | SLASHES;
            let mut rest = bit0 | bit1 | bit2 | SLASHES;
            let mut behind = 0;
            while rest != 0 {
                let square = rest.trailing_zeros();
                let bit = |plane: u64| (plane >> square & 1) as usize;
                let code = bit(bit0) | bit(bit1) << 1 | bit(bit2) << 2 | bit(black) << 3;
                text[end] = b'0' + (square - behind) as u8;
                end += usize::from(square > behind);
                text[end] = b" PNBRQKK/pnbrqkk"[code];
                end += 1;
                behind = square + 1;
                rest &= rest - 1;
            }
        }
        out.extend_from_slice(&text[..end - 1]);
    }

    /// `KQkq` for rooks in the corners, file letters for others.
    fn write_castling(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let orthodox =
            self.castling.0 & !CORNERS.iter().fold(0, |all, (rook, _)| all | 1 << rook) == 0;
        if orthodox {
            let rights = CORNERS
                .iter()
                .filter(|(rook, _)| self.castling.0 >> rook & 1 == 1);
            out.extend(rights.map(|&(_, letter)| letter));
        } else {
            let black = Bitboard(self.position.planes()[3]);
            for color in Color::ALL {
                let rooks = self.castling & color.fold_wb(!black, black);
                let letters = rooks.into_iter().rev().map(|rook| rook.file().char() as u8);
                out.extend(
                    letters.map(|letter| color.fold_wb(letter.to_ascii_uppercase(), letter)),
                );
            }
        }
        if out.len() == start {
            out.push(b'-');
        }
    }
}

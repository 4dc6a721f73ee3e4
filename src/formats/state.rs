//! What a FEN says: a position with castling rights and clocks.

use std::io::Write as _;

use shakmaty::{Bitboard, Color, Setup, Square};

use super::board::Board;
use super::legal::{Proved, is_legal};
use crate::fen::Extras;
use crate::{Capture, Position};

/// A position with what SEE does not ask for and other formats hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The position.
    pub position: Position,
    /// Rooks that may castle.
    pub castling: Bitboard,
    /// Half-moves since the last capture or pawn move.
    pub halfmoves: u8,
    /// The number of the full move, 1 at the start of a game; 0 if not known.
    pub fullmoves: u16,
}

const CORNERS: [(u32, u8); 4] = [(7, b'K'), (0, b'Q'), (63, b'k'), (56, b'q')];

impl State {
    /// A position of which nothing else is known.
    #[must_use]
    pub const fn bare(position: Position) -> State {
        State {
            position,
            castling: Bitboard::EMPTY,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// With castling rights and clocks as in a FEN of the position, as far as
    /// they can be read.
    #[must_use]
    pub fn of_fen(fen: &str, position: Position) -> State {
        State::and_ep_of_fen(fen, position).0
    }

    /// The same, and the en-passant square that the FEN names, usable or not.
    #[must_use]
    pub fn and_ep_of_fen(fen: &str, position: Position) -> (State, Option<Square>) {
        let Some(extras) = Extras::of(fen.as_bytes(), &position) else {
            return (State::bare(position), None);
        };
        let state = State {
            position,
            castling: Bitboard(extras.castling),
            halfmoves: extras.halfmoves.try_into().unwrap_or(u8::MAX),
            fullmoves: extras.fullmoves.try_into().unwrap_or(u16::MAX),
        };
        (state, extras.ep)
    }

    /// Whether shakmaty finds nothing odd in the position, castling rights and `ep`, its
    /// en-passant square, among it, and the played move is legal.
    #[must_use]
    pub fn is_sound(&self, ep: Option<Square>, played: Option<Capture>) -> bool {
        self.position.can_arise(self.castling.0, ep)
            && played.is_none_or(|played| is_legal(self, played, Proved::Nothing))
    }

    pub(crate) fn of_board(board: &Board, position: Position) -> State {
        State {
            position,
            castling: Bitboard(board.castling()),
            halfmoves: board.halfmoves(),
            fullmoves: board.fullmoves(),
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

    /// As a shakmaty setup.
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

    /// Appends the FEN, with its six fields.
    pub fn write_fen(&self, out: &mut Vec<u8>) {
        self.write_pieces(out);
        let turn = self.position.turn();
        out.extend_from_slice(turn.fold_wb(b" w ", b" b "));
        self.write_castling(out);
        out.push(b' ');
        match self.position.ep_square() {
            Some(square) => {
                out.extend_from_slice(&[square.file().char() as u8, square.rank().char() as u8]);
            }
            None => out.push(b'-'),
        }
        // Writing to memory does not fail.
        let _ = write!(out, " {} {}", self.halfmoves, self.fullmoves.max(1));
    }

    /// The FEN, with its six fields.
    #[must_use]
    pub fn to_fen(&self) -> String {
        let mut fen = Vec::new();
        self.write_fen(&mut fen);
        String::from_utf8_lossy(&fen).into_owned()
    }

    fn write_pieces(&self, out: &mut Vec<u8>) {
        let [bit0, bit1, bit2, black] = self.position.planes();
        for rank in (0..8).rev() {
            let mut empty = b'0';
            for square in rank * 8..rank * 8 + 8 {
                let bit = |plane: u64| (plane >> square & 1) as usize;
                let code = bit(bit0) | bit(bit1) << 1 | bit(bit2) << 2;
                if code == 0 {
                    empty += 1;
                    continue;
                }
                if empty > b'0' {
                    out.push(core::mem::replace(&mut empty, b'0'));
                }
                let name = b" PNBRQKK"[code];
                out.push(name | (bit(black) as u8) << 5);
            }
            if empty > b'0' {
                out.push(empty);
            }
            if rank > 0 {
                out.push(b'/');
            }
        }
    }

    /// `KQkq` for rooks in the corners, the letters of their files for others.
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

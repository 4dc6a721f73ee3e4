//! Parses FEN text into the packed position.
//!
//! This parser knows the usual form and gives up on all others (odd blanks, pockets, `~`, check
//! counters, errors), which shakmaty then parses. So the accepted FENs and the errors are those
//! of shakmaty's parser and [`Position::try_from`], except that four fields are needed, separated by
//! blanks.

use shakmaty::{Color, Setup, Square, fen::Fen};

use crate::position::{Position, PositionError};

mod board;
mod extras;

pub use extras::{Extras, castling_rook, chess_and_castling};

impl Position {
    /// Parses a FEN of four to six fields: with or without its clocks.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the text is not a FEN or SEE has no meaning in the position.
    pub fn from_ascii(fen: &[u8]) -> Result<Position, PositionError> {
        match Front::read(fen) {
            Some(front) if front.length == fen.len() => Ok(front.position),
            _ => Position::try_from(&setup_of(fen)?),
        }
    }
}

/// By shakmaty, which would also read a board alone, as White's.
fn setup_of(fen: &[u8]) -> Result<Setup, PositionError> {
    let fen = fen.trim_ascii();
    let setup = Fen::from_ascii(fen).map_err(PositionError::Fen)?;
    // shakmaty also separates fields by `_`.
    let fields = fen.split(|&byte| byte == b' ');
    match fields.filter(|field| !field.is_empty()).count() {
        fields @ ..4 => Err(PositionError::Fields(fields)),
        _ => Ok(setup.into_setup()),
    }
}

/// A FEN in the usual form at the start of a text.
pub struct Front {
    /// The FEN's position.
    pub position: Position,
    /// The number of its bytes.
    pub length: usize,
    /// Half-moves since the start of the game, if the FEN has all six fields.
    pub ply: Option<u32>,
}

impl Front {
    /// Parses four to six fields with one space between them; `None` for anything else, valid
    /// or not.
    #[inline]
    pub fn read(text: &[u8]) -> Option<Front> {
        let ([bit0, bit1, bit2, black], board_length) = board::planes(text)?;
        let [b' ', letter, b' ', after_turn @ ..] = text.get(board_length..)? else {
            return None;
        };
        let turn = match letter {
            b'w' => Color::White,
            b'b' => Color::Black,
            _ => return None,
        };
        let after_castling = after_turn.get(castling(after_turn)?..)?;
        let (ep, after_ep) = en_passant(after_castling)?;
        let (_, after_halfmoves) = number(after_ep)?;
        let (fullmoves, rest) = number(after_halfmoves)?;
        // Both kings have bits 1 and 2, and the king to move bit 0, too.
        let side = if turn == Color::Black { black } else { !black };
        let planes = [bit0 | bit1 & bit2 & side, bit1, bit2, black];
        Some(Front {
            position: Position::from_bare_planes(planes).ok()?.with_ep(ep),
            length: text.len() - rest.len(),
            ply: fullmoves.map(|fullmoves| ply(fullmoves, turn)),
        })
    }
}

/// The length of the castling rights: at most two per side, or a dash.
fn castling(text: &[u8]) -> Option<usize> {
    let mut white = 0;
    let mut black = 0;
    for (length, &byte) in text.iter().enumerate() {
        match byte {
            b'K' | b'Q' | b'A'..=b'H' => white += 1,
            b'k' | b'q' | b'a'..=b'h' => black += 1,
            b'-' if length == 0 => return Some(1),
            _ => return (length > 0 && white <= 2 && black <= 2).then_some(length),
        }
    }
    None
}

/// The en-passant square after a space, and the rest of the text.
fn en_passant(text: &[u8]) -> Option<(Option<Square>, &[u8])> {
    match text {
        [b' ', b'-', rest @ ..] => Some((None, rest)),
        [b' ', file @ b'a'..=b'h', rank @ b'1'..=b'8', rest @ ..] => {
            let file = u32::from(file - b'a');
            let rank = u32::from(rank - b'1');
            Some((Some(Square::new(rank << 3 | file)), rest))
        }
        _ => None,
    }
}

/// Half-moves since the start of the game, from the full-move number.
pub const fn ply(fullmoves: u32, turn: Color) -> u32 {
    let whole = fullmoves.saturating_sub(1).saturating_mul(2);
    whole.saturating_add(turn.is_black() as u32)
}

/// A number after a space, if there is one, and the rest of the text. `None` if a field ends
/// otherwise, or the number is long.
fn number(text: &[u8]) -> Option<(Option<u32>, &[u8])> {
    let [b' ', digits @ ..] = text else {
        return ends_field(text).then_some((None, text));
    };
    let mut number = 0;
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = digits.get(length) {
        number = number * 10 + u32::from(digit - b'0');
        length += 1;
        if length > 8 {
            return None;
        }
    }
    if length == 0 {
        return Some((None, text));
    }
    // Letters after digits belong to another field, such as `0-1`.
    let rest = &digits[length..];
    ends_field(rest).then_some((Some(number), rest))
}

/// Whether the field ends here.
fn ends_field(text: &[u8]) -> bool {
    matches!(text, [] | [b' ' | b'\t' | b';' | b'|', ..])
}

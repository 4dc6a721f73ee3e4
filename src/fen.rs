//! FEN text straight into the packed position.
//!
//! Two ways lead there and agree: this parser knows the usual form and gives up
//! on all others (odd blanks, missing fields, pockets, `~`, check counters,
//! errors), which then take the way through shakmaty. So exactly that is accepted
//! and refused which shakmaty's parser and [`Position::try_from`] accept and
//! refuse, with the same errors.

use shakmaty::{Color, Square, fen::Fen};

use crate::position::{Position, PositionError};

mod board;

impl Position {
    /// From a FEN, its clocks or its last fields left out or not.
    ///
    /// ```
    /// use swaplist::Position;
    ///
    /// let fen = b"rnbqkbnr/pppp1ppp/8/8/3pP3/8/PPP2PPP/RNBQKBNR b KQkq e3 0 3";
    /// assert_eq!(Position::from_ascii(fen)?.ep_square(), Some(shakmaty::Square::E3));
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the text is no FEN or SEE has no meaning there.
    pub fn from_ascii(fen: &[u8]) -> Result<Position, PositionError> {
        match Front::of(fen) {
            Some(front) if front.length == fen.len() => Ok(front.position),
            _ => {
                let fen = Fen::from_ascii(fen).map_err(PositionError::Fen)?;
                Position::try_from(fen.as_setup())
            }
        }
    }
}

/// A FEN in the usual form at the front of a text.
pub(crate) struct Front {
    pub position: Position,
    /// Its bytes.
    pub length: usize,
    /// Half-moves since the start of the game, where the FEN has all six fields.
    pub ply: Option<u32>,
}

impl Front {
    /// Four to six fields with one space between them. None if there is anything
    /// else, sound or not.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Option<Front> {
        let (planes, at) = board::planes(text)?;
        let [b' ', turn, b' ', rest @ ..] = text.get(at..)? else {
            return None;
        };
        let turn = match turn {
            b'w' => Color::White,
            b'b' => Color::Black,
            _ => return None,
        };
        let castling = castling(rest)?;
        let (ep, rest) = en_passant(rest.get(castling..)?)?;
        let (ply, behind) = clocks(rest, turn)?;
        let [bit0, bit1, bit2, black] = planes;
        let side = if turn == Color::Black { black } else { !black };
        let planes = [bit0 | bit1 & bit2 & side, bit1, bit2, black];
        Some(Front {
            position: Position::from_bare_planes(planes).ok()?.with_ep(ep),
            length: text.len() - behind.len(),
            ply,
        })
    }
}

/// The length of the castling rights: at most two a side, or a dash.
fn castling(text: &[u8]) -> Option<usize> {
    let (mut white, mut black) = (0, 0);
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

/// The en-passant square behind a space, and the text behind it.
fn en_passant(text: &[u8]) -> Option<(Option<Square>, &[u8])> {
    match text {
        [b' ', b'-', rest @ ..] => Some((None, rest)),
        [b' ', file @ b'a'..=b'h', rank @ b'1'..=b'8', rest @ ..] => {
            let (file, rank) = (u32::from(file - b'a'), u32::from(rank - b'1'));
            Some((Some(Square::new(rank << 3 | file)), rest))
        }
        _ => None,
    }
}

/// What the clocks tell, if both are there, and the text behind them.
fn clocks(text: &[u8], turn: Color) -> Option<(Option<u32>, &[u8])> {
    let (_, rest) = number(text)?;
    let (moves, rest) = number(rest)?;
    let ply = moves.map(|moves| 2 * (moves.max(1) - 1) + turn.fold_wb(0, 1));
    Some((ply, rest))
}

/// A number behind a space, if there is one, and the text behind it. None where a
/// field ends otherwise, or the number is long.
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
    // Letters may stand behind digits only in another field, such as `0-1`.
    let rest = &digits[length..];
    ends_field(rest).then_some((Some(number), rest))
}

/// Whether no field goes on here.
fn ends_field(text: &[u8]) -> bool {
    matches!(text, [] | [b' ' | b'\t' | b';' | b'|', ..])
}

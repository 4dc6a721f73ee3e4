//! Parses FEN text into the packed position.
//!
//! This parser knows the usual form and gives up on all others (odd blanks, pockets, `~`, check
//! counters, errors), which shakmaty then parses. So the accepted FENs and the errors are those
//! of shakmaty's parser and [`Position::try_from`], except that four fields are needed, separated by
//! blanks.

use shakmaty::{Bitboard, Chess, Color, Setup, Square, fen::Fen};

use crate::attacks::highest;
use crate::position::{Position, PositionError, chess_from_setup};

mod board;

impl Position {
    /// Parses a FEN of four to six fields: with or without its clocks.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the text is not a FEN or SEE has no meaning in the position.
    pub fn from_ascii(fen: &[u8]) -> Result<Position, PositionError> {
        match Front::of(fen) {
            Some(front) if front.length == fen.len() => Ok(front.position),
            _ => Position::try_from(&setup_of(fen)?),
        }
    }
}

/// With castling rights and clocks, which packed positions lack.
pub(crate) fn chess_of(fen: &[u8]) -> Result<Chess, PositionError> {
    Ok(chess_and_castling(fen)?.0)
}

/// The same, and all castling rights of the FEN: also those that are dropped, whose king or rook is
/// not there.
pub(crate) fn chess_and_castling(fen: &[u8]) -> Result<(Chess, Bitboard), PositionError> {
    let setup = setup_of(fen)?;
    let castling = setup.castling_rights;
    Ok((chess_from_setup(setup)?, castling))
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
pub(crate) struct Front {
    pub position: Position,
    /// Its bytes.
    pub length: usize,
    /// Half-moves since the start of the game, if the FEN has all six fields.
    pub ply: Option<u32>,
}

/// The other fields of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extras {
    /// Rooks that may castle, or the squares where they should be.
    pub castling: u64,
    /// The en-passant square, usable or not.
    pub ep: Option<Square>,
    pub halfmoves: u32,
    /// At least 1.
    pub fullmoves: u32,
}

impl Extras {
    /// Whether a clock is higher than a record can hold.
    pub(crate) const fn exceed_record(&self) -> bool {
        self.halfmoves > u8::MAX as u32 || self.fullmoves > u16::MAX as u32
    }

    /// Parses the fields; `None` if the text is not a FEN.
    #[inline]
    pub(crate) fn of(fen: &[u8], position: &Position) -> Option<Extras> {
        Extras::of_usual(fen, position).or_else(|| Extras::of_any(fen))
    }

    /// `None` if it is not in the usual form, as defined by [`Front::of`].
    #[inline]
    fn of_usual(fen: &[u8], position: &Position) -> Option<Extras> {
        // Searched from the end, which is closer. Castling rights of a single `b` are taken for
        // the turn; then no en-passant field is found.
        let turn = |field: &[u8; 3]| matches!(field, b" w " | b" b ");
        let rest = &fen[fen.array_windows().rposition(turn)? + 3..];
        let (letters, rest) = rest.split_at_checked(castling(rest)?)?;
        let (ep, rest) = en_passant(rest)?;
        let (halfmoves, rest) = number(rest)?;
        let (fullmoves, rest) = number(rest)?;
        rest.is_empty().then(|| Extras {
            castling: letters
                .iter()
                .fold(0, |all, &letter| all | castling_rook(letter, position)),
            ep,
            halfmoves: halfmoves.unwrap_or(0),
            fullmoves: fullmoves.unwrap_or(1).max(1),
        })
    }

    #[cold]
    fn of_any(fen: &[u8]) -> Option<Extras> {
        let setup = Fen::from_ascii(fen.trim_ascii()).ok()?.into_setup();
        Some(Extras {
            castling: setup.castling_rights.0,
            ep: setup.ep_square,
            halfmoves: setup.halfmoves,
            fullmoves: setup.fullmoves.get(),
        })
    }
}

/// The rook of a castling letter, or the square where it should be: `K` and `Q` are the outermost
/// ones.
pub(crate) fn castling_rook(letter: u8, position: &Position) -> u64 {
    let (color, rank) = if letter.is_ascii_uppercase() {
        (Color::White, 0)
    } else {
        (Color::Black, 56)
    };
    let own = position.pieces_of(color) & 0xff << rank;
    let rooks = position.rooks() & own;
    let kings = position.kings() & own;
    let outermost = |king: u64, corner: u32| {
        if rooks & king == 0 { 1 << corner } else { king }
    };
    match letter.to_ascii_lowercase() {
        b'-' => 0,
        b'k' => outermost(highest(rooks | kings), rank + 7),
        b'q' => outermost((rooks | kings) & (rooks | kings).wrapping_neg(), rank),
        file => 1_u64 << (rank + u32::from(file - b'a')),
    }
}

impl Front {
    /// Parses four to six fields with one space between them; `None` for anything else, valid
    /// or not.
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
        let (_, rest) = number(rest)?;
        let (fullmoves, rest) = number(rest)?;
        let [bit0, bit1, bit2, black] = planes;
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
pub(crate) const fn ply(fullmoves: u32, turn: Color) -> u32 {
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

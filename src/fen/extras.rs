//! What packed positions lack of a FEN: castling rights, the en-passant square as it is written, and
//! clocks.

use shakmaty::{Bitboard, Chess, Color, Square, fen::Fen};

use super::{castling, en_passant, number, setup_of};
use crate::attacks::highest;
use crate::position::{Position, PositionError, chess_from_setup};

/// A FEN as shakmaty's position, with castling rights and clocks, which packed positions lack; and
/// all castling rights of the FEN: also those that are dropped, whose king or rook is not there.
///
/// # Errors
///
/// A [`PositionError`] if the text is not a FEN or its position cannot be played on.
pub fn chess_and_castling(fen: &[u8]) -> Result<(Chess, Bitboard), PositionError> {
    let setup = setup_of(fen)?;
    let castling = setup.castling_rights;
    Ok((chess_from_setup(setup)?, castling))
}

/// The other fields of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extras {
    /// Rooks that may castle, or the squares where they should be.
    pub castling: u64,
    /// The en-passant square, usable or not.
    pub ep: Option<Square>,
    /// Half-moves since the last capture or pawn move; 0 if the FEN does not say.
    pub halfmoves: u32,
    /// The number of the move, at least 1.
    pub fullmoves: u32,
}

impl Extras {
    /// Parses the fields; `None` if the text is not a FEN.
    #[inline]
    pub fn from_fen(fen: &[u8], position: &Position) -> Option<Extras> {
        Extras::from_usual(fen, position).or_else(|| Extras::from_any(fen))
    }

    /// Parses the fields of a FEN in the usual form, which [`Front::read`] defines; `None` for any
    /// other text.
    #[inline]
    fn from_usual(fen: &[u8], position: &Position) -> Option<Extras> {
        // Searched from the end, which is closer. Castling rights of a single `b` are taken for
        // the turn; then no en-passant field is found.
        let before_turn = fen
            .array_windows()
            .rposition(|field: &[u8; 3]| matches!(field, b" w " | b" b "))?;
        let after_turn = &fen[before_turn + 3..];
        let (letters, after_castling) = after_turn.split_at_checked(castling(after_turn)?)?;
        let (ep, after_ep) = en_passant(after_castling)?;
        let (halfmoves, after_halfmoves) = number(after_ep)?;
        let (fullmoves, after_fullmoves) = number(after_halfmoves)?;
        after_fullmoves.is_empty().then(|| Extras {
            castling: letters
                .iter()
                .fold(0, |all, &letter| all | castling_rook(position, letter)),
            ep,
            halfmoves: halfmoves.unwrap_or(0),
            fullmoves: fullmoves.unwrap_or(1).max(1),
        })
    }

    #[cold]
    fn from_any(fen: &[u8]) -> Option<Extras> {
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
pub fn castling_rook(position: &Position, letter: u8) -> u64 {
    let (color, rank) = if letter.is_ascii_uppercase() {
        (Color::White, 0)
    } else {
        (Color::Black, 56)
    };
    let own = position.pieces_of(color) & 0xff << rank;
    let rooks = position.rooks() & own;
    let kings = position.kings() & own;
    // Where the outermost rook or king is the king, no rook is outside of it.
    let or_corner = |outermost: u64, corner: u32| {
        if rooks & outermost == 0 {
            1 << corner
        } else {
            outermost
        }
    };
    match letter.to_ascii_lowercase() {
        b'-' => 0,
        b'k' => or_corner(highest(rooks | kings), rank + 7),
        b'q' => or_corner((rooks | kings) & (rooks | kings).wrapping_neg(), rank),
        file => 1_u64 << (rank + u32::from(file - b'a')),
    }
}

//! Errors of positions.

use core::fmt;

use shakmaty::{Bitboard, Color, Square, fen::ParseFenError};

/// Why SEE has no meaning for a position, or a text is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is not a FEN.
    Fen(ParseFenError),
    /// The text has so many fields of a FEN's four to six.
    Fields(usize),
    /// Pockets or remaining checks: not standard chess.
    Variant,
    /// More than 32 pieces.
    TooManyPieces(u32),
    /// A side has no king, or more than one.
    KingCount {
        /// The side.
        color: Color,
        /// The number of its kings.
        kings: u32,
    },
    /// A pawn stands on the first or last rank.
    PawnOnBackRank(Square),
    /// The side that is not to move is in check.
    OppositeCheck,
    /// Bitboards that put two pieces on these squares, or a piece without a colour, or a colour
    /// without a piece.
    Bitboards(Bitboard),
    /// Packed planes with no or several kings to move.
    SideToMove(u32),
    /// Packed planes with more than one en-passant target, or an unusable one.
    EnPassant(Bitboard),
    /// Refused by shakmaty for another reason.
    Unplayable,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionError::Fen(error) => error.fmt(f),
            PositionError::Fields(fields) => write!(
                f,
                "too few fields for a FEN ({fields}, expected board, side to move, castling, en passant)"
            ),
            PositionError::Variant => f.write_str("pockets or check counters: not standard chess"),
            PositionError::TooManyPieces(pieces) => {
                write!(f, "{pieces} pieces on the board, at most 32 are possible")
            }
            PositionError::KingCount { color, kings } => {
                write!(f, "{color} has {kings} kings, exactly 1 is needed")
            }
            PositionError::PawnOnBackRank(square) => write!(f, "pawn on {square}"),
            PositionError::OppositeCheck => f.write_str("the side that is not to move is in check"),
            PositionError::Bitboards(squares) => {
                f.write_str("not one piece of one colour on")?;
                squares
                    .into_iter()
                    .try_for_each(|square| write!(f, " {square}"))
            }
            PositionError::SideToMove(kings) => {
                write!(
                    f,
                    "{kings} kings are marked as the king to move, exactly 1 is needed"
                )
            }
            PositionError::EnPassant(squares) => {
                f.write_str("unusable en-passant target")?;
                squares
                    .into_iter()
                    .try_for_each(|square| write!(f, " {square}"))
            }
            PositionError::Unplayable => f.write_str("not a playable position"),
        }
    }
}

impl core::error::Error for PositionError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PositionError::Fen(error) => Some(error),
            _ => None,
        }
    }
}

//! Faults of binary records.

use core::fmt;
use shakmaty::Square;

use crate::{Capture, PositionError};

/// Why a record cannot be read. The codec adds the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// SEE has no meaning in its position.
    Position(PositionError),
    /// An invalid code in the list of pieces.
    PieceCode(u8),
    /// An en-passant byte that is neither a square of the third or sixth rank nor "none".
    EnPassant(u8),
    /// A game result that is not one of the format's three.
    Result(u8),
    /// A castling right without its rook in the corner.
    CastlingRook(Square),
    /// The played move leaves from a square without a piece of the side to move.
    NothingToMove(Capture),
    /// The played move ends on a piece of its own side.
    OwnPiece(Capture),
    /// The played move captures a king.
    KingCaptured(Capture),
    /// A castling move without king and unmoved rook.
    Castling(Capture),
    /// An en-passant or promotion mark that does not fit the move.
    MoveKind(Capture),
    /// A null move where a move is needed.
    NullMove,
    /// A move number beyond the possible moves.
    MoveNumber {
        /// The number read.
        number: u32,
        /// The number of moves, or pieces.
        choices: u32,
    },
    /// A score whose variable-length code does not end.
    ScoreCode,
    /// The bytes end inside a record.
    Truncated {
        /// The number of bytes needed at least.
        needed: usize,
        /// The number of bytes left.
        left: usize,
    },
    /// A game with too many moves, without an end.
    EndlessGame(usize),
}

impl Fault {
    /// The kind of fault, for grouping.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Fault::Position(_) => "not a position",
            Fault::PieceCode(_) => "not a piece code",
            Fault::EnPassant(_) => "not an en-passant square",
            Fault::Result(_) => "not a result",
            Fault::CastlingRook(_) => "castling right of a rook not in the corner",
            Fault::NothingToMove(_)
            | Fault::OwnPiece(_)
            | Fault::KingCaptured(_)
            | Fault::Castling(_)
            | Fault::MoveKind(_)
            | Fault::NullMove
            | Fault::MoveNumber { .. } => "impossible played move, the rest is lost",
            Fault::ScoreCode => "endless score, the rest is lost",
            Fault::Truncated { .. } => "cut off",
            Fault::EndlessGame(_) => "endless game",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Position(error) => error.fmt(f),
            Fault::PieceCode(code) => write!(f, "piece code {code} is not that of a piece"),
            Fault::EnPassant(byte) => write!(f, "{byte} is not an en-passant square"),
            Fault::Result(byte) => write!(f, "{byte} is not a game result"),
            Fault::CastlingRook(square) => {
                write!(f, "castling right of a rook on {square}, not in the corner")
            }
            Fault::NothingToMove(m) => write!(f, "move {m}: no piece of the side to move there"),
            Fault::OwnPiece(m) => write!(f, "move {m} captures a piece of its own side"),
            Fault::KingCaptured(m) => write!(f, "move {m} captures the king"),
            Fault::Castling(m) => write!(f, "move {m}: no king and unmoved rook to castle with"),
            Fault::MoveKind(m) => write!(
                f,
                "move {m} is marked as an en-passant capture or promotion, but is neither"
            ),
            Fault::NullMove => f.write_str("a null move in a game"),
            Fault::MoveNumber { number, choices } => {
                write!(f, "move or piece number {number} of only {choices}")
            }
            Fault::ScoreCode => f.write_str("a score's code does not end"),
            Fault::Truncated { needed, left } => {
                write!(
                    f,
                    "what begins here needs {needed} bytes at least, only {left} are left"
                )
            }
            Fault::EndlessGame(moves) => write!(f, "a game of more than {moves} moves"),
        }
    }
}

impl core::error::Error for Fault {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Fault::Position(error) => Some(error),
            _ => None,
        }
    }
}

impl From<PositionError> for Fault {
    fn from(error: PositionError) -> Fault {
        Fault::Position(error)
    }
}

//! The packed move, in 15 bits.

use bytemuck::{Pod, Zeroable};
use core::fmt;
use core::str::FromStr;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Role, Square};

use crate::ParseError;

/// A move in 15 bits: the first move of an exchange, usually a capture.
///
/// | bits | holds |
/// |---|---|
/// | 0..3 | the piece code of the promotion (2 knight, 3 bishop, 4 rook, 5 queen), or 0 |
/// | 3..9 | the target square, a1 = 0; for castling, the king's own rook |
/// | 9..15 | the origin square |
///
/// En passant and castling are known from the position: a pawn that changes its file onto an empty
/// square, or a move onto a piece of its own side. Numeric order is by origin, target,
/// promotion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct PackedMove(u16);

impl PackedMove {
    /// How many bits a move takes; the higher ones are zero.
    pub(crate) const BITS: u32 = 15;

    /// Packs a move. For castling, `to` is the square of the king's own rook.
    #[inline]
    pub const fn new(from: Square, to: Square, promotion: Option<Role>) -> PackedMove {
        let promotion = match promotion {
            Some(role) => role as u32,
            None => 0,
        };
        PackedMove::from_parts(from as u32, to as u32, promotion)
    }

    /// Packs a shakmaty move, castling as king takes rook; `None` for a drop, which no standard
    /// game has.
    pub fn from_move(m: Move) -> Option<PackedMove> {
        Some(PackedMove::new(m.from()?, m.to(), m.promotion()))
    }

    /// This move as shakmaty's, in the position where it is played; `None` if it is not legal
    /// there.
    pub fn to_move(self, chess: &Chess) -> Option<Move> {
        use shakmaty::Position as _;
        chess
            .legal_moves()
            .into_iter()
            .find(|&m| PackedMove::from_move(m) == Some(self))
    }

    /// The square that the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new(self.from_index())
    }

    /// The target square; for castling, the king's own rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(self.to_index())
    }

    /// The piece that a pawn becomes; `None` if the move is not a promotion.
    #[inline]
    pub fn promotion(self) -> Option<Role> {
        Role::try_from(self.promotion_code()).ok()
    }

    /// The bits, as in the table above; below 32,768.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// A move from its bits; bit 15 is dropped.
    #[inline]
    pub const fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits & ((1 << PackedMove::BITS) - 1))
    }

    /// Packs squares 0 to 63 and the piece code of a promotion, or 0.
    #[inline(always)]
    pub(crate) const fn from_parts(from: u32, to: u32, promotion: u32) -> PackedMove {
        PackedMove((from << 9 | to << 3 | promotion) as u16)
    }

    /// The origin square, "from", as an index.
    #[inline(always)]
    #[allow(clippy::wrong_self_convention)] // "from" is a noun here
    pub(crate) const fn from_index(self) -> u32 {
        (self.0 as u32) >> 9 & 63
    }

    /// The target square as an index.
    #[inline(always)]
    pub(crate) const fn to_index(self) -> u32 {
        (self.0 as u32) >> 3 & 63
    }

    /// The piece code of a promotion, or 0.
    #[inline(always)]
    pub(crate) const fn promotion_code(self) -> u32 {
        self.0 as u32 & 7
    }
}

/// Parses UCI notation, `e2e4` or `e7e8q`, whether or not any position allows the move. Castling
/// has to be written as king takes rook, `e1h1`: without a position `e1g1` is a step of the king.
///
/// ```
/// use swaplist::PackedMove;
///
/// let promotes: PackedMove = "d7e8q".parse()?;
/// assert_eq!(promotes.to_string(), "d7e8q");
/// assert!("e8=Q".parse::<PackedMove>().is_err());
/// # Ok::<(), swaplist::ParseError>(())
/// ```
///
/// # Errors
///
/// If the text is not such a move; the error has the text and an example of what was expected. The
/// null move, drops, a move from a square to itself, and promotions to a pawn or king are errors,
/// too.
impl FromStr for PackedMove {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PackedMove, ParseError> {
        const PIECES: [Option<Role>; 5] = [
            None,
            Some(Role::Knight),
            Some(Role::Bishop),
            Some(Role::Rook),
            Some(Role::Queen),
        ];
        match UciMove::from_ascii(text.as_bytes()) {
            Ok(UciMove::Normal {
                from,
                to,
                promotion,
            }) if from != to && PIECES.contains(&promotion) => {
                Ok(PackedMove::new(from, to, promotion))
            }
            _ => Err(ParseError::new(format!(
                "'{}' is not a move in UCI, expected one such as e2e4 or e7e8q",
                text.escape_debug()
            ))),
        }
    }
}

/// Writes UCI notation; castling as king takes rook.
impl fmt::Display for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}

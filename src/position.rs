//! The packed position: a quad-bitboard of 32 bytes.

use bytemuck::{Pod, Zeroable};
use core::{fmt, str::FromStr};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position as _,
    PositionError as ShakmatyError, Role, Setup, Square, fen::Fen,
};

mod after;
mod error;
mod sound;
mod views;

pub use error::PositionError;

/// The code of the king to move; the other king has `Role::King as u32`.
pub(crate) const KING_TO_MOVE: u32 = 7;

/// A chess position in 32 bytes: all that an exchange depends on.
///
/// Four bitboards, square a1 at bit 0 and h8 at bit 63:
///
/// | plane | bytes | holds |
/// |---|---|---|
/// | 0, 1, 2 | 0..24 | bit 0, 1 and 2 of each square's piece code |
/// | 3 | 24..32 | the black pieces, and on the en-passant target |
///
/// Piece codes: 0 empty, 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king,
/// 7 *the king to move*, whose colour is the side to move. The en-passant
/// target is the one square that is empty and coloured; it is kept only where a
/// pawn of the side to move stands ready to capture. Castling rights and clocks
/// are not kept.
///
/// Little-endian, 32-byte aligned, four `vec2<u32>` in WGSL without conversion.
///
/// ```
/// use swaplist::Position;
///
/// let position: Position = "4k3/8/8/8/8/8/8/4K2R w - - 0 1".parse()?;
/// let [bit0, bit1, bit2, black] = position.planes();
/// assert_eq!(bit0, 1 << 4); // the king to move on e1: code 7
/// assert_eq!(bit1, 1 << 4 | 1 << 60); // both kings
/// assert_eq!(bit2, 1 << 4 | 1 << 7 | 1 << 60); // kings and the rook on h1: code 4
/// assert_eq!(black, 1 << 60);
/// # Ok::<(), swaplist::PositionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Position {
    planes: [u64; 4],
}

impl Position {
    /// Packs a board, the side to move and the en-passant target.
    ///
    /// A target that no pawn of the side to move could capture on is dropped.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if SEE has no meaning there.
    pub fn new(board: &Board, turn: Color, ep: Option<Square>) -> Result<Position, PositionError> {
        let (roles, colors) = board.clone().into_bitboards();
        let roles = [
            roles.pawn,
            roles.knight,
            roles.bishop,
            roles.rook,
            roles.queen,
            roles.king,
        ];
        let colors = [colors.white, colors.black];
        let ep = ep.map(|ep| ep as u8);
        Position::from_bitboards(
            roles.map(u64::from),
            colors.map(u64::from),
            turn.is_white(),
            ep,
        )
    }

    /// Packs bitboards as other libraries hold them, square a1 at bit 0 and h8 at bit 63.
    ///
    /// `roles` are the pawns, knights, bishops, rooks, queens and kings of both sides, `colors`
    /// White's pieces and Black's. `ep` is the en-passant target's square, 0 to 63; a target
    /// that no pawn of the side to move could capture on is dropped, and so is a number above
    /// 63, by which some libraries mean none.
    ///
    /// ```
    /// use swaplist::Position;
    ///
    /// let kings = 1 << 4 | 1 << 60; // e1, e8
    /// let rooks = 1 << 7; // h1
    /// let roles = [0, 0, 0, rooks, 0, kings];
    /// let position = Position::from_bitboards(roles, [1 << 4 | rooks, 1 << 60], true, None)?;
    /// assert_eq!(position, "4k3/8/8/8/8/8/8/4K2R w - - 0 1".parse()?);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the bitboards contradict each other, or SEE has no meaning there.
    pub fn from_bitboards(
        roles: [u64; 6],
        colors: [u64; 2],
        white_to_move: bool,
        ep: Option<u8>,
    ) -> Result<Position, PositionError> {
        let [pawns, knights, bishops, rooks, queens, kings] = roles;
        let [white, black] = colors;
        let (mut occupied, mut wrong) = (0, white & black);
        for pieces in roles {
            wrong |= occupied & pieces;
            occupied |= pieces;
        }
        wrong |= occupied ^ (white | black);
        if wrong != 0 {
            return Err(PositionError::Bitboards(Bitboard(wrong)));
        }
        let mover = kings & if white_to_move { white } else { black };
        let planes = [
            pawns | bishops | queens | mover,
            knights | bishops | kings,
            rooks | queens | kings,
            black,
        ];
        let position = Position { planes };
        if !position.is_sound() {
            position.check(Color::from_white(white_to_move))?;
        }
        let ep = ep.and_then(|ep| Square::try_from(ep).ok());
        Ok(position.with_ep(ep))
    }

    /// A position from its four planes, checked.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the planes are not a position that [`Position::new`] could have
    /// made.
    pub fn from_planes(planes: [u64; 4]) -> Result<Position, PositionError> {
        let [bit0, bit1, bit2, black] = planes;
        let movers = (bit0 & bit1 & bit2).count_ones();
        if movers != 1 {
            return Err(PositionError::SideToMove(movers));
        }
        let occupied = bit0 | bit1 | bit2;
        let position = Position::from_bare_planes([bit0, bit1, bit2, black & occupied])?;
        let marked = Bitboard(black & !occupied);
        if marked.more_than_one()
            || marked
                .first()
                .is_some_and(|ep| !position.ep_is_usable(position.turn(), ep))
        {
            return Err(PositionError::EnPassant(marked));
        }
        Ok(Position { planes })
    }

    /// A position from four planes without a marked empty square, checked.
    #[inline(always)]
    pub(crate) fn from_bare_planes(planes: [u64; 4]) -> Result<Position, PositionError> {
        let position = Position { planes };
        if position.is_sound() {
            Ok(position)
        } else {
            let [bit0, bit1, bit2, black] = planes;
            Err(unsound(bit0, bit1, bit2, black))
        }
    }

    /// Marks an empty square, or none, as the en-passant target. It must be usable.
    #[inline(always)]
    pub(crate) const fn marked(mut self, ep: u64) -> Position {
        self.planes[3] |= ep;
        self
    }

    /// Sets the en-passant target if a pawn of the side to move can capture on it. There must
    /// be none yet.
    #[inline(always)]
    pub(crate) fn with_ep(self, ep: Option<Square>) -> Position {
        match ep {
            None => self,
            Some(ep) => {
                let [bit0, bit1, bit2, black] = self.planes;
                self.marked(usable_ep(bit0, bit1, bit2, black, ep))
            }
        }
    }

    /// The four planes, see [`Position`].
    #[must_use]
    pub const fn planes(&self) -> [u64; 4] {
        self.planes
    }

    /// The side to move.
    #[must_use]
    pub const fn turn(&self) -> Color {
        let [bit0, bit1, bit2, black] = self.planes;
        Color::from_white(bit0 & bit1 & bit2 & black == 0)
    }

    /// The en-passant target, if a pawn can capture on it.
    #[must_use]
    pub fn ep_square(&self) -> Option<Square> {
        Bitboard(self.planes[3] & !self.occupied_bits()).first()
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let role = match self.code_at(square as u32) {
            0 => return None,
            KING_TO_MOVE => Role::King,
            code => Role::try_from(code).ok()?,
        };
        let color = Color::from_white(self.planes[3] >> (square as u32) & 1 == 0);
        Some(Piece { color, role })
    }

    /// All occupied squares.
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.occupied_bits())
    }

    /// Converts to a shakmaty setup, without castling rights and with fresh clocks.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
        let mut board = Board::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                board.set_piece_at(square, piece);
            }
        }
        Setup {
            board,
            turn: self.turn(),
            ep_square: self.ep_square(),
            ..Setup::empty()
        }
    }

    /// Converts to a shakmaty position, without castling rights and with fresh clocks.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if these 32 bytes were not made by a constructor and are not a
    /// position.
    pub fn to_chess(&self) -> Result<Chess, PositionError> {
        Position::from_planes(self.planes)?;
        chess_from_setup(self.to_setup())
    }
}

/// Why planes are not a position; a missing king is reported before a missing side to move. A
/// function of its own with the planes as scalars: a reference to the position would keep it in
/// memory on the hot path, where its halves are written and read back in different sizes.
#[cold]
#[inline(never)]
fn unsound(bit0: u64, bit1: u64, bit2: u64, black: u64) -> PositionError {
    let position = Position {
        planes: [bit0, bit1, bit2, black],
    };
    let movers = (bit0 & bit1 & bit2).count_ones();
    match position.check(position.turn()) {
        Err(error @ PositionError::KingCount { .. }) => error,
        _ if movers != 1 => PositionError::SideToMove(movers),
        Err(error) => error,
        Ok(()) => PositionError::Unplayable,
    }
}

/// The en-passant target as a bit, 0 if it is not usable. Planes as scalars for the same
/// reason.
#[cold]
#[inline(never)]
fn usable_ep(bit0: u64, bit1: u64, bit2: u64, black: u64, ep: Square) -> u64 {
    let position = Position {
        planes: [bit0, bit1, bit2, black],
    };
    u64::from(position.ep_is_usable(position.turn(), ep)) << ep as u32
}

/// A standard chess position from a setup, as lenient as this crate: odd castling rights,
/// en-passant squares, material and checks are accepted.
///
/// # Errors
///
/// A [`PositionError`] for setups that [`Position`] refuses.
pub fn chess_from_setup(setup: Setup) -> Result<Chess, PositionError> {
    Position::try_from(&setup)?;
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode)
        .or_else(ShakmatyError::ignore_invalid_castling_rights)
        .or_else(ShakmatyError::ignore_invalid_ep_square)
        .or_else(ShakmatyError::ignore_too_much_material)
        .or_else(ShakmatyError::ignore_impossible_check)
        .map_err(|_| PositionError::Unplayable)
}

impl TryFrom<&Setup> for Position {
    type Error = PositionError;

    fn try_from(setup: &Setup) -> Result<Position, PositionError> {
        if setup.pockets.is_some() || setup.remaining_checks.is_some() {
            return Err(PositionError::Variant);
        }
        Position::new(&setup.board, setup.turn, setup.ep_square)
    }
}

impl TryFrom<&Chess> for Position {
    type Error = PositionError;

    fn try_from(chess: &Chess) -> Result<Position, PositionError> {
        Position::new(
            chess.board(),
            chess.turn(),
            chess.ep_square(EnPassantMode::Always),
        )
    }
}

/// Parses a FEN, with or without its clocks.
impl FromStr for Position {
    type Err = PositionError;

    fn from_str(fen: &str) -> Result<Position, PositionError> {
        Position::from_ascii(fen.as_bytes())
    }
}

/// Writes a FEN, without castling rights and with fresh clocks.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Fen::try_from_setup(self.to_setup()) {
            Ok(fen) => fen.fmt(f),
            Err(lossy) => lossy.ignore().fmt(f),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

//! The packed position: a quad-bitboard of 32 bytes.

use bytemuck::{Pod, Zeroable};
use core::{fmt, str::FromStr};
use shakmaty::attacks::pawn_attacks;
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position as _,
    PositionError as ShakmatyError, Role, Setup, Square,
};

use crate::PackedMove;
use crate::attacks::{self, MASKS};

mod takes;

pub use takes::CaptureKind;

/// The piece code of a pawn; see [`Position`].
pub(crate) const PAWN: u32 = 1;
/// The piece code of a knight; see [`Position`].
pub(crate) const KNIGHT: u32 = 2;
/// The piece code of a rook; see [`Position`].
pub(crate) const ROOK: u32 = 4;
/// The piece code of a queen; see [`Position`].
pub(crate) const QUEEN: u32 = 5;
/// The piece code of the king of the side that is not to move; see [`Position`].
pub(crate) const KING: u32 = 6;
/// The piece code of the king to move. The other codes are those of shakmaty's `Role`, as numbers.
pub const KING_TO_MOVE: u32 = 7;

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
    /// Packs shakmaty's board.
    fn from_board(
        board: &Board,
        turn: Color,
        ep: Option<Square>,
    ) -> Result<Position, PositionError> {
        let roles = Role::ALL.map(|role| board.by_role(role).0);
        let colors = [Color::White, Color::Black].map(|color| board.by_color(color).0);
        let ep = ep.map(|ep| ep as u8);
        Position::from_bitboards(roles, colors, turn, ep)
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
    /// use swaplist::shakmaty::Color;
    ///
    /// let kings = 1 << 4 | 1 << 60; // e1, e8
    /// let rooks = 1 << 7; // h1
    /// let roles = [0, 0, 0, rooks, 0, kings];
    /// let colors = [1 << 4 | rooks, 1 << 60];
    /// let position = Position::from_bitboards(roles, colors, Color::White, None)?;
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
        turn: Color,
        ep: Option<u8>,
    ) -> Result<Position, PositionError> {
        let [white, black] = colors;
        let mut occupied = 0;
        let mut wrong = white & black;
        for pieces in roles {
            wrong |= occupied & pieces;
            occupied |= pieces;
        }
        wrong |= occupied ^ (white | black);
        if wrong != 0 {
            return Err(PositionError::Bitboards(Bitboard(wrong)));
        }
        let position = Position::from_roles(roles, black, turn);
        if !position.is_sound() {
            position.check(turn)?;
        }
        let ep = ep.and_then(|ep| Square::try_from(ep).ok());
        Ok(position.with_ep(ep))
    }

    /// Packs bitboards that are known not to contradict each other.
    #[inline]
    fn from_roles(roles: [u64; 6], black: u64, turn: Color) -> Position {
        let [pawns, knights, bishops, rooks, queens, kings] = roles;
        let mover = kings & turn.fold_wb(!black, black);
        let planes = [
            pawns | bishops | queens | mover,
            knights | bishops | kings,
            rooks | queens | kings,
            black,
        ];
        Position { planes }
    }

    /// Packs a position of a game that began in a sound one and in which all moves were legal. So
    /// it is not checked.
    pub fn from_chess(chess: &Chess) -> Position {
        let board = chess.board();
        let roles = Role::ALL.map(|role| board.by_role(role).0);
        let black = board.by_color(Color::Black).0;
        let position = Position::from_roles(roles, black, chess.turn());
        position.with_ep(chess.ep_square(EnPassantMode::Always))
    }

    /// A position from its four planes, checked.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the planes are not a position that [`Position::from_bitboards`] could have
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

    /// A position from four planes without an en-passant target, checked.
    ///
    /// # Errors
    ///
    /// Those of [`Position::from_planes`], except about the target.
    #[inline(always)]
    pub fn from_bare_planes(planes: [u64; 4]) -> Result<Position, PositionError> {
        let position = Position { planes };
        if position.is_sound() {
            Ok(position)
        } else {
            let [bit0, bit1, bit2, black] = planes;
            Err(unsound(bit0, bit1, bit2, black))
        }
    }

    /// Marks an empty square, given as a bit, as the en-passant target; 0 marks none. The target
    /// must be usable.
    #[must_use]
    #[inline(always)]
    pub const fn marked(mut self, ep: u64) -> Position {
        self.planes[3] |= ep;
        self
    }

    /// Sets the en-passant target if a pawn of the side to move can capture on it. There must
    /// be none yet.
    #[must_use]
    #[inline(always)]
    pub fn with_ep(self, ep: Option<Square>) -> Position {
        match ep {
            None => self,
            Some(ep) => {
                let [bit0, bit1, bit2, black] = self.planes;
                self.marked(usable_ep(bit0, bit1, bit2, black, ep))
            }
        }
    }

    /// The four planes: bit 0, 1 and 2 of the piece codes, then the black pieces, as in the table
    /// of [`Position`].
    pub const fn planes(&self) -> [u64; 4] {
        self.planes
    }

    /// The side to move: the colour of the king with the piece code 7, see [`Position`].
    pub const fn turn(&self) -> Color {
        let [bit0, bit1, bit2, black] = self.planes;
        Color::from_white(bit0 & bit1 & bit2 & black == 0)
    }

    /// The en-passant target, if a pawn can capture on it.
    pub fn ep_square(&self) -> Option<Square> {
        Bitboard(self.planes[3] & !self.occupied_bits()).first()
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let role = match self.code_at(square as u32) {
            0 => return None,
            KING_TO_MOVE => Role::King,
            code => Role::try_from(code).ok()?,
        };
        let color = Color::from_white(self.planes[3] >> (square as u32) & 1 == 0);
        Some(Piece { color, role })
    }

    /// The squares of all pieces of both sides, kings and pawns included.
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.occupied_bits())
    }

    /// Converts to a shakmaty setup, without castling rights and with fresh clocks. For a position
    /// of shakmaty: [`chess_from_setup`].
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

    /// The position after a capture, en passant or a promotion; the other side is to move, and no
    /// pawn can be captured en passant.
    #[inline(always)]
    pub(crate) const fn after(&self, capture: PackedMove) -> Position {
        let from = capture.from_index();
        let to = capture.to_index();
        let [bit0, bit1, bit2, black] = self.planes;
        let mover = self.code_at(from);
        let is_black = black >> from & 1;
        let mut gone = 1 << from | 1 << to;
        if mover == PAWN && self.code_at(to) == 0 && (from ^ to) & 7 != 0 {
            gone |= 1 << (to ^ 8); // en passant
        }
        let standing = match capture.promotion_code() {
            0 => mover,
            promotion => promotion,
        } as u64;
        let new_bit0 = bit0 & !gone | (standing & 1) << to;
        let new_bit1 = bit1 & !gone | (standing >> 1 & 1) << to;
        let new_bit2 = bit2 & !gone | (standing >> 2 & 1) << to;
        // Without the old en-passant target.
        let new_black = black & self.occupied_bits() & !gone | is_black << to;
        // Bit 0 of a king says that its side is to move.
        let kings = new_bit1 & new_bit2;
        Position {
            planes: [new_bit0 ^ kings, new_bit1, new_bit2, new_black],
        }
    }
}

/// Bit views of the planes.
impl Position {
    /// All pieces, a bit for each square from a1 to h8.
    #[inline(always)]
    pub(crate) const fn occupied_bits(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// Bishops and queens: bit 0 set, one of bits 1 and 2.
    #[inline(always)]
    pub(crate) const fn diagonal_sliders(&self) -> u64 {
        self.planes[0] & (self.planes[1] ^ self.planes[2])
    }

    /// Rooks and queens: bit 2 set, bit 1 clear.
    #[inline(always)]
    pub(crate) const fn straight_sliders(&self) -> u64 {
        self.planes[2] & !self.planes[1]
    }

    /// All pawns.
    #[inline(always)]
    pub(crate) const fn pawns(&self) -> u64 {
        self.planes[0] & !self.planes[1] & !self.planes[2]
    }

    /// All rooks, without queens.
    #[inline(always)]
    pub(crate) const fn rooks(&self) -> u64 {
        self.planes[2] & !self.planes[1] & !self.planes[0]
    }

    /// All knights.
    #[inline(always)]
    pub(crate) const fn knights(&self) -> u64 {
        self.planes[1] & !self.planes[0] & !self.planes[2]
    }

    /// Both kings.
    #[inline(always)]
    pub(crate) const fn kings(&self) -> u64 {
        self.planes[1] & self.planes[2]
    }

    /// All pieces of a side.
    #[inline(always)]
    pub const fn pieces_of(&self, color: Color) -> u64 {
        match color {
            Color::Black => self.planes[3] & self.occupied_bits(),
            Color::White => self.occupied_bits() & !self.planes[3],
        }
    }

    /// The square of a side's king; a1 if it has none.
    #[inline(always)]
    pub const fn king_of(&self, color: Color) -> u32 {
        (self.kings() & self.pieces_of(color)).trailing_zeros() & 63
    }

    /// The pieces with a code, of both sides: `pieces_with(PAWN)` are all pawns.
    #[inline(always)]
    pub fn pieces_with(&self, code: u32) -> u64 {
        let [bit0, bit1, bit2, _] = self.planes;
        // All squares where the code's bit is 0, none where it is 1.
        let absent = |shift: u32| u64::from(code >> shift & 1).wrapping_sub(1);
        (bit0 ^ absent(0)) & (bit1 ^ absent(1)) & (bit2 ^ absent(2))
    }

    /// The piece code on a square, 0 to 63; 0 if it is empty.
    #[inline(always)]
    pub const fn code_at(&self, square: u32) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 >> square & 1 | (bit1 >> square & 1) << 1 | (bit2 >> square & 1) << 2) as u32
    }
}

/// Attackers of one square.
impl Position {
    /// Sliders of both sides on the lines of `square` that move along them.
    #[inline(always)]
    pub(crate) fn aligned(&self, square: u32) -> u64 {
        let masks = &MASKS[square as usize & 63];
        self.diagonal_sliders() & (masks.diagonal | masks.antidiagonal)
            | self.straight_sliders() & (masks.file | masks.rank)
    }

    /// Pawns of both sides that attack `square`.
    #[inline(always)]
    pub(crate) fn pawn_attackers(&self, square: u32) -> u64 {
        let masks = &MASKS[square as usize & 63];
        let black = self.planes[3];
        self.pawns() & (masks.black_pawns & black | masks.white_pawns & !black)
    }

    /// Sliders of both sides that attack `square`; only `occupied` squares block.
    #[inline(always)]
    pub(crate) fn slider_attackers(&self, square: u32, occupied: u64) -> u64 {
        self.diagonal_sliders() & attacks::diagonal_attacks(square, occupied)
            | self.straight_sliders() & attacks::straight_attacks(square, occupied)
    }

    /// Pieces of both sides that attack `square`; only `occupied` squares block sliders. Other
    /// pieces count even if not in `occupied`.
    #[inline(always)]
    pub fn attackers(&self, square: u32, occupied: u64) -> u64 {
        let masks = &MASKS[square as usize & 63];
        self.pawn_attackers(square)
            | self.knights() & masks.knight
            | self.kings() & masks.king
            | self.slider_attackers(square, occupied)
    }

    /// Which of one side's attackers may recapture: a king only if the other side has no guard of
    /// the square, pinned or not. The only place for this rule in scalar code; its twins are in
    /// `simd/board.rs` and `shaders/attacks.wgsl`.
    #[inline(always)]
    pub(crate) fn may_recapture(&self, attackers: u64, guards: u64) -> u64 {
        let kings = if guards == 0 { 0 } else { self.kings() };
        attackers & !kings
    }
}

/// Checks.
impl Position {
    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        let them = self.pieces_of(!self.turn());
        let king = self.king_of(self.turn());
        self.attackers(king, self.occupied_bits()) & them != 0
    }

    /// Whether SEE has a meaning: whether the checks of [`Position::from_planes`] find nothing, and
    /// one king is marked as the one to move. All at once, without branches on the side.
    #[inline(always)]
    pub fn is_sound(&self) -> bool {
        let mover = self.planes[0] & self.planes[1] & self.planes[2];
        let their_king = self.kings() ^ mover;
        // No branch on the side to move: it changes with every record.
        let white_to_move = u64::from(mover & self.planes[3] == 0);
        let us = self.occupied_bits() & (self.planes[3] ^ 0_u64.wrapping_sub(white_to_move));
        let occupied = self.occupied_bits();
        let attackers = self.attackers(their_king.trailing_zeros() & 63, occupied);
        let wrong = (their_king | attackers) & us | self.pawns() & Bitboard::BACKRANKS.0;
        wrong == 0
            && mover.is_power_of_two()
            && their_king.is_power_of_two()
            && occupied.count_ones() <= 32
    }

    /// Why SEE has no meaning with this side to move: the first thing that is wrong.
    fn check(&self, turn: Color) -> Result<(), PositionError> {
        let pieces = self.occupied_bits().count_ones();
        if pieces > 32 {
            return Err(PositionError::TooManyPieces(pieces));
        }
        for color in Color::ALL {
            let kings = (self.kings() & self.pieces_of(color)).count_ones();
            if kings != 1 {
                return Err(PositionError::KingCount { color, kings });
            }
        }
        if let Some(square) = (Bitboard(self.pawns()) & Bitboard::BACKRANKS).first() {
            return Err(PositionError::PawnOnBackRank(square));
        }
        let their_king = self.king_of(!turn);
        if self.attackers(their_king, self.occupied_bits()) & self.pieces_of(turn) != 0 {
            return Err(PositionError::OppositeCheck);
        }
        Ok(())
    }

    /// Whether an enemy pawn could just have passed `ep` and one of ours attacks it: FEN's
    /// conditions, plus a capturer.
    fn ep_is_usable(&self, turn: Color, ep: Square) -> bool {
        let ready = pawn_attacks(!turn, ep).0 & self.pawns() & self.pieces_of(turn);
        self.was_passed(turn, ep) && ready != 0
    }

    /// Whether an enemy pawn could just have passed `ep`.
    fn was_passed(&self, turn: Color, ep: Square) -> bool {
        let [passed, to, from] =
            [0, TARGET_XOR_PAWN, TARGET_XOR_START].map(|step| 1 << (ep as u32 ^ step));
        let their_pawns = self.pawns() & self.pieces_of(!turn);
        ep.rank() == turn.relative_rank(shakmaty::Rank::Sixth)
            && their_pawns & to != 0
            && self.occupied_bits() & (from | passed) == 0
    }
}

/// The exclusive or of an en-passant target's square and that of the pawn that passed it.
const TARGET_XOR_PAWN: u32 = 8;
/// The exclusive or of an en-passant target's square and that on which the pawn stood before.
const TARGET_XOR_START: u32 = 24;

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

/// The en-passant target as a bit; 0 if it is not usable. It takes planes as scalars for the same
/// reason as [`unsound`].
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
        Position::from_board(&setup.board, setup.turn, setup.ep_square)
    }
}

impl TryFrom<&Chess> for Position {
    type Error = PositionError;

    fn try_from(chess: &Chess) -> Result<Position, PositionError> {
        Position::from_board(
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

/// Why SEE has no meaning for a position, or a text is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is not a FEN.
    #[error("{0}")]
    Fen(#[source] ParseFenError),
    /// The text has too few fields for a FEN, which has four to six: the number found.
    #[error("too few fields for a FEN ({0}, expected board, side to move, castling, en passant)")]
    Fields(usize),
    /// Pockets or remaining checks: not standard chess.
    #[error("pockets or check counters: not standard chess")]
    Variant,
    /// More than 32 pieces are on the board; this is their number.
    #[error("{0} pieces on the board, at most 32 are possible")]
    TooManyPieces(u32),
    /// A side has no king, or more than one.
    #[error("{color} has {kings} kings, exactly 1 is needed")]
    KingCount {
        /// The side whose kings are too few or too many.
        color: Color,
        /// The number of its kings.
        kings: u32,
    },
    /// A pawn stands on the first or last rank.
    #[error("pawn on {0}")]
    PawnOnBackRank(Square),
    /// The side that is not to move is in check.
    #[error("the side that is not to move is in check")]
    OppositeCheck,
    /// Bitboards that put two pieces on these squares, or a piece without a colour, or a colour
    /// without a piece.
    #[error("not one piece of one colour on{}", named(*.0))]
    Bitboards(Bitboard),
    /// Packed planes with no or several kings to move.
    #[error("{0} kings are marked as the king to move, exactly 1 is needed")]
    SideToMove(u32),
    /// Packed planes with more than one en-passant target, or an unusable one.
    #[error("unusable en-passant target{}", named(*.0))]
    EnPassant(Bitboard),
    /// Refused by shakmaty for another reason.
    #[error("not a playable position")]
    Unplayable,
}

/// The names of squares, each after a space.
fn named(squares: Bitboard) -> String {
    let squares = squares.into_iter();
    squares.fold(String::new(), |all, square| format!("{all} {square}"))
}

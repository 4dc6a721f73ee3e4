//! A board to replay games: position, castling rights and clocks.

use shakmaty::{Color, Square, attacks::pawn_attacks};

use super::Invalid;
use crate::packed::{KING_TO_MOVE, LAST_RANKS, PAWN, ROOK, packed_move, promotion_code};
use swaplist::{PackedMove, Position, PositionError};

/// Kinds of moves that are played differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    EnPassant,
    /// To the square of the own rook.
    Castling,
    Promotion,
}

/// The squares of king and rook after castling, given those before.
pub(crate) const fn castled(king: u32, rook: u32) -> (u32, u32) {
    let rank = king & 56;
    if rook > king {
        (rank | 6, rank | 5)
    } else {
        (rank | 2, rank | 3)
    }
}

const NO_CASTLING: &str = ": no king and unmoved rook to castle with";

/// A position that can be played on. Cheap to copy: 56 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    /// The position, without the en-passant mark.
    pub planes: [u64; 4],
    /// The en-passant target if a pawn can capture on it.
    pub ep: u64,
    /// The squares of rooks that may castle.
    pub castling: u64,
    pub turn: Color,
    pub halfmoves: u8,
    pub fullmoves: u16,
}

impl Board {
    pub(crate) fn new(position: &Position, castling: u64, halfmoves: u8, fullmoves: u16) -> Board {
        let planes = super::pieces::bare_planes(position);
        Board {
            planes,
            ep: position.planes()[3] & !planes[3],
            castling,
            turn: position.turn(),
            halfmoves,
            fullmoves,
        }
    }

    /// The packed position, unless SEE has no meaning in it, as after an illegal move.
    #[inline(always)]
    pub(crate) fn position(&self) -> Result<Position, PositionError> {
        Ok(Position::from_bare_planes(self.planes)?.marked(self.ep))
    }

    #[inline(always)]
    pub(crate) const fn occupied(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    #[inline(always)]
    pub(crate) const fn ours(&self) -> u64 {
        match self.turn {
            Color::White => self.occupied() & !self.planes[3],
            Color::Black => self.planes[3],
        }
    }

    #[inline(always)]
    pub(crate) const fn code_at(&self, square: u32) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 >> square & 1 | (bit1 >> square & 1) << 1 | (bit2 >> square & 1) << 2) as u32
    }

    #[inline(always)]
    pub(crate) const fn rooks(&self) -> u64 {
        self.planes[2] & !self.planes[1] & !self.planes[0]
    }

    #[inline(always)]
    pub(crate) const fn kings(&self) -> u64 {
        self.planes[1] & self.planes[2]
    }

    pub(crate) fn kind(&self, m: PackedMove) -> Kind {
        let target = 1_u64 << m.to() as u32;
        let code = self.code_at(m.from() as u32);
        if promotion_code(m) != 0 {
            Kind::Promotion
        } else if code == KING_TO_MOVE && self.ours() & target != 0 {
            Kind::Castling
        } else if code == PAWN && self.ep & target != 0 && m.from() as u32 & 7 != m.to() as u32 & 7
        {
            Kind::EnPassant
        } else {
            Kind::Normal
        }
    }

    /// Plays a move. It need not be legal, but must not capture an own piece or a king, nor may a
    /// pawn pass over a piece with a step of two squares. Removes
    /// castling rights of rooks that moved or were captured; the caller removes those of a king
    /// that moved, since formats differ.
    #[inline(always)]
    pub(crate) fn play(&mut self, m: PackedMove, kind: Kind) -> Result<(), Invalid> {
        let from = m.from() as u32;
        let to = m.to() as u32;
        let origin = 1 << from;
        let target = 1 << to;
        if self.ours() & origin == 0 {
            return Err(Invalid::played(m, ": no piece of the side to move there"));
        }
        if self.kings() & target != 0 && kind != Kind::Castling {
            return Err(Invalid::played(m, " captures the king"));
        }
        let code = self.code_at(from);
        let captures = self.occupied() & target != 0 && kind != Kind::Castling;
        let ep = self.ep;
        let castling = self.castling;
        self.ep = 0;
        self.castling &= !(origin | target);
        match kind {
            Kind::Castling => self.castle(m, castling)?,
            _ if self.ours() & target != 0 => {
                return Err(Invalid::played(m, " captures a piece of its own side"));
            }
            Kind::Normal => {
                let passed = (code == PAWN && from ^ to == 16).then(|| from.midpoint(to));
                if passed.is_some_and(|square| self.occupied() & 1 << square != 0) {
                    // That square becomes the en-passant target, and its mark would change the
                    // piece that stands there.
                    return Err(Invalid::played(m, " passes over a piece"));
                }
                self.lift(origin | target);
                self.put(code, target);
                self.ep = passed.map_or(0, |square| self.passed_over(square));
            }
            Kind::EnPassant if code == PAWN && target == ep => {
                self.lift(origin | 1 << (to ^ 8));
                self.put(code, target);
            }
            Kind::Promotion if code == PAWN && target & LAST_RANKS != 0 => {
                self.lift(origin | target);
                self.put(promotion_code(m), target);
            }
            Kind::EnPassant | Kind::Promotion => {
                let why = " is marked as an en-passant capture or promotion, but is neither";
                return Err(Invalid::played(m, why));
            }
        }
        // No branch: which move it is cannot be predicted.
        let counts = u8::from(code != PAWN && !captures);
        self.halfmoves = self.halfmoves.saturating_add(1) * counts;
        self.pass();
        Ok(())
    }

    /// Plays a move of a game: a king that has moved may not castle, wherever it was.
    #[inline(always)]
    pub(crate) fn advance(&mut self, m: PackedMove, kind: Kind) -> Result<(), Invalid> {
        let king_moves = self.code_at(m.from() as u32) == KING_TO_MOVE;
        let ours = self.ours();
        self.play(m, kind)?;
        if king_moves {
            self.castling &= !ours;
        }
        Ok(())
    }

    /// Passes the turn: the other king becomes the king to move. A move number of 0, which stands
    /// for an unknown one, stays unknown.
    #[inline(always)]
    fn pass(&mut self) {
        self.planes[0] ^= self.kings();
        let counts = u16::from(self.turn.is_black()) & u16::from(self.fullmoves > 0);
        self.fullmoves = self.fullmoves.saturating_add(counts);
        self.turn = self.turn.other();
    }

    /// The bit of `square` if an enemy pawn can capture en passant on it, otherwise 0.
    #[inline(always)]
    fn passed_over(&self, square: u32) -> u64 {
        let [bit0, bit1, bit2, _] = self.planes;
        let theirs = bit0 & !bit1 & !bit2 & !self.ours();
        let ready = pawn_attacks(self.turn, Square::new(square)).0 & theirs;
        u64::from(ready != 0) << square
    }

    /// `castling`: the rooks that may castle before this move.
    fn castle(&mut self, m: PackedMove, castling: u64) -> Result<(), Invalid> {
        let from = m.from() as u32;
        let to = m.to() as u32;
        let rook = 1 << to;
        let is_rook = self.code_at(to) == ROOK && self.ours() & castling & rook != 0;
        if self.code_at(from) != KING_TO_MOVE || !is_rook || from >> 3 != to >> 3 {
            return Err(Invalid::played(m, NO_CASTLING));
        }
        let (king_to, rook_to) = castled(from, to);
        self.lift(1 << from | rook);
        if self.occupied() & (1 << king_to | 1 << rook_to) != 0 {
            return Err(Invalid::played(m, NO_CASTLING));
        }
        self.put(KING_TO_MOVE, 1 << king_to);
        self.put(ROOK, 1 << rook_to);
        Ok(())
    }

    #[inline(always)]
    fn lift(&mut self, squares: u64) {
        for plane in &mut self.planes {
            *plane &= !squares;
        }
    }

    /// Puts a piece of the side to move on an empty square.
    #[inline(always)]
    fn put(&mut self, code: u32, square: u64) {
        for (bit, plane) in self.planes.iter_mut().enumerate().take(3) {
            *plane |= square & 0_u64.wrapping_sub(u64::from(code >> bit & 1));
        }
        if self.turn.is_black() {
            self.planes[3] |= square;
        }
    }
}

/// Moves in 16 bits: the lowest bit of each field.
pub(super) struct MoveBits {
    pub from: u32,
    pub to: u32,
    /// Two bits: knight, bishop, rook, queen.
    pub promotion: u32,
    /// The kinds of moves that the highest two bits mean.
    pub kinds: [Kind; 4],
}

impl MoveBits {
    #[inline(always)]
    pub(super) fn read(&self, bits: u16) -> (PackedMove, Kind) {
        let kind = self.kinds[usize::from(bits >> 14)];
        let bits = u32::from(bits);
        let promotion = match kind {
            Kind::Promotion => (bits >> self.promotion & 3) + 2,
            _ => 0,
        };
        let from = bits >> self.from & 63;
        let to = bits >> self.to & 63;
        (packed_move(from, to, promotion), kind)
    }

    #[inline(always)]
    pub(super) fn write(&self, m: PackedMove, kind: Kind) -> u16 {
        let kind_code = self.kinds.iter().position(|&other| other == kind);
        let promotion = match kind {
            Kind::Promotion => promotion_code(m).saturating_sub(2),
            _ => 0,
        };
        let squares = (m.from() as u32) << self.from | (m.to() as u32) << self.to;
        let code = kind_code.unwrap_or_default() as u32;
        (squares | promotion << self.promotion | code << 14) as u16
    }
}

//! Legal noisy moves of a packed position: captures, en passant, promotions.

use shakmaty::{Bitboard, Color, Square, attacks as magic};

use crate::attacks::{self, MASKS};
use crate::exchange::{PAWN, QUEEN, ROOK};
use crate::{Capture, Position};

const KNIGHT: u32 = 2;
const BISHOP: u32 = 3;
const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// Calls `found` with each legal noisy move of the side to move, in no
/// particular order.
pub fn for_each_noisy(position: &Position, found: impl FnMut(Capture)) {
    Generator::new(position, position.turn()).generate(position.ep_square(), found);
}

/// The legal noisy moves of the side to move, in ascending order.
///
/// ```
/// use swaplist::{Position, noisy_moves};
///
/// let position: Position = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse()?;
/// let moves: Vec<_> = noisy_moves(&position).iter().map(|m| m.to_string()).collect();
/// assert_eq!(moves, ["a7a8n", "a7a8b", "a7a8r", "a7a8q", "a7b8n", "a7b8b", "a7b8r", "a7b8q"]);
/// # Ok::<(), swaplist::PositionError>(())
/// ```
#[must_use]
pub fn noisy_moves(position: &Position) -> Vec<Capture> {
    let mut moves = Vec::new();
    for_each_noisy(position, |capture| moves.push(capture));
    moves.sort_unstable();
    moves
}

/// Calls `found` with what the opponent could play if it were to move: nothing
/// if the side to move is in check, where it cannot pass.
pub(crate) fn for_each_threat(position: &Position, found: impl FnMut(Capture)) {
    if !position.in_check() {
        Generator::new(position, !position.turn()).generate(None, found);
    }
}

/// What a side's legal moves depend on, taken once a position.
struct Generator<'a> {
    position: &'a Position,
    color: Color,
    king: u32,
    us: u64,
    them: u64,
    occupied: u64,
    /// Own pieces that alone shield the king from a slider.
    pinned: u64,
    checkers: u64,
}

impl<'a> Generator<'a> {
    fn new(position: &'a Position, color: Color) -> Generator<'a> {
        let (us, them) = (position.pieces_of(color), position.pieces_of(!color));
        let occupied = us | them;
        let king = position.king_of(color);
        let diagonal = position.diagonal_sliders() & them;
        let straight = position.straight_sliders() & them;
        let masks = &MASKS[king as usize];
        let snipers =
            (masks.diagonal | masks.antidiagonal) & diagonal | (masks.file | masks.rank) & straight;
        let mut pinned = 0;
        for sniper in Bitboard(snipers) {
            let shield = magic::between(Square::new(king), sniper).0 & occupied;
            if shield & shield.wrapping_sub(1) == 0 {
                pinned |= shield & us;
            }
        }
        let checkers = attacks::attackers(position, king, occupied) & them;
        Generator {
            position,
            color,
            king,
            us,
            them,
            occupied,
            pinned,
            checkers,
        }
    }

    fn generate(&self, ep: Option<Square>, mut found: impl FnMut(Capture)) {
        self.king_captures(&mut found);
        if self.checkers & self.checkers.wrapping_sub(1) != 0 {
            return; // a double check: only the king moves
        }
        // Where a piece may go: on a checker, or between it and the king.
        let evasions = match Bitboard(self.checkers).first() {
            Some(checker) => self.checkers | magic::between(Square::new(self.king), checker).0,
            None => !0,
        };
        for from in Bitboard(self.us & !self.position.kings() & !(1 << self.king)) {
            let code = self.position.code_at(from as u32);
            let allowed = evasions & self.line_of_pin(from);
            if code == PAWN {
                self.pawn_moves(from, allowed, &mut found);
            } else {
                for to in Bitboard(self.attacks(code, from) & self.them & allowed) {
                    found(Capture::new(from, to, None));
                }
            }
        }
        if let Some(ep) = ep {
            self.en_passant(ep, &mut found);
        }
    }

    /// All squares for a free piece, the line with the king for a pinned one.
    fn line_of_pin(&self, from: Square) -> u64 {
        if self.pinned >> (from as u32) & 1 == 0 {
            !0
        } else {
            magic::ray(Square::new(self.king), from).0
        }
    }

    fn attacks(&self, code: u32, from: Square) -> u64 {
        let occupied = Bitboard(self.occupied);
        match code {
            KNIGHT => magic::knight_attacks(from).0,
            BISHOP => magic::bishop_attacks(from, occupied).0,
            ROOK => magic::rook_attacks(from, occupied).0,
            _ => magic::queen_attacks(from, occupied).0,
        }
    }

    fn king_captures(&self, found: &mut impl FnMut(Capture)) {
        let without_king = self.occupied & !(1 << self.king);
        for to in Bitboard(MASKS[self.king as usize].king & self.them) {
            if attacks::attackers(self.position, to as u32, without_king) & self.them == 0 {
                found(Capture::new(Square::new(self.king), to, None));
            }
        }
    }

    fn pawn_moves(&self, from: Square, allowed: u64, found: &mut impl FnMut(Capture)) {
        let captures = magic::pawn_attacks(self.color, from).0 & self.them;
        let ahead = match self.color {
            Color::White => 1 << (from as u32) << 8,
            Color::Black => 1 << (from as u32) >> 8,
        };
        let pushes = ahead & !self.occupied & LAST_RANKS;
        for to in Bitboard((captures | pushes) & allowed) {
            if LAST_RANKS >> (to as u32) & 1 == 0 {
                found(Capture::new(from, to, None));
            } else {
                for promotion in KNIGHT..=QUEEN {
                    found(Capture::from_parts(from as u32, to as u32, promotion));
                }
            }
        }
    }

    /// Tested by taking all three pawns' squares off the board: two of them may
    /// leave the king's rank at once.
    fn en_passant(&self, ep: Square, found: &mut impl FnMut(Capture)) {
        let victim = 1 << (ep as u32 ^ 8);
        let pawns = self.position.pawns() & self.us;
        for from in Bitboard(attacks::pawns_attacking(ep as u32, self.color) & pawns) {
            let occupied = self.occupied & !(1 << from as u32) & !victim | 1 << ep as u32;
            let attackers = attacks::attackers(self.position, self.king, occupied);
            if attackers & self.them & !victim == 0 {
                found(Capture::new(from, ep, None));
            }
        }
    }
}

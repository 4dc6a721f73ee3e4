//! Whether one move is legal, without the list of all.

use shakmaty::{Bitboard, Color};

use super::{Generator, KNIGHT};
use crate::attacks::{self, MASKS};
use crate::exchange::{PAWN, QUEEN, ROOK};
use crate::position::KING_TO_MOVE;
use crate::{Capture, Position};

/// Whether a move that is not castling is legal.
pub(crate) fn is_legal(position: &Position, played: Capture) -> bool {
    let side = Generator::new(position, position.turn());
    side.allows(played, position.ep_square().map_or(0, |ep| 1 << ep as u32))
}

impl Generator<'_> {
    /// `ep` is the en-passant target's bit.
    fn allows(&self, played: Capture, ep: u64) -> bool {
        let (from, target) = (played.from_index(), 1_u64 << played.to_index());
        if self.us >> from & 1 == 0 || self.us & target != 0 {
            return false;
        }
        let code = self.position.code_at(from);
        if code == KING_TO_MOVE {
            let steps = MASKS[from as usize].king & target != 0 && played.promotion_code() == 0;
            return steps && self.king_may_take(played.to());
        }
        if code == PAWN && target == ep && played.promotion_code() == 0 {
            let mut is_legal = false;
            self.en_passant(played.to(), &mut |capture| is_legal |= capture == played);
            return is_legal;
        }
        let reach = match code {
            PAWN => self.pawn_reach(from),
            KNIGHT => MASKS[from as usize].knight,
            3 => attacks::diagonal_attacks(from, self.occupied),
            ROOK => attacks::straight_attacks(from, self.occupied),
            _ => {
                attacks::diagonal_attacks(from, self.occupied)
                    | attacks::straight_attacks(from, self.occupied)
            }
        };
        let promotes = code == PAWN && Bitboard::BACKRANKS.0 & target != 0;
        let fits = match played.promotion_code() {
            0 => !promotes,
            KNIGHT..=QUEEN => promotes,
            _ => false,
        };
        let allowed = self.evasions().unwrap_or(0) & self.line_of_pin(played.from());
        fits && reach & allowed & target != 0
    }

    /// Where a pawn may go, en passant left out.
    fn pawn_reach(&self, from: u32) -> u64 {
        let empty = !self.occupied;
        let captures = shakmaty::attacks::pawn_attacks(self.color, shakmaty::Square::new(from)).0;
        let pawn = 1_u64 << from;
        let (one, third_rank) = match self.color {
            Color::White => (pawn << 8 & empty, 0x00ff_0000),
            Color::Black => (pawn >> 8 & empty, 0x0000_ff00_0000_0000),
        };
        let two = match self.color {
            Color::White => (one & third_rank) << 8,
            Color::Black => (one & third_rank) >> 8,
        };
        captures & self.them | one | two & empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Chess, Position as _};

    /// Every move that 15 bits can name, on boards of random games.
    #[test]
    fn it_agrees_with_the_list_of_all_legal_moves() {
        let mut seed = 7_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        let mut special = 0;
        for _ in 0..12 {
            let mut chess = Chess::default();
            for _ in 0..90 {
                let moves = chess.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let position = Position::try_from(&chess).unwrap();
                let legal: Vec<Capture> = moves
                    .iter()
                    .filter(|m| !m.is_castle())
                    .filter_map(|&m| Capture::from_move(m))
                    .collect();
                special += moves
                    .iter()
                    .filter(|m| m.is_en_passant() || m.is_promotion())
                    .count();
                for bits in 0..1 << Capture::BITS {
                    let played = Capture::from_bits(bits);
                    assert_eq!(
                        is_legal(&position, played),
                        legal.contains(&played),
                        "{played} in '{position}'"
                    );
                }
                chess.play_unchecked(moves[random(moves.len())]);
            }
        }
        assert!(special > 5, "{special}");
    }
}

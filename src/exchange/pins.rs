//! Stockfish's pin rules, `sf8` and `sf`.

use shakmaty::{Bitboard, Square, attacks as magic};

use super::{Exchange, SF_PINS};
use crate::attacks::{self, MASKS};

impl<const PINS: u8, const QUEENS: bool> Exchange<'_, PINS, QUEENS> {
    /// The pieces of `own` that may not recapture.
    #[inline(always)]
    pub(super) fn barred(&self, own: u64) -> u64 {
        let king = self.king(self.side);
        let masks = &MASKS[king as usize];
        let straight = masks.file | masks.rank;
        let diagonal = masks.diagonal | masks.antidiagonal;
        let theirs = self.position.occupied_bits() & !self.side;
        let snipers = |sliders: u64, line: u64| sliders & line & theirs != 0;
        let may_bar = (own & straight != 0) & snipers(self.position.straight_sliders(), straight)
            | (own & diagonal != 0) & snipers(self.position.diagonal_sliders(), diagonal);
        if !may_bar {
            return 0;
        }
        let (mut blockers, mut pinners) = (0, 0);
        for (blocker, pinner) in self.static_pins(king) {
            blockers |= blocker;
            pinners |= pinner;
        }
        let barred = if PINS == SF_PINS {
            pinners & self.occupied != 0
        } else {
            pinners & !self.occupied == 0
        };
        if barred { blockers & own } else { 0 }
    }

    /// The side's pinned pieces with their pinners, on the board before the move.
    #[inline(always)]
    pub(super) fn static_pins(&self, king: u32) -> impl Iterator<Item = (u64, u64)> {
        let (side, all) = (self.side, self.position.occupied_bits());
        let snipers = attacks::aligned(self.position, king) & all & !side;
        // `sf` ignores other snipers in between: two on one line both pin.
        let seen = if PINS == SF_PINS { all & !snipers } else { all };
        Bitboard(snipers).into_iter().filter_map(move |sniper| {
            let between = magic::between(Square::new(king), sniper).0 & seen;
            let pins = between & between.wrapping_sub(1) == 0 && between & side != 0;
            pins.then_some((between, 1 << sniper as u32))
        })
    }
}

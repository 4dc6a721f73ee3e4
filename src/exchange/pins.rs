//! Stockfish's pin rules, `sf8` and `sf`.

use shakmaty::{Square, attacks};

use super::{Exchange, SF_PINS};
use crate::attacks::MASKS;

impl<const PINS: u8, const QUEENS: bool> Exchange<'_, PINS, QUEENS> {
    /// The pieces that may not recapture, out of `own`.
    #[inline(always)]
    pub(super) fn barred(&self, own: u64) -> u64 {
        let king = self.king(self.side);
        let masks = &MASKS[king as usize];
        let diagonals = masks.diagonal | masks.antidiagonal;
        let straights = masks.file | masks.rank;
        if own & (diagonals | straights) == 0 {
            return 0; // a pinned piece stands on a line with its king
        }
        let position = self.position;
        // Taken on the board before the move, the mover and its victim included.
        let enemies = position.occupied_bits() & !self.side;
        let snipers = (diagonals & position.diagonal_sliders()
            | straights & position.straight_sliders())
            & enemies;
        let (blockers, pinners) = self.blockers(king, snipers);
        let barred = if PINS == SF_PINS {
            pinners & self.occupied != 0
        } else {
            pinners & !self.occupied == 0
        };
        if barred { blockers & own } else { 0 }
    }

    /// Own pieces that alone stand between the king and a sniper, and those
    /// snipers.
    #[inline(always)]
    fn blockers(&self, king: u32, mut snipers: u64) -> (u64, u64) {
        let occupied = self.position.occupied_bits();
        // `sf` looks through other snipers: two on one line both pin.
        let occupied = if PINS == SF_PINS {
            occupied & !snipers
        } else {
            occupied
        };
        let (mut blockers, mut pinners) = (0, 0);
        while snipers != 0 {
            let between = attacks::between(
                Square::new(king),
                Square::new(snipers.trailing_zeros() & 63),
            )
            .0;
            let standing = between & occupied;
            let single = standing & standing.wrapping_sub(1) == 0;
            if single && standing & self.side != 0 {
                blockers |= standing;
                pinners |= snipers & snipers.wrapping_neg();
            }
            snipers &= snipers - 1;
        }
        (blockers, pinners)
    }
}

//! Strictly legal captures, for profile `legal`: pins, discovered checks and checks during the
//! exchange, tested on the board of every ply.

use super::{Capturer, Exchange};
use crate::attacks::MASKS;
use crate::position::KING;

impl Exchange<'_> {
    /// The least valuable of `own` that may capture without leaving its king attacked; `None` if
    /// there is none.
    #[inline(always)]
    pub(super) fn legal_capturer(&self, mut own: u64) -> Option<Capturer> {
        let king = self.king_of(self.side);
        let threats = self.threats_to(king);
        while own != 0 {
            let capturer = self.least_valuable(own);
            let legal = if capturer.code >= KING {
                self.may_recapture(capturer)
            } else {
                threats == 0 || !self.exposes(king, capturer, threats)
            };
            if legal {
                return Some(capturer);
            }
            own ^= capturer.bit;
        }
        None
    }

    /// Enemy pieces, without the one on the target, that attack the square `king`, or would attack
    /// it if the squares between were empty. Without any, every capture by another piece is legal.
    #[inline(always)]
    fn threats_to(&self, king: u32) -> u64 {
        let masks = &MASKS[king as usize];
        let position = self.position;
        let steps = position.pawn_attackers(king) | position.knights() & masks.knight;
        (steps | position.aligned(king)) & self.occupied & !self.side
    }

    /// Whether one of `threats` attacks the square `king` after the capture. Pawns and knights
    /// among them attack it whatever stands between; sliders only if the board after the capture
    /// lets them.
    #[inline(always)]
    fn exposes(&self, king: u32, capturer: Capturer, threats: u64) -> bool {
        let position = self.position;
        let occupied = self.occupied ^ capturer.bit | 1 << self.target;
        let steps = position.pawns() | position.knights();
        let hits = steps | position.slider_attackers(king, occupied);
        hits & threats != 0
    }
}

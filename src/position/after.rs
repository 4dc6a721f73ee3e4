//! The position after a noisy move.

use super::Position;
use crate::Capture;

impl Position {
    /// The position after a capture, en passant or a promotion; the other side is to move, and no
    /// pawn can be captured en passant.
    #[inline(always)]
    pub(crate) const fn after(&self, capture: Capture) -> Position {
        let (from, to) = (capture.from_index(), capture.to_index());
        let [bit0, bit1, bit2, black] = self.planes;
        let mover = self.code_at(from);
        let is_black = black >> from & 1;
        let mut gone = 1 << from | 1 << to;
        if mover == 1 && self.code_at(to) == 0 && (from ^ to) & 7 != 0 {
            gone |= 1 << (to ^ 8); // en passant
        }
        let standing = match capture.promotion_code() {
            0 => mover,
            promotion => promotion,
        } as u64;
        let bit0 = bit0 & !gone | (standing & 1) << to;
        let bit1 = bit1 & !gone | (standing >> 1 & 1) << to;
        let bit2 = bit2 & !gone | (standing >> 2 & 1) << to;
        let black = black & self.occupied_bits() & !gone | is_black << to;
        // Bit 0 of a king says that its side is to move.
        let kings = bit1 & bit2;
        Position {
            planes: [bit0 ^ kings, bit1, bit2, black],
        }
    }
}

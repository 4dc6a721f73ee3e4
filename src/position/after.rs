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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_en_passant_and_promotions_are_played() {
        for (before, uci, after) in [
            // A capture; the target of the other side's double step is gone.
            (
                "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
                (28, 35, 0),
                "4k3/8/8/3P4/8/8/8/4K3 b - - 0 1",
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                (36, 43, 0),
                "4k3/8/3P4/8/8/8/8/4K3 b - - 0 1",
            ),
            (
                "4k3/8/8/8/2nPp3/8/1P6/4K3 b - d3 0 1",
                (26, 9, 0),
                "4k3/8/8/8/3Pp3/8/1n6/4K3 w - - 0 1",
            ),
            (
                "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1",
                (48, 57, 5),
                "1Q2k3/8/8/8/8/8/8/4K3 b - - 0 1",
            ),
            (
                "4k3/8/8/8/8/8/p7/4K3 b - - 0 1",
                (8, 0, 2),
                "4k3/8/8/8/8/8/8/n3K3 w - - 0 1",
            ),
            // Kings.
            (
                "8/8/8/8/8/7k/4p3/4K3 w - - 0 1",
                (4, 12, 0),
                "8/8/8/8/8/7k/4K3/8 b - - 0 1",
            ),
        ] {
            let before: Position = before.parse().unwrap();
            let (from, to, promotion) = uci;
            let played = before.after(Capture::from_parts(from, to, promotion));
            assert_eq!(played, after.parse().unwrap(), "{before}");
        }
    }
}

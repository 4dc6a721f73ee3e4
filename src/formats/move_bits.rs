//! Moves in 16 bits.

use super::board::Kind;
use crate::Capture;

/// The lowest bits of a format's fields.
pub(super) struct MoveBits {
    pub from: u32,
    pub to: u32,
    /// Two bits: knight, bishop, rook, queen.
    pub promotion: u32,
    /// What the highest two bits stand for.
    pub kinds: [Kind; 4],
}

impl MoveBits {
    #[inline(always)]
    pub(super) fn read(&self, bits: u16) -> (Capture, Kind) {
        let kind = self.kinds[usize::from(bits >> 14)];
        let bits = u32::from(bits);
        let promotion = match kind {
            Kind::Promotion => (bits >> self.promotion & 3) + 2,
            _ => 0,
        };
        let (from, to) = (bits >> self.from & 63, bits >> self.to & 63);
        (Capture::from_parts(from, to, promotion), kind)
    }

    #[inline(always)]
    pub(super) fn write(&self, m: Capture, kind: Kind) -> u16 {
        let found = self.kinds.iter().position(|&other| other == kind);
        let promotion = match kind {
            Kind::Promotion => m.promotion_code().saturating_sub(2),
            _ => 0,
        };
        let squares = m.from_index() << self.from | m.to_index() << self.to;
        let code = found.unwrap_or_default() as u32;
        (squares | promotion << self.promotion | code << 14) as u16
    }
}

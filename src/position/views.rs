//! Bit views of the planes.

use shakmaty::Color;

use super::Position;

impl Position {
    #[inline(always)]
    pub(crate) const fn occupied_bits(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    #[inline(always)]
    pub(crate) const fn black_bits(&self) -> u64 {
        self.planes[3]
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

    #[inline(always)]
    pub(crate) const fn pawns(&self) -> u64 {
        self.planes[0] & !self.planes[1] & !self.planes[2]
    }

    #[inline(always)]
    pub(crate) const fn rooks(&self) -> u64 {
        self.planes[2] & !self.planes[1] & !self.planes[0]
    }

    #[inline(always)]
    pub(crate) const fn knights(&self) -> u64 {
        self.planes[1] & !self.planes[0] & !self.planes[2]
    }

    #[inline(always)]
    pub(crate) const fn kings(&self) -> u64 {
        self.planes[1] & self.planes[2]
    }

    #[inline(always)]
    pub(crate) const fn pieces_of(&self, color: Color) -> u64 {
        match color {
            Color::Black => self.planes[3] & self.occupied_bits(),
            Color::White => self.occupied_bits() & !self.planes[3],
        }
    }

    /// The square of a side's king; a1 if it has none.
    #[inline(always)]
    pub(crate) const fn king_of(&self, color: Color) -> u32 {
        (self.kings() & self.pieces_of(color)).trailing_zeros() & 63
    }

    /// The pieces with a code, of both sides.
    #[inline(always)]
    pub(crate) fn pieces_with(&self, code: u32) -> u64 {
        let [bit0, bit1, bit2, _] = self.planes;
        // All squares where the code's bit is 0, none where it is 1.
        let absent = |shift: u32| u64::from(code >> shift & 1).wrapping_sub(1);
        (bit0 ^ absent(0)) & (bit1 ^ absent(1)) & (bit2 ^ absent(2))
    }

    #[inline(always)]
    pub(crate) const fn code_at(&self, square: u32) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 >> square & 1 | (bit1 >> square & 1) << 1 | (bit2 >> square & 1) << 2) as u32
    }
}

//! All attacks of a side's pieces at once, without branches: by shifts and Kogge-Stone fills
//! (CPW). For one bitboard, or for lanes of them.

use core::ops::{BitAnd, BitOr};

/// Bitboards that can be shifted.
pub(crate) trait Shift: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    fn shl<const N: u32>(self) -> Self;
    fn shr<const N: u32>(self) -> Self;
}

impl Shift for u64 {
    #[inline(always)]
    fn shl<const N: u32>(self) -> u64 {
        self << N
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> u64 {
        self >> N
    }
}

/// The board without its outer files: the squares on which steps may end.
#[derive(Clone, Copy)]
pub(crate) struct Inner<W> {
    pub b_to_h: W,
    pub a_to_g: W,
    pub c_to_h: W,
    pub a_to_f: W,
}

/// For single bitboards.
pub(crate) const INNER: Inner<u64> = Inner {
    b_to_h: 0xfefe_fefe_fefe_fefe,
    a_to_g: 0x7f7f_7f7f_7f7f_7f7f,
    c_to_h: 0xfcfc_fcfc_fcfc_fcfc,
    a_to_f: 0x3f3f_3f3f_3f3f_3f3f,
};

impl<W: Shift> Inner<W> {
    /// Squares that bishops and queens attack; `empty` squares do not block.
    #[inline(always)]
    pub(crate) fn diagonal(&self, sliders: W, empty: W) -> W {
        let (off_a, off_h) = (empty & self.b_to_h, empty & self.a_to_g);
        self.b_to_h & (up::<_, 9, 18, 36>(sliders, off_a) | down::<_, 7, 14, 28>(sliders, off_a))
            | self.a_to_g
                & (up::<_, 7, 14, 28>(sliders, off_h) | down::<_, 9, 18, 36>(sliders, off_h))
    }

    /// Squares that rooks and queens attack.
    #[inline(always)]
    pub(crate) fn straight(&self, sliders: W, empty: W) -> W {
        up::<_, 8, 16, 32>(sliders, empty)
            | down::<_, 8, 16, 32>(sliders, empty)
            | self.b_to_h & up::<_, 1, 2, 4>(sliders, empty & self.b_to_h)
            | self.a_to_g & down::<_, 1, 2, 4>(sliders, empty & self.a_to_g)
    }

    #[inline(always)]
    pub(crate) fn knights(&self, knights: W) -> W {
        self.b_to_h & (knights.shl::<17>() | knights.shr::<15>())
            | self.a_to_g & (knights.shl::<15>() | knights.shr::<17>())
            | self.c_to_h & (knights.shl::<10>() | knights.shr::<6>())
            | self.a_to_f & (knights.shl::<6>() | knights.shr::<10>())
    }

    #[inline(always)]
    pub(crate) fn white_pawns(&self, pawns: W) -> W {
        self.b_to_h & pawns.shl::<9>() | self.a_to_g & pawns.shl::<7>()
    }

    #[inline(always)]
    pub(crate) fn black_pawns(&self, pawns: W) -> W {
        self.b_to_h & pawns.shr::<7>() | self.a_to_g & pawns.shr::<9>()
    }
}

/// Sliding attacks in one direction, towards h8, by one, two, then four steps at once. `free`
/// are the empty squares that a step in this direction may end on.
#[inline(always)]
fn up<W: Shift, const ONE: u32, const TWO: u32, const FOUR: u32>(sliders: W, free: W) -> W {
    let reach = sliders | free & sliders.shl::<ONE>();
    let free = free & free.shl::<ONE>();
    let reach = reach | free & reach.shl::<TWO>();
    let free = free & free.shl::<TWO>();
    (reach | free & reach.shl::<FOUR>()).shl::<ONE>()
}

/// The same towards a1.
#[inline(always)]
fn down<W: Shift, const ONE: u32, const TWO: u32, const FOUR: u32>(sliders: W, free: W) -> W {
    let reach = sliders | free & sliders.shr::<ONE>();
    let free = free & free.shr::<ONE>();
    let reach = reach | free & reach.shr::<TWO>();
    let free = free & free.shr::<TWO>();
    (reach | free & reach.shr::<FOUR>()).shr::<ONE>()
}

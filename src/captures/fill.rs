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
    pub all: W,
    pub b_to_h: W,
    pub a_to_g: W,
    pub c_to_h: W,
    pub a_to_f: W,
}

/// For single bitboards.
pub(crate) const INNER: Inner<u64> = Inner {
    all: !0,
    b_to_h: 0xfefe_fefe_fefe_fefe,
    a_to_g: 0x7f7f_7f7f_7f7f_7f7f,
    c_to_h: 0xfcfc_fcfc_fcfc_fcfc,
    a_to_f: 0x3f3f_3f3f_3f3f_3f3f,
};

impl<W: Shift> Inner<W> {
    /// Squares that bishops and queens attack; `empty` squares do not block.
    #[inline(always)]
    pub(crate) fn diagonal(&self, sliders: W, empty: W) -> W {
        let (off_a, off_h) = (self.b_to_h, self.a_to_g);
        Walk::<_, true, 9, 18, 36>::new(empty, off_a).see(sliders)
            | Walk::<_, false, 7, 14, 28>::new(empty, off_a).see(sliders)
            | (Walk::<_, true, 7, 14, 28>::new(empty, off_h).see(sliders)
                | Walk::<_, false, 9, 18, 36>::new(empty, off_h).see(sliders))
    }

    /// Squares that rooks and queens attack.
    #[inline(always)]
    pub(crate) fn straight(&self, sliders: W, empty: W) -> W {
        Walk::<_, true, 8, 16, 32>::new(empty, self.all).see(sliders)
            | Walk::<_, false, 8, 16, 32>::new(empty, self.all).see(sliders)
            | Walk::<_, true, 1, 2, 4>::new(empty, self.b_to_h).see(sliders)
            | Walk::<_, false, 1, 2, 4>::new(empty, self.a_to_g).see(sliders)
    }

    /// Knight attacks, one direction each.
    #[inline(always)]
    pub(crate) fn jumps(&self, knights: W) -> [W; 8] {
        [
            self.b_to_h & knights.shl::<17>(),
            self.b_to_h & knights.shr::<15>(),
            self.a_to_g & knights.shl::<15>(),
            self.a_to_g & knights.shr::<17>(),
            self.c_to_h & knights.shl::<10>(),
            self.c_to_h & knights.shr::<6>(),
            self.a_to_f & knights.shl::<6>(),
            self.a_to_f & knights.shr::<10>(),
        ]
    }

    #[inline(always)]
    pub(crate) fn knights(&self, knights: W) -> W {
        let jumps = self.jumps(knights);
        let pair = |at: usize| jumps[at] | jumps[at + 1];
        pair(0) | pair(2) | pair(4) | pair(6)
    }

    /// The squares around kings.
    #[inline(always)]
    pub(crate) fn ring(&self, kings: W) -> W {
        let beside = self.b_to_h & kings.shl::<1>() | self.a_to_g & kings.shr::<1>();
        let row = kings | beside;
        beside | row.shl::<8>() | row.shr::<8>()
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

/// A direction, towards h8 or a1, with steps of one, two and four squares.
pub(crate) struct Walk<W, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32> {
    /// Squares that a step may end on.
    edge: W,
    /// Squares reached by one, two and four steps over empty squares only.
    free: [W; 3],
}

impl<W: Shift, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32>
    Walk<W, UP, ONE, TWO, FOUR>
{
    #[inline(always)]
    pub(crate) fn new(empty: W, edge: W) -> Self {
        let one = empty & edge;
        let two = one & moved::<_, UP, ONE>(one);
        let four = two & moved::<_, UP, TWO>(two);
        Walk {
            edge,
            free: [one, two, four],
        }
    }

    /// The squares that sliders attack in this direction.
    #[inline(always)]
    pub(crate) fn see(&self, sliders: W) -> W {
        let [one, two, four] = self.free;
        let reach = sliders | one & moved::<_, UP, ONE>(sliders);
        let reach = reach | two & moved::<_, UP, TWO>(reach);
        self.step(reach | four & moved::<_, UP, FOUR>(reach))
    }

    #[inline(always)]
    pub(crate) fn step(&self, from: W) -> W {
        self.edge & moved::<_, UP, ONE>(from)
    }
}

#[inline(always)]
fn moved<W: Shift, const UP: bool, const SQUARES: u32>(word: W) -> W {
    if UP {
        word.shl::<SQUARES>()
    } else {
        word.shr::<SQUARES>()
    }
}

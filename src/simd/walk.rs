//! Sliding attacks, one direction per call, and steps.

use super::lanes::{Simd, Word};
use crate::captures::fill::{INNER, Inner, Shift as _};

/// The squares on which steps may end, in every lane.
#[inline(always)]
pub(super) fn inner<S: Simd>(simd: S) -> Inner<S::Word> {
    Inner {
        b_to_h: simd.splat(INNER.b_to_h),
        a_to_g: simd.splat(INNER.a_to_g),
        c_to_h: simd.splat(INNER.c_to_h),
        a_to_f: simd.splat(INNER.a_to_f),
    }
}

/// The squares around kings.
#[inline(always)]
pub(super) fn ring<S: Simd>(simd: S, kings: S::Word) -> S::Word {
    let inner = inner(simd);
    let beside = inner.b_to_h & kings.shl::<1>() | inner.a_to_g & kings.shr::<1>();
    let row = kings | beside;
    beside | row.shl::<8>() | row.shr::<8>()
}

/// Knight attacks, one direction each.
#[inline(always)]
pub(super) fn jumps<S: Simd>(simd: S, knights: S::Word) -> [S::Word; 8] {
    let inner = inner(simd);
    [
        inner.b_to_h & knights.shl::<17>(),
        inner.b_to_h & knights.shr::<15>(),
        inner.a_to_g & knights.shl::<15>(),
        inner.a_to_g & knights.shr::<17>(),
        inner.c_to_h & knights.shl::<10>(),
        inner.c_to_h & knights.shr::<6>(),
        inner.a_to_f & knights.shl::<6>(),
        inner.a_to_f & knights.shr::<10>(),
    ]
}

/// A direction, towards h8 or a1, with steps of one, two and four squares.
pub(super) struct Walk<W, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32> {
    /// Squares that a step may end on.
    edge: W,
    /// Squares reached by one, two and four steps over empty squares only.
    free: [W; 3],
}

impl<W: Word, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32>
    Walk<W, UP, ONE, TWO, FOUR>
{
    #[inline(always)]
    pub(super) fn new(empty: W, edge: W) -> Self {
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
    pub(super) fn see(&self, sliders: W) -> W {
        let [one, two, four] = self.free;
        let reach = sliders | one & moved::<_, UP, ONE>(sliders);
        let reach = reach | two & moved::<_, UP, TWO>(reach);
        self.step(reach | four & moved::<_, UP, FOUR>(reach))
    }

    #[inline(always)]
    pub(super) fn step(&self, from: W) -> W {
        self.edge & moved::<_, UP, ONE>(from)
    }
}

#[inline(always)]
fn moved<W: Word, const UP: bool, const SQUARES: u32>(word: W) -> W {
    if UP {
        word.shl::<SQUARES>()
    } else {
        word.shr::<SQUARES>()
    }
}

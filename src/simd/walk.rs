//! What men see in one direction at a time: to be counted, or looked through.

use super::lanes::{Simd, Word};

pub(super) const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
pub(super) const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// The squares around kings.
#[inline(always)]
pub(super) fn ring<S: Simd>(simd: S, kings: S::Word) -> S::Word {
    let beside = simd.splat(NOT_A) & kings.shl::<1>() | simd.splat(NOT_H) & kings.shr::<1>();
    let row = kings | beside;
    beside | row.shl::<8>() | row.shr::<8>()
}

/// What knights attack, one direction after the other.
#[inline(always)]
pub(super) fn jumps<S: Simd>(simd: S, knights: S::Word) -> [S::Word; 8] {
    let (not_a, not_h) = (simd.splat(NOT_A), simd.splat(NOT_H));
    [
        not_a & knights.shl::<17>(),
        not_a & knights.shr::<15>(),
        not_h & knights.shl::<15>(),
        not_h & knights.shr::<17>(),
        simd.splat(NOT_AB) & knights.shl::<10>(),
        simd.splat(NOT_AB) & knights.shr::<6>(),
        simd.splat(NOT_GH) & knights.shl::<6>(),
        simd.splat(NOT_GH) & knights.shr::<10>(),
    ]
}

/// A direction: towards h8 or a1, by one, two or four steps at once.
pub(super) struct Walk<W, const UP: bool, const ONE: u32, const TWO: u32, const FOUR: u32> {
    /// Squares that a step may end on.
    edge: W,
    /// Those of them that so many steps lead to over empty squares only.
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

    /// What sliders see this way.
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

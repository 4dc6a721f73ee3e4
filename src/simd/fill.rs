//! Everything that a side's pieces attack, at once: by shifts and Kogge-Stone
//! fills (CPW), since a set has no one square to look from.

use super::lanes::{Simd, Word};

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Squares that bishops and queens attack, `empty` ones being walked through.
#[inline(always)]
pub(super) fn diagonal<S: Simd>(simd: S, sliders: S::Word, empty: S::Word) -> S::Word {
    let (not_a, not_h) = (simd.splat(NOT_A), simd.splat(NOT_H));
    not_a
        & (up::<_, 9, 18, 36>(sliders, empty & not_a)
            | down::<_, 7, 14, 28>(sliders, empty & not_a))
        | not_h
            & (up::<_, 7, 14, 28>(sliders, empty & not_h)
                | down::<_, 9, 18, 36>(sliders, empty & not_h))
}

/// Squares that rooks and queens attack.
#[inline(always)]
pub(super) fn straight<S: Simd>(simd: S, sliders: S::Word, empty: S::Word) -> S::Word {
    let (not_a, not_h) = (simd.splat(NOT_A), simd.splat(NOT_H));
    up::<_, 8, 16, 32>(sliders, empty)
        | down::<_, 8, 16, 32>(sliders, empty)
        | not_a & up::<_, 1, 2, 4>(sliders, empty & not_a)
        | not_h & down::<_, 1, 2, 4>(sliders, empty & not_h)
}

#[inline(always)]
pub(super) fn knights<S: Simd>(simd: S, knights: S::Word) -> S::Word {
    simd.splat(NOT_A) & (knights.shl::<17>() | knights.shr::<15>())
        | simd.splat(NOT_H) & (knights.shl::<15>() | knights.shr::<17>())
        | simd.splat(NOT_AB) & (knights.shl::<10>() | knights.shr::<6>())
        | simd.splat(NOT_GH) & (knights.shl::<6>() | knights.shr::<10>())
}

#[inline(always)]
pub(super) fn white_pawns<S: Simd>(simd: S, pawns: S::Word) -> S::Word {
    simd.splat(NOT_A) & pawns.shl::<9>() | simd.splat(NOT_H) & pawns.shl::<7>()
}

#[inline(always)]
pub(super) fn black_pawns<S: Simd>(simd: S, pawns: S::Word) -> S::Word {
    simd.splat(NOT_A) & pawns.shr::<7>() | simd.splat(NOT_H) & pawns.shr::<9>()
}

/// What is seen in one direction, towards h8: one, two, then four steps at once.
/// `free` are the empty squares that a step in this direction may end on.
#[inline(always)]
fn up<W: Word, const ONE: u32, const TWO: u32, const FOUR: u32>(sliders: W, free: W) -> W {
    let reach = sliders | free & sliders.shl::<ONE>();
    let free = free & free.shl::<ONE>();
    let reach = reach | free & reach.shl::<TWO>();
    let free = free & free.shl::<TWO>();
    (reach | free & reach.shl::<FOUR>()).shl::<ONE>()
}

/// The same towards a1.
#[inline(always)]
fn down<W: Word, const ONE: u32, const TWO: u32, const FOUR: u32>(sliders: W, free: W) -> W {
    let reach = sliders | free & sliders.shr::<ONE>();
    let free = free & free.shr::<ONE>();
    let reach = reach | free & reach.shr::<TWO>();
    let free = free & free.shr::<TWO>();
    (reach | free & reach.shr::<FOUR>()).shr::<ONE>()
}

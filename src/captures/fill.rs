//! Everything that a side's pieces attack, at once, without a branch. Twin, with
//! words in its place: `simd/fill.rs`.

use shakmaty::Color;

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Squares that bishops and queens attack, `empty` ones being walked through.
#[inline(always)]
pub(super) fn diagonal(sliders: u64, empty: u64) -> u64 {
    up::<9>(sliders, empty & NOT_A) & NOT_A
        | down::<7>(sliders, empty & NOT_A) & NOT_A
        | up::<7>(sliders, empty & NOT_H) & NOT_H
        | down::<9>(sliders, empty & NOT_H) & NOT_H
}

/// Squares that rooks and queens attack.
#[inline(always)]
pub(super) fn straight(sliders: u64, empty: u64) -> u64 {
    up::<8>(sliders, empty)
        | down::<8>(sliders, empty)
        | up::<1>(sliders, empty & NOT_A) & NOT_A
        | down::<1>(sliders, empty & NOT_H) & NOT_H
}

#[inline(always)]
pub(super) fn knights(knights: u64) -> u64 {
    NOT_A & (knights << 17 | knights >> 15)
        | NOT_H & (knights << 15 | knights >> 17)
        | NOT_AB & (knights << 10 | knights >> 6)
        | NOT_GH & (knights << 6 | knights >> 10)
}

#[inline(always)]
pub(super) fn pawns(pawns: u64, color: Color) -> u64 {
    match color {
        Color::White => NOT_A & pawns << 9 | NOT_H & pawns << 7,
        Color::Black => NOT_A & pawns >> 7 | NOT_H & pawns >> 9,
    }
}

/// What is seen in one direction, towards h8: one, two, then four steps at once.
/// `free` are the empty squares that a step in this direction may end on.
#[inline(always)]
fn up<const STEP: u32>(sliders: u64, free: u64) -> u64 {
    let reach = sliders | free & sliders << STEP;
    let free = free & free << STEP;
    let reach = reach | free & reach << (2 * STEP);
    let free = free & free << (2 * STEP);
    (reach | free & reach << (4 * STEP)) << STEP
}

/// The same towards a1.
#[inline(always)]
fn down<const STEP: u32>(sliders: u64, free: u64) -> u64 {
    let reach = sliders | free & sliders >> STEP;
    let free = free & free >> STEP;
    let reach = reach | free & reach >> (2 * STEP);
    let free = free & free >> (2 * STEP);
    (reach | free & reach >> (4 * STEP)) >> STEP
}

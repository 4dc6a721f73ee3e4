//! Many moves at once in the lanes of a vector unit, bit for bit as the scalar
//! exchange.
//!
//! Each kernel is written once, for any [`lanes::Simd`], inlined into one function
//! per unit that is compiled for that unit's features, and chosen at run time.

mod board;
mod exchange;
mod lanes;
mod pins;
mod score;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use core::fmt;
use core::str::FromStr;

use crate::{Capture, Pins, Position, Rules};

/// Which instructions the CPU backend uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CpuPath {
    /// One move at a time: every machine.
    Scalar,
    /// Four moves at a time.
    Avx2,
    /// Eight moves at a time.
    Avx512,
}

impl CpuPath {
    /// All paths, the fastest last.
    pub const ALL: [CpuPath; 3] = [CpuPath::Scalar, CpuPath::Avx2, CpuPath::Avx512];
}

/// The scores of some positions' moves; `ends` tells where each position's moves
/// end in `captures`.
#[doc(hidden)]
pub fn test_score(
    path: CpuPath,
    positions: &[Position],
    ends: &[usize],
    captures: &[Capture],
    rules: &Rules,
    scores: &mut [i32],
) {
    if path == CpuPath::Avx512 {
        let simd = avx512::Avx512::detect().unwrap();
        #[allow(unsafe_code)]
        unsafe { score_avx512(simd, rules, positions, ends, captures, scores) }
    } else {
        let simd = avx2::Avx2::detect().unwrap();
        #[allow(unsafe_code)]
        unsafe { score_avx2(simd, rules, positions, ends, captures, scores) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt")]
fn score_avx512(
    simd: avx512::Avx512,
    rules: &Rules,
    positions: &[Position],
    ends: &[usize],
    captures: &[Capture],
    scores: &mut [i32],
) {
    score::score(simd, rules, positions, ends, captures, scores);
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn score_avx2(
    simd: avx2::Avx2,
    rules: &Rules,
    positions: &[Position],
    ends: &[usize],
    captures: &[Capture],
    scores: &mut [i32],
) {
    score::score(simd, rules, positions, ends, captures, scores);
}

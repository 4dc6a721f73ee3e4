//! Which instructions the CPU backend uses, and its kernels for vector units.
//!
//! A kernel is written once, for any `lanes::Simd`: one move or one position in
//! each 64-bit lane. It is inlined into one function per unit, compiled for that
//! unit's features and chosen at run time. All give the scalar exchange's answers,
//! bit for bit.

use core::fmt;
use core::str::FromStr;

#[cfg(target_arch = "x86_64")]
use crate::Pins;
use crate::{Batch, Beyond, Bounds, Capture, Position, Rules, Verdict};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod board;
#[cfg(target_arch = "x86_64")]
mod exchange;
#[cfg(target_arch = "x86_64")]
mod fill;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod noisy;
#[cfg(target_arch = "x86_64")]
mod pins;
#[cfg(target_arch = "x86_64")]
mod records;
mod scheme;
#[cfg(target_arch = "x86_64")]
mod score;
#[cfg(target_arch = "x86_64")]
mod screen;
#[cfg(target_arch = "x86_64")]
mod verdict;
#[cfg(target_arch = "x86_64")]
mod walk;

#[cfg(target_arch = "x86_64")]
pub(crate) use records::Units;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use scheme::Units;
pub(crate) use scheme::{Codes, GROUP, Raw, Scheme, codes};

/// Which instructions the CPU backend uses. Every path gives the same answers.
///
/// ```
/// use swaplist::CpuPath;
///
/// assert!(CpuPath::Scalar.is_available());
/// assert!(CpuPath::best().is_available());
/// assert_eq!("avx2".parse(), Ok(CpuPath::Avx2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CpuPath {
    /// One move at a time: every machine.
    Scalar,
    /// Four moves at a time: AVX2, BMI, LZCNT.
    Avx2,
    /// Eight moves at a time: AVX-512 F, BW, CD, DQ, VL, VPOPCNTDQ and GFNI (Ice
    /// Lake, Zen 4 and later).
    Avx512,
}

impl CpuPath {
    /// All paths, the fastest last.
    pub const ALL: [CpuPath; 3] = [CpuPath::Scalar, CpuPath::Avx2, CpuPath::Avx512];

    /// Whether this machine has what it takes.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            CpuPath::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx2 => avx2::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx512 => avx512::Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest path of this machine.
    #[must_use]
    pub fn best() -> CpuPath {
        let available = CpuPath::ALL
            .into_iter()
            .rev()
            .find(|path| path.is_available());
        available.unwrap_or(CpuPath::Scalar)
    }

    /// Its name, as in the command line and all output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CpuPath::Scalar => "scalar",
            CpuPath::Avx2 => "avx2",
            CpuPath::Avx512 => "avx512",
        }
    }
}

impl Default for CpuPath {
    /// [`CpuPath::best`].
    fn default() -> CpuPath {
        CpuPath::best()
    }
}

impl fmt::Display for CpuPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CpuPath {
    type Err = UnknownCpuPath;

    fn from_str(name: &str) -> Result<CpuPath, UnknownCpuPath> {
        let path = CpuPath::ALL.into_iter().find(|path| path.name() == name);
        path.ok_or_else(|| UnknownCpuPath(name.to_owned()))
    }
}

/// A name that stands for no [`CpuPath`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCpuPath(String);

impl fmt::Display for UnknownCpuPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown CPU path '{}', expected one of: scalar, avx2, avx512",
            self.0
        )
    }
}

impl core::error::Error for UnknownCpuPath {}

/// Moves to score: some positions of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Moves<'a> {
    positions: &'a [Position],
    /// Where each position's moves end, counted from a move `first` before the
    /// first of these.
    ends: &'a [usize],
    first: usize,
    captures: &'a [Capture],
}

impl<'a> Moves<'a> {
    /// The moves of a range of a batch's positions.
    pub(crate) fn of(batch: &'a Batch, range: core::ops::Range<usize>) -> Moves<'a> {
        let ends = &batch.ends()[range.clone()];
        let first = if range.is_empty() {
            0
        } else {
            batch.range(range.start).start
        };
        let end = ends.last().copied().unwrap_or(first);
        Moves {
            positions: &batch.positions()[range],
            ends,
            first,
            captures: &batch.captures()[first..end],
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.captures.len()
    }
}

/// The scores of moves, by a path that the machine must have: another one is
/// taken as scalar.
///
/// # Panics
///
/// If there are not as many scores as moves.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // one path
pub(crate) fn score(path: CpuPath, rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
    assert_eq!(moves.len(), scores.len(), "one score a move");
    #[cfg(target_arch = "x86_64")]
    if rules.pins != Pins::Legal {
        if path == CpuPath::Avx512
            && let Some(simd) = avx512::Avx512::detect()
        {
            return simd.score(rules, moves, scores);
        }
        if path == CpuPath::Avx2
            && let Some(simd) = avx2::Avx2::detect()
        {
            return simd.score(rules, moves, scores);
        }
    }
    score_one_by_one(rules, moves, scores);
}

fn score_one_by_one(rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
    let mut start = 0;
    for (position, end) in moves.positions.iter().zip(moves.ends) {
        let range = start..end - moves.first;
        for (&capture, score) in moves.captures[range.clone()].iter().zip(&mut scores[range]) {
            *score = rules.see(position, capture);
        }
        start = end - moves.first;
    }
}

/// The verdict on each position, by a path as in [`score`].
///
/// # Panics
///
/// If there are not as many verdicts as positions.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // one path
pub(crate) fn verdicts(
    path: CpuPath,
    rules: &Rules,
    positions: &[Position],
    with_threat: bool,
    verdicts: &mut [Verdict],
) {
    assert_eq!(positions.len(), verdicts.len(), "one verdict a position");
    #[cfg(target_arch = "x86_64")]
    if rules.pins != Pins::Legal {
        if path == CpuPath::Avx512
            && let Some(simd) = avx512::Avx512::detect()
        {
            return simd.verdicts(rules, positions, with_threat, verdicts);
        }
        if path == CpuPath::Avx2
            && let Some(simd) = avx2::Avx2::detect()
        {
            return simd.verdicts(rules, positions, with_threat, verdicts);
        }
    }
    for (position, judged) in positions.iter().zip(verdicts) {
        *judged = rules.verdict(position, with_threat);
    }
}

/// What is beyond the bounds in each position, by a path as in [`score`].
///
/// # Panics
///
/// If there are not as many answers as positions.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))] // one path
pub(crate) fn beyond(
    path: CpuPath,
    rules: &Rules,
    positions: &[Position],
    bounds: Bounds,
    beyond: &mut [Beyond],
) {
    assert_eq!(positions.len(), beyond.len(), "one answer a position");
    #[cfg(target_arch = "x86_64")]
    if rules.pins != Pins::Legal {
        if path == CpuPath::Avx512
            && let Some(simd) = avx512::Avx512::detect()
        {
            return simd.beyond(rules, positions, bounds, beyond);
        }
        if path == CpuPath::Avx2
            && let Some(simd) = avx2::Avx2::detect()
        {
            return simd.beyond(rules, positions, bounds, beyond);
        }
    }
    for (position, found) in positions.iter().zip(beyond) {
        *found = rules.beyond(position, bounds);
    }
}

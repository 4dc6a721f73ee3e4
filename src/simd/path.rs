//! The CPU's paths by name, and which of them this machine has.

use core::fmt;
use core::str::FromStr;

#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, unit::Unit as _};
#[cfg(target_arch = "aarch64")]
use super::{neon::Neon, unit::Unit as _};

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
    /// Two moves at a time in plain words: every machine. Not faster than scalar: a
    /// second opinion where there is no other path.
    Portable,
    /// Two moves at a time: NEON, which every 64-bit Arm has. Only where it is asked
    /// for.
    Neon,
    /// Four moves at a time: AVX2, BMI, LZCNT.
    Avx2,
    /// Eight moves at a time: AVX-512 F, BW, CD, DQ, VL, VPOPCNTDQ and GFNI (Ice
    /// Lake, Zen 4 and later).
    Avx512,
}

impl CpuPath {
    /// All paths, the fastest last.
    ///
    /// Two lanes are not known to be faster than none. On x86-64 the portable ones take
    /// 1.2 times as long as scalar for a verdict and for a score, 3.5 times under `sf`.
    /// NEON is counted, not timed: executed instructions are 0.91 of the scalar ones for
    /// a verdict, 1.00 for bounds, 1.18 for a score, 1.63 under `sf`; and most cores run
    /// fewer vector instructions at a time than others.
    pub const ALL: [CpuPath; 5] = [
        CpuPath::Portable,
        CpuPath::Neon,
        CpuPath::Scalar,
        CpuPath::Avx2,
        CpuPath::Avx512,
    ];

    /// Whether this machine has what it takes.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            CpuPath::Portable | CpuPath::Scalar => true,
            #[cfg(target_arch = "aarch64")]
            CpuPath::Neon => Neon::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "aarch64"))]
            CpuPath::Neon => false,
            #[cfg(not(target_arch = "x86_64"))]
            CpuPath::Avx2 | CpuPath::Avx512 => false,
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
            CpuPath::Portable => "portable",
            CpuPath::Neon => "neon",
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
            "unknown CPU path '{}', expected one of: scalar, portable, neon, avx2, avx512",
            self.0
        )
    }
}

impl core::error::Error for UnknownCpuPath {}

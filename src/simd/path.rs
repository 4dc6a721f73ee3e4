//! The CPU's paths by name, and which of them this machine has.

use core::fmt;
use core::str::FromStr;

use super::question::Question;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512, unit::Unit as _};
use crate::{Pins, Rules};

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
        Instructions::of(self).is_some()
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

/// Proof that this machine has a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Instructions {
    pub(crate) fn of(path: CpuPath) -> Option<Instructions> {
        match path {
            CpuPath::Scalar => Some(Instructions::Scalar),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx2 => Avx2::detect().map(Instructions::Avx2),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx512 => Avx512::detect().map(Instructions::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            CpuPath::Avx2 | CpuPath::Avx512 => None,
        }
    }

    /// # Panics
    ///
    /// If there is not room for each answer, and no more.
    pub(crate) fn answer<Q: Question>(self, question: Q, rules: &Rules, answers: &mut [Q::Answer]) {
        assert_eq!(question.answers(), answers.len(), "one answer each");
        match self {
            _ if rules.pins == Pins::Legal => question.one_by_one(rules, answers),
            Instructions::Scalar => question.one_by_one(rules, answers),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unit.answer(question, rules, answers),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unit.answer(question, rules, answers),
        }
    }
}

//! The CPU's code paths, which of them this machine has, and what is compiled for each.

// Why each `unsafe` is sound: a unit proves its features.
#![allow(unsafe_code)]

use core::ops::Range;

#[cfg(simd128)]
use super::simd128::Simd128;
use super::unit::{LaneKernel, LaneTask};
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512};
use crate::choices;
use crate::{Choice, Pins, Rules};

choices! {
    "CPU path",
    /// The instructions of the CPU backend, the fastest last. Every path gives the same results.
    ///
    /// ```
    /// use swaplist::CpuPath;
    ///
    /// assert!(CpuPath::Scalar.is_available());
    /// assert!(CpuPath::best().is_available());
    /// assert_eq!("avx2".parse(), Ok(CpuPath::Avx2));
    /// ```
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum CpuPath {
        /// One move at a time, on every machine.
        Scalar = "scalar",
        /// Two moves at a time: WebAssembly compiled with its vectors.
        Simd128 = "simd128",
        /// Four moves at a time: AVX2, BMI, LZCNT.
        Avx2 = "avx2",
        /// Eight moves at a time: AVX-512 F, BW, CD, DQ, VL, VBMI, VBMI2, VPOPCNTDQ and GFNI (Ice
        /// Lake, Zen 4 and later).
        Avx512 = "avx512",
    }
}

impl CpuPath {
    /// Whether this machine has the instructions. Without optimisation (`opt-level = 0`) only
    /// the scalar path is available.
    pub fn is_available(self) -> bool {
        Instructions::for_path(self).is_some()
    }

    /// The fastest path of this machine.
    pub fn best() -> CpuPath {
        let available = CpuPath::ALL
            .iter()
            .copied()
            .rev()
            .find(|path| path.is_available());
        available.unwrap_or(CpuPath::Scalar)
    }
}

impl Default for CpuPath {
    /// The fastest path, [`CpuPath::best`].
    fn default() -> CpuPath {
        CpuPath::best()
    }
}

/// Proof that this machine has a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    Scalar,
    #[cfg(simd128)]
    Simd128(Simd128),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Instructions {
    /// The instructions of a path; `None` if this machine does not have them.
    pub(crate) fn for_path(path: CpuPath) -> Option<Instructions> {
        match path {
            CpuPath::Scalar => Some(Instructions::Scalar),
            // Without optimisation, the stack frames of vector code would be too large.
            _ if cfg!(unoptimized) => None,
            #[cfg(simd128)]
            CpuPath::Simd128 => Some(Instructions::Simd128(Simd128)),
            #[cfg(not(simd128))]
            CpuPath::Simd128 => None,
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx2 => Avx2::detect().map(Instructions::Avx2),
            #[cfg(target_arch = "x86_64")]
            CpuPath::Avx512 => Avx512::detect().map(Instructions::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            CpuPath::Avx2 | CpuPath::Avx512 => None,
        }
    }

    /// Answers about positions by a kernel. Under `Pins::Legal` that is done one by one on every
    /// path, as such exchanges exist only as scalar code.
    pub(crate) fn answer<K: LaneKernel>(
        self,
        kernel: K,
        positions: Range<usize>,
        rules: &Rules,
        answers: &mut [K::Answer],
    ) {
        match self {
            _ if rules.pins == Pins::Legal => kernel.one_by_one(positions, rules, answers),
            Instructions::Scalar => kernel.one_by_one(positions, rules, answers),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => kernel.by_screen(unit, positions, rules, answers),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unsafe { unit.answer(kernel, positions, rules, answers) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unsafe { unit.answer(kernel, positions, rules, answers) },
        }
    }

    /// Runs a task, which answers no questions.
    pub(crate) fn run<T: LaneTask>(self, task: T) -> T::Output {
        match self {
            Instructions::Scalar => task.one_by_one(),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => task.in_lanes(unit),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unsafe { unit.run_task(task) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unsafe { unit.run_task(task) },
        }
    }
}

//! The threads of a [`Cpu`](super::Cpu) without rayon: the calling one.

use core::ops::Range;

use crate::Rules;
use crate::simd::{Instructions, LaneKernel};

/// The thread on which a [`Cpu`](super::Cpu) works.
#[derive(Debug, Default)]
pub enum Threads {
    /// The calling thread alone.
    #[default]
    Calling,
}

impl Threads {
    /// How many they are.
    #[expect(clippy::unused_self)] // those of rayon count
    pub const fn count(&self) -> usize {
        1
    }

    /// Runs a kernel on these positions, whose answers are all of `answers`.
    #[expect(clippy::unused_self)] // those of rayon differ
    pub fn run<K: LaneKernel>(
        &self,
        instructions: Instructions,
        kernel: K,
        positions: Range<usize>,
        rules: &Rules,
        answers: &mut [K::Answer],
    ) {
        instructions.answer(kernel, positions, rules, answers);
    }
}

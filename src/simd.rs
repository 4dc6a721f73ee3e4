//! Which instructions the CPU backend uses, and its kernels for vector units.
//!
//! A kernel is written once, for any `lanes::Simd`: one move or one position in
//! each 64-bit lane. It is inlined into one function per unit, compiled for that
//! unit's features and chosen at run time. All give the scalar exchange's answers,
//! bit for bit.

use unit::Unit;

use crate::{Batch, Beyond, Bounds, Capture, Pins, Position, Rules, Verdict};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod board;
mod exchange;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod noisy;
mod path;
mod pins;
mod portable;
#[cfg(target_arch = "x86_64")]
mod records;
mod scheme;
mod score;
mod screen;
mod unit;
mod verdict;
mod walk;

pub use path::{CpuPath, UnknownCpuPath};
#[cfg(target_arch = "x86_64")]
pub(crate) use records::Units;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use scheme::Units;
pub(crate) use scheme::{Codes, GROUP, Raw, Scheme, codes};

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

/// What is computed, on a vector unit or without one.
trait Task {
    fn rules(&self) -> &Rules;
    fn on(self, unit: impl Unit);
    fn one_by_one(self);
}

/// Computes by a path that the machine must have: another one is taken as scalar.
fn run(path: CpuPath, task: impl Task) {
    if task.rules().pins == Pins::Legal {
        return task.one_by_one(); // not for vectors
    }
    match path {
        #[cfg(target_arch = "x86_64")]
        CpuPath::Avx512 => on::<avx512::Avx512>(task),
        #[cfg(target_arch = "x86_64")]
        CpuPath::Avx2 => on::<avx2::Avx2>(task),
        #[cfg(target_arch = "aarch64")]
        CpuPath::Neon => on::<neon::Neon>(task),
        CpuPath::Portable => on::<portable::Portable>(task),
        _ => task.one_by_one(),
    }
}

fn on<U: Unit>(task: impl Task) {
    match U::detect() {
        Some(unit) => task.on(unit),
        None => task.one_by_one(),
    }
}

/// The scores of moves, by a path as in [`run`].
///
/// # Panics
///
/// If there are not as many scores as moves.
pub(crate) fn score(path: CpuPath, rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
    assert_eq!(moves.len(), scores.len(), "one score a move");
    run(
        path,
        Score {
            rules,
            moves,
            scores,
        },
    );
}

struct Score<'a> {
    rules: &'a Rules,
    moves: Moves<'a>,
    scores: &'a mut [i32],
}

impl Task for Score<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn on(self, unit: impl Unit) {
        unit.score(self.rules, self.moves, self.scores);
    }

    fn one_by_one(self) {
        let moves = self.moves;
        let mut start = 0;
        for (position, end) in moves.positions.iter().zip(moves.ends) {
            let range = start..end - moves.first;
            let scores = &mut self.scores[range.clone()];
            for (&capture, score) in moves.captures[range].iter().zip(scores) {
                *score = self.rules.see(position, capture);
            }
            start = end - moves.first;
        }
    }
}

/// The verdict on each position, by a path as in [`run`].
///
/// # Panics
///
/// If there are not as many verdicts as positions.
pub(crate) fn verdicts(
    path: CpuPath,
    rules: &Rules,
    positions: &[Position],
    with_threat: bool,
    verdicts: &mut [Verdict],
) {
    assert_eq!(positions.len(), verdicts.len(), "one verdict a position");
    run(
        path,
        Judge {
            rules,
            positions,
            with_threat,
            verdicts,
        },
    );
}

struct Judge<'a> {
    rules: &'a Rules,
    positions: &'a [Position],
    with_threat: bool,
    verdicts: &'a mut [Verdict],
}

impl Task for Judge<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn on(self, unit: impl Unit) {
        unit.verdicts(self.rules, self.positions, self.with_threat, self.verdicts);
    }

    fn one_by_one(self) {
        for (position, judged) in self.positions.iter().zip(self.verdicts) {
            *judged = self.rules.verdict(position, self.with_threat);
        }
    }
}

/// What is beyond the bounds in each position, by a path as in [`run`].
///
/// # Panics
///
/// If there are not as many answers as positions.
pub(crate) fn beyond(
    path: CpuPath,
    rules: &Rules,
    positions: &[Position],
    bounds: Bounds,
    beyond: &mut [Beyond],
) {
    assert_eq!(positions.len(), beyond.len(), "one answer a position");
    run(
        path,
        Compare {
            rules,
            positions,
            bounds,
            beyond,
        },
    );
}

struct Compare<'a> {
    rules: &'a Rules,
    positions: &'a [Position],
    bounds: Bounds,
    beyond: &'a mut [Beyond],
}

impl Task for Compare<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn on(self, unit: impl Unit) {
        unit.beyond(self.rules, self.positions, self.bounds, self.beyond);
    }

    fn one_by_one(self) {
        for (position, found) in self.positions.iter().zip(self.beyond) {
            *found = self.rules.beyond(position, self.bounds);
        }
    }
}

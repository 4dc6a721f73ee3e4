//! A question in chunks: what is uploaded, dispatched and read back.

use super::answers;
use super::chunks::Chunk;
use super::kernel::Kernel;
use super::layout::{Capacity, Params, asked};
use super::limits::Grid;
use crate::backend::{Answers, BackendError, Question};
use crate::{Bounds, BoundsExceeded, Rules, Verdict};

/// A question and its rules.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    question: Question<'a>,
    pub(in crate::gpu) rules: Rules,
}

/// The columns of [`Answers`], or some rows of them.
#[derive(Debug)]
pub struct Slots<'a> {
    pub(super) scores: &'a mut [i32],
    pub(super) verdicts: &'a mut [Verdict],
    pub(super) exceeds: &'a mut [BoundsExceeded],
}

impl<'a> Slots<'a> {
    /// All rows.
    pub fn of(answers: &'a mut Answers) -> Slots<'a> {
        Slots {
            scores: &mut answers.scores,
            verdicts: &mut answers.verdicts,
            exceeds: &mut answers.exceeds,
        }
    }

    /// Takes the first rows, as far as there are any.
    #[must_use]
    pub fn take(&mut self, rows: usize) -> Slots<'a> {
        #[allow(clippy::mut_mut)] // the others stay in the column
        fn first<'a, T>(column: &mut &'a mut [T], rows: usize) -> &'a mut [T] {
            let rows = rows.min(column.len());
            column.split_off_mut(..rows).unwrap_or_default()
        }
        Slots {
            scores: first(&mut self.scores, rows),
            verdicts: first(&mut self.verdicts, rows),
            exceeds: first(&mut self.exceeds, rows),
        }
    }
}

impl<'a> Work<'a> {
    /// The work on a question.
    pub fn new(question: Question<'a>, rules: &Rules) -> Work<'a> {
        Work {
            question,
            rules: *rules,
        }
    }

    /// What answers.
    pub fn kernel(&self) -> Kernel {
        match self.question {
            Question::Scores(_) => Kernel::Score {
                narrow: answers::fit_half_a_word(&self.rules),
            },
            Question::Verdicts { with_threat, .. } => Kernel::Judge { with_threat },
            Question::Bounds { bounds, .. } => Kernel::Exceed {
                with_threat: bounds.asks_threat(),
                with_facts: false,
            },
        }
    }

    fn bounds(&self) -> Bounds {
        match self.question {
            Question::Bounds { bounds, .. } => bounds,
            _ => Bounds::default(),
        }
    }

    /// The chunk after `last`; `None` at the end.
    pub fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        if let Question::Scores(batch) = &self.question {
            let next = |last: &Chunk| (last.captures.end, last.positions.start);
            let (capture, hint) = last.map_or((0, 0), next);
            return Chunk::at(batch, capture, hint, capacity);
        }
        let all = self.question.positions().len();
        let start = last.map_or(0, |last| last.positions.end);
        let end = all.min(start + capacity.verdicts);
        (start < end).then_some(Chunk {
            positions: start..end,
            captures: 0..0,
        })
    }

    /// A chunk's positions.
    pub fn upload(&self, chunk: &Chunk) -> &'a [u8] {
        bytemuck::cast_slice(&self.question.positions()[chunk.positions.clone()])
    }

    /// The requests of a chunk, in little-endian words.
    pub fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        let moves = match &self.question {
            Question::Scores(batch) => Some(chunk.requests(batch)),
            _ => None,
        };
        moves.into_iter().flatten()
    }

    /// Their number.
    pub fn request_words(&self, chunk: &Chunk) -> usize {
        match &self.question {
            Question::Scores(_) => chunk.captures.len(),
            _ => 0,
        }
    }

    /// The number of answers to a chunk.
    pub fn answers(&self, chunk: &Chunk) -> usize {
        match self.question {
            Question::Scores(_) => chunk.captures.len(),
            _ => chunk.positions.len(),
        }
    }

    /// Reads answers from the device's bytes; fails if one was not written or is impossible.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the bytes are too few, or an answer was not written or is impossible.
    pub fn read(&self, bytes: &[u8], slots: &mut Slots<'_>) -> Result<(), BackendError> {
        match self.question {
            Question::Scores(_) if answers::fit_half_a_word(&self.rules) => {
                answers::read_narrow_scores(bytes, slots.scores)
            }
            Question::Scores(_) => answers::read_scores(bytes, slots.scores),
            Question::Verdicts { .. } => answers::read_verdicts(bytes, slots.verdicts),
            Question::Bounds { bounds, .. } => answers::read(bytes, bounds, slots.exceeds),
        }
    }

    /// The parameters and workgroups of a chunk.
    pub fn params(&self, chunk: &Chunk, grid: Grid, serial: u64) -> (Params, (u32, u32)) {
        let count = self.answers(chunk) as u32;
        let groups = grid.of(self.kernel(), count);
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: self.rules.values,
            bounds: asked(self.bounds()),
            units: 0,
            units_x: 1,
            units_at: 0,
            table: 0,
        };
        (params, groups)
    }
}

//! A question in chunks: what is uploaded, dispatched and read back.
//!
//! A device's buffers have a size, so a question is answered chunk by chunk. 300,000 positions with
//! a capacity of 131,072 are three chunks: 0 to 131,072, on to 262,144, and the rest. For each of
//! them a host needs bytes to upload, parameters, the number of workgroups, and the rows of the
//! answers' column that the chunk fills ([`AnswerSlices::take`]). For scores a chunk is a range of
//! moves with the positions that they are in (`chunks.rs`).

use super::answers;
use super::chunks::Chunk;
use super::kernel::Kernel;
use super::layout::{Capacity, Params, bound_params};
use super::limits::Grid;
use crate::backend::{Answers, BackendError, Question};
use crate::{Bounds, BoundsExceeded, Rules, Sides, Verdict};

/// A question and the rules of SEE by which it is answered, chunk by chunk.
#[derive(Clone, Copy, Debug)]
pub struct ChunkedQuestion<'a> {
    pub(crate) question: Question<'a>,
    pub(in crate::gpu) rules: Rules,
}

/// The columns of [`Answers`], or some rows of them. Only the column of the question has rows.
#[derive(Debug)]
pub struct AnswerSlices<'a> {
    pub(super) scores: &'a mut [i32],
    pub(super) verdicts: &'a mut [Verdict],
    pub(super) exceeds: &'a mut [BoundsExceeded],
}

impl<'a> AnswerSlices<'a> {
    /// All rows of all columns.
    pub fn new(answers: &'a mut Answers) -> AnswerSlices<'a> {
        AnswerSlices {
            scores: &mut answers.scores,
            verdicts: &mut answers.verdicts,
            exceeds: &mut answers.exceeds,
        }
    }

    /// Takes the first `rows` rows out, or as many as each column has. The others stay here.
    #[must_use]
    pub fn take(&mut self, rows: usize) -> AnswerSlices<'a> {
        #[allow(clippy::mut_mut)] // the column itself is replaced, by its other rows
        fn first<'a, T>(column: &mut &'a mut [T], rows: usize) -> &'a mut [T] {
            let rows = rows.min(column.len());
            column.split_off_mut(..rows).unwrap_or_default()
        }
        AnswerSlices {
            scores: first(&mut self.scores, rows),
            verdicts: first(&mut self.verdicts, rows),
            exceeds: first(&mut self.exceeds, rows),
        }
    }
}

impl<'a> ChunkedQuestion<'a> {
    /// A question to be answered by these rules.
    pub fn new(question: Question<'a>, rules: &Rules) -> ChunkedQuestion<'a> {
        ChunkedQuestion {
            question,
            rules: *rules,
        }
    }

    /// The kernel that answers the question. Scores share words in pairs if the rules keep them
    /// small enough.
    pub fn kernel(&self) -> Kernel {
        match self.question {
            Question::Scores(_) => Kernel::Score {
                narrow: answers::fit_half_a_word(&self.rules),
            },
            Question::Verdicts { sides, .. } => Kernel::Judge {
                with_threat: sides == Sides::Both,
            },
            Question::Bounds { bounds, .. } => Kernel::Exceed {
                with_threat: bounds.sides() == Sides::Both,
                with_facts: false,
            },
        }
    }

    /// The bounds that are asked about; none, unless it is a question about bounds.
    fn bounds(&self) -> Bounds {
        match self.question {
            Question::Bounds { bounds, .. } => bounds,
            _ => Bounds::default(),
        }
    }

    /// The chunk after `last`, or the first one after `None`; `None` at the end.
    pub fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        if let Question::Scores(batch) = &self.question {
            let first_move = last.map_or(0, |last| last.captures.end);
            // The search for the position of `first_move` begins there.
            let position_before = last.map_or(0, |last| last.positions.start);
            return Chunk::beginning_at(batch, first_move, position_before, capacity);
        }
        let all = self.question.positions().len();
        let start = last.map_or(0, |last| last.positions.end);
        let end = all.min(start + capacity.verdicts);
        (start < end).then_some(Chunk {
            positions: start..end,
            captures: 0..0,
        })
    }

    /// The bytes of a chunk's positions, 32 for each.
    pub fn upload(&self, chunk: &Chunk) -> &'a [u8] {
        bytemuck::cast_slice(&self.question.positions()[chunk.positions.clone()])
    }

    /// The requests of a chunk, in little-endian bytes: one for each move, and none unless scores
    /// are asked for.
    pub fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        let moves = match &self.question {
            Question::Scores(batch) => Some(chunk.requests(batch)),
            _ => None,
        };
        moves.into_iter().flatten()
    }

    /// The number of a chunk's requests, each a word.
    pub fn request_words(&self, chunk: &Chunk) -> usize {
        match &self.question {
            Question::Scores(_) => chunk.captures.len(),
            _ => 0,
        }
    }

    /// The number of answers to a chunk: one for each of its moves, or else of its positions.
    pub fn answers(&self, chunk: &Chunk) -> usize {
        match self.question {
            Question::Scores(_) => chunk.captures.len(),
            _ => chunk.positions.len(),
        }
    }

    /// Reads a chunk's answers from the device's bytes: as many as its column has rows.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the bytes are too few, or an answer was not written or is impossible.
    pub fn read(&self, bytes: &[u8], rows: &mut AnswerSlices<'_>) -> Result<(), BackendError> {
        match self.question {
            Question::Scores(_) if answers::fit_half_a_word(&self.rules) => {
                answers::read_narrow_scores(bytes, rows.scores)
            }
            Question::Scores(_) => answers::read_scores(bytes, rows.scores),
            Question::Verdicts { .. } => answers::read_verdicts(bytes, rows.verdicts),
            Question::Bounds { bounds, .. } => answers::read_bounds(bytes, bounds, rows.exceeds),
        }
    }

    /// The parameters of a chunk, and the workgroups of its dispatch: the length of a row and the
    /// number of rows. `serial` is the host's number of the chunk, which comes back with the
    /// results.
    pub fn params(&self, chunk: &Chunk, grid: Grid, serial: u64) -> (Params, (u32, u32)) {
        let count = self.answers(chunk) as u32;
        let groups = grid.groups_for(self.kernel(), count);
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: self.rules.values,
            bounds: bound_params(self.bounds()),
            own: [0; 4], // for kernels of other crates
        };
        (params, groups)
    }
}

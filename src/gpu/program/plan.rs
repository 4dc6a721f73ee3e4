//! A question in dispatches: what is uploaded, computed and read back.
//!
//! A device's buffers have a size, so a question is answered part by part. 300,000 positions with
//! room for 131,072 are three dispatches: 0 to 131,072, on to 262,144, and the rest. For each of
//! them a host needs bytes to upload, parameters, the number of workgroups, and the rows of the
//! answers' column that it fills. For scores a dispatch has a range of moves with the positions that
//! they are in (`chunks.rs`).

use core::ops::Range;

use super::answers;
use super::chunks::Chunk;
use super::kernel::Kernel;
use super::layout::{Params, bound_params};
use super::limits::Shape;
use super::shader::Entry;
use crate::backend::{Answers, BackendError, Question};
use crate::{Bounds, BoundsExceeded, Position, Rules, Sides, Verdict};

/// How a question is put to a device: the entry point of [`SHADER`](super::SHADER) that answers it,
/// and one [`Dispatch`] after another.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    question: Question<'a>,
    rules: Rules,
    shape: Shape,
    with_facts: bool,
}

/// One dispatch of a [`Plan`]: what goes up, how many workgroups run, and where the answers belong.
///
/// Before it runs, the first [`result_size`](Dispatch::result_size) bytes of the results are
/// cleared: a word that stays 0 was not written, and [`Plan::read`] refuses it.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// The numbers of its answers, among all answers to the question.
    pub rows: Range<usize>,
    /// The content of the buffer of positions.
    pub positions: &'a [Position],
    /// The content of the uniform. [`Params::serial`] and [`Params::own`] are the host's.
    pub params: Params,
    /// The workgroups: the length of a row and the number of rows.
    pub groups: (u32, u32),
    /// How many bytes the answers take in the buffer of results, from its beginning.
    pub result_size: u64,
    chunk: Chunk<'a>,
}

impl<'a> Dispatch<'a> {
    /// The content of the buffer of requests, in little-endian words: one for each move, and none
    /// unless scores are asked for.
    pub fn requests(&self) -> impl ExactSizeIterator<Item = [u8; 4]> + use<'a> {
        self.chunk.requests()
    }
}

/// The columns of [`Answers`], or some rows of them. Only the column of the question has rows.
#[derive(Debug)]
pub(in crate::gpu) struct AnswerSlices<'a> {
    scores: &'a mut [i32],
    verdicts: &'a mut [Verdict],
    exceeds: &'a mut [BoundsExceeded],
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

impl<'a> Plan<'a> {
    /// A question to be answered by these rules, on a device of this shape.
    pub fn new(question: Question<'a>, rules: &Rules, shape: &Shape) -> Plan<'a> {
        Plan {
            question,
            rules: *rules,
            shape: *shape,
            with_facts: false,
        }
    }

    /// With two words of facts on a move before each answer. Only for a question about bounds [in
    /// place](Plan::in_place): a kernel of yours has left each position, and has begun its answer of
    /// three words (`shaders/facts.wgsl`).
    #[must_use]
    pub fn with_facts(self) -> Plan<'a> {
        Plan {
            with_facts: true,
            ..self
        }
    }

    /// The entry point that answers the question. It depends on the kind of question, the rules and
    /// the workgroups of the shape; piece values, positions and moves change nothing.
    pub fn entry(&self) -> Entry {
        self.kernel().entry(&self.rules, &self.shape)
    }

    /// The kernel that answers the question. Scores share words in pairs if the rules keep them
    /// small enough.
    fn kernel(&self) -> Kernel {
        match self.question {
            Question::Scores(_) => Kernel::Score {
                narrow: answers::fit_half_a_word(&self.rules),
            },
            Question::Verdicts { sides, .. } => Kernel::Judge {
                with_threat: sides == Sides::Both,
            },
            Question::Bounds { bounds, .. } => Kernel::Exceed {
                with_threat: bounds.sides() == Sides::Both,
                with_facts: self.with_facts,
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

    /// The dispatch whose first answer is the question's number `first`, with as many answers as
    /// fit the shape, and at most `most`, which is 1 or more; `None` at the end. The next one begins
    /// at the end of its [`rows`](Dispatch::rows).
    pub fn dispatch(&self, first: usize, most: usize) -> Option<Dispatch<'a>> {
        if let Question::Scores(batch) = self.question {
            let most = most.min(self.shape.moves);
            let chunk = Chunk::beginning_at(batch, first, self.shape.positions, most)?;
            let rows = first..first + chunk.len();
            return Some(self.over(rows, chunk.positions, chunk));
        }
        let all = self.question.positions();
        let length = most.min(self.shape.verdicts);
        let rows = first..all.len().min(first.saturating_add(length));
        let positions = all.get(rows.clone())?;
        (!positions.is_empty()).then(|| self.over(rows, positions, Chunk::default()))
    }

    /// The dispatch over the first `count` positions of a buffer on the device, where they are
    /// already: nothing goes up but the parameters. The question's own positions do not matter.
    pub fn in_place(&self, count: u32) -> Dispatch<'static> {
        self.over(0..count as usize, &[], Chunk::default())
    }

    fn over<'b>(
        &self,
        rows: Range<usize>,
        positions: &'b [Position],
        chunk: Chunk<'b>,
    ) -> Dispatch<'b> {
        let count = rows.len() as u32;
        let kernel = self.kernel();
        let groups = self.shape.groups_for(kernel, count);
        Dispatch {
            params: Params {
                count,
                groups_x: groups.0,
                serial: [0; 2],
                values: self.rules.values,
                bounds: bound_params(self.bounds()),
                own: [0; 4],
            },
            groups,
            result_size: kernel.bytes(rows.len()),
            rows,
            positions,
            chunk,
        }
    }

    /// Reads the answers of a dispatch from the device's bytes into its rows. `answers` is made to
    /// fit the question.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the bytes are too few, an answer was not written or is impossible, or
    /// the question has no such rows.
    pub fn read(
        &self,
        rows: Range<usize>,
        bytes: &[u8],
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        if rows.start > rows.end || rows.end > self.question.answers() {
            let what = "answers beyond the question".to_owned();
            return Err(BackendError::Wrong(what));
        }
        answers.fit(&self.question);
        let mut left = AnswerSlices::new(answers);
        let _ = left.take(rows.start);
        self.read_rows(bytes, &mut left.take(rows.len()))
    }

    /// Reads answers from the device's bytes into these rows, which give their number.
    pub(in crate::gpu) fn read_rows(
        &self,
        bytes: &[u8],
        rows: &mut AnswerSlices<'_>,
    ) -> Result<(), BackendError> {
        match self.question {
            Question::Scores(_) if answers::fit_half_a_word(&self.rules) => {
                answers::read_narrow_scores(bytes, rows.scores)
            }
            Question::Scores(_) => answers::read_scores(bytes, rows.scores),
            Question::Verdicts { .. } => answers::read_verdicts(bytes, rows.verdicts),
            Question::Bounds { bounds, .. } => answers::read_bounds(bytes, bounds, rows.exceeds),
        }
    }
}

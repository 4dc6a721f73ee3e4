//! A question in chunks: what is uploaded, dispatched and read back.

use super::answers;
use super::chunks::{self, Chunk};
use super::layout::{Capacity, Params, asked, raw_words};
use super::limits::Grid;
use super::shader::Kernel;
use crate::backend::{Answers, Ask, BackendError, Coding, Question, RawAnswer, RawFacts};
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
    pub(super) records: &'a mut [RawAnswer],
    pub(super) facts: &'a mut [RawFacts],
}

impl<'a> Slots<'a> {
    /// All rows.
    pub fn of(answers: &'a mut Answers) -> Slots<'a> {
        Slots {
            scores: &mut answers.scores,
            verdicts: &mut answers.verdicts,
            exceeds: &mut answers.exceeds,
            records: &mut answers.records,
            facts: &mut answers.facts,
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
            records: first(&mut self.records, rows),
            facts: first(&mut self.facts, rows),
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

    /// Whether the device can do it: each game or chain must fit in a chunk.
    pub fn fits(&self, capacity: Capacity) -> bool {
        match &self.question {
            Question::Records(raw, _) => chunks::fits(raw, capacity),
            _ => true,
        }
    }

    /// What answers.
    pub fn kernel(&self) -> Kernel {
        match self.question {
            Question::Scores(_) => Kernel::Score {
                narrow: answers::fit_half_a_word(&self.rules),
            },
            Question::Verdicts { with_threat, .. } => Kernel::Judge { with_threat },
            Question::Records(_, Ask::Verdicts) => Kernel::Judge { with_threat: false },
            Question::Bounds { .. } | Question::Records(..) => Kernel::Exceed {
                with_threat: self.bounds().asks_threat(),
                with_facts: matches!(self.question, Question::Records(_, Ask::Facts(_))),
            },
        }
    }

    /// How a chunk's positions are coded, if the device decodes them.
    pub fn coding(&self) -> Option<Coding> {
        match &self.question {
            Question::Records(raw, _) => Some(raw.coding),
            _ => None,
        }
    }

    fn bounds(&self) -> Bounds {
        match self.question {
            Question::Bounds { bounds, .. }
            | Question::Records(_, Ask::Bounds(bounds) | Ask::Facts(bounds)) => bounds,
            _ => Bounds::default(),
        }
    }

    /// The chunk after `last`; `None` at the end.
    pub fn chunk_after(&self, last: Option<&Chunk>, capacity: Capacity) -> Option<Chunk> {
        match &self.question {
            Question::Scores(batch) => {
                let next = |last: &Chunk| (last.captures.end, last.positions.start);
                let (capture, hint) = last.map_or((0, 0), next);
                Chunk::at(batch, capture, hint, capacity)
            }
            Question::Records(raw, _) => {
                chunks::chunk(raw, last.map_or(0, |last| last.captures.end), capacity)
            }
            _ => {
                let start = last.map_or(0, |last| last.positions.end);
                let end = self
                    .question
                    .positions()
                    .len()
                    .min(start + capacity.verdicts);
                (start < end).then_some(Chunk {
                    positions: start..end,
                    captures: 0..0,
                })
            }
        }
    }

    /// A chunk's positions, or its bytes of a file.
    pub fn upload(&self, chunk: &Chunk) -> &'a [u8] {
        match &self.question {
            Question::Records(raw, _) => chunks::bytes(raw, chunk),
            _ => bytemuck::cast_slice(&self.question.positions()[chunk.positions.clone()]),
        }
    }

    /// The requests of a chunk, or the units of its bytes, in little-endian words.
    pub fn requests<'b>(&'b self, chunk: &'b Chunk) -> impl Iterator<Item = [u8; 4]> + 'b {
        let (moves, units) = match &self.question {
            Question::Scores(batch) => (Some(chunk.requests(batch)), Vec::new()),
            Question::Records(raw, _) => (None, chunks::units(raw, chunk)),
            _ => (None, Vec::new()),
        };
        let units = units.into_iter().flatten().map(u32::to_le_bytes);
        moves.into_iter().flatten().chain(units)
    }

    /// Their number.
    pub fn request_words(&self, chunk: &Chunk) -> usize {
        match &self.question {
            Question::Scores(_) => chunk.captures.len(),
            Question::Records(raw, _) => chunks::words(raw, chunk.captures.len()),
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
    pub fn read(&self, bytes: &[u8], slots: &mut Slots<'_>) -> Result<(), BackendError> {
        match self.question {
            Question::Scores(_) if answers::fit_half_a_word(&self.rules) => {
                answers::read_narrow_scores(bytes, slots.scores)
            }
            Question::Scores(_) => answers::read_scores(bytes, slots.scores),
            Question::Verdicts { .. } => answers::read_verdicts(bytes, slots.verdicts),
            Question::Bounds { bounds, .. } => answers::read(bytes, bounds, slots.exceeds),
            Question::Records(_, Ask::Bounds(_)) => answers::read_raw(bytes, slots.records),
            Question::Records(_, Ask::Facts(_)) => {
                answers::read_facts(bytes, slots.records, slots.facts)
            }
            Question::Records(_, Ask::Verdicts) => {
                answers::read_raw_verdicts(bytes, slots.records, slots.verdicts)
            }
        }
    }

    /// The parameters and workgroups of a chunk.
    pub fn params(&self, chunk: &Chunk, grid: Grid, serial: u64) -> (Params, (u32, u32)) {
        let count = self.answers(chunk) as u32;
        let groups = grid.of(self.kernel(), count);
        let units = self.coding().map_or(0, |_| chunk.captures.len() as u32);
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: self.rules.values,
            bounds: asked(self.bounds()),
            units,
            units_x: grid.of_units(units).0,
            units_at: raw_words(self.upload(chunk).len()) as u32,
            padding: 0,
        };
        (params, groups)
    }
}

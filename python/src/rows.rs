//! Works on many rows, on one or more threads, with the GIL released, and until a signal comes.

use std::fmt;
use std::ops::{ControlFlow, Range};

use arrow_buffer::NullBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use swaplist::Evaluator;
use swaplist_files::ordered::{self, Limits, Stopped};

use crate::backend::Opened;
use crate::settings::Options;

/// How many rows a task has for the CPU.
const CPU_TASK: usize = 1 << 11;
/// How many rows a task has for a GPU.
const GPU_TASK: usize = 1 << 16;
/// How many rows a thread answers between two looks at Python's signals.
const ROWS: usize = 1 << 17;

/// A call on columns: how it works, and on what.
pub struct Call {
    /// The options that the caller has given.
    pub options: Options,
    /// The backend that answers.
    pub opened: Opened,
}

impl Call {
    /// Opens the backend.
    pub fn new(py: Python<'_>, options: Options) -> PyResult<Call> {
        let opened = Opened::new(py, &options.backend, options.threads)?;
        Ok(Call { options, opened })
    }

    /// Reads the questions of a chunk's rows and answers them. `first_row` is the number of the
    /// chunk's first row in its column, by which errors count.
    ///
    /// Threads live only during the call, so a forked process has nothing to lose.
    pub fn answer<Q: Send, A: Default + Send>(
        &self,
        py: Python<'_>,
        rows: usize,
        first_row: usize,
        read: impl Fn(usize) -> Option<Result<Q, String>> + Sync,
        answer: impl Fn(&Evaluator, &[Q]) -> Vec<A> + Sync,
    ) -> PyResult<Vec<Answered<A>>> {
        let threads = self.options.threads;
        let evaluator = &self.opened.evaluator;
        let mut done = Vec::new();
        let mut start = 0;
        while start < rows {
            let end = rows.min(start + ROWS * threads);
            let task = if evaluator.uses_gpu() {
                GPU_TASK
            } else {
                CPU_TASK
            };
            let tasks = (start..end).step_by(task);
            let ran = py.detach(|| {
                ordered::run(
                    Limits::new(threads.min(tasks.len())),
                    tasks.map(|first| Ok(first..end.min(first + task))),
                    || (),
                    |rows, ()| {
                        let asked = Asked::read(rows, first_row, self.options.raises, &read)?;
                        let answers = answer(evaluator, &asked.questions);
                        Ok(asked.spread(answers))
                    },
                    |answered| {
                        done.push(answered);
                        Ok(ControlFlow::Continue(()))
                    },
                )
            });
            // Also if a row is bad: a failure of the device is announced only once in a process.
            self.opened.warn(py)?;
            ran.map_err(|stopped: Stopped<BadRow>| match stopped {
                Stopped::Error(bad) => PyValueError::new_err(bad.to_string()),
                stopped => PyRuntimeError::new_err(stopped.to_string()),
            })?;
            start = end;
            py.check_signals()?;
        }
        Ok(done)
    }
}

/// A row that has no answer, and the reason.
#[derive(Clone, Debug)]
pub struct BadRow {
    /// The row, counted from 0 over all chunks.
    pub row: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.reason)
    }
}

/// The questions of a task's rows, and which of the rows have one.
pub struct Asked<Q> {
    /// A question for each valid row.
    pub questions: Vec<Q>,
    /// For each row, whether it has a question.
    pub is_valid: Vec<bool>,
}

impl<Q> Asked<Q> {
    /// Reads rows. A bad one is an error or, like a null one, gets no answer.
    pub fn read(
        rows: Range<usize>,
        first_row: usize,
        raises: bool,
        read: impl Fn(usize) -> Option<Result<Q, String>>,
    ) -> Result<Asked<Q>, BadRow> {
        let mut asked = Asked {
            questions: Vec::with_capacity(rows.len()),
            is_valid: Vec::with_capacity(rows.len()),
        };
        for row in rows {
            let question = match read(row) {
                Some(Err(reason)) if raises => {
                    let row = first_row + row;
                    return Err(BadRow { row, reason });
                }
                read => read.and_then(Result::ok),
            };
            asked.is_valid.push(question.is_some());
            asked.questions.extend(question);
        }
        Ok(asked)
    }

    /// Spreads the answers to the questions over the rows.
    pub fn spread<A: Default>(self, answers: Vec<A>) -> Answered<A> {
        let is_valid = self.is_valid;
        if answers.len() == is_valid.len() {
            return Answered { answers, is_valid };
        }
        let mut left = answers.into_iter();
        let spread = is_valid.iter().map(|&is_valid| {
            let answer = if is_valid { left.next() } else { None };
            answer.unwrap_or_default()
        });
        Answered {
            answers: spread.collect(),
            is_valid,
        }
    }
}

/// An answer per row.
pub struct Answered<A> {
    /// The default for rows without one.
    pub answers: Vec<A>,
    /// Whether the row has one.
    pub is_valid: Vec<bool>,
}

impl<A> Answered<A> {
    /// Joins the answers of all tasks.
    pub fn all(tasks: Vec<Answered<A>>) -> Answered<A> {
        let rows = tasks.iter().map(|task| task.answers.len()).sum();
        let mut all = Answered {
            answers: Vec::with_capacity(rows),
            is_valid: Vec::with_capacity(rows),
        };
        for task in tasks {
            all.answers.extend(task.answers);
            all.is_valid.extend(task.is_valid);
        }
        all
    }

    /// Which rows are null; `None` if none is.
    pub fn nulls(&self) -> Option<NullBuffer> {
        let nulls = NullBuffer::from(self.is_valid.as_slice());
        (nulls.null_count() > 0).then_some(nulls)
    }
}

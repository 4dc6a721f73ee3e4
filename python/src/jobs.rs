//! Runs jobs on whole files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use serde_json::{Value, json};
use swaplist::{BackendChoice, Evaluator};
use swaplist_files::blocks::{AnsweredBy, Blocks};
use swaplist_files::filter::Filter;
use swaplist_files::jobs::Output;
use swaplist_files::jobs::{Cancel, Error, Event, Input, Job, Mode, Options, Part, Summary, Tally};

use crate::arguments::{Argument, Arguments, Paths, expected, named_arguments};
use crate::backend::{Opened, warn};
use crate::errors;
use crate::settings::{self, THREADS, rules, skips};

/// How often Python looks at progress and signals.
pub const TICK: Duration = Duration::from_millis(100);

/// How long a cancelled job may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a running job has told since the calling thread last looked.
#[derive(Default)]
struct Told {
    /// Records and bytes of the files before this one.
    before: (u64, u64),
    /// Records and bytes.
    progress: Option<(u64, u64)>,
    notes: Vec<String>,
}

/// Keeps what a job tells until the calling thread looks.
#[derive(Clone, Default)]
pub struct Keeper(Arc<Mutex<Told>>);

impl Keeper {
    /// Keeps what a job on a file tells, after others with so many records and bytes.
    fn after(before: (u64, u64)) -> Keeper {
        let told = Told {
            before,
            ..Told::default()
        };
        Keeper(Arc::new(Mutex::new(told)))
    }

    /// Keeps what a job tells, or a mix.
    pub fn keep(&self, event: Event<'_>) {
        let mut told = self.0.lock();
        match event {
            Event::Note(text) => told.notes.push(text.to_owned()),
            Event::Progress { records, bytes, .. } => told.progress = Some((records, bytes)),
            _ => {}
        }
    }

    fn tell(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (before, notes, latest) = {
            let mut told = self.0.lock();
            let notes = std::mem::take(&mut told.notes);
            (told.before, notes, told.progress.take())
        };
        for note in notes {
            warn(py, &note)?;
        }
        if let (Some(callback), Some((records, bytes))) = (progress, latest) {
            callback.call1((before.0 + records, before.1 + bytes))?;
        }
        Ok(())
    }
}

/// The settings that all jobs share.
struct Common<'a> {
    input: PathBuf,
    part: Option<Part>,
    options: Options,
    progress: Option<Bound<'a, PyAny>>,
    /// Records and bytes of the files before this one.
    before: (u64, u64),
}

impl Common<'_> {
    /// Opens a backend for the job's threads.
    fn open(&self, py: Python<'_>, backend: &BackendChoice) -> PyResult<Arc<Opened>> {
        let threads = self
            .options
            .threads
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        Opened::new(py, backend, threads).map(Arc::new)
    }

    /// Runs a job on a backend, and warns of what the backend announces.
    fn run_on<T: Send + 'static>(
        &self,
        py: Python<'_>,
        opened: Arc<Opened>,
        work: impl FnOnce(Job<'static>, &Evaluator) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let its = Arc::clone(&opened);
        let done = self.run(py, move |job| work(job, &its.evaluator))?;
        opened.warn(py)?;
        Ok(done)
    }

    /// Runs a job on a thread of its own. The calling thread passes progress on and looks for
    /// signals; an exception cancels the job.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Job<'static>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let input = self.input.clone();
        let part = self.part.clone();
        let options = self.options.clone();
        let told = Keeper::after(self.before);
        let keeper = told.clone();
        let job = move |cancel: &Cancel| {
            let options = Options {
                cancel: cancel.clone(),
                ..options
            };
            let job = Job::new(open(&input, part.as_ref())?, options)?.watch(move |event| {
                keeper.keep(event);
                ControlFlow::Continue(())
            });
            work(job)
        };
        attend(py, &told, self.progress.as_ref(), job)
    }

    /// Sums up a filter that was run in parts.
    fn sum_up(&self, filter: &Filter, tallies: Vec<Tally>) -> Result<Value, Error> {
        let job = Job::new(open(&self.input, self.part.as_ref())?, self.options.clone())?;
        let mut all = Blocks::filtering(job, filter, AnsweredBy::Cpu)?;
        for tally in tallies {
            all.add(tally, 0);
        }
        Ok(all.summary("", Duration::ZERO).table().json)
    }
}

/// Runs work on a thread of its own. The calling thread passes on what it tells and looks for
/// signals; an exception cancels it.
pub fn attend<T: Send + 'static>(
    py: Python<'_>,
    told: &Keeper,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Cancel) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let cancel = Cancel::default();
    let (done, is_done) = mpsc::channel();
    let started = {
        let cancel = cancel.clone();
        std::thread::Builder::new().spawn(move || {
            let _ = done.send(work(&cancel));
        })
    };
    started.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let mut receiver = is_done;
    loop {
        let result;
        (receiver, result) = py.detach(move || {
            let answer = receiver.recv_timeout(TICK);
            (receiver, answer)
        });
        let told = py.check_signals().and_then(|()| told.tell(py, progress));
        if let Err(error) = told {
            cancel.cancel();
            // It ends soon, unless it waits for its input, which nothing can end.
            let _ = py.detach(move || receiver.recv_timeout(PATIENCE));
            return Err(error);
        }
        match result {
            Ok(result) => return result.map_err(|error| errors::job(&error)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error in a worker thread"));
            }
        }
    }
}

fn open(input: &Path, part: Option<&Part>) -> Result<Input, Error> {
    match part {
        Some(part) => Input::part(input, part),
        None => Input::open(Some(input)),
    }
}

/// The error of damaged JSON, which passes from process to process.
fn not_ours(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Cuts a file into parts of at most so many bytes, for `filter`; None if it is compressed in one
/// frame.
#[pyfunction]
pub fn cut(
    py: Python<'_>,
    input: PathBuf,
    bytes: u64,
    format: &Bound<'_, PyAny>,
) -> PyResult<Option<Vec<String>>> {
    let format = Option::from_python("format", format)?;
    let parts = py
        .detach(|| Part::cut(&input, format, bytes))
        .map_err(|error| errors::job(&error))?;
    Ok(parts.map(|parts| parts.iter().map(|part| json!(part).to_string()).collect()))
}

named_arguments! {
    Mode, "\"drop\" or \"mark\"";
}

/// See the package's `filter`. Returns the summary as JSON. Without an input, it only checks the
/// settings. The summary of a part of a file has a `tally` too. With the tallies of all parts,
/// nothing is filtered, and the summary is that of the whole.
#[pyfunction]
#[pyo3(signature = (arguments, part=None, tallies=None))]
pub fn filter(
    py: Python<'_>,
    arguments: Arguments<'_>,
    part: Option<&str>,
    tallies: Option<Vec<String>>,
) -> PyResult<String> {
    let filter = settings::filter(&arguments)?;
    let input: Option<PathBuf> = arguments.take("input")?;
    let output: Option<PathBuf> = arguments.take("output")?;
    let rejects: Option<PathBuf> = arguments.take("rejects")?;
    let backend: BackendChoice = arguments.take("backend")?;
    let progress = arguments.take("progress")?;
    let options = Options {
        from: arguments.take("format")?,
        to: arguments.take("to")?,
        mode: arguments.take("mode")?,
        scale: arguments.take("scale")?,
        limit: arguments.optional_number("limit", 1..=u64::MAX)?,
        drop_castling: arguments.take("drop_castling")?,
        counts: arguments.take("counts")?,
        replace: arguments.take("overwrite")?,
        level: arguments.take("level")?,
        skip_invalid: skips(&arguments)?,
        threads: arguments.optional_number("threads", THREADS)?,
        ..Options::default()
    };
    arguments.end()?;
    let Some(input) = input else {
        return Ok(String::new());
    };
    let common = Common {
        input,
        part: part
            .map(serde_json::from_str)
            .transpose()
            .map_err(not_ours)?,
        options,
        progress,
        before: (0, 0),
    };
    if let Some(tallies) = tallies {
        let of_parts: Result<Vec<Tally>, _> = tallies
            .iter()
            .map(|text| serde_json::from_str(text))
            .collect();
        let summary = common.sum_up(&filter, of_parts.map_err(not_ours)?);
        return Ok(summary.map_err(|error| errors::job(&error))?.to_string());
    }
    let opened = common.open(py, &backend)?;
    let summary = common.run_on(py, opened, move |job, evaluator| {
        let mut job = job.write_to(output.as_deref())?;
        if let Some(rejects) = rejects {
            job = job.rejects_to(&rejects)?;
        }
        job.filter(&filter, evaluator)
    })?;
    let mut shown = summary.table().json;
    if part.is_some() {
        shown["tally"] = json!(summary.tally).to_string().into();
    }
    Ok(shown.to_string())
}

/// What `convert` does with records without a score.
enum Unscored {
    Keep,
    Drop,
    /// They get this score.
    Score(i16),
}

impl<'py> Argument<'py> for Unscored {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Unscored> {
        let is_bool = value.is_instance_of::<PyBool>();
        match (value.extract::<i16>(), value.extract::<String>().as_deref()) {
            (Ok(score), _) if !is_bool && score.unsigned_abs() < 32_002 => {
                Ok(Unscored::Score(score))
            }
            (_, Ok("keep")) => Ok(Unscored::Keep),
            (_, Ok("drop")) => Ok(Unscored::Drop),
            _ => {
                let kinds = "\"keep\", \"drop\" or a score from -32001 to 32001";
                Err(expected(name, kinds, &value.to_string()))
            }
        }
    }
}

/// See the package's `convert`. Returns the summary as JSON.
#[pyfunction]
pub fn convert(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<String> {
    let output: PathBuf = arguments.take("output")?;
    let unscored = arguments.take("unscored")?;
    let common = Common {
        input: arguments.take("input")?,
        part: None,
        options: Options {
            from: arguments.take("format")?,
            to: arguments.take("to")?,
            drop_unscored: matches!(unscored, Unscored::Drop),
            score: match unscored {
                Unscored::Score(score) => Some(score),
                Unscored::Keep | Unscored::Drop => None,
            },
            scale: arguments.take("scale")?,
            drop_castling: arguments.take("drop_castling")?,
            replace: arguments.take("overwrite")?,
            level: arguments.take("level")?,
            skip_invalid: skips(&arguments)?,
            threads: arguments.optional_number("threads", THREADS)?,
            ..Options::default()
        },
        progress: arguments.take("progress")?,
        before: (0, 0),
    };
    arguments.end()?;
    let summary = common.run(py, move |job| job.write_to(Some(&output))?.convert())?;
    Ok(summary.table().json.to_string())
}

/// See the package's `count`. Returns the counts as JSON, of one file or of several together.
#[pyfunction]
pub fn count(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<String> {
    let inputs: Paths = arguments.take("input")?;
    let rules = rules(&arguments)?;
    let backend: BackendChoice = arguments.take("backend")?;
    let mut common = Common {
        input: PathBuf::new(),
        part: None,
        options: Options {
            from: arguments.take("format")?,
            data: arguments.take("data")?,
            skip_invalid: skips(&arguments)?,
            threads: arguments.optional_number("threads", THREADS)?,
            ..Options::default()
        },
        progress: arguments.take("progress")?,
        before: (0, 0),
    };
    arguments.end()?;
    let opened = common.open(py, &backend)?;
    let started = Instant::now();
    let mut sum: Option<Summary> = None;
    for input in inputs.paths {
        common.input = input;
        let counted = common.run_on(py, Arc::clone(&opened), move |job, evaluator| {
            job.count(&rules, evaluator)
        })?;
        if !inputs.is_list {
            return Ok(counted.table().json.to_string());
        }
        let tally = &counted.tally;
        common.before.0 += tally.records;
        common.before.1 += tally.bytes_compressed.unwrap_or(tally.bytes);
        counted.add_to(&mut sum);
    }
    let Some(mut summary) = sum else {
        return Err(PyValueError::new_err("input: name at least one file"));
    };
    summary.elapsed = started.elapsed();
    Ok(summary.table().json.to_string())
}

/// See the package's `validate`. Returns what was found as JSON.
#[pyfunction]
pub fn validate(py: Python<'_>, arguments: Arguments<'_>) -> PyResult<String> {
    let common = Common {
        input: arguments.take("input")?,
        part: None,
        options: Options {
            from: arguments.take("format")?,
            threads: arguments.optional_number("threads", THREADS)?,
            ..Options::default()
        },
        progress: arguments.take("progress")?,
        before: (0, 0),
    };
    arguments.end()?;
    let validated = common.run(py, Job::validate)?;
    Ok(validated.table().json.to_string())
}

/// Names an output after an input: the same name, but in this format.
#[pyfunction]
pub fn output_name(input: PathBuf, to: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    Ok(Output::renamed(&input, Option::from_python("to", to)?))
}

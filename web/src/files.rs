//! Whole files: one instance reads blocks and adds up, others work on blocks.

use std::cell::RefCell;
use std::io::{self, Read};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use swaplist::backend::{Answers, BackendError, Cpu, Question};
use swaplist::evaluator::{DEFAULT_AUDIT, audit};
use swaplist::gpu::program::{Plan, Shape};
use swaplist::{Bounds, Choice, Position, Rules, Sides};
use swaplist_files::blocks::{AnsweredBy, Blocks};
use swaplist_files::jobs::{ErrorKind, Input, Job, Tally};

use crate::settings::JobOf;
use crate::{Answer, Failure, bytes, number, object, reuse, taken};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Copies bytes of the file; returns how many, or -1.
    safe fn read_file(at: f64, into: *mut u8, bytes: usize) -> i32;
}

/// The file that the page holds.
struct File {
    at: u64,
    length: u64,
}

impl Read for File {
    #[allow(clippy::cast_precision_loss)] // no file is that long
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        if wanted == 0 {
            return Ok(0);
        }
        let answer = read_file(self.at as f64, buffer.as_mut_ptr(), wanted);
        let read = usize::try_from(answer)
            .map_err(|_| io::Error::other("the browser cannot read the file any more"))?
            .min(wanted);
        if read == 0 {
            return Err(io::Error::other("the file got shorter while it was read"));
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// A job, and what its blocks were judged by.
struct Open {
    blocks: Blocks,
    rules: Rules,
    sides: Sides,
    on_gpu: bool,
    /// What a filter needs to know of a position; without, whole verdicts for counts.
    bounds: Option<Bounds>,
    audited: u64,
    fallback: Option<String>,
}

thread_local!(static OPEN: RefCell<Option<Open>> = RefCell::default());

fn with<T>(work: impl FnOnce(&mut Open) -> Answer<T>) -> Answer<T> {
    OPEN.with_borrow_mut(|open| match open {
        Some(open) => work(open),
        None => Err("no file is open".into()),
    })
}

/// A job that was opened.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Opened {
    from: &'static str,
    to: &'static str,
    with_threat: bool,
}

/// Opens the file, or prepares to work on its blocks.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> i32 {
    object(|asked: JobOf| {
        let input = input(&asked)?;
        let options = asked.options()?;
        let job = Job::new(input, options).map_err(|error| refused(&error))?;
        let by = if asked.on_gpu {
            AnsweredBy::Gpu
        } else {
            AnsweredBy::Cpu
        };
        let (result, rules, bounds) = if asked.counts {
            let rules = asked.rules.rules()?;
            let blocks = Blocks::counting(job, rules, by);
            (blocks, rules, None)
        } else {
            let filter = asked.filter()?;
            let blocks = Blocks::filtering(job, &filter, by);
            (blocks, *filter.see_rules(), Some(filter.bounds()))
        };
        let blocks = result.map_err(|error| refused(&error))?;
        let sides = bounds.map_or(Sides::ToMove, Bounds::sides);
        let [from, to] = blocks.formats;
        OPEN.set(Some(Open {
            blocks,
            rules,
            sides,
            on_gpu: asked.on_gpu,
            bounds: bounds.filter(|_| !asked.histograms),
            audited: 0,
            fallback: None,
        }));
        Ok(Opened {
            from: from.name(),
            to: to.name(),
            with_threat: sides == Sides::Both,
        })
    })
}

/// The first bytes tell the compression; the name, the format.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn input(asked: &JobOf) -> Answer<Input> {
    let Some(length) = asked.bytes else {
        return Ok(Input::reader(&asked.name, io::empty())?);
    };
    let file = File {
        at: 0,
        length: length as u64,
    };
    Ok(Input::named(&asked.name, file)?)
}

pub fn refused(error: &swaplist_files::jobs::Error) -> Failure {
    let field = match error.kind() {
        ErrorKind::UnknownFormat(_) => "from",
        ErrorKind::ReadOnly => "to",
        ErrorKind::Missing(_) => "preset",
        ErrorKind::Invalid {
            is_unscored: true, ..
        } => "drop_unscored",
        ErrorKind::Invalid { .. } => "skip_invalid",
        ErrorKind::Broken => "broken",
        _ => "",
    };
    let formats = match error.kind() {
        ErrorKind::UnknownFormat(formats) => formats.iter().map(|format| format.name()).collect(),
        _ => Vec::new(),
    };
    Failure(json!({ "field": field, "error": error.to_string(), "formats": formats }))
}

/// Reads the next block; returns its length, 0 at the end.
#[unsafe(no_mangle)]
pub extern "C" fn next_block() -> i32 {
    bytes(|| {
        with(|open| {
            let block = open.blocks.next_block();
            Ok(block.map_err(|error| refused(&error))?.unwrap_or_default())
        })
    })
}

/// Takes a block in the form of [`next_block`].
#[unsafe(no_mangle)]
pub extern "C" fn begin_block() -> i32 {
    number(|| {
        let block = taken();
        with(|open| {
            let begun = open.blocks.begin(block);
            reuse(begun.map_err(|error| refused(&error))?);
            open.audited = 0;
            open.fallback = None;
            Ok(0)
        })
    })
}

thread_local!(static POSITIONS: RefCell<Vec<Position>> = RefCell::default());

/// Decodes the next part; 1 if there was one. For a GPU, its positions are copied.
#[unsafe(no_mangle)]
pub extern "C" fn decode_part() -> i32 {
    number(|| {
        with(|open| {
            if !open.blocks.decode() {
                return Ok(0);
            }
            if open.on_gpu {
                let asked = positions(&mut open.blocks)?;
                POSITIONS.with_borrow_mut(|positions| asked.clone_into(positions));
            }
            Ok(1)
        })
    })
}

/// What is asked about the part.
fn positions(blocks: &mut Blocks) -> Answer<&[Position]> {
    let question = blocks.question().map_err(|error| refused(&error))?;
    Ok(match question {
        Some(Question::Verdicts { positions, .. } | Question::Bounds { positions, .. }) => {
            positions
        }
        _ => &[],
    })
}

/// The positions of the part.
#[unsafe(no_mangle)]
pub extern "C" fn part_positions() -> *const Position {
    POSITIONS.with_borrow(Vec::as_ptr)
}

/// How many there are.
#[unsafe(no_mangle)]
pub extern "C" fn part_len() -> usize {
    POSITIONS.with_borrow(Vec::len)
}

/// The CPU's verdicts on the part, as the shader writes them.
#[unsafe(no_mangle)]
pub extern "C" fn judge_part() -> i32 {
    bytes(|| {
        with(|open| {
            let cpu = Cpu::new();
            let rules = open.rules;
            let answers = POSITIONS.with_borrow(|part| cpu.ask(&verdicts(open, part), &rules));
            Ok(bytemuck::cast_slice(&answers.verdicts).to_vec())
        })
    })
}

/// What a GPU answers.
fn verdicts<'a>(open: &Open, positions: &'a [Position]) -> Question<'a> {
    Question::Verdicts {
        positions,
        sides: open.sides,
    }
}

/// Works on the part: on the CPU, or with a GPU's verdicts, of which a sample is judged again.
#[unsafe(no_mangle)]
pub extern "C" fn work_on_part(on_gpu: u32) -> i32 {
    number(|| {
        with(|open| {
            let mut gpu_answers = None;
            if on_gpu != 0 {
                let words = taken();
                match POSITIONS.with_borrow(|positions| read(open, positions, &words)) {
                    Ok((read, audited)) => {
                        open.audited += audited;
                        gpu_answers = Some(read);
                    }
                    Err(error) => {
                        open.fallback.get_or_insert(error.to_string());
                    }
                }
            }
            let answers = match gpu_answers {
                Some(answers) => answers,
                None => judged(open)?,
            };
            let finished = open.blocks.finish(&answers);
            finished.map_err(|error| refused(&error))?;
            Ok(0)
        })
    })
}

/// What the CPU answers: bounds are found faster than verdicts.
fn judged(open: &mut Open) -> Answer<Answers> {
    let rules = open.rules;
    let sides = open.sides;
    let positions = positions(&mut open.blocks)?;
    let question = match open.bounds {
        Some(bounds) => Question::Bounds { positions, bounds },
        None => Question::Verdicts { positions, sides },
    };
    Ok(Cpu::new().ask(&question, &rules))
}

/// A GPU's answers, and how many moves were audited.
fn read(open: &Open, positions: &[Position], words: &[u8]) -> Result<(Answers, u64), BackendError> {
    let question = verdicts(open, positions);
    let mut answers = Answers::default();
    let plan = Plan::new(question, &open.rules, &Shape::default());
    plan.read(0..positions.len(), words, &mut answers)?;
    let audited = audit(&question, &open.rules, &answers, DEFAULT_AUDIT)?;
    if let Some(bounds) = open.bounds {
        let exceeds = answers
            .verdicts
            .iter()
            .map(|verdict| bounds.exceeds(verdict));
        answers.exceeds = exceeds.collect();
    }
    Ok((answers, audited))
}

/// Ends the block: its output, and then the number of its bytes and its counts as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn end_block() -> i32 {
    bytes(|| {
        with(|open| {
            let (mut data, tally) = open.blocks.end().map_err(|error| refused(&error))?;
            let written = data.len() as u64;
            let done = Done {
                written,
                audited: open.audited,
                fallback: open.fallback.take(),
                tally,
            };
            let about = serde_json::to_vec(&done)?;
            data.extend(&about);
            data.extend((about.len() as u64).to_le_bytes());
            Ok(data)
        })
    })
}

/// A block that is done.
#[derive(Serialize, Deserialize)]
struct Done {
    written: u64,
    audited: u64,
    fallback: Option<String>,
    tally: Tally,
}

/// How far a job is.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Progress {
    #[cfg_attr(test, ts(type = "number"))]
    records: u64,
    #[cfg_attr(test, ts(type = "number"))]
    bytes: u64,
    /// Why the CPU took over, if it did.
    fallback: Option<String>,
}

/// Adds the counts of a block.
#[unsafe(no_mangle)]
pub extern "C" fn add_block() -> i32 {
    object(|done: Done| {
        with(|open| {
            open.audited += done.audited;
            open.fallback = open.fallback.take().or(done.fallback);
            let (records, bytes) = open.blocks.add(done.tally, done.written);
            Ok(Progress {
                records,
                bytes,
                fallback: open.fallback.clone(),
            })
        })
    })
}

#[derive(Deserialize)]
struct Ending {
    output: String,
    seconds: f64,
    workers: usize,
    backend: String,
    /// Why the CPU took over, if it did.
    fallback: Option<String>,
}

/// The summary: as JSON, as lines, and what the plots need.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ended {
    #[cfg_attr(test, ts(type = "import('./report.js').Summary"))]
    summary: Value,
    lines: Vec<(String, String)>,
    #[cfg_attr(test, ts(type = "Array<[string, number]>"))]
    reasons: Vec<(String, u64)>,
    fate: &'static str,
    results: [&'static str; 3],
    is_sound: bool,
}

/// Ends a job.
#[unsafe(no_mangle)]
pub extern "C" fn summary() -> i32 {
    object(|asked: Ending| {
        with(|open| {
            let elapsed = Duration::from_secs_f64(asked.seconds.max(0.0));
            let mut summary = open.blocks.summary(&asked.output, elapsed);
            (summary.backend, summary.threads) = (asked.backend, asked.workers);
            summary.report.audited = open.audited;
            summary.report.fallback = asked.fallback.or_else(|| open.fallback.clone());
            let table = summary.table();
            Ok(Ended {
                summary: table.json,
                lines: table.rows,
                reasons: summary.tally.reasons(),
                fate: summary.action(),
                results: summary.results(),
                is_sound: summary.is_sound(),
            })
        })
    })
}

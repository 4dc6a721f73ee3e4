//! Reads files, and keeps what is to be trained on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist::Position;
use swaplist::backend::{Cpu, Question};
use swaplist::filter::Filter;
use swaplist::formats::{Block, Codec, DecodedPart, Format, Outcome, Reader, Record, RecordFields};

use crate::errors::skip_hint;
use crate::files;

/// Bytes read at a time.
const BLOCK: usize = 1 << 18;
/// Records decoded at a time, roughly what fits in the L2 cache.
const PART: usize = 1 << 12;

/// A position to train on.
#[derive(Clone, Copy)]
pub struct Entry {
    pub planes: [u64; 4],
    /// From the side to move's view.
    pub score: i32,
    pub ply: u16,
    /// 1, 0 or -1, from the side to move's view.
    pub result: i8,
}

impl Entry {
    /// The number of pieces.
    #[inline]
    pub fn pieces(&self) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 | bit1 | bit2).count_ones()
    }
}

/// What became of the records.
#[derive(Default)]
pub struct Counts {
    records: AtomicU64,
    kept: AtomicU64,
    filtered: AtomicU64,
    unscored: AtomicU64,
    without_result: AtomicU64,
    invalid: AtomicU64,
}

impl Counts {
    /// Whether there was no record yet, neither a valid nor an invalid one.
    pub fn is_empty(&self) -> bool {
        let all = [&self.records, &self.invalid];
        all.iter().all(|count| count.load(Ordering::Relaxed) == 0)
    }

    pub fn all(&self) -> [(&'static str, &AtomicU64); 6] {
        [
            ("records", &self.records),
            ("kept", &self.kept),
            ("filtered", &self.filtered),
            ("unscored", &self.unscored),
            ("without_result", &self.without_result),
            ("invalid", &self.invalid),
        ]
    }
}

/// Files, and what to take of them.
#[derive(Clone)]
pub struct Source {
    pub paths: Vec<PathBuf>,
    pub format: Option<Format>,
    pub filter: Filter,
    /// Whether invalid records are skipped.
    pub skips: bool,
    /// By which the order of the files changes from epoch to epoch; `None` keeps it.
    pub seed: Option<u64>,
    /// Of all blocks, those whose number leaves the first when divided by the second. A file's
    /// blocks are numbered from its place among the paths, whatever the order of an epoch.
    pub shard: (u64, u64),
    pub counts: Arc<Counts>,
}

/// Decodes a source's blocks, epoch after epoch.
pub struct Decoder {
    source: Source,
    epoch: u64,
    /// Files still to be read in this epoch, the next one last; `None` before it begins.
    rest: Option<Vec<usize>>,
    open: Option<Open>,
    cpu: Cpu,
    decoded: DecodedPart,
}

/// A file being read.
struct Open {
    name: String,
    reader: Reader<'static>,
    codec: Codec,
    /// The number of its next block.
    number: u64,
    /// The block in work, and where its next part begins.
    block: Option<(Block, usize)>,
}

impl Decoder {
    pub fn new(source: Source) -> Decoder {
        Decoder {
            source,
            epoch: 0,
            rest: None,
            open: None,
            cpu: Cpu::new().on_calling_thread(),
            decoded: DecodedPart::default(),
        }
    }

    /// The next positions; `None` at the end of an epoch, after which the next one begins.
    pub fn next(&mut self) -> Option<PyResult<Vec<Entry>>> {
        loop {
            match self.decode() {
                Ok(false) => return None,
                Ok(true) => {}
                Err(error) => return Some(Err(error)),
            }
            match self.kept() {
                Ok(kept) if kept.is_empty() => {}
                kept => return Some(kept),
            }
        }
    }

    /// Decodes a part of a block of this shard; false at the end of an epoch.
    fn decode(&mut self) -> PyResult<bool> {
        let (index, shards) = self.source.shard;
        loop {
            let Some(open) = &mut self.open else {
                if !self.open_next()? {
                    return Ok(false);
                }
                continue;
            };
            if let Some((block, from)) = &mut open.block {
                let next = open
                    .codec
                    .decode_part(block, *from, PART, &mut self.decoded);
                if let Some(next) = next {
                    *from = next;
                } else if let Some((spent, _)) = open.block.take() {
                    open.reader.recycle(spent.bytes);
                }
                return Ok(true);
            }
            let block = open.reader.next_block();
            let wrong = |error| PyValueError::new_err(format!("{}, {error}", open.name));
            let Some(block) = block.map_err(wrong)? else {
                self.open = None;
                continue;
            };
            if open.number % shards == index {
                open.block = Some((block, 0));
            } else {
                open.reader.recycle(block.bytes);
            }
            open.number += 1;
        }
    }

    /// Opens the next file; false after the last of an epoch.
    fn open_next(&mut self) -> PyResult<bool> {
        let source = &self.source;
        let rest = self.rest.get_or_insert_with(|| {
            let mut files: Vec<usize> = (0..source.paths.len()).rev().collect();
            if let Some(seed) = source.seed {
                fastrand::Rng::with_seed(seed.wrapping_add(self.epoch)).shuffle(&mut files);
            }
            files
        });
        let Some(file) = rest.pop() else {
            self.rest = None;
            self.epoch += 1;
            return Ok(false);
        };
        let path = &source.paths[file];
        let (input, format) = files::open(path, source.format)?;
        let (reader, codec) = format.open(input.into_stream(), BLOCK);
        self.open = Some(Open {
            name: path.display().to_string(),
            reader,
            codec,
            number: file as u64,
            block: None,
        });
        Ok(true)
    }

    /// What is kept of the decoded part.
    fn kept(&mut self) -> PyResult<Vec<Entry>> {
        let (source, decoded) = (&self.source, &mut self.decoded);
        let name = || self.open.as_ref().map_or("", |open| &open.name);
        if let (Some(error), false) = (decoded.invalid.first(), source.skips) {
            let units = self
                .open
                .as_ref()
                .and_then(|open| open.codec.format().units());
            let message = format!("{}, {error}{}", name(), skip_hint(units));
            return Err(PyValueError::new_err(message));
        }
        let counts = &*source.counts;
        let count =
            |counter: &AtomicU64, by: usize| counter.fetch_add(by as u64, Ordering::Relaxed);
        count(&counts.records, decoded.records.len());
        count(&counts.invalid, decoded.invalid.len());
        let lacks = |record: &RecordFields| record.is_unscored() || record.outcome().is_none();
        if decoded.records.iter().any(lacks) {
            let unscored = decoded.records.iter().filter(|record| record.is_unscored());
            let unscored = unscored.count();
            let all = decoded.records.len();
            let mut records = decoded.records.iter();
            decoded
                .positions
                .retain(|_| !records.next().is_some_and(lacks));
            decoded.records.retain(|record| !lacks(record));
            count(&counts.unscored, unscored);
            count(
                &counts.without_result,
                all - decoded.records.len() - unscored,
            );
        }
        let (positions, records) = (&decoded.positions, &decoded.records);
        let ask = |positions: &[Position]| {
            let bounds = source.filter.bounds();
            let question = Question::Bounds { positions, bounds };
            self.cpu.ask(&question, source.filter.see_rules()).exceeds
        };
        let reasons = source.filter.judge_all(positions, records, ask);
        let reasons =
            reasons.map_err(|missing| PyValueError::new_err(format!("{}, {missing}", name())))?;
        let all = reasons.iter().zip(positions.iter().zip(records));
        let kept = all.filter(|(reason, _)| reason.is_none());
        let kept = kept.map(|(_, (position, record))| entry(position, record));
        let kept: Vec<Entry> = kept.collect();
        count(&counts.kept, kept.len());
        count(&counts.filtered, records.len() - kept.len());
        Ok(kept)
    }
}

fn entry(position: &Position, record: &RecordFields) -> Entry {
    let white = match record.outcome() {
        Some(Outcome::White) => 1,
        Some(Outcome::Black) => -1,
        _ => 0,
    };
    Entry {
        planes: Record::new(*position).with_legal_ep().position.planes(),
        score: record.score().unwrap_or_default(),
        ply: record
            .ply()
            .unwrap_or_default()
            .try_into()
            .unwrap_or(u16::MAX),
        result: position.turn().fold_wb(white, -white),
    }
}

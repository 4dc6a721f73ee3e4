//! Decodes the blocks of a shard, part by part and pass after pass.
//!
//! A lane is what is read side by side with others: a file, or several if there are many. The next
//! part comes from the lane that is behind, by the share of its bytes that is done, so every part
//! of a pass has all files in proportion.
//!
//! Where a part begins is known only when the one before it is decoded, so parts are decoded one
//! after the other. Blocks of text take long to decode, and have no parts: such a block is left, as
//! a whole, to whoever [selects](super::selection) records, which several threads do.

use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use swaplist_files::blocks::TextBlock;
use swaplist_files::filter::Filter;
use swaplist_files::formats::DecodedPart;
use swaplist_files::mix::Clock;
use swaplist_files::random::mixed;

use super::files::{File, Open};
use super::plan::{self, Piece};
use super::source::{BLOCKS, SKIPPING, Source, keeps_all};

/// Records decoded at a time, roughly what fits in the L2 cache.
pub const PART: usize = 1 << 12;

/// How far a reader is: it goes on from here without decoding what came before.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ReaderState {
    pub epoch: u64,
    /// How often the files were read before in this epoch.
    pass: u64,
    /// Empty at the start of a pass.
    lanes: Vec<LaneState>,
}

impl ReaderState {
    /// At the start of an epoch.
    pub fn at(epoch: u64) -> ReaderState {
        ReaderState {
            epoch,
            ..ReaderState::default()
        }
    }

    /// A number for the pass. The first pass of an epoch has the number of the epoch.
    fn number(&self) -> u64 {
        match self.pass {
            0 => self.epoch,
            pass => mixed(self.epoch).wrapping_add(mixed(pass)),
        }
    }
}

/// How far a lane is.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct LaneState {
    /// The number of the piece in work.
    piece: usize,
    /// Bytes and records of its block that are decoded.
    bytes: u64,
    records: u64,
    /// Bytes of this shard in the pieces before, and parts so far.
    done: u64,
    parts: u64,
}

/// What is read side by side with others.
struct Lane {
    pieces: Vec<Piece>,
    /// Bytes of this shard in all pieces, and roughly in a first part.
    total: u64,
    first_part: u64,
    state: LaneState,
    /// The block in work.
    open: Option<Open>,
}

impl Lane {
    fn new(pieces: Vec<Piece>, files: &[File], state: LaneState) -> Lane {
        let of_record = pieces
            .first()
            .map_or(1, |piece| files[piece.file].record_tenths_of_a_byte());
        Lane {
            total: pieces
                .iter()
                .map(|piece| {
                    let bytes = files[piece.file].bytes(piece.block);
                    piece.share.of(bytes.end - bytes.start)
                })
                .sum(),
            first_part: PART as u64 * of_record / 10,
            state,
            pieces,
            open: None,
        }
    }

    /// When the next part is due; `None` at the end. A part is due when half of it should be done.
    fn time(&self, files: &[File]) -> Option<u64> {
        let piece = self.pieces.get(self.state.piece)?;
        let block = files[piece.file].bytes(piece.block);
        let of_block = self.state.bytes.min(block.end - block.start);
        let done = self.state.done + piece.share.of(of_block);
        // The next part is taken to be as long as those before were on average.
        let part = done
            .checked_div(self.state.parts)
            .unwrap_or(self.first_part);
        // In halves of bytes, so that the middle of a part is a whole number.
        let clock = Clock::Share {
            length: 2 * self.total,
        };
        Some(clock.time(2 * done + part.min(self.total.saturating_sub(done)), 0))
    }

    /// Goes on to the next piece.
    fn end_piece(&mut self, files: &[File]) {
        let Some(piece) = self.pieces.get(self.state.piece) else {
            return;
        };
        let bytes = files[piece.file].bytes(piece.block);
        self.state = LaneState {
            piece: self.state.piece + 1,
            bytes: 0,
            records: 0,
            done: self.state.done + piece.share.of(bytes.end - bytes.start),
            ..self.state
        };
    }
}

/// Decodes a source's blocks, part by part. After an error it gives nothing more.
pub struct Reader {
    source: Source,
    /// At the start of the pass in work.
    start: ReaderState,
    /// The pass in work; `None` before it begins.
    begun: Option<Pass>,
    after_pass: AfterPass,
    is_over: bool,
    /// The memory of blocks.
    spare: Vec<Vec<u8>>,
    spare_parts: SpareParts,
}

/// The memory of parts, which comes back to the reader when their records are selected.
pub type SpareParts = Arc<Mutex<Vec<DecodedPart>>>;

/// What a reader does at the end of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPass {
    /// It ends.
    Stop,
    /// It begins the next epoch.
    NextEpoch,
    /// It reads the files once more, in the same epoch.
    ReadAgain,
}

/// What a reader gives.
pub struct Unit {
    /// `None` at the end of a pass.
    pub content: Option<Content>,
    pub rules: Arc<PassRules>,
    /// How far the reader is after it.
    pub state: ReaderState,
}

/// Records of a block, before it is decided which of them are kept.
pub struct Content {
    /// The piece that they are of.
    pub piece: Piece,
    /// The number of the first one in its block.
    pub first: u64,
    pub records: Records,
}

/// Records of a block.
#[allow(clippy::large_enum_variant)] // one per thread
pub enum Records {
    /// A part of them.
    Decoded(DecodedPart),
    /// All of them, or those that are left, of a block of text.
    Text(TextBlock),
}

/// What is fixed within a pass.
struct Pass {
    lanes: Vec<Lane>,
    rules: Arc<PassRules>,
}

/// What decides in a pass which records are kept.
pub struct PassRules {
    pub filter: Filter,
    /// Whether there is no rule and no skipping: each record with a score and a result is kept.
    pub keeps_all: bool,
    pub skipping_seed: u64,
}

impl Reader {
    /// A reader that goes on from a state.
    pub fn new(source: Source, state: ReaderState, after_pass: AfterPass) -> Reader {
        Reader {
            source,
            start: state,
            begun: None,
            after_pass,
            is_over: false,
            spare: Vec::new(),
            spare_parts: SpareParts::default(),
        }
    }

    /// Where the memory of parts is to come back.
    pub fn spare_parts(&self) -> SpareParts {
        Arc::clone(&self.spare_parts)
    }

    fn unit(&mut self) -> PyResult<Unit> {
        let mut pass = match self.begun.take() {
            Some(pass) => pass,
            None => self.begin()?,
        };
        let rules = Arc::clone(&pass.rules);
        let content = self.content(&mut pass)?;
        let state = if content.is_some() {
            let lanes = pass.lanes.iter().map(|lane| lane.state).collect();
            self.begun = Some(pass);
            ReaderState {
                lanes,
                ..self.start
            }
        } else {
            self.start = match self.after_pass {
                AfterPass::ReadAgain => ReaderState {
                    epoch: self.start.epoch,
                    pass: self.start.pass + 1,
                    lanes: Vec::new(),
                },
                AfterPass::NextEpoch | AfterPass::Stop => ReaderState::at(self.start.epoch + 1),
            };
            self.start.clone()
        };
        Ok(Unit {
            content,
            rules,
            state,
        })
    }

    fn begin(&mut self) -> PyResult<Pass> {
        let source = &self.source;
        let resumed = std::mem::take(&mut self.start.lanes);
        let number = self.start.number();
        // Each file that is read by itself has an order of its own.
        let seed = source.seed_of(number, BLOCKS) ^ source.numbers.start as u64;
        let mut random = fastrand::Rng::with_seed(seed);
        let order = source.shuffles.then_some(&mut random);
        let plans = plan::lanes(&source.files, source.numbers.clone(), source.shard, order);
        if !resumed.is_empty() && resumed.len() != plans.len() {
            let why = "the state does not suit these files";
            return Err(PyValueError::new_err(why));
        }
        let filter = source.filter_of(number)?;
        let rules = PassRules {
            keeps_all: keeps_all(&filter, source.skipping.as_deref()),
            filter,
            skipping_seed: source.seed_of(number, SKIPPING),
        };
        Ok(Pass {
            lanes: plans
                .into_iter()
                .enumerate()
                .map(|(number, pieces)| {
                    let state = resumed.get(number).copied().unwrap_or_default();
                    Lane::new(pieces, &source.files, state)
                })
                .collect(),
            rules: Arc::new(rules),
        })
    }

    /// The next records of the pass; `None` at its end.
    fn content(&mut self, pass: &mut Pass) -> PyResult<Option<Content>> {
        let files = &self.source.files;
        loop {
            let due = pass
                .lanes
                .iter_mut()
                .filter_map(|lane| Some((lane.time(files)?, lane)))
                .min_by_key(|(time, _)| *time);
            let Some((_, lane)) = due else {
                return Ok(None);
            };
            let piece = lane.pieces[lane.state.piece];
            let file = &files[piece.file];
            let bytes = file.bytes(piece.block);
            let open = match &mut lane.open {
                Some(open) => open,
                none => none.insert(file.open(piece.block, &mut self.spare)?),
            };
            let is_found = open
                .seek(bytes.start + lane.state.bytes..bytes.end)
                .map_err(|error| PyValueError::new_err(format!("{}, {error}", file.name())))?;
            if is_found {
                let first = lane.state.records;
                lane.state.parts += 1;
                let records = if let Some((text, end)) = open.take_text() {
                    lane.state.bytes = end - bytes.start;
                    Records::Text(text)
                } else {
                    let mut part = self.spare_parts.lock().pop().unwrap_or_default();
                    lane.state.bytes = open.decode(PART, &mut part) - bytes.start;
                    lane.state.records += part.records.len() as u64;
                    Records::Decoded(part)
                };
                return Ok(Some(Content {
                    piece,
                    first,
                    records,
                }));
            }
            lane.end_piece(files);
            // A compressed file goes on with its next block.
            let goes_on = lane.pieces.get(lane.state.piece).is_some_and(|next| {
                file.is_compressed() && next.file == piece.file && next.block > piece.block
            });
            if !goes_on && let Some(open) = lane.open.take() {
                self.spare.extend(open.into_spare());
            }
        }
    }
}

impl Iterator for Reader {
    type Item = PyResult<Unit>;

    fn next(&mut self) -> Option<PyResult<Unit>> {
        if self.is_over {
            return None;
        }
        let unit = self.unit();
        self.is_over = match &unit {
            Ok(unit) => unit.content.is_none() && self.after_pass == AfterPass::Stop,
            Err(_) => true,
        };
        Some(unit)
    }
}

//! Decodes the blocks of a shard, epoch after epoch, and keeps what is to be trained on.
//!
//! A lane is what is read side by side with others: a file, or several if there are many. The next
//! part comes from the lane that is behind, by the share of its bytes that is done or by its
//! weight, so every part of an epoch has all files in proportion.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use swaplist::backend::{Cpu, Question};
use swaplist::filter::{DecidedZeros, Filter, Settings};
use swaplist::formats::{DecodedPart, Outcome, Record, RecordFields};
use swaplist::{PackedMove, Position};

use super::files::{File, Open};
use super::plan::{self, Piece};
use super::random::{draw, mixed};
use super::skipping::{Curve, CurveState, Purpose, Skipping};
use crate::errors::skip_hint;

/// Records decoded at a time, roughly what fits in the L2 cache.
const PART: usize = 1 << 12;

/// A position to train on.
#[derive(Clone, Copy)]
pub struct Entry {
    pub planes: [u64; 4],
    /// From the side to move's view.
    pub score: i32,
    /// The bits of the played move, or [`Entry::NO_MOVE`].
    pub played: u16,
    /// The ply, and the result plus 1 in the two highest bits.
    ply_and_result: u16,
}

const _: () = assert!(size_of::<Entry>() == 40);

impl Entry {
    pub const NO_MOVE: u16 = u16::MAX;
    const HIGHEST_PLY: u16 = (1 << 14) - 1;

    #[inline]
    fn new(position: &Position, record: &RecordFields) -> Entry {
        // Hardly any position has an en-passant target: the others are copied as they are.
        let position = match position.ep_square() {
            None => *position,
            Some(_) => with_legal_ep(position),
        };
        let white = match record.outcome() {
            Some(Outcome::White) => 2_u8,
            Some(Outcome::Black) => 0,
            _ => 1,
        };
        let result = position.turn().fold_wb(white, 2 - white);
        let ply = u16::try_from(record.ply().unwrap_or_default()).unwrap_or(u16::MAX);
        Entry {
            planes: position.planes(),
            score: record.score().unwrap_or_default(),
            played: record.played().map_or(Entry::NO_MOVE, PackedMove::to_bits),
            ply_and_result: ply.min(Entry::HIGHEST_PLY) | u16::from(result) << 14,
        }
    }

    /// Half-moves since the start of the game.
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply_and_result & Entry::HIGHEST_PLY
    }

    /// 1, 0 or -1, from the side to move's view.
    #[inline]
    pub fn result(&self) -> i8 {
        [-1, 0, 1, 0][usize::from(self.ply_and_result >> 14)]
    }

    /// The number of pieces.
    #[inline]
    pub fn pieces(&self) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 | bit1 | bit2).count_ones()
    }

    /// Whether Black moves.
    #[inline]
    pub fn is_black(&self) -> bool {
        let [bit0, bit1, bit2, black] = self.planes;
        bit0 & bit1 & bit2 & black != 0
    }
}

/// The position without its en-passant target if no pawn can legally take there. Apart from
/// [`Entry::new`], which is then small enough to be inlined.
#[cold]
fn with_legal_ep(position: &Position) -> Position {
    Record::new(*position).with_legal_ep().position
}

/// What became of the records.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Counts {
    records: u64,
    kept: u64,
    filtered: u64,
    unscored: u64,
    without_result: u64,
    skipped: u64,
    invalid: u64,
}

impl Counts {
    /// Whether there was no record yet, neither a valid nor an invalid one.
    pub const fn is_empty(&self) -> bool {
        self.records == 0 && self.invalid == 0
    }

    pub const fn all(&self) -> [(&'static str, u64); 7] {
        [
            ("records", self.records),
            ("kept", self.kept),
            ("filtered", self.filtered),
            ("unscored", self.unscored),
            ("without_result", self.without_result),
            ("skipped", self.skipped),
            ("invalid", self.invalid),
        ]
    }

    pub fn add(&mut self, more: &Counts) {
        self.records += more.records;
        self.kept += more.kept;
        self.filtered += more.filtered;
        self.unscored += more.unscored;
        self.without_result += more.without_result;
        self.skipped += more.skipped;
        self.invalid += more.invalid;
    }
}

/// Files, and what to take of them.
#[derive(Clone)]
pub struct Source {
    pub files: Arc<[File]>,
    pub weights: Option<Arc<[f64]>>,
    pub filter: Filter,
    /// Of the filter's random rules.
    pub filter_seed: u64,
    pub skipping: Option<Arc<Skipping>>,
    /// Whether invalid records are skipped.
    pub skips: bool,
    /// Of all that is drawn.
    pub seed: u64,
    /// Whether the order of blocks is drawn in each epoch; else it is that of the files.
    pub shuffles: bool,
    /// The number of this part of the files, and that of all.
    pub shard: (u64, u64),
}

impl Source {
    /// The seed of an epoch, for one purpose.
    pub fn seed_of(&self, epoch: u64, purpose: u64) -> u64 {
        mixed(mixed(self.seed ^ purpose << 56).wrapping_add(epoch))
    }

    /// The filter of an epoch: its random rules draw anew in each. In the first one they draw as
    /// `filter` does.
    fn filter_of(&self, epoch: u64) -> PyResult<Filter> {
        if epoch == 0 {
            return Ok(self.filter.clone());
        }
        let changes = Settings {
            seed: Some(mixed(self.filter_seed).wrapping_add(mixed(epoch))),
            ..Settings::default()
        };
        let filter = self.filter.changed(&changes);
        filter.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Whether each epoch keeps other positions.
    pub fn is_random(&self) -> bool {
        let changed = self.filter_of(1);
        self.skipping.as_ref().is_some_and(|skip| skip.is_random())
            || changed.is_ok_and(|changed| changed != self.filter)
    }
}

/// Purposes of seeds.
pub const BLOCKS: u64 = 1;
pub const WINDOW: u64 = 2;
const SKIPPING: u64 = 3;

/// Positions of a part of a block, and what became of its records.
pub struct Part {
    /// `None` at the end of an epoch.
    pub entries: Option<Vec<Entry>>,
    pub counts: Counts,
    /// How far the decoder is after it.
    pub state: DecoderState,
}

/// How far a decoder is: it goes on from here without decoding what came before.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct DecoderState {
    pub epoch: u64,
    /// Empty at the start of an epoch.
    lanes: Vec<LaneState>,
    curve: Option<CurveState>,
}

impl DecoderState {
    /// At the start of an epoch.
    pub fn at(epoch: u64) -> DecoderState {
        DecoderState {
            epoch,
            ..DecoderState::default()
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
    /// Bytes of this shard in the pieces before, parts so far, and positions kept so far.
    done: u64,
    parts: u64,
    kept: u64,
}

/// What is read side by side with others.
struct Lane {
    pieces: Vec<Piece>,
    weight: Option<f64>,
    /// Bytes of this shard in all pieces, and roughly in a first part.
    total: u64,
    first_part: u64,
    state: LaneState,
    /// The block in work.
    open: Option<Open>,
}

impl Lane {
    /// When the next part is due, from 0 at the start of the epoch; `None` at the end. A part is
    /// due when half of it should be done.
    #[allow(clippy::cast_precision_loss)] // the same rounding everywhere
    fn time(&self, files: &[File]) -> Option<f64> {
        let piece = self.pieces.get(self.state.piece)?;
        if let Some(weight) = self.weight {
            return Some((self.state.kept as f64 + PART as f64 / 2.0) / weight);
        }
        let block = files[piece.file].bytes(piece.block);
        let of_block = self.state.bytes.min(block.end - block.start);
        let done = self.state.done + piece.share.of(of_block);
        let part = done
            .checked_div(self.state.parts)
            .unwrap_or(self.first_part);
        let half = part.min(self.total.saturating_sub(done)) as f64 / 2.0;
        Some((done as f64 + half) / self.total.max(1) as f64)
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

/// Decodes a source's blocks.
pub struct Decoder {
    source: Source,
    epoch: u64,
    /// Of this epoch; `None` before it begins.
    begun: Option<Epoch>,
    /// How far it was when it was made, if not at the start of an epoch.
    resumed: Option<DecoderState>,
    cpu: Cpu,
    decoded: DecodedPart,
    /// The numbers of its records in their block, if something is drawn for them.
    numbers: Vec<u64>,
    spare: Vec<Vec<u8>>,
}

/// What is fixed within an epoch.
struct Epoch {
    lanes: Vec<Lane>,
    filter: Filter,
    /// Whether there is no rule and no skipping: each record with a score and a result is kept.
    keeps_all: bool,
    curve: Option<Curve>,
    skipping_seed: u64,
}

impl Decoder {
    /// A decoder that goes on from a state.
    pub fn new(source: Source, state: DecoderState) -> Decoder {
        Decoder {
            source,
            epoch: state.epoch,
            begun: None,
            resumed: Some(state),
            cpu: Cpu::new().on_calling_thread(),
            decoded: DecodedPart::default(),
            numbers: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The next part. After the end of an epoch the next one begins.
    pub fn next(&mut self) -> PyResult<Part> {
        if self.begun.is_none() {
            self.begun = Some(self.begin()?);
        }
        let mut counts = Counts::default();
        let entries = match self.decode()? {
            None => {
                self.begun = None;
                self.epoch += 1;
                None
            }
            Some((lane, piece, first)) => {
                let kept = self.kept(piece, first, &mut counts)?;
                if let Some(epoch) = &mut self.begun {
                    epoch.lanes[lane].state.kept += kept.len() as u64;
                }
                Some(kept)
            }
        };
        Ok(Part {
            entries,
            counts,
            state: self.state(),
        })
    }

    fn state(&self) -> DecoderState {
        let Some(epoch) = &self.begun else {
            return DecoderState::at(self.epoch);
        };
        DecoderState {
            epoch: self.epoch,
            lanes: epoch.lanes.iter().map(|lane| lane.state).collect(),
            curve: epoch.curve.as_ref().map(Curve::state),
        }
    }

    fn begin(&mut self) -> PyResult<Epoch> {
        let source = &self.source;
        let resumed = self.resumed.take().unwrap_or_default();
        let mut random = fastrand::Rng::with_seed(source.seed_of(self.epoch, BLOCKS));
        let order = source.shuffles.then_some(&mut random);
        let weights = source.weights.as_deref();
        let plans = plan::lanes(&source.files, source.shard, weights, order);
        if !resumed.lanes.is_empty() && resumed.lanes.len() != plans.len() {
            let why = "the state does not suit these files";
            return Err(PyValueError::new_err(why));
        }
        let lane = |(number, plan): (usize, plan::LanePlan)| {
            let bytes = |piece: &Piece| {
                let bytes = source.files[piece.file].bytes(piece.block);
                piece.share.of(bytes.end - bytes.start)
            };
            let of_record = plan.pieces.first().map_or(1, |piece| {
                source.files[piece.file].record_tenths_of_a_byte()
            });
            Lane {
                weight: plan.weight,
                total: plan.pieces.iter().map(bytes).sum(),
                first_part: PART as u64 * of_record / 10,
                state: resumed.lanes.get(number).copied().unwrap_or_default(),
                pieces: plan.pieces,
                open: None,
            }
        };
        let curve = source.skipping.as_ref().and_then(|skip| skip.curve());
        let filter = source.filter_of(self.epoch)?;
        Ok(Epoch {
            lanes: plans.into_iter().enumerate().map(lane).collect(),
            keeps_all: keeps_all(&filter, source.skipping.as_deref()),
            filter,
            curve: curve.map(|curve| curve.at(resumed.curve.as_ref())),
            skipping_seed: source.seed_of(self.epoch, SKIPPING),
        })
    }

    /// Decodes a part; the numbers of its lane and of its first record in its block, and the piece
    /// it is of. `None` at the end of an epoch.
    fn decode(&mut self) -> PyResult<Option<(usize, Piece, u64)>> {
        let files = &self.source.files;
        let begun = &mut self.begun;
        let Some(epoch) = begun else {
            return Ok(None);
        };
        loop {
            let lanes = epoch.lanes.iter().enumerate();
            let due = lanes
                .filter_map(|(number, lane)| Some((lane.time(files)?, number)))
                .min_by(|(time, _), (other, _)| time.total_cmp(other));
            let Some((_, number)) = due else {
                return Ok(None);
            };
            let lane = &mut epoch.lanes[number];
            let piece = lane.pieces[lane.state.piece];
            let file = &files[piece.file];
            let bytes = file.bytes(piece.block);
            let wanted = bytes.start + lane.state.bytes..bytes.end;
            let open = match &mut lane.open {
                Some(open) => open,
                none => none.insert(file.open(piece.block, &mut self.spare)?),
            };
            let found = open.seek(wanted);
            let wrong = |error| PyValueError::new_err(format!("{}, {error}", file.name()));
            if found.map_err(wrong)? {
                let first = lane.state.records;
                lane.state.bytes = open.decode(PART, &mut self.decoded) - bytes.start;
                lane.state.records += self.decoded.records.len() as u64;
                lane.state.parts += 1;
                return Ok(Some((number, piece, first)));
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

    /// What is kept of the decoded part, whose first record has this number in its block.
    fn kept(&mut self, piece: Piece, first: u64, counts: &mut Counts) -> PyResult<Vec<Entry>> {
        let source = &self.source;
        let decoded = &mut self.decoded;
        let numbers = &mut self.numbers;
        let file = &source.files[piece.file];
        let Some(epoch) = &mut self.begun else {
            return Ok(Vec::new());
        };
        let wrong = |error: &dyn std::fmt::Display, hint: &str| {
            PyValueError::new_err(format!("{}, {error}{hint}", file.name()))
        };
        if let (Some(error), false) = (decoded.invalid.first(), source.skips) {
            return Err(wrong(error, &skip_hint(file.units())));
        }
        if piece.share.is_first() {
            counts.invalid += decoded.invalid.len() as u64;
        }
        if epoch.keeps_all && piece.share == plan::Share::WHOLE {
            return Ok(all_to_train_on(decoded, counts));
        }
        numbers.clear();
        if source.skipping.is_some() {
            numbers.extend(first..first + decoded.records.len() as u64);
        }
        // Before any record goes, as whether a zero is one of these depends on those before it.
        let zeros = match &source.skipping {
            Some(skipping) if skipping.is_on() => decided_zeros(&decoded.records),
            _ => Vec::new(),
        };
        if piece.share != plan::Share::WHOLE || !zeros.is_empty() {
            let in_share: Vec<bool> = (first..)
                .take(decoded.records.len())
                .map(|record| piece.has(record))
                .collect();
            let mut is_left = in_share.clone();
            for zero in zeros {
                is_left[zero] = false;
            }
            let of_share = in_share.iter().filter(|in_share| **in_share).count();
            retain(decoded, numbers, &is_left);
            let skipped = (of_share - decoded.records.len()) as u64;
            counts.records += skipped;
            counts.skipped += skipped;
        }
        counts.records += decoded.records.len() as u64;
        leave_out_unusable(decoded, numbers, counts);
        let draws = |number: u64, purpose: Purpose| {
            let block = (piece.file as u64) << 40 | piece.block as u64;
            draw(epoch.skipping_seed, block, number, purpose as u64)
        };
        if let Some(skipping) = &source.skipping {
            let is_left = left_by_skipping(skipping, decoded, numbers, draws, file)
                .map_err(|reason| wrong(&reason, ""))?;
            counts.skipped += retain(decoded, numbers, &is_left);
        }
        let ask = |positions: &[Position]| {
            let bounds = epoch.filter.bounds();
            let question = Question::Bounds { positions, bounds };
            self.cpu.ask(&question, epoch.filter.see_rules()).exceeds
        };
        let reasons = epoch
            .filter
            .judge_all(&decoded.positions, &decoded.records, ask)
            .map_err(|missing| {
                let place = file.place(missing.place);
                wrong(&format!("{place}: {}", missing.message), "")
            })?;
        let all = decoded.positions.iter().zip(&decoded.records);
        let passed = reasons.iter().filter(|reason| reason.is_none()).count();
        counts.filtered += (reasons.len() - passed) as u64;
        let mut kept: Vec<Entry> = Vec::with_capacity(passed);
        if let Some(curve) = &mut epoch.curve {
            for ((reason, (position, record)), &number) in reasons.iter().zip(all).zip(&*numbers) {
                let pieces = position.occupied().count();
                // The curve counts what it is asked about, so it is asked about no others.
                if reason.is_none() && curve.takes(pieces, draws(number, Purpose::Pieces)) {
                    kept.push(Entry::new(position, record));
                }
            }
            counts.skipped += (passed - kept.len()) as u64;
        } else {
            let judged = reasons.iter().zip(all);
            let left = judged.filter(|(reason, _)| reason.is_none());
            kept.extend(left.map(|(_, (position, record))| Entry::new(position, record)));
        }
        counts.kept += kept.len() as u64;
        Ok(kept)
    }
}

/// Whether nothing leaves out a position that can be trained on: neither a rule nor skipping.
pub fn keeps_all(filter: &Filter, skipping: Option<&Skipping>) -> bool {
    filter.clauses().next().is_none() && !filter.is_inverted() && skipping.is_none()
}

/// All records that have a score and a result: in one pass, as there is nothing else to decide.
fn all_to_train_on(decoded: &DecodedPart, counts: &mut Counts) -> Vec<Entry> {
    let mut kept = Vec::with_capacity(decoded.records.len());
    for (position, record) in decoded.positions.iter().zip(&decoded.records) {
        if record.is_unscored() {
            counts.unscored += 1;
        } else if record.outcome().is_none() {
            counts.without_result += 1;
        } else {
            kept.push(Entry::new(position, record));
        }
    }
    counts.records += decoded.records.len() as u64;
    counts.kept += kept.len() as u64;
    kept
}

/// The numbers of the records whose score is a zero in a decided game.
fn decided_zeros(records: &[RecordFields]) -> Vec<usize> {
    let mut zeros = DecidedZeros::default();
    let numbered = records.iter().enumerate();
    let is_zero = numbered.filter(|(_, record)| zeros.has_next(record));
    is_zero.map(|(number, _)| number).collect()
}

/// Whether a record has no score or no result, so that nothing can be trained on it.
fn is_unusable(record: &RecordFields) -> bool {
    record.is_unscored() || record.outcome().is_none()
}

/// Leaves out and counts the records that nothing can be trained on.
fn leave_out_unusable(decoded: &mut DecodedPart, numbers: &mut Vec<u64>, counts: &mut Counts) {
    let records = &decoded.records;
    if !records.iter().any(is_unusable) {
        return;
    }
    let unscored = records.iter().filter(|record| record.is_unscored()).count() as u64;
    let is_left: Vec<bool> = records.iter().map(|record| !is_unusable(record)).collect();
    let gone = retain(decoded, numbers, &is_left);
    counts.unscored += unscored;
    counts.without_result += gone - unscored;
}

/// Whether skipping leaves each record. Fails, with the reason, if a record lacks what the options
/// ask for.
fn left_by_skipping(
    skipping: &Skipping,
    decoded: &DecodedPart,
    numbers: &[u64],
    draws: impl Fn(u64, Purpose) -> f64,
    file: &File,
) -> Result<Vec<bool>, String> {
    let all = decoded.positions.iter().zip(&decoded.records).zip(numbers);
    all.map(|((position, record), &number)| {
        let skips = skipping.skips(position, record, |purpose| draws(number, purpose));
        let lacks = |needs| format!("{needs}, which {} lacks", file.place(record.place()));
        skips.map(|skips| !skips).map_err(lacks)
    })
    .collect()
}

/// Leaves some records; the number of those that are gone.
fn retain(decoded: &mut DecodedPart, numbers: &mut Vec<u64>, is_left: &[bool]) -> u64 {
    fn some<T>(list: &mut Vec<T>, is_left: &[bool]) {
        let mut of_records = is_left.iter();
        list.retain(|_| of_records.next() == Some(&true));
    }
    some(&mut decoded.positions, is_left);
    some(&mut decoded.records, is_left);
    some(numbers, is_left);
    (is_left.len() - decoded.records.len()) as u64
}

//! Decodes the blocks of a shard, pass after pass, and keeps what is to be trained on.
//!
//! This takes two steps, so that several threads can take part. A [`Reader`] decodes one part after
//! the other: where a part begins is known only when the one before it is decoded. A [`Judge`]
//! decides which records of a part are kept, which takes longer, and needs no other part. Blocks of
//! text take long to decode, and have no parts: for threads, the judge decodes them, too.
//!
//! A lane is what is read side by side with others: a file, or several if there are many. The next
//! part comes from the lane that is behind, by the share of its bytes that is done, so every part
//! of a pass has all files in proportion.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use swaplist::backend::{Cpu, Question};
use swaplist::{PackedMove, Position};
use swaplist_files::filter::{DecidedZeros, Filter, Settings};
use swaplist_files::formats::{DecodedPart, Outcome, Record, RecordFields};

use super::files::{File, Open, RawBlock};
use super::plan::{self, Piece};
use super::random::{draw, mixed};
use super::skipping::{Purpose, Skipping};
use crate::errors::skip_hint;

/// Records decoded at a time, roughly what fits in the L2 cache.
pub const PART: usize = 1 << 12;

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

    /// Counts positions as skipped that were kept before.
    pub fn skip(&mut self, positions: u64) {
        self.kept -= positions;
        self.skipped += positions;
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
    /// The numbers of the files that are read.
    pub numbers: Range<usize>,
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
    /// The seed of an epoch, or of a later pass of it by its number, for one purpose.
    pub fn seed_of(&self, pass: u64, purpose: u64) -> u64 {
        mixed(mixed(self.seed ^ purpose << 56).wrapping_add(pass))
    }

    /// The filter of a pass: its random rules draw anew in each. In the first one they draw as
    /// `filter` does.
    fn filter_of(&self, pass: u64) -> PyResult<Filter> {
        if pass == 0 {
            return Ok(self.filter.clone());
        }
        let changes = Settings {
            seed: Some(mixed(self.filter_seed).wrapping_add(mixed(pass))),
            ..Settings::default()
        };
        let filter = self.filter.changed(&changes);
        filter.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Whether there is a wanted frequency of numbers of pieces.
    fn has_curve(&self) -> bool {
        self.skipping
            .as_ref()
            .is_some_and(|skip| skip.curve().is_some())
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
    /// `None` at the end of a pass.
    pub entries: Option<Vec<Entry>>,
    /// Of each position a number from 0 to 1, by which the curve of pieces takes it or not; empty
    /// without a curve.
    pub draws: Vec<f64>,
    pub counts: Counts,
    /// How far the reader is after it.
    pub state: ReaderState,
}

impl Part {
    /// Adds positions that are kept.
    fn add(&mut self, mut kept: Vec<Entry>) {
        match &mut self.entries {
            Some(entries) if !entries.is_empty() => entries.append(&mut kept),
            entries => *entries = Some(kept),
        }
    }
}

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
    /// When the next part is due, from 0 at the start of the pass; `None` at the end. A part is
    /// due when half of it should be done.
    #[allow(clippy::cast_precision_loss)] // the same rounding everywhere
    fn time(&self, files: &[File]) -> Option<f64> {
        let piece = self.pieces.get(self.state.piece)?;
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

/// Decodes a source's blocks, part by part.
pub struct Reader {
    source: Source,
    /// At the start of the pass in work.
    start: ReaderState,
    /// The pass in work; `None` before it begins.
    begun: Option<Pass>,
    after_pass: AfterPass,
    /// Whether blocks of text are left to the judge.
    leaves_text: bool,
    is_over: bool,
    spare: Vec<Vec<u8>>,
}

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

/// A decoded part, before it is decided which of its records are kept.
pub struct Unit {
    /// The piece that it is of, and the number of its first record in its block; `None` at the end
    /// of a pass.
    place: Option<(Piece, u64)>,
    /// The block, if it is left to the judge to decode it.
    raw: Option<RawBlock>,
    rules: Arc<PassRules>,
    /// How far the reader is after it.
    state: ReaderState,
}

/// What is fixed within a pass.
struct Pass {
    lanes: Vec<Lane>,
    rules: Arc<PassRules>,
}

/// What decides in a pass which records are kept.
struct PassRules {
    filter: Filter,
    /// Whether there is no rule and no skipping: each record with a score and a result is kept.
    keeps_all: bool,
    skipping_seed: u64,
}

impl Reader {
    /// A reader that goes on from a state.
    pub fn new(source: Source, state: ReaderState, after_pass: AfterPass) -> Reader {
        Reader {
            source,
            start: state,
            begun: None,
            after_pass,
            leaves_text: false,
            is_over: false,
            spare: Vec::new(),
        }
    }

    /// Leaves blocks of text to the judge.
    pub fn leaving_text(mut self) -> Reader {
        self.leaves_text = true;
        self
    }

    /// Decodes the next part; `None` after the last one, or after an error.
    pub fn next(&mut self, decoded: &mut DecodedPart) -> PyResult<Option<Unit>> {
        if self.is_over {
            return Ok(None);
        }
        let unit = self.unit(decoded);
        self.is_over = match &unit {
            Ok(unit) => unit.place.is_none() && self.after_pass == AfterPass::Stop,
            Err(_) => true,
        };
        unit.map(Some)
    }

    fn unit(&mut self, decoded: &mut DecodedPart) -> PyResult<Unit> {
        let mut pass = match self.begun.take() {
            Some(pass) => pass,
            None => self.begin()?,
        };
        let rules = Arc::clone(&pass.rules);
        let mut raw = None;
        let place = self.decode(&mut pass, decoded, &mut raw)?;
        let ReaderState {
            epoch,
            pass: number,
            ..
        } = self.start;
        let state = if place.is_some() {
            let lanes = pass.lanes.iter().map(|lane| lane.state).collect();
            self.begun = Some(pass);
            ReaderState {
                epoch,
                pass: number,
                lanes,
            }
        } else {
            self.start = match self.after_pass {
                AfterPass::ReadAgain => ReaderState {
                    epoch,
                    pass: number + 1,
                    lanes: Vec::new(),
                },
                AfterPass::NextEpoch | AfterPass::Stop => ReaderState::at(epoch + 1),
            };
            self.start.clone()
        };
        Ok(Unit {
            place,
            raw,
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
        let lane = |(number, pieces): (usize, Vec<Piece>)| {
            let bytes = |piece: &Piece| {
                let bytes = source.files[piece.file].bytes(piece.block);
                piece.share.of(bytes.end - bytes.start)
            };
            let of_record = pieces.first().map_or(1, |piece| {
                source.files[piece.file].record_tenths_of_a_byte()
            });
            Lane {
                total: pieces.iter().map(bytes).sum(),
                first_part: PART as u64 * of_record / 10,
                state: resumed.get(number).copied().unwrap_or_default(),
                pieces,
                open: None,
            }
        };
        let filter = source.filter_of(number)?;
        let rules = PassRules {
            keeps_all: keeps_all(&filter, source.skipping.as_deref()),
            filter,
            skipping_seed: source.seed_of(number, SKIPPING),
        };
        Ok(Pass {
            lanes: plans.into_iter().enumerate().map(lane).collect(),
            rules: Arc::new(rules),
        })
    }

    /// Decodes a part, or takes a block that is left to the judge; the piece that it is of, and the
    /// number of its first record in its block. `None` at the end of a pass.
    fn decode(
        &mut self,
        pass: &mut Pass,
        decoded: &mut DecodedPart,
        raw: &mut Option<RawBlock>,
    ) -> PyResult<Option<(Piece, u64)>> {
        let files = &self.source.files;
        loop {
            let lanes = pass.lanes.iter().enumerate();
            let due = lanes
                .filter_map(|(number, lane)| Some((lane.time(files)?, number)))
                .min_by(|(time, _), (other, _)| time.total_cmp(other));
            let Some((_, number)) = due else {
                return Ok(None);
            };
            let lane = &mut pass.lanes[number];
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
                lane.state.parts += 1;
                let is_left = self.leaves_text && file.text_codec().is_some();
                if let Some((block, end)) = is_left.then(|| open.take()).flatten() {
                    lane.state.bytes = end - bytes.start;
                    *raw = Some(block);
                    return Ok(Some((piece, first)));
                }
                lane.state.bytes = open.decode(PART, decoded) - bytes.start;
                lane.state.records += decoded.records.len() as u64;
                return Ok(Some((piece, first)));
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

/// Decides which records of decoded parts are kept.
pub struct Judge {
    source: Source,
    cpu: Cpu,
    /// The numbers of a part's records in their block, if something is drawn for them.
    numbers: Vec<u64>,
}

impl Judge {
    pub fn new(source: Source) -> Judge {
        Judge {
            source,
            cpu: Cpu::new().on_calling_thread(),
            numbers: Vec::new(),
        }
    }

    /// What is kept of a unit that was decoded into this part.
    pub fn judge(&mut self, unit: Unit, decoded: &mut DecodedPart) -> PyResult<Part> {
        let mut part = Part {
            entries: None,
            draws: Vec::new(),
            counts: Counts::default(),
            state: unit.state,
        };
        let Some((piece, mut first)) = unit.place else {
            return Ok(part);
        };
        part.entries = Some(Vec::new());
        let codec = self.source.files[piece.file].text_codec();
        let (Some(raw), Some(codec)) = (unit.raw, codec) else {
            self.keep(&unit.rules, piece, first, decoded, &mut part)?;
            return Ok(part);
        };
        let mut from = Some(raw.from);
        while let Some(at) = from {
            from = codec.decode_part(&raw.block, at, PART, decoded);
            let records = decoded.records.len() as u64;
            self.keep(&unit.rules, piece, first, decoded, &mut part)?;
            first += records;
        }
        Ok(part)
    }

    /// Keeps some of the decoded records, the first of which has this number in its block.
    fn keep(
        &mut self,
        rules: &PassRules,
        piece: Piece,
        first: u64,
        decoded: &mut DecodedPart,
        part: &mut Part,
    ) -> PyResult<()> {
        let source = &self.source;
        let numbers = &mut self.numbers;
        let counts = &mut part.counts;
        let file = &source.files[piece.file];
        let wrong = |error: &dyn std::fmt::Display, hint: &str| {
            PyValueError::new_err(format!("{}, {error}{hint}", file.name()))
        };
        if let (Some(error), false) = (decoded.invalid.first(), source.skips) {
            return Err(wrong(error, &skip_hint(file.units())));
        }
        if piece.share.is_first() {
            counts.invalid += decoded.invalid.len() as u64;
        }
        if rules.keeps_all && piece.share == plan::Share::WHOLE {
            let kept = all_to_train_on(decoded, counts);
            part.add(kept);
            return Ok(());
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
            draw(rules.skipping_seed, block, number, purpose as u64)
        };
        if let Some(skipping) = &source.skipping {
            let is_left = left_by_skipping(skipping, decoded, numbers, draws, file)
                .map_err(|reason| wrong(&reason, ""))?;
            counts.skipped += retain(decoded, numbers, &is_left);
        }
        let ask = |positions: &[Position]| {
            let bounds = rules.filter.bounds();
            let question = Question::Bounds { positions, bounds };
            self.cpu.ask(&question, rules.filter.see_rules()).exceeds
        };
        let reasons = rules
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
        let judged = reasons.iter().zip(all);
        let left = judged.filter(|(reason, _)| reason.is_none());
        kept.extend(left.map(|(_, (position, record))| Entry::new(position, record)));
        counts.kept += kept.len() as u64;
        if source.has_curve() {
            let judged = reasons.iter().zip(&*numbers);
            let left = judged.filter(|(reason, _)| reason.is_none());
            let of_pieces = left.map(|(_, &number)| draws(number, Purpose::Pieces));
            part.draws.extend(of_pieces);
        }
        part.add(kept);
        Ok(())
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

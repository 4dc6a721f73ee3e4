//! The work on a block: what is kept of it, and the items that it becomes.

use core::ops::Range;
use std::sync::Arc;

use super::duplicates::Survivors;
use super::excluded::Excluded;
use super::games;
use super::items::{Bits, Encoded, Item, Items, Layout, UNDECIDED, key_of};
use super::key::{self, Draw, Share};
use super::{SplitBy, duplicates};
use crate::filter::{BoundsAnswers, Filter, Reason};
use crate::formats::fingerprint::Fingerprints;
use crate::formats::{
    Action, Actions, Codec, DecodedPart, OpenChunk, Record, RecordFields, goes_on,
};
use crate::jobs::block_output::Made;
use crate::jobs::error::Result;
use crate::jobs::filter::explained;
use crate::jobs::kind::JobKind;
use crate::jobs::step::Step;
use crate::jobs::tally::Tally;
use crate::jobs::task::{Task, TaskSpec};
use swaplist::backend::Question;

/// What the tasks of all inputs share in a pass.
#[derive(Clone, Default)]
pub struct Shared {
    pub seed: u64,
    pub filter: Option<Filter>,
    pub sample: Option<Share>,
    /// The upper ends of the outputs' shares, but for the last one.
    pub sides: Vec<Share>,
    pub by: SplitBy,
    pub drops_unscored: bool,
    /// Whether games and chains stay whole.
    pub is_whole: bool,
    pub shuffles: bool,
    pub layout: Layout,
    pub bits: Bits,
    /// How duplicates are told, if they go.
    pub fingerprints: Option<Fingerprints>,
    /// What is left of each input, once duplicates were looked for.
    pub survivors: Option<Arc<Survivors>>,
    /// The positions that are left out.
    pub excluded: Option<Arc<Excluded>>,
}

impl Shared {
    /// Whether the run looks for duplicates now.
    const fn scans(&self) -> bool {
        self.fingerprints.is_some() && self.survivors.is_none()
    }

    /// The positions that are left out, unless they were left out before.
    fn excluded(&self) -> Option<&Excluded> {
        let is_done = self.survivors.is_some();
        self.excluded.as_deref().filter(|_| !is_done)
    }

    /// Whether castling rights are needed to tell positions apart.
    fn needs_states(&self) -> bool {
        let scanned = self.fingerprints.filter(|_| self.scans());
        scanned.is_some_and(Fingerprints::needs_state)
            || self.excluded().is_some_and(Excluded::needs_state)
    }

    fn side(&self, hash: u64) -> u8 {
        let side = self.sides.iter().position(|side| side.holds(hash));
        side.unwrap_or(self.sides.len()) as u8
    }

    /// Whether the sample has the record or unit with this hash.
    fn samples(&self, hash: impl Fn(u64) -> u64) -> bool {
        let seed = || Draw::Sample.seed(self.seed);
        self.sample.is_none_or(|share| share.holds(hash(seed())))
    }
}

/// The games at both ends of what was decoded of a block, if outputs are split by game.
#[derive(Clone)]
pub struct Edges {
    /// The first record, and the output of its game, unless the game began before the block.
    first: Option<(Record, u8)>,
    /// The last record, and the output of its game: [`UNDECIDED`] if that is the first one.
    last: (Record, u8),
}

/// What the task hands to the writer, and keeps from part to part of a block.
#[derive(Default)]
pub struct Mixed {
    /// What goes into buckets.
    pub items: Vec<Items>,
    /// What is interleaved.
    pub encoded: Vec<Encoded>,
    pub edges: Option<Edges>,
    /// The number of the block's first line, byte or game.
    pub start: u64,
}

impl Made for Mixed {
    fn bytes(&self) -> usize {
        let in_buckets = self.items.iter().map(|items| items.bytes.len());
        let interleaved = self.encoded.iter().map(Encoded::bytes_in_all);
        in_buckets.chain(interleaved).sum()
    }

    /// With a copy of the rest.
    fn early(&mut self, bytes: usize) -> Mixed {
        if self.bytes() < bytes {
            return Mixed::default();
        }
        Mixed {
            items: core::mem::take(&mut self.items),
            encoded: core::mem::take(&mut self.encoded),
            edges: self.edges.clone(),
            start: self.start,
        }
    }
}

/// Joins games over the ends of blocks, which arrive in order.
#[derive(Default)]
pub struct Joiner {
    last: Option<(Record, u8)>,
    /// The output of the game with which the current block begins.
    head: u8,
    goes_on: bool,
}

impl Joiner {
    /// Decides on the games at the ends of a block, or of a part of it that comes early.
    pub fn join(&mut self, layout: Layout, mixed: &mut Mixed, is_part: bool) {
        if let Some(edges) = &mut mixed.edges {
            if !self.goes_on
                && let Some((record, part)) = edges.first
            {
                self.head = match &self.last {
                    Some((last, of_last)) if games::may_go_on(last, &record) => *of_last,
                    _ => part,
                };
            }
            let (record, last_part) = edges.last;
            let part = if last_part == UNDECIDED {
                self.head
            } else {
                last_part
            };
            if !is_part {
                self.last = Some((record, part));
            }
        }
        self.goes_on = is_part;
        for items in &mut mixed.items {
            items.decide(layout, self.head);
        }
        // Without edges, nothing is split by game.
        if mixed.edges.is_some() {
            for encoded in &mut mixed.encoded {
                encoded.decide(self.head);
            }
        }
    }
}

/// The output of a record; `parts` is empty if there is only one output.
#[inline]
fn part_at(parts: &[u8], record: usize) -> u8 {
    parts.get(record).copied().unwrap_or(0)
}

/// The keys of a block's items, which are asked for in the order of their first records.
struct Keys {
    /// The number of the input.
    input: u32,
    /// The share of the sample, unless it was drawn in an earlier pass.
    sample: Option<Share>,
    sample_seed: u64,
    /// The seed of a shuffle; `None` if records keep their order.
    order_seed: Option<u64>,
    spread: Spread,
    /// The place of the current record in its input: of its game, if it is in one.
    place: u64,
    /// Its number among the records of that place.
    nth: u32,
}

impl Keys {
    fn new(task: &MixTask, codec: &Codec) -> Keys {
        let shared = &task.shared;
        let seed = shared.seed;
        Keys {
            input: task.input,
            sample: shared.sample.filter(|_| shared.survivors.is_none()),
            sample_seed: Draw::Sample.seed(seed),
            order_seed: shared.shuffles.then(|| Draw::Order.seed(seed)),
            spread: Spread::new(codec),
            place: u64::MAX,
            nth: 0,
        }
    }

    /// Goes on to a record, or to the first one of a game or chain.
    #[inline]
    fn go_to(&mut self, record: &RecordFields) {
        let place = record.place().number();
        self.nth = if place == self.place { self.nth + 1 } else { 0 };
        self.place = place;
    }

    /// Whether the sample has what begins with the current record.
    #[inline]
    fn is_in_sample(&self) -> bool {
        self.sample.is_none_or(|share| {
            share.holds(key::of_place(
                self.sample_seed,
                self.input,
                self.place,
                self.nth,
            ))
        })
    }

    /// What decides the order of the item that begins with the current record, the `i`-th one.
    #[inline]
    fn order(&mut self, decoded: &DecodedPart, i: usize) -> u64 {
        match self.order_seed {
            Some(seed) => key::of_place(seed, self.input, self.place, self.nth),
            None => self.spread.offset(decoded, i) << 8,
        }
    }
}

/// Offsets of records: those of a game or chain are spread over its bytes.
struct Spread {
    /// Whether the format has games or chains; otherwise each record has bytes of its own.
    has_units: bool,
    /// The first record of the current unit, and its number of records.
    first: usize,
    count: usize,
}

impl Spread {
    fn new(codec: &Codec) -> Spread {
        Spread {
            has_units: codec.format().units().is_some(),
            first: 0,
            count: 0,
        }
    }

    /// The offset of a record in the block.
    #[inline]
    fn offset(&mut self, decoded: &DecodedPart, i: usize) -> u64 {
        let span = decoded.records[i].span();
        if !self.has_units {
            return span.start.into();
        }
        if i >= self.first + self.count {
            let is_of_unit = |record: &&RecordFields| record.span().start == span.start;
            self.first = i;
            self.count = decoded.records[i..].iter().take_while(is_of_unit).count();
        }
        let nth = (i - self.first) as u64;
        u64::from(span.start) + span.len() as u64 * nth / self.count as u64
    }
}

pub struct MixTask {
    pub shared: Shared,
    /// The number of the input.
    pub input: u32,
    pub most_bytes: usize,
}

impl Task<Mixed> for MixTask {
    fn spec(&self) -> TaskSpec {
        let filter = self.shared.filter.as_ref();
        TaskSpec {
            bytes_a_record: 80,
            most_bytes: self.most_bytes,
            rules: filter.map(|filter| *filter.see_rules()),
            ..TaskSpec::of(JobKind::Mix)
        }
    }

    fn question<'a>(
        &self,
        codec: &Codec,
        step: &'a mut Step<Mixed>,
    ) -> Result<Option<Question<'a>>> {
        let Some(filter) = self.filter() else {
            return Ok(None);
        };
        let all = &step.decoded.positions;
        let records = &step.decoded.records;
        let begun = filter.begin(all, records, &mut step.judgement);
        begun.map_err(|error| explained(error, codec.format()))?;
        let bounds = filter.bounds();
        let positions = step.judgement.asked(all);
        Ok((!positions.is_empty()).then_some(Question::Bounds { positions, bounds }))
    }

    fn write(&self, codec: &Codec, step: &mut Step<Mixed>) -> Result<()> {
        let mut reasons: Vec<Option<Reason>> = Vec::new();
        if let Some(filter) = self.filter() {
            let bounds_answers = BoundsAnswers::OfAsked(&step.answers.exceeds);
            let decoded = &step.decoded;
            let judgement = &mut step.judgement;
            filter.finish(
                &decoded.positions,
                &decoded.records,
                judgement,
                &bounds_answers,
            );
            reasons.clone_from(&judgement.reasons);
        } else {
            reasons.resize(step.decoded.records.len(), None);
        }
        let before = step.done.tally.records;
        step.done.made.start = step.block.start.number();
        if self.shared.needs_states() {
            codec.states(&step.block, &mut step.decoded);
        }
        let mut kept = self.kept(step, &reasons, before);
        let mut tally = Tally::default();
        tally.count(&step.decoded.records, &reasons);
        step.done.tally.add(tally);
        if self.shared.scans() {
            self.scan(step, &kept, before);
            return Ok(());
        }
        let parts = self.parts(codec, step);
        self.route(codec, step, &mut kept, &parts);
        Ok(())
    }
}

impl MixTask {
    /// The filter, unless it was applied before.
    fn filter(&self) -> Option<&Filter> {
        let is_done = self.shared.survivors.is_some();
        self.shared.filter.as_ref().filter(|_| !is_done)
    }

    /// Which records are kept so far. `before` records of the block come before them.
    fn kept(&self, step: &Step<Mixed>, reasons: &[Option<Reason>], before: u64) -> Vec<Action> {
        let records = &step.decoded.records;
        if let Some(survivors) = &self.shared.survivors {
            let first = survivors.first_of(self.input, step.block.start.number()) + before;
            let action = |number| {
                if survivors.has(number) {
                    Action::Keep
                } else {
                    Action::Drop
                }
            };
            return (first..).take(records.len()).map(action).collect();
        }
        let mut kept = vec![Action::Keep; records.len()];
        if self.filter().is_some() || self.shared.drops_unscored {
            for ((action, reason), record) in kept.iter_mut().zip(reasons).zip(records) {
                if reason.is_some() || self.shared.drops_unscored && record.is_unscored() {
                    *action = Action::Drop;
                }
            }
        }
        self.exclude(&step.decoded, &mut kept);
        kept
    }

    /// Drops and counts the records whose positions are left out.
    fn exclude(&self, decoded: &DecodedPart, kept: &mut [Action]) {
        let Some(excluded) = self.shared.excluded() else {
            return;
        };
        let mut gone = 0;
        for (i, action) in kept.iter_mut().enumerate() {
            if *action == Action::Keep && excluded.has(&decoded.record(i)) {
                *action = Action::Drop;
                gone += 1;
            }
        }
        excluded.count(self.input, gone);
    }

    /// Hands on the fingerprints of the records that are kept.
    fn scan(&self, step: &mut Step<Mixed>, kept: &[Action], before: u64) {
        let Some(fingerprints) = self.shared.fingerprints else {
            return;
        };
        let decoded = &step.decoded;
        let mut entries = Vec::with_capacity(kept.len());
        for (i, &action) in kept.iter().enumerate() {
            if action == Action::Drop {
                continue;
            }
            let of_record = fingerprints.of(&decoded.record(i));
            let hash = |seed| key::hash(seed, [of_record as u64, (of_record >> 64) as u64]);
            if self.shared.samples(hash) {
                let is_unscored = decoded.records[i].is_unscored();
                entries.push((
                    of_record,
                    duplicates::numbered(before + i as u64, is_unscored),
                ));
            }
        }
        let items = duplicates::group(self.shared.bits, &entries);
        step.done.made.items.push(items);
    }

    /// The output of each record; empty if there is only one.
    fn parts(&self, codec: &Codec, step: &mut Step<Mixed>) -> Vec<u8> {
        let shared = &self.shared;
        if shared.sides.is_empty() {
            return Vec::new();
        }
        if shared.by == SplitBy::Position {
            let seed = Draw::Side.seed(shared.seed);
            let side = |position| shared.side(key::of_side(seed, position));
            return step.decoded.positions.iter().map(side).collect();
        }
        let has_units = codec.format().units().is_some();
        if step
            .decoded
            .records
            .iter()
            .any(|record| record.ply().is_none())
        {
            codec.states(&step.block, &mut step.decoded);
        }
        let decoded = &step.decoded;
        let edges = &mut step.done.made.edges;
        let count = decoded.records.len();
        let Some(last_record) = count.checked_sub(1) else {
            return Vec::new();
        };
        let before = edges.as_ref().map(|edges| &edges.last.0);
        let starts = games::starts(decoded, before, has_units);
        let mut parts = vec![edges.as_ref().map_or(UNDECIDED, |edges| edges.last.1); count];
        let mut first_part = None;
        for (nth, &start) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(count);
            let part = shared.side(games::hash_of(shared.seed, decoded, start..end));
            // The block's first game may have begun in the one before.
            if edges.is_none() && start == 0 {
                first_part = Some(part);
                parts[start..end].fill(UNDECIDED);
            } else {
                parts[start..end].fill(part);
            }
        }
        let earlier = edges.take().and_then(|edges| edges.first);
        let first = earlier.or(first_part.map(|part| (decoded.record(0), part)));
        let last = (decoded.record(last_record), parts[last_record]);
        *edges = Some(Edges { first, last });
        parts
    }

    /// Encodes what is kept and hands it on as items.
    fn route(&self, codec: &Codec, step: &mut Step<Mixed>, kept: &mut [Action], parts: &[u8]) {
        let encoded = if self.shared.is_whole {
            self.encode_units(codec, step, kept, parts)
        } else {
            self.encode_records(codec, step, kept, parts)
        };
        let written: u64 = encoded
            .items
            .iter()
            .map(|item| u64::from(item.records))
            .sum();
        step.done.tally.records_written += written;
        let mixed = &mut step.done.made;
        if self.shared.shuffles {
            let items = Items::group(self.shared.layout, self.shared.bits, &encoded);
            mixed.items.push(items);
        } else {
            mixed.encoded.push(encoded);
        }
    }

    /// Each kept record as an item of its own.
    fn encode_records(
        &self,
        codec: &Codec,
        step: &Step<Mixed>,
        kept: &mut [Action],
        parts: &[u8],
    ) -> Encoded {
        let decoded = &step.decoded;
        let mut encoded = Encoded::default();
        encoded.items.reserve(decoded.records.len());
        let mut keys = Keys::new(self, codec);
        for (i, record) in decoded.records.iter().enumerate() {
            keys.go_to(record);
            if !keys.is_in_sample() {
                kept[i] = Action::Drop;
            }
            if kept[i] == Action::Drop {
                continue;
            }
            let key = key_of(keys.order(decoded, i), part_at(parts, i));
            // Records of one size are encoded below, all at once.
            let end = if let Layout::Fixed(length) = self.shared.layout {
                (encoded.items.len() + 1) * length
            } else {
                let unit = i..i + 1;
                let bytes = &mut encoded.bytes;
                codec.encode_unit(&step.block, decoded, unit, &[Action::Keep], bytes);
                bytes.len()
            };
            encoded.items.push(Item {
                key,
                end: end as u32,
                records: 1,
            });
        }
        if let Layout::Fixed(_) = self.shared.layout {
            let actions = Actions {
                records: kept,
                invalid: false,
            };
            let chunk = &mut OpenChunk::default();
            codec.encode_part(&step.block, decoded, &actions, &mut encoded.bytes, chunk);
        }
        encoded
    }

    /// Each game or chain as an item; as several if its records go to several outputs.
    fn encode_units(
        &self,
        codec: &Codec,
        step: &Step<Mixed>,
        kept: &mut [Action],
        parts: &[u8],
    ) -> Encoded {
        let decoded = &step.decoded;
        let mut encoded = Encoded::default();
        let mut keys = Keys::new(self, codec);
        let mut actions = Vec::new();
        for unit in units(codec, decoded) {
            keys.go_to(&decoded.records[unit.start]);
            if !keys.is_in_sample() {
                kept[unit].fill(Action::Drop);
                continue;
            }
            let order = keys.order(decoded, unit.start);
            let is_kept = |&i: &usize| kept[i] != Action::Drop;
            let kept_parts = unit.clone().filter(is_kept).map(|i| part_at(parts, i));
            let mut present: Vec<u8> = kept_parts.collect();
            present.sort_unstable();
            present.dedup();
            for part in present {
                actions.clear();
                actions.extend(unit.clone().map(|i| {
                    if part_at(parts, i) == part {
                        kept[i]
                    } else {
                        Action::Drop
                    }
                }));
                let is_written = |action: &&Action| **action != Action::Drop;
                let records = actions.iter().filter(is_written).count() as u32;
                let bytes = &mut encoded.bytes;
                codec.encode_unit(&step.block, decoded, unit.clone(), &actions, bytes);
                encoded.items.push(Item {
                    key: key_of(order, part),
                    end: bytes.len() as u32,
                    records,
                });
            }
        }
        encoded
    }
}

/// The games or chains, which stay whole.
fn units(codec: &Codec, decoded: &DecodedPart) -> Vec<Range<usize>> {
    let has_units = codec.format().units().is_some();
    let start = |i: usize| decoded.records[i].span().start;
    let mut units: Vec<Range<usize>> = Vec::new();
    for i in 0..decoded.records.len() {
        let goes_on = i > 0
            && if has_units {
                start(i - 1) == start(i)
            } else {
                goes_on(&decoded.record(i - 1), &decoded.record(i))
            };
        match units.last_mut() {
            Some(unit) if goes_on => unit.end = i + 1,
            _ => units.push(i..i + 1),
        }
    }
    units
}

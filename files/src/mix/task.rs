//! The work on a block: what is kept of it, and the items that it becomes.

use std::sync::Arc;

use super::duplicates::Survivors;
use super::excluded::Excluded;
use super::games::{self, Edges};
use super::items::{Bits, Encoded, Items, Layout, Spare, UNDECIDED};
use super::key::{self, Draw, Share};
use super::{SplitBy, duplicates};
use crate::filter::{BoundsAnswers, Filter, Reason};
use crate::formats::fingerprint::Fingerprints;
use crate::formats::{Action, Codec, DecodedPart};
use crate::jobs::block_output::Made;
use crate::jobs::conversion::kept;
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
    pub spare: Spare,
    /// How records are compared, if duplicates are looked for.
    pub fingerprints: Option<Fingerprints>,
    /// Which records are kept, once the pass that looks for duplicates is over.
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
        self.sample
            .is_none_or(|share| share.holds(hash(Draw::Sample.seed(self.seed))))
    }
}

/// What the task hands to the writer, and keeps from part to part of a block.
#[derive(Default)]
pub struct Mixed {
    /// Items for the buckets of a shuffle or of the search for duplicates.
    pub items: Vec<Items>,
    /// Items to interleave.
    pub encoded: Vec<Encoded>,
    /// The games at both ends of the block, if outputs are split by game.
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

    /// Takes the items. What the next part of the block needs is copied.
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

pub struct MixTask {
    pub shared: Shared,
    /// The number of the input.
    pub input: u32,
    /// The size of a block, which must not depend on the number of threads (`source.rs`).
    pub most_bytes: usize,
}

impl Task<Mixed> for MixTask {
    fn spec(&self) -> TaskSpec {
        let filter = self.shared.filter.as_ref();
        TaskSpec {
            bytes_a_record: 80,
            most_bytes: self.most_bytes,
            rules: filter.map(|filter| *filter.see_rules()),
            ..TaskSpec::for_job(JobKind::Mix)
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
        step.done.tally += tally;
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
            let numbers = (first..).take(records.len());
            return numbers
                .map(|number| {
                    if survivors.has(number) {
                        Action::Keep
                    } else {
                        Action::Drop
                    }
                })
                .collect();
        }
        let mut kept = kept(records, self.shared.drops_unscored);
        if self.filter().is_some() {
            for (action, reason) in kept.iter_mut().zip(reasons) {
                if reason.is_some() {
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
            let positions = step.decoded.positions.iter();
            return positions
                .map(|position| shared.side(key::side_hash(seed, position)))
                .collect();
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
        // Records before the first start go on with the last game of the part before.
        let mut parts = vec![edges.as_ref().map_or(UNDECIDED, |edges| edges.last.1); count];
        let mut first_part = None;
        for (nth, &start) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(count);
            let part = shared.side(games::game_hash(shared.seed, decoded, start..end));
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
            self.shared.spare.give_back(encoded);
        } else {
            mixed.encoded.push(encoded);
        }
    }
}

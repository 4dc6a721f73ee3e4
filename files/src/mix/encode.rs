//! Encodes what is kept of a block as items, each with the key that decides its place in the
//! output.

use core::ops::Range;

use super::items::{Encoded, Item, Layout, key_of};
use super::key::{self, Draw, Share};
use super::task::{MixTask, Mixed};
use crate::formats::{Action, Actions, Codec, DecodedPart, OpenChunk, RecordFields, goes_on};
use crate::jobs::step::Step;

impl MixTask {
    /// Encodes each kept record as an item of its own. `parts` has the number of each record's
    /// output, and is empty if there is only one output.
    pub(super) fn encode_records(
        &self,
        codec: &Codec,
        step: &Step<Mixed>,
        kept: &mut [Action],
        parts: &[u8],
    ) -> Encoded {
        let decoded = &step.decoded;
        let mut encoded = self.shared.spare.take();
        encoded.items.reserve(decoded.records.len());
        let mut keys = Keys::new(self, codec);
        for (i, (record, action)) in decoded.records.iter().zip(&mut *kept).enumerate() {
            keys.go_to(record);
            if !keys.is_in_sample() {
                *action = Action::Drop;
            }
            if *action == Action::Drop {
                continue;
            }
            encoded.items.push(Item {
                key: key_of(keys.order(decoded, i), part_at(parts, i)),
                end: 0,
                records: 1,
            });
        }
        match self.shared.layout {
            Layout::Fixed(_) => {
                let actions = Actions {
                    records: kept,
                    writes_invalid: false,
                };
                let chunk = &mut OpenChunk::default();
                codec.encode_part(&step.block, decoded, &actions, &mut encoded.bytes, chunk);
            }
            Layout::Sized => {
                let kept_records = (0..decoded.records.len()).filter(|&i| kept[i] != Action::Drop);
                for (i, item) in kept_records.zip(&mut encoded.items) {
                    let bytes = &mut encoded.bytes;
                    codec.encode_unit(&step.block, decoded, i..i + 1, &[Action::Keep], bytes);
                    item.end = bytes.len() as u32;
                }
            }
        }
        encoded
    }

    /// Encodes each game or chain as an item, or as several if its records go to several outputs.
    pub(super) fn encode_units(
        &self,
        codec: &Codec,
        step: &Step<Mixed>,
        kept: &mut [Action],
        parts: &[u8],
    ) -> Encoded {
        let decoded = &step.decoded;
        let mut encoded = self.shared.spare.take();
        let mut keys = Keys::new(self, codec);
        let mut actions = Vec::new();
        for unit in units(codec, decoded) {
            keys.go_to(&decoded.records[unit.start]);
            if !keys.is_in_sample() {
                kept[unit].fill(Action::Drop);
                continue;
            }
            let order = keys.order(decoded, unit.start);
            let kept_records = unit.clone().filter(|&i| kept[i] != Action::Drop);
            let mut present: Vec<u8> = kept_records.map(|i| part_at(parts, i)).collect();
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
                let written = actions.iter().filter(|action| **action != Action::Drop);
                let records = written.count() as u32;
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

/// The output of a record; `parts` is empty if there is only one output.
#[inline]
fn part_at(parts: &[u8], record: usize) -> u8 {
    parts.get(record).copied().unwrap_or(0)
}

/// The keys of a block's items, which are asked for in the order of their first records.
struct Keys {
    /// The number of the input.
    input: u32,
    /// The share that a sample takes; `None` if there is no sample, or an earlier pass has drawn
    /// it.
    sample: Option<Share>,
    sample_seed: u64,
    /// The seed of a shuffle; `None` if records keep their order.
    order_seed: Option<u64>,
    spread: Spread,
    /// The place of the current record in its input: of its game, if it is in one.
    place: u64,
    /// How many records with the same place come before it.
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

    /// Whether the sample takes the item that begins with the current record.
    #[inline]
    fn is_in_sample(&self) -> bool {
        self.sample.is_none_or(|share| {
            share.holds(key::place_hash(
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
            Some(seed) => key::place_hash(seed, self.input, self.place, self.nth),
            // The lowest byte of a key is for the number of the output.
            None => self.spread.offset(decoded, i) << 8,
        }
    }
}

/// Tells at which byte of a block a record is. The records of a game or chain have no bytes of
/// their own, so they are spread evenly over its bytes: from the first one on that is asked for, as
/// nobody asks for dropped ones.
struct Spread {
    /// Whether the format has games or chains.
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
            let from_here = decoded.records[i..].iter();
            self.first = i;
            self.count = from_here
                .take_while(|record| record.span().start == span.start)
                .count();
        }
        let nth = (i - self.first) as u64;
        u64::from(span.start) + span.len() as u64 * nth / self.count as u64
    }
}

/// The records of each game or chain, which stays whole. In formats of single records a game is as
/// many of them as go on from each other.
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

//! Verdicts: legal captures listed and scored in full registers, whichever
//! positions they belong to.
//!
//! Three stages feed each other through short lists: positions to targets, targets
//! to moves, moves to scores. An entry holds the position's index in its block
//! above bit 16 and a [`Capture`], or the target's part of one, below.

use bytemuck::Zeroable as _;

use super::exchange::{GROUPS, Group, LaneRules, Scored, see};
use super::lanes::{List, MAX_LANES, Mask, PerLane, Simd, Word};
use super::noisy::{Row, Sides, capturers};
use crate::exchange::{NO_PINS, SF_PINS, SF8_PINS};
use crate::{Best, Beyond, Bounds, Capture, Pins, Position, Rules, Verdict, captures};

/// Positions worked on together: their rows stay in the first cache.
const BLOCK: usize = 256;

/// How many entries a list gathers before the next stage takes them, and how many
/// it holds: one step adds at most 8 x 64 targets, or 8 x 99 rare moves.
const ENOUGH: usize = 128;
const CAPACITY: usize = 1024;

/// The verdict on each position. `Pins::Legal` is the scalar exchange's.
#[inline(always)]
pub(super) fn verdicts<S: Simd>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    with_threat: bool,
    verdicts: &mut [Verdict],
) {
    match rules.pins {
        Pins::None | Pins::Legal => {
            run::<S, NO_PINS>(simd, rules, positions, with_threat, verdicts);
        }
        Pins::Sf8 => run::<S, SF8_PINS>(simd, rules, positions, with_threat, verdicts),
        Pins::Sf => run::<S, SF_PINS>(simd, rules, positions, with_threat, verdicts),
    }
}

#[inline(always)]
fn run<S: Simd, const PINS: u8>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    with_threat: bool,
    verdicts: &mut [Verdict],
) {
    let rules = LaneRules::new(simd, rules);
    let mut work = Work::<S, PINS>::new(simd, &rules);
    let blocks = positions.chunks(BLOCK).zip(verdicts.chunks_mut(BLOCK));
    for (positions, verdicts) in blocks {
        work.judge(positions, false);
        for (i, verdict) in verdicts.iter_mut().enumerate() {
            *verdict = Verdict {
                in_check: work.in_check[i] != 0,
                noisy: work.noisy[i],
                best: best(work.best[i]),
                threat: None,
            };
        }
        if with_threat {
            work.judge(positions, true);
            for (verdict, &key) in verdicts.iter_mut().zip(&work.best) {
                verdict.threat = best(key);
            }
        }
    }
}

/// What is beyond the bounds in each position. `Pins::Legal` is the scalar
/// exchange's.
#[inline(always)]
pub(super) fn beyond<S: Simd>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    bounds: Bounds,
    beyond: &mut [Beyond],
) {
    match rules.pins {
        Pins::None | Pins::Legal => {
            run_bounds::<S, NO_PINS>(simd, rules, positions, bounds, beyond);
        }
        Pins::Sf8 => run_bounds::<S, SF8_PINS>(simd, rules, positions, bounds, beyond),
        Pins::Sf => run_bounds::<S, SF_PINS>(simd, rules, positions, bounds, beyond),
    }
}

#[inline(always)]
fn run_bounds<S: Simd, const PINS: u8>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    bounds: Bounds,
    beyond: &mut [Beyond],
) {
    // Without a bound, nothing is above it.
    let [see, threat] = [bounds.see, bounds.threat].map(|bound| bound.unwrap_or(i32::MAX));
    let lane_rules = LaneRules::above(simd, rules, see);
    let threat_rules = LaneRules::above(simd, rules, threat);
    let mut work = Work::<S, PINS>::new(simd, &lane_rules);
    let blocks = positions.chunks(BLOCK).zip(beyond.chunks_mut(BLOCK));
    for (positions, beyond) in blocks {
        work.rules = &lane_rules;
        work.judge(positions, false);
        for (i, beyond) in beyond.iter_mut().enumerate() {
            *beyond = Beyond {
                in_check: work.in_check[i] != 0,
                see: is_above(work.best[i], see),
                threat: false,
            };
        }
        if bounds.threat.is_some() {
            work.rules = &threat_rules;
            work.judge(positions, true);
            for (beyond, &key) in beyond.iter_mut().zip(&work.best) {
                beyond.threat = is_above(key, threat);
            }
        }
    }
}

#[inline(always)]
fn is_above(key: i64, bound: i32) -> bool {
    key != NONE && key >> 16 > i64::from(bound)
}

/// A move's key orders as [`Best::or_better`] does: by SEE, then the smallest move
/// first. It is the SEE above 16 bits in which the move's bits are turned.
const MOVE_BITS: u32 = 0xffff;

/// Less than every key.
const NONE: i64 = i64::MIN;

#[inline(always)]
fn best(key: i64) -> Option<Best> {
    (key != NONE).then(|| Best {
        see: (key >> 16) as i32,
        capture: Capture::from_bits(!key.cast_unsigned() as u16),
    })
}

/// Everything known of one block of positions, and the lists between the stages.
struct Work<'a, S: Simd, const PINS: u8> {
    simd: S,
    rules: &'a LaneRules<S>,
    positions: [Position; BLOCK],
    rows: [Row; BLOCK + MAX_LANES],
    targets: List<CAPACITY>,
    moves: List<CAPACITY>,
    in_check: [u32; BLOCK + MAX_LANES],
    noisy: [u32; BLOCK],
    best: [i64; BLOCK],
}

impl<'a, S: Simd, const PINS: u8> Work<'a, S, PINS> {
    #[inline(always)]
    fn new(simd: S, rules: &'a LaneRules<S>) -> Self {
        Work {
            simd,
            rules,
            positions: [Position::zeroed(); BLOCK],
            rows: [[0; 4]; BLOCK + MAX_LANES],
            targets: List::new(),
            moves: List::new(),
            in_check: [0; BLOCK + MAX_LANES],
            noisy: [0; BLOCK],
            best: [NONE; BLOCK],
        }
    }

    /// All stages for the side to move, or its opponent where that may move.
    #[inline(always)]
    fn judge(&mut self, positions: &[Position], opponent: bool) {
        self.positions[..positions.len()].copy_from_slice(positions);
        self.noisy = [0; BLOCK];
        self.best = [NONE; BLOCK];
        let mut start = 0;
        loop {
            while start < positions.len()
                && self.targets.len() < ENOUGH
                && self.moves.len() < ENOUGH
            {
                self.find_targets(positions, start, opponent);
                start += S::LANES;
            }
            let last = start >= positions.len();
            while self.targets.has(S::LANES, last) && self.moves.len() < ENOUGH {
                self.find_moves();
            }
            let last = last && self.targets.len() == 0;
            while self.moves.has(S::LANES * GROUPS, last) {
                self.score();
            }
            if last {
                return;
            }
        }
    }

    /// The first stage, for one register of positions.
    #[inline(always)]
    fn find_targets(&mut self, positions: &[Position], start: usize, opponent: bool) {
        let simd = self.simd;
        let mut lanes = [&positions[start]; MAX_LANES];
        let count = S::LANES.min(positions.len() - start);
        for (lane, position) in lanes.iter_mut().zip(&positions[start..start + count]) {
            *lane = position;
        }
        let sides = Sides::new(simd, lanes, opponent);
        sides.store(simd, self.rows[start..].first_chunk_mut().expect("padded"));
        let mut asked = simd.first_lanes(count);
        let in_check = self.in_check[start..].first_chunk_mut().expect("padded");
        if opponent {
            // In check there is no passing.
            asked = asked & simd.load(in_check).misses(simd.splat(1));
        } else {
            let checks = sides.in_check.bits();
            *in_check = core::array::from_fn(|i| checks >> i & 1);
        }
        let indices: PerLane = core::array::from_fn(|i| ((start + i) as u32) << 16);
        simd.list::<3, _>(
            asked.keep(sides.targets),
            simd.load(&indices),
            &mut self.targets,
        );
        let mut rare = (asked & sides.rare).bits();
        while rare != 0 {
            self.find_rare(positions, start + rare.trailing_zeros() as usize, opponent);
            rare &= rare - 1;
        }
    }

    /// Promotions and en passant, one position at a time.
    fn find_rare(&mut self, positions: &[Position], index: usize, opponent: bool) {
        let position = &positions[index];
        let (color, ep) = if opponent {
            (!position.turn(), None)
        } else {
            (position.turn(), position.ep_square())
        };
        let moves = &mut self.moves;
        captures::for_each_rare(position, color, ep, |capture| {
            moves.push((index as u32) << 16 | u32::from(capture.to_bits()));
        });
    }

    /// The second stage, for one register of targets.
    #[inline(always)]
    fn find_moves(&mut self) {
        let simd = self.simd;
        let (entries, count) = self.targets.pop::<MAX_LANES>(S::LANES);
        let rows = entries.map(|entry| &self.rows[(entry >> 16) as usize % BLOCK]);
        let targets = entries.map(|entry| entry >> 3 & 63);
        let capturers = capturers(simd, owners(&self.positions, &entries), rows, &targets);
        let capturers = simd.first_lanes(count).keep(capturers);
        simd.list::<9, _>(capturers, simd.load(&entries), &mut self.moves);
    }

    /// The third stage, for two registers of moves.
    #[inline(always)]
    fn score(&mut self) {
        let (entries, count) = self.moves.pop::<{ MAX_LANES * GROUPS }>(S::LANES * GROUPS);
        let groups = [
            group(&self.positions, &entries),
            group(&self.positions, &entries[S::LANES..]),
        ];
        let [first, second] = see::<S, PINS>(self.simd, self.rules, &groups);
        let mut keys = [0; MAX_LANES * GROUPS];
        store_keys(self.simd, &first, &entries, &mut keys);
        store_keys(
            self.simd,
            &second,
            &entries[S::LANES..],
            &mut keys[S::LANES..],
        );
        for (entry, key) in entries.into_iter().zip(keys).take(count) {
            let (index, key) = ((entry >> 16) as usize % BLOCK, key.cast_signed());
            self.best[index] = self.best[index].max(key);
            self.noisy[index] += u32::from(key != NONE);
        }
    }
}

/// The key of each lane's move; none where it is illegal.
#[inline(always)]
fn store_keys<S: Simd>(simd: S, scored: &Scored<S>, entries: &[u32], keys: &mut [u64]) {
    let entries = simd.load(entries.first_chunk().expect("padded"));
    let moves = (entries ^ simd.splat(MOVE_BITS.into())) & simd.splat(MOVE_BITS.into());
    let none = simd.splat(NONE.cast_unsigned());
    let of_moves = scored.illegal.select(none, scored.value.over(moves));
    of_moves.store(keys.first_chunk_mut().expect("a register's"));
}

/// The position of each entry.
#[inline(always)]
fn owners<'a>(positions: &'a [Position], entries: &PerLane) -> [&'a Position; MAX_LANES] {
    entries.map(|entry| {
        positions
            .get((entry >> 16) as usize)
            .unwrap_or(&positions[0])
    })
}

#[inline(always)]
fn group<'a>(positions: &'a [Position; BLOCK], entries: &[u32]) -> Group<'a> {
    let entries = entries.first_chunk().expect("padded");
    Group {
        positions: owners(positions, entries),
        captures: entries.map(|entry| Capture::from_bits(entry as u16)),
    }
}

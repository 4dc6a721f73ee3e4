//! Which positions exceed bounds: the screen decides most of them, the stages the rest.

use bytemuck::Zeroable as _;

use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use super::limits::Limits;
use super::question::Question;
use super::rules::LaneRules;
use super::screen;
use super::stages::{BLOCK, MOVE_BITS, Work};
use crate::{Bounds, Exceeds, Position, Rules};

/// Positions screened together, so that the undecided ones fill blocks, except the last.
const STRETCH: usize = 4096;

/// Whether each position exceeds the bounds.
#[derive(Clone, Copy)]
pub(crate) struct Compare<'a> {
    pub positions: &'a [Position],
    pub bounds: Bounds,
}

impl Question for Compare<'_> {
    type Answer = Exceeds;

    fn positions(&self) -> usize {
        self.positions.len()
    }

    fn split_at(&self, positions: usize) -> (Self, Self) {
        let (before, after) = self.positions.split_at(positions);
        let part = |positions| Compare { positions, ..*self };
        (part(before), part(after))
    }

    fn one_by_one(self, rules: &Rules, exceeds: &mut [Exceeds]) {
        for (position, exceeds) in self.positions.iter().zip(exceeds) {
            *exceeds = rules.exceeds(position, self.bounds);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Simd, const PINS: u8>(self, simd: S, rules: &Rules, exceeds: &mut [Exceeds]) {
        let bounds = self.bounds;
        // Nothing exceeds a missing bound.
        let [see, threat] = [bounds.see, bounds.threat].map(|bound| bound.unwrap_or(i32::MAX));
        let see_rules = LaneRules::above(simd, rules, see);
        let threat_rules = LaneRules::above(simd, rules, threat);
        let see_limits = Limits::new(rules, bounds.see);
        let threat_limits = Limits::new(rules, bounds.threat);
        let win_rules = LaneRules::above(simd, rules, 0);
        let mut work = Work::<S, PINS>::new(simd, &see_rules);
        let stretches = self.positions.chunks(STRETCH);
        for (positions, exceeds) in stretches.zip(exceeds.chunks_mut(STRETCH)) {
            work.rules = &see_rules;
            work.screen::<false>(positions, false, &see_limits, see, exceeds);
            if bounds.threat.is_some() {
                work.rules = &threat_rules;
                work.screen::<false>(positions, true, &threat_limits, threat, exceeds);
            }
            if bounds.double_threat {
                work.rules = &win_rules;
                let limits = Limits::new(rules, Some(0));
                work.screen::<true>(positions, true, &limits, 0, exceeds);
            }
        }
    }
}

/// The answers for four bits of "in check" and four of "above the bound". A table, because the
/// compiler makes slow code of single bits.
static FOUND: [[Exceeds; 4]; 256] = {
    let nothing = Exceeds {
        in_check: false,
        see: false,
        threat: false,
        double_threat: false,
    };
    let mut table = [[nothing; 4]; 256];
    let mut i = 0;
    while i < 4 * 256 {
        table[i / 4][i % 4].in_check = (i / 4) >> (i % 4) & 1 != 0;
        table[i / 4][i % 4].see = (i / 4) >> (4 + i % 4) & 1 != 0;
        i += 1;
    }
    table
};

/// The highest key that is not above a bound.
#[inline(always)]
fn highest(bound: i32) -> i64 {
    i64::from(bound) << 16 | i64::from(MOVE_BITS)
}

#[inline(always)]
fn is_above(key: i64, bound: i32) -> bool {
    key > highest(bound)
}

impl<S: Simd, const PINS: u8> Work<'_, S, PINS> {
    /// Whether each of many positions exceeds a bound, on `TWO` squares or on one.
    #[inline(always)]
    fn screen<const TWO: bool>(
        &mut self,
        positions: &[Position],
        opponent: bool,
        limits: &Limits,
        bound: i32,
        exceeds: &mut [Exceeds],
    ) {
        let mut last = [Position::zeroed(); MAX_LANES];
        let mut last_found = [Exceeds::default(); MAX_LANES];
        let mut start = 0;
        while start < positions.len() || self.open.len() > 0 {
            while start < positions.len() && self.open.len() < BLOCK {
                let (positions, exceeds) = (&positions[start..], &mut exceeds[start..]);
                if let (Some(lanes), Some(found)) =
                    (positions.first_chunk(), exceeds.first_chunk_mut())
                {
                    self.screen_lanes::<TWO>(lanes, start, S::LANES, opponent, limits, found);
                } else {
                    let count = S::LANES.min(positions.len());
                    last[..count].copy_from_slice(&positions[..count]);
                    last_found[..count].copy_from_slice(&exceeds[..count]);
                    self.screen_lanes::<TWO>(
                        &last,
                        start,
                        count,
                        opponent,
                        limits,
                        &mut last_found,
                    );
                    exceeds[..count].copy_from_slice(&last_found[..count]);
                }
                start += S::LANES;
            }
            self.decide::<TWO>(positions, opponent, bound, exceeds);
        }
    }

    /// Screens one register of positions.
    #[inline(always)]
    fn screen_lanes<const TWO: bool>(
        &mut self,
        positions: &[Position; MAX_LANES],
        start: usize,
        count: usize,
        opponent: bool,
        limits: &Limits,
        found: &mut [Exceeds; MAX_LANES],
    ) {
        let simd = self.simd;
        let positions = positions.each_ref();
        let screened = screen::screen::<S, PINS, TWO>(simd, limits, positions, opponent);
        let mut asked = simd.first_lanes(count);
        if opponent {
            asked = asked & not_in_check(simd, found);
        }
        let (in_check, above) = (screened.in_check.bits(), (asked & screened.exceeds).bits());
        if opponent {
            for (i, found) in found[..S::LANES].iter_mut().enumerate() {
                *threat_in::<TWO>(found) = above >> i & 1 != 0;
            }
        } else {
            let (fours, _) = found[..S::LANES].as_chunks_mut();
            for (i, four) in fours.iter_mut().enumerate() {
                let in_check = in_check >> (4 * i) & 15;
                let above = above >> (4 * i) & 15;
                *four = FOUND[(in_check | above << 4) as usize];
            }
        }
        let indices: PerLane = core::array::from_fn(|i| (start + i) as u32);
        let (targets, indices) = (screened.targets, simd.load(&indices));
        simd.pick(asked & screened.open, targets, indices, &mut self.open);
    }

    /// Runs all stages on up to a block of undecided positions.
    #[inline(always)]
    fn decide<const TWO: bool>(
        &mut self,
        positions: &[Position],
        opponent: bool,
        bound: i32,
        exceeds: &mut [Exceeds],
    ) {
        let mut owners = [0; BLOCK];
        let mut block = [Position::zeroed(); BLOCK];
        let mut count = 0;
        while count < BLOCK
            && let Some((targets, owner)) = self.open.pop()
        {
            self.wanted[count] = targets;
            owners[count] = owner as usize;
            block[count] = positions[owner as usize];
            count += 1;
        }
        if opponent {
            self.in_check = [0; BLOCK + MAX_LANES]; // else these positions would be skipped
        }
        self.judge::<TWO>(&block[..count], opponent, highest(bound));
        for (i, &owner) in owners[..count].iter().enumerate() {
            let found = &mut exceeds[owner];
            let above = if TWO {
                self.won[i].count_ones() > 1
            } else {
                is_above(self.best[i], bound)
            };
            if opponent {
                *threat_in::<TWO>(found) = above;
            } else {
                (found.in_check, found.see) = (self.in_check[i] != 0, above);
            }
        }
    }
}

/// The answer about the opponent.
#[inline(always)]
fn threat_in<const TWO: bool>(found: &mut Exceeds) -> &mut bool {
    if TWO {
        &mut found.double_threat
    } else {
        &mut found.threat
    }
}

#[inline(always)]
fn not_in_check<S: Simd>(simd: S, found: &[Exceeds; MAX_LANES]) -> MaskOf<S> {
    let mut lanes = [0; MAX_LANES];
    for (lane, found) in lanes.iter_mut().zip(found) {
        *lane = found.in_check.into();
    }
    simd.load(&lanes).misses(simd.splat(1))
}

//! Which positions exceed bounds: the screen decides most of them, the stages the rest.

use core::ops::Range;

use bytemuck::Zeroable as _;

use super::kernel::Kernel;
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use super::limits::Limits;
use super::rules::LaneRules;
use super::screen;
use super::stages::{BLOCK, MOVE_BITS, Work};
use crate::{Bounds, BoundsExceeded, Position, Rules};

/// Positions screened together, so that the undecided ones fill blocks, except the last.
const STRETCH: usize = 4096;

/// Whether each position exceeds the bounds.
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a> {
    /// The positions.
    pub positions: &'a [Position],
    /// The bounds.
    pub bounds: Bounds,
}

impl Kernel for Compare<'_> {
    type Answer = BoundsExceeded;
    const IS_SCREEN: bool = true;

    fn positions(&self) -> usize {
        self.positions.len()
    }

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, exceeds: &mut [BoundsExceeded]) {
        for (position, exceeds) in self.positions[positions].iter().zip(exceeds) {
            *exceeds = rules.exceeds(position, self.bounds);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Simd>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let bounds = self.bounds;
        let won = bounds.double_threat.then_some(0);
        let asked = [
            Query::new(simd, rules, false, bounds.see, false),
            Query::new(simd, rules, true, bounds.threat, false),
            Query::new(simd, rules, true, won, true),
        ];
        let mut work = Work::new(simd, &asked[0].rules);
        let stretches = self.positions[positions].chunks(STRETCH);
        for (positions, exceeds) in stretches.zip(exceeds.chunks_mut(STRETCH)) {
            for asked in &asked {
                // Without a bound the side to move is screened for checks.
                if asked.limits.bounded || !asked.opponent {
                    work.rules = &asked.rules;
                    work.screen(positions, asked, exceeds, |position| {
                        rules.exceeds(position, bounds)
                    });
                }
            }
        }
    }
}

/// What is asked about one side's captures.
struct Query<S: Simd> {
    /// Whether the opponent's, as if it were to move.
    opponent: bool,
    /// Nothing exceeds a missing one.
    bound: i32,
    limits: Limits,
    rules: LaneRules<S>,
}

impl<S: Simd> Query<S> {
    /// Whether captures exceed a bound, or captures of `two` pieces do.
    #[inline(always)]
    fn new(simd: S, rules: &Rules, opponent: bool, bound: Option<i32>, two: bool) -> Query<S> {
        let limits = Limits::new(rules, bound, two);
        let bound = bound.unwrap_or(i32::MAX);
        Query {
            opponent,
            bound,
            limits,
            rules: LaneRules::above(simd, rules, bound),
        }
    }
}

/// The answers for four bits of "in check" and four of "above the bound". A table, because the
/// compiler makes slow code of single bits.
static FOUND: [[BoundsExceeded; 4]; 256] = {
    let nothing = BoundsExceeded {
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

impl<S: Simd> Work<'_, S> {
    /// Answers about each of many positions.
    #[inline(always)]
    fn screen(
        &mut self,
        positions: &[Position],
        asked: &Query<S>,
        exceeds: &mut [BoundsExceeded],
        one: impl Fn(&Position) -> BoundsExceeded,
    ) {
        let mut start = 0;
        while start < positions.len() || self.open.len() > 0 {
            // A constant is faster here.
            start = if asked.opponent {
                self.screen_block::<true>(positions, start, asked, exceeds)
            } else {
                self.screen_block::<false>(positions, start, asked, exceeds)
            };
            if S::STAGES {
                self.decide(positions, asked, exceeds);
                continue;
            }
            while let Some((_, owner)) = self.open.pop() {
                exceeds[owner as usize] = one(&positions[owner as usize]);
            }
        }
    }

    /// Screens positions until a block of them is undecided; returns how many were screened.
    #[inline(always)]
    fn screen_block<const OPPONENT: bool>(
        &mut self,
        positions: &[Position],
        mut start: usize,
        asked: &Query<S>,
        exceeds: &mut [BoundsExceeded],
    ) -> usize {
        let mut last = [Position::zeroed(); MAX_LANES];
        let mut last_found = [BoundsExceeded::default(); MAX_LANES];
        while start < positions.len() && self.open.len() < BLOCK {
            let (positions, exceeds) = (&positions[start..], &mut exceeds[start..]);
            if let (Some(lanes), Some(found)) = (positions.first_chunk(), exceeds.first_chunk_mut())
            {
                self.screen_lanes::<OPPONENT>(lanes, start, S::LANES, asked, found);
            } else {
                let count = S::LANES.min(positions.len());
                last[..count].copy_from_slice(&positions[..count]);
                last_found[..count].copy_from_slice(&exceeds[..count]);
                self.screen_lanes::<OPPONENT>(&last, start, count, asked, &mut last_found);
                exceeds[..count].copy_from_slice(&last_found[..count]);
            }
            start += S::LANES;
        }
        start
    }

    /// Screens one register of positions.
    #[inline(always)]
    fn screen_lanes<const OPPONENT: bool>(
        &mut self,
        positions: &[Position; MAX_LANES],
        start: usize,
        count: usize,
        asked: &Query<S>,
        found: &mut [BoundsExceeded; MAX_LANES],
    ) {
        let simd = self.simd;
        let positions = positions.each_ref();
        let screened = screen::screen(simd, &asked.limits, positions, OPPONENT);
        let mut lanes = simd.first_lanes(count);
        if OPPONENT {
            lanes = lanes & not_in_check(simd, found);
        }
        let (in_check, above) = (screened.in_check.bits(), (lanes & screened.exceeds).bits());
        if OPPONENT {
            for (i, found) in found[..S::LANES].iter_mut().enumerate() {
                *threat_in(found, asked.limits.two) = above >> i & 1 != 0;
            }
        } else {
            // Two lanes write two answers too many; the next ones are written after them.
            let (fours, _) = found[..S::LANES.max(4)].as_chunks_mut();
            for (i, four) in fours.iter_mut().enumerate() {
                let in_check = in_check >> (4 * i) & 15;
                let above = above >> (4 * i) & 15;
                *four = FOUND[(in_check | above << 4) as usize];
            }
        }
        let indices: PerLane = core::array::from_fn(|i| (start + i) as u32);
        let (targets, indices) = (screened.targets, simd.load(&indices));
        simd.pick(lanes & screened.open, targets, indices, &mut self.open);
    }

    /// Runs all stages on up to a block of undecided positions.
    #[inline(always)]
    fn decide(&mut self, positions: &[Position], asked: &Query<S>, exceeds: &mut [BoundsExceeded]) {
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
        if asked.opponent {
            self.in_check = [0; BLOCK + MAX_LANES]; // else these positions would be skipped
        }
        self.judge(
            &block[..count],
            asked.opponent,
            asked.limits.two,
            highest(asked.bound),
        );
        for (i, &owner) in owners[..count].iter().enumerate() {
            let found = &mut exceeds[owner];
            let above = if asked.limits.two {
                self.won[i].count_ones() > 1
            } else {
                is_above(self.best[i], asked.bound)
            };
            if asked.opponent {
                *threat_in(found, asked.limits.two) = above;
            } else {
                (found.in_check, found.see) = (self.in_check[i] != 0, above);
            }
        }
    }
}

/// The answer about the opponent.
#[inline(always)]
fn threat_in(found: &mut BoundsExceeded, two: bool) -> &mut bool {
    if two {
        &mut found.double_threat
    } else {
        &mut found.threat
    }
}

#[inline(always)]
fn not_in_check<S: Simd>(simd: S, found: &[BoundsExceeded; MAX_LANES]) -> MaskOf<S> {
    let mut lanes = [0; MAX_LANES];
    for (lane, found) in lanes.iter_mut().zip(found) {
        *lane = found.in_check.into();
    }
    simd.load(&lanes).misses(simd.splat(1))
}

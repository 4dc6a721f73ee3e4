//! Which positions exceed bounds: the screen decides most of them, the stages the rest.

use core::ops::Range;

use bytemuck::Zeroable as _;

use super::exchange::LaneRules;
use super::kernel::Kernel;
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Sets, Simd, Stages, Word};
use super::screen::{self, Limits, Screen};
use super::stages::{BLOCK, MOVE_BITS, Work};
use crate::captures::Generator;
use crate::{Bounds, BoundsExceeded, Position, Rules};

/// Positions screened together, so that the undecided ones fill blocks, except the last.
const STRETCH: usize = 4096;

/// Whether each position exceeds the bounds.
#[derive(Clone, Copy)]
pub(crate) struct Compare<'a> {
    pub positions: &'a [Position],
    pub bounds: Bounds,
}

impl Kernel for Compare<'_> {
    type Answer = BoundsExceeded;

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, exceeds: &mut [BoundsExceeded]) {
        for (position, exceeds) in self.positions[positions].iter().zip(exceeds) {
            *exceeds = rules.exceeds(position, self.bounds);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let asked = Limits::all(rules, self.bounds);
        let rules = [
            LaneRules::above(simd, rules, asked[0].bound),
            LaneRules::above(simd, rules, asked[1].bound),
            LaneRules::above(simd, rules, asked[2].bound),
        ];
        let (mut work, mut open) = (Work::new(simd, &rules[0]), Open::new());
        let stretches = self.positions[positions].chunks(STRETCH);
        for (positions, exceeds) in stretches.zip(exceeds.chunks_mut(STRETCH)) {
            for (asked, rules) in asked.iter().zip(&rules) {
                work.rules = rules;
                let mut start = first(asked, positions);
                while start < positions.len() || open.len() > 0 {
                    start = screen_block(simd, positions, start, asked, &mut open, exceeds);
                    work.decide(positions, asked, &mut open, exceeds);
                }
            }
        }
    }

    #[inline(always)]
    fn by_screen<S: Simd>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let (positions, mut open) = (&self.positions[positions], Open::new());
        for asked in &Limits::all(rules, self.bounds) {
            let mut start = first(asked, positions);
            while start < positions.len() {
                start = screen_block(simd, positions, start, asked, &mut open, exceeds);
                while let Some((targets, owner)) = open.pop() {
                    let position = &positions[owner as usize];
                    let exceeds = &mut exceeds[owner as usize];
                    // All squares stand for promotions, en passant and odd positions.
                    if asked.opponent || targets == !0 {
                        *exceeds = rules.exceeds(position, self.bounds);
                    } else {
                        let moves = Generator::new(position, position.turn());
                        exceeds.see = rules.beats(position, &moves, targets, None, asked.bound);
                    }
                }
            }
        }
    }
}

/// Undecided positions: the victims in question, with the position's index.
type Open = Sets<{ 2 * BLOCK }>;

/// The first position to screen: without a bound the side to move is screened for checks.
#[inline(always)]
fn first(asked: &Limits, positions: &[Position]) -> usize {
    if asked.is_bounded() || !asked.opponent {
        0
    } else {
        positions.len()
    }
}

/// The answers for four bits of "in check" and four of "above the bound". A table, because the
/// compiler makes slow code of single bits.
static FOUND: [[BoundsExceeded; 4]; 256] = {
    let mut table = [[BoundsExceeded::of_bits(0); 4]; 256];
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

/// Screens positions until a block of them is undecided; returns how many were screened.
#[inline(always)]
fn screen_block<S: Simd>(
    simd: S,
    positions: &[Position],
    start: usize,
    asked: &Limits,
    open: &mut Open,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    // A constant is faster here.
    if asked.opponent {
        screen_side::<true, S>(simd, positions, start, asked, open, exceeds)
    } else {
        screen_side::<false, S>(simd, positions, start, asked, open, exceeds)
    }
}

#[inline(always)]
fn screen_side<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position],
    mut start: usize,
    asked: &Limits,
    open: &mut Open,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    let mut last = [Position::zeroed(); MAX_LANES];
    let mut last_found = [BoundsExceeded::default(); MAX_LANES];
    while start < positions.len() && open.len() < BLOCK {
        let (positions, exceeds) = (&positions[start..], &mut exceeds[start..]);
        let count = S::LANES.min(positions.len());
        let indices: PerLane = core::array::from_fn(|i| (start + i) as u32);
        let screened;
        if let (Some(lanes), Some(found)) = (positions.first_chunk(), exceeds.first_chunk_mut()) {
            screened = screen_lanes::<OPPONENT, S>(simd, lanes, count, asked, found);
        } else {
            last[..count].copy_from_slice(&positions[..count]);
            last_found[..count].copy_from_slice(&exceeds[..count]);
            screened = screen_lanes::<OPPONENT, S>(simd, &last, count, asked, &mut last_found);
            exceeds[..count].copy_from_slice(&last_found[..count]);
        }
        simd.pick(screened.open, screened.targets, simd.load(&indices), open);
        start += S::LANES;
    }
    start
}

/// Screens one register of positions.
#[inline(always)]
fn screen_lanes<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position; MAX_LANES],
    count: usize,
    asked: &Limits,
    found: &mut [BoundsExceeded; MAX_LANES],
) -> Screen<S> {
    let positions = positions.each_ref();
    let mut screened = screen::screen(simd, asked, positions, OPPONENT);
    let mut lanes = simd.first_lanes(count);
    if OPPONENT {
        lanes = lanes & not_in_check(simd, found);
    }
    let (in_check, above) = (screened.in_check.bits(), (lanes & screened.exceeds).bits());
    if OPPONENT {
        for (i, found) in found[..S::LANES].iter_mut().enumerate() {
            *threat_in(found, asked.two) = above >> i & 1 != 0;
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
    screened.open = lanes & screened.open;
    screened
}

impl<S: Stages> Work<'_, S> {
    /// Runs all stages on up to a block of undecided positions.
    #[inline(always)]
    fn decide(
        &mut self,
        positions: &[Position],
        asked: &Limits,
        open: &mut Open,
        exceeds: &mut [BoundsExceeded],
    ) {
        let mut owners = [0; BLOCK];
        let mut block = [Position::zeroed(); BLOCK];
        let mut count = 0;
        while count < BLOCK
            && let Some((targets, owner)) = open.pop()
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
            asked.two,
            highest(asked.bound),
        );
        for (i, &owner) in owners[..count].iter().enumerate() {
            let found = &mut exceeds[owner];
            let above = if asked.two {
                self.won[i].count_ones() > 1
            } else {
                self.best[i] > highest(asked.bound)
            };
            if asked.opponent {
                *threat_in(found, asked.two) = above;
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

//! Scores of explicit moves: gathered into groups of one move a lane.

use super::Moves;
use super::exchange::{GROUPS, Group, LaneRules, see};
use super::lanes::{MAX_LANES, Simd, Word};
use crate::exchange::{NO_PINS, SF_PINS, SF8_PINS};
use crate::{Capture, Pins, Position, Rules};

/// Moves are listed so many at a time, in buffers that stay in the first cache.
const BLOCK: usize = 512;

/// A buffer's length: any move in it can be the first of two groups, or the first
/// of a position's.
const PADDED: usize = BLOCK + (GROUPS + 1) * MAX_LANES;

/// The scores of moves. `Pins::Legal` is the scalar exchange's.
#[inline(always)]
pub(super) fn score<S: Simd>(simd: S, rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
    match rules.pins {
        Pins::None | Pins::Legal => run::<S, NO_PINS>(simd, rules, moves, scores),
        Pins::Sf8 => run::<S, SF8_PINS>(simd, rules, moves, scores),
        Pins::Sf => run::<S, SF_PINS>(simd, rules, moves, scores),
    }
}

#[inline(always)]
fn run<S: Simd, const PINS: u8>(simd: S, rules: &Rules, moves: Moves<'_>, scores: &mut [i32]) {
    let rules = LaneRules::new(simd, rules);
    let mut owners = [0; PADDED];
    let mut captures = [Capture::default(); PADDED];
    let mut owner = 0;
    let blocks = moves.captures.chunks(BLOCK).zip(scores.chunks_mut(BLOCK));
    for (i, (block, scores)) in blocks.enumerate() {
        owner = mark(&mut owners, owner, moves, i * BLOCK, block.len());
        captures[..block.len()].copy_from_slice(block);
        for (i, scores) in scores.chunks_mut(S::LANES * GROUPS).enumerate() {
            let start = i * S::LANES * GROUPS;
            let groups = [start, start + S::LANES]
                .map(|start| group(moves.positions, &owners[start..], &captures[start..]));
            let [first, second] = see::<S, PINS>(simd, &rules, &groups);
            let (low, high) = scores.split_at_mut(S::LANES.min(scores.len()));
            store(first.value, low);
            store(second.value, high);
        }
    }
}

/// Notes whose each of the `count` moves from `start` on is, beginning with
/// `owner`; the owner of the last one.
#[inline(always)]
fn mark(
    owners: &mut [u32; PADDED],
    mut owner: usize,
    moves: Moves<'_>,
    start: usize,
    count: usize,
) -> usize {
    let mut marked = 0;
    loop {
        let end = (moves.ends[owner] - moves.first - start).min(count);
        // Nearly always enough, and quicker than to count.
        let few: &mut [u32; MAX_LANES] = owners[marked..].first_chunk_mut().expect("padded");
        *few = [owner as u32; MAX_LANES];
        if end > marked + MAX_LANES {
            owners[marked..end].fill(owner as u32);
        }
        if end == count {
            return owner;
        }
        marked = end;
        owner += 1;
    }
}

/// The moves at the head of two lists.
#[inline(always)]
fn group<'a>(positions: &'a [Position], owners: &[u32], captures: &[Capture]) -> Group<'a> {
    let owners: &[u32; MAX_LANES] = owners.first_chunk().expect("padded");
    Group {
        positions: owners.map(|owner| &positions[owner as usize]),
        captures: *captures.first_chunk().expect("padded"),
    }
}

#[inline(always)]
fn store(values: impl Word, scores: &mut [i32]) {
    let mut lanes = [0; MAX_LANES];
    values.store_values(&mut lanes);
    for (score, value) in scores.iter_mut().zip(lanes) {
        *score = value;
    }
}

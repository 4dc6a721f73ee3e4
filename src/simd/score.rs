//! Scores of explicit moves: gathered into groups of one a lane.

use super::exchange::{GROUPS, Group, LaneRules, see};
use super::lanes::{MAX_LANES, Simd, Word};
use crate::exchange::{NO_PINS, SF_PINS, SF8_PINS};
use crate::{Capture, InsidePromotion, Pins, Position, Rules};

/// Moves are listed so many at a time, in a buffer that stays in the first cache.
const BLOCK: usize = 512;

/// The scores of moves, each given with the index of its position.
///
/// Pins must not be `legal`: that is the scalar exchange's.
#[inline(always)]
pub(super) fn score<S: Simd>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    ends: &[usize],
    captures: &[Capture],
    scores: &mut [i32],
) {
    let queens = rules.inside_promotion == InsidePromotion::Queen;
    match (rules.pins, queens) {
        (Pins::Sf8, false) => run::<S, SF8_PINS, false>(simd, rules, positions, ends, captures, scores),
        (Pins::Sf8, true) => run::<S, SF8_PINS, true>(simd, rules, positions, ends, captures, scores),
        (Pins::Sf, false) => run::<S, SF_PINS, false>(simd, rules, positions, ends, captures, scores),
        (Pins::Sf, true) => run::<S, SF_PINS, true>(simd, rules, positions, ends, captures, scores),
        (_, false) => run::<S, NO_PINS, false>(simd, rules, positions, ends, captures, scores),
        (_, true) => run::<S, NO_PINS, true>(simd, rules, positions, ends, captures, scores),
    }
}

/// As [`score`] for a kind of pins; `ends` tells where each position's moves end,
/// less those before `captures`.
#[inline(always)]
fn run<S: Simd, const PINS: u8, const QUEENS: bool>(
    simd: S,
    rules: &Rules,
    positions: &[Position],
    ends: &[usize],
    captures: &[Capture],
    scores: &mut [i32],
) {
    let rules = LaneRules::new(simd, rules);
    let mut owners = [0_u32; BLOCK + GROUPS * MAX_LANES + MAX_LANES];
    let mut moves = [Capture::default(); BLOCK + GROUPS * MAX_LANES + MAX_LANES];
    let mut owner = 0;
    let mut done = 0;
    while done < captures.len() {
        // Mark whose the next moves are; the last owner's may overflow the block.
        let block = &captures[done..captures.len().min(done + BLOCK)];
        let mut marked = 0;
        while marked < block.len() {
            let end = (ends[owner] - done).min(block.len());
            let few: &mut [u32; MAX_LANES] = owners[marked..].first_chunk_mut().expect("padded");
            *few = [owner as u32; MAX_LANES];
            if end > marked + MAX_LANES {
                owners[marked..end].fill(owner as u32);
            }
            marked = end;
            owner += usize::from(ends[owner] <= done + end);
        }
        moves[..block.len()].copy_from_slice(block);
        let scores = &mut scores[done..done + block.len()];
        for (i, scores) in scores.chunks_mut(S::LANES * GROUPS).enumerate() {
            let start = i * S::LANES * GROUPS;
            let groups = [start, start + S::LANES]
                .map(|start| group(positions, &owners[start..], &moves[start..]));
            let [first, second] = see::<S, PINS, QUEENS>(simd, &rules, &groups);
            let (low, high) = scores.split_at_mut(S::LANES.min(scores.len()));
            store(first, low);
            store(second, high);
        }
        done += block.len();
    }
}

#[inline(always)]
fn group<'a>(positions: &'a [Position], owners: &[u32], moves: &[Capture]) -> Group<'a> {
    let owners: &[u32; MAX_LANES] = owners.first_chunk().expect("padded");
    Group {
        positions: owners.map(|i| &positions[i as usize]),
        captures: *moves.first_chunk().expect("padded"),
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

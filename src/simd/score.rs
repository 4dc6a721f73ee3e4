//! Scores of given moves, one per lane: first all moves at once, then those that need an
//! exchange.

use core::ops::Range;

use super::board::may_bar;
use super::exchange::{Exchange, GROUPS, Group, LaneRules, see};
use super::lanes::{List, MAX_LANES, Mask, MaskOf, PerLane, Stages, Values, Word};
use super::path::Kernel;
use crate::{Batch, Capture, Pins, Position, Rules};

/// Moves per block: its buffers stay in the L1 cache.
const BLOCK: usize = 512;

/// A buffer's length: full registers may start at any move.
const PADDED: usize = BLOCK + GROUPS * MAX_LANES;

/// Scores the moves of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Score<'a>(pub &'a Batch);

impl Score<'_> {
    /// The moves of some positions.
    #[inline(always)]
    fn moves(self, positions: &Range<usize>) -> Range<usize> {
        let ends = &self.0.ends;
        let end = |positions: usize| positions.checked_sub(1).map_or(0, |last| ends[last]);
        end(positions.start)..end(positions.end)
    }
}

impl Kernel for Score<'_> {
    type Answer = i32;

    fn answers(&self, positions: Range<usize>) -> usize {
        self.moves(&positions).len()
    }

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, scores: &mut [i32]) {
        let (batch, first) = (self.0, self.moves(&positions).start);
        for index in positions {
            let (position, moves) = (&batch.positions()[index], batch.range(index));
            let scores = &mut scores[moves.start - first..];
            for (&capture, score) in batch.captures()[moves].iter().zip(scores) {
                *score = rules.see(position, capture);
            }
        }
    }

    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        scores: &mut [i32],
    ) {
        let rules = LaneRules::new(simd, rules);
        let moves = self.moves(&positions);
        let (ends, first) = (&self.0.ends[positions.clone()], moves.start);
        let mut block = Block::new(&self.0.positions()[positions]);
        let mut owner = 0;
        let captures = self.0.captures()[moves].chunks(BLOCK);
        for (i, (captures, scores)) in captures.zip(scores.chunks_mut(BLOCK)).enumerate() {
            owner = mark(
                &mut block.owners,
                owner,
                ends,
                first + i * BLOCK,
                captures.len(),
            );
            block.captures[..captures.len()].copy_from_slice(captures);
            block.score_at_once(simd, &rules, scores);
            block.score_contested(simd, &rules, scores);
        }
    }
}

/// Moves with the indices of their positions.
struct Block<'a> {
    positions: &'a [Position],
    owners: [u32; PADDED],
    captures: [Capture; PADDED],
    /// Moves that need an exchange.
    contested: List<PADDED>,
}

impl Block<'_> {
    fn new(positions: &[Position]) -> Block<'_> {
        Block {
            positions,
            owners: [0; PADDED],
            captures: [Capture::default(); PADDED],
            contested: List::new(),
        }
    }

    /// Scores moves that need no exchange, and lists the others.
    #[inline(always)]
    fn score_at_once<S: Stages>(&mut self, simd: S, rules: &LaneRules<S>, scores: &mut [i32]) {
        /// List entries written without a branch.
        const FEW: u32 = 4;
        for (i, scores) in scores.chunks_mut(S::LANES).enumerate() {
            let start = i * S::LANES;
            let (values, open) = settle(simd, rules, &self.in_row(start));
            let open = u64::from((open & simd.first_lanes(scores.len())).bits());
            let (low, high) = (open & ((1 << FEW) - 1), open >> FEW);
            self.contested.extend_set::<0>(low, start as u32);
            if S::LANES > FEW as usize {
                self.contested.extend_set::<0>(high, start as u32 + FEW);
            }
            store(values, scores);
        }
    }

    #[inline(always)]
    fn score_contested<S: Stages>(&mut self, simd: S, rules: &LaneRules<S>, scores: &mut [i32]) {
        while self.contested.has(1, true) {
            let (moves, count) = self
                .contested
                .pop::<{ MAX_LANES * GROUPS }>(S::LANES * GROUPS);
            let groups = [self.listed(&moves), self.listed(&moves[S::LANES..])];
            let [first, second] = see(simd, rules, &groups);
            let mut values = [0; MAX_LANES * GROUPS];
            store(first.value, &mut values);
            store(second.value, &mut values[S::LANES..]);
            for (index, value) in moves.into_iter().zip(values).take(count) {
                scores[index as usize] = value;
            }
        }
    }

    /// The moves from `start` on.
    #[inline(always)]
    fn in_row(&self, start: usize) -> Group<'_> {
        let owners: &[u32; MAX_LANES] = self.owners[start..].first_chunk().expect("padded");
        Group {
            positions: owners.map(|owner| &self.positions[owner as usize]),
            captures: *self.captures[start..].first_chunk().expect("padded"),
        }
    }

    /// The moves at these indices; stale ones are reduced to valid indices.
    #[inline(always)]
    fn listed(&self, indices: &[u32]) -> Group<'_> {
        let indices: &PerLane = indices.first_chunk().expect("padded");
        let indices = indices.map(|index| index as usize % BLOCK);
        Group {
            positions: indices.map(|index| &self.positions[self.owners[index] as usize]),
            captures: indices.map(|index| self.captures[index]),
        }
    }
}

/// Notes the owner of each of the `count` moves from `start` on, beginning with `owner`;
/// returns the last owner. `ends` are those of the positions' moves.
#[inline(always)]
fn mark(
    owners: &mut [u32; PADDED],
    mut owner: usize,
    ends: &[usize],
    start: usize,
    count: usize,
) -> usize {
    let mut marked = 0;
    loop {
        let end = (ends[owner] - start).min(count);
        // Nearly always enough, and faster than counting.
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

#[inline(always)]
fn store(values: impl Values, scores: &mut [i32]) {
    let mut lanes = [0; MAX_LANES];
    values.store_values(&mut lanes);
    for (score, value) in scores.iter_mut().zip(lanes) {
        *score = value;
    }
}

/// The values of moves that need no exchange, and the lanes that do: where a slider joins, or
/// both sides can recapture twice, or a pin may bar a recapture.
#[inline(always)]
fn settle<S: Stages>(simd: S, rules: &LaneRules<S>, group: &Group) -> (S::Word, MaskOf<S>) {
    let exchange = Exchange::open(simd, rules, Pins::None, group);
    let unsettled = exchange.unsettled();
    let left = Attackers::new(&exchange);
    let lost = exchange.standing.sub_value(left.won_back(simd, rules));
    let lost = lost.max_value(simd.splat_value(0));
    let defended = left.answer.meets(left.answer);
    let value = defended.select(exchange.balance.sub_value(lost), exchange.balance);
    let value = unsettled.select(value, exchange.alpha);
    let mut contested = left.goes_on(simd);
    if rules.queens {
        contested = contested | exchange.last_rank; // or promote
    }
    if rules.pins != Pins::None {
        let (board, attackers) = (&exchange.board, exchange.attackers);
        for side in [exchange.opponent, !exchange.opponent] {
            contested = contested | may_bar(simd, board, side, attackers);
        }
    }
    (value, unsettled & defended & contested)
}

/// The attackers left after the first moves.
struct Attackers<'a, S: Stages> {
    exchange: &'a Exchange<'a, S>,
    ours: S::Word,
    /// The other side's recapture, its piece code, and its other guards.
    answer: S::Word,
    code: S::Word,
    guards: S::Word,
}

impl<'a, S: Stages> Attackers<'a, S> {
    #[inline(always)]
    fn new(exchange: &'a Exchange<'a, S>) -> Self {
        let ours = exchange.attackers & !exchange.opponent;
        let theirs = exchange.attackers & exchange.opponent;
        let (first, code) = exchange.least_valuable(theirs);
        Attackers {
            exchange,
            ours,
            answer: exchange.board.may_recapture(first, ours),
            code,
            guards: theirs & !first,
        }
    }

    /// What the first mover's side wins back for its piece if it is recaptured, provided no
    /// slider joins and one side has at most one attacker.
    #[inline(always)]
    fn won_back(&self, simd: S, rules: &LaneRules<S>) -> S::Word {
        let (board, zero) = (&self.exchange.board, simd.splat_value(0));
        let ours = board.may_recapture(self.ours, self.guards);
        let rest = board.may_recapture(self.guards, simd.splat(0));
        let capturer = rules.value(simd, board.code_at(simd, self.ours));
        let lost = rest.meets(rest).keep(capturer.max_value(zero));
        let won = rules.value(simd, self.code).sub_value(lost);
        ours.meets(ours).keep(won.max_value(zero))
    }

    /// Lanes that need an exchange.
    #[inline(always)]
    fn goes_on(&self, simd: S) -> MaskOf<S> {
        let exchange = self.exchange;
        let several = self.ours.meets(self.ours - simd.splat(1));
        let long = several & self.guards.meets(self.guards);
        let behind = exchange.occupied & !exchange.attackers;
        let joining = exchange.lines.nearest(simd, behind) & exchange.aligned;
        let others = exchange.attackers | exchange.aligned & exchange.occupied;
        (long | joining.meets(joining)) & others.meets(!exchange.opponent)
    }
}

//! The SEE of given moves, one per lane.
//!
//! A batch has positions with any number of moves each. Its moves are taken in blocks of 512, in
//! their order, wherever one position ends and the next begins: `mark` notes for each move which
//! position it is of. Then there are two passes. The first plays every move and scores those that
//! need no exchange (no slider joins, and one of the two sides can recapture at most once); it
//! lists the others. The second takes full registers from that list and plays their exchanges.

use core::ops::Range;

use super::board::may_bar;
use super::exchange::{Exchange, GROUPS, Group, LaneRules, see};
use super::lanes::{List, MAX_LANES, Mask, MaskOf, PerLane, Stages, Values, Word, each};
use super::unit::LaneKernel;
use crate::{Batch, PackedMove, Pins, Position, Rules};

/// Moves per block: its buffers stay in the L1 cache.
const BLOCK: usize = 512;

/// A buffer's length: full registers may start at any move.
const PADDED: usize = BLOCK + GROUPS * MAX_LANES;

/// Scores all moves of a batch.
#[derive(Clone, Copy)]
pub(crate) struct ScoreKernel<'a>(pub &'a Batch);

impl ScoreKernel<'_> {
    /// The range of the moves of some positions; `ends` has where each position's moves end.
    #[inline(always)]
    fn moves(self, positions: &Range<usize>) -> Range<usize> {
        let ends = &self.0.ends;
        let end = |positions: usize| positions.checked_sub(1).map_or(0, |last| ends[last]);
        end(positions.start)..end(positions.end)
    }
}

impl LaneKernel for ScoreKernel<'_> {
    type Answer = i32;

    fn answers(&self, positions: Range<usize>) -> usize {
        self.moves(&positions).len()
    }

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, scores: &mut [i32]) {
        let batch = self.0;
        let first = self.moves(&positions).start;
        for index in positions {
            let position = &batch.positions()[index];
            let moves = batch.range(index);
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
        let ends = &self.0.ends[positions.clone()];
        let first = moves.start;
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

/// A block of moves with the indices of their positions.
struct Block<'a> {
    positions: &'a [Position],
    owners: [u32; PADDED],
    captures: [PackedMove; PADDED],
    /// The indices in the block of moves that need an exchange.
    contested: List<PADDED>,
}

impl Block<'_> {
    fn new(positions: &[Position]) -> Block<'_> {
        Block {
            positions,
            owners: [0; PADDED],
            captures: [PackedMove::default(); PADDED],
            contested: List::new(),
        }
    }

    /// The first pass: scores moves that need no exchange, and lists the others.
    #[inline(always)]
    fn score_at_once<S: Stages>(&mut self, simd: S, rules: &LaneRules<S>, scores: &mut [i32]) {
        /// List entries written without a branch.
        const FEW: u32 = 4;
        for (i, scores) in scores.chunks_mut(S::LANES).enumerate() {
            let start = i * S::LANES;
            let (values, open) = settle(simd, rules, &self.in_row(start));
            let contested = u64::from((open & simd.first_lanes(scores.len())).bits());
            let low = contested & ((1 << FEW) - 1);
            let high = contested >> FEW;
            self.contested.extend_set::<0>(low, start as u32);
            if S::LANES > FEW as usize {
                self.contested.extend_set::<0>(high, start as u32 + FEW);
            }
            store(values, scores);
        }
    }

    /// The second pass: plays the exchanges of the listed moves, two registers at a time.
    #[inline(always)]
    fn score_contested<S: Stages>(&mut self, simd: S, rules: &LaneRules<S>, scores: &mut [i32]) {
        while self.contested.len() > 0 {
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

    /// A register of moves, from `start` on.
    #[inline(always)]
    fn in_row(&self, start: usize) -> Group<'_> {
        let owners: &[u32; MAX_LANES] = self.owners[start..].first_chunk().expect("padded");
        Group {
            positions: each(*owners, |owner| &self.positions[owner as usize]),
            captures: *self.captures[start..].first_chunk().expect("padded"),
        }
    }

    /// The moves at these indices in the block. Indices beyond the list's end are stale, and are
    /// reduced to valid ones.
    #[inline(always)]
    fn listed(&self, indices: &[u32]) -> Group<'_> {
        let in_list: &PerLane = indices.first_chunk().expect("padded");
        let valid = each(*in_list, |index| index as usize % BLOCK);
        Group {
            positions: each(valid, |index| &self.positions[self.owners[index] as usize]),
            captures: each(valid, |index| self.captures[index]),
        }
    }
}

/// Notes the owner, the index of the position, of each of the `count` moves from `start` on. The
/// first of them belongs to `owner` or a later position; returns the last owner. `ends[i]` is where
/// the moves of position i end.
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

/// Writes the values of the first lanes, as many as there are scores.
#[inline(always)]
fn store(values: impl Values, scores: &mut [i32]) {
    let mut lanes = [0; MAX_LANES];
    values.store_values(&mut lanes);
    for (score, value) in scores.iter_mut().zip(lanes) {
        *score = value;
    }
}

/// The values of moves that need no exchange, and the lanes of those that do: where a slider joins,
/// or both sides can recapture twice, or a pin may bar a recapture.
#[inline(always)]
fn settle<S: Stages>(simd: S, rules: &LaneRules<S>, group: &Group) -> (S::Word, MaskOf<S>) {
    let exchange = Exchange::play_first(simd, rules, Pins::None, group);
    let unsettled = exchange.unsettled();
    let attackers = Attackers::new(&exchange);
    let won_back = attackers.won_back(simd, rules);
    // The other side does not recapture where it would lose by that.
    let loss = exchange
        .standing
        .sub_value(won_back)
        .max_value(simd.splat_value(0));
    let defended = attackers.recapturer.meets(attackers.recapturer);
    let after_recapture = exchange.balance.sub_value(loss);
    let of_contested = defended.select(after_recapture, exchange.balance);
    // What the kind of the move settles, such as castling, has its value already.
    let value = unsettled.select(of_contested, exchange.alpha);
    let mut contested = attackers.go_on(simd);
    if rules.queens {
        contested = contested | exchange.last_rank; // a pawn may promote by recapturing
    }
    if rules.pins != Pins::None {
        for side in [exchange.opponent, !exchange.opponent] {
            contested = contested | may_bar(simd, &exchange.board, side, exchange.attackers);
        }
    }
    (value, unsettled & defended & contested)
}

/// The attackers of the targets that are left after the first moves.
struct Attackers<'a, S: Stages> {
    exchange: &'a Exchange<'a, S>,
    /// The attackers of the first mover's side.
    ours: S::Word,
    /// The other side's piece that recaptures, as a bit; 0 if none may.
    recapturer: S::Word,
    /// The piece code of the recapturer.
    code: S::Word,
    /// The other side's other attackers.
    others: S::Word,
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
            recapturer: exchange.board.may_recapture(first, ours),
            code,
            others: theirs & !first,
        }
    }

    /// What the first mover's side wins back for its piece if it is recaptured, provided no
    /// slider joins and one side has at most one attacker.
    #[inline(always)]
    fn won_back(&self, simd: S, rules: &LaneRules<S>) -> S::Word {
        let board = &self.exchange.board;
        let zero = simd.splat_value(0);
        let ours = board.may_recapture(self.ours, self.others);
        let others = board.may_recapture(self.others, simd.splat(0));
        let capturer = rules.value(simd, board.code_at(simd, self.ours));
        let loss = others.meets(others).keep(capturer.max_value(zero));
        let win = rules.value(simd, self.code).sub_value(loss);
        ours.meets(ours).keep(win.max_value(zero))
    }

    /// Lanes where more captures may follow than [`Attackers::won_back`] looks at: both sides have
    /// two attackers or more, or a slider joins; and the first mover's side has anything to capture
    /// with.
    #[inline(always)]
    fn go_on(&self, simd: S) -> MaskOf<S> {
        let exchange = self.exchange;
        let several = self.ours.meets(self.ours - simd.splat(1));
        let is_long = several & self.others.meets(self.others);
        let behind = exchange.occupied & !exchange.attackers;
        let joining = exchange.lines.nearest(simd, behind) & exchange.aligned;
        let pieces = exchange.attackers | exchange.aligned & exchange.occupied;
        (is_long | joining.meets(joining)) & pieces.meets(!exchange.opponent)
    }
}

//! Captures whose value takes no exchange: `exchange/settled.rs` in lanes.
//!
//! Two forms, since verdicts settle all captures of a target in one lane and before
//! any is made, where little is known and most is settled; and scores, one move a
//! lane, know who is left once it is made. Either one in the other's place is slower
//! (PERFORMANCE.md). The bounds of `screen` are a third: they have no target.

use super::exchange::Exchange;
use super::first_move::Group;
use super::lanes::{Mask, MaskOf, Simd, Word};
use super::noisy::Target;
use super::rules::LaneRules;
use crate::attacks::LAST_RANKS;
use crate::exchange::{INFINITE, NO_PINS};

/// What is known of one target's captures, a lane each.
pub(super) struct Settled<S: Simd> {
    /// Lanes where all is known.
    pub lanes: MaskOf<S>,
    /// What each capture is worth there.
    pub value: S::Word,
    /// What none of the captures is worth more than; beyond every value where one
    /// may turn out illegal.
    pub bound: S::Word,
}

/// Settled are captures that nobody can answer, or nobody the answer. Then they win
/// the victim, or lose the capturer for it if the other side likes. A slider that
/// stands behind an attacker leaves a lane open.
#[inline(always)]
pub(super) fn captures<S: Simd, const PINS: u8>(
    simd: S,
    rules: &LaneRules<S>,
    target: &Target<S>,
) -> Settled<S> {
    let board = &target.board;
    let behind = board.occupied() & !target.attackers;
    let joining = target.lines.nearest(simd, behind) & target.aligned;
    let theirs = target.attackers & target.them;
    let answers = board.may_recapture(theirs, simd.splat(0));
    let answered = is_alone::<S, PINS>(simd, rules, target) & answers.meets(answers);
    let undefended = theirs.misses(theirs);
    let victim = rules.value(simd, board.code_at(simd, target.lines.square));
    // The only one, where it matters.
    let capturer = rules.value(simd, board.code_at(simd, target.capturers));
    let lost = capturer.max_value(simd.splat(0));
    let kings = target.capturers.meets(board.kings());
    Settled {
        lanes: (undefended | answered) & joining.misses(joining),
        value: undefended.select(victim, victim.sub_value(lost)),
        bound: kings.select(simd.splat_value(INFINITE), victim),
    }
}

/// Lanes with one attacker of its side, which any defender may take.
#[inline(always)]
fn is_alone<S: Simd, const PINS: u8>(
    simd: S,
    rules: &LaneRules<S>,
    target: &Target<S>,
) -> MaskOf<S> {
    if PINS != NO_PINS {
        return simd.first_lanes(0); // defenders may be barred
    }
    let own = target.attackers & !target.them;
    let alone = own.misses(own & (own - simd.splat(1)));
    if rules.queens {
        // Who takes it there may become a queen.
        return alone & target.lines.square.misses(simd.splat(LAST_RANKS));
    }
    alone
}

/// What a register of moves is worth where that takes no exchange, and the lanes
/// where it does: those where a slider joins, or both sides can recapture twice.
/// Without pins, since who answers may be barred.
#[inline(always)]
pub(super) fn moves<S: Simd>(simd: S, rules: &LaneRules<S>, group: &Group) -> (S::Word, MaskOf<S>) {
    let exchange = Exchange::<S, NO_PINS>::open(simd, rules, group);
    let unsettled = exchange.unsettled();
    let left = Left::new(&exchange);
    let lost = exchange.standing.sub_value(left.won_back(simd, rules));
    let lost = lost.max_value(simd.splat_value(0));
    let defended = left.answer.meets(left.answer);
    let value = defended.select(exchange.balance.sub_value(lost), exchange.balance);
    let value = unsettled.select(value, exchange.alpha);
    let mut contested = left.goes_on(simd);
    if rules.queens {
        contested = contested | exchange.last_rank; // or promote
    }
    (value, unsettled & defended & contested)
}

/// Who can go on once the first moves are made.
struct Left<'a, S: Simd> {
    exchange: &'a Exchange<'a, S, NO_PINS>,
    ours: S::Word,
    /// The other side's recapture, its piece code, and who guards that.
    answer: S::Word,
    code: S::Word,
    guards: S::Word,
}

impl<'a, S: Simd> Left<'a, S> {
    #[inline(always)]
    fn new(exchange: &'a Exchange<'a, S, NO_PINS>) -> Self {
        let ours = exchange.attackers & !exchange.opponent;
        let theirs = exchange.attackers & exchange.opponent;
        let (first, code) = exchange.least_valuable(theirs);
        Left {
            exchange,
            ours,
            answer: exchange.board.may_recapture(first, ours),
            code,
            guards: theirs & !first,
        }
    }

    /// What the first mover's side gets for its piece if the other one recaptures,
    /// where no slider joins and one of both has no more than one attacker.
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

    /// Lanes where [`Left::won_back`] does not know enough.
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

//! Captures whose value needs no exchange: `exchange/settled.rs` in lanes.
//!
//! Two forms: verdicts settle all captures of a target in one lane, before any is made; scores
//! have one move per lane and know the attackers left after it. Using either for the other is
//! slower (docs/performance.md). The bounds of `screen` are a third form, without targets.

use super::exchange::{Exchange, Group, LaneRules};
use super::lanes::{Mask, MaskOf, Stages, Values, Word};
use super::noisy::Target;
use super::pins;
use crate::Pins;
use crate::attacks::LAST_RANKS;
use crate::exchange::INFINITE;

/// What is known about the captures of a target, per lane.
pub(super) struct KnownValues<S: Stages> {
    /// Lanes where all captures are settled.
    pub lanes: MaskOf<S>,
    /// The value of each capture there.
    pub value: S::Word,
    /// An upper bound on the captures' values; infinite if one may turn out illegal.
    pub bound: S::Word,
}

/// A capture is settled if nobody can recapture, or nobody can answer the recapture. It then
/// wins the victim, or loses the capturer for it if the other side chooses. A slider behind an
/// attacker leaves the lane open.
#[inline(always)]
pub(super) fn captures<S: Stages>(
    simd: S,
    rules: &LaneRules<S>,
    target: &Target<S>,
) -> KnownValues<S> {
    let board = &target.board;
    let behind = board.occupied() & !target.attackers;
    let joining = target.lines.nearest(simd, behind) & target.aligned;
    let theirs = target.attackers & target.them;
    let answers = board.may_recapture(theirs, simd.splat(0));
    let answered = is_alone(simd, rules, target) & answers.meets(answers);
    let undefended = theirs.misses(theirs);
    let victim = rules.value(simd, board.code_at(simd, target.lines.square));
    // The only capturer, where this is used.
    let capturer = rules.value(simd, board.code_at(simd, target.capturers));
    let lost = capturer.max_value(simd.splat(0));
    let kings = target.capturers.meets(board.kings());
    KnownValues {
        lanes: (undefended | answered) & joining.misses(joining),
        value: undefended.select(victim, victim.sub_value(lost)),
        bound: kings.select(simd.splat_value(INFINITE), victim),
    }
}

/// Lanes with one attacker of its side, which any defender may capture.
#[inline(always)]
fn is_alone<S: Stages>(simd: S, rules: &LaneRules<S>, target: &Target<S>) -> MaskOf<S> {
    let own = target.attackers & !target.them;
    let mut alone = own.misses(own & (own - simd.splat(1)));
    if rules.pins != Pins::None {
        alone = alone & !pins::may_bar(simd, &target.board, target.them, target.attackers);
    }
    if rules.queens {
        // A pawn that recaptures there may become a queen.
        return alone & target.lines.square.misses(simd.splat(LAST_RANKS));
    }
    alone
}

/// The values of moves that need no exchange, and the lanes that do: where a slider joins, or
/// both sides can recapture twice, or a pin may bar a recapture.
#[inline(always)]
pub(super) fn moves<S: Stages>(
    simd: S,
    rules: &LaneRules<S>,
    group: &Group,
) -> (S::Word, MaskOf<S>) {
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
            contested = contested | pins::may_bar(simd, board, side, attackers);
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

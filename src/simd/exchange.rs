//! The exchange in lanes: `exchange.rs`, one move a lane, and no branch but the
//! loop's end.
//!
//! Alpha and beta stay in the first mover's view here. A lane is done when they
//! meet: whoever may stop clamps its bound to the balance, and who cannot
//! recapture draws the other bound to its own. What a finished lane does further
//! changes nothing.

use super::board::{Board, Lines};
use super::lanes::{MAX_LANES, Mask, MaskOf, PerLane, Simd, Word};
use super::pins::Barred;
use crate::captures::fill::Shift as _;
use crate::exchange::{INFINITE, NO_PINS};
use crate::{Capture, EnPassant, FirstPromotion, InsidePromotion, Position, Rules};

/// The rules, spread over lanes once for many moves.
pub(super) struct LaneRules<S: Simd> {
    en_passant: EnPassant,
    first_promotion: FirstPromotion,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    pub queens: bool,
    /// By piece code.
    table: S::Table,
    /// The same, but kings cost more than can be won back, or all that and a king.
    answers: S::Table,
    guards: S::Table,
    pawn: S::Word,
    queen: S::Word,
    /// What alpha and beta begin with.
    window: [S::Word; 2],
}

impl<S: Simd> LaneRules<S> {
    /// For exact values.
    #[inline(always)]
    pub(super) fn new(simd: S, rules: &Rules) -> LaneRules<S> {
        LaneRules::within(simd, rules, -INFINITE, INFINITE)
    }

    /// For values that tell whether they are above a bound, and nothing more: many
    /// exchanges end sooner.
    #[inline(always)]
    pub(super) fn above(simd: S, rules: &Rules, bound: i32) -> LaneRules<S> {
        let bound = bound.clamp(-INFINITE, INFINITE - 1);
        LaneRules::within(simd, rules, bound, bound + 1)
    }

    #[inline(always)]
    fn within(simd: S, rules: &Rules, alpha: i32, beta: i32) -> LaneRules<S> {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array();
        // By piece code; a king to move has its own.
        let codes = |king| [0, pawn, knight, bishop, rook, queen, king, king];
        LaneRules {
            en_passant: rules.en_passant,
            first_promotion: rules.first_promotion,
            queens: rules.inside_promotion == InsidePromotion::Queen,
            table: simd.table(codes(0)),
            answers: simd.table(codes(INFINITE)),
            guards: simd.table(codes(2 * INFINITE)),
            pawn: simd.splat_value(pawn),
            queen: simd.splat_value(queen),
            window: [simd.splat_value(alpha), simd.splat_value(beta)],
        }
    }

    /// By piece code.
    #[inline(always)]
    pub(super) fn value(&self, simd: S, codes: S::Word) -> S::Word {
        simd.look_up(self.table, codes)
    }
}

/// The moves of one register, each with its position.
pub(super) struct Group<'a> {
    pub positions: [&'a Position; MAX_LANES],
    pub captures: [Capture; MAX_LANES],
}

impl Group<'_> {
    #[inline(always)]
    fn moves(&self) -> PerLane {
        self.captures.map(|capture| capture.to_bits().into())
    }

    #[inline(always)]
    fn targets(&self) -> PerLane {
        self.captures.map(Capture::to_index)
    }
}

/// What came of each lane's move.
pub(super) struct Scored<S: Simd> {
    pub value: S::Word,
    /// Lanes where a king moves onto an attacked square. No other move is tested.
    pub illegal: MaskOf<S>,
}

/// Groups that are worked on together: what one does fills the other's waiting
/// times.
pub(super) const GROUPS: usize = 2;

/// The exact SEE of each lane's move.
#[inline(always)]
pub(super) fn see<S: Simd, const PINS: u8>(
    simd: S,
    rules: &LaneRules<S>,
    [first, second]: &[Group; GROUPS],
) -> [Scored<S>; GROUPS] {
    let mut first = Exchange::<S, PINS>::open(simd, rules, first);
    let mut second = Exchange::<S, PINS>::open(simd, rules, second);
    loop {
        first.opponent_moves();
        second.opponent_moves();
        if !(first.unsettled() | second.unsettled()).any() {
            return [first.scored(), second.scored()];
        }
        first.mover_moves();
        second.mover_moves();
        if !(first.unsettled() | second.unsettled()).any() {
            return [first.scored(), second.scored()];
        }
    }
}

/// What a register of moves is worth where that takes no exchange, and the lanes
/// where it does: those where a slider joins, or both sides can recapture twice.
/// Without pins, since who answers may be barred.
#[inline(always)]
pub(super) fn at_once<S: Simd>(
    simd: S,
    rules: &LaneRules<S>,
    group: &Group,
) -> (S::Word, MaskOf<S>) {
    Exchange::<S, NO_PINS>::open(simd, rules, group).settled()
}

/// The state between two captures on one square, in each lane.
struct Exchange<'a, S: Simd, const PINS: u8> {
    simd: S,
    rules: &'a LaneRules<S>,
    board: Board<S::Word>,
    lines: Lines<S::Word>,
    /// Sliders on the target's lines that move along them.
    aligned: S::Word,
    /// Pieces that have not moved, the one on the target left out; a king that
    /// captures stays too, since nothing joins behind it.
    occupied: S::Word,
    attackers: S::Word,
    /// Squares of the first mover's opponent: black's bits, or all others.
    opponent: S::Word,
    /// The value of what stands on the target.
    standing: S::Word,
    /// Lanes whose target is on the first or last rank, for inside promotions.
    last_rank: MaskOf<S>,
    barred: Barred<S::Word>,
    illegal: MaskOf<S>,
    alpha: S::Word,
    beta: S::Word,
    balance: S::Word,
}

impl<'a, S: Simd, const PINS: u8> Exchange<'a, S, PINS> {
    /// Plays the first moves.
    #[inline(always)]
    fn open(simd: S, rules: &'a LaneRules<S>, group: &Group) -> Self {
        let board = Board::new(simd.planes(group.positions));
        let first = FirstMove::play(simd, rules, &board, group);
        let masks = simd.masks(&group.targets());
        let [file, rank, diagonal, antidiagonal, ..] = masks;
        let lines = Lines::new([file, rank, diagonal, antidiagonal], first.target);
        let aligned = lines.aligned(&board);
        let steps = board.steps(masks);
        let sliders = lines.nearest(simd, first.occupied) & aligned;
        let attackers = (steps | sliders) & first.occupied;
        let (settled, settled_at) = (first.settled, first.settled_at);
        let [alpha, beta] = rules.window;
        Exchange {
            simd,
            rules,
            board,
            lines,
            aligned,
            occupied: first.occupied,
            attackers,
            illegal: first.king_moves & attackers.meets(first.opponent),
            opponent: first.opponent,
            standing: first.standing,
            last_rank: first.target.meets(simd.splat(0xff00_0000_0000_00ff)),
            barred: Barred::new::<S, PINS>(simd, &board, first.opponent, group),
            alpha: settled.select(settled_at, alpha),
            beta: settled.select(settled_at, beta),
            balance: first.gain,
        }
    }

    /// Lanes whose value is not known yet.
    #[inline(always)]
    fn unsettled(&self) -> MaskOf<S> {
        self.alpha.is_less(self.beta)
    }

    /// See [`at_once`]; the scalar exchange's `settled` knows less.
    #[inline(always)]
    fn settled(&self) -> (S::Word, MaskOf<S>) {
        let zero = self.simd.splat_value(0);
        let unsettled = self.unsettled();
        let lost = self.standing.sub_value(self.won_back()).max_value(zero);
        let defended = self.attackers.meets(self.opponent);
        let value = defended.select(self.balance.sub_value(lost), self.balance);
        let value = unsettled.select(value, self.alpha);
        let mut contested = self.goes_on();
        if self.rules.queens {
            contested = contested | self.last_rank; // or promote
        }
        (value, unsettled & defended & contested)
    }

    /// What the first mover's side gets for its piece if the other one recaptures,
    /// where no slider joins and one of both has no more than one attacker.
    #[inline(always)]
    fn won_back(&self) -> S::Word {
        let zero = self.simd.splat_value(0);
        let ours = self.attackers & !self.opponent;
        let theirs = self.attackers & self.opponent;
        let (_, code) = self.least_valuable(theirs);
        // A king that is the last one may not recapture where somebody guards.
        let guard = self.simd.look_up(self.rules.guards, code);
        let code = self.board.code_at(self.simd, ours);
        let answer = self.simd.look_up(self.rules.answers, code);
        let lost = self.several(theirs).keep(answer.max_value(zero));
        let won = guard.sub_value(lost).max_value(zero);
        ours.meets(ours).keep(won)
    }

    /// Lanes where [`Exchange::won_back`] does not know enough.
    #[inline(always)]
    fn goes_on(&self) -> MaskOf<S> {
        let ours = self.attackers & !self.opponent;
        let theirs = self.attackers & self.opponent;
        let long = self.several(ours) & self.several(theirs);
        let behind = self.occupied & !self.attackers;
        let joining = self.lines.nearest(self.simd, behind) & self.aligned;
        let others = self.attackers | self.aligned & self.occupied;
        (long | joining.meets(joining)) & others.meets(!self.opponent)
    }

    #[inline(always)]
    fn several(&self, pieces: S::Word) -> MaskOf<S> {
        pieces.meets(pieces - self.simd.splat(1))
    }

    #[inline(always)]
    fn scored(&self) -> Scored<S> {
        Scored {
            value: self.alpha,
            illegal: self.illegal,
        }
    }

    /// The first mover's opponent may stop, or recapture.
    #[inline(always)]
    fn opponent_moves(&mut self) {
        self.beta = self.alpha.max_value(self.beta.min_value(self.balance));
        let (won, ended) = self.recapture(true);
        self.alpha = ended.select(self.beta, self.alpha);
        self.balance = self.balance.sub_value(won);
    }

    /// The first mover may stop, or recapture.
    #[inline(always)]
    fn mover_moves(&mut self) {
        self.alpha = self.beta.min_value(self.alpha.max_value(self.balance));
        let (won, ended) = self.recapture(false);
        self.beta = ended.select(self.alpha, self.beta);
        self.balance = self.balance.add_value(won);
    }

    /// A side recaptures where it can: what it wins, and the lanes where it
    /// cannot.
    #[inline(always)]
    fn recapture(&mut self, opponent: bool) -> (S::Word, MaskOf<S>) {
        let side = if opponent {
            self.opponent
        } else {
            !self.opponent
        };
        let barred = self
            .barred
            .of::<S, PINS>(self.simd, opponent, self.occupied);
        let guarded = self.attackers.meets(!side);
        let (first, code) = self.least_valuable(self.attackers & side & !barred);
        // A king recaptures only what nobody guards.
        let capturer = first & !guarded.keep(self.board.kings());

        let mut won = self.standing;
        self.standing = self.simd.look_up(self.rules.table, code);
        if self.rules.queens {
            let queens = capturer.meets(self.board.pawns()) & self.last_rank;
            let promoted = won.add_value(self.rules.queen).sub_value(self.rules.pawn);
            won = queens.select(promoted, won);
            self.standing = queens.select(self.rules.queen, self.standing);
        }
        self.remove(capturer);
        (won, capturer.misses(capturer))
    }

    /// The first in order by piece type, then by square, and its code; nothing
    /// where there is none.
    #[inline(always)]
    fn least_valuable(&self, own: S::Word) -> (S::Word, S::Word) {
        let (own, bit2) = lower(own, self.board.bit2);
        let (own, bit1) = lower(own, self.board.bit1);
        let (own, bit0) = lower(own, self.board.bit0);
        let simd = self.simd;
        let code = bit2.keep(simd.splat(4)) | bit1.keep(simd.splat(2)) | bit0.keep(simd.splat(1));
        (own.lowest(), code)
    }

    /// The capturer leaves its square; sliders behind it join.
    #[inline(always)]
    fn remove(&mut self, capturer: S::Word) {
        self.occupied = self.occupied ^ (capturer & !self.board.kings());
        let line = self.lines.line_of(capturer);
        let joining = self.lines.nearest_on(self.simd, line, self.occupied);
        self.attackers = (self.attackers | joining & self.aligned) & self.occupied;
    }
}

/// Those of `own` that lack a bit of the piece code, or all where all have it,
/// and where that is.
#[inline(always)]
fn lower<W: Word>(own: W, plane: W) -> (W, W::Mask) {
    let all = own.misses(!plane);
    (all.select(own, own & !plane), all)
}

/// What the first moves leave behind.
struct FirstMove<S: Simd> {
    /// The target's bit.
    target: S::Word,
    opponent: S::Word,
    occupied: S::Word,
    gain: S::Word,
    standing: S::Word,
    king_moves: MaskOf<S>,
    /// Lanes where nothing can follow, and their values.
    settled: MaskOf<S>,
    settled_at: S::Word,
}

impl<S: Simd> FirstMove<S> {
    #[inline(always)]
    fn play(simd: S, rules: &LaneRules<S>, board: &Board<S::Word>, group: &Group) -> FirstMove<S> {
        let moves = simd.load(&group.moves());
        let from_index = moves.shr::<9>();
        let target_index = moves.shr::<3>() & simd.splat(63);
        let (from, target) = (from_index.bit(), target_index.bit());
        let everyone = board.occupied();
        let opponent = board.black.meets(from).select(!board.black, board.black);
        let takes = everyone.meets(target);
        let castles = takes & opponent.misses(target);
        let king_moves = board.kings().meets(from);
        let victim = simd.look_up(rules.table, board.code_at(simd, target));
        let mut first = FirstMove {
            target,
            opponent,
            occupied: everyone & !(from | target),
            gain: victim,
            standing: simd.look_up(rules.table, board.code_at(simd, from)),
            king_moves,
            settled: castles | king_moves,
            settled_at: (king_moves & !castles).keep(victim),
        };
        let pawn_moves = board.pawns().meets(from);
        let changes_file = (from_index ^ target_index).meets(simd.splat(7));
        let beside = target_index ^ simd.splat(8);
        first.take_en_passant(rules, pawn_moves & changes_file & !takes, beside.bit());
        let promotion = moves & simd.splat(7);
        first.promote(
            simd,
            rules,
            pawn_moves & promotion.meets(promotion),
            promotion,
        );
        first
    }

    #[inline(always)]
    fn take_en_passant(&mut self, rules: &LaneRules<S>, lanes: MaskOf<S>, victim: S::Word) {
        match rules.en_passant {
            EnPassant::Zero => self.settled = self.settled | lanes,
            EnPassant::Exact => {
                self.gain = lanes.select(rules.pawn, self.gain);
                self.occupied = self.occupied & !lanes.keep(victim);
            }
        }
    }

    #[inline(always)]
    fn promote(&mut self, simd: S, rules: &LaneRules<S>, lanes: MaskOf<S>, codes: S::Word) {
        match rules.first_promotion {
            FirstPromotion::Zero => self.settled = self.settled | lanes,
            FirstPromotion::Pawn => {}
            FirstPromotion::Full => {
                let piece = simd.look_up(rules.table, codes);
                let gain = self.gain.add_value(piece).sub_value(rules.pawn);
                self.gain = lanes.select(gain, self.gain);
                self.standing = lanes.select(piece, self.standing);
            }
        }
    }
}

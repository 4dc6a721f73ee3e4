//! The exchange in lanes: `exchange.rs`, one move per lane, without branches but the loop's
//! end.
//!
//! Alpha and beta stay in the first mover's view. A lane is done when they meet: the side that
//! may stop clamps its bound to the balance, and a side that cannot recapture sets the other
//! bound to its own. Further steps do not change a finished lane.

use super::board::{Board, Lines, SidePins};
use super::lanes::{MAX_LANES, Mask, MaskOf, Simd, Stages, Values, Word};
use crate::attacks::LAST_RANKS;
use crate::exchange::INFINITE;
use crate::{Capture, EnPassant, FirstPromotion, Pins, Position, RecapturePromotion, Rules};

/// The rules, prepared once for many moves.
pub(super) struct LaneRules<S: Stages> {
    /// Any but `Pins::Legal`.
    pub pins: Pins,
    pub en_passant: EnPassant,
    pub first_promotion: FirstPromotion,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    pub queens: bool,
    /// By piece code.
    table: S::Word,
    pub pawn: S::Word,
    pub queen: S::Word,
    /// The initial alpha and beta.
    pub window: [S::Word; 2],
}

impl<S: Stages> LaneRules<S> {
    /// For exact values.
    #[inline(always)]
    pub(super) fn new(simd: S, rules: &Rules) -> LaneRules<S> {
        LaneRules::within(simd, rules, -INFINITE, INFINITE)
    }

    /// For values that only tell whether they are above a bound: many exchanges end sooner.
    #[inline(always)]
    pub(super) fn above(simd: S, rules: &Rules, bound: i32) -> LaneRules<S> {
        let bound = bound.clamp(-INFINITE, INFINITE - 1);
        LaneRules::within(simd, rules, bound, bound + 1)
    }

    #[inline(always)]
    fn within(simd: S, rules: &Rules, alpha: i32, beta: i32) -> LaneRules<S> {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array();
        LaneRules {
            pins: rules.pins,
            en_passant: rules.en_passant,
            first_promotion: rules.first_promotion,
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            table: simd.table([0, pawn, knight, bishop, rook, queen, 0, 0]),
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

/// One move per lane, each with its position.
pub(super) struct Group<'a> {
    pub positions: [&'a Position; MAX_LANES],
    pub captures: [Capture; MAX_LANES],
}

/// The state after the first moves.
struct FirstMove<S: Stages> {
    /// The target's bit.
    pub target: S::Word,
    pub opponent: S::Word,
    pub occupied: S::Word,
    pub gain: S::Word,
    pub standing: S::Word,
    pub king_moves: MaskOf<S>,
    /// Lanes where nothing can follow, with their values.
    pub settled: MaskOf<S>,
    pub settled_at: S::Word,
}

impl<S: Stages> FirstMove<S> {
    #[inline(always)]
    fn play(simd: S, rules: &LaneRules<S>, board: &Board<S::Word>, group: &Group) -> FirstMove<S> {
        let moves = simd.load(&group.captures.map(|capture| capture.to_bits().into()));
        let from_index = moves >> 9;
        let target_index = moves >> 3 & simd.splat(63);
        let (from, target) = (from_index.bit(), target_index.bit());
        let everyone = board.occupied();
        let opponent = board.black.meets(from).select(!board.black, board.black);
        let takes = everyone.meets(target);
        let castles = takes & opponent.misses(target);
        let king_moves = board.kings().meets(from);
        let victim = rules.value(simd, board.code_at(simd, target));
        let mut first = FirstMove::<S> {
            target,
            opponent,
            occupied: everyone & !(from | target),
            gain: victim,
            standing: rules.value(simd, board.code_at(simd, from)),
            king_moves,
            settled: castles | king_moves,
            settled_at: (king_moves & !castles).keep(victim),
        };
        let pawn_moves = board.pawns().meets(from);
        let changes_file = (from_index ^ target_index).meets(simd.splat(7));
        let passing = pawn_moves & changes_file & !takes;
        match rules.en_passant {
            EnPassant::Zero => first.settled = first.settled | passing,
            EnPassant::Exact => {
                let beside = target_index ^ simd.splat(8);
                first.gain = passing.select(rules.pawn, first.gain);
                first.occupied = first.occupied & !passing.keep(beside.bit());
            }
        }
        let promotion = moves & simd.splat(7);
        let promotes = pawn_moves & promotion.meets(promotion);
        match rules.first_promotion {
            FirstPromotion::Zero => first.settled = first.settled | promotes,
            FirstPromotion::Pawn => {}
            FirstPromotion::Full => {
                let piece = rules.value(simd, promotion);
                let gain = first.gain.add_value(piece).sub_value(rules.pawn);
                first.gain = promotes.select(gain, first.gain);
                first.standing = promotes.select(piece, first.standing);
            }
        }
        first
    }
}

/// The results of each lane's move.
pub(super) struct Scores<S: Stages> {
    pub value: S::Word,
    /// Lanes where a king moves onto an attacked square; no other legality is tested.
    pub illegal: MaskOf<S>,
}

/// Groups computed together, to hide each other's latencies.
pub(super) const GROUPS: usize = 2;

/// The exact SEE of each lane's move.
#[inline(always)]
pub(super) fn see<S: Stages>(
    simd: S,
    rules: &LaneRules<S>,
    [first, second]: &[Group; GROUPS],
) -> [Scores<S>; GROUPS] {
    let mut first = Exchange::open(simd, rules, rules.pins, first);
    let mut second = Exchange::open(simd, rules, rules.pins, second);
    loop {
        first.opponent_moves();
        second.opponent_moves();
        if !(first.unsettled() | second.unsettled()).any() {
            return [first.scores(), second.scores()];
        }
        first.mover_moves();
        second.mover_moves();
        if !(first.unsettled() | second.unsettled()).any() {
            return [first.scores(), second.scores()];
        }
    }
}

/// The state between two captures on the target, per lane.
pub(super) struct Exchange<'a, S: Stages> {
    simd: S,
    rules: &'a LaneRules<S>,
    pub board: Board<S::Word>,
    pub lines: Lines<S::Word>,
    /// Sliders on the target's lines that move along them.
    pub aligned: S::Word,
    /// Pieces that have not moved, without the target; a capturing king stays too, since no
    /// slider joins behind it.
    pub occupied: S::Word,
    pub attackers: S::Word,
    /// Squares of the first mover's opponent: black's bits or their complement.
    pub opponent: S::Word,
    /// The value of the piece on the target.
    pub standing: S::Word,
    /// Lanes whose target is on the first or last rank, for inside promotions.
    pub last_rank: MaskOf<S>,
    barred: BarredPieces<S::Word>,
    illegal: MaskOf<S>,
    pub alpha: S::Word,
    beta: S::Word,
    pub balance: S::Word,
}

impl<'a, S: Stages> Exchange<'a, S> {
    /// Plays the first moves, with these pins.
    #[inline(always)]
    pub(super) fn open(simd: S, rules: &'a LaneRules<S>, pins: Pins, group: &Group) -> Self {
        let board = Board::new(simd.planes(group.positions));
        let first = FirstMove::play(simd, rules, &board, group);
        let masks = simd.masks(&group.captures.map(Capture::to_index));
        let lines = Lines::new(masks, first.target);
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
            last_rank: first.target.meets(simd.splat(LAST_RANKS)),
            barred: BarredPieces::new(simd, pins, &board, first.opponent),
            alpha: settled.select(settled_at, alpha),
            beta: settled.select(settled_at, beta),
            balance: first.gain,
        }
    }

    /// Lanes whose value is not known yet.
    #[inline(always)]
    pub(super) fn unsettled(&self) -> MaskOf<S> {
        self.alpha.is_less(self.beta)
    }

    #[inline(always)]
    fn scores(&self) -> Scores<S> {
        Scores {
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

    /// A side recaptures where it can: returns what it wins, and the lanes where it cannot.
    #[inline(always)]
    fn recapture(&mut self, opponent: bool) -> (S::Word, MaskOf<S>) {
        let side = if opponent {
            self.opponent
        } else {
            !self.opponent
        };
        let barred = self.barred.of(self.simd, opponent, self.occupied);
        let guards = self.attackers & !side;
        let (first, code) = self.least_valuable(self.attackers & side & !barred);
        let capturer = self.board.may_recapture(first, guards);

        let mut won = self.standing;
        self.standing = self.rules.value(self.simd, code);
        if self.rules.queens {
            let queens = capturer.meets(self.board.pawns()) & self.last_rank;
            let promoted = won.add_value(self.rules.queen).sub_value(self.rules.pawn);
            won = queens.select(promoted, won);
            self.standing = queens.select(self.rules.queen, self.standing);
        }
        self.remove(capturer);
        (won, capturer.misses(capturer))
    }

    /// The least valuable attacker, by piece type, then by square, with its code; 0 if there is
    /// none.
    #[inline(always)]
    pub(super) fn least_valuable(&self, own: S::Word) -> (S::Word, S::Word) {
        let (own, bit2) = lower(own, self.board.bit2);
        let (own, bit1) = lower(own, self.board.bit1);
        let (own, bit0) = lower(own, self.board.bit0);
        let simd = self.simd;
        let code = bit2.keep(simd.splat(4)) | bit1.keep(simd.splat(2)) | bit0.keep(simd.splat(1));
        (own.lowest(), code)
    }

    /// Removes the capturer from its square; sliders behind it join.
    #[inline(always)]
    fn remove(&mut self, capturer: S::Word) {
        self.occupied = self.occupied ^ (capturer & !self.board.kings());
        let line = self.lines.line_of(capturer);
        let joining = self.lines.nearest_on(self.simd, line, self.occupied);
        self.attackers = (self.attackers | joining & self.aligned) & self.occupied;
    }
}

/// Which pieces may not recapture, for both sides.
struct BarredPieces<W> {
    pins: Pins,
    /// The first mover's opponent's pieces, then its own.
    pinned: [SidePins<W>; 2],
}

impl<W: Word> BarredPieces<W> {
    #[inline(always)]
    fn new<S: Simd<Word = W>>(
        simd: S,
        pins: Pins,
        board: &Board<W>,
        opponent: W,
    ) -> BarredPieces<W> {
        let zero = simd.splat(0);
        let none = SidePins {
            blockers: zero,
            pinners: zero,
        };
        let mut pinned = [none; 2];
        if pins != Pins::None {
            pinned = [
                SidePins::new(simd, pins, board, opponent),
                SidePins::new(simd, pins, board, !opponent),
            ];
        }
        BarredPieces { pins, pinned }
    }

    /// The barred pieces of the first mover's opponent, or of the first mover.
    #[inline(always)]
    fn of<S: Simd<Word = W>>(&self, simd: S, opponent: bool, occupied: W) -> W {
        let SidePins { blockers, pinners } = self.pinned[usize::from(!opponent)];
        match self.pins {
            Pins::None | Pins::Legal => simd.splat(0),
            Pins::Sf => pinners.meets(occupied).keep(blockers),
            Pins::Sf8 => pinners.misses(!occupied).keep(blockers),
        }
    }
}

/// Those of `own` without a bit of the piece code, or all if all have it; and the lanes where
/// all have it.
#[inline(always)]
fn lower<W: Word>(own: W, plane: W) -> (W, W::Mask) {
    let all = own.misses(!plane);
    (all.select(own, own & !plane), all)
}

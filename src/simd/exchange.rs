//! The exchange in lanes: `exchange.rs`, one move per lane, without branches except the loop's end.
//!
//! Every lane plays its own exchange on its own board. All lanes take the same steps; a lane that
//! is done goes on with them, but nothing that it does changes its value. The head of `exchange.rs`
//! explains the algorithm; this one says what differs.
//!
//! # An example
//!
//! Lane 0 has the position of `exchange.rs` (Nxe5, six captures can follow each other), lane 1 a
//! knight that takes a pawn on d5 and is recaptured by a pawn. Alpha and beta stay in the first
//! mover's view, so nothing is negated: the opponent lowers beta, the mover raises alpha.
//!
//! ```text
//!                      lane 0                            lane 1
//!                      balance   alpha   beta            balance   alpha   beta
//! first moves              100    -inf    inf                100    -inf    inf
//! opponent may stop                        100                               100
//!   and recaptures        -225                              -225
//! mover may stop                  -225                              -225
//!   and recaptures         100                           cannot:           -225   done, -225
//! opponent may stop                        100
//!   and recaptures        -400
//! mover may stop                  -225                   (no change from here on)
//!   and recaptures         -75
//! opponent may stop                        -75
//!   and recaptures       -1075
//! mover may stop                  -225
//!   and recaptures     cannot:            -225   done, -225
//! ```
//!
//! A lane is done when alpha reaches beta. If the balance does that, the side to capture has
//! stopped; if it cannot capture, its opponent's bound is set to its own.
//!
//! # The steps
//!
//! ```text
//! play the first moves; where their kind settles the value: alpha = beta = value
//! loop:
//!     beta = max(alpha, min(beta, balance))        the opponent may stop
//!     it recaptures: balance -= the piece that stood there; where it cannot: alpha = beta
//!     if all lanes are done: return alpha
//!     alpha = min(beta, max(alpha, balance))       the mover may stop
//!     it recaptures: balance += the piece that stood there; where it cannot: beta = alpha
//!     if all lanes are done: return alpha
//! ```
//!
//! # Why this way
//!
//! - Two registers of moves go through the loop together ([`GROUPS`]): each step waits for the one
//!   before it, and the other register fills the gaps.
//! - The rules are data in [`LaneRules`], not constants of the kernel: five times less code, within
//!   3 % of the speed (`docs/performance.md`).
//! - Sliders join by a look along one line, that of the capturer: `nearest_on`.
//!
//! # What must hold
//!
//! - Steps after a lane is done leave its alpha and beta as they are: both clamps have that form.
//! - A capturing king stays in `occupied` and in `attackers`. That is harmless: no slider joins
//!   behind it, and it captures only where the other side has no attacker left, so its lane is done
//!   one step later.
//! - `Pins::Legal` is not here: its test at every ply is done by the scalar code.

use super::board::{Board, Lines, SidePins};
use super::lanes::{MAX_LANES, Mask, MaskOf, Simd, Stages, Values, Word, each};
use crate::attacks::LAST_RANKS;
use crate::exchange::INFINITE;
use crate::{EnPassant, FirstPromotion, PackedMove, Pins, Position, RecapturePromotion, Rules};

/// The rules in registers, prepared once for many moves.
pub(super) struct LaneRules<S: Stages> {
    /// Any but `Pins::Legal`.
    pub pins: Pins,
    pub en_passant: EnPassant,
    pub first_promotion: FirstPromotion,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    pub queens: bool,
    /// The piece values by piece code, for [`Stages::look_up`].
    table: S::Word,
    /// The value of a pawn in every lane.
    pub pawn: S::Word,
    /// The value of a queen in every lane.
    pub queen: S::Word,
    /// The initial alpha and beta, in every lane.
    pub window: [S::Word; 2],
}

impl<S: Stages> LaneRules<S> {
    /// The rules for exact values.
    #[inline(always)]
    pub(super) fn new(simd: S, rules: &Rules) -> LaneRules<S> {
        LaneRules::within(simd, rules, -INFINITE, INFINITE)
    }

    /// The rules for values within `bound..=bound + 1`, which say whether a SEE exceeds the bound,
    /// and no more: many exchanges end sooner.
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

    /// The values of these piece codes.
    #[inline(always)]
    pub(super) fn value(&self, simd: S, codes: S::Word) -> S::Word {
        simd.look_up(self.table, codes)
    }
}

/// One move per lane, each with its position.
pub(super) struct Group<'a> {
    pub positions: [&'a Position; MAX_LANES],
    pub captures: [PackedMove; MAX_LANES],
}

/// The state after the first moves.
struct FirstMove<S: Stages> {
    /// The target square, as a bit.
    pub target: S::Word,
    /// Squares of the mover's opponent: black's bits or their complement.
    pub opponent: S::Word,
    /// Pieces that have not moved, without the one on the target.
    pub occupied: S::Word,
    /// What the move wins.
    pub gain: S::Word,
    /// The value of the piece that then stands on the target.
    pub standing: S::Word,
    /// Lanes where a king moves.
    pub king_moves: MaskOf<S>,
    /// Lanes where nothing can follow.
    pub settled: MaskOf<S>,
    /// The values of those lanes.
    pub settled_at: S::Word,
}

impl<S: Stages> FirstMove<S> {
    #[inline(always)]
    fn play(simd: S, rules: &LaneRules<S>, board: &Board<S::Word>, group: &Group) -> FirstMove<S> {
        let moves = simd.load(&each(group.captures, |capture| capture.to_bits().into()));
        let from_index = moves >> 9;
        let target_index = moves >> 3 & simd.splat(63);
        let from = from_index.bit();
        let target = target_index.bit();
        let all_pieces = board.occupied();
        let opponent = board.black.meets(from).select(!board.black, board.black);
        let takes = all_pieces.meets(target);
        let castles = takes & opponent.misses(target);
        let king_moves = board.kings().meets(from);
        let victim = rules.value(simd, board.code_at(simd, target));
        let mut first = FirstMove::<S> {
            target,
            opponent,
            occupied: all_pieces & !(from | target),
            gain: victim,
            standing: rules.value(simd, board.code_at(simd, from)),
            king_moves,
            settled: castles | king_moves,
            settled_at: (king_moves & !castles).keep(victim),
        };
        let pawn_moves = board.pawns().meets(from);
        let changes_file = (from_index ^ target_index).meets(simd.splat(7));
        let is_en_passant = pawn_moves & changes_file & !takes;
        match rules.en_passant {
            EnPassant::Zero => first.settled = first.settled | is_en_passant,
            EnPassant::Exact => {
                let victim_index = target_index ^ simd.splat(8);
                first.gain = is_en_passant.select(rules.pawn, first.gain);
                first.occupied = first.occupied & !is_en_passant.keep(victim_index.bit());
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

/// Groups of moves whose exchanges are played together, to hide each other's latencies.
pub(super) const GROUPS: usize = 2;

/// The SEE of each lane's move, within the window of the rules.
#[inline(always)]
pub(super) fn see<S: Stages>(
    simd: S,
    rules: &LaneRules<S>,
    [first, second]: &[Group; GROUPS],
) -> [Scores<S>; GROUPS] {
    let mut first = Exchange::play_first(simd, rules, rules.pins, first);
    let mut second = Exchange::play_first(simd, rules, rules.pins, second);
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
    /// Lanes whose target is on the first or last rank, where recapturing pawns may promote.
    pub last_rank: MaskOf<S>,
    barred: BarredPieces<S::Word>,
    illegal: MaskOf<S>,
    pub alpha: S::Word,
    beta: S::Word,
    pub balance: S::Word,
}

impl<'a, S: Stages> Exchange<'a, S> {
    /// Plays the first moves. `pins` may be none although the rules have some, if the caller leaves
    /// lanes with pins to others.
    #[inline(always)]
    pub(super) fn play_first(simd: S, rules: &'a LaneRules<S>, pins: Pins, group: &Group) -> Self {
        let board = Board::new(simd.planes(group.positions));
        let first = FirstMove::play(simd, rules, &board, group);
        let masks = simd.masks(&each(group.captures, PackedMove::to_index));
        let lines = Lines::new(masks, first.target);
        let aligned = lines.aligned(&board);
        let steps = board.steps(masks);
        let sliders = lines.nearest(simd, first.occupied) & aligned;
        let attackers = (steps | sliders) & first.occupied;
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
            alpha: first.settled.select(first.settled_at, alpha),
            beta: first.settled.select(first.settled_at, beta),
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

    /// The first mover's opponent may stop, and recaptures where it can.
    #[inline(always)]
    fn opponent_moves(&mut self) {
        self.beta = self.alpha.max_value(self.beta.min_value(self.balance));
        let (win, ended) = self.recapture(true);
        self.alpha = ended.select(self.beta, self.alpha);
        self.balance = self.balance.sub_value(win);
    }

    /// The first mover may stop, and recaptures where it can.
    #[inline(always)]
    fn mover_moves(&mut self) {
        self.alpha = self.beta.min_value(self.alpha.max_value(self.balance));
        let (win, ended) = self.recapture(false);
        self.beta = ended.select(self.alpha, self.beta);
        self.balance = self.balance.add_value(win);
    }

    /// A side recaptures where it can: returns what it wins, and the lanes where it cannot. In
    /// those the win has no meaning.
    #[inline(always)]
    fn recapture(&mut self, opponent: bool) -> (S::Word, MaskOf<S>) {
        let side = if opponent {
            self.opponent
        } else {
            !self.opponent
        };
        let barred_pieces = self.barred.of(self.simd, opponent, self.occupied);
        let guards = self.attackers & !side;
        let (first, code) = self.least_valuable(self.attackers & side & !barred_pieces);
        let capturer = self.board.may_recapture(first, guards);

        let mut win = self.standing;
        self.standing = self.rules.value(self.simd, code);
        if self.rules.queens {
            let queens = capturer.meets(self.board.pawns()) & self.last_rank;
            let promoted = win.add_value(self.rules.queen).sub_value(self.rules.pawn);
            win = queens.select(promoted, win);
            self.standing = queens.select(self.rules.queen, self.standing);
        }
        self.remove(capturer);
        (win, capturer.misses(capturer))
    }

    /// The least valuable of a side's attackers, by piece type, then by square, as a bit, and its
    /// piece code. The bit is 0 if there is none.
    #[inline(always)]
    pub(super) fn least_valuable(&self, own: S::Word) -> (S::Word, S::Word) {
        // The smallest code is found bit by bit, from the highest plane down.
        let (below_4, bit2) = without_plane(own, self.board.bit2);
        let (below_2, bit1) = without_plane(below_4, self.board.bit1);
        let (least, bit0) = without_plane(below_2, self.board.bit0);
        let simd = self.simd;
        let code = bit2.keep(simd.splat(4)) | bit1.keep(simd.splat(2)) | bit0.keep(simd.splat(1));
        (least.lowest(), code)
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

    /// The pieces that may not recapture now, of the first mover's opponent or of the first mover's
    /// side.
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

/// Those of `own` outside of a plane, or all of them if all are inside; and the lanes where all
/// are.
#[inline(always)]
fn without_plane<W: Word>(own: W, plane: W) -> (W, W::Mask) {
    let all_inside = own.misses(!plane);
    (all_inside.select(own, own & !plane), all_inside)
}

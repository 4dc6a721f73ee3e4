//! Verdicts: how many noisy moves a position has, the best of them by its SEE, and the opponent's
//! best if it were to move.
//!
//! All captures of a target are judged together (`SideJudge::see_target`): at once if they need no
//! exchange, not at all if even winning the victim for nothing would not be the best. For bounds,
//! where only a yes or no is asked, each exchange has a window of 1 around the bound, and the first
//! yes ends the search. In lanes, `simd/stages.rs` and `simd/bounds.rs` do the same.

use shakmaty::{Bitboard, Square};

use crate::captures::{Generator, Side, Target};
use crate::exchange::INFINITE;
use crate::exchange::pins::may_bar;
use crate::exchange::settled::{Recapturers, is_plain_recapture};
use crate::{PackedMove, Pins, Position, RecapturePromotion, Rules};

mod bounds;
mod record;

pub use bounds::{Bounds, BoundsExceeded};
pub use record::Verdict;

/// The sides whose best noisy move a [`Verdict`] has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sides {
    /// The side to move alone: [`Verdict::best`].
    #[default]
    ToMove,
    /// The opponent too, as if it were to move: [`Verdict::threat`].
    Both,
}

/// A move and its exact SEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Best {
    /// The SEE, from the mover's side, in the unit of the piece values (by default centipawns).
    pub see: i32,
    /// The move; the numerically smallest with this SEE.
    pub capture: PackedMove,
}

impl Best {
    /// The better of the best move so far and another one: the higher SEE, and of equal ones the
    /// numerically smaller move.
    pub(crate) fn or_better(best: Option<Best>, see: i32, capture: PackedMove) -> Option<Best> {
        match best {
            Some(old)
                if (old.see, core::cmp::Reverse(old.capture))
                    >= (see, core::cmp::Reverse(capture)) =>
            {
                best
            }
            _ => Some(Best { see, capture }),
        }
    }
}

impl Rules {
    /// Whether a position is quiet: the side to move is not in check, and none of its noisy moves
    /// (captures, en passant, promotions) has a SEE above 0. This is the question of
    /// the preset `quiet` of `swaplist filter` about one position, for a loader's loop: it allocates
    /// nothing and uses the calling thread alone.
    ///
    /// ```
    /// use swaplist::{Position, Rules};
    ///
    /// let winning: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?; // exd5 wins a pawn
    /// let even: Position = "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// assert!(!Rules::SWAP.is_quiet(&winning));
    /// assert!(Rules::SWAP.is_quiet(&even));
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn is_quiet(&self, position: &Position) -> bool {
        let moves = Generator::new(position, position.turn());
        let is_in_check = moves.checkers != 0;
        let ep = position.ep_square();
        !is_in_check && !self.beats(position, &moves, moves.targets(), ep, 0)
    }

    /// Which bounds a position exceeds, without the exact values. Faster than a [`Rules::verdict`],
    /// with the answer that [`Bounds::exceeds`] has for it.
    ///
    /// ```
    /// use swaplist::{Bounds, Position, Rules};
    ///
    /// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
    /// let quiet = Bounds { see: Some(0), ..Bounds::default() };
    /// assert!(Rules::SWAP.exceeds(&position, quiet).see()); // exd5 wins a pawn
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn exceeds(&self, position: &Position, bounds: Bounds) -> BoundsExceeded {
        let moves = Generator::new(position, position.turn());
        let in_check = moves.checkers != 0;
        let ep = position.ep_square();
        BoundsExceeded::default()
            .with_in_check(in_check)
            .with_see(
                bounds
                    .see
                    .is_some_and(|bound| self.beats(position, &moves, moves.targets(), ep, bound)),
            )
            .with_threat(
                !in_check
                    && bounds.threat.is_some_and(|bound| {
                        let their_moves = Generator::new(position, !position.turn());
                        self.beats(position, &their_moves, their_moves.targets(), None, bound)
                    }),
            )
            .with_double_threat(bounds.double_threat && !in_check && self.wins_two(position))
    }

    /// Whether the opponent would win something on two squares or more if it were to move.
    fn wins_two(&self, position: &Position) -> bool {
        let side = Side::new(position, !position.turn());
        let attacked = side.attacked_pieces();
        let promotes = side.promoting() != 0;
        if attacked & attacked.wrapping_sub(1) == 0 && !promotes {
            return false;
        }
        let moves = Generator::for_side(side);
        let judge = SideJudge::new(self, position);
        let mut won_squares = 0_u64;
        // Targets that have not come yet.
        let mut targets_left = attacked;
        moves.for_each_target(attacked, |target| {
            targets_left &= targets_left - 1;
            // The last one matters only if another one was won.
            let matters =
                won_squares.count_ones() < 2 && (won_squares | targets_left != 0 || promotes);
            if matters && judge.target_beats(&target, 0) {
                won_squares |= 1 << target.square as u32;
            }
        });
        moves.generate_rare(None, |capture| {
            if won_squares >> capture.to_index() & 1 == 0 && judge.move_beats(capture, 0) {
                won_squares |= 1 << capture.to_index();
            }
        });
        won_squares.count_ones() > 1
    }

    /// The best SEE of a side, clamped to the window from `alpha` to `beta`. `pieces` has all
    /// pieces whose capture may have a SEE above `alpha`.
    pub(crate) fn best_within(
        &self,
        position: &Position,
        moves: &Generator,
        pieces: u64,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let ep = position.ep_square();
        if beta - alpha > 1 {
            let mut judge = SideJudge::new(self, position);
            judge.see_all::<false>(moves, ep);
            judge.best.map_or(alpha, |best| best.see.clamp(alpha, beta))
        } else if self.beats(position, moves, pieces, ep, alpha) {
            beta
        } else {
            alpha
        }
    }

    /// Whether the SEE of a capture of `pieces`, a promotion or en passant exceeds a bound.
    #[inline(always)]
    pub(crate) fn beats(
        &self,
        position: &Position,
        moves: &Generator,
        pieces: u64,
        ep: Option<Square>,
        bound: i32,
    ) -> bool {
        // Every SEE is between the infinite bounds.
        let bound = bound.clamp(1 - INFINITE, INFINITE - 1);
        let judge = SideJudge::new(self, position);
        let mut exceeds = false;
        moves.for_each_target(pieces, |target| {
            exceeds = exceeds || judge.target_beats(&target, bound);
        });
        moves.generate_rare(ep, |capture| {
            exceeds = exceeds || judge.move_beats(capture, bound);
        });
        exceeds
    }

    /// The verdict on a position under these rules. With [`Sides::Both`] it has the opponent's
    /// best move, too, unless the side to move is in check.
    ///
    /// ```
    /// use swaplist::{Position, Rules, Sides};
    ///
    /// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K2r w - - 0 1".parse()?;
    /// let verdict = Rules::SWAP.verdict(&position, Sides::Both);
    /// assert!(verdict.in_check());
    /// assert_eq!(verdict.noisy(), 0); // exd5 would leave the king in check
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn verdict(&self, position: &Position, sides: Sides) -> Verdict {
        let moves = Generator::new(position, position.turn());
        let in_check = moves.checkers != 0;
        let mut judge = SideJudge::new(self, position);
        judge.see_all::<false>(&moves, position.ep_square());
        let verdict = Verdict::new(in_check, judge.noisy, judge.best);
        if sides == Sides::ToMove || in_check {
            return verdict;
        }
        let mut opponent = SideJudge::new(self, position);
        opponent.see_all::<true>(&Generator::new(position, !position.turn()), None);
        verdict.with_threat(opponent.best, opponent.won.count_ones())
    }
}

/// A side's noisy moves judged so far.
struct SideJudge<'a> {
    rules: &'a Rules,
    position: &'a Position,
    /// The number of its noisy moves.
    noisy: u32,
    /// The best of them so far.
    best: Option<Best>,
    /// Squares where a move has a SEE above 0, if they are counted.
    won: u64,
}

impl<'a> SideJudge<'a> {
    fn new(rules: &'a Rules, position: &'a Position) -> SideJudge<'a> {
        SideJudge {
            rules,
            position,
            noisy: 0,
            best: None,
            won: 0,
        }
    }

    /// Judges all moves. With `COUNTS`, notes the squares where they win.
    #[inline(always)]
    fn see_all<const COUNTS: bool>(&mut self, moves: &Generator, ep: Option<Square>) {
        moves.for_each_target(moves.targets(), |target| {
            self.noisy += target.capturers.count_ones();
            self.see_target::<COUNTS>(&target);
        });
        moves.generate_rare(ep, |capture| {
            self.noisy += 1;
            self.see_move::<COUNTS>(capture);
        });
    }

    /// Judges all captures of a piece: at once if they need no exchange, and not at all if none can
    /// become the best, or win on a square that is counted.
    #[inline(always)]
    fn see_target<const COUNTS: bool>(&mut self, target: &Target) {
        let Some(first) = Bitboard(target.capturers).first() else {
            return;
        };
        if let Some(see) = self.plain_value(target, first) {
            self.note::<COUNTS>(see, PackedMove::new(first, target.square, None));
            return;
        }
        let victim = self.value_at(target.square);
        if self.best.is_some_and(|best| best.see > victim) && !(COUNTS && victim > 0) {
            return;
        }
        for from in Bitboard(target.capturers) {
            self.see_move::<COUNTS>(PackedMove::new(from, target.square, None));
        }
    }

    /// Takes note of a move with its value.
    fn note<const COUNTS: bool>(&mut self, see: i32, capture: PackedMove) {
        self.best = Best::or_better(self.best, see, capture);
        if COUNTS && see > 0 {
            self.won |= 1 << capture.to_index();
        }
    }

    /// The value that all captures of a piece have if it needs no exchange, as for most pieces.
    /// `first` is the square of one of the capturers, no matter which: a value that depends on the
    /// capturer is given only if there is just one.
    #[inline(always)]
    fn plain_value(&self, target: &Target, first: Square) -> Option<i32> {
        let square = target.square as u32;
        let them = target.them;
        // Sliders on the square's lines with something in between. Some may join when a capturer
        // has left.
        let hidden = self.position.aligned(square) & !target.attackers;
        let own = target.attackers & !them;
        let attackers = target.attackers & them;
        let supporters = own & own.wrapping_sub(1) | hidden & !them;
        let pin_may_bar = match self.rules.pins {
            Pins::None => false,
            Pins::Sf8 | Pins::Sf => supporters == 0 && may_bar(self.position, them, attackers),
            Pins::Legal => true,
        };
        let queens = self.rules.recapture_promotion == RecapturePromotion::Queen;
        let recapturers = Recapturers {
            attackers,
            joining: hidden & them,
            supporters,
            is_plain: is_plain_recapture(pin_may_bar, queens, square),
        };
        let loss = recapturers.loss(self.position, || self.value_at(first))?;
        Some(self.value_at(target.square) - loss)
    }

    /// The value of the piece on a square; 0 if there is none.
    #[inline(always)]
    fn value_at(&self, square: Square) -> i32 {
        let code = self.position.code_at(square as u32);
        self.rules.values.of_code(code)
    }

    /// Whether a capture of this piece exceeds a bound.
    #[inline(always)]
    fn target_beats(&self, target: &Target, bound: i32) -> bool {
        let Some(first) = Bitboard(target.capturers).first() else {
            return false;
        };
        if self.value_at(target.square) <= bound {
            return false;
        }
        if let Some(see) = self.plain_value(target, first) {
            return see > bound;
        }
        Bitboard(target.capturers)
            .into_iter()
            .any(|from| self.move_beats(PackedMove::new(from, target.square, None), bound))
    }

    /// Whether the SEE of this move exceeds a bound.
    fn move_beats(&self, capture: PackedMove, bound: i32) -> bool {
        let see = self
            .rules
            .see_within(self.position, capture, bound, bound + 1);
        see > bound
    }

    /// Judges one move, exactly if it may become the best.
    fn see_move<const COUNTS: bool>(&mut self, capture: PackedMove) {
        let below_best = self.best.map_or(-INFINITE, |best| best.see - 1);
        let is_won = self.won >> capture.to_index() & 1 != 0;
        let alpha = if COUNTS && !is_won {
            below_best.min(0)
        } else {
            below_best
        };
        let see = self
            .rules
            .see_within(self.position, capture, alpha, INFINITE);
        self.note::<COUNTS>(see, capture);
    }
}

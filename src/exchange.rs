//! The exchange itself: the exact SEE of one move.
//!
//! After a capture the sides take turns on its square, each with its least valuable attacker, and
//! each is free to stop instead. The SEE is what the first side wins if both choose well.
//!
//! Twin: `shaders/exchange.wgsl`, the same steps under the same names (a test compares the names).
//! Change both together. The same for several moves at a time is `simd/exchange.rs`.
//!
//! # An example
//!
//! The knight takes the pawn on e5. A pawn is worth 100, knight and bishop 325, a rook 500, a queen
//! 1000.
//!
//! ```text
//! 8  . k . r . . . q
//! 7  . p p n . . . p
//! 6  p . . . . b . .
//! 5  . . . . p . . .
//! 4  . . . . . . . .
//! 3  P . . N . . P .
//! 2  . P P . R . B P
//! 1  . . K . Q . . .
//!
//!    a b c d e f g h
//! ```
//!
//! The gain of the move is 100. From then on three numbers are carried forward, always from the
//! view of the side that is about to recapture: `balance` is what it has won if it stops now,
//! `alpha` what it can be sure of, and `beta` the most that the other side lets it have.
//!
//! ```text
//!          balance   alpha    beta   recaptures        wins
//! Black       -100    -100     inf   Nd7 takes Ne5      325
//! White       -225    -225     100   Re2 takes Ne5      325
//! Black       -100    -100     225   Bf6 takes Re5      500
//! White       -400    -225     100   Qe1 takes Be5      325
//! Black         75      75     225   Qh8 takes Qe5     1000
//! White      -1075    -225     -75   has no attacker
//! ```
//!
//! White's alpha at the end is the SEE: -225. Note the queens: Re2 and Qe1 attack e5 on one file,
//! and so do Bf6 and Qh8 on one diagonal. The piece behind joins only when the one before it has
//! captured.
//!
//! # The steps
//!
//! ```text
//! gain = the victim's value, and what a promotion adds
//! castling: return 0; a king's move: return gain, which nothing can change
//! en passant or a promotion, if the rules set that kind to 0: return 0
//! if gain <= alpha: return alpha                the other side may stop at once
//! if at most one recapture can follow, the value is known (settled.rs; clamped to the window):
//!     return gain if there is none, else gain - max(the value of the piece on the square, 0)
//!
//! balance = -gain;  swap and negate alpha and beta
//! loop:
//!     alpha = max(alpha, balance)               this side may stop
//!     if alpha >= beta: return beta             the other side would not have captured
//!     take the least valuable attacker that the rules allow; if there is none: return alpha
//!     balance = -(balance + the value of the piece that stood on the square)
//!     swap and negate alpha and beta
//! ```
//!
//! Before the loop all numbers are seen from the first mover. In the loop alpha, beta, balance and
//! the two results are seen from the side about to recapture. So the code keeps `sign`, which is 1
//! while the first mover is about to recapture and -1 while the other side is, and multiplies the
//! result by it: what the function returns is always the first mover's value.
//!
//! Whether a SEE is at least 0 is the same loop with alpha = -1 and beta = 0, seen from White. In
//! the example it ends after the fourth recapture. Then Black is about to recapture: its alpha is 0
//! and its beta 1, White's two numbers swapped and negated. Its balance of 75 becomes alpha, which
//! is not below beta. So the loop returns beta, which is -1 seen from White: the SEE is below 0.
//!
//! # Why this way
//!
//! The line is a unary tree: each side has one capture to choose, or to stop. So neither an array
//! of gains nor a way back through it is needed (H. G. Muller's idea, on CPW's page "Static
//! Exchange Evaluation"), and the loop ends as soon as alpha reaches beta. The GPU needs that, too:
//! arrays of an invocation are placed in slow memory. The set of attackers is kept, not computed
//! anew: after a capture only sliders behind the capturer can join. One exact SEE takes about an
//! eighth of the time in which shakmaty lists the legal moves of a position
//! (`docs/performance.md`).
//!
//! # What must hold
//!
//! - Attackers are ordered by piece type, then by square, as in Stockfish, and never by value: with
//!   piece values that make a bishop worth more than a rook, the bishop still goes first.
//! - `attackers` is a subset of `occupied`, and the target is in neither. So each recapture clears
//!   a bit of `occupied`, and every exchange ends, also in a `Position` made of any 32 bytes, with
//!   any number of kings and pieces.
//! - [`INFINITE`] is above every balance, so that the full window never clamps a value.
//! - A king captures only where the other side has no attacker left. Attackers that a pin keeps
//!   from recapturing count, too: against a king they still guard the square.

use crate::attacks;
use crate::position::{KING, KING_TO_MOVE, PAWN, QUEEN, ROOK};
use crate::{
    Choice, EnPassant, FirstPromotion, PackedMove, PieceValues, Pins, Position, RecapturePromotion,
    Rules,
};

// `legal` and `pins` choose the next capturer under the rules about pins, and `settled` finds
// values without an exchange. `reasons` and `trace` are for explanations: why a piece may not
// recapture, and the list of all captures.
mod legal;
pub(crate) mod pins;
mod reasons;
pub(crate) mod settled;
mod trace;

use settled::{Recapturers, is_plain_recapture};

pub use reasons::{BarredBy, BarredPiece, PieceOn};
pub use trace::{Recapture, Trace};

/// Above every balance, and every sum of piece values in an exchange. A value is between -30,000
/// and 30,000 ([`MAX_VALUE`](crate::values::MAX_VALUE)). Each of at most 63 recaptures wins at most
/// three times that: a piece, plus a queen, minus a pawn of negative value.
pub(crate) const INFINITE: i32 = 1 << 24;

/// The exact SEE of a move in the units of `values`, from the mover's side. The rules are those of
/// [`Profile::Swap`](crate::Profile): no pins, everything else exact.
///
/// Any move may be asked about, not only captures. A move that takes nothing and does not promote
/// has a SEE of 0 or below; castling is 0, and a king's move has its victim's value.
///
/// The move is not tested for legality. For an impossible move the number is meaningless, but
/// always the same, and nothing panics.
///
/// ```
/// use shakmaty::Square;
/// use swaplist::{PackedMove, PieceValues, Position, see};
///
/// let position: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1".parse()?;
/// let takes = PackedMove::new(Square::D3, Square::E5, None);
/// assert_eq!(see(&position, takes, &PieceValues::CPW), -225);
/// # Ok::<(), swaplist::PositionError>(())
/// ```
pub fn see(position: &Position, played: PackedMove, values: &PieceValues) -> i32 {
    see_within(
        Pins::None,
        position,
        played,
        &swap(values),
        -INFINITE,
        INFINITE,
    )
}

/// Whether [`see`] is at least `threshold`, in the units of `values`. Faster than [`see`], since
/// the exchange ends as soon as that is certain.
pub fn see_ge(
    position: &Position,
    played: PackedMove,
    values: &PieceValues,
    threshold: i32,
) -> bool {
    reaches(threshold, |alpha, beta| {
        see_within(Pins::None, position, played, &swap(values), alpha, beta)
    })
}

/// The rules of profile `swap` with these values, for [`see`] and [`see_ge`].
#[inline(always)]
fn swap(values: &PieceValues) -> Rules {
    Rules {
        values: *values,
        ..Rules::SWAP
    }
}

impl Rules {
    /// The exact SEE of a move under these rules, in the units of their piece values, from the
    /// mover's side. As in [`see`], the move is not tested for legality, also under
    /// [`Profile::Legal`](crate::Profile).
    ///
    /// ```
    /// use shakmaty::Square;
    /// use swaplist::{PackedMove, PieceValues, Position, Profile, Rules};
    ///
    /// // The knight's move lets the rook pin the bishop on e7.
    /// let position: Position = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1".parse()?;
    /// let takes = PackedMove::new(Square::E4, Square::C5, None);
    /// assert_eq!(Rules::new(Profile::Swap, PieceValues::CPW).see(&position, takes), -225);
    /// assert_eq!(Rules::new(Profile::Legal, PieceValues::CPW).see(&position, takes), 100);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn see(&self, position: &Position, played: PackedMove) -> i32 {
        self.see_within(position, played, -INFINITE, INFINITE)
    }

    /// Whether [`Rules::see`] is at least `threshold`. Faster than [`Rules::see`], since the
    /// exchange ends as soon as that is certain.
    pub fn see_ge(&self, position: &Position, played: PackedMove, threshold: i32) -> bool {
        reaches(threshold, |alpha, beta| {
            self.see_within(position, played, alpha, beta)
        })
    }

    /// The value of a move within `alpha..=beta`. This calls the function [`see_within`] of this
    /// module, which is compiled once for each pair of [`Rules::pins`] and
    /// [`Rules::recapture_promotion`]. [`Rules::see`], [`Rules::see_ge`] and `verdict.rs` call it.
    pub(crate) fn see_within(
        &self,
        position: &Position,
        played: PackedMove,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        type SeeWithin = fn(&Position, PackedMove, &Rules, i32, i32) -> i32;
        // The first index is the pin rule's number in `Pins::ALL`: 0 none, 1 `Sf8`, 2 `Sf`, 3
        // `Legal`. The second one is 1 if recapturing pawns become queens. `under` turns the same
        // numbers back into rules, so this order must not change.
        const COPIES: [[SeeWithin; 2]; Pins::ALL.len()] = [
            [under::<0, false>, under::<0, true>],
            [under::<1, false>, under::<1, true>],
            [under::<2, false>, under::<2, true>],
            [under::<3, false>, under::<3, true>],
        ];
        let queens = self.recapture_promotion == RecapturePromotion::Queen;
        let copy = COPIES[self.pins as usize][usize::from(queens)];
        copy(position, played, self, alpha, beta)
    }
}

/// [`see_within`] with the rules about recaptures as constants, which takes fewer instructions and
/// registers. `PINS` is the number of a rule in [`Pins::ALL`]; `QUEENS` says whether recapturing
/// pawns become queens, which is number 1 in [`RecapturePromotion::ALL`]. Both are those of
/// `rules`.
fn under<const PINS: usize, const QUEENS: bool>(
    position: &Position,
    played: PackedMove,
    rules: &Rules,
    alpha: i32,
    beta: i32,
) -> i32 {
    let rules = Rules {
        recapture_promotion: RecapturePromotion::ALL[usize::from(QUEENS)],
        ..*rules
    };
    see_within(Pins::ALL[PINS], position, played, &rules, alpha, beta)
}

/// Whether the value is at least `threshold`. `see_within` returns the value within an alpha and a
/// beta. It is called once, with the alpha `threshold - 1` and the beta `threshold`: no narrower
/// window can tell.
#[inline(always)]
fn reaches(threshold: i32, see_within: impl FnOnce(i32, i32) -> i32) -> bool {
    // Every value is between the infinite ones, so this does not change the answer. It keeps
    // `threshold - 1` from overflowing, and the window within `-INFINITE..=INFINITE`.
    let threshold = threshold.clamp(1 - INFINITE, INFINITE);
    see_within(threshold - 1, threshold) >= threshold
}

/// The value of a move, clamped to `alpha..=beta`. A move whose kind alone decides (castling, a
/// king's move, one that the rules set to 0) has its exact value, also outside of the window.
/// `pins` is `rules.pins`: a parameter of its own, so that callers pass a constant.
#[inline(always)]
fn see_within(
    pins: Pins,
    position: &Position,
    played: PackedMove,
    rules: &Rules,
    alpha: i32,
    beta: i32,
) -> i32 {
    let (mut exchange, gain) = match Exchange::play_first(pins, position, played, rules) {
        FirstMove::Settled(value) => return value,
        FirstMove::Contested(exchange, gain) => (exchange, gain),
    };
    if gain <= alpha {
        return alpha; // the other side may stop at once
    }
    // Only for speed: the exchange is large, and through a reference the compiler does not copy it.
    let exchange = &mut exchange;
    if let Some(value) = exchange.plain_value(gain) {
        return value.clamp(alpha, beta);
    }
    // From here on, values are seen from the side about to recapture.
    let (mut alpha, mut beta) = (-beta, -alpha);
    let mut balance = -gain;
    let mut sign = -1;
    loop {
        alpha = alpha.max(balance);
        if alpha >= beta {
            return sign * beta;
        }
        let Some(victim) = exchange.recapture() else {
            return sign * alpha;
        };
        balance = -(balance + victim);
        (alpha, beta) = (-beta, -alpha);
        sign = -sign;
    }
}

/// The state after the first move.
enum FirstMove<'a> {
    /// The value is known without an exchange: castling, a king's move, or 0 by the rules.
    Settled(i32),
    /// The other side may recapture: the state of the exchange, and the gain of the move.
    Contested(Exchange<'a>, i32),
}

/// The state between two captures on one square.
struct Exchange<'a> {
    /// The board before the first move, in 32 bytes: three planes of 64 bits with the codes of the
    /// pieces, one with the black ones (`position.rs`). It stays as it is: which pieces have left
    /// their squares is seen from `occupied`.
    position: &'a Position,
    /// The pin rule. `Sf8` is that of Stockfish 8, `Sf` that of Stockfish since 2019. Both take a
    /// side's pinned pieces, and the enemy sliders that pin them, from the board before the move
    /// (`pins.rs`). Under `Sf8` the pinned pieces may not recapture until one of these sliders has
    /// left its square, under `Sf` until all have. `Legal` tests each recapture on the board of its
    /// ply (`legal.rs`).
    pins: Pins,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    queens: bool,
    /// The value of each type of piece, by the rules.
    values: PieceValues,
    /// The square on which all captures take place, from 0 for a1 to 63 for h8.
    target: u32,
    /// Pieces that have not moved, without the one on the target, and without a pawn that the first
    /// move took en passant.
    occupied: u64,
    /// Pieces of both sides that attack the target now.
    attackers: u64,
    /// A mask that selects the pieces of the side about to recapture from any set of pieces. For
    /// Black it is the plane of black pieces, for White its complement. Some of its squares are
    /// empty, so it is never used alone. After a recapture it is inverted.
    side: u64,
    /// The code of the piece on the target, the next victim: from 1 for a pawn to 5 for a queen,
    /// then kings (see [`Position`]). At first it is the piece that made the first move.
    standing: u32,
}

/// A piece that may be the next one to capture.
#[derive(Clone, Copy)]
struct Capturer {
    /// The piece's square, as a bit.
    bit: u64,
    /// The code of the piece.
    code: u32,
}

impl<'a> Exchange<'a> {
    /// Plays the first move. `pins` are those of the rules, as a constant. Returns the value
    /// instead if the kind of the move decides it.
    #[inline(always)]
    fn play_first(
        pins: Pins,
        position: &'a Position,
        played: PackedMove,
        rules: &Rules,
    ) -> FirstMove<'a> {
        let from = played.from_index();
        let target = played.to_index();
        let mover = position.code_at(from);
        let victim = position.code_at(target);
        let black = position.planes()[3]; // black pieces, and the en-passant target if there is one
        let mover_is_black = black >> from & 1 != 0;
        let values = rules.values;

        // An empty target has the code 0, which is worth 0.
        let mut gain = values.of_code(victim);
        let mut standing = mover;
        let mut occupied = position.occupied_bits() & !(1 << from) & !(1 << target);
        if victim != 0 && (black >> target & 1 != 0) == mover_is_black {
            return FirstMove::Settled(0); // castling: the king takes its own rook
        }
        // KING, or KING_TO_MOVE: the king of the side to move.
        if mover >= KING {
            // A legal king's move ends where nothing guards, so there is no recapture.
            return FirstMove::Settled(gain);
        }
        let promotion = played.promotion_code();
        let takes_nothing = victim == 0;
        let promotes = promotion != 0;
        // One branch for en passant and promotions, rarely taken.
        if mover == PAWN && (takes_nothing | promotes) {
            let changes_file = (from ^ target) & 7 != 0;
            if takes_nothing && changes_file {
                if rules.en_passant == EnPassant::Zero {
                    return FirstMove::Settled(0);
                }
                gain = values.of_code(PAWN);
                // The pawn that is taken: `^ 8` leads from its rank to the target's.
                occupied &= !(1 << (target ^ 8));
            }
            if promotes {
                match rules.first_promotion {
                    FirstPromotion::Full => {
                        gain += values.of_code(promotion) - values.of_code(PAWN);
                        standing = promotion;
                    }
                    // The gain stays as it is, and a pawn is the next victim.
                    FirstPromotion::Pawn => {}
                    FirstPromotion::Zero => return FirstMove::Settled(0),
                }
            }
        }
        let exchange = Exchange {
            position,
            pins,
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            values,
            target,
            occupied,
            // The method `attackers` (`position.rs`) also returns pieces that are not in
            // `occupied`, such as the mover.
            attackers: position.attackers(target, occupied) & occupied,
            side: if mover_is_black { !black } else { black },
            standing,
        };
        debug_assert_eq!(exchange.attackers & !exchange.occupied, 0);
        FirstMove::Contested(exchange, gain)
    }

    /// The value of the first move if at most one recapture can follow, as after most moves; `None`
    /// if the exchange must be played. `gain` is what the move wins.
    #[inline(always)]
    fn plain_value(&self, gain: i32) -> Option<i32> {
        // `aligned` (`position.rs`) returns the sliders of both sides that would attack the target
        // on an empty board. So those behind other pieces are among them.
        let hidden = self.position.aligned(self.target) & self.occupied;
        let supporters = (self.attackers | hidden) & !self.side;
        let mut attackers = self.attackers & self.side;
        // `supporters` are the pieces that could take back for the first mover. Without them one
        // recapture decides, so it matters here whether a pin bars it, and pinned attackers are
        // left out. With them pins do not matter here: if nobody attacks the target, `loss` is 0;
        // if somebody does, pinned or not, it is `None`, and `recapture` finds the pins. So the
        // time to find pins is spent only without supporters. `barred` (`pins.rs`) returns the
        // attackers that a pin keeps from recapturing now.
        if supporters == 0 && matches!(self.pins, Pins::Sf8 | Pins::Sf) {
            attackers &= !self.barred(attackers);
        }
        let recapturers = Recapturers {
            attackers,
            // Sliders of the side about to recapture that attack the target only once the first
            // mover has left its square. It has left, so `attackers` has them already. (Not so in
            // `verdict.rs`, which asks before the move: it fills in such sliders.)
            joining: 0,
            supporters,
            // A recapture is plain if any of `attackers` may make it, and if it wins no more than
            // what stands there. If it is not plain, `loss` gives a value only where nobody can
            // recapture. `is_plain_recapture` (`settled.rs`) says no in two cases: under `Legal`,
            // where pins are known only ply by ply; and on the first and last rank, if a
            // recapturing pawn becomes a queen. Under `Sf8` and `Sf` it says yes elsewhere, as the
            // pinned pieces are left out above.
            is_plain: is_plain_recapture(self.pins == Pins::Legal, self.queens, self.target),
        };
        // 0 if nobody can recapture; the value of the piece on the target, but at least 0, if one
        // recapture ends the exchange; `None` if only the exchange can tell (`settled.rs`).
        let loss = recapturers.loss(self.position, || self.values.of_code(self.standing));
        loss.map(|loss| gain - loss)
    }

    /// Recaptures if possible: returns what that wins, and switches sides. `None` if the side to
    /// recapture has no attacker that may.
    #[inline(always)]
    fn recapture(&mut self) -> Option<i32> {
        let capturer = self.next_capturer()?;
        let mut win = self.values.of_code(self.standing);
        self.standing = capturer.code;
        if self.queens && capturer.code == PAWN && matches!(self.target >> 3, 0 | 7) {
            win += self.values.of_code(QUEEN) - self.values.of_code(PAWN);
            self.standing = QUEEN;
        }
        self.remove(capturer);
        self.side = !self.side;
        Some(win)
    }

    /// The least valuable attacker that the rules allow; `None` if there is none. A king is the
    /// last one in order, so if it may not capture, nobody may.
    #[inline(always)]
    fn next_capturer(&self) -> Option<Capturer> {
        let mut own = self.attackers & self.side;
        if own == 0 {
            return None;
        }
        match self.pins {
            Pins::Legal => return self.legal_capturer(own),
            Pins::Sf8 | Pins::Sf => {
                // `barred` (`pins.rs`) returns those of `own` that a pin keeps from recapturing at
                // this ply.
                own &= !self.barred(own);
                if own == 0 {
                    return None;
                }
            }
            Pins::None => {}
        }
        let capturer = self.least_valuable(own);
        self.may_recapture(capturer).then_some(capturer)
    }

    /// Whether the next capturer in order may capture. Any piece other than a king may, so for
    /// these the guards are not looked for. A king may only if nothing guards the square. That rule
    /// is in [`Position::may_recapture`], which gets a set of attackers and returns those that may
    /// capture: here the king's bit, or nothing.
    #[inline(always)]
    fn may_recapture(&self, capturer: Capturer) -> bool {
        capturer.code < KING
            || self
                .position
                .may_recapture(capturer.bit, self.guards_against(capturer))
                != 0
    }

    /// Pieces of the other side that could recapture a king, by which they keep it from capturing.
    /// Under `Legal` these include sliders that attack the target through the square that the king
    /// leaves. The other rules look only at the present attackers.
    #[inline(always)]
    fn guards_against(&self, king: Capturer) -> u64 {
        let mut guards = self.attackers;
        if self.pins == Pins::Legal {
            let occupied = self.occupied ^ king.bit; // also through the king's square
            guards |= self.position.slider_attackers(self.target, occupied) & occupied;
        }
        guards & !self.side
    }

    /// The least valuable piece of `own`, by type, then by square. `own` must not be empty.
    ///
    /// The smallest code is found bit by bit, from the highest down; a plane has one bit of all
    /// codes. If some pieces that are still in `own` have a 0 in this bit, the smallest code has a
    /// 0 there, too, and only these pieces stay in `own`.
    #[inline(always)]
    fn least_valuable(&self, mut own: u64) -> Capturer {
        let [bit0, bit1, bit2, _] = self.position.planes();
        let mut code = 0;
        for plane in [bit2, bit1, bit0] {
            let without = own & !plane;
            code = code << 1 | u32::from(without == 0);
            own = if without == 0 { own } else { without };
        }
        Capturer {
            bit: own & own.wrapping_neg(),
            code,
        }
    }

    /// Removes the capturer from its square; sliders behind it join.
    #[inline(always)]
    fn remove(&mut self, capturer: Capturer) {
        self.occupied ^= capturer.bit;
        // `& 63` changes nothing: it spares the test of the index.
        let masks = &attacks::MASKS[self.target as usize & 63];
        let diagonal = self.position.diagonal_sliders() & (masks.diagonal | masks.antidiagonal);
        let straight = self.position.straight_sliders() & (masks.file | masks.rank);
        // Sliders on the target's lines that do not attack it yet. Without any, nothing can join.
        let hidden = (diagonal | straight) & self.occupied & !self.attackers;
        if hidden != 0 {
            // Pawn, bishop or queen: the odd codes, but not 7, the king to move. Behind a knight
            // nothing joins, and after a king nobody captures.
            if capturer.code & 1 != 0 && capturer.code != KING_TO_MOVE {
                self.attackers |= attacks::diagonal_attacks(self.target, self.occupied) & diagonal;
            }
            if capturer.code == ROOK || capturer.code == QUEEN {
                self.attackers |= attacks::straight_attacks(self.target, self.occupied) & straight;
            }
        }
        // The capturer leaves the set here.
        self.attackers &= self.occupied;
    }

    /// The square of a side's king; `side` is a mask like [`Exchange::side`]. For `pins.rs`,
    /// `legal.rs` and explanations.
    #[inline(always)]
    fn king_of(&self, side: u64) -> u32 {
        // `& 63`: a1 for a side without a king.
        (self.position.kings() & side).trailing_zeros() & 63
    }
}

//! The exchange itself: exact SEE of one move. Twin: `shaders/exchange.wgsl`.
//!
//! The exchange is a single line of captures on one square, each by the least valuable
//! attacker, each side free to stop: a unary tree. So no gain array is needed: alpha, beta and
//! the balance are carried forward, and the line ends as soon as alpha reaches beta (H. G.
//! Muller's idea, on CPW's page "Static Exchange Evaluation"). Attackers are ordered by piece
//! type, then by square, as in Stockfish.

use crate::attacks;
use crate::position::{KING, KING_TO_MOVE, PAWN, QUEEN, ROOK};
use crate::{
    Capture, EnPassant, FirstPromotion, PieceValues, Pins, Position, RecapturePromotion, Rules,
};

mod legal;
pub(crate) mod pins;
mod reasons;
pub(crate) mod settled;
mod trace;

use settled::{Outlook, is_answer_plain};

pub use reasons::{BarredBy, BarredPiece, PieceOn};
pub use trace::{Recapture, Trace};

/// Above every balance: 33 pieces of [`MAX_VALUE`](crate::values::MAX_VALUE), twice.
pub(crate) const INFINITE: i32 = 1 << 24;

/// The exact SEE of a move under profile `swap`, in the units of `values`, from the mover's
/// side.
///
/// The move is not tested for legality. For an impossible move the number is meaningless, but
/// always the same, and nothing panics. Castling is 0, a king's move its victim's value.
///
/// ```
/// use shakmaty::Square;
/// use swaplist::{Capture, PieceValues, Position, see};
///
/// let position: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1".parse()?;
/// let takes = Capture::new(Square::D3, Square::E5, None);
/// assert_eq!(see(&position, takes, &PieceValues::CPW), -225);
/// # Ok::<(), swaplist::PositionError>(())
/// ```
pub fn see(position: &Position, capture: Capture, values: &PieceValues) -> i32 {
    window(
        Pins::None,
        position,
        capture,
        &swap(values),
        -INFINITE,
        INFINITE,
    )
}

/// Whether [`see`] is at least `threshold`; faster than [`see`].
pub fn see_ge(position: &Position, capture: Capture, values: &PieceValues, threshold: i32) -> bool {
    reaches(threshold, |alpha, beta| {
        window(Pins::None, position, capture, &swap(values), alpha, beta)
    })
}

#[inline(always)]
fn swap(values: &PieceValues) -> Rules {
    Rules {
        values: *values,
        ..Rules::SWAP
    }
}

impl Rules {
    /// Like [`see`], under these rules.
    ///
    /// ```
    /// use shakmaty::Square;
    /// use swaplist::{Capture, PieceValues, Position, Profile, Rules};
    ///
    /// // The knight's move lets the rook pin the bishop on e7.
    /// let position: Position = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1".parse()?;
    /// let takes = Capture::new(Square::E4, Square::C5, None);
    /// assert_eq!(Rules::new(Profile::Swap, PieceValues::CPW).see(&position, takes), -225);
    /// assert_eq!(Rules::new(Profile::Legal, PieceValues::CPW).see(&position, takes), 100);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn see(&self, position: &Position, capture: Capture) -> i32 {
        self.within(position, capture, -INFINITE, INFINITE)
    }

    /// Whether [`Rules::see`] is at least `threshold`; faster than [`Rules::see`].
    pub fn see_ge(&self, position: &Position, capture: Capture, threshold: i32) -> bool {
        reaches(threshold, |alpha, beta| {
            self.within(position, capture, alpha, beta)
        })
    }

    /// The value as [`window`] has it, by a function for each rule of recaptures.
    pub(crate) fn within(
        &self,
        position: &Position,
        capture: Capture,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        type Window = fn(&Position, Capture, &Rules, i32, i32) -> i32;
        const WINDOWS: [[Window; 2]; Pins::ALL.len()] = [
            [under::<0, false>, under::<0, true>],
            [under::<1, false>, under::<1, true>],
            [under::<2, false>, under::<2, true>],
            [under::<3, false>, under::<3, true>],
        ];
        let queens = self.recapture_promotion == RecapturePromotion::Queen;
        let window = WINDOWS[self.pins as usize][usize::from(queens)];
        window(position, capture, self, alpha, beta)
    }
}

/// [`window`] with the rules of recaptures as constants, which takes fewer instructions and
/// registers.
fn under<const PINS: usize, const QUEENS: bool>(
    position: &Position,
    capture: Capture,
    rules: &Rules,
    alpha: i32,
    beta: i32,
) -> i32 {
    let rules = Rules {
        recapture_promotion: RecapturePromotion::ALL[usize::from(QUEENS)],
        ..*rules
    };
    window(Pins::ALL[PINS], position, capture, &rules, alpha, beta)
}

/// The threshold form by its definition.
#[inline(always)]
fn reaches(threshold: i32, window: impl FnOnce(i32, i32) -> i32) -> bool {
    let threshold = threshold.clamp(1 - INFINITE, INFINITE);
    window(threshold - 1, threshold) >= threshold
}

/// The value of a move, clamped to `alpha..=beta`; but a move that its kind settles (castling, a king's
/// move, one that the rules set to 0) has its exact value, also outside of the window. `pins` are those
/// of the rules, as a constant.
#[inline(always)]
fn window(
    pins: Pins,
    position: &Position,
    capture: Capture,
    rules: &Rules,
    alpha: i32,
    beta: i32,
) -> i32 {
    let (mut exchange, gain) = match Exchange::open(pins, position, capture, rules) {
        Opening::Settled(value) => return value,
        Opening::Contested(exchange, gain) => (exchange, gain),
    };
    if gain <= alpha {
        return alpha; // the other side may stop at once
    }
    let exchange = &mut exchange;
    if let Some(value) = exchange.settled(gain) {
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
enum Opening<'a> {
    /// The value is known: nothing can follow.
    Settled(i32),
    /// The gain of the move; the other side may recapture.
    Contested(Exchange<'a>, i32),
}

/// The state between two captures on one square.
struct Exchange<'a> {
    position: &'a Position,
    pins: Pins,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    queens: bool,
    values: PieceValues,
    target: u32,
    /// Pieces that have not moved, without the one on the target.
    occupied: u64,
    /// Pieces of both sides that attack the target now.
    attackers: u64,
    /// Squares of the side about to recapture: black's bits, or their complement.
    side: u64,
    /// Piece code of the piece on the target.
    standing: u32,
}

/// A capturer: its square as a bit, and its piece code.
#[derive(Clone, Copy)]
struct Capturer {
    bit: u64,
    code: u32,
}

impl<'a> Exchange<'a> {
    /// Plays the first move.
    #[inline(always)]
    fn open(pins: Pins, position: &'a Position, capture: Capture, rules: &Rules) -> Opening<'a> {
        let (from, target) = (capture.from_index(), capture.to_index());
        let (mover, victim) = (position.code_at(from), position.code_at(target));
        let black = position.planes()[3];
        let mover_is_black = black >> from & 1 != 0;
        let values = rules.values;

        let mut gain = values.of_code(victim);
        let mut standing = mover;
        let mut occupied = position.occupied_bits() & !(1 << from) & !(1 << target);
        if victim != 0 && (black >> target & 1 != 0) == mover_is_black {
            return Opening::Settled(0); // castling: the king takes its own rook
        }
        if mover >= KING {
            return Opening::Settled(gain); // a king that moves first is never recaptured
        }
        let promotion = capture.promotion_code();
        let (goes, promotes) = (victim == 0, promotion != 0);
        // One branch, rarely taken.
        if mover == PAWN && (goes | promotes) {
            if victim == 0 && (from ^ target) & 7 != 0 {
                if rules.en_passant == EnPassant::Zero {
                    return Opening::Settled(0);
                }
                gain = values.of_code(PAWN);
                occupied &= !(1 << (target ^ 8));
            }
            if promotion != 0 {
                match rules.first_promotion {
                    FirstPromotion::Full => {
                        gain += values.of_code(promotion) - values.of_code(PAWN);
                        standing = promotion;
                    }
                    FirstPromotion::Pawn => {}
                    FirstPromotion::Zero => return Opening::Settled(0),
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
            attackers: position.attackers(target, occupied) & occupied,
            side: if mover_is_black { !black } else { black },
            standing,
        };
        Opening::Contested(exchange, gain)
    }

    /// The value if it needs no exchange, as for most moves.
    #[inline(always)]
    fn settled(&self, gain: i32) -> Option<i32> {
        let hidden = self.position.aligned(self.target) & self.occupied;
        let guards = (self.attackers | hidden) & !self.side;
        let mut answers = self.attackers & self.side;
        if guards == 0 && matches!(self.pins, Pins::Sf8 | Pins::Sf) {
            answers &= !self.barred(answers);
        }
        let outlook = Outlook {
            answers,
            joining: 0, // the mover has left, so they are among the answers
            guards,
            plain: is_answer_plain(self.pins == Pins::Legal, self.queens, self.target),
        };
        let lost = outlook.loss(self.position, || self.values.of_code(self.standing));
        lost.map(|lost| gain - lost)
    }

    /// Recaptures if possible: returns what is won, and switches sides.
    #[inline(always)]
    fn recapture(&mut self) -> Option<i32> {
        let capturer = self.capturer()?;
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

    /// The least valuable attacker that the rules allow.
    #[inline(always)]
    fn capturer(&self) -> Option<Capturer> {
        let mut own = self.attackers & self.side;
        if own == 0 {
            return None;
        }
        match self.pins {
            Pins::Legal => return self.legal_capturer(own),
            Pins::Sf8 | Pins::Sf => {
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

    /// Whether the next capturer in order captures: see [`Position::may_recapture`].
    #[inline(always)]
    fn may_recapture(&self, capturer: Capturer) -> bool {
        capturer.code < KING
            || self
                .position
                .may_recapture(capturer.bit, self.guards(capturer))
                != 0
    }

    /// Pieces of the other side that could recapture a king.
    #[inline(always)]
    fn guards(&self, king: Capturer) -> u64 {
        let mut guards = self.attackers;
        if self.pins == Pins::Legal {
            let occupied = self.occupied ^ king.bit; // also through the king's square
            guards |= self.position.slider_attackers(self.target, occupied) & occupied;
        }
        guards & !self.side
    }

    /// The least valuable piece, by type, then by square. The smallest code is found bit by
    /// bit, from the highest plane down.
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
        let masks = &attacks::MASKS[self.target as usize & 63];
        let diagonal = self.position.diagonal_sliders() & (masks.diagonal | masks.antidiagonal);
        let straight = self.position.straight_sliders() & (masks.file | masks.rank);
        let hidden = (diagonal | straight) & self.occupied & !self.attackers;
        if hidden != 0 {
            if capturer.code & 1 != 0 && capturer.code != KING_TO_MOVE {
                // pawn, bishop or queen
                self.attackers |= attacks::diagonal_attacks(self.target, self.occupied) & diagonal;
            }
            if capturer.code == ROOK || capturer.code == QUEEN {
                self.attackers |= attacks::straight_attacks(self.target, self.occupied) & straight;
            }
        }
        self.attackers &= self.occupied;
    }

    #[inline(always)]
    fn king(&self, side: u64) -> u32 {
        (self.position.kings() & side).trailing_zeros() & 63
    }
}

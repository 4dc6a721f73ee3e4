//! Material quiescence: what noisy moves win if either side may stop at any time.
//!
//! The value of depth 0 is the best SEE, or 0 if none is above it. The value of depth n is the
//! most that a noisy move gains minus the other side's value of depth n - 1 after it, or 0. So it
//! is the minimax value of a stated tree, whatever the order of moves. Checks matter only for
//! which moves are legal: a side in check may stop, too.

use shakmaty::Bitboard;

use crate::captures::{Generator, Side};
use crate::exchange::INFINITE;
use crate::position::{KING_TO_MOVE, PAWN};
use crate::{PackedMove, Position, Rules};

/// The largest depth that commands and filters offer: the tree grows with each.
pub const MAX_QUIESCENCE: u32 = 3;

impl Rules {
    /// What the side to move wins by noisy moves, in the units of the piece values: up to
    /// `depth + 1` of them in turn, then the best SEE, and either side may stop at any time. At
    /// least 0, in check too.
    ///
    /// The time grows exponentially with the depth; commands offer up to [`MAX_QUIESCENCE`].
    ///
    /// ```
    /// use swaplist::{Position, Rules, Sides};
    ///
    /// // Rooks are exchanged on d8; the knight that recaptures leaves the pawn on e5 alone.
    /// let position: Position = "3r2k1/8/2n5/4p3/8/8/1B6/3R2K1 w - - 0 1".parse()?;
    /// assert_eq!(Rules::SWAP.verdict(&position, Sides::ToMove).best().unwrap().see, 0);
    /// assert_eq!(Rules::SWAP.quiescence(&position, 1), 100);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn quiescence(&self, position: &Position, depth: u32) -> i32 {
        let search = Search::new(self);
        search.value(position, depth.saturating_add(1), 0, INFINITE)
    }

    /// Whether [`Rules::quiescence`] is at least `threshold`, in the units of the piece values.
    /// Faster than [`Rules::quiescence`], since the search ends as soon as that is certain.
    pub fn quiescence_ge(&self, position: &Position, depth: u32, threshold: i32) -> bool {
        let threshold = threshold.min(INFINITE);
        let search = Search::new(self);
        let depth = depth.saturating_add(1);
        threshold <= 0 || search.value(position, depth, threshold - 1, threshold) == threshold
    }
}

/// A search under some rules.
struct Search<'a> {
    rules: &'a Rules,
    /// Piece codes of victims, the most valuable first.
    order: [u32; 5],
}

impl<'a> Search<'a> {
    fn new(rules: &'a Rules) -> Search<'a> {
        let mut order = [1, 2, 3, 4, 5];
        order.sort_unstable_by_key(|&code| -rules.values.of_code(code));
        Search { rules, order }
    }

    /// The value of a position to some depth, clamped to `alpha..=beta`, of which `alpha` is at
    /// least 0.
    fn value(&self, position: &Position, depth: u32, alpha: i32, beta: i32) -> i32 {
        let side = Side::new(position, position.turn());
        let ep = position.ep_square();
        let valuable = self.above(position, alpha) & side.them;
        let is_plain = side.promoting() == 0 && ep.is_none();
        if valuable == 0 && is_plain {
            return alpha;
        }
        let pieces = side.attacked_pieces() & valuable;
        if pieces == 0 && is_plain {
            return alpha;
        }
        let moves = Generator::for_side(side);
        if depth == 0 {
            return self
                .rules
                .best_within(position, &moves, pieces, alpha, beta);
        }
        let mut node = Node {
            search: self,
            position,
            depth,
            alpha,
            beta,
        };
        moves.generate_rare(ep, |capture| node.play(capture));
        for code in self.order {
            let of_type = pieces & position.pieces_with(code);
            if of_type != 0 && node.alpha < beta {
                moves.for_each_target(of_type, |target| {
                    node.play_all(target.capturers, target.square as u32);
                });
            }
        }
        node.alpha
    }

    /// Pieces of both sides that are worth more than a bound.
    #[inline(always)]
    fn above(&self, position: &Position, bound: i32) -> u64 {
        let types = self
            .order
            .iter()
            .take_while(|&&code| self.rules.values.of_code(code) > bound);
        types.fold(0, |all, &code| all | position.pieces_with(code))
    }
}

/// A position whose moves are being tried.
struct Node<'a> {
    search: &'a Search<'a>,
    position: &'a Position,
    depth: u32,
    /// The best value so far.
    alpha: i32,
    /// The value from which on nothing more matters.
    beta: i32,
}

impl Node<'_> {
    /// Tries all captures of a piece, by the least valuable capturer first.
    fn play_all(&mut self, capturers: u64, to: u32) {
        if capturers == 0 {
            return;
        }
        for code in PAWN..=KING_TO_MOVE {
            for from in Bitboard(capturers & self.position.pieces_with(code)) {
                self.play(PackedMove::from_parts(from as u32, to, 0));
            }
        }
    }

    /// Tries a move, unless it cannot improve the value: the other side never loses by stopping.
    fn play(&mut self, capture: PackedMove) {
        let gain = self.gain(capture);
        if gain <= self.alpha || self.alpha >= self.beta {
            return;
        }
        let after = self.position.after(capture);
        // The window of the other side's value.
        let alpha = (gain - self.beta).max(0);
        let beta = gain - self.alpha;
        let loss = self.search.value(&after, self.depth - 1, alpha, beta);
        self.alpha = self.alpha.max((gain - loss).min(self.beta));
    }

    /// What a move wins: the victim's value, and what a promotion adds.
    #[inline(always)]
    fn gain(&self, capture: PackedMove) -> i32 {
        let value = |code| self.search.rules.values.of_code(code);
        let at_target = self.position.code_at(capture.to_index());
        let changes_file = (capture.from_index() ^ capture.to_index()) & 7 != 0;
        let is_en_passant = at_target == 0 && changes_file;
        let win = value(if is_en_passant { PAWN } else { at_target });
        match capture.promotion_code() {
            0 => win,
            promotion => win + value(promotion) - value(PAWN),
        }
    }
}

//! Captures whose SEE is known without playing the exchange.
//!
//! SEE plays captures on one square, in turns. For most captures that is not needed: 69 % of those
//! in human games are on squares where nobody can recapture, or where nothing can follow the
//! recapture (`docs/performance.md`). For them the rule in this file gives the value that the
//! exchange would.
//!
//! The same rule is `settle` in `simd/stages.rs`, for a target per lane, and `shaders/settled.wgsl`
//! for the GPU. They settle other captures than this file, but give none another value. Of sliders
//! they count only those that are nearest once the attackers are gone; this file counts all on the
//! square's lines. If there is such a slider of either side, lanes leave each capture on the square
//! to the exchange, and the GPU each that can be recaptured. With a pin rule the GPU leaves every
//! capture that can be recaptured. `settle` in `simd/score.rs`, for a move per lane, settles more.
//! Change all four together.
//!
//! # An example
//!
//! White's knight takes the pawn on d5. A pawn is worth 100, a knight 325.
//!
//! ```text
//! 8  . . . . k . . .
//! 7  . . . . . . . .
//! 6  . . . . . . . .
//! 5  . . . p . . . .
//! 4  . . . . . . . .
//! 3  . . N . . . . .
//! 2  . . . . . . . .
//! 1  . . . . K . . .
//!
//!    a b c d e f g h
//! ```
//!
//! - As it stands, nobody can recapture: the SEE is 100.
//! - With a black pawn on e6, that pawn recaptures, and nothing of White's can take it: the SEE is
//!   100 - 325 = -225. It would be the same if Black's only defender were the queen on d8 or the
//!   king on c6: the recapture is the last one, so nobody asks what the recapturing piece is worth.
//! - With a black pawn on e6 and a white rook on d1, White can take back. That is not decided here:
//!   the exchange says -125.
//!
//! # The rule
//!
//! ```text
//! recapturers  the other side's attackers of the square
//! joining      its sliders that may attack the square once the capturer has left
//! supporters   the capturer's side's other attackers, and its sliders that would attack the square
//!              if something in between left
//!
//! no recapturers, and none joining:              the SEE is the victim
//! no supporters, and some recapturer may take:   the SEE is the victim - max(capturer, 0)
//! else:                                          play the exchange
//! ```
//!
//! In the second case only one recapture is possible, and nothing takes back, so it does not matter
//! how many recapturers there are, or whether some join later. The other side is free to leave a
//! capturer that is worth less than nothing, hence the `max`. Where sliders may join but there is
//! no recapturer yet, the exchange is played.
//!
//! # What must hold
//!
//! - A recapture has to be just a capture. A pin may forbid it, and a pawn may become a queen by
//!   it; [`is_plain_recapture`] says when neither can happen.
//! - `joining` and `supporters` may be too large, never too small: a piece that cannot really join
//!   makes the code play an exchange that was not needed, a missing one makes the answer wrong.
//!   `attackers`, too, may be too large, but only if `is_plain` is false: otherwise each of them
//!   must be able to recapture, since the answer counts on that recapture.
//! - A king may recapture here, because the capturer's side has no supporter that guards the
//!   square.

use crate::Position;

/// The pieces that can go on after a capture. They are found before it is made, from the board as
/// it is. The exception is `Exchange::plain_value`, which finds them after the move, so also after
/// an en-passant capture or a promotion: sliders behind the pieces that left are attackers then,
/// not joining, and the capturer is the piece that now stands on the square.
pub(crate) struct Recapturers {
    /// The other side's attackers of the square. A caller that knows the pins leaves out those that
    /// a pin bars.
    pub attackers: u64,
    /// The other side's sliders that may attack the square after the capturer has left its own.
    pub joining: u64,
    /// The capturer's side's other attackers, and its sliders on the square's lines, which may join
    /// them.
    pub supporters: u64,
    /// Whether a recapture is plain: see [`is_plain_recapture`].
    pub is_plain: bool,
}

impl Recapturers {
    /// What the capturer's side loses after it has won the victim: 0, or the capturer's value if
    /// one recapture ends it. `None` if only the exchange can tell. The SEE is the move's gain
    /// minus this.
    ///
    /// `capturer` gives the capturing piece's value; it is called only if there are attackers or
    /// joining sliders.
    #[inline(always)]
    pub(crate) fn loss(&self, position: &Position, capturer: impl FnOnce() -> i32) -> Option<i32> {
        let undefended = self.attackers | self.joining == 0;
        let is_last = self.supporters == 0
            && self.is_plain
            // The same as `self.attackers != 0`, since without supporters a king may recapture. But
            // the rule about kings is in `may_recapture` alone, so it is asked. 0: there are no
            // supporters, so the capturer's side has no guards.
            && position.may_recapture(self.attackers, 0) != 0;
        let loss = if undefended { 0 } else { capturer().max(0) };
        (undefended | is_last).then_some(loss)
    }
}

/// Whether every attacker may recapture on the square `target`, and a recapture is no more than a
/// capture: no pin can bar it, and no pawn becomes a queen by it. `queens`: whether the rule about
/// recapturing pawns is `RecapturePromotion::Queen`. Both last ranks are tested: on the other one
/// no pawn of that side can capture anyway.
///
/// `pin_may_bar`: whether a pin may bar some attacker. Under `Pins::Legal` always true: which
/// pieces are pinned is known only ply by ply. Under the other pin rules true if an attacker shares
/// a line with its king and an enemy slider, and false if the caller has left such attackers out.
#[inline(always)]
pub(crate) fn is_plain_recapture(pin_may_bar: bool, queens: bool, target: u32) -> bool {
    !(pin_may_bar || queens && matches!(target >> 3, 0 | 7))
}

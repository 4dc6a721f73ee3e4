//! Captures whose SEE is known without playing the exchange.
//!
//! SEE plays captures on one square, in turns. For most captures that is not needed: 69 % of those
//! in human games are on squares where nobody can recapture, or where nothing can follow the
//! recapture (`docs/performance.md`). For them the rule in this file gives the value that the
//! exchange would. `verdict.rs` asks it once for all captures of a piece, and `exchange.rs` once
//! for a move, after it was made.
//!
//! The same rule is in three more places: `settle` in `simd/stages.rs`, for a target per lane;
//! `settle` in `simd/score.rs`, for a move per lane; and `shaders/settled.wgsl` for the GPU. Change
//! all four together. They differ in which captures they settle, and leave the others to the
//! exchange; where two of them settle one, they give it the same value.
//!
//! - A *hidden* slider is on a line of the square along which it moves, with something in between.
//!   This file counts all hidden sliders. The other three count only those behind nothing but
//!   attackers: they would attack the square if all its attackers were gone.
//! - `settle` in `simd/stages.rs` settles nothing if there is a hidden slider (one that it counts)
//!   of either side. With such a slider the GPU settles a capture only if nobody of the other side
//!   attacks the square and no slider of that side is hidden. Under a pin rule that is the only
//!   case that it settles at all.
//! - `settle` in `simd/score.rs` also settles captures where something can take the recapturing
//!   piece. It leaves a capture to the exchange only if the other side can recapture and one of
//!   these holds after the move: both sides have two attackers or more; a slider may join; a pin
//!   may bar an attacker; a pawn might become a queen by recapturing.
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
//! joining      the other side's hidden sliders, whatever stands in between (any number of pieces,
//!              of any kind: they may leave)
//! supporters   the capturer's side's other attackers, and its own hidden sliders
//!
//! no recapturers, and none joining:              the SEE is the victim
//! no supporters, and some recapturer may take:   the SEE is the victim - max(capturer, 0)
//! else:                                          play the exchange
//! ```
//!
//! In the second case the exchange ends after one recapture, since nothing takes back. So it does
//! not matter how many recapturers there are, or whether some join later. Piece values may be
//! negative, and the other side is free to leave a capturer that is worth less than nothing: hence
//! the `max`. Where sliders may join but there is no recapturer yet, the exchange is played: it
//! finds out whether one joins.
//!
//! # What must hold
//!
//! - In the second case the recapture must be possible, and win the capturer and nothing else. A
//!   pin may forbid it, and a pawn may become a queen by it; [`is_plain_recapture`] says when
//!   neither can happen.
//! - `joining` and `supporters` may be too large, never too small: a piece that cannot really join
//!   makes the code play an exchange that was not needed, a missing one makes the answer wrong. A
//!   piece that a pin bars may be among the `attackers`, provided that there are supporters or
//!   `is_plain` is false: then the exchange is played, which knows the pins. In all other cases
//!   each of the attackers must be able to recapture, as the answer counts on it.
//! - A king may recapture in the second case, because the capturer's side has no supporter that
//!   guards the square. A king that captures is never lost: it may capture only where no piece of
//!   the other side attacks. So there are no recapturers then, and its value is not used.

use crate::Position;

/// The pieces that can go on after a capture, by which [`Recapturers::loss`] decides. There are two
/// callers:
///
/// - `plain_value` in `verdict.rs` finds these pieces on the board before the capture. A slider
///   that stands behind the capturer is hidden there.
/// - `Exchange::plain_value` in `exchange.rs` finds them on the board after the move, which may
///   also be en passant or a promotion. A slider that stood behind the capturer attacks the square
///   already, so it is among the attackers, and `joining` is empty. The capturer is the piece that
///   stands on the square.
///
/// In both, hidden sliders of the capturer's side are among the supporters.
pub(crate) struct Recapturers {
    /// The other side's attackers of the square. A caller that has found the pins leaves out those
    /// that a pin bars.
    pub attackers: u64,
    /// The other side's sliders that may attack the square after the capturer has left its own: all
    /// that are hidden on the square's lines, whatever hides them.
    pub joining: u64,
    /// The capturer's side's attackers of the square other than the capturer, and its hidden
    /// sliders, which may join them. `verdict.rs` asks before the move, for all captures of a
    /// piece: there each of the attackers may be the capturer, so it fills in all of them except
    /// one, no matter which.
    pub supporters: u64,
    /// Whether a recapture is plain: see [`is_plain_recapture`].
    pub is_plain: bool,
}

impl Recapturers {
    /// What the capturer's side loses after it has won the victim: 0, or the capturer's value, but
    /// at least 0, if one recapture ends the exchange. `None` if only the exchange can tell. The
    /// SEE is the move's gain minus this.
    ///
    /// `capturer` gives the capturing piece's value. It is a closure as looking that up takes time,
    /// and is called only if there are attackers or joining sliders.
    #[inline(always)]
    pub(crate) fn loss(&self, position: &Position, capturer: impl FnOnce() -> i32) -> Option<i32> {
        let undefended = self.attackers | self.joining == 0;
        let is_last = self.supporters == 0
            && self.is_plain
            // Whether there are attackers that can recapture. (With joining sliders alone there are
            // none yet, and the exchange is played.) The 0 says that nothing of the capturer's side
            // guards the square, as there are no supporters. So `may_recapture` returns all
            // attackers, kings too: it is called only so that the rule about kings stays in one
            // place.
            && position.may_recapture(self.attackers, 0) != 0;
        let loss = if undefended { 0 } else { capturer().max(0) };
        (undefended | is_last).then_some(loss)
    }
}

/// Whether every attacker may recapture on the square `target`, and a recapture is no more than a
/// capture: no pin can bar it, and no pawn becomes a queen by it. `queens`: whether the rule about
/// recapturing pawns is `RecapturePromotion::Queen`. Both last ranks are tested, whichever side
/// recaptures: on its own first rank no pawn can capture anyway.
///
/// `pin_may_bar`: whether a pin may bar some attacker.
/// - Without a pin rule: false.
/// - `Pins::Legal`: always true, as which pieces are pinned changes with each ply. So only captures
///   without attackers and joining sliders are settled.
/// - `Sf8` and `Sf`: what `may_bar` (`pins.rs`) says of the attackers. The caller may pass false if
///   it has left pinned attackers out. It may do so too if there are supporters: then `loss` gives
///   a value only where nobody attacks, and pins do not matter.
#[inline(always)]
pub(crate) fn is_plain_recapture(pin_may_bar: bool, queens: bool, target: u32) -> bool {
    !(pin_may_bar || queens && matches!(target >> 3, 0 | 7))
}

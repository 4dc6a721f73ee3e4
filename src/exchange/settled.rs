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
//! - This file counts as hidden every slider on a line of the square. The others count only those
//!   that would attack the square if all attackers were gone.
//! - If there is such a slider, of either side, lanes with a target settle nothing. The GPU settles
//!   only captures that nobody of the other side can recapture, now or by that slider.
//! - With a pin rule the GPU settles only captures that nobody can recapture.
//! - Lanes with a move also settle captures where something can take the recapturing piece, unless
//!   after the move both sides have two attackers or more, a slider may join, or a pin may bar an
//!   attacker.
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
//! joining      the other side's hidden sliders: they are on a line of the square along which they
//!              move, with something in between that may leave (any number of pieces, of any kind)
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
//!   makes the code play an exchange that was not needed, a missing one makes the answer wrong.
//!   `attackers` should not have pieces that a pin bars. They may be there only if there are
//!   supporters or `is_plain` is false: then the exchange is played, and it knows the pins. Else
//!   the answer counts on a recapture by any attacker.
//! - A king may recapture in the second case, because the capturer's side has no supporter that
//!   guards the square. A king that captures is never lost: it may capture only where no piece of
//!   the other side attacks. So there are no recapturers then, and its value is not used.

use crate::Position;

/// The pieces that can go on after a capture, by which [`Recapturers::loss`] decides. `verdict.rs`
/// (its own `plain_value`) finds them on the board before the capture. `Exchange::plain_value`
/// (`exchange.rs`) finds them on the board after the move, which may be en passant or a promotion,
/// too. There a slider that stood behind the capturer attacks the square already, so it is among
/// the attackers, `joining` is empty, and the capturer is the piece that stands on the square.
/// Sliders of the capturer's side that are still hidden are among the supporters in both.
pub(crate) struct Recapturers {
    /// The other side's attackers of the square. A caller that has found the pins leaves out those
    /// that a pin bars.
    pub attackers: u64,
    /// The other side's sliders that may attack the square after the capturer has left its own: all
    /// that are hidden on the square's lines, whatever hides them.
    pub joining: u64,
    /// The capturer's side's other attackers, and its sliders that are hidden on the square's lines
    /// and may join them. Before the move any of several attackers may be the capturer: then these
    /// are all of them but one.
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
            // Whether somebody can recapture. 0: the capturer's side has no guards, as there are no
            // supporters. Then `may_recapture` returns all attackers, kings too; it is called only
            // so that the rule about kings stays in one place. With joining sliders alone there are
            // no attackers: nobody can recapture yet, and the exchange is played.
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
/// `pin_may_bar`: whether a pin may bar some attacker. Without a pin rule never. Under
/// `Pins::Legal` always: which pieces are pinned is known only ply by ply, so only captures without
/// attackers and joining sliders are settled. Under `Sf8` and `Sf` a caller gives true if an
/// attacker shares a line with its king and an enemy slider. It gives false if it has left pinned
/// attackers out, or if there are supporters: then the exchange is played in any case, unless
/// nobody attacks.
#[inline(always)]
pub(crate) fn is_plain_recapture(pin_may_bar: bool, queens: bool, target: u32) -> bool {
    !(pin_may_bar || queens && matches!(target >> 3, 0 | 7))
}

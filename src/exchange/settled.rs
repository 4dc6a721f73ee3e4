//! Captures whose value needs no exchange, as for most. Twin: `shaders/settled.wgsl`.
//!
//! If nobody can recapture, the capture wins its victim. If nobody can answer the recapture, it
//! also loses the capturer if the other side chooses.

use crate::Position;

/// The pieces that can go on after a capture.
pub(crate) struct Outlook {
    /// The other side's attackers, or those that no pin bars.
    pub answers: u64,
    /// Its sliders that may join after the capturer has left its square.
    pub joining: u64,
    /// The capturer's side's other attackers, and its sliders that may join.
    pub guards: u64,
    /// See [`is_answer_plain`].
    pub plain: bool,
}

impl Outlook {
    /// The part of the victim's value that is lost again; `None` if that needs an exchange.
    #[inline(always)]
    pub(crate) fn loss(&self, position: &Position, capturer: impl FnOnce() -> i32) -> Option<i32> {
        let undefended = self.answers | self.joining == 0;
        let alone = self.guards == 0 && self.plain;
        let answered = alone && position.may_recapture(self.answers, 0) != 0;
        let lost = if undefended { 0 } else { capturer().max(0) };
        (undefended | answered).then_some(lost)
    }
}

/// Whether any attacker may recapture on a square, and just captures: no pin bars it, no pawn
/// becomes a queen.
#[inline(always)]
pub(crate) fn is_answer_plain(pins: bool, queens: bool, target: u32) -> bool {
    !(pins || queens && matches!(target >> 3, 0 | 7))
}

//! Captures whose value takes no exchange, which most do. Twin: `shaders/settled.wgsl`.
//!
//! Nobody can answer the capture: it wins its victim. Or nobody can answer the answer:
//! it loses the capturer too, if the other side likes.

use crate::Position;
use crate::attacks::may_recapture;

/// Who can go on after a capture on one square.
pub(crate) struct Outlook {
    /// The other side's attackers.
    pub answers: u64,
    /// Its sliders that may join once the capturer has left its square.
    pub joining: u64,
    /// The capturer's side's attackers, the capturer left out, and sliders that may
    /// join.
    pub guards: u64,
    /// See [`is_answer_plain`].
    pub plain: bool,
}

impl Outlook {
    /// What of the victim's value is lost again; `None` if that takes an exchange.
    #[inline(always)]
    pub(crate) fn loss(&self, position: &Position, capturer: impl FnOnce() -> i32) -> Option<i32> {
        let undefended = self.answers | self.joining == 0;
        let alone = self.guards == 0 && self.plain;
        let answered = alone && may_recapture(position, self.answers, 0) != 0;
        let lost = if undefended { 0 } else { capturer().max(0) };
        (undefended | answered).then_some(lost)
    }
}

/// Whether any attacker may capture on a square, and just captures: none is barred by
/// a pin, none becomes a queen.
#[inline(always)]
pub(crate) fn is_answer_plain(pins: bool, queens: bool, target: u32) -> bool {
    !(pins || queens && matches!(target >> 3, 0 | 7))
}

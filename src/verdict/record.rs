//! A verdict in 16 bytes.
//!
//! It has the layout in which a device writes it, so that reading it is a test that it was written,
//! and a copy. Decoding the device's words into a struct with an `Option` for each move took 9 ns,
//! reading these words takes 1.6, of which the copy is 1.2 (one thread of a Xeon at 2.5 GHz; `cargo
//! bench --bench reading` measures it).

use bytemuck::{Pod, Zeroable};

use super::Best;
use crate::PackedMove;

/// The result of a position's legal noisy moves (captures, en passant, promotions).
///
/// In memory it is four words, which a GPU writes too. Fields that do not apply are zero, so that
/// equal verdicts have equal words.
///
/// | word | bits | holds |
/// |---|---|---|
/// | 0 | 31 | 1: the verdict was written |
/// | | 30 | the side to move is in check |
/// | | 29 | there is a best move |
/// | | 28 | there is a threat |
/// | | 23..28 | 0 |
/// | | 16..23 | on how many squares the opponent's noisy moves would win |
/// | | 0..16 | how many noisy moves there are |
/// | 1 | all | the best SEE, an `i32` |
/// | 2 | 0..16 | the best move, as [`PackedMove::to_bits`] |
/// | | 16..32 | the threat's move |
/// | 3 | all | the threat's SEE, an `i32` |
///
/// [`Verdict::default`] is the verdict on a position without noisy moves and threats. It is not zero
/// bytes, which say that no verdict was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Verdict {
    pub(crate) flags: u32,
    pub(crate) best_see: i32,
    pub(crate) moves: u32,
    pub(crate) threat_see: i32,
}

impl Verdict {
    pub(crate) const WRITTEN: u32 = 1 << 31;
    pub(crate) const IN_CHECK: u32 = 1 << 30;
    pub(crate) const HAS_BEST: u32 = 1 << 29;
    pub(crate) const HAS_THREAT: u32 = 1 << 28;
    /// The bits of the flags that must be 0.
    pub(crate) const RESERVED: u32 = 31 << 23;
    /// Where the number of squares begins in the flags.
    const THREATS_AT: u32 = 16;
    pub(crate) const THREATS: u32 = 127 << Verdict::THREATS_AT;
    pub(crate) const NOISY: u32 = 0xffff;
    /// Where the threat's move begins in the moves.
    const THREAT_MOVE_AT: u32 = 16;
    const BEST_MOVE: u32 = (1 << Verdict::THREAT_MOVE_AT) - 1;

    /// A verdict without a threat: whether the side to move is in check, how many noisy moves it
    /// has, at most 65,535, and the best one.
    #[inline(always)]
    pub const fn new(in_check: bool, noisy: u32, best: Option<Best>) -> Verdict {
        let (exists, best) = or_zero(best);
        // In a release build, a wrong number does not reach the other bits.
        debug_assert!(noisy <= Verdict::NOISY);
        Verdict {
            flags: Verdict::WRITTEN
                | flag(Verdict::IN_CHECK, in_check)
                | flag(Verdict::HAS_BEST, exists)
                | noisy & Verdict::NOISY,
            best_see: best.see,
            moves: best.capture.to_bits() as u32,
            threat_see: 0,
        }
    }

    /// The same verdict with the opponent's threat, and on how many squares, at most 64, its noisy
    /// moves would win: none without a threat.
    #[must_use]
    #[inline(always)]
    pub const fn with_threat(self, threat: Option<Best>, threats: u32) -> Verdict {
        let (exists, threat) = or_zero(threat);
        debug_assert!(threats <= 64 && (exists || threats == 0));
        let flags = self.flags & !(Verdict::HAS_THREAT | Verdict::THREATS);
        let moves = self.moves & Verdict::BEST_MOVE;
        Verdict {
            flags: flags
                | flag(Verdict::HAS_THREAT, exists)
                | (threats << Verdict::THREATS_AT) & Verdict::THREATS,
            best_see: self.best_see,
            moves: moves | (threat.capture.to_bits() as u32) << Verdict::THREAT_MOVE_AT,
            threat_see: threat.see,
        }
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.flags & Verdict::IN_CHECK != 0
    }

    /// How many noisy moves the side to move has.
    #[inline]
    pub const fn noisy(&self) -> u32 {
        self.flags & Verdict::NOISY
    }

    /// The noisy move of the side to move with the highest SEE; of equal ones, that with the smallest
    /// [`PackedMove::to_bits`]. `None` without noisy moves.
    #[inline]
    pub const fn best(&self) -> Option<Best> {
        if self.flags & Verdict::HAS_BEST == 0 {
            return None;
        }
        Some(Best {
            see: self.best_see,
            capture: PackedMove::from_bits(self.moves as u16),
        })
    }

    /// The opponent's best noisy move if it were to move. `None` if it has none, if the side to move
    /// is in check and so cannot pass, or if the threat was not asked for.
    #[inline]
    pub const fn threat(&self) -> Option<Best> {
        if self.flags & Verdict::HAS_THREAT == 0 {
            return None;
        }
        Some(Best {
            see: self.threat_see,
            capture: PackedMove::from_bits((self.moves >> Verdict::THREAT_MOVE_AT) as u16),
        })
    }

    /// On how many target squares, 0 to 64, the opponent has a noisy move with a SEE above 0. 0 if
    /// there is no threat.
    #[inline]
    pub const fn threats(&self) -> u8 {
        ((self.flags & Verdict::THREATS) >> Verdict::THREATS_AT) as u8
    }
}

/// `bit` if `is_set`, else 0, without a branch.
#[inline(always)]
const fn flag(bit: u32, is_set: bool) -> u32 {
    bit * is_set as u32
}

/// Whether there is a move, and the move with its SEE, which are zero without one.
#[inline(always)]
const fn or_zero(best: Option<Best>) -> (bool, Best) {
    if let Some(best) = best {
        return (true, best);
    }
    let capture = PackedMove::from_bits(0);
    (false, Best { see: 0, capture })
}

impl Default for Verdict {
    fn default() -> Verdict {
        Verdict::new(false, 0, None)
    }
}

#[allow(clippy::missing_fields_in_debug)] // its words are shown as what they say
impl core::fmt::Debug for Verdict {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.flags & Verdict::WRITTEN == 0 {
            return f.write_str("Verdict(not written)");
        }
        f.debug_struct("Verdict")
            .field("in_check", &self.in_check())
            .field("noisy", &self.noisy())
            .field("best", &self.best())
            .field("threat", &self.threat())
            .field("threats", &self.threats())
            .finish()
    }
}

//! Stockfish's pin rules, `sf8` and `sf`.
//!
//! Both take pins once, on the board before the move: a *blocker* is a piece that alone stands
//! between its own king and an enemy slider on the king's lines, the *pinner*. Blockers may not
//! recapture while all pinners of their side's king (`sf8`), or any of them (`sf`), are still on
//! their squares.

use shakmaty::{Bitboard, Square, attacks as magic};

use super::Exchange;
use crate::attacks::MASKS;
use crate::{Pins, Position};

/// Whether a pin may bar one of `own`, some pieces of the side whose squares are `side`. A quick
/// test that says yes too often: it says yes if one of them is on the file or the rank of its king,
/// and so is an enemy rook or queen; or if one of them is on a diagonal through its king, and so is
/// an enemy bishop or queen. It does not ask whether the two are on the same line.
#[inline(always)]
#[allow(clippy::needless_bitwise_bool)] // branches here are mispredicted
pub(crate) fn may_bar(position: &Position, side: u64, own: u64) -> bool {
    let king = (position.kings() & side).trailing_zeros() & 63;
    let masks = &MASKS[king as usize];
    let theirs = position.occupied_bits() & !side;
    let on = |lines: u64, sliders: u64| (own & lines != 0) & (sliders & lines & theirs != 0);
    on(masks.file | masks.rank, position.straight_sliders())
        | on(
            masks.diagonal | masks.antidiagonal,
            position.diagonal_sliders(),
        )
}

impl Exchange<'_> {
    /// The pieces of `own` that may not recapture at this ply.
    #[inline(always)]
    pub(super) fn barred(&self, own: u64) -> u64 {
        if !may_bar(self.position, self.side, own) {
            return 0;
        }
        let mut blockers = 0;
        let mut pinners = 0;
        for (blocker, pinner) in self.static_pins(self.king_of(self.side)) {
            blockers |= blocker;
            pinners |= pinner;
        }
        let in_force = if self.pins == Pins::Sf {
            pinners & self.occupied != 0
        } else {
            pinners & !self.occupied == 0
        };
        if in_force { blockers & own } else { 0 }
    }

    /// The side's blockers, each as a bit with the bit of its pinner, on the board before the move;
    /// `king` is the square of the side's king.
    #[inline(always)]
    pub(super) fn static_pins(&self, king: u32) -> impl Iterator<Item = (u64, u64)> {
        let side = self.side;
        let all = self.position.occupied_bits();
        let snipers = self.position.aligned(king) & all & !side;
        // `sf` ignores other snipers in between: two on one line both pin.
        let blocking = if self.pins == Pins::Sf {
            all & !snipers
        } else {
            all
        };
        Bitboard(snipers).into_iter().filter_map(move |sniper| {
            let between = magic::between(Square::new(king), sniper).0 & blocking;
            let pins = between & between.wrapping_sub(1) == 0 && between & side != 0;
            pins.then_some((between, 1 << sniper as u32))
        })
    }
}

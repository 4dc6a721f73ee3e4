//! A move's exchange with open piece values.
//!
//! Who captures next does not depend on values, only where the sides stop does. So each
//! capture's win is known by piece types, once for all tables.

use crate::{Capture, PieceValues, Position, Rules};

/// Pawn, knight, bishop, rook, queen.
pub(super) type Table = [i32; 5];

/// The win of every possible capture: the victim is in the low three bits of the index, the
/// type that its capturer promotes to in the bits above.
pub(super) type Wins = [i32; 48];

/// The wins under a table; for a step, the changes of the wins.
pub(super) const fn wins(table: Table) -> Wins {
    let [pawn, knight, bishop, rook, queen] = table;
    let values = [0, pawn, knight, bishop, rook, queen, 0, 0];
    let mut wins = [0; 48];
    let mut i = 0;
    while i < 48 {
        let promotion = if i < 8 { 0 } else { values[i / 8] - pawn };
        wins[i] = values[i % 8] + promotion;
        i += 1;
    }
    wins
}

/// A table under which a capture's win identifies the types.
const NAMES: Table = [1, 8, 64, 512, 4096];

/// Ends a line.
const END: u8 = u8::MAX;

/// The captures on one square to the last attacker, as indices into [`Wins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Line([u8; 32]);

impl Line {
    /// The line of a move; the values of the rules do not matter.
    pub(super) fn new(rules: &Rules, position: &Position, capture: Capture) -> Line {
        const NAMED: Wins = wins(NAMES);
        let values = PieceValues::new(NAMES).unwrap_or_default();
        let trace = Rules { values, ..*rules }.trace(position, capture);
        let mut line = Line([END; 32]);
        let mut last = 0;
        for (capture, gain) in line.0.iter_mut().zip(trace.gains()) {
            let named = NAMED.iter().position(|&win| win == gain + last);
            *capture = named.unwrap_or(0) as u8;
            last = gain;
        }
        line
    }

    /// The captures in order.
    #[inline(always)]
    pub(super) fn captures(&self) -> impl DoubleEndedIterator<Item = usize> {
        let len = self.0.iter().position(|&capture| capture == END);
        let captures = &self.0[..len.unwrap_or(self.0.len())];
        captures.iter().map(|&capture| usize::from(capture))
    }

    /// The SEE, given each capture's win.
    #[inline(always)]
    pub(super) fn see(&self, win: impl Fn(usize) -> i32) -> i32 {
        let mut captures = self.captures();
        let first = captures.next().map_or(0, &win);
        // Each side may stop after the first move.
        first - captures.rfold(0, |answer, capture| (win(capture) - answer).max(0))
    }
}

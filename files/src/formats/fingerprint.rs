//! Fingerprints: hashes by which equal positions, or equal placements of pieces, are found.
//!
//! The records of a file are compared by what the file's format holds, also if they were converted
//! from a format that holds more. So the rest is left out: bulletformat turns each board to the
//! side to move and knows no castling rights. Of 10^10 different positions, two have the same 128
//! bits with a chance of 10^-19.

use bytemuck::cast_slice;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{Field, Format, Record};
use swaplist::Position;
use swaplist::choices;

choices! {
    "identity",
    /// What makes two records duplicates of each other.
    pub enum Identity {
        /// The position, as far as the output's format holds it: the pieces, the side to move,
        /// castling rights and an en-passant square on which a capture is legal.
        Position = "position",
        /// The pieces on their squares, whoever moves.
        Placement = "placement",
    }
}

/// The planes of a position seen by the side to move: with Black to move, the board is turned
/// upside down and the colours are exchanged. No en-passant target.
#[inline]
pub(crate) fn seen_by_mover(position: &Position) -> [u64; 4] {
    let [bit0, bit1, bit2, black] = position.planes();
    let occupied = bit0 | bit1 | bit2;
    if position.turn().is_white() {
        return [bit0, bit1, bit2, black & occupied];
    }
    [bit0, bit1, bit2, occupied & !black].map(u64::swap_bytes)
}

/// Tells positions apart by 128 bits, as far as a format holds them.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprints {
    by: Identity,
    /// Whether the format turns all positions to White.
    turns: bool,
    /// Whether the format holds castling rights and en-passant targets.
    has_state: bool,
}

impl Fingerprints {
    /// Compares positions as this format holds them.
    pub fn new(by: Identity, to: Format) -> Fingerprints {
        Fingerprints {
            by,
            turns: !to.holds(Field::Turn),
            has_state: to.holds(Field::Castling),
        }
    }

    /// Compares positions only as far as another format holds them, too.
    #[must_use]
    pub fn as_held_by(self, other: Format) -> Fingerprints {
        Fingerprints {
            by: self.by,
            turns: self.turns || !other.holds(Field::Turn),
            has_state: self.has_state && other.holds(Field::Castling),
        }
    }

    /// Whether positions are turned to White, and whether castling rights and en-passant targets
    /// are compared. Where these differ, equal positions have different fingerprints.
    pub const fn view(self) -> [bool; 2] {
        [self.turns, self.has_state]
    }

    /// Whether [`Fingerprints::of`] needs the record's castling rights.
    pub fn needs_state(self) -> bool {
        self.by == Identity::Position && self.has_state
    }

    /// The fingerprint of a record. It must have its castling rights if they are
    /// [needed](Self::needs_state).
    #[inline]
    pub fn of(self, record: &Record) -> u128 {
        let position = &record.position;
        let mut planes = if self.turns {
            seen_by_mover(position)
        } else {
            position.planes()
        };
        let occupied = planes[0] | planes[1] | planes[2];
        let ep = planes[3] & !occupied;
        planes[3] &= occupied;
        let mut state = 0;
        if self.by == Identity::Placement {
            // This gives both kings the code 6. The code of the king to move is 7 otherwise, so
            // that planes also tell who moves.
            planes[0] &= !(planes[1] & planes[2]);
        } else if self.has_state {
            state = record.castling.0;
            if ep != 0 && record.has_legal_ep() {
                planes[3] |= ep;
            }
        }
        let [bit0, bit1, bit2, black] = planes.map(u64::to_le);
        let numbers = [bit0, bit1, bit2, black, state.to_le()];
        xxh3_128_with_seed(cast_slice(&numbers), 0)
    }
}

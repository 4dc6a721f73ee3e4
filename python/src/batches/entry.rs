//! A position to train on, and what became of the records that it is one of.

use serde::{Deserialize, Serialize};
use swaplist::{PackedMove, Position};
use swaplist_files::formats::{Outcome, Record, RecordFields};

/// A position to train on.
#[derive(Clone, Copy)]
pub struct Entry {
    pub planes: [u64; 4],
    /// The score from the side to move's view, in centipawns.
    pub score: i32,
    /// The bits of the played move, or [`Entry::NO_MOVE`].
    pub played: u16,
    /// The ply in the lower 14 bits, and in the two highest the result plus 1.
    ply_and_result: u16,
}

const _: () = assert!(size_of::<Entry>() == 40);

impl Entry {
    pub const NO_MOVE: u16 = u16::MAX;
    const HIGHEST_PLY: u16 = (1 << 14) - 1;

    /// Packs what training needs of a record.
    #[inline]
    pub fn new(position: &Position, record: &RecordFields) -> Entry {
        // Hardly any position has an en-passant target: the others are copied as they are.
        let position = match position.ep_square() {
            None => *position,
            Some(_) => with_legal_ep(position),
        };
        let white = match record.outcome() {
            Some(Outcome::White) => 2_u8,
            Some(Outcome::Black) => 0,
            _ => 1,
        };
        let result = position.turn().fold_wb(white, 2 - white);
        let ply = u16::try_from(record.ply().unwrap_or_default()).unwrap_or(u16::MAX);
        Entry {
            planes: position.planes(),
            score: record.score().unwrap_or_default(),
            played: record.played().map_or(Entry::NO_MOVE, PackedMove::to_bits),
            ply_and_result: ply.min(Entry::HIGHEST_PLY) | u16::from(result) << 14,
        }
    }

    /// Half-moves since the start of the game.
    #[inline]
    pub fn ply(&self) -> u16 {
        self.ply_and_result & Entry::HIGHEST_PLY
    }

    /// The result from the side to move's view: 1, 0 or -1.
    #[inline]
    pub fn result(&self) -> i8 {
        [-1, 0, 1, 0][usize::from(self.ply_and_result >> 14)]
    }

    /// The number of pieces.
    #[inline]
    pub fn pieces(&self) -> u32 {
        let [bit0, bit1, bit2, _] = self.planes;
        (bit0 | bit1 | bit2).count_ones()
    }

    /// Whether Black moves.
    #[inline]
    pub fn is_black(&self) -> bool {
        let [bit0, bit1, bit2, black] = self.planes;
        bit0 & bit1 & bit2 & black != 0
    }
}

/// The position, without its en-passant target if no pawn can legally take there. It is not part of
/// [`Entry::new`], so that the latter is small enough to be inlined.
#[cold]
fn with_legal_ep(position: &Position) -> Position {
    Record::new(*position).with_legal_ep().position
}

/// How many records were read, and what became of them.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Counts {
    pub records: u64,
    pub kept: u64,
    pub filtered: u64,
    pub unscored: u64,
    pub without_result: u64,
    pub skipped: u64,
    pub invalid: u64,
}

impl Counts {
    /// Whether there was no record yet, neither a valid nor an invalid one.
    pub const fn is_empty(&self) -> bool {
        self.records == 0 && self.invalid == 0
    }

    pub const fn all(&self) -> [(&'static str, u64); 7] {
        [
            ("records", self.records),
            ("kept", self.kept),
            ("filtered", self.filtered),
            ("unscored", self.unscored),
            ("without_result", self.without_result),
            ("skipped", self.skipped),
            ("invalid", self.invalid),
        ]
    }

    /// Counts some positions as skipped that were counted as kept.
    pub fn skip(&mut self, positions: u64) {
        self.kept -= positions;
        self.skipped += positions;
    }

    pub fn add(&mut self, more: &Counts) {
        self.records += more.records;
        self.kept += more.kept;
        self.filtered += more.filtered;
        self.unscored += more.unscored;
        self.without_result += more.without_result;
        self.skipped += more.skipped;
        self.invalid += more.invalid;
    }
}

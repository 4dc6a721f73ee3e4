//! Moves named by records.

use crate::Capture;

/// Lists of moves for some records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedMoves {
    /// Records that name moves, in order, with the end of theirs in `moves`.
    ends: Vec<(u32, u32)>,
    moves: Vec<Capture>,
}

impl NamedMoves {
    /// Adds the moves of the next record.
    pub fn push(&mut self, record: usize, moves: impl IntoIterator<Item = Capture>) {
        self.moves.extend(moves);
        self.ends.push((record as u32, self.moves.len() as u32));
    }

    /// The moves of a record, if any.
    pub fn of(&self, record: usize) -> Option<&[Capture]> {
        let number = u32::try_from(record).ok()?;
        let at = self.ends.binary_search_by_key(&number, |end| end.0).ok()?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        self.moves.get(start as usize..self.ends[at].1 as usize)
    }

    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.moves.clear();
    }
}

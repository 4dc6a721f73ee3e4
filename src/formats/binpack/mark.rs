//! Marking positions of a chain that has been decoded, without playing it again.

use super::super::{Fate, Record, VALUE_NONE};
use super::bits::{Plies, to_zigzag};
use super::layout::{MIN_CHAIN, STEM};

/// Where the bits of a position's score stand in its chain's movetext: the end
/// << 5 | how many they are, 20 at most. The longest movetext has fewer than 2^21 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreBits(u32);

impl ScoreBits {
    /// Nothing at 0 for the stem, which is never asked.
    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize) -> ScoreBits {
        ScoreBits((end as u32) << 5 | (end - start) as u32)
    }

    #[inline(always)]
    const fn start(self) -> usize {
        self.end() - (self.0 & 31) as usize
    }

    #[inline(always)]
    const fn end(self) -> usize {
        (self.0 >> 5) as usize
    }
}

/// A decoded chain.
pub(crate) struct Chain<'a> {
    /// From its stem on.
    pub bytes: &'a [u8],
    /// Of the positions before a fault, if there is one: the stem's at least.
    pub records: &'a [Record],
    /// As many.
    pub scores: &'a [ScoreBits],
}

impl Chain<'_> {
    /// Whether there is no fault in it.
    pub(crate) fn is_whole(&self) -> bool {
        let count = &self.bytes[STEM..MIN_CHAIN];
        let moves = u16::from_be_bytes([count[0], count[1]]);
        self.records.len() == usize::from(moves) + 1
    }

    /// Writes the chain with [`VALUE_NONE`] for the scores of marked positions, up to
    /// a fault. A score is coded as the difference to the one before, so that of the
    /// position behind a marked one is coded anew too; all other bits are copied.
    ///
    /// Nothing branches on what becomes of a position: nobody can predict that.
    pub(crate) fn mark(&self, fates: &[Fate], out: &mut Vec<u8>) {
        let (head, text) = self.bytes.split_at(MIN_CHAIN);
        let start = out.len();
        out.extend_from_slice(head);
        out.resize(
            start + MIN_CHAIN + self.records.len() * Plies::MOST + size_of::<u64>(),
            0,
        );
        let mut plies = Plies::new(&mut out[start + MIN_CHAIN..]);
        let score = |record: &Record, fate: Fate| {
            let old = record.score().unwrap_or_default() as i16;
            let new = if fate == Fate::Mark { VALUE_NONE } else { old };
            (new, new != old)
        };
        let stem = score(&self.records[0], fates[0]);
        let (mut before, mut anew) = stem;
        let mut begin = 0;
        let all = self.scores.iter().zip(self.records).zip(fates).skip(1);
        for ((bits, record), &fate) in all {
            let (new, changes) = score(record, fate);
            let spans = [begin, bits.start(), bits.end()];
            plies.put(text, spans, (anew | changes, new.wrapping_add(before)));
            (before, anew, begin) = (new, changes, bits.end());
        }
        let length = MIN_CHAIN + plies.finish();
        out.truncate(start + length);
        let moves = (self.records.len() - 1) as u16;
        out[start + 26..start + 28].copy_from_slice(&to_zigzag(stem.0).to_be_bytes());
        out[start + STEM..start + MIN_CHAIN].copy_from_slice(&moves.to_be_bytes());
    }
}

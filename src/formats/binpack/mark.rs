//! Marking positions of a chain that has been decoded, without playing it again.

use super::super::{Fate, Record, VALUE_NONE};
use super::bits::{BitWriter, SCORE_BITS, to_zigzag};
use super::chain::Step;
use super::{MIN_CHAIN, STEM};

/// Where the bits of a position's score stand in its chain's movetext: the end
/// << 2 | the number of blocks they come in, less one. The longest movetext has
/// fewer than 2^21 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreBits(u32);

impl ScoreBits {
    /// Nothing at 0 for the stem, which is never asked.
    #[inline(always)]
    pub(crate) fn of(step: &Step) -> ScoreBits {
        let blocks = (step.end - step.score_start) as u32 / SCORE_BITS;
        ScoreBits((step.end as u32) << 2 | blocks.saturating_sub(1))
    }

    #[inline(always)]
    const fn start(self) -> usize {
        self.end() - ((self.0 & 3) + 1) as usize * SCORE_BITS as usize
    }

    #[inline(always)]
    const fn end(self) -> usize {
        (self.0 >> 2) as usize
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
    pub(crate) fn mark(&self, fates: &[Fate], out: &mut Vec<u8>) {
        let (head, text) = self.bytes.split_at(MIN_CHAIN);
        out.reserve(self.bytes.len() + self.records.len() * 4);
        let start = out.len();
        out.extend_from_slice(head);
        let old = |i: usize| self.records[i].score().unwrap_or_default() as i16;
        let new = |i: usize| match fates[i] {
            Fate::Mark => VALUE_NONE,
            _ => old(i),
        };
        let stem_score = new(0);
        let mut writer = BitWriter::new(out);
        let mut copied = 0;
        // Of the position before.
        let (mut score, mut changed) = (stem_score, stem_score != old(0));
        for (i, (bits, fate)) in self.scores.iter().zip(fates).enumerate().skip(1) {
            if !changed && *fate != Fate::Mark {
                continue;
            }
            if !changed {
                score = old(i - 1);
            }
            let next = new(i);
            if changed || next != old(i) {
                writer.copy(text, copied, bits.start());
                writer.put_score(next.wrapping_add(score));
                copied = bits.end();
            }
            (score, changed) = (next, next != old(i));
        }
        let end = self.scores.last().map_or(0, |bits| bits.end());
        writer.copy(text, copied, end);
        writer.finish();
        let moves = (self.records.len() - 1) as u16;
        out[start + 26..start + 28].copy_from_slice(&to_zigzag(stem_score).to_be_bytes());
        out[start + STEM..start + MIN_CHAIN].copy_from_slice(&moves.to_be_bytes());
    }
}

//! Writing decoded chains with positions marked or dropped.

use core::ops::Range;

use super::super::isa::{Features, Isa, Work};
use super::super::{Action, RecordFields, VALUE_NONE};
use super::bits::{BitWriter, to_zigzag};
use super::chain::{Step, walk};
use super::chunks::{MIN_CHAIN, STEM, moves};
use super::stem::Stem;

/// The place of a score in its chain's movetext: the end << 5 | the number of bits, at most 20.
/// The longest movetext has fewer than 2^21 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreBits(u32);

impl ScoreBits {
    /// The stem has 0, which is never used.
    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize) -> ScoreBits {
        ScoreBits((end as u32) << 5 | (end - start) as u32)
    }

    #[inline(always)]
    pub(crate) const fn start(self) -> usize {
        self.end() - (self.0 & 31) as usize
    }

    #[inline(always)]
    pub(crate) const fn end(self) -> usize {
        (self.0 >> 5) as usize
    }
}

/// The most bytes of a position's move and score.
const MOST_BYTES: usize = 4;

/// A decoded chain.
pub(crate) struct Chain<'a> {
    /// Its bytes, from the stem on.
    pub bytes: &'a [u8],
    /// Its decoded positions. If the chain is broken, those before the break; the stem's is always
    /// there.
    pub records: &'a [RecordFields],
    /// Where the bits of each one's score are.
    pub score_bits: &'a [ScoreBits],
}

impl Chain<'_> {
    /// Whether it has no fault.
    pub(crate) fn is_whole(&self) -> bool {
        moves(self.bytes) == Some(self.records.len() - 1)
    }
}

/// Writes a chain with [`VALUE_NONE`] for the scores of marked positions, up to a fault. Scores
/// are coded as differences, so the score after a marked one is coded anew, too; all other bits
/// are copied.
///
/// There are no branches on the positions' actions, which are unpredictable.
pub(super) fn mark_positions(
    features: Features,
    chain: &Chain<'_>,
    actions: &[Action],
    out: &mut Vec<u8>,
) {
    struct Marking<'a>(&'a Chain<'a>, &'a [Action], &'a mut Vec<u8>);
    impl Work for Marking<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, _: I) {
            mark(self.0, self.1, self.2);
        }
    }
    features.run(Marking(chain, actions, out));
}

#[inline(always)]
fn mark(chain: &Chain<'_>, actions: &[Action], out: &mut Vec<u8>) {
    let (head, text) = chain.bytes.split_at(MIN_CHAIN);
    let start = out.len();
    out.extend_from_slice(head);
    let most = chain.records.len() * MOST_BYTES + BitWriter::SLACK;
    out.resize(start + MIN_CHAIN + most, 0);
    let room = &mut out[start + MIN_CHAIN..];
    let mut writer = BitWriter::default();
    let score = |record: &RecordFields, action: Action| {
        let old = record.score().unwrap_or_default() as i16;
        let new = if action == Action::Mark {
            VALUE_NONE
        } else {
            old
        };
        (new, new != old)
    };
    let stem = score(&chain.records[0], actions[0]);
    let (mut before, mut anew) = stem;
    let mut begin = 0;
    let all = chain
        .score_bits
        .iter()
        .zip(chain.records)
        .zip(actions)
        .skip(1);
    for ((bits, record), &action) in all {
        let (new, changes) = score(record, action);
        let bounds = [begin, bits.start(), bits.end()];
        let score = (anew | changes, new.wrapping_add(before));
        writer.copy_ply(room, text, bounds, score);
        (before, anew, begin) = (new, changes, bits.end());
    }
    out.truncate(start + MIN_CHAIN + writer.bytes());
    let moves = (chain.records.len() - 1) as u16;
    out[start + 26..start + 28].copy_from_slice(&to_zigzag(stem.0).to_be_bytes());
    out[start + STEM..start + MIN_CHAIN].copy_from_slice(&moves.to_be_bytes());
}

/// Writes the chain at the start of `bytes` without the positions that are not `kept`, as one
/// chain per run of kept ones; up to a fault, which was found when decoding.
pub(super) fn drop_positions(
    features: Features,
    bytes: &[u8],
    kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) {
    let text = bytes.get(MIN_CHAIN..).unwrap_or_default();
    let mut run: Option<Run> = None;
    let mut index = 0;
    let _ = walk(features, bytes, |step| {
        match (&mut run, kept(index)) {
            (Some(run), true) => {
                run.moves += 1;
                run.bits.end = step.end;
            }
            (None, true) => run = Some(Run::new(step)),
            (_, false) => {
                if let Some(run) = run.take() {
                    run.write(text, out);
                }
            }
        }
        index += 1;
    });
    if let Some(run) = run {
        run.write(text, out);
    }
}

/// A run of positions.
struct Run {
    stem: Stem,
    /// The number of positions after the stem.
    moves: u16,
    /// Their bits in the movetext.
    bits: Range<usize>,
}

impl Run {
    fn new(first: &Step) -> Run {
        Run {
            stem: first.state,
            moves: 0,
            bits: first.end..first.end,
        }
    }

    fn write(&self, text: &[u8], out: &mut Vec<u8>) {
        self.stem.write(out);
        out.extend_from_slice(&self.moves.to_be_bytes());
        let start = out.len();
        out.resize(start + self.bits.len().div_ceil(8) + BitWriter::SLACK, 0);
        let mut writer = BitWriter::default();
        writer.copy(&mut out[start..], text, self.bits.clone());
        out.truncate(start + writer.bytes());
    }
}

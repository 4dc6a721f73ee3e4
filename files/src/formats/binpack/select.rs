//! Writes decoded chains with positions marked or dropped. `files/shaders/mark_chains.wgsl` marks
//! on the GPU.
//!
//! `write_chain` in `binpack.rs` copies a chain byte for byte if it is whole and every position is
//! kept, and writes nothing of a chain that is dropped as a whole. For all other chains it calls
//! this file, which gives unwanted positions the score 32002, which trainers skip (*marking*), or
//! cuts the chain into shorter ones without them (*dropping*). Of a broken chain, or one in which
//! `--limit` ends, this file writes the positions that were read before that.
//!
//! # Worked example
//!
//! A chain is one full position (the *stem*, with its move and score) and then bits (the
//! *movetext*): for each further position its move and its score. Scores are those of the side to
//! move, which changes from one position to the next: if neither side gains anything, a score of 30
//! is followed by -30. What is stored is the difference of a score and the negated score before it.
//! For -20 after 30 that is -20 - (-30) = 10, the sum of both scores. So the scores 30, -20, 25 are
//! stored as 30, 10 and 5. If a filter does not want the second position, there are two ways:
//!
//! | | stem | second | third | bytes |
//! |---|---|---|---|---|
//! | as read | 30 | move, 10 | move, 5 | 38 |
//! | *marked* | 30 | move, 32002 + 30 = 32032 | move, 25 + 32002 = 32027 | 41 |
//! | *dropped* | 30 | not written | 25, the stem of a second chain | 34 + 34 |
//!
//! A stem takes 32 bytes and the number of moves after it 2; the rest of a chain's bytes is its
//! movetext, padded to whole bytes: here 4 bytes, or 7 with the longer codes of the two large
//! numbers. Marking copies the bits of the moves. It changes two stored numbers, that of the marked
//! position and that of the next one, since both contain the marked score. Dropping makes the third
//! position a stem, for which the whole board is needed: the chain is walked once more.
//!
//! # The steps
//!
//! ```text
//! mark    copy the stem; its score is 32002 if it is marked
//!         for each further position:
//!             copy the bits of its move
//!             if its score or the one before changed, code the sum anew; else copy its bits
//! drop    walk the chain:
//!             a kept position begins a run if it is the chain's first or follows a dropped one
//!             a kept position after a kept one adds its bits to the run
//!             a dropped position ends the run
//!         a run becomes a chain: a stem of its first position, number and bits of the others
//! ```
//!
//! # Why this way
//!
//! Which positions a filter keeps is as good as random, so a branch on that would often be
//! predicted wrongly. The loop that marks has none: both codes of a score are computed and one is
//! chosen. With the preset `quiet` as the filter, a real file of 434,921 positions grows from 2.4
//! bytes a position to 2.8 with marks. If positions are dropped, the 309,704 that are left take
//! 10.5 bytes each on average, since each run of kept positions needs a stem with a number, 34
//! bytes.
//!
//! # What must hold
//!
//! - If a chain is broken off or holds an impossible move, only the positions before that are
//!   written, and the number of moves after the stem counts only these.
//! - The bits of a move depend on the position alone, those of a score on this score and the one
//!   before it. So if a position becomes a stem, the bits of the positions after it can be copied:
//!   none of the scores they depend on has changed. Only the new stem itself is written anew, and
//!   with its score instead of a sum.

use core::ops::Range;

use super::super::isa::{Features, Isa, IsaFn};
use super::super::notes::ScoreBits;
use super::super::{Action, RecordFields, VALUE_NONE};
use super::bits::{BitWriter, PlyBits, to_zigzag};
use super::chain::{ChainStep, walk};
use super::chunks::{MIN_CHAIN, STEM, moves};
use super::stem::{SCORE, Stem};

/// The most bytes that a position takes in the movetext. Its move takes at most 10 bits, and its
/// score 20: up to four blocks of four bits, each with a bit that says "more" (`bits.rs`). By it
/// `mark` makes room for a chain before it writes anything.
const MOST_BYTES: usize = 4;

/// A chain with what decoding found out about it. `records` and `score_bits` have an entry for each
/// decoded position, the stem's first.
pub(crate) struct Chain<'a> {
    /// The chain's bytes, from the stem on.
    pub bytes: &'a [u8],
    /// Its decoded positions. If the chain is broken, those before the break; the stem's is always
    /// there.
    pub records: &'a [RecordFields],
    /// Where the bits of each one's score are, counted from the start of the movetext. The stem's
    /// entry is not used, as its score is not in the movetext.
    pub score_bits: &'a [ScoreBits],
}

impl Chain<'_> {
    /// Whether `records` has all its positions: it is not broken, and `--limit` does not end in it.
    pub(crate) fn is_whole(&self) -> bool {
        // `moves` reads the number after the stem: how many further positions there should be.
        moves(self.bytes) == Some(self.records.len() - 1)
    }
}

/// Appends a chain with [`VALUE_NONE`] for the scores of marked positions, up to a break. There is
/// one action for each record. A position with `Action::Drop` is not dropped here: its score stays
/// as it is, as with `Keep`. Where some positions are marked and others dropped, `write_chain` has
/// this function write the marked chain into a buffer, and then gives that to [`drop_positions`].
pub(super) fn mark_positions(
    features: Features,
    chain: &Chain<'_>,
    actions: &[Action],
    out: &mut Vec<u8>,
) {
    // Lets `mark` be compiled for the instructions that `features` allow.
    struct Marking<'a>(&'a Chain<'a>, &'a [Action], &'a mut Vec<u8>);
    impl IsaFn for Marking<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, _: I) {
            mark(self.0, self.1, self.2);
        }
    }
    features.run(Marking(chain, actions, out));
}

/// A score as it is written, and whether that is not the one that was read.
#[derive(Clone, Copy)]
struct WrittenScore {
    /// The score that is written.
    value: i16,
    /// Whether it is not the one that was read: then the sums that contain it are coded anew.
    is_new: bool,
}

impl WrittenScore {
    /// The score of a position on which there is this action. A marked position that has 32002
    /// already does not change.
    #[inline(always)]
    fn new(record: &RecordFields, action: Action) -> WrittenScore {
        // Each position of a chain has a score (32002 is one as well): the default is never used.
        let old = record.score().unwrap_or_default() as i16;
        let value = if action == Action::Mark {
            VALUE_NONE
        } else {
            old
        };
        WrittenScore {
            value,
            is_new: value != old,
        }
    }
}

/// [`mark_positions`], compiled in place for the instructions in use. It goes through the chain ply
/// by ply, and decodes nothing: the records have the scores, and `score_bits` says where each ply's
/// bits are.
#[inline(always)]
fn mark(chain: &Chain<'_>, actions: &[Action], out: &mut Vec<u8>) {
    // The head: the stem's 32 bytes, and the number of moves after it in 2. Then the movetext.
    let (head, text) = chain.bytes.split_at(MIN_CHAIN);
    let start = out.len();
    out.extend_from_slice(head);
    // Zeros as room for the movetext, which is cut to its real length below. The writer (`bits.rs`)
    // stores eight bytes at a time, so it writes up to `SLACK`, 8, bytes too many.
    let most = chain.records.len() * MOST_BYTES + BitWriter::SLACK;
    out.resize(start + MIN_CHAIN + most, 0);
    let room = &mut out[start + MIN_CHAIN..];
    let mut writer = BitWriter::default();
    let stem = WrittenScore::new(&chain.records[0], actions[0]);
    let mut before = stem;
    let mut ply_start = 0;
    let positions = chain.score_bits.iter().zip(chain.records).zip(actions);
    for ((bits, record), &action) in positions.skip(1) {
        let score = WrittenScore::new(record, action);
        // A ply is the bits of a move, from `start`, and those of its score, from `score` to `end`.
        let ply = PlyBits {
            start: ply_start,
            score: bits.start(),
            end: bits.end(),
        };
        // What is stored is how the score changed, seen from one side. Each score is its own side
        // to move's, and the sides alternate: so the change is the sum of both scores. The sum
        // changes if either of them does. Wrapping, as the file may hold any 16 bits for a score.
        let difference = score.value.wrapping_add(before.value);
        // `copy_ply` (`bits.rs`) copies the move's bits. For the score it has two codes: the one in
        // `text`, and a new one of `difference`. It writes the new one only if the flag says that
        // one of the two scores has changed. Elsewhere the old bits are kept although the new code
        // means the same: a file may code a score in more blocks than needed, and what no mark
        // changes stays byte for byte.
        writer.copy_ply(room, text, ply, before.is_new | score.is_new, difference);
        before = score;
        ply_start = bits.end();
    }
    out.truncate(start + MIN_CHAIN + writer.bytes());
    let moves = (chain.records.len() - 1) as u16;
    // The head was copied as it was. Now the stem's score is written over, as the stem may be
    // marked, and the number of moves, which is smaller if the chain is not whole. The score is at
    // byte 26 of the stem's 32, and the number follows the stem. Scores are stored in zigzag
    // (`bits.rs`): the sign is the lowest bit, so scores near 0 are small numbers.
    out[start + SCORE..start + SCORE + 2].copy_from_slice(&to_zigzag(stem.value).to_be_bytes());
    out[start + STEM..start + MIN_CHAIN].copy_from_slice(&moves.to_be_bytes());
}

/// Appends the chain at the start of `bytes` without the positions that are not kept, as one chain
/// for each run of kept ones. `is_kept` is asked by the number in the chain; the stem has 0.
///
/// The walk goes on to the chain's end even if `--limit` ends before it. So `is_kept` must say no
/// for positions that were not decoded; `write_chain` says no where there is no action.
pub(super) fn drop_positions(
    features: Features,
    bytes: &[u8],
    is_kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) {
    // Never shorter: decoding has found the stem and the number after it.
    let text = bytes.get(MIN_CHAIN..).unwrap_or_default();
    let mut run: Option<KeptRun> = None;
    let mut index = 0;
    // `walk` (`chain.rs`) decodes the chain; the decoding of blocks uses it only where its fast way
    // fails or cannot be used. It calls the closure with each position, the stem first: then
    // `step.end` is 0. At a break it stops with an error, which was reported already when the block
    // was decoded.
    let _ = walk(features, bytes, |step| {
        // There is a run if the position before this one was kept. Is this one kept as well?
        match (&mut run, is_kept(index)) {
            (Some(run), true) => {
                run.moves += 1;
                run.bits.end = step.end;
            }
            (None, true) => run = Some(KeptRun::new(step)),
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

/// A run of kept positions, which becomes a chain. While it grows only two numbers change, `moves`
/// and the end of `bits`.
struct KeptRun {
    /// The first position of the run.
    stem: Stem,
    /// The number of positions after it: no more than the original chain has, so it fits in 16
    /// bits.
    moves: u16,
    /// Their bits in the movetext of the original chain, which follow each other there.
    bits: Range<usize>,
}

impl KeptRun {
    /// A run of one position so far. It has no bits yet: the move that is played in this position,
    /// and its score, are in the stem. The bits of the next position begin at `first.end`.
    fn new(first: &ChainStep) -> KeptRun {
        KeptRun {
            stem: first.state, // the position with its move and its own score, which is not a sum
            moves: 0,
            bits: first.end..first.end,
        }
    }

    /// Appends it as a chain; `text` is the movetext of the original one. The bits are shifted, as
    /// they may begin within a byte there and begin at a whole byte here.
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

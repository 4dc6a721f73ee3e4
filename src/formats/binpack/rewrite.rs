//! Rewriting chains with positions dropped or marked.

use core::ops::Range;

use super::super::isa::Features;
use super::super::{Fault, VALUE_NONE};
use super::bits::BitWriter;
use super::chain::{Step, walk};
use super::layout::{MIN_CHAIN, STEM};
use super::stem::Stem;

/// Writes the chain at the start of `bytes` without the positions that are not `kept`, as one
/// chain per run of kept ones. Returns the length of the chain read.
///
/// # Errors
///
/// As for [`walk`]. The kept positions before the fault have been written.
pub(super) fn drop_positions(
    features: Features,
    bytes: &[u8],
    kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) -> Result<usize, (usize, Fault)> {
    let text = bytes.get(MIN_CHAIN..).unwrap_or_default();
    let start = out.len();
    let mut run: Option<Run> = None;
    let mut index = 0;
    let mut dropped = false;
    let length = walk(features, bytes, |step| {
        match (&mut run, kept(index)) {
            (Some(run), true) => {
                run.moves += 1;
                run.bits.end = step.end;
            }
            (None, true) => {
                run = Some(Run::new(step));
            }
            (_, false) => {
                dropped = true;
                if let Some(run) = run.take() {
                    run.write(text, out);
                }
            }
        }
        index += 1;
    });
    match (&length, run) {
        // Bit for bit, even if a writer coded a score with more blocks than needed.
        (Ok(length), Some(_)) if !dropped => {
            out.truncate(start);
            out.extend_from_slice(&bytes[..*length]);
        }
        (_, Some(run)) => run.write(text, out),
        (_, None) => {}
    }
    length
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
        let mut stem = first.state;
        stem.board.set_ep(first.ep);
        Run {
            stem,
            moves: 0,
            bits: first.end..first.end,
        }
    }

    fn write(&self, text: &[u8], out: &mut Vec<u8>) {
        self.stem.write(out);
        out.extend_from_slice(&self.moves.to_be_bytes());
        let mut writer = BitWriter::new(out);
        writer.copy(text, self.bits.start, self.bits.end);
        writer.finish();
    }
}

/// Writes the chain at the start of `bytes`, with [`VALUE_NONE`] for the scores of positions
/// that are not `kept`. Returns the length of the chain read.
///
/// # Errors
///
/// As for [`walk`]. The chain up to the fault has been written.
pub(super) fn mark_positions(
    features: Features,
    bytes: &[u8],
    kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) -> Result<usize, (usize, Fault)> {
    let text = bytes.get(MIN_CHAIN..).unwrap_or_default();
    let start = out.len();
    out.extend_from_slice(&bytes[..bytes.len().min(MIN_CHAIN)]);
    let mut writer = BitWriter::new(out);
    let mut index = 0;
    let mut stem_score = 0;
    // The score that the reader will subtract from, and whether it is unchanged.
    let mut previous = 0_i16;
    let mut same = true;
    let length = walk(features, bytes, |step| {
        let marked = !kept(index);
        let score = if marked { VALUE_NONE } else { step.state.score };
        let unchanged = score == step.state.score;
        if index == 0 {
            stem_score = score;
        } else if same && unchanged {
            writer.copy(text, step.start, step.end);
        } else {
            writer.copy(text, step.start, step.score_start);
            writer.put_score(score.wrapping_add(previous));
        }
        (previous, same) = (score, unchanged);
        index += 1;
    });
    writer.finish();
    patch(out, start, index, stem_score);
    length
}

/// Writes a chain's number of moves and its stem's score.
fn patch(out: &mut Vec<u8>, start: usize, positions: usize, score: i16) {
    let Some(moves) = positions.checked_sub(1) else {
        out.truncate(start);
        return;
    };
    let code = super::bits::to_zigzag(score);
    out[start + 26..start + 28].copy_from_slice(&code.to_be_bytes());
    out[start + STEM..start + MIN_CHAIN].copy_from_slice(&(moves as u16).to_be_bytes());
}

//! Rewriting chains with positions dropped.

use core::ops::Range;

use super::super::isa::Features;
use super::bits::BitWriter;
use super::chain::{Step, walk};
use super::layout::MIN_CHAIN;
use super::stem::Stem;

/// Writes the chain at the start of `bytes` without the positions that are not `kept`, as one
/// chain per run of kept ones; up to a fault, which was found when decoding.
pub(super) fn drop_positions(
    features: Features,
    bytes: &[u8],
    kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) {
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
    match (length, run) {
        // Bit for bit, even if a writer coded a score with more blocks than needed.
        (Ok(length), Some(_)) if !dropped => {
            out.truncate(start);
            out.extend_from_slice(&bytes[..length]);
        }
        (_, Some(run)) => run.write(text, out),
        (_, None) => {}
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

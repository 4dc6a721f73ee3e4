//! From a device's output to the bytes of a part.
//!
//! The encoders of `shaders/encode.wgsl` leave units in any order, each where it found room, and a
//! row of results for each unit that says where. Here they are put into the file's order.
//!
//! # Example
//!
//! A part of a binpack has three chains. Their rows of results are, in the order of the chains:
//!
//! ```text
//! place       bytes             decided
//! 0xfffffffe  0                 all records kept: the chain's own bytes are copied
//! 101         7                 its new movetext is 7 bytes at word 100 of the text
//! 61          0x80000000 | 30   30 bytes at word 60, and the score in the stem becomes 32002
//! ```
//!
//! So the text from word 60 to word 102 is read from the device, once. The output is the first
//! chain as it was; the stem of the second one and 7 bytes; the stem of the third one, marked, and
//! 30 bytes.
//!
//! ```text
//! read the rows of results
//! a row of 0: the kernel has not written it, so the device is wrong
//! a broken unit, or one without room: the CPU filters the part
//! read the counts of the part, and compare them with what was decided about the units
//! read the words of text that the units have together
//! for each unit: append its own bytes, or its text
//! ```
//!
//! # What must hold
//!
//! Nothing from the device is trusted to be in range: a place beyond the text is an error, and the
//! numbers of the part must be those of its units. Whether the bytes are right is for the audit
//! (`jobs/rewriting.rs`).

use core::ops::Range;

use super::layout::{BatchLayout, PlacedPart, RESULT_WORDS};
use super::{DeviceBatch, KEPT, REASONS, Recipe};
use crate::backend::BackendError;
use crate::filter::Reason;
use crate::formats::{Block, Cut, put_marked_chain};
use crate::gpu::program::FileKernel;

/// A part as a device has filtered it.
pub(crate) struct FilteredPart {
    /// The bytes of the output.
    pub bytes: Vec<u8>,
    /// The number of records of each kind.
    pub counts: Vec<u32>,
    /// Where the output of each unit is in the bytes.
    pub units: Vec<Range<usize>>,
    /// What was decided about the records of each unit.
    pub decisions: Vec<UnitDecisions>,
}

/// What a filter decided about the records of a unit, in a word: the number of records that are
/// kept in the lower half; in the upper half the sum of the reasons of the others, each plus one,
/// without its higher bits. The shader makes the same word (`put_result` in `shaders/encode.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitDecisions {
    word: u32,
}

impl UnitDecisions {
    /// From the reason why each record is dropped, or `None` if it is kept.
    pub fn of(reasons: &[Option<Reason>]) -> UnitDecisions {
        let kept = reasons.iter().filter(|reason| reason.is_none()).count() as u32;
        let dropped = reasons.iter().flatten();
        let sum: u32 = dropped.map(|reason| reason.index() as u32 + 1).sum();
        UnitDecisions {
            word: sum << 16 ^ kept,
        }
    }

    /// The number of records that are kept.
    const fn kept(self) -> u32 {
        self.word & 0xffff
    }

    /// The lower 16 bits of the sum of the reasons, each plus one.
    const fn reason_sum(self) -> u32 {
        self.word >> 16
    }
}

/// A row of results: what became of a unit.
#[derive(Clone, Copy, Debug)]
struct UnitResult {
    /// Where its text begins, in words after `text_at`, plus one; or one of the numbers below.
    place: u32,
    /// The number of bytes of its text, and [`STEM_MARKED`].
    bytes: u32,
    decisions: UnitDecisions,
}

/// In a place: the unit cannot be decoded.
const BROKEN: u32 = u32::MAX;
/// In a place: all records are kept, so the unit's own bytes are its output.
const UNCHANGED: u32 = u32::MAX - 1;
/// In a place: there was no room for the unit's text.
const WITHOUT_ROOM: u32 = u32::MAX - 2;
/// In the number of bytes: the score in the chain's stem becomes 32002.
const STEM_MARKED: u32 = 1 << 31;

impl UnitResult {
    /// The number of bytes of its text.
    const fn text_bytes(self) -> usize {
        (self.bytes & !STEM_MARKED) as usize
    }

    /// The words of the output that hold its text. Fails if the text cannot be there.
    fn text_words(self, layout: &BatchLayout) -> Result<Range<usize>, BackendError> {
        let start = layout.text_at as usize + self.place as usize - 1;
        let end = start + self.text_bytes().div_ceil(4);
        if end > layout.text_end as usize {
            return Err(wrong("the place of a game or chain is impossible"));
        }
        Ok(start..end)
    }
}

/// The rows of results of a part.
struct UnitResults<'a> {
    /// The rows, in their order.
    words: Vec<u32>,
    /// The row of each unit.
    row_of_unit: &'a [u32],
}

impl UnitResults<'_> {
    fn of(&self, unit: usize) -> UnitResult {
        let row = self.row_of_unit[unit] as usize * RESULT_WORDS;
        UnitResult {
            place: self.words[row],
            bytes: self.words[row + 1],
            decisions: UnitDecisions {
                word: self.words[row + 2],
            },
        }
    }

    /// All units, in the order of the block.
    fn iter(&self) -> impl Iterator<Item = UnitResult> {
        (0..self.row_of_unit.len()).map(|unit| self.of(unit))
    }
}

/// Where the text of all units of a part is.
enum PartText {
    /// Between these words of the output, in any order and with other parts' units between them;
    /// `None` if all units are unchanged.
    Within(Option<Range<usize>>),
    /// It is not complete: the CPU has to filter the part.
    Incomplete,
}

/// Where a device has left the output of a part.
#[derive(Clone, Copy)]
pub(super) struct DeviceOutput<'a> {
    pub batch: &'a dyn DeviceBatch,
    pub recipe: &'a Recipe,
    pub layout: &'a BatchLayout,
    pub place: &'a PlacedPart,
}

/// Puts the output of a part together, in a buffer that is empty. `row_of_unit` is the row of each
/// unit of `cut`, the units of `block`. `None` if the CPU has to filter the part.
pub(super) fn filtered_part(
    output: &DeviceOutput<'_>,
    row_of_unit: &[u32],
    block: &Block,
    cut: &Cut,
    mut buffer: Vec<u8>,
) -> Result<Option<FilteredPart>, BackendError> {
    let results = UnitResults {
        words: output.words(output.layout.results(&output.place.rows))?,
        row_of_unit,
    };
    let span = match part_text(&results, output.layout)? {
        PartText::Within(span) => span,
        PartText::Incomplete => return Ok(None),
    };
    let counts = output.words(BatchLayout::counts(output.place.number))?;
    let decisions: Vec<UnitDecisions> = results.iter().map(|result| result.decisions).collect();
    check_counts(&counts, &decisions, cut.records())?;
    // A marked binpack is longer: 3.0 bytes a record instead of 2.6 (docs/gpu.md).
    buffer.reserve(block.bytes.len() + block.bytes.len() / 4);
    let mut part = FilteredPart {
        bytes: buffer,
        counts,
        units: Vec::with_capacity(cut.units.len()),
        decisions,
    };
    match span {
        None => output.join(&results, block, cut, &[], 0, &mut part)?,
        Some(span) => {
            let mut result = Ok(());
            let first_word = span.start;
            output.batch.read(span, &mut |text| {
                result = output.join(&results, block, cut, text, first_word, &mut part);
            })?;
            result?;
        }
    }
    Ok(Some(part))
}

impl DeviceOutput<'_> {
    /// A copy of some words of the output.
    fn words(&self, range: Range<usize>) -> Result<Vec<u32>, BackendError> {
        let mut copy = Vec::new();
        self.batch
            .read(range, &mut |words| copy.extend_from_slice(words))?;
        Ok(copy)
    }

    /// Appends the output of all units to `part`, in the order of the block. `text` are the words
    /// of the output from the word `first_word` on.
    fn join(
        &self,
        results: &UnitResults<'_>,
        block: &Block,
        cut: &Cut,
        text: &[u32],
        first_word: usize,
        part: &mut FilteredPart,
    ) -> Result<(), BackendError> {
        let FilteredPart { bytes, units, .. } = part;
        let text: &[u8] = bytemuck::cast_slice(text);
        cut.join(bytes, |unit, out| {
            let start = out.len();
            let unit_bytes = block.slice(&cut.units[unit].bytes);
            let result = results.of(unit);
            if result.place == UNCHANGED {
                out.extend_from_slice(unit_bytes);
            } else {
                let words = result.text_words(self.layout)?;
                let begin = 4 * (words.start - first_word);
                let unit_text = &text[begin..begin + result.text_bytes()];
                if self.recipe.encoder == FileKernel::MarkBinpack {
                    let marks_stem = result.bytes & STEM_MARKED != 0;
                    put_marked_chain(unit_bytes, marks_stem, unit_text, out);
                } else {
                    out.extend_from_slice(unit_text);
                }
            }
            units.push(start..out.len());
            Ok(())
        })
    }
}

/// Where the text of a part is. Fails if a unit's row was not written, or names a place that cannot
/// be.
fn part_text(results: &UnitResults<'_>, layout: &BatchLayout) -> Result<PartText, BackendError> {
    let mut span: Option<Range<usize>> = None;
    for result in results.iter() {
        match result.place {
            0 => return Err(wrong("a game or chain was not written")),
            BROKEN | WITHOUT_ROOM => return Ok(PartText::Incomplete),
            UNCHANGED => {}
            _ => {
                let words = result.text_words(layout)?;
                let all = span.get_or_insert(words.clone());
                *all = all.start.min(words.start)..all.end.max(words.end);
            }
        }
    }
    Ok(PartText::Within(span))
}

/// Fails unless the numbers of a part are those of its units: as many records as the file has, as
/// many kept ones as the units say, and reasons with the same sum.
fn check_counts(
    counts: &[u32],
    decisions: &[UnitDecisions],
    records: usize,
) -> Result<(), BackendError> {
    let all: usize = counts.iter().map(|&count| count as usize).sum();
    // A count's index is 32 times its kind, plus the reason.
    let by_reason = |reason: usize| -> u32 { counts.iter().skip(reason).step_by(REASONS).sum() };
    let reason_sum = (0..KEPT).fold(0_u32, |sum, reason| {
        sum.wrapping_add(by_reason(reason).wrapping_mul(reason as u32 + 1))
    });
    let kept_in_units: u32 = decisions.iter().map(|unit| unit.kept()).sum();
    let reason_sum_of_units = decisions
        .iter()
        .fold(0_u32, |sum, unit| sum.wrapping_add(unit.reason_sum()));
    if all != records {
        return Err(wrong("the number of records is not that of the file"));
    }
    // A unit has the lower 16 bits of its sum.
    let sums_differ = (reason_sum ^ reason_sum_of_units) & 0xffff != 0;
    if by_reason(KEPT) != kept_in_units || sums_differ {
        return Err(wrong(
            "the numbers of records are not those of the games or chains",
        ));
    }
    Ok(())
}

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

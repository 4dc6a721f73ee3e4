//! From a device's output to the bytes of a part.
//!
//! Encoders (`mark_chains.wgsl` and `rewrite_games.wgsl` in `files/shaders`) leave units in any
//! order, each where it found room, and a row of results for each unit that says where. Here they
//! are put into the file's order. The encoder that marks games leaves a bit for each record, and
//! the marks are put into the block's own bytes.
//!
//! # Examples
//!
//! A part of a binpack has three chains. Their rows of results are, in the order of the chains:
//!
//! ```text
//! place       bytes             meaning (the third word, what was decided, is left out)
//! 0xfffffffe  0                 all records kept: the chain's own bytes are copied
//! 101         7                 its new movetext is 7 bytes at word 100 of the text
//! 61          0x80000000 | 30   30 bytes at word 60, and the score in the stem becomes 32002
//! ```
//!
//! So the text from word 60 to word 102 is read from the device, once. The output is the first
//! chain as it was; the stem and the number of moves of the second one, and 7 bytes; those of the
//! third one, with a mark in the stem, and 30 bytes.
//!
//! A part of viriformat has two games of 3 and 4 records, and its first record is number 30 of the
//! batch. Both rows of results say 0xfffffffe. The marks are two words, of which bits 30 and 31 of
//! the first one and bits 0 to 4 of the second one count here. If bit 31 and bit 0 are set, the
//! second record of the first game and the third one get the score 32002.
//!
//! # The steps for a part
//!
//! ```text
//! read the rows of results
//! a row whose place is 0: the kernel has not written it, so the device is wrong
//! a broken unit, or one without room: the CPU filters the part
//! read the counts of the part, and compare them with what was decided about the units
//! text:   find the place of each unit in the output, by the lengths
//!         read the words of text that the units have together
//!         for each unit: copy its own bytes, or its text, to its place
//! marks:  read the marks, and compare their number with what was decided
//!         after the audit: put them into the block
//! ```
//!
//! # What must hold
//!
//! - Nothing from the device is trusted to be in range: a place beyond the text is an error, and
//!   the numbers of the part must be those of its units. Whether the bytes are right is for the
//!   audit (`jobs/rewriting.rs`).
//! - A block keeps its bytes until the audit has passed: if it fails, the CPU filters that block.

use core::mem;
use core::ops::Range;

use super::layout::{BatchLayout, PlacedPart, RESULT_WORDS, RowOrder};
use super::recipe::FileKernel;
use super::{DeviceBatch, Recipe};
use crate::filter::{KEPT, REASONS, Reason};
use crate::formats::{Block, CHAIN_HEAD, Cut, CutUnit, RecordMarks, put_marked_chain};
use swaplist::backend::BackendError;

/// A part as a device has filtered it.
pub(crate) struct FilteredPart {
    /// The number of records of each kind.
    pub counts: Vec<u32>,
    /// What was decided about the records of each unit.
    pub decisions: Vec<UnitDecisions>,
    output: PartOutput,
}

/// What became of the bytes of a part.
enum PartOutput {
    /// Text: the bytes of the output, and where those of each unit are in them.
    Text {
        bytes: Vec<u8>,
        units: Vec<Range<usize>>,
    },
    /// The block's own bytes with marks. The memory that was given for the output is not needed for
    /// it: it takes the place of the block's bytes in [`FilteredPart::into_bytes`].
    Marked { marks: RecordMarks, unused: Vec<u8> },
}

impl FilteredPart {
    /// The output of a unit. The part has the units `cut` of `block`.
    pub fn unit(&self, block: &Block, cut: &Cut, unit: usize) -> Vec<u8> {
        match &self.output {
            PartOutput::Text { bytes, units } => bytes[units[unit].clone()].to_vec(),
            PartOutput::Marked { marks, .. } => marks.marked_unit(block, cut, unit),
        }
    }

    /// The output of all units. If they are marked, this takes the block's bytes, and leaves other
    /// memory in their place.
    pub fn into_bytes(self, block: &mut Block, cut: &Cut) -> Vec<u8> {
        match self.output {
            PartOutput::Text { bytes, .. } => bytes,
            PartOutput::Marked { marks, unused } => {
                marks.put_into(&mut block.bytes, &cut.units);
                mem::replace(&mut block.bytes, unused)
            }
        }
    }
}

/// What a filter decided about the records of a unit, in a word. The lower half has the number of
/// records that are kept, the upper half the sum of the reasons of the others, each plus one. Both
/// fit, since a unit has at most 1,536 records, each with a reason below 31. The shader makes the
/// same word (`put_result` in `files/shaders/encode.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitDecisions {
    word: u32,
}

impl UnitDecisions {
    /// From the reason why each record is dropped, or `None` if it is kept.
    pub fn from_reasons(reasons: &[Option<Reason>]) -> UnitDecisions {
        let kept = reasons.iter().filter(|reason| reason.is_none()).count() as u32;
        let dropped = reasons.iter().flatten();
        let sum: u32 = dropped.map(|reason| reason.index() as u32 + 1).sum();
        UnitDecisions {
            word: sum << 16 | kept,
        }
    }

    /// The number of records that are kept.
    const fn kept(self) -> u32 {
        self.word & 0xffff
    }

    /// The sum of the reasons, each plus one.
    const fn reason_sum(self) -> u32 {
        self.word >> 16
    }
}

/// A row of results: what became of a unit.
#[derive(Clone, Copy, Debug, Default)]
struct UnitResult {
    /// Where its text begins, in words after `text_at`, plus one; 0 if nothing was written; or one
    /// of the numbers below.
    place: u32,
    /// The number of bytes of its text, and [`STEM_MARKED`].
    bytes: u32,
    decisions: UnitDecisions,
}

/// In a place: the unit cannot be decoded.
const BROKEN: u32 = u32::MAX;
/// In a place: the unit's own bytes are its output, with marks if there are any.
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

    /// The word of the output at which its text begins.
    const fn first_word(self, layout: &BatchLayout) -> usize {
        (layout.text_at as usize).wrapping_add(self.place as usize - 1)
    }

    /// The words of the output that hold its text. Fails if the text cannot be there.
    fn text_words(self, layout: &BatchLayout) -> Result<Range<usize>, BackendError> {
        let start = self.first_word(layout);
        let end = start.saturating_add(self.text_bytes().div_ceil(4));
        // On a host with 32 bits an impossible place may wrap.
        if start < layout.text_at as usize || end > layout.text_end as usize {
            return Err(wrong("the place of a game or chain is impossible"));
        }
        Ok(start..end)
    }
}

/// The results of all units of a part, in the order of the block. `words` are the rows of results,
/// which are in the order `rows`.
fn unit_results(words: &[u32], rows: &RowOrder) -> Vec<UnitResult> {
    let mut results = vec![UnitResult::default(); rows.units().len()];
    let (words, _) = words.as_chunks::<RESULT_WORDS>();
    for (&unit, &[place, bytes, decisions]) in rows.units().iter().zip(words) {
        results[unit as usize] = UnitResult {
            place,
            bytes,
            decisions: UnitDecisions { word: decisions },
        };
    }
    results
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

/// Puts the output of a part together. Text takes the place of what `buffer` holds; if there are
/// only marks, the buffer is kept for later. The part has the units `cut` of `block`, in the order
/// `rows`. `None` if the CPU has to filter the part.
pub(super) fn filtered_part(
    output: &DeviceOutput<'_>,
    rows: &RowOrder,
    block: &Block,
    cut: &Cut,
    mut buffer: Vec<u8>,
) -> Result<Option<FilteredPart>, BackendError> {
    let mut results = Vec::new();
    let result_words = output.layout.results(&output.place.rows);
    output.batch.read(result_words, &mut |words| {
        results = unit_results(words, rows);
    })?;
    let span = match part_text(&results, output.layout)? {
        PartText::Within(span) => span,
        PartText::Incomplete => return Ok(None),
    };
    let mut counts = Vec::new();
    let count_words = BatchLayout::counts(output.place.number);
    output
        .batch
        .read(count_words, &mut |words| counts.extend_from_slice(words))?;
    let decisions: Vec<UnitDecisions> = results.iter().map(|result| result.decisions).collect();
    check_counts(&counts, &decisions, cut.records())?;
    if output.recipe.marks_records() {
        if span.is_some() {
            return Err(wrong("there is text, but only marks were asked for"));
        }
        let marks = output.marks(cut)?;
        let kept: usize = decisions.iter().map(|unit| unit.kept() as usize).sum();
        if marks.count() + kept != cut.records() {
            return Err(wrong("the number of marks is not that of the records"));
        }
        return Ok(Some(FilteredPart {
            counts,
            decisions,
            output: PartOutput::Marked {
                marks,
                unused: buffer,
            },
        }));
    }
    let lengths: Vec<usize> = results
        .iter()
        .zip(&cut.units)
        .map(|(result, unit)| output.length(*result, unit))
        .collect();
    let units = cut.place(&lengths, &mut buffer);
    let joining = Joining {
        results: &results,
        rows,
        block,
        cut,
        places: &units,
    };
    match span {
        None => output.join(&joining, &[], 0, &mut buffer),
        Some(span) => {
            let first_word = span.start;
            output.batch.read(span, &mut |text| {
                output.join(&joining, text, first_word, &mut buffer);
            })?;
        }
    }
    Ok(Some(FilteredPart {
        counts,
        decisions,
        output: PartOutput::Text {
            bytes: buffer,
            units,
        },
    }))
}

/// What the output of a part is put together from.
struct Joining<'a> {
    results: &'a [UnitResult],
    rows: &'a RowOrder,
    block: &'a Block,
    cut: &'a Cut,
    /// Where the output of each unit is in that of the part.
    places: &'a [Range<usize>],
}

impl DeviceOutput<'_> {
    /// Whether texts lack the stem and the number of moves, which the host copies.
    fn lacks_heads(&self) -> bool {
        self.recipe.encoder == FileKernel::MarkBinpack
    }

    /// The number of bytes of a unit's output.
    fn length(&self, result: UnitResult, unit: &CutUnit) -> usize {
        match result.place {
            UNCHANGED => unit.bytes.len(),
            _ if self.lacks_heads() => CHAIN_HEAD + result.text_bytes(),
            _ => result.text_bytes(),
        }
    }

    /// The marks of a part with these units.
    fn marks(&self, cut: &Cut) -> Result<RecordMarks, BackendError> {
        let first = self.place.first_record;
        let records = first..first + cut.records();
        let mut words = Vec::new();
        self.batch.read(self.layout.marks(&records), &mut |marks| {
            words.extend_from_slice(marks);
        })?;
        Ok(RecordMarks::new(words, first % 32, records.len()))
    }

    /// Copies the output of all units to their places in `out`. `text` are the words of the output
    /// from the word `first_word` on.
    ///
    /// They are copied in the order of the rows, so that texts, which no cache holds, are read
    /// roughly from start to end: a device makes room for them in about that order.
    fn join(&self, joining: &Joining<'_>, text: &[u32], first_word: usize, out: &mut [u8]) {
        let text: &[u8] = bytemuck::cast_slice(text);
        for &unit in joining.rows.units() {
            let unit = unit as usize;
            let unit_out = &mut out[joining.places[unit].clone()];
            let unit_bytes = joining.block.slice(&joining.cut.units[unit].bytes);
            let result = joining.results[unit];
            if result.place == UNCHANGED {
                unit_out.copy_from_slice(unit_bytes);
                continue;
            }
            let begin = 4 * (result.first_word(self.layout) - first_word);
            let unit_text = &text[begin..begin + result.text_bytes()];
            if self.lacks_heads() {
                let marks_stem = result.bytes & STEM_MARKED != 0;
                put_marked_chain(unit_bytes, marks_stem, unit_text, unit_out);
            } else {
                unit_out.copy_from_slice(unit_text);
            }
        }
    }
}

/// Where the text of a part is. Fails if a unit's row was not written, or names a place that cannot
/// be, or if the texts together are longer than all text of the batch.
fn part_text(results: &[UnitResult], layout: &BatchLayout) -> Result<PartText, BackendError> {
    let mut span: Option<Range<usize>> = None;
    let mut all_words = 0;
    for result in results {
        match result.place {
            0 => return Err(wrong("a game or chain was not written")),
            BROKEN | WITHOUT_ROOM => return Ok(PartText::Incomplete),
            UNCHANGED => {}
            _ => {
                let words = result.text_words(layout)?;
                all_words += words.len();
                let all = span.get_or_insert(words.clone());
                *all = all.start.min(words.start)..all.end.max(words.end);
            }
        }
    }
    if all_words > (layout.text_end - layout.text_at) as usize {
        return Err(wrong("games or chains overlap"));
    }
    Ok(PartText::Within(span))
}

/// Fails unless the counts of a part are those of its units: as many records as the part has, as
/// many kept ones as the units say, and reasons with the same sum.
fn check_counts(
    counts: &[u32],
    decisions: &[UnitDecisions],
    records: usize,
) -> Result<(), BackendError> {
    // In 64 bits no sum of a device's numbers overflows.
    let all: u64 = counts.iter().copied().map(u64::from).sum();
    if all != records as u64 {
        return Err(wrong("the number of records is not that of the file"));
    }
    // A count's index is its kind (`filter/kinds.rs`): a reason plus a multiple of `REASONS`.
    let by_reason = |reason: usize| -> u64 {
        let of_reason = counts.iter().skip(reason).step_by(REASONS);
        of_reason.copied().map(u64::from).sum()
    };
    let reason_sum: u64 = (0..KEPT)
        .map(|reason| by_reason(reason) * (reason as u64 + 1))
        .sum();
    let kept_in_units: u64 = decisions.iter().map(|unit| u64::from(unit.kept())).sum();
    let reason_sum_of_units: u64 = decisions
        .iter()
        .map(|unit| u64::from(unit.reason_sum()))
        .sum();
    if by_reason(KEPT) != kept_in_units || reason_sum != reason_sum_of_units {
        return Err(wrong(
            "the numbers of records are not those of the games or chains",
        ));
    }
    Ok(())
}

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

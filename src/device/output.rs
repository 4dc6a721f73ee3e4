//! What a device made of a part.

use core::ops::Range;

use super::layout::{Layout, PlacedPart, RESULT_WORDS};
use super::{DeviceBatch, Recipe};
use crate::backend::BackendError;
use crate::filter::Reason;
use crate::formats::{Block, Cut, put_marked_chain};
use crate::gpu::program::FileKernel;

const REASONS: usize = 32;
const KEPT: usize = REASONS - 1;

/// A block as a device has filtered it.
pub(crate) struct Rewritten {
    /// The bytes of the output.
    pub bytes: Vec<u8>,
    /// The number of records of each kind.
    pub counts: Vec<u32>,
    /// Where the output of each unit is in the bytes.
    pub units: Vec<Range<usize>>,
    /// What was decided in each unit.
    pub decided: Vec<Decided>,
}

/// What was decided in a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decided {
    /// The records kept, and the reasons of the others summed up.
    word: u32,
}

impl Decided {
    /// From why each record is dropped, if it is.
    pub fn of(reasons: &[Option<Reason>]) -> Decided {
        let kept = reasons.iter().filter(|reason| reason.is_none()).count() as u32;
        let numbers = reasons.iter().flatten();
        let sum: u32 = numbers.map(|reason| reason.index() as u32 + 1).sum();
        Decided {
            word: sum << 16 ^ kept,
        }
    }
}

/// A row of results.
#[derive(Clone, Copy, Debug)]
struct UnitResult {
    place: u32,
    bytes: u32,
    decided: Decided,
}

const BROKEN: u32 = u32::MAX;
const UNCHANGED: u32 = u32::MAX - 1;
const WITHOUT_ROOM: u32 = u32::MAX - 2;
const STEM_MARKED: u32 = 1 << 31;

/// Where a device has left the output of a part.
#[derive(Clone, Copy)]
pub(super) struct DeviceOutput<'a> {
    pub batch: &'a dyn DeviceBatch,
    pub recipe: &'a Recipe,
    pub layout: &'a Layout,
    pub place: &'a PlacedPart,
}

/// Puts the output of a part together, in a buffer that is empty. `rows` are those of the units.
/// `None` if the CPU has to work on it.
pub(super) fn rewritten(
    made: &DeviceOutput<'_>,
    rows: &[u32],
    block: &Block,
    cut: &Cut,
    mut buffer: Vec<u8>,
) -> Result<Option<Rewritten>, BackendError> {
    let DeviceOutput {
        batch,
        recipe,
        layout,
        place,
    } = *made;
    let mut results = Vec::new();
    batch.read(layout.results(&place.rows), &mut |words| {
        results.extend_from_slice(words);
    })?;
    let result = |unit: usize| {
        let row = rows[unit] as usize * RESULT_WORDS;
        UnitResult {
            place: results[row],
            bytes: results[row + 1],
            decided: Decided {
                word: results[row + 2],
            },
        }
    };
    let mut span: Option<Range<usize>> = None;
    for unit in 0..cut.units.len() {
        let found = result(unit);
        match found.place {
            0 => return Err(wrong("a game or chain was not written")),
            BROKEN | WITHOUT_ROOM => return Ok(None),
            UNCHANGED => {}
            _ => {
                let words = text_of(&found, layout)?;
                let all = span.get_or_insert(words.clone());
                *all = all.start.min(words.start)..all.end.max(words.end);
            }
        }
    }
    let mut counts = Vec::new();
    batch.read(Layout::counts(place.number), &mut |words| {
        counts.extend_from_slice(words);
    })?;
    let decided: Vec<Decided> = (0..cut.units.len())
        .map(|unit| result(unit).decided)
        .collect();
    agree(&counts, &decided, cut.records())?;
    buffer.reserve(block.bytes.len() + block.bytes.len() / 4);
    let mut made = Rewritten {
        bytes: buffer,
        counts,
        units: Vec::with_capacity(cut.units.len()),
        decided,
    };
    let mut join = |text: &[u32], first: usize| {
        let Rewritten { bytes, units, .. } = &mut made;
        let text: &[u8] = bytemuck::cast_slice(text);
        cut.join(bytes, |unit, out| {
            let start = out.len();
            let own = block.slice(&cut.units[unit].bytes);
            let found = result(unit);
            if found.place == UNCHANGED {
                out.extend_from_slice(own);
            } else {
                let words = text_of(&found, layout)?;
                let begin = 4 * (words.start - first);
                let length = (found.bytes & !STEM_MARKED) as usize;
                let text = &text[begin..begin + length];
                if recipe.encoder == FileKernel::MarkBinpack {
                    put_marked_chain(own, found.bytes & STEM_MARKED != 0, text, out);
                } else {
                    out.extend_from_slice(text);
                }
            }
            units.push(start..out.len());
            Ok(())
        })
    };
    let joined = match span {
        None => join(&[], 0),
        Some(span) => {
            let mut joined = Ok(());
            let first = span.start;
            batch.read(span, &mut |text| joined = join(text, first))?;
            joined
        }
    };
    joined.map(|()| Some(made))
}

/// Where a unit's text is, in words of the output. Fails if it cannot be there.
fn text_of(found: &UnitResult, layout: &Layout) -> Result<Range<usize>, BackendError> {
    let start = layout.text_at as usize + found.place as usize - 1;
    let words = ((found.bytes & !STEM_MARKED) as usize).div_ceil(4);
    if start + words > layout.text_end as usize {
        return Err(wrong("the place of a game or chain is impossible"));
    }
    Ok(start..start + words)
}

/// Whether the numbers of a part are those of its units.
fn agree(counts: &[u32], decided: &[Decided], records: usize) -> Result<(), BackendError> {
    let all: usize = counts.iter().map(|&count| count as usize).sum();
    let by_reason = |reason: usize| -> u32 { counts.iter().skip(reason).step_by(REASONS).sum() };
    let sum = (0..KEPT).fold(0_u32, |sum, reason| {
        sum.wrapping_add(by_reason(reason).wrapping_mul(reason as u32 + 1))
    });
    let units = decided.iter().fold((0_u32, 0_u32), |(kept, sum), unit| {
        (
            kept + (unit.word & 0xffff),
            sum.wrapping_add(unit.word >> 16),
        )
    });
    if all != records {
        return Err(wrong("the number of records is not that of the file"));
    }
    if by_reason(KEPT) != units.0 || (sum ^ units.1) & 0xffff != 0 {
        return Err(wrong(
            "the numbers of records are not those of the games or chains",
        ));
    }
    Ok(())
}

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

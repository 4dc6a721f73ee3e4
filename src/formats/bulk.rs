//! Decodes many 32-byte records at once: those that a vector unit finds valid, and the others
//! one by one.

use core::marker::PhantomData;

use bytemuck::Zeroable as _;

use super::Invalid;
use super::fixed::Layout;
use super::isa::{Features, Isa, Work};
use crate::Position;
use crate::simd::{GROUP, Raw, Scheme, Units};

/// Records unpacked before they are used: enough for the vector unit, few enough to stay in
/// cache.
const CHUNK: usize = 1024;

/// A format of 32-byte records.
pub(crate) trait Bulk: Scheme + Layout<{ size_of::<Raw>() }> {}

impl<T: Scheme + Layout<{ size_of::<Raw>() }>> Bulk for T {}

/// The [`Unpack`](super::fixed::Unpack) of such a format. Overwriting the old positions saves
/// clearing them.
pub(crate) fn unpack_all<B: Bulk>(
    features: Features,
    records: &[Raw],
    positions: &mut Vec<Position>,
    refused: &mut dyn FnMut(usize, Invalid),
) {
    positions.resize(records.len(), Position::zeroed());
    let valid = features.run(All::<B> {
        records,
        units: features.units,
        positions,
        refused,
        format: PhantomData,
    });
    positions.truncate(valid);
}

struct All<'a, B> {
    records: &'a [Raw],
    units: Option<Units>,
    /// As many as records.
    positions: &'a mut [Position],
    refused: &'a mut dyn FnMut(usize, Invalid),
    format: PhantomData<B>,
}

impl<B: Bulk> Work for All<'_, B> {
    /// The number of valid records.
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let mut kept = 0;
        let mut valid = [0; CHUNK / GROUP];
        for (start, chunk) in (0..).step_by(CHUNK).zip(self.records.chunks(CHUNK)) {
            let into = &mut self.positions[kept..kept + chunk.len()];
            if let Some(units) = self.units {
                units.unpack::<B>(chunk, into, &mut valid);
            }
            kept += if valid == [u8::MAX; CHUNK / GROUP] && chunk.len() == CHUNK {
                CHUNK
            } else {
                let refused = |i: usize, fault| (self.refused)(start + i, fault);
                compact::<B, I>(isa, chunk, &valid, into, refused)
            };
        }
        kept
    }
}

/// Unpacks the records not known to be valid, and closes the gaps of invalid ones. Returns how
/// many remain.
#[inline(always)]
fn compact<B: Bulk, I: Isa>(
    isa: I,
    records: &[Raw],
    valid: &[u8; CHUNK / GROUP],
    positions: &mut [Position],
    mut refused: impl FnMut(usize, Invalid),
) -> usize {
    let whole = records.len() / GROUP;
    let mut kept = 0;
    for (group, records) in records.chunks(GROUP).enumerate() {
        let start = group * GROUP;
        // An incomplete last group was skipped.
        let valid = if group < whole { valid[group] } else { 0 };
        if valid == u8::MAX {
            if kept < start {
                positions.copy_within(start..start + GROUP, kept);
            }
            kept += GROUP;
            continue;
        }
        for (i, record) in records.iter().enumerate() {
            let position = if valid >> i & 1 == 1 {
                Ok(positions[start + i])
            } else {
                B::unpack(isa, record)
            };
            match position {
                Ok(position) => {
                    positions[kept] = position;
                    kept += 1;
                }
                Err(fault) => refused(start + i, fault),
            }
        }
    }
    kept
}

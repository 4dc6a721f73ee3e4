//! Parts of blocks for a device that decodes them itself.

use core::ops::Range;

use super::{Block, Codec, Decoded, Place};
use crate::Position;
use crate::backend::{Coding, Raw, Unit};

/// A part of a block, cut into games or chains without decoding them.
#[derive(Clone, Debug)]
pub struct Cut {
    coding: Coding,
    pub(super) bytes: Range<usize>,
    pub(super) units: Vec<Unit>,
    /// Where the next part begins.
    pub(crate) next: Option<usize>,
}

impl Cut {
    /// These bytes of a block; the units begin at offsets in them.
    pub(super) const fn new(
        coding: Coding,
        bytes: Range<usize>,
        units: Vec<Unit>,
        next: Option<usize>,
    ) -> Cut {
        Cut {
            coding,
            bytes,
            units,
            next,
        }
    }

    /// What a device is given.
    pub(crate) fn raw<'a>(&'a self, block: &'a Block) -> Raw<'a> {
        Raw {
            coding: self.coding,
            bytes: &block.bytes[self.bytes.clone()],
            units: &self.units,
        }
    }

    /// The positions of a unit, decoded here.
    pub(crate) fn positions(&self, codec: &dyn Codec, block: &Block, unit: usize) -> Vec<Position> {
        let raw = self.raw(block);
        let [start, end] = [unit, unit + 1].map(|unit| raw.unit(unit).start as usize);
        let bytes = &raw.bytes[start..end];
        if self.coding.record_bytes().is_some() {
            let mut decoded = Decoded::default();
            codec.decode(&Block::new(bytes.to_vec(), Place::Offset(0)), &mut decoded);
            return decoded.positions;
        }
        let mut positions = Vec::new();
        codec.replay(bytes, &mut |state| positions.push(state.position));
        positions
    }

    /// Each game's or chain's bytes in the block, and its records.
    pub(super) fn each_unit(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let begin = self.bytes.start;
        self.units.windows(2).map(move |units| {
            let bytes = units[0].start as usize..units[1].start as usize;
            let records = units[0].first as usize..units[1].first as usize;
            (begin + bytes.start..begin + bytes.end, records)
        })
    }
}

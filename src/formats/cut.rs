//! Parts of blocks for a device that decodes them itself.

use core::ops::Range;

use crate::backend::{Coding, Raw, Unit};

/// A part of a block, cut into games or chains without decoding them.
#[derive(Clone, Debug)]
pub struct Cut {
    coding: Coding,
    pub(super) bytes: Range<usize>,
    pub(super) units: Vec<Unit>,
    /// Where the next part begins.
    pub next: Option<usize>,
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

    /// What a device is given of a block's bytes.
    #[must_use]
    pub fn raw<'a>(&'a self, block: &'a [u8]) -> Raw<'a> {
        Raw {
            coding: self.coding,
            bytes: &block[self.bytes.clone()],
            units: &self.units,
        }
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

//! The outputs of a mix, up to its limit.

use super::items::Layout;
use super::sort::{Part, Sorted};
use crate::formats::{Action, Block, DecodedPart, Format, Place, put_header};
use crate::jobs::error::Result;
use crate::jobs::output::Output;

/// How many bytes are collected before they are written. A binpack's chunks have this size.
const FULL: usize = 1 << 20;

/// The outputs of a mix, which share its limit.
#[allow(clippy::struct_field_names)] // nothing else says it
pub struct Sinks {
    pub sinks: Vec<Sink>,
    /// The format of all of them.
    to: Format,
    /// How many more records the limit allows.
    left: u64,
    layout: Layout,
}

/// An output, with the bytes that are collected for it.
pub struct Sink {
    pub output: Output,
    waiting: Vec<u8>,
    /// Whether the format puts its chains into chunks, each with a header.
    is_chunked: bool,
    pub records: u64,
}

impl Sinks {
    pub fn new(outputs: Vec<Output>, to: Format, layout: Layout, limit: Option<u64>) -> Sinks {
        let sinks = outputs.into_iter().map(|output| Sink {
            output,
            waiting: Vec::new(),
            is_chunked: to.spec().least_block_bytes.is_some(),
            records: 0,
        });
        Sinks {
            sinks: sinks.collect(),
            to,
            left: limit.unwrap_or(u64::MAX),
            layout,
        }
    }

    /// The records written to all of them.
    pub fn records(&self) -> u64 {
        self.sinks.iter().map(|sink| sink.records).sum()
    }

    /// Writes an item to the output with the number `part`. False if the limit does not allow all of
    /// it: then its first records are written, and the run ends.
    #[inline(always)]
    pub fn item(&mut self, part: u8, records: u32, bytes: &[u8]) -> Result<bool> {
        if u64::from(records) > self.left {
            self.last_records(part, records, bytes)?;
            return Ok(false);
        }
        self.left -= u64::from(records);
        self.sinks[usize::from(part)].item(u64::from(records), bytes)?;
        Ok(true)
    }

    /// Writes the first records of a game or chain, as many as the limit still allows.
    #[cold]
    fn last_records(&mut self, part: u8, records: u32, bytes: &[u8]) -> Result<()> {
        let left = core::mem::take(&mut self.left);
        if left == 0 {
            return Ok(());
        }
        let first = first_records(self.to, bytes, records, left as usize);
        self.sinks[usize::from(part)].item(left, &first)
    }

    /// Writes sorted items; false once the limit is reached.
    pub fn sorted(&mut self, sorted: &Sorted) -> Result<bool> {
        let all: u64 = sorted.parts.iter().map(|part| part.records).sum();
        if all <= self.left {
            self.left -= all;
            for (sink, part) in self.sinks.iter_mut().zip(&sorted.parts) {
                sink.all(part)?;
            }
            return Ok(self.left > 0);
        }
        // The limit is reached within these items, so they are written one after another.
        let mut next = vec![0; sorted.parts.len()];
        // With a single output there is no order among outputs: all items go to the first one.
        let single = vec![
            0;
            if sorted.order.is_empty() {
                all as usize
            } else {
                0
            }
        ];
        for &part in sorted.order.iter().chain(&single) {
            let of_part = &sorted.parts[usize::from(part)];
            let nth = next[usize::from(part)];
            next[usize::from(part)] += 1;
            let (start, end, records) = match self.layout {
                Layout::Fixed(length) => (nth * length, (nth + 1) * length, 1),
                Layout::Sized => {
                    let start = nth
                        .checked_sub(1)
                        .map_or(0, |before| of_part.items[before].0);
                    let (end, records) = of_part.items[nth];
                    (start, end, records)
                }
            };
            if !self.item(part, records, &of_part.bytes[start..end])? {
                return Ok(false);
            }
        }
        Ok(self.left > 0)
    }

    /// Writes the bytes that are still collected.
    pub fn flush(&mut self) -> Result<()> {
        self.sinks.iter_mut().try_for_each(Sink::flush)
    }
}

/// The first records of a game or chain of a format, as a game or chain of their own.
fn first_records(format: Format, unit: &[u8], records: u32, wanted: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    if format.spec().least_block_bytes.is_some() {
        put_header(&mut bytes, unit.len());
    }
    bytes.extend_from_slice(unit);
    let block = Block::new(bytes, Place::Offset(0));
    let codec = format.codec();
    let mut decoded = DecodedPart::default();
    codec.decode(&block, &mut decoded);
    let mut actions = vec![Action::Drop; records as usize];
    actions[..wanted].fill(Action::Keep);
    let mut first = Vec::new();
    let all = 0..decoded.records.len();
    codec.encode_unit(&block, &decoded, all, &actions, &mut first);
    first
}

impl Sink {
    #[inline(always)]
    fn item(&mut self, records: u64, bytes: &[u8]) -> Result<()> {
        self.records += records;
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= FULL {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes all items of a part, in chunks if the format has them.
    fn all(&mut self, part: &Part) -> Result<()> {
        if !self.is_chunked {
            self.flush()?;
            self.records += part.records;
            return self.output.write(&part.bytes);
        }
        let mut start = 0;
        for &(end, records) in &part.items {
            self.item(records.into(), &part.bytes[start..end])?;
            start = end;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        if self.is_chunked {
            let mut header = Vec::new();
            put_header(&mut header, self.waiting.len());
            self.output.write(&header)?;
        }
        let written = self.output.write(&self.waiting);
        self.waiting.clear();
        written
    }
}

//! Items on their way to the output: records, games or chains, encoded as they will be written.
//!
//! An item is a key (u64), then its bytes. If the target's records differ in size, the bytes'
//! length and the number of records (u32 each) come before them. The key's lowest byte is the
//! number of the item's output; the rest decides the order.

use core::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

/// How items are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Records of so many bytes.
    Fixed(usize),
    /// Anything, with its length and number of records.
    #[default]
    Sized,
}

/// Bytes of a key.
pub const KEY: usize = 8;
/// Bytes of a key, a length and a number of records.
const HEADER: usize = KEY + 8;

/// The output of an item whose game may have begun in the block before.
pub const UNDECIDED: u8 = u8::MAX;
/// The most outputs.
pub const MOST_PARTS: usize = 200;

/// An item without its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub key: u64,
    /// The end of its bytes, if items differ in size ([`Layout::Sized`]).
    pub end: u32,
    /// How many records the item has.
    pub records: u32,
}

/// The number of the output that a key asks for.
#[inline]
pub const fn part_of(key: u64) -> u8 {
    key as u8
}

/// A key with the number of an output.
#[inline]
pub const fn key_of(order: u64, part: u8) -> u64 {
    order & !0xff | part as u64
}

impl Layout {
    /// Bytes besides those of the record.
    pub const fn overhead(self) -> usize {
        match self {
            Layout::Fixed(_) => KEY,
            Layout::Sized => HEADER,
        }
    }

    #[inline(always)]
    fn put(self, item: &Item, bytes: &[u8], out: &mut [u8]) {
        let (head, body) = out.split_at_mut(self.overhead());
        head[..KEY].copy_from_slice(&item.key.to_le_bytes());
        if self == Layout::Sized {
            head[KEY..KEY + 4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            head[KEY + 4..].copy_from_slice(&item.records.to_le_bytes());
        }
        body.copy_from_slice(bytes);
    }

    /// The item that begins here: its key, its number of records and its bytes.
    #[inline(always)]
    pub fn read(self, bytes: &[u8], at: usize) -> (u64, u32, Range<usize>) {
        let word = |at: usize| {
            let word = bytes[at..].first_chunk().copied().unwrap_or_default();
            u32::from_le_bytes(word)
        };
        let key_bytes = bytes[at..].first_chunk().copied().unwrap_or_default();
        let key = u64::from_le_bytes(key_bytes);
        let start = at + self.overhead();
        match self {
            Layout::Fixed(length) => (key, 1, start..start + length),
            Layout::Sized => {
                let length = word(at + KEY) as usize;
                (key, word(at + KEY + 4), start..start + length)
            }
        }
    }
}

/// Encoded items, grouped by bucket and in the input's order within one.
#[derive(Debug, Default)]
pub struct Items {
    pub bytes: Vec<u8>,
    /// Where each bucket's items end in `bytes`.
    pub ends: Vec<usize>,
    /// Whether the output of some items is [`UNDECIDED`].
    pub has_undecided: bool,
}

/// Numbers of buckets: the highest bits of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits(pub u32);

impl Bits {
    /// The number of buckets.
    pub const fn count(self) -> usize {
        1 << self.0
    }

    /// The bucket of a key, of which so many bits are used up.
    #[inline]
    pub const fn bucket(self, key: u64, used: u32) -> usize {
        match self.0 {
            0 => 0,
            bits => (key << used >> (64 - bits)) as usize,
        }
    }
}

/// Memory of items that are written, for the next ones. Without it, each block would get its memory
/// from the system anew, page by page, which takes as long as copying the records.
#[derive(Clone, Default)]
pub struct Spare(Arc<Mutex<Vec<Encoded>>>);

impl Spare {
    /// The most that are kept.
    const MOST: usize = 16;
    /// Smaller pieces come from the allocator without asking the system.
    const WORTH_IT: usize = 1 << 16;

    /// No items, with memory for some if there is any.
    pub fn take(&self) -> Encoded {
        self.0.lock().pop().unwrap_or_default()
    }

    /// Gives back the memory of items that are not needed any more.
    pub fn give_back(&self, mut encoded: Encoded) {
        if encoded.bytes.capacity() < Spare::WORTH_IT {
            return;
        }
        encoded.items.clear();
        encoded.bytes.clear();
        let mut spare = self.0.lock();
        if spare.len() < Spare::MOST {
            spare.push(encoded);
        }
    }
}

/// Items of a block or a part of it, encoded, in the order of the block.
#[derive(Debug, Default)]
pub struct Encoded {
    pub items: Vec<Item>,
    /// The items' bytes, one item after the other.
    pub bytes: Vec<u8>,
}

/// Turns the lengths of groups into where each begins, one after the other; returns the length of
/// all. Whoever then puts something into a group moves its number on, so in the end it says where
/// the group ends.
pub fn begin_groups(lengths: &mut [usize]) -> usize {
    let mut all = 0;
    for length in lengths {
        all += core::mem::replace(length, all);
    }
    all
}

impl Encoded {
    /// The memory that the items and their bytes take.
    pub fn bytes_in_all(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.items)
    }

    /// Sends the items whose output is undecided to this one.
    pub fn decide(&mut self, part: u8) {
        for item in &mut self.items {
            if part_of(item.key) == UNDECIDED {
                item.key = key_of(item.key, part);
            }
        }
    }

    /// Calls a function with each item and its bytes.
    #[inline(always)]
    fn each(&self, layout: Layout, mut each: impl FnMut(&Item, &[u8])) {
        if let Layout::Fixed(length) = layout {
            for (item, body) in self.items.iter().zip(self.bytes.chunks_exact(length)) {
                each(item, body);
            }
            return;
        }
        let mut start = 0;
        for item in &self.items {
            let end = item.end as usize;
            each(item, &self.bytes[start..end]);
            start = end;
        }
    }
}

impl Items {
    /// Groups items by their buckets.
    pub fn group(layout: Layout, bits: Bits, encoded: &Encoded) -> Items {
        // For the usual sizes of records the compiler makes code of their own, which copies items
        // without asking how long they are.
        match layout {
            Layout::Fixed(32) => Items::group_as(Layout::Fixed(32), bits, encoded),
            Layout::Fixed(40) => Items::group_as(Layout::Fixed(40), bits, encoded),
            other => Items::group_as(other, bits, encoded),
        }
    }

    #[inline(always)]
    fn group_as(layout: Layout, bits: Bits, encoded: &Encoded) -> Items {
        let mut has_undecided = false;
        let mut ends = vec![0; bits.count()];
        encoded.each(layout, |item, body| {
            has_undecided |= part_of(item.key) == UNDECIDED;
            ends[bits.bucket(item.key, 0)] += layout.overhead() + body.len();
        });
        let mut bytes = vec![0; begin_groups(&mut ends)];
        encoded.each(layout, |item, body| {
            let end = &mut ends[bits.bucket(item.key, 0)];
            let length = layout.overhead() + body.len();
            layout.put(item, body, &mut bytes[*end..*end + length]);
            *end += length;
        });
        Items {
            bytes,
            ends,
            has_undecided,
        }
    }

    /// Sends the items whose output is undecided to this one.
    pub fn decide(&mut self, layout: Layout, part: u8) {
        if !core::mem::take(&mut self.has_undecided) {
            return;
        }
        let mut at = 0;
        while at < self.bytes.len() {
            let (key, _, body) = layout.read(&self.bytes, at);
            if part_of(key) == UNDECIDED {
                self.bytes[at] = part;
            }
            at = body.end;
        }
    }
}

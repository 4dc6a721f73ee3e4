//! Sorting the items of a bucket by their keys, in memory.
//!
//! The keys are hashes, so they are spread evenly, and sorting is mostly dealing:
//!
//! 1. The bucket (some 12 MB) is dealt into ranges of some 128 KB by the next bits of the keys:
//!    each item is copied to the end of its range.
//! 2. Within a range, keys and places are dealt into groups of a few by further bits, and each
//!    group is sorted. The items stay where they are.
//! 3. The items of the range are copied in the order of their keys, to where they are written from.
//!
//! A range fits in a core's cache. Without the first step, the third one would fetch each item from
//! memory by itself, and wait for it: that took half of the whole second pass.

use super::items::{Bits, Layout, begin_groups, part_of};

/// Sorts one bucket after the other. It keeps its memory from one bucket to the next.
#[derive(Debug)]
pub struct Sorter {
    /// The items of the bucket, range by range.
    dealt: Vec<u8>,
    keys: Keys,
    /// Whether [`Sorted::order`] is asked for.
    with_order: bool,
}

/// Items in the order of their keys, ready to be written.
#[derive(Debug)]
pub struct Sorted {
    /// What goes to each output.
    pub parts: Vec<Part>,
    /// The outputs of all items, in order; empty unless it is asked for.
    pub order: Vec<u8>,
}

/// What goes to one output.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub bytes: Vec<u8>,
    /// The end of each item's bytes, and its number of records. Empty if records have one size.
    pub items: Vec<(usize, u32)>,
    pub records: u64,
}

/// A range has about this many bytes at most.
const RANGE: usize = 1 << 17;
/// The most bits by which a bucket is dealt into ranges. With more ranges than that, each copy
/// would miss the caches that the dealing is for.
const MOST_RANGE_BITS: u32 = 12;
/// A group has about this many items at most: so few are sorted by insertion.
const GROUP: usize = 4;
/// The bits of a key that decide the order; the other ones are the number of an output.
const ORDER_BITS: u32 = 56;

impl Sorter {
    /// `with_order`: [`Sorted::order`] is filled in.
    pub fn new(with_order: bool) -> Sorter {
        Sorter {
            dealt: Vec::new(),
            keys: Keys::default(),
            with_order,
        }
    }

    /// Sorts the items of a bucket into `sorted`, whose old items go. The first `used` bits of the
    /// keys are equal, so only those after them are looked at.
    pub fn sort(&mut self, layout: Layout, used: u32, bytes: &[u8], sorted: &mut Sorted) {
        sorted.clear();
        // The compiler makes faster code where it knows the size of a record.
        match layout {
            Layout::Fixed(32) => self.sort_as(Layout::Fixed(32), used, bytes, sorted),
            Layout::Fixed(40) => self.sort_as(Layout::Fixed(40), used, bytes, sorted),
            other => self.sort_as(other, used, bytes, sorted),
        }
    }

    #[inline(always)]
    fn sort_as(&mut self, layout: Layout, used: u32, bytes: &[u8], sorted: &mut Sorted) {
        let wanted = (bytes.len() / RANGE).next_power_of_two().ilog2();
        let bits = Bits(
            wanted
                .min(MOST_RANGE_BITS)
                .min(ORDER_BITS.saturating_sub(used)),
        );
        let ends = deal(layout, bits, used, bytes, &mut self.dealt);
        let used = used + bits.0;
        let mut start = 0;
        for end in ends {
            let range = &self.dealt[start..end];
            start = end;
            let in_order = self.keys.sort(layout, used, range);
            sorted.add(layout, range, in_order);
            if self.with_order {
                let outputs = in_order.iter().map(|key| part_of(key.key));
                sorted.order.extend(outputs);
            }
        }
    }
}

/// Copies the items one after another, each to the end of its range so far. Returns where the ranges
/// end.
#[inline(always)]
fn deal(layout: Layout, bits: Bits, used: u32, bytes: &[u8], dealt: &mut Vec<u8>) -> Vec<usize> {
    // Old bytes need no clearing, as all of them are overwritten.
    dealt.resize(bytes.len(), 0);
    let mut ends = vec![0; bits.count()];
    each_item(layout, bytes, |key, item| {
        ends[bits.bucket(key, used)] += item.len();
    });
    // From lengths to beginnings; each becomes an end again as items are copied.
    begin_groups(&mut ends);
    each_item(layout, bytes, |key, item| {
        let end = &mut ends[bits.bucket(key, used)];
        dealt[*end..*end + item.len()].copy_from_slice(item);
        *end += item.len();
    });
    ends
}

/// Calls a function with the key and the bytes of each item.
#[inline(always)]
fn each_item(layout: Layout, bytes: &[u8], mut each: impl FnMut(u64, &[u8])) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (key, _, body) = layout.read(rest, 0);
        let (item, after) = rest.split_at(body.end);
        each(key, item);
        rest = after;
    }
}

/// The key of an item, and where the item begins in its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    key: u64,
    place: u32,
}

/// The keys of a range.
#[derive(Debug, Default)]
struct Keys {
    /// The keys in the order of the items.
    read: Vec<Key>,
    /// The keys dealt into groups, one group after the other.
    dealt: Vec<Key>,
    /// Where the groups end.
    ends: Vec<usize>,
}

impl Keys {
    /// The keys of a range in order. Equal keys keep the order of their items.
    #[inline(always)]
    fn sort(&mut self, layout: Layout, used: u32, range: &[u8]) -> &[Key] {
        self.read.clear();
        let mut place = 0;
        each_item(layout, range, |key, item| {
            self.read.push(Key { key, place });
            place += item.len() as u32;
        });
        let wanted = (self.read.len() / GROUP).next_power_of_two().ilog2();
        let bits = Bits(wanted.min(16).min(ORDER_BITS.saturating_sub(used)));
        self.ends.clear();
        self.ends.resize(bits.count(), 0);
        for key in &self.read {
            self.ends[bits.bucket(key.key, used)] += 1;
        }
        begin_groups(&mut self.ends);
        self.dealt.resize(self.read.len(), Key::default());
        for key in &self.read {
            let end = &mut self.ends[bits.bucket(key.key, used)];
            self.dealt[*end] = *key;
            *end += 1;
        }
        let mut start = 0;
        for &end in &self.ends {
            self.dealt[start..end].sort_unstable();
            start = end;
        }
        &self.dealt
    }
}

impl Sorted {
    /// Without items yet, for this many outputs.
    pub fn new(parts: usize) -> Sorted {
        Sorted {
            parts: vec![Part::default(); parts],
            order: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.order.clear();
        for part in &mut self.parts {
            part.bytes.clear();
            part.items.clear();
            part.records = 0;
        }
    }

    /// Appends the items of a range in the order of their keys.
    #[inline(always)]
    fn add(&mut self, layout: Layout, range: &[u8], in_order: &[Key]) {
        for &Key { key, place } in in_order {
            let (_, records, body) = layout.read(range, place as usize);
            let part = &mut self.parts[usize::from(part_of(key))];
            part.bytes.extend_from_slice(&range[body]);
            part.records += u64::from(records);
            if layout == Layout::Sized {
                part.items.push((part.bytes.len(), records));
            }
        }
    }
}

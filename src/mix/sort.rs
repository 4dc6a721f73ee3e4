//! Sorting the items of a bucket by their keys, in memory.
//!
//! Keys are uniform, so the items are first dealt into groups of a few by their next bits; then
//! each group is sorted, which takes few comparisons. Only keys and places move; the bytes are
//! copied once, to where they are written from.

use super::items::{Layout, part_of};

/// Items in the order of their keys, ready to be written.
#[derive(Debug, Default)]
pub struct Sorted {
    /// By output.
    pub parts: Vec<Part>,
    /// The outputs of all items, in order; only if asked for.
    pub order: Vec<u8>,
}

/// What goes to one output.
#[derive(Debug, Default)]
pub struct Part {
    pub bytes: Vec<u8>,
    /// The end of each item's bytes, and its number of records. Empty if records have one size.
    pub items: Vec<(usize, u32)>,
    pub records: u64,
}

/// The most items of a group, on average: so few are sorted by insertion.
const GROUP: usize = 1 << 4;

/// Sorts items of which the first `used` bits of the key are equal.
pub fn sort(layout: Layout, used: u32, bytes: &[u8], parts: usize, with_order: bool) -> Sorted {
    let order = order_of(layout, used, bytes);
    let mut sorted = Sorted {
        parts: (0..parts).map(|_| Part::default()).collect(),
        order: Vec::new(),
    };
    if with_order {
        sorted.order.reserve_exact(order.len());
    }
    match layout {
        Layout::Fixed(32) => gather::<32>(&order, bytes, &mut sorted),
        Layout::Fixed(40) => gather::<40>(&order, bytes, &mut sorted),
        _ => {
            for &(key, at) in &order {
                let (_, records, body) = layout.read(bytes, at as usize);
                let part = &mut sorted.parts[usize::from(part_of(key))];
                part.bytes.extend_from_slice(&bytes[body]);
                part.items.push((part.bytes.len(), records));
                part.records += u64::from(records);
            }
        }
    }
    if with_order {
        sorted
            .order
            .extend(order.iter().map(|(key, _)| part_of(*key)));
    }
    sorted
}

/// The keys in order, with the places of their items. Equal keys keep the order of their items.
fn order_of(layout: Layout, used: u32, bytes: &[u8]) -> Vec<(u64, u32)> {
    let mut items = Vec::new();
    let mut at = 0;
    if let Layout::Fixed(length) = layout {
        items.reserve_exact(bytes.len() / (layout.overhead() + length));
    }
    while at < bytes.len() {
        let (key, _, body) = layout.read(bytes, at);
        items.push((key, at as u32));
        at = body.end;
    }
    let bits = (items.len() / GROUP)
        .checked_ilog2()
        .map_or(0, |bits| bits + 1);
    let bits = bits.min(16);
    if bits == 0 || used + bits > 56 {
        items.sort_unstable();
        return items;
    }
    let group = |key: u64| (key << used >> (64 - bits)) as usize;
    let mut ends = vec![0; 1 << bits];
    for (key, _) in &items {
        ends[group(*key)] += 1;
    }
    let mut at = 0;
    for end in &mut ends {
        at += core::mem::replace(end, at);
    }
    let mut dealt = vec![(0, 0); items.len()];
    for item in &items {
        let at = &mut ends[group(item.0)];
        dealt[*at] = *item;
        *at += 1;
    }
    drop(items);
    let mut start = 0;
    for end in ends {
        dealt[start..end].sort_unstable();
        start = end;
    }
    dealt
}

fn gather<const N: usize>(order: &[(u64, u32)], bytes: &[u8], sorted: &mut Sorted) {
    let start = Layout::Fixed(N).overhead();
    let record = |at: u32| -> &[u8; N] {
        let bytes = &bytes[at as usize + start..];
        bytes.first_chunk().unwrap_or(&[0; N])
    };
    if let [part] = &mut sorted.parts[..] {
        part.bytes.reserve_exact(order.len() * N);
        part.records = order.len() as u64;
        for &(_, at) in order {
            part.bytes.extend_from_slice(record(at));
        }
        return;
    }
    for &(key, at) in order {
        let part = &mut sorted.parts[usize::from(part_of(key))];
        part.bytes.extend_from_slice(record(at));
        part.records += 1;
    }
}

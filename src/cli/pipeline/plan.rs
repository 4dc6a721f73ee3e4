//! How many blocks of which size are worked on at a time, in bounded memory.

use swaplist::formats::{Format, Record};
use swaplist::{Position, Verdict};

/// How much works at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub threads: usize,
    /// How many blocks are read and not yet written, at most.
    pub in_flight: usize,
    /// The bytes of a block.
    pub block_bytes: usize,
}

impl Plan {
    /// What all blocks in flight take, with what is decoded from them and what
    /// comes out.
    const MEMORY: usize = 224 << 20;
    /// A decoded record, its position, its verdict, its fate and the reason for it.
    const DECODED: usize = size_of::<Record>() + size_of::<Position>() + size_of::<Verdict>() + 16;
    /// Large enough to hide what handing a block over costs.
    pub const MOST: usize = 1 << 20;
    const LEAST: usize = 1 << 13;
    /// About a chunk of a binpack.
    const CHUNK: usize = 900_000;
    /// Records decoded at a time, where the format has parts.
    pub const PART: usize = 1 << 12;
    /// And those of the longest chain or game, which may come on top.
    const UNIT: usize = 1 << 16;

    /// As many threads as wanted and blocks as large as possible, within the
    /// memory there is. Chunks of a binpack come whole, so that fewer threads may
    /// have to do.
    pub fn new(format: Format, threads: usize, bytes_a_record: usize, most: usize) -> Plan {
        // In tenths of a byte.
        let (in_a_record, least, has_parts) = match format {
            Format::Binpack => (24, Plan::CHUNK, true),
            Format::Viriformat => (43, Plan::LEAST, true),
            _ => (320, Plan::LEAST, false),
        };
        let plan = |threads: usize, in_flight: usize| {
            let waiting = in_flight * (in_a_record + bytes_a_record * 10);
            let block_bytes = if has_parts {
                let parts = threads * (Plan::PART + Plan::UNIT) * Plan::DECODED;
                Plan::MEMORY.saturating_sub(parts) * in_a_record / waiting
            } else {
                // For each byte of a block, times the size of a record.
                let decoding = threads * Plan::DECODED * 10;
                Plan::MEMORY * in_a_record / (decoding + waiting)
            };
            Plan {
                threads,
                in_flight,
                block_bytes: block_bytes.min(most),
            }
        };
        // Small blocks are soon done: more of them bridge the writer's pauses.
        let many = if most < Plan::MOST { 4 } else { 1 };
        let plans = (1..=threads).rev().flat_map(|threads| {
            [
                plan(threads, (threads + threads / 2 + 2) * many),
                plan(threads, threads + 1),
            ]
        });
        let fitting = plans.clone().find(|plan| plan.block_bytes >= least);
        let mut chosen = fitting.or(plans.last()).unwrap_or_else(|| plan(1, 2));
        chosen.block_bytes = chosen.block_bytes.max(least);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_stay_within_memory() {
        for &format in Format::ALL {
            for threads in [1, 2, 3, 8, 64, 500] {
                for (bytes, most) in [(4, Plan::MOST), (64, Plan::MOST), (130, 1 << 18)] {
                    let plan = Plan::new(format, threads, bytes, most);
                    assert!((1..=threads).contains(&plan.threads), "{plan:?}");
                    assert!(plan.in_flight > plan.threads, "{plan:?}");
                    let whole = format == Format::Binpack;
                    assert!(!whole || plan.block_bytes >= Plan::CHUNK, "{plan:?}");
                    // Fewer threads only where what they work on cannot be smaller.
                    let small = !whole && format != Format::Viriformat && threads <= 64;
                    assert!(!small || plan.threads == threads, "{plan:?}");
                    assert!(
                        threads > 8 || bytes > 16 || plan.threads == threads,
                        "{plan:?}"
                    );
                }
            }
        }
        let binpack = Plan::new(Format::Binpack, 64, 16, Plan::MOST).threads;
        assert!((8..24).contains(&binpack), "{binpack}");
    }
}

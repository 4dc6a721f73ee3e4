//! Block sizes and thread counts, in bounded memory.

use crate::formats::{Format, RecordFields};
use crate::{Position, Verdict};

/// Sizes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub threads: usize,
    /// Limit on blocks read and not yet written.
    pub in_flight: usize,
    pub block_bytes: usize,
    /// Records decoded at a time, in formats with parts.
    pub records_a_part: usize,
}

/// Plans for blocks evaluated by the CPU and by a GPU.
///
/// Blocks that suit the CPU's cache are too small for a GPU. A GPU call takes some 50 us,
/// whatever its size; a thread's other work on a record of 32 bytes some 18 ns. With blocks of
/// 8,192 records (150 us) a thread waits a quarter of its time, with 131,072 (2.4 ms) a
/// fiftieth. A GPU measured with the former shows 160 M/s at most, with the latter 2.6 G/s. At
/// 1 G/s such a block takes 0.13 ms to compute and, at 48 bytes a record, 0.25 ms on a bus of
/// 25 GB/s.
#[derive(Clone, Copy, Debug)]
pub struct Plans {
    pub cpu: Plan,
    pub gpu: Plan,
}

impl Plan {
    /// Limit on all blocks in flight with their records and output, and the GPU's host memory.
    const MEMORY: usize = 224 << 20;
    /// A decoded record with its position, verdict, action and reason.
    const DECODED: usize =
        size_of::<RecordFields>() + size_of::<Position>() + size_of::<Verdict>() + 16;
    /// Large enough to hide the cost of handing over a block.
    pub const MOST: usize = 1 << 20;
    const LEAST: usize = 1 << 13;
    /// Records decoded at a time, in formats with parts: what fits in the L2 cache.
    const PART: usize = 1 << 12;
    /// The longest chain or game, which may exceed a part.
    const UNIT: usize = 1 << 16;

    /// A GPU chunk: 131,072 records of 32 bytes.
    const MOST_ON_GPU: usize = 4 << 20;
    /// 16,384 records; fewer threads are used rather than smaller blocks.
    const LEAST_ON_GPU: usize = 1 << 19;
    const PART_ON_GPU: usize = 1 << 15;
    /// Room for a thread on a GPU: a slot takes 8 MiB with the usual chunk, and there is some to spare.
    const LANE: usize = 24 << 20;
    const LANES: usize = 8;
}

impl Plans {
    /// Plans for up to this many threads, with CPU blocks of up to `most` bytes.
    pub fn new(format: Format, threads: usize, bytes_a_record: usize, most: usize) -> Plans {
        let plan = |on_gpu| Plans::best(format, threads, bytes_a_record, most, on_gpu);
        Plans {
            cpu: plan(false),
            gpu: plan(true),
        }
    }

    /// Finds the most threads, and then the largest blocks, that fit in memory. Chunks of a
    /// binpack cannot be split, so there may be fewer threads.
    fn best(
        format: Format,
        threads: usize,
        bytes_a_record: usize,
        most: usize,
        on_gpu: bool,
    ) -> Plan {
        // Typical record size in tenths of a byte; the smallest one for text, where memory
        // depends on it.
        let row = format.row();
        let in_a_record = row.tenths_of_a_record.min(320);
        let has_parts = !row.is_text && row.units.is_some();
        let (mut least, mut most) = (row.least_block_bytes.unwrap_or(Plan::LEAST), most);
        let mut records_a_part = Plan::PART;
        // Small blocks finish fast: more of them bridge pauses of the writer.
        let mut many = if most < Plan::MOST { 4 } else { 1 };
        if on_gpu {
            records_a_part = Plan::PART_ON_GPU.min((16 << 20) / bytes_a_record);
            if !has_parts {
                (least, most, many) = (Plan::LEAST_ON_GPU, Plan::MOST_ON_GPU, 1);
            }
        }
        let plan = |threads: usize, in_flight: usize| {
            let lanes = if on_gpu { threads.min(Plan::LANES) } else { 0 };
            let mut free = Plan::MEMORY.saturating_sub(lanes * Plan::LANE);
            // Ten bytes of a block, and the records in them.
            let mut each = in_flight * (in_a_record + bytes_a_record * 10);
            if has_parts {
                let parts = threads * (records_a_part + Plan::UNIT) * Plan::DECODED;
                free = free.saturating_sub(parts);
            } else {
                each += threads * Plan::DECODED * 10;
            }
            // Too large a product for 32 bits.
            let block_bytes = free as u64 * in_a_record as u64 / each as u64;
            Plan {
                threads,
                in_flight,
                block_bytes: usize::try_from(block_bytes).map_or(most, |bytes| bytes.min(most)),
                records_a_part,
            }
        };
        let mut plans = (1..=threads).rev().flat_map(|threads| {
            [
                plan(threads, (threads + threads / 2 + 2) * many),
                plan(threads, threads + 1),
            ]
        });
        let fitting = plans.find(|plan| plan.block_bytes >= least);
        let mut chosen = fitting.unwrap_or_else(|| plan(1, 2));
        chosen.block_bytes = chosen.block_bytes.max(least);
        chosen
    }

    pub fn now(&self, on_gpu: bool) -> &Plan {
        if on_gpu { &self.gpu } else { &self.cpu }
    }

    /// Fixes the block size at what it is now, whatever evaluates.
    pub fn keep_blocks(&mut self, on_gpu: bool) {
        let block_bytes = self.now(on_gpu).block_bytes;
        if on_gpu {
            let records_a_part = self.cpu.records_a_part;
            self.cpu = Plan {
                records_a_part,
                ..self.gpu
            };
        }
        self.cpu.block_bytes = block_bytes;
        self.gpu.block_bytes = block_bytes;
    }
}

//! How a run is divided: threads, blocks in flight, the size of a block, and how many records are
//! decoded at a time.
//!
//! A plan has as many threads as it can, and then blocks as large as fit in memory. What a run
//! takes:
//!
//! ```text
//! blocks in flight x (the block's bytes + its output)
//! + threads x (the records that a thread has decoded, with positions and answers)
//! ```
//!
//! A thread decodes a whole block at a time, or, of formats with tiny records, a part of some 4,096
//! records. How many records a block has at most follows from the format's
//! `record_tenths_of_a_byte`: of bulletformat's 32 bytes, 1 MiB holds 32,768.
//!
//! Blocks in flight are those that are read and not yet written. There are more of them than
//! threads: so that a thread finds one to work on while others wait for their turn to be written.
//!
//! A block is larger than planned if a game, line or chunk is. So the bytes of all blocks in flight
//! are limited, too: while large blocks are worked on, there are fewer of them (`pool.rs`).

use core::ops::Range;

use super::task::TaskSpec;
use crate::formats::{Format, Record, RecordFields};
use swaplist::{Position, Verdict};

/// How much of a file is worked on at a time, by how many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of worker threads, 1 or more.
    pub threads: usize,
    /// Limit on blocks read and not yet written.
    pub in_flight: usize,
    /// The size of a block.
    pub block_bytes: usize,
    /// Limit on the bytes of all these blocks, except that one block may always be worked on.
    pub bytes_in_flight: usize,
    /// Records decoded at a time, in formats with parts.
    pub records_a_part: usize,
    /// The most records for which a thread keeps memory from one block to the next.
    pub records_kept: usize,
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
    /// Limit on all blocks in flight with their records and output.
    const MEMORY: usize = 224 << 20;
    /// The same with the host memory of a GPU. A server with a large GPU has many cores, and all of
    /// them are needed to feed it: with the limit of the CPU, three threads fed an H100.
    const MEMORY_WITH_GPU: usize = 512 << 20;
    /// A decoded record with its position, verdict, action and reason.
    const DECODED: usize =
        size_of::<RecordFields>() + size_of::<Position>() + size_of::<Verdict>() + 16;
    /// What a record takes in addition if a block is decoded as a whole: its castling rights and
    /// clocks, and the range of its FEN. An invalid record takes no more, with its message.
    const STATE: usize = size_of::<Record>() + size_of::<Range<u32>>();
    /// Bytes of a record in another format, the longest one.
    const CONVERTED: usize = 128;
    /// Bounds on the size of a block for the CPU. The largest is large enough to hide the cost of
    /// handing over a block.
    pub const MOST: usize = TaskSpec::MOST_BYTES;
    const LEAST: usize = 1 << 13;
    /// Records decoded at a time, in formats with parts: what fits in the L2 cache.
    const PART: usize = 1 << 12;
    /// Records of the longest chain or game: a part ends with a whole one, so it may have as many
    /// more.
    const UNIT: usize = 1 << 16;

    /// Bounds on the size of a block for a GPU. The largest is a chunk: 131,072 records of 32
    /// bytes.
    const MOST_ON_GPU: usize = 4 << 20;
    /// Records of the smallest block; fewer threads are used rather than smaller blocks.
    const LEAST_RECORDS_ON_GPU: usize = 1 << 14;
    const PART_ON_GPU: usize = 1 << 15;
    /// Host memory for a thread that asks a GPU: a slot of its buffers takes 6.5 MiB with the usual
    /// chunk, and there is some to spare. No more than this many threads have slots.
    const LANE: usize = 24 << 20;
    const LANES: usize = 8;

    /// Records of a batch that a device filters at a time, and the batches that are filled,
    /// computed and read.
    const BATCH: usize = 1 << 21;
    const BATCHES: usize = 3;
    /// Host memory of these batches.
    const BATCH_MEMORY: usize = 126 << 20;
    /// The longest output of a block, in tenths of the block's length: it may be longer, as each run
    /// of kept records of a game becomes a game of its own.
    const GROWTH: usize = 27;

    /// The plan for a device that filters the format's files: as many threads as there are cores,
    /// and as many blocks as fill all batches while each thread has one.
    pub fn with_device(format: Format, threads: usize) -> Plan {
        let spec = format.spec();
        let block_bytes = Plan::MOST.max(spec.least_block_bytes.unwrap_or(0));
        let records = block_bytes * 10 / spec.record_tenths_of_a_byte;
        let in_batches = Plan::BATCHES * Plan::BATCH.div_ceil(records);
        let plan = |threads: usize| Plan {
            threads,
            in_flight: in_batches + threads + 2,
            block_bytes,
            // Chunks may be larger than planned, but blocks on a device are not waited for.
            bytes_in_flight: usize::MAX,
            records_a_part: Plan::PART,
            records_kept: Plan::PART + Plan::UNIT,
        };
        let mut plans = (1..=threads.max(1)).rev().map(plan);
        plans
            .find(|plan| plan.memory_with_device() <= Plan::MEMORY_WITH_GPU)
            .unwrap_or_else(|| plan(1))
    }

    /// The host memory that such a plan needs.
    pub fn memory_with_device(&self) -> usize {
        let block = self.block_bytes + self.block_bytes * Plan::GROWTH / 10;
        // Blocks that the CPU works on after all.
        let parts = self.threads * self.records_a_part * Plan::DECODED;
        Plan::BATCH_MEMORY + self.in_flight * block + parts
    }
}

impl Plans {
    /// Plans for up to this many threads. The run `converts` if it writes another format than it
    /// reads, and `rewrites` if a device can do the whole job, from the file's bytes to the output's.
    pub fn new(
        format: Format,
        threads: usize,
        spec: &TaskSpec,
        converts: bool,
        rewrites: bool,
    ) -> Plans {
        let plan = |on_gpu| Plans::best(format, threads, spec, converts, on_gpu);
        Plans {
            cpu: plan(false),
            gpu: if rewrites {
                Plan::with_device(format, threads)
            } else {
                plan(true)
            },
        }
    }

    /// Whether blocks are decoded part by part, so that a thread never holds the records of a whole
    /// block: in binary formats of games or chains.
    fn has_parts(format: Format) -> bool {
        let spec = format.spec();
        !spec.is_text && spec.units.is_some()
    }

    /// Finds the most threads, and then the largest blocks, that fit in memory. Chunks of a
    /// binpack cannot be split, so there may be fewer threads.
    fn best(
        format: Format,
        threads: usize,
        needs: &TaskSpec,
        converts: bool,
        on_gpu: bool,
    ) -> Plan {
        let spec = format.spec();
        let has_parts = Plans::has_parts(format);
        let bytes_a_record = if converts && !has_parts {
            needs.bytes_a_record.max(Plan::CONVERTED)
        } else {
            needs.bytes_a_record
        };
        // How small records may be, at most 32 bytes: small records mean many in a block, and each
        // takes memory.
        let of_binary = spec.record_tenths_of_a_byte.min(320);
        let in_a_record = spec.least_text_bytes.map_or(of_binary, |bytes| bytes * 10);
        let mut least = spec.least_block_bytes.unwrap_or(Plan::LEAST);
        let mut most = needs.most_bytes;
        let mut records_a_part = Plan::PART;
        // Small blocks are done soon: more of them in flight bridge the pauses of whoever writes.
        let mut many = if most < Plan::MOST { 4 } else { 1 };
        if on_gpu {
            // The output of a part takes 16 MiB at most.
            records_a_part = Plan::PART_ON_GPU.min((16 << 20) / bytes_a_record);
            if !has_parts {
                least = Plan::LEAST_RECORDS_ON_GPU * in_a_record / 10;
                (most, many) = (Plan::MOST_ON_GPU, 1);
            }
        }
        let plan = |threads: usize, in_flight: usize| {
            let lanes = if on_gpu { threads.min(Plan::LANES) } else { 0 };
            let memory = if on_gpu {
                Plan::MEMORY_WITH_GPU
            } else {
                Plan::MEMORY
            };
            let mut free = memory.saturating_sub(lanes * Plan::LANE);
            // What a record takes while its block is in flight, in tenths of a byte: itself and
            // its output. And what it takes besides while a thread works on its block, where output
            // that grows is copied to twice its size.
            let waiting = in_a_record + bytes_a_record * 10;
            let mut in_work = 0;
            if has_parts {
                let parts = threads * (records_a_part + Plan::UNIT) * Plan::DECODED;
                free = free.saturating_sub(parts);
            } else {
                in_work = (Plan::DECODED + Plan::STATE + bytes_a_record) * 10;
            }
            // The product may be too large for 32 bits.
            let bytes_of = |tenths_a_record: usize| {
                let bytes = free as u64 * in_a_record as u64 / tenths_a_record as u64;
                usize::try_from(bytes).unwrap_or(usize::MAX)
            };
            let fitting = bytes_of(in_flight * waiting + threads * in_work);
            Plan {
                threads,
                in_flight,
                block_bytes: fitting.min(most),
                // This is enough even if threads work on all of them at once.
                bytes_in_flight: bytes_of(waiting + in_work),
                records_a_part,
                records_kept: if has_parts {
                    records_a_part + Plan::UNIT
                } else {
                    2 * fitting / in_a_record * 10
                },
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

    /// The plan that holds while a GPU answers, or while the CPU does.
    pub fn now(&self, on_gpu: bool) -> &Plan {
        if on_gpu { &self.gpu } else { &self.cpu }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device is fed by as many threads as there are cores, within 512 MiB.
    #[test]
    fn a_device_has_all_cores() {
        for format in [Format::Binpack, Format::Viriformat] {
            for cores in [1, 2, 8, 16, 64] {
                let plan = Plan::with_device(format, cores);
                assert_eq!(plan.threads, cores, "{format:?}");
                assert!(plan.memory_with_device() <= 512 << 20, "{format:?} {cores}");
                // Three batches of two million records, and a block for each thread.
                let records =
                    plan.block_bytes * 10 / if format == Format::Binpack { 24 } else { 43 };
                assert!(
                    (plan.in_flight - cores) * records >= 3 << 21,
                    "{format:?} {cores}"
                );
            }
        }
    }
}

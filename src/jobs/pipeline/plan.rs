//! How many blocks of which size are worked on at a time, in bounded memory.

use crate::formats::{Format, MAX_LINE, Record};
use crate::{Position, Verdict};

/// How much works at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub threads: usize,
    /// How many blocks are read and not yet written, at most.
    pub in_flight: usize,
    /// The bytes of a block.
    pub block_bytes: usize,
    /// How many records are decoded at a time where the format has parts.
    pub records_a_part: usize,
}

/// How much works at a time while the CPU alone evaluates, and while a GPU does.
///
/// What is good for the CPU's cache is far too little for a GPU. To hand it something
/// and to wait for the answer takes some 50 us, whatever the size; what a thread does
/// with a record of 32 bytes otherwise, from reading to writing, about 18 ns. So with
/// blocks of 8,192 records (150 us) a thread would wait for a quarter of its time, with
/// 131,072 (2.4 ms) for a fiftieth; and what is measured with the former says that the
/// GPU does 160 M/s at most, with the latter 2.6 G/s. At 1 G/s those are 0.13 ms of
/// computing and, at 48 bytes each, 0.25 ms of a bus of 25 GB/s.
#[derive(Clone, Copy, Debug)]
pub struct Plans {
    pub cpu: Plan,
    pub gpu: Plan,
}

/// What a format asks for.
#[derive(Clone, Copy)]
struct Needs {
    /// In tenths of a byte, about; the least where that is what takes memory.
    in_a_record: usize,
    bytes_a_record: usize,
    least: usize,
    has_parts: bool,
}

impl Plan {
    /// What all blocks in flight take, with what is decoded from them, what comes out,
    /// and the memory that a GPU reads and writes.
    const MEMORY: usize = 224 << 20;
    /// A decoded record, its position, its verdict, its fate and the reason for it.
    const DECODED: usize = size_of::<Record>() + size_of::<Position>() + size_of::<Verdict>() + 16;
    /// Large enough to hide what handing a block over costs.
    pub const MOST: usize = 1 << 20;
    const LEAST: usize = 1 << 13;
    /// Records decoded at a time, where the format has parts: as many as the second
    /// cache holds.
    const PART: usize = 1 << 12;
    /// And those of the longest chain or game, which may come on top.
    const UNIT: usize = 1 << 16;

    /// 131,072 records of 32 bytes, a chunk of a GPU's.
    const MOST_ON_GPU: usize = 4 << 20;
    /// 16,384 of them, below which rather fewer threads work.
    const LEAST_ON_GPU: usize = 1 << 19;
    const PART_ON_GPU: usize = 1 << 15;
    /// What each thread that works with a GPU takes there: a lane of the usual size.
    const LANE: usize = 24 << 20;
    const LANES: usize = 8;

    /// As many threads as wanted and blocks as large as possible, within the
    /// memory there is. Chunks of a binpack come whole, so that fewer threads may
    /// have to do.
    fn best(
        needs: Needs,
        threads: usize,
        most: usize,
        records_a_part: usize,
        memory: impl Fn(usize) -> usize,
    ) -> Plan {
        let Needs { in_a_record, .. } = needs;
        let plan = |threads: usize, in_flight: usize| {
            let waiting = in_flight * (in_a_record + needs.bytes_a_record * 10);
            let block_bytes = if needs.has_parts {
                let parts = threads * (records_a_part + Plan::UNIT) * Plan::DECODED;
                memory(threads).saturating_sub(parts) * in_a_record / waiting
            } else {
                // For each byte of a block, times the size of a record.
                let decoding = threads * Plan::DECODED * 10;
                memory(threads) * in_a_record / (decoding + waiting)
            };
            Plan {
                threads,
                in_flight,
                block_bytes: block_bytes.min(most),
                records_a_part,
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
        let fitting = plans.clone().find(|plan| plan.block_bytes >= needs.least);
        let mut chosen = fitting.or(plans.last()).unwrap_or_else(|| plan(1, 2));
        chosen.block_bytes = chosen.block_bytes.max(needs.least);
        chosen
    }
}

impl Plans {
    /// For so many threads, with blocks of so many bytes at most on the CPU.
    pub fn new(format: Format, threads: usize, bytes_a_record: usize, most: usize) -> Plans {
        let has_parts = format.has_parts();
        // No text has shorter records than that.
        let in_a_record = format.tenths_of_a_record().min(320);
        let least = format.least_block_bytes().unwrap_or(Plan::LEAST);
        let needs = Needs {
            in_a_record,
            bytes_a_record,
            least,
            has_parts,
        };
        let on_gpu = Needs {
            least: if has_parts { least } else { Plan::LEAST_ON_GPU },
            ..needs
        };
        let most_on_gpu = if has_parts { most } else { Plan::MOST_ON_GPU };
        let lanes = |threads: usize| threads.min(Plan::LANES) * Plan::LANE;
        let left = |threads| Plan::MEMORY.saturating_sub(lanes(threads));
        Plans {
            cpu: Plan::best(needs, threads, most, Plan::PART, |_| Plan::MEMORY),
            gpu: Plan::best(on_gpu, threads, most_on_gpu, Plan::PART_ON_GPU, left),
        }
    }

    pub fn now(&self, on_gpu: bool) -> &Plan {
        if on_gpu { &self.gpu } else { &self.cpu }
    }

    /// Whatever evaluates, blocks stay as they are.
    pub fn keep_blocks(&mut self, block_bytes: usize, on_gpu: bool) {
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

    /// How many records a thread brings to a GPU at a time, about.
    pub fn records_on_gpu(&self, format: Format) -> usize {
        if format.has_parts() {
            return self.gpu.records_a_part;
        }
        // A block of lines is never longer than a line may be.
        let most = if format.is_text() {
            MAX_LINE
        } else {
            usize::MAX
        };
        self.gpu.block_bytes.min(most) * 10 / format.tenths_of_a_record()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a plan takes at most, by another way of reckoning.
    fn memory(plan: &Plan, format: Format, bytes_a_record: usize, on_gpu: bool) -> usize {
        let tenths = match format {
            Format::Binpack => 24,
            Format::Viriformat => 43,
            _ => 320,
        };
        let records = plan.block_bytes * 10 / tenths;
        let waiting = plan.in_flight * (plan.block_bytes + records * bytes_a_record);
        let decoded = match format {
            Format::Binpack | Format::Viriformat => plan.records_a_part + (1 << 16),
            _ => records,
        };
        let lanes = if on_gpu { plan.threads.min(8) } else { 0 };
        waiting + plan.threads * decoded * 112 + lanes * (24 << 20)
    }

    #[test]
    fn plans_stay_within_memory() {
        for &format in Format::ALL {
            for threads in [1, 2, 3, 8, 64, 500] {
                for (bytes, most) in [(4, Plan::MOST), (64, Plan::MOST), (130, 1 << 18)] {
                    let plans = Plans::new(format, threads, bytes, most);
                    for (plan, on_gpu) in [(&plans.cpu, false), (&plans.gpu, true)] {
                        assert!((1..=threads).contains(&plan.threads), "{plan:?}");
                        assert!(plan.in_flight > plan.threads, "{plan:?}");
                        let whole = format == Format::Binpack;
                        assert!(!whole || plan.block_bytes >= 900_000, "{plan:?}");
                        let memory = memory(plan, format, bytes, on_gpu);
                        // A chunk of a binpack may make a great deal of text.
                        assert!(
                            memory <= 225 << 20 || plan.threads == 1,
                            "{memory} {plan:?}"
                        );
                    }
                    let plan = plans.cpu;
                    // Fewer threads only where what they work on cannot be smaller.
                    let small = format != Format::Binpack && format != Format::Viriformat;
                    let all = plan.threads == threads;
                    assert!(!small || threads > 64 || all, "{plan:?}");
                    assert!(threads > 8 || bytes > 16 || all, "{plan:?}");
                }
            }
        }
        let binpack = Plans::new(Format::Binpack, 64, 16, Plan::MOST).cpu.threads;
        assert!((8..24).contains(&binpack), "{binpack}");
    }

    #[test]
    fn a_gpu_gets_much_at_a_time() {
        for (threads, most, records) in [
            (1, 131_072, 131_072),
            (2, 131_072, 131_072),
            (8, 32_768, 16_384),
            (64, 32_768, 16_384),
        ] {
            let plans = Plans::new(Format::Bulletformat, threads, 16, 1 << 18);
            let given = plans.records_on_gpu(Format::Bulletformat);
            assert!((records..=most).contains(&given), "{given} {plans:?}");
            assert_eq!(plans.cpu.block_bytes, 1 << 18);
        }
    }
}

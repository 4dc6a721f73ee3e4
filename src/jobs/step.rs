//! The work on a block, part by part: decode, question, finish; and the sizes of blocks.

use super::error::{Context as _, Error, Result};
use super::summary::Summary;
use super::tally::Tally;
use crate::backend::{Answers, Question};
use crate::device::{Recipe, UnitDecisions};
use crate::filter::Judgement;
use crate::formats::{Block, Codec, DecodedPart, Format, OpenChunk, Place, RecordFields, Required};
use crate::mix::Mixed;
use crate::{Batch, Position, Rules, Verdict};

/// What a job does with its records: for each part of a block, in order,
/// [`question`](Task::question), then somebody answers, then [`finish`](Task::finish).
pub trait Task: Send + Sync {
    /// What a run needs to know beforehand.
    fn needs(&self) -> Needs;

    /// What is to be asked about the records decoded; `None` if nothing.
    fn question<'a>(&self, _: &Codec, _: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(None)
    }

    /// Appends output and counts to `step.done`.
    fn finish(&self, codec: &Codec, step: &mut Step, answers: &Answers) -> Result<()>;

    /// How a device can do the whole job on a block, if one can.
    fn recipe(&self) -> Option<&Recipe> {
        None
    }

    /// What such a device makes of a game or chain, here: its bytes, and what was decided. `None` if
    /// it cannot be decoded.
    fn filter_unit(&self, _: &Codec, _: &Block) -> Option<(Vec<u8>, UnitDecisions)> {
        None
    }

    /// Adds to the counts of records that a device has filtered what depends on the job.
    fn note_kept(&self, _: &mut Tally) {}

    fn sum_up(&self, _: &mut Summary) {}
}

/// What a run needs to know of its task.
#[derive(Clone, Copy)]
pub struct Needs {
    /// The job's name.
    pub job: &'static str,
    /// Bytes of output per record, roughly.
    pub bytes_a_record: usize,
    /// Limit on the size of a block while the CPU answers.
    pub most_bytes: usize,
    /// The rules to answer by, if there are questions.
    pub rules: Option<Rules>,
    /// Ends once this many records were kept.
    pub limit: Option<u64>,
    /// Whether an input that is broken off is a fault that it finds, not an error.
    pub finds_faults: bool,
    /// What of the records must be readable.
    pub required: Required,
}

impl Needs {
    /// Those of most jobs.
    pub fn of(job: &'static str) -> Needs {
        Needs {
            job,
            bytes_a_record: 64,
            most_bytes: Plan::MOST,
            rules: None,
            limit: None,
            finds_faults: false,
            required: Required::NOTHING,
        }
    }
}

/// Sizes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Worker threads.
    pub threads: usize,
    /// Limit on blocks read and not yet written.
    pub in_flight: usize,
    /// The size of a block.
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
    /// Limit on all blocks in flight with their records and output.
    const MEMORY: usize = 224 << 20;
    /// The same with the host memory of a GPU. A server with a large GPU has many cores, and all of
    /// them are needed to feed it: with the limit of the CPU, three threads fed an H100.
    const MEMORY_WITH_GPU: usize = 512 << 20;
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

    /// Records of a batch that a device filters at a time, and the batches that are filled, computed
    /// and read.
    const BATCH: usize = 1 << 21;
    const BATCHES: usize = 3;
    /// Host memory of these batches.
    const BATCH_MEMORY: usize = 120 << 20;
    /// The output of a block, relative to it, in tenths: each run of kept records of a game becomes
    /// a game of its own.
    const GROWTH: usize = 27;

    /// The plan for a device that filters the format's files: as many threads as there are cores,
    /// and as many blocks as fill all batches while each thread has one.
    pub fn with_device(format: Format, threads: usize) -> Plan {
        let spec = format.spec();
        let block_bytes = Plan::MOST.max(spec.least_block_bytes.unwrap_or(0));
        let records = block_bytes * 10 / spec.tenths_of_a_record;
        let in_batches = Plan::BATCHES * Plan::BATCH.div_ceil(records);
        let plan = |threads: usize| Plan {
            threads,
            in_flight: in_batches + threads + 2,
            block_bytes,
            records_a_part: Plan::PART,
        };
        let fits = |plan: &Plan| plan.memory_with_device() <= Plan::MEMORY_WITH_GPU;
        let mut plans = (1..=threads.max(1)).rev().map(plan);
        plans.find(fits).unwrap_or_else(|| plan(1))
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
    /// Plans for up to this many threads, by what a run needs; `rewrites` if a device can do the
    /// whole job.
    pub fn new(format: Format, threads: usize, needs: &Needs, rewrites: bool) -> Plans {
        let bytes_a_record = needs.bytes_a_record;
        let most = needs.most_bytes;
        let plan = |on_gpu| Plans::best(format, threads, bytes_a_record, most, on_gpu);
        Plans {
            cpu: plan(false),
            gpu: if rewrites {
                Plan::with_device(format, threads)
            } else {
                plan(true)
            },
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
        let spec = format.spec();
        // How small records may be: small records mean many in a block, and each takes memory. Never
        // above 32 bytes, as a line of text may be that short.
        let in_a_record = spec.tenths_of_a_record.min(320);
        let has_parts = !spec.is_text && spec.units.is_some();
        let mut least = spec.least_block_bytes.unwrap_or(Plan::LEAST);
        let mut most = most;
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
            let memory = if on_gpu {
                Plan::MEMORY_WITH_GPU
            } else {
                Plan::MEMORY
            };
            let mut free = memory.saturating_sub(lanes * Plan::LANE);
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

/// What the threads of a run share.
pub struct Work {
    /// The input's name in messages.
    pub name: String,
    pub codec: Codec,
    pub task: Box<dyn Task>,
    pub needs: Needs,
    pub skip_invalid: bool,
}

/// The result of a block, or output of one that is not done yet.
#[derive(Default)]
pub struct Yield {
    pub is_part: bool,
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// Open ends of the data and of the rejects after the parts so far.
    pub open: [OpenChunk; 2],
    /// Of a mix, in place of the data.
    pub mixed: Mixed,
    pub tally: Tally,
    /// Of the record that ended the block early.
    pub invalid: Option<Error>,
    /// Where the run ends in this block, if it reaches its limit.
    pub end: Option<u32>,
}

impl Yield {
    /// Bytes that wait to be written.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len() + self.mixed.bytes()
    }

    /// Large output so far, to save memory: a record of 2 bytes can become one of 200.
    pub fn early(&mut self) -> Option<Yield> {
        const MUCH: usize = 1 << 20;
        let much = |bytes: &mut Vec<u8>, open: &OpenChunk| {
            let goes = bytes.len() >= MUCH && *open == OpenChunk::default();
            if goes {
                core::mem::take(bytes)
            } else {
                Vec::new()
            }
        };
        let early = Yield {
            is_part: true,
            data: much(&mut self.data, &self.open[0]),
            rejects: much(&mut self.rejects, &self.open[1]),
            mixed: self.mixed.early(MUCH),
            ..Yield::default()
        };
        (early.bytes() > 0).then_some(early)
    }
}

/// A block in work, and a thread's buffers, which serve the next one too.
pub struct Step {
    pub block: Block,
    /// Where the next part begins.
    at: Option<usize>,
    /// The part's records.
    pub decoded: DecodedPart,
    pub judgement: Judgement,
    pub batch: Batch,
    /// How many more records may be kept.
    pub left: Option<u64>,
    /// The results of the parts so far.
    pub done: Yield,
}

impl Default for Step {
    fn default() -> Step {
        Step {
            block: Block::new(Vec::new(), Place::Offset(0)),
            at: None,
            decoded: DecodedPart::default(),
            judgement: Judgement::default(),
            batch: Batch::new(),
            left: None,
            done: Yield::default(),
        }
    }
}

impl Step {
    /// Takes a block to work on up to its end or the first record that is not skipped, and returns
    /// the previous one.
    pub fn begin(&mut self, block: Block) -> Block {
        self.at = Some(0);
        self.done = Yield::default();
        core::mem::replace(&mut self.block, block)
    }

    /// Decodes the next part; false if there is none.
    pub fn decode(&mut self, work: &Work, records: usize) -> bool {
        let Some(from) = self.at else {
            return false;
        };
        let block = &self.block;
        let decoded = &mut self.decoded;
        self.at = work.codec.decode_part(block, from, records, decoded);
        if !work.skip_invalid {
            self.end_at_invalid(work);
        }
        true
    }

    fn end_at_invalid(&mut self, work: &Work) {
        let decoded = &mut self.decoded;
        let Some(first) = decoded.invalid.first_mut() else {
            return;
        };
        let units = work.codec.format().units();
        self.done.invalid = Some(Error::invalid(&work.name, first, units));
        self.at = None;
        // Kept with an empty span: the codec must not take the block for sound, but has nothing
        // to write.
        let start = first.span.start;
        first.span.end = start;
        decoded.invalid.truncate(1);
        let before = |record: &RecordFields| record.span().start < start;
        let before = decoded.records.partition_point(before);
        decoded.truncate(before);
    }

    /// What is to be asked about the part.
    pub fn question(&mut self, work: &Work) -> Result<Option<Question<'_>>> {
        work.task.question(&work.codec, self).context(&work.name)
    }

    /// Works on the part with the answers. Returns how many records were kept.
    pub fn finish(&mut self, work: &Work, answers: &Answers) -> Result<u64> {
        let kept = self.done.tally.kept;
        let finished = work.task.finish(&work.codec, self, answers);
        finished.context(&work.name)?;
        if self.done.end.is_some() {
            self.at = None;
            self.done.invalid = None;
        }
        let tally = &mut self.done.tally;
        tally.note_decoded(&self.decoded);
        Ok(tally.kept - kept)
    }

    /// The results of all parts. Bytes after the limit do not count: how far the reader got
    /// depends on timing.
    pub fn end(&mut self) -> Yield {
        let mut done = core::mem::take(&mut self.done);
        let all = self.block.bytes.len() as u64;
        done.tally.bytes = done.end.map_or(all, u64::from);
        done
    }
}

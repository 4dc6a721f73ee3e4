//! The cost of reading: 32-byte records on one thread by each CPU path, with a copy of the same
//! bytes for comparison; and a binpack, with sfbinpack for comparison.
//!
//! `cargo bench --bench formats [-- THREADS]` prints nanoseconds per record; for the binpack,
//! wall time times threads over positions.
//!
//! Fixed records are decoded block by block into the same memory. Cold is 128 MiB, more than
//! caches hold, in blocks of 1 MiB; hot is one block of 64 KiB repeatedly. They are made from
//! `data/sample.binpack`. The binpack is that of `../shared/data/formats` or else the same
//! sample, repeated to 64 MiB; threads take one chunk at a time.

#![allow(missing_docs, clippy::cast_possible_wrap)] // small counts

mod table;

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, hint::black_box, thread};

use swaplist::backend::Cpu;
use swaplist::formats::{
    Action, Actions, Block, Codec as _, Conversion, Decoded, Format, Open, Place,
};
use swaplist::{Bounds, CpuPath, Exceeds, Position, Rules, Verdict};
use table::Stage;

const SAMPLE: &[u8] = include_bytes!("../data/sample.binpack");
const BYTES: usize = 128 << 20;
const ROUNDS: usize = 15;

/// Records of 32 bytes, and the size of their blocks.
struct Fixed {
    format: Format,
    bytes: Vec<u8>,
    block: usize,
}

impl Fixed {
    /// How often the bytes are repeated.
    fn rounds(&self) -> impl Iterator<Item = &[u8]> {
        (0..BYTES / self.bytes.len()).map(|_| black_box(self.bytes.as_slice()))
    }

    /// The sum of the digests of all blocks, from a reader or from memory.
    fn sum(&self, read: bool, mut digest: impl FnMut(&Block) -> i64) -> i64 {
        let mut sum = 0_i64;
        for bytes in self.rounds() {
            if read {
                let (mut reader, _) = self.format.open(bytes, self.block);
                while let Some(block) = reader.next_block().expect("memory") {
                    sum = sum.wrapping_add(digest(&block));
                    reader.recycle(block.bytes);
                }
                continue;
            }
            let mut block = block_of(Vec::with_capacity(self.block));
            for bytes in bytes.chunks(self.block) {
                block.bytes.clear();
                block.bytes.extend_from_slice(bytes);
                sum = sum.wrapping_add(digest(&block));
            }
        }
        sum
    }

    fn stage<'a>(
        &'a self,
        name: impl Into<String>,
        read: bool,
        expected: i64,
        digest: impl FnMut(&Block) -> i64 + 'a,
    ) -> Stage<'a> {
        let digest = RefCell::new(digest);
        Stage::new(name, (BYTES / 32, "record"), expected, move || {
            self.sum(read, &mut *digest.borrow_mut())
        })
    }
}

fn block_of(bytes: Vec<u8>) -> Block {
    Block {
        bytes,
        start: Place::Offset(0),
        truncated: false,
        continued: false,
    }
}

fn fixed(format: Format) {
    let records = converted(format);
    for (name, bytes, block) in [("cold", BYTES, 1 << 20), ("hot", 64 << 10, 64 << 10)] {
        let bytes = records.iter().copied().cycle().take(bytes).collect();
        let data = Fixed {
            format,
            bytes,
            block,
        };
        let title = format!("{}, {name}", format.name());
        table::print(&title, "memcpy", ROUNDS, &stages(&data));
    }
}

fn stages(data: &Fixed) -> Vec<Stage<'_>> {
    let copied = |block: &Block| last(black_box(&block.bytes));
    let expected = data.sum(false, copied);
    let mut stages = vec![
        data.stage("memcpy", false, expected, copied),
        data.stage("read", true, expected, copied),
    ];
    let decode = |path| {
        let (codec, mut decoded) = (data.format.codec_on(path), Decoded::default());
        move |block: &Block| {
            codec.decode(block, &mut decoded);
            digest(&decoded.positions)
        }
    };
    let expected = data.sum(true, decode(CpuPath::Scalar));
    for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
        let name = format!("{path}: read, decode into records");
        stages.push(data.stage(name, true, expected, decode(path)));
    }
    stages
}

fn last(block: &[u8]) -> i64 {
    block.len() as i64 ^ i64::from(block.last().copied().unwrap_or_default())
}

/// A digest of a few of a block's positions, too few to cost time.
fn digest(positions: &[Position]) -> i64 {
    let some = positions.iter().step_by(509);
    some.fold(positions.len() as i64, |sum, position| {
        let [a, b, c, d] = position.planes();
        sum.rotate_left(5)
            ^ (a ^ b.rotate_left(1) ^ c.rotate_left(2) ^ d.rotate_left(3)).cast_signed()
    })
}

/// Converts the sample to another format.
fn converted(format: Format) -> Vec<u8> {
    let (mut reader, codec) = Format::Binpack.open(SAMPLE, SAMPLE.len());
    let codec = Conversion::new(Format::Binpack, codec, format).expect("possible");
    let (mut decoded, mut records) = (Decoded::default(), Vec::new());
    while let Some(block) = reader.next_block().expect("a sound file") {
        codec.decode(&block, &mut decoded);
        let actions = Actions {
            records: &vec![Action::Keep; decoded.records.len()],
            invalid: false,
        };
        let done = codec.encode(&block, &decoded, &actions, &mut records);
        done.expect("records that can be written");
    }
    records
}

const PART: usize = 4096;

/// A thread's work on a chunk; returns the number of positions.
type Work = fn(&Block) -> usize;

fn binpack(threads: usize) {
    let path = "../shared/data/formats/sf_small.binpack";
    let sample = fs::read(path).unwrap_or_else(|_| SAMPLE.to_vec());
    let file = sample.repeat((64 << 20) / sample.len());
    let (mut reader, _) = Format::Binpack.open(file.as_slice(), 1);
    let blocks = core::iter::from_fn(|| reader.next_block().expect("a sound file"));
    let blocks: Vec<Block> = blocks.collect();
    let positions = blocks.iter().map(decode).sum::<usize>();
    let works: [(&str, Work); 6] = [
        ("decode", decode),
        ("sfbinpack, entry by entry", sfbinpack),
        ("record by record, with castling and clocks", records),
        ("decode, judge", judge),
        ("decode, bound", bound),
        ("decode, mark", mark),
    ];
    let stages = works.map(|(name, work)| {
        let items = (positions / threads, "position");
        let blocks = &blocks;
        let pass = move || on_threads(threads, blocks, work) as i64;
        Stage::new(name, items, positions as i64, pass)
    });
    let title = format!("binpack, {} blocks, {threads} threads", blocks.len());
    table::print(&title, "decode", ROUNDS, &stages);
}

fn on_threads(threads: usize, blocks: &[Block], work: Work) -> usize {
    let (next, positions) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    positions.fetch_add(work(block), Ordering::Relaxed);
                }
            });
        }
    });
    positions.into_inner()
}

/// sfbinpack, as its users call it.
fn sfbinpack(block: &Block) -> usize {
    use sfbinpack::CompressedTrainingDataEntryReader as Entries;
    let cursor = std::io::Cursor::new(block.bytes.as_slice());
    let mut entries = Entries::new(cursor).expect("a chunk");
    let mut count = 0;
    while entries.has_next() {
        black_box(entries.next());
        count += 1;
    }
    count
}

fn records(block: &Block) -> usize {
    let records = Format::Binpack.records(block.bytes.as_slice());
    let count = |count, entry| {
        black_box(&entry);
        count + usize::from(Result::is_ok(&entry))
    };
    records.fold(0, count)
}

/// Calls `found` with a block's parts, each small enough for the L2 cache, like the commands;
/// returns the number of positions.
fn each_part(block: &Block, mut found: impl FnMut(&Decoded)) -> usize {
    let codec = Format::Binpack.codec();
    let mut decoded = Decoded::default();
    let (mut at, mut count) = (Some(0), 0);
    while let Some(from) = at {
        at = codec.decode_part(block, from, PART, &mut decoded);
        count += decoded.records.len();
        found(&decoded);
    }
    count
}

fn decode(block: &Block) -> usize {
    each_part(block, |decoded| {
        black_box(decoded);
    })
}

fn judge(block: &Block) -> usize {
    let (cpu, mut verdicts) = (Cpu::new().on_calling_thread(), Vec::new());
    each_part(block, |decoded| {
        verdicts.resize(decoded.positions.len(), Verdict::default());
        cpu.judge_all(&decoded.positions, &Rules::SWAP, false, &mut verdicts);
        black_box(&verdicts);
    })
}

/// The question of `filter`.
fn bound(block: &Block) -> usize {
    let (cpu, mut exceeds) = (Cpu::new().on_calling_thread(), Vec::new());
    let quiet = Bounds {
        see: Some(0),
        threat: None,
        double_threat: false,
    };
    each_part(block, |decoded| {
        exceeds.resize(decoded.positions.len(), Exceeds::default());
        cpu.exceeds_all(&decoded.positions, &Rules::SWAP, quiet, &mut exceeds);
        black_box(&exceeds);
    })
}

/// Marks every third position.
fn mark(block: &Block) -> usize {
    let codec = Format::Binpack.codec();
    let (mut out, mut open) = (Vec::with_capacity(2 * block.bytes.len()), Open::default());
    each_part(block, |decoded| {
        let action = |i| {
            if i % 3 == 0 {
                Action::Mark
            } else {
                Action::Keep
            }
        };
        let actions: Vec<_> = (0..decoded.records.len()).map(action).collect();
        let actions = Actions {
            records: &actions,
            invalid: false,
        };
        let encoded = codec.encode_part(block, decoded, &actions, &mut out, &mut open);
        encoded.expect("can be marked");
        black_box(&out);
    })
}

fn main() {
    let threads = env::args().skip(1).find_map(|arg| arg.parse().ok());
    fixed(Format::Bulletformat);
    fixed(Format::Marlinformat);
    binpack(threads.unwrap_or(1));
}

//! What a binpack costs per position, stage by stage, beside the field's decoder.
//!
//! `cargo bench --bench binpack [-- THREADS [STAGE]]` prints nanoseconds a position
//! (wall time times threads over positions), and each stage's ratio to decoding
//! alone. All stages go round again and again and keep their best time, so that
//! other load on the machine hits all of them alike.
//!
//! The data: the sample of `../shared/data/formats`, as many chunks as make 64 MiB,
//! in memory; one chunk is what a thread takes at a time.

#![allow(missing_docs, clippy::cast_precision_loss)] // small counts

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, fs, hint::black_box, thread};

use swaplist::backend::Cpu;
use swaplist::formats::binpack::{self, ChunkCodec};
use swaplist::formats::{Block, Codec, Decoded, Fate, Fates, Format, Open};
use swaplist::{Bounds, Exceeds, Rules, Verdict};

const BYTES: usize = 64 << 20;
const ROUNDS: usize = 9;
const PART: usize = 4096;
const SAMPLE: &str = "../shared/data/formats/sf_small.binpack";

/// A stage: what a thread does with a block; how many positions that were.
type Stage<'a> = (&'a str, Box<dyn Fn(&Block) -> u64 + Sync + 'a>);

fn blocks(file: &[u8]) -> Vec<Block> {
    let (mut reader, _) = Format::Binpack.open(file, 1);
    core::iter::from_fn(|| reader.next_block().expect("a sound file")).collect()
}

/// The field's decoder, as its users call it: entry by entry.
fn sfbinpack(block: &Block) -> u64 {
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

/// Position by position, nothing stored.
fn walk(block: &Block) -> u64 {
    let mut count = 0;
    let mut rest = &block.bytes[binpack::CHUNK_HEADER..];
    while !rest.is_empty() {
        let walked = binpack::for_each(rest, |ply| {
            black_box(&ply);
            count += 1;
        });
        rest = &rest[walked.expect("a sound chain")..];
    }
    count
}

/// Calls `found` with a block's parts, each small enough for the second cache, as
/// the commands work; how many positions there are.
fn each_part(block: &Block, mut found: impl FnMut(&Decoded)) -> u64 {
    let mut decoded = Decoded::default();
    let (mut at, mut count) = (Some(0), 0);
    while let Some(from) = at {
        at = ChunkCodec.decode_part(block, from, PART, &mut decoded);
        count += decoded.records.len() as u64;
        found(&decoded);
    }
    count
}

fn decode(block: &Block) -> u64 {
    each_part(block, |decoded| {
        black_box(decoded);
    })
}

fn judge(block: &Block) -> u64 {
    let (cpu, mut verdicts) = (Cpu::new(), Vec::new());
    each_part(block, |decoded| {
        verdicts.resize(decoded.positions.len(), Verdict::default());
        cpu.judge_here(&decoded.positions, &Rules::SWAP, false, &mut verdicts);
        black_box(&verdicts);
    })
}

/// What `filter` asks.
fn bound(block: &Block) -> u64 {
    let (cpu, mut exceeds) = (Cpu::new(), Vec::new());
    let quiet = Bounds {
        see: Some(0),
        threat: None,
    };
    each_part(block, |decoded| {
        exceeds.resize(decoded.positions.len(), Exceeds::default());
        cpu.exceeds_here(&decoded.positions, &Rules::SWAP, quiet, &mut exceeds);
        black_box(&exceeds);
    })
}

/// Every third position marked.
fn mark(block: &Block) -> u64 {
    let (mut out, mut open) = (Vec::with_capacity(2 * block.bytes.len()), Open::default());
    each_part(block, |decoded| {
        let fate = |i| if i % 3 == 0 { Fate::Mark } else { Fate::Keep };
        let fates: Vec<_> = (0..decoded.records.len()).map(fate).collect();
        let fates = Fates {
            records: &fates,
            invalid: false,
        };
        let encoded = ChunkCodec.encode_part(block, decoded, &fates, &mut out, &mut open);
        encoded.expect("can be marked");
        black_box(&out);
    })
}

/// Nanoseconds a position and thread.
fn time(threads: usize, blocks: &[Block], stage: &Stage<'_>) -> f64 {
    let (next, positions) = (AtomicUsize::new(0), AtomicU64::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    positions.fetch_add((stage.1)(block), Ordering::Relaxed);
                }
            });
        }
    });
    let elapsed = start.elapsed().as_secs_f64() * 1e9 * threads as f64;
    elapsed / positions.into_inner() as f64
}

fn main() {
    let mut args = env::args().skip(1).filter(|arg| arg != "--bench");
    let threads = args.next().map_or(1, |n| n.parse().expect("a number"));
    let only = args.next();
    let Ok(sample) = fs::read(SAMPLE) else {
        println!("no data: {SAMPLE} is missing");
        return;
    };
    let blocks = blocks(&sample.repeat(BYTES / sample.len()));
    let stages: [Stage<'_>; 6] = [
        ("decode", Box::new(decode)),
        ("sfbinpack", Box::new(sfbinpack)),
        ("walk", Box::new(walk)),
        ("decode, judge", Box::new(judge)),
        ("decode, bound", Box::new(bound)),
        ("decode, mark", Box::new(mark)),
    ];
    let mut best = [f64::INFINITY; 6];
    let chosen = |name: &str| only.as_ref().is_none_or(|only| only == name);
    for _ in 0..ROUNDS {
        for (best, stage) in best
            .iter_mut()
            .zip(&stages)
            .filter(|(_, stage)| chosen(stage.0))
        {
            *best = best.min(time(threads, &blocks, stage));
        }
    }
    println!("{SAMPLE}, {} blocks, {threads} threads", blocks.len());
    println!("{:<16} {:>11} {:>7}", "stage", "ns/position", "decode");
    for (stage, ns) in stages.iter().zip(best).filter(|(stage, _)| chosen(stage.0)) {
        println!("{:<16} {ns:>11.2} {:>7.2}", stage.0, ns / best[0]);
    }
}

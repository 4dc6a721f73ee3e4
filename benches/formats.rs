//! What reading records of 32 bytes costs on one thread, in multiples of a copy
//! of the same bytes.
//!
//! `cargo bench --bench formats` prints the table of ratios; with any option of
//! criterion (`-- NAME`, `-- --noplot`) the same stages run under criterion. The
//! table goes round all stages again and again and keeps each one's best time,
//! so that other load on the machine hits all of them alike.
//!
//! All work block by block on 128 MiB, more than caches hold, into a block's
//! worth of memory that is used again. Records: those of
//! `../shared/data/formats`, again and again, else of play-outs made here.

#![allow(missing_docs, clippy::cast_precision_loss)] // small counts

#[path = "../tests/common/boards.rs"]
#[allow(dead_code)]
mod boards;

use criterion::{Criterion, Throughput};
use std::fmt::Write as _;
use std::{cell::RefCell, env, fs, hint::black_box, time::Instant};
use swaplist::Position;
use swaplist::formats::fixed::{Bulletformat, Layout, Marlinformat};
use swaplist::formats::{
    Block, Codec, Conversion, Decoded, Fate, Fates, Fault, FixedCodec, FixedReader, Format, Place,
    Reader, bulletformat, marlinformat,
};

const BYTES: usize = 128 << 20;
const BLOCK: usize = 1 << 20;
const PLAYOUTS: usize = 20_000;
const ROUNDS: usize = 25;

type Raw = [u8; 32];

/// One stage: a pass over all records, with its digest to be asserted.
struct Stage<'a> {
    name: String,
    expected: u64,
    pass: Box<dyn Fn() -> u64 + 'a>,
}

impl Stage<'_> {
    /// Nanoseconds a record; a wrong digest ends the run.
    fn time(&self) -> f64 {
        let start = Instant::now();
        let digest = black_box((self.pass)());
        let elapsed = start.elapsed();
        assert_eq!(digest, self.expected, "{}", self.name);
        elapsed.as_secs_f64() * 1e9 / (BYTES / 32) as f64
    }
}

/// The records of a format, all of them valid.
struct Data {
    format: Format,
    source: String,
    bytes: Vec<u8>,
    /// Of the positions that another path makes of them, block by block.
    expected: u64,
    one: fn(&Raw) -> Result<Position, Fault>,
}

impl Data {
    fn new(format: Format, one: fn(&Raw) -> Result<Position, Fault>) -> Data {
        let (source, records) = match real(format) {
            Some((source, records)) => (source, records),
            None => ("play-outs".to_owned(), made(format)),
        };
        let records = &records[..records.len() / 32 * 32];
        let bytes: Vec<u8> = records.iter().copied().cycle().take(BYTES).collect();
        let unpack = |raw: &Raw| one(raw).expect("a valid record");
        let expected = bytes
            .chunks(BLOCK)
            .map(|block| digest(&block.as_chunks().0.iter().map(unpack).collect::<Vec<_>>()))
            .fold(0, u64::wrapping_add);
        Data {
            format,
            source,
            bytes,
            expected,
            one,
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(BLOCK)
    }
}

/// Of some of a block's positions: few enough to cost nothing.
fn digest(positions: &[Position]) -> u64 {
    let some = positions.iter().step_by(509);
    some.fold(positions.len() as u64, |sum, position| {
        let [a, b, c, d] = position.planes();
        sum.rotate_left(5) ^ a ^ b.rotate_left(1) ^ c.rotate_left(2) ^ d.rotate_left(3)
    })
}

fn real(format: Format) -> Option<(String, Vec<u8>)> {
    let name = match format {
        Format::Bulletformat => "bulletformat_batch.bf",
        _ => "sf_small.marlinformat.zst",
    };
    let file = fs::read(format!("../shared/data/formats/{name}")).ok()?;
    let records = if format == Format::Marlinformat {
        zstd::decode_all(file.as_slice()).expect("a compressed file")
    } else {
        file
    };
    Some((name.to_owned(), records))
}

/// Play-outs in a format.
fn made(format: Format) -> Vec<u8> {
    let mut text = String::new();
    for chess in boards::playouts(1).take(PLAYOUTS) {
        let position = Position::try_from(&chess).expect("a playable position");
        writeln!(text, "{position} | 0 | 0.5").expect("memory");
    }
    let (mut reader, codec) = Format::Text.open(text.as_bytes(), text.len());
    let block = reader.next_block().expect("memory").expect("records");
    let codec = Conversion::new(Format::Text, codec, format).expect("possible");
    let (mut decoded, mut records) = (Decoded::default(), Vec::new());
    codec.decode(&block, &mut decoded);
    let fates = Fates {
        records: &vec![Fate::Keep; decoded.records.len()],
        invalid: false,
    };
    let done = codec.encode(&block, &decoded, &fates, &mut records);
    done.expect("records that can be written");
    records
}

fn stages<'a, L: Layout + Copy + Default + 'a>(data: &'a Data) -> Vec<Stage<'a>> {
    let mut all = Vec::new();
    let mut add = |name: &str, expected, pass: Box<dyn Fn() -> u64 + 'a>| {
        all.push(Stage {
            name: format!("{} {name}", data.format.name()),
            expected,
            pass,
        });
    };
    add("memcpy", copied(data.blocks()), memcpy(data));
    add("unpack", data.expected, unpack::<L>(data));
    add("each", data.expected, each::<L>(data));
    add("one by one", data.expected, one_by_one(data));
    add("decode", data.expected, decode::<L>(data));
    add("read", copied(data.blocks()), read(data));
    add("read, unpack", data.expected, read_and_unpack::<L>(data));
    add("read, decode", data.expected, read_and_decode::<L>(data));
    all
}

fn copied<'a>(blocks: impl Iterator<Item = &'a [u8]>) -> u64 {
    blocks.fold(0, |sum, block| {
        let last = block.last().copied().unwrap_or_default();
        sum.rotate_left(5) ^ block.len() as u64 ^ u64::from(last)
    })
}

fn memcpy(data: &Data) -> Box<dyn Fn() -> u64 + '_> {
    let buffer = RefCell::new(vec![0; BLOCK]);
    Box::new(move || {
        let mut buffer = buffer.borrow_mut();
        data.blocks().fold(0, |sum, block| {
            black_box(&mut buffer[..block.len()]).copy_from_slice(block);
            sum.rotate_left(5) ^ copied([&buffer[..block.len()]].into_iter())
        })
    })
}

fn sum_of_blocks(data: &Data, mut of_block: impl FnMut(&[u8]) -> u64) -> u64 {
    data.blocks()
        .fold(0, |sum, block| sum.wrapping_add(of_block(block)))
}

fn unpack_block<L: Layout>(bytes: &[u8], positions: &mut Vec<Position>) -> u64 {
    let refused = |number, fault| panic!("record {number}: {fault}");
    L::unpack_all(bytes.as_chunks().0, positions, refused);
    digest(positions)
}

fn unpack<'a, L: Layout + 'a>(data: &'a Data) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        sum_of_blocks(data, |block| unpack_block::<L>(block, &mut positions))
    })
}

fn each<'a, L: Layout + 'a>(data: &'a Data) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        sum_of_blocks(data, |block| {
            positions.clear();
            L::for_each(block, |position| {
                positions.push(position.expect("a valid record"));
            });
            digest(&positions)
        })
    })
}

fn one_by_one(data: &Data) -> Box<dyn Fn() -> u64 + '_> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        sum_of_blocks(data, |block| {
            let records = block.as_chunks().0.iter();
            positions.clear();
            positions.extend(records.map(|raw| (data.one)(raw).expect("a valid record")));
            digest(&positions)
        })
    })
}

fn decode<'a, L: Layout + Copy + Default + 'a>(data: &'a Data) -> Box<dyn Fn() -> u64 + 'a> {
    let decoded = RefCell::new(Decoded::default());
    let blocks: Vec<_> = data.blocks().map(block).collect();
    Box::new(move || {
        let mut decoded = decoded.borrow_mut();
        blocks.iter().fold(0, |sum, block| {
            FixedCodec::<L>::default().decode(block, &mut decoded);
            assert_eq!(decoded.records.len(), decoded.positions.len());
            sum.wrapping_add(digest(&decoded.positions))
        })
    })
}

fn block(bytes: &[u8]) -> Block {
    Block {
        bytes: bytes.to_vec(),
        start: Place::Offset(0),
        truncated: false,
    }
}

/// The blocks of a reader.
fn each_block(data: &Data, mut found: impl FnMut(&Block)) {
    let mut reader = FixedReader::new(data.bytes.as_slice(), 32, BLOCK);
    while let Some(block) = reader.next_block().expect("memory") {
        found(&block);
    }
}

fn read(data: &Data) -> Box<dyn Fn() -> u64 + '_> {
    Box::new(|| {
        let mut sum = 0_u64;
        each_block(data, |block| {
            sum = sum.rotate_left(5) ^ copied([block.bytes.as_slice()].into_iter());
        });
        sum
    })
}

fn read_and_unpack<'a, L: Layout + 'a>(data: &'a Data) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let (mut positions, mut sum) = (positions.borrow_mut(), 0_u64);
        each_block(data, |block| {
            sum = sum.wrapping_add(unpack_block::<L>(&block.bytes, &mut positions));
        });
        sum
    })
}

fn read_and_decode<'a, L: Layout + Copy + Default + 'a>(
    data: &'a Data,
) -> Box<dyn Fn() -> u64 + 'a> {
    let decoded = RefCell::new(Decoded::default());
    Box::new(move || {
        let (mut decoded, mut sum) = (decoded.borrow_mut(), 0_u64);
        each_block(data, |block| {
            FixedCodec::<L>::default().decode(block, &mut decoded);
            sum = sum.wrapping_add(digest(&decoded.positions));
        });
        sum
    })
}

fn print_ratios(source: &str, stages: &[Stage<'_>]) {
    let mut best = vec![f64::INFINITY; stages.len()];
    for _ in 0..ROUNDS {
        for (best, stage) in best.iter_mut().zip(stages) {
            *best = best.min(stage.time());
        }
    }
    println!("{source}: {} records", BYTES / 32);
    println!("{:<36} {:>9} {:>7}", "stage", "ns/record", "memcpy");
    for (stage, ns) in stages.iter().zip(&best) {
        println!("{:<36} {ns:>9.2} {:>7.2}", stage.name, ns / best[0]);
    }
}

fn run_criterion(criterion: &mut Criterion, stages: &[Stage<'_>]) {
    let mut group = criterion.benchmark_group("formats");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(BYTES as u64));
    for stage in stages {
        group.bench_function(&stage.name, |bencher| bencher.iter(|| stage.time()));
    }
    group.finish();
}

fn main() {
    let bullet = Data::new(Format::Bulletformat, bulletformat::unpack);
    let marlin = Data::new(Format::Marlinformat, marlinformat::unpack);
    let of_bullet = stages::<Bulletformat>(&bullet);
    let of_marlin = stages::<Marlinformat>(&marlin);
    // Cargo itself passes `--bench`; anything else is meant for criterion.
    if env::args().skip(1).all(|arg| arg == "--bench") {
        print_ratios(&bullet.source, &of_bullet);
        print_ratios(&marlin.source, &of_marlin);
    } else {
        let mut criterion = Criterion::default().configure_from_args();
        run_criterion(&mut criterion, &of_bullet);
        run_criterion(&mut criterion, &of_marlin);
        criterion.final_summary();
    }
}

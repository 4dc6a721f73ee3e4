//! What reading records of 32 bytes costs on one thread, on each path of the CPU,
//! in multiples of a copy of the same bytes.
//!
//! `cargo bench --bench formats` prints the tables of ratios; with any option of
//! criterion (`-- NAME`, `-- --noplot`) the same stages run under criterion. A
//! table goes round all stages again and again and keeps each one's best time,
//! so that other load on the machine hits all of them alike.
//!
//! All work block by block into a block's worth of memory that is used again. Cold
//! is 128 MiB, more than caches hold, in blocks of 1 MiB and of 128 KiB; hot is one
//! block of 64 KiB again and again. Records: those of `../shared/data/formats`,
//! again and again, else of play-outs made here.

#![allow(missing_docs, clippy::cast_precision_loss)] // small counts

#[path = "../tests/common/boards.rs"]
#[allow(dead_code)]
mod boards;

use criterion::{Criterion, Throughput};
use std::fmt::Write as _;
use std::{cell::RefCell, env, fs, hint::black_box, time::Instant};
use swaplist::formats::fixed::{Bulletformat, Layout, Marlinformat};
use swaplist::formats::{
    Block, Codec, Conversion, Decoded, Fate, Fates, Fault, FixedCodec, FixedReader, Format, Reader,
    bulletformat, marlinformat,
};
use swaplist::{CpuPath, Position};

const BYTES: usize = 128 << 20;
const PLAYOUTS: usize = 20_000;
const ROUNDS: usize = 15;

/// How the bytes are gone through: name, how many of them, in blocks of how many.
const WAYS: [(&str, usize, usize); 3] = [
    ("cold, blocks of 1 MiB", BYTES, 1 << 20),
    ("cold, blocks of 128 KiB", BYTES, 128 << 10),
    ("hot, one block of 64 KiB", 64 << 10, 64 << 10),
];

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
    one: fn(&Raw) -> Result<Position, Fault>,
}

impl Data {
    fn new(format: Format, one: fn(&Raw) -> Result<Position, Fault>) -> Data {
        let (source, records) = match real(format) {
            Some((source, records)) => (source, records),
            None => ("play-outs".to_owned(), made(format)),
        };
        let records = &records[..records.len() / 32 * 32];
        Data {
            format,
            source,
            bytes: records.iter().copied().cycle().take(BYTES).collect(),
            one,
        }
    }

    fn way(&self, (name, bytes, block): (&'static str, usize, usize)) -> Way<'_> {
        let mut way = Way {
            name,
            data: self,
            bytes: &self.bytes[..bytes],
            block,
            expected: 0,
        };
        let unpack = |raw: &Raw| (self.one)(raw).expect("a valid record");
        way.expected = way.sum_of_blocks(|block| {
            digest(&block.as_chunks().0.iter().map(unpack).collect::<Vec<_>>())
        });
        way
    }
}

/// Records gone through in one of the ways.
struct Way<'a> {
    name: &'static str,
    data: &'a Data,
    bytes: &'a [u8],
    block: usize,
    /// Of the positions that another path makes of them, block by block.
    expected: u64,
}

impl Way<'_> {
    /// The bytes as often as they make up all.
    fn rounds(&self) -> impl Iterator<Item = &[u8]> {
        (0..BYTES / self.bytes.len()).map(|_| black_box(self.bytes))
    }

    fn blocks(&self) -> impl Iterator<Item = &[u8]> {
        self.rounds().flat_map(|bytes| bytes.chunks(self.block))
    }

    fn sum_of_blocks(&self, mut of_block: impl FnMut(&[u8]) -> u64) -> u64 {
        self.blocks()
            .fold(0, |sum, block| sum.wrapping_add(of_block(block)))
    }

    /// The blocks of a reader, which gets their memory back.
    fn each_block(&self, mut found: impl FnMut(&Block)) {
        for bytes in self.rounds() {
            let mut reader = FixedReader::new(bytes, 32, self.block);
            while let Some(block) = reader.next_block().expect("memory") {
                found(&block);
                reader.recycle(block.bytes);
            }
        }
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

fn paths() -> impl Iterator<Item = CpuPath> {
    CpuPath::ALL.into_iter().filter(|path| path.is_available())
}

fn stages<'a, L: Layout + Copy + Default + 'a>(way: &'a Way<'a>) -> Vec<Stage<'a>> {
    let mut all = Vec::new();
    let copied = way.sum_of_blocks(last);
    let mut add = |name: String, expected, pass: Box<dyn Fn() -> u64 + 'a>| {
        all.push(Stage {
            name,
            expected,
            pass,
        });
    };
    add("memcpy".to_owned(), copied, memcpy(way));
    add("read".to_owned(), copied, read(way));
    for path in paths() {
        let mut none = Vec::new();
        if L::unpack_unchecked(path, &[], &mut none) {
            let pass = unchecked::<L>(way, path);
            // Without the en-passant targets.
            let unmarked = pass();
            add(format!("{path}: unpack"), unmarked, pass);
            let pass = read_unchecked::<L>(way, path);
            add(format!("{path}: read, unpack"), unmarked, pass);
        }
        add(
            format!("{path}: unpack, check"),
            way.expected,
            unpack::<L>(way, path),
        );
        add(
            format!("{path}: read, unpack, check"),
            way.expected,
            read_and_unpack::<L>(way, path),
        );
    }
    add(
        "read, decode into records".to_owned(),
        way.expected,
        read_and_decode::<L>(way),
    );
    add("one by one".to_owned(), way.expected, one_by_one(way));
    all
}

fn last(block: &[u8]) -> u64 {
    block.len() as u64 ^ u64::from(block.last().copied().unwrap_or_default())
}

fn memcpy<'a>(way: &'a Way<'a>) -> Box<dyn Fn() -> u64 + 'a> {
    let buffer = RefCell::new(vec![0; way.block]);
    Box::new(move || {
        let mut buffer = buffer.borrow_mut();
        way.sum_of_blocks(|block| {
            black_box(&mut buffer[..block.len()]).copy_from_slice(block);
            last(&buffer[..block.len()])
        })
    })
}

fn read<'a>(way: &'a Way<'a>) -> Box<dyn Fn() -> u64 + 'a> {
    Box::new(|| {
        let mut sum = 0_u64;
        way.each_block(|block| sum = sum.wrapping_add(last(black_box(&block.bytes))));
        sum
    })
}

fn unchecked<'a, L: Layout + 'a>(way: &'a Way<'a>, path: CpuPath) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        way.sum_of_blocks(|block| {
            assert!(L::unpack_unchecked(
                path,
                block.as_chunks().0,
                &mut positions
            ));
            digest(&positions)
        })
    })
}

fn read_unchecked<'a, L: Layout + 'a>(
    way: &'a Way<'a>,
    path: CpuPath,
) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let (mut positions, mut sum) = (positions.borrow_mut(), 0_u64);
        way.each_block(|block| {
            let records = block.bytes.as_chunks().0;
            assert!(L::unpack_unchecked(path, records, &mut positions));
            sum = sum.wrapping_add(digest(&positions));
        });
        sum
    })
}

fn unpack_block<L: Layout>(path: CpuPath, bytes: &[u8], positions: &mut Vec<Position>) -> u64 {
    let refused = |number, fault| panic!("record {number}: {fault}");
    L::unpack_all(path, bytes.as_chunks().0, positions, refused);
    digest(positions)
}

fn unpack<'a, L: Layout + 'a>(way: &'a Way<'a>, path: CpuPath) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        way.sum_of_blocks(|block| unpack_block::<L>(path, block, &mut positions))
    })
}

fn read_and_unpack<'a, L: Layout + 'a>(
    way: &'a Way<'a>,
    path: CpuPath,
) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let (mut positions, mut sum) = (positions.borrow_mut(), 0_u64);
        way.each_block(|block| {
            sum = sum.wrapping_add(unpack_block::<L>(path, &block.bytes, &mut positions));
        });
        sum
    })
}

fn read_and_decode<'a, L: Layout + Copy + Default + 'a>(
    way: &'a Way<'a>,
) -> Box<dyn Fn() -> u64 + 'a> {
    let decoded = RefCell::new(Decoded::default());
    Box::new(move || {
        let (mut decoded, mut sum) = (decoded.borrow_mut(), 0_u64);
        way.each_block(|block| {
            FixedCodec::<L>::default().decode(block, &mut decoded);
            assert_eq!(decoded.records.len(), decoded.positions.len());
            sum = sum.wrapping_add(digest(&decoded.positions));
        });
        sum
    })
}

fn one_by_one<'a>(way: &'a Way<'a>) -> Box<dyn Fn() -> u64 + 'a> {
    let positions = RefCell::new(Vec::new());
    Box::new(move || {
        let mut positions = positions.borrow_mut();
        way.sum_of_blocks(|block| {
            let records = block.as_chunks().0.iter();
            positions.clear();
            positions.extend(records.map(|raw| (way.data.one)(raw).expect("a valid record")));
            digest(&positions)
        })
    })
}

fn print_ratios(way: &Way<'_>, stages: &[Stage<'_>]) {
    let mut best = vec![f64::INFINITY; stages.len()];
    for _ in 0..ROUNDS {
        for (best, stage) in best.iter_mut().zip(stages) {
            *best = best.min(stage.time());
        }
    }
    println!(
        "{}, {}: {}",
        way.data.format.name(),
        way.data.source,
        way.name
    );
    println!("{:<36} {:>9} {:>7}", "stage", "ns/record", "memcpy");
    for (stage, ns) in stages.iter().zip(&best) {
        println!("{:<36} {ns:>9.2} {:>7.2}", stage.name, ns / best[0]);
    }
}

fn run_criterion(criterion: &mut Criterion, way: &Way<'_>, stages: &[Stage<'_>]) {
    let name = format!("{}, {}", way.data.format.name(), way.name);
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    group.throughput(Throughput::Bytes(BYTES as u64));
    for stage in stages {
        group.bench_function(&stage.name, |bencher| bencher.iter(|| stage.time()));
    }
    group.finish();
}

fn run<L: Layout + Copy + Default>(data: &Data, criterion: &mut Option<Criterion>) {
    for way in WAYS.map(|way| data.way(way)) {
        let stages = stages::<L>(&way);
        match criterion {
            Some(criterion) => run_criterion(criterion, &way, &stages),
            None => print_ratios(&way, &stages),
        }
    }
}

fn main() {
    // Cargo itself passes `--bench`; anything else is meant for criterion.
    let plain = env::args().skip(1).all(|arg| arg == "--bench");
    let mut criterion = (!plain).then(|| Criterion::default().configure_from_args());
    let bullet = Data::new(Format::Bulletformat, bulletformat::unpack);
    run::<Bulletformat>(&bullet, &mut criterion);
    drop(bullet);
    let marlin = Data::new(Format::Marlinformat, marlinformat::unpack);
    run::<Marlinformat>(&marlin, &mut criterion);
    if let Some(criterion) = criterion {
        criterion.final_summary();
    }
}

//! Reading and filtering each format on one thread.
//!
//! `cargo bench --bench formats [-- WORD]`. Records: `formats/sf_small.binpack` in the folder that
//! `SWAPLIST_DATA` names, else the sample of this repository; converted to each format.

#![allow(missing_docs)]

use std::time::Duration;
use std::{env, fs, hint::black_box, io::Cursor, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use swaplist::{Choice, Evaluator};
use swaplist_files::filter::Filter;
use swaplist_files::formats::{Format, Record, Writer};
use swaplist_files::jobs::{Input, Job, Options};

/// The most bytes of a file: a block, as the command reads them.
const BYTES: usize = 1 << 20;

fn formats(criterion: &mut Criterion) {
    let sample = env::var_os("SWAPLIST_DATA").map_or_else(
        || include_bytes!("../data/sample.binpack").to_vec(),
        |folder| {
            let path = Path::new(&folder).join("formats/sf_small.binpack");
            fs::read(path).expect("SWAPLIST_DATA holds formats/sf_small.binpack")
        },
    );
    let entries: Vec<Record> = Format::Binpack
        .records(sample.as_slice())
        .map(|entry| entry.expect("a sound file"))
        .collect();
    for format in [
        Format::Text,
        Format::Plain,
        Format::Bulletformat,
        Format::Marlinformat,
        Format::Viriformat,
        Format::Binpack,
    ] {
        let (bytes, records) = written(format, &entries);
        bench(criterion, format, &bytes, records);
    }
}

/// A file of some of the entries, with their number.
fn written(format: Format, entries: &[Record]) -> (Vec<u8>, usize) {
    let mut writer = Writer::new(format).expect("a format to write");
    let mut bytes = Vec::new();
    let mut records = 0;
    for entry in entries {
        if bytes.len() > BYTES {
            break;
        }
        records += usize::from(writer.push(entry, &mut bytes).is_ok());
    }
    writer.finish(&mut bytes);
    (bytes, records)
}

fn bench(criterion: &mut Criterion, format: Format, bytes: &[u8], records: usize) {
    let mut group = criterion.benchmark_group(format.name());
    group.throughput(Throughput::Elements(records as u64));
    let mut copy = bytes.to_vec();
    group.bench_function("memcpy", |bencher| {
        bencher.iter(|| black_box(&mut copy).copy_from_slice(black_box(bytes)));
        assert!(copy == bytes);
    });
    group.bench_function("decode", |bencher| {
        bencher.iter(|| {
            let mut batches = format.records(bytes);
            let mut count = 0;
            while let Some(batch) = batches.next_batch().expect("a sound file") {
                count += batch.positions.len();
            }
            assert_eq!(count, records);
        });
    });
    group.bench_function("record by record", |bencher| {
        let read = || format.records(bytes);
        bencher.iter(|| assert_eq!(read().flatten().count(), records));
    });
    if format == Format::Binpack {
        group.bench_function("sfbinpack", |bencher| {
            bencher.iter(|| assert_eq!(sfbinpack(bytes), records));
        });
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [input, output] = ["in", "out"].map(|name| folder.path().join(name));
    fs::write(&input, bytes).expect("room for a file");
    group.bench_function("filter", |bencher| {
        bencher.iter(|| assert_eq!(filter(format, &input, &output), records as u64));
    });
}

/// sfbinpack, as its users call it.
fn sfbinpack(bytes: &[u8]) -> usize {
    use sfbinpack::CompressedTrainingDataEntryReader as Entries;
    let mut entries = Entries::new(Cursor::new(bytes)).expect("a chunk");
    let mut count = 0;
    while entries.has_next() {
        black_box(entries.next());
        count += 1;
    }
    count
}

/// A whole filter from file to file; returns the number of records read.
fn filter(format: Format, input: &Path, output: &Path) -> u64 {
    let options = Options {
        from: Some(format),
        replace: true,
        threads: Some(1),
        ..Options::default()
    };
    let job = Job::new(Input::open(Some(input)).expect("a file"), options)
        .and_then(|job| job.write_to(Some(output)))
        .expect("a job");
    let summary = job.filter(&Filter::default(), &Evaluator::cpu());
    summary.expect("a sound file").tally.records
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = formats
}
criterion_main!(benches);

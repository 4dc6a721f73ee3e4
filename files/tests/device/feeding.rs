//! How much a job gives at a time to a device that filters files, and that a device gets nothing
//! more after an error.

use std::io;
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use swaplist::Evaluator;
use swaplist_files::filter::Filter;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Mode, Options, Summary};

use super::slow::{Device, Log, keeping_all};
use crate::device_tests::WithFileFilter;
use crate::tests::common::written::{Written, games};

/// Filters a file on a device: the sample's games, `copies` times. Returns the output as well.
fn filtered(device: Device, filter: &Filter, copies: usize, threads: usize) -> (Vec<u8>, Summary) {
    let file = Cursor::new(games(Format::Viriformat).repeat(copies));
    let written = Written::default();
    let summary = filter_file(file, device, filter, threads, &written);
    (written.bytes(), summary)
}

/// Filters a file of viriformat on a device, which marks records and drops none.
fn filter_file(
    file: impl Read + Send + 'static,
    device: Device,
    filter: &Filter,
    threads: usize,
    written: &Written,
) -> Summary {
    let backend = WithFileFilter::new(Arc::new(device));
    let evaluator = Evaluator::with_backend(Some(Arc::new(backend)));
    let options = Options {
        from: Some(Format::Viriformat),
        mode: Some(Mode::Mark),
        threads: Some(threads),
        ..Options::default()
    };
    let job = Job::new(Input::reader("games", file).unwrap(), options).unwrap();
    let job = job.write_into("memory", written.clone());
    job.filter(filter, &evaluator).unwrap()
}

/// The number of records of each batch that a device gets which takes this long for a record.
fn batches(time_per_record: Duration, copies: usize) -> Vec<usize> {
    let log = Arc::new(Log::default());
    let device = Device {
        work: Arc::new(move |records| std::thread::sleep(time_per_record * records as u32)),
        log: Arc::clone(&log),
        ..Device::default()
    };
    let (bytes, summary) = filtered(device, &keeping_all(), copies, 2);
    assert_eq!(summary.report.fallback, None);
    assert!(bytes == games(Format::Viriformat).repeat(copies));
    let batches = log.batches.lock().unwrap().clone();
    assert_eq!(batches.iter().sum::<usize>() as u64, summary.tally.records);
    batches
}

/// Somewhat more records than a block has: of 4.3 bytes each, 1 MiB holds 244,000.
const BLOCK: usize = 260_000;

#[test]
fn a_slow_device_gets_no_more_than_it_does_in_time() {
    // A block takes it some 20 ms. A batch may take 60 ms, which is enough for 750,000 records.
    let time_per_record = Duration::from_nanos(80);
    let batches = batches(time_per_record, 900);
    assert!(batches[0] < BLOCK, "{batches:?}");
    let in_time = Duration::from_millis(60).as_nanos() / time_per_record.as_nanos();
    let most = *batches.iter().max().unwrap();
    assert!(most as u128 <= in_time, "{batches:?}");
    assert!(most > BLOCK, "{batches:?}");
}

#[test]
fn a_device_too_slow_for_two_blocks_gets_one_at_a_time() {
    // Even one block takes it some 73 ms instead of 60, but blocks are not divided.
    let batches = batches(Duration::from_nanos(300), 150);
    assert!(
        batches.iter().all(|&records| records < BLOCK),
        "{batches:?}"
    );
}

#[test]
fn a_fast_device_gets_full_batches_soon() {
    // A full batch has 2^21 records, which are eight blocks. Only the first batch is small.
    let batches = batches(Duration::ZERO, 1_400);
    assert!(batches[0] < BLOCK, "{batches:?}");
    assert!(
        batches.iter().any(|&records| records > 4 * BLOCK),
        "{batches:?}"
    );
}

/// A reader that takes its time.
struct Slow<R> {
    inner: R,
    /// How many bytes were read.
    read: Arc<AtomicUsize>,
}

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(1 << 18);
        let read = self.inner.read(&mut buffer[..some])?;
        std::thread::sleep(Duration::from_millis(3));
        self.read.fetch_add(read, Ordering::SeqCst);
        Ok(read)
    }
}

/// Workers that read at the same time count one another's blocks, so that no more of them are in
/// flight than are planned (`jobs/plan.rs`). The device here takes all that comes. Its third batch
/// waits until nobody reads any more.
#[test]
fn no_more_blocks_are_read_than_are_planned() {
    const THREADS: usize = 8;
    const MIB: usize = 1 << 20;
    // The blocks of three batches of 2^21 records, at 4.3 bytes for a record, one block for each
    // thread, and two more.
    const PLANNED: usize = 3 * (1_usize << 21).div_ceil(MIB * 10 / 43) + THREADS + 2;
    let games = games(Format::Viriformat);
    let file = games.repeat((PLANNED + 40) * MIB / games.len());
    let read = Arc::new(AtomicUsize::new(0));
    let written = Written::default();
    let in_flight = Arc::new(AtomicUsize::new(0));
    let work = {
        let read = Arc::clone(&read);
        let written = written.clone();
        let in_flight = Arc::clone(&in_flight);
        let batches = AtomicUsize::new(0);
        move |_| {
            // Two batches show that it is fast. From then on it gets all that may be in flight.
            if batches.fetch_add(1, Ordering::SeqCst) != 2 {
                return;
            }
            let mut last = 0;
            while last != read.load(Ordering::SeqCst) {
                last = read.load(Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(500));
            }
            // As nothing is dropped, what was read and is not written yet is in flight.
            in_flight.store(last - written.0.lock().unwrap().len(), Ordering::SeqCst);
        }
    };
    let device = Device {
        work: Arc::new(work),
        records: 1 << 24,
        ..Device::default()
    };
    let slow = Slow {
        inner: Cursor::new(file),
        read,
    };
    let summary = filter_file(slow, device, &keeping_all(), THREADS, &written);
    assert_eq!(summary.report.fallback, None);
    let bytes = in_flight.load(Ordering::SeqCst);
    assert!(bytes > (PLANNED - 2) * MIB, "{bytes} of {PLANNED} MiB");
    assert!(bytes < (PLANNED + 1) * MIB, "{bytes} of {PLANNED} MiB");
}

#[test]
fn a_device_that_has_failed_gets_nothing_more() {
    let log = Arc::new(Log::default());
    let device = Device {
        fails: true,
        log: Arc::clone(&log),
        ..Device::default()
    };
    let (bytes, summary) = filtered(device, &Filter::default(), 150, 1);
    assert!(summary.report.fallback.is_some());
    // It failed at the first bytes, so it never got a whole batch.
    assert_eq!(*log.batches.lock().unwrap(), [0; 0]);
    assert!(!log.was_used_after_failure.load(Ordering::SeqCst));
    // The CPU has filtered the file instead.
    let on_cpu = Evaluator::cpu();
    let written = Written::default();
    let file = games(Format::Viriformat).repeat(150);
    let options = Options {
        from: Some(Format::Viriformat),
        mode: Some(Mode::Mark),
        ..Options::default()
    };
    let job = Job::new(Input::reader("games", Cursor::new(file)).unwrap(), options).unwrap();
    let job = job.write_into("memory", written.clone());
    job.filter(&Filter::default(), &on_cpu).unwrap();
    assert!(bytes == written.bytes());
}

//! What a job gives a device that filters files: how much at a time, and nothing after an error.
//! The device here takes its time, and keeps all records.

use core::ops::Range;
use std::io::Cursor;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use swaplist::Evaluator;
use swaplist::Rules;
use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist::gpu::program::Pace;
use swaplist_files::device::{
    BatchLayout, DeviceBatch, FileFilter, Recipe, Region, Room, WithFileFilter,
};
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Mode, Options, Summary};

use crate::written::Written;
use crate::{games, quiet};

/// What a device was given.
#[derive(Default)]
struct Log {
    /// The records of each batch.
    batches: Mutex<Vec<usize>>,
    has_failed: AtomicBool,
    was_used_after_failure: AtomicBool,
}

/// A device that takes as long as this for each record.
struct Device {
    a_record: Duration,
    /// Whether it fails when it is given the first bytes.
    fails: bool,
    log: Arc<Log>,
}

impl Backend for Device {
    fn name(&self) -> String {
        "slow".to_owned()
    }

    fn answer(&self, _: &Question<'_>, _: &Rules, _: &mut Answers) -> Result<(), BackendError> {
        Err(BackendError::Device("it only filters files".to_owned()))
    }
}

impl FileFilter for Device {
    fn room(&self) -> Room {
        Room {
            bytes: 16 << 20,
            rows: 1 << 20,
            records: 1 << 21,
            parts: 64,
            output_words: 32 << 20,
            workgroup: 64,
        }
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        Ok(Box::new(Batch {
            a_record: self.a_record,
            fails: self.fails,
            log: Arc::clone(&self.log),
            rows: Mutex::default(),
            records: AtomicUsize::new(0),
            output: Mutex::default(),
        }))
    }
}

struct Batch {
    a_record: Duration,
    fails: bool,
    log: Arc<Log>,
    /// The rows of units, in words.
    rows: Mutex<Vec<u32>>,
    /// The records of the batch that was submitted.
    records: AtomicUsize,
    output: Mutex<Vec<u32>>,
}

/// The words of a unit's row, and of its results.
const ROW: usize = 4;
const RESULT: usize = 3;
/// The words of a part's counts.
const KINDS: usize = 256;
/// In a unit's result: its own bytes are its output.
const UNCHANGED: u32 = u32::MAX - 1;
/// The kind of a record that Black won, that has a score and that is kept; of each other result the
/// kind is as many higher.
const KEPT: usize = 31;
const KINDS_OF_A_RESULT: usize = 32;

impl DeviceBatch for Batch {
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        if self.fails {
            let has_failed = self.log.has_failed.swap(true, Ordering::SeqCst);
            self.log
                .was_used_after_failure
                .fetch_or(has_failed, Ordering::SeqCst);
            return Err(BackendError::Lost("unplugged".to_owned()));
        }
        if region == Region::Rows {
            let mut rows = self.rows.lock().unwrap();
            let first = at / 4;
            let end = first + bytes.len() / 4;
            let length = rows.len().max(end);
            rows.resize(length, 0);
            let words = bytes.as_chunks::<4>().0.iter();
            for (row, word) in rows[first..end].iter_mut().zip(words) {
                *row = u32::from_ne_bytes(*word);
            }
        }
        Ok(())
    }

    /// All units stay as they are, and no record is marked.
    fn submit(&self, _: &Recipe, layout: &BatchLayout) -> Result<(), BackendError> {
        let size = layout.size;
        self.log.batches.lock().unwrap().push(size.records);
        self.records.store(size.records, Ordering::SeqCst);
        let mut output = vec![0; layout.text_end as usize];
        let rows = self.rows.lock().unwrap();
        let rows_of_batch = rows.as_chunks::<ROW>().0[..size.rows].iter();
        for (number, [_, _, _, facts]) in rows_of_batch.enumerate() {
            let records = facts & 0xffff;
            let result = (facts >> 16 & 3) as usize;
            let part = (facts >> 18) as usize;
            let at = layout.results_at as usize + RESULT * number;
            output[at] = UNCHANGED;
            output[at + 2] = records;
            output[1 + KINDS * part + KINDS_OF_A_RESULT * result + KEPT] += records;
        }
        *self.output.lock().unwrap() = output;
        Ok(())
    }

    fn wait(&self) -> Result<(), BackendError> {
        let records = self.records.load(Ordering::SeqCst);
        std::thread::sleep(self.a_record * records as u32);
        Ok(())
    }

    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError> {
        read(&self.output.lock().unwrap()[words]);
        Ok(())
    }

    fn reset(&self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// A filter that a device can apply, and that keeps all records.
fn keeping_all() -> Filter {
    let settings = Settings {
        max_see: Some(Some(30_000)),
        ..Settings::default()
    };
    Preset::None.filter().changed(&settings).unwrap()
}

/// Filters a file of so many copies of the sample's games on a device.
fn filtered(device: Device, filter: &Filter, copies: usize, threads: usize) -> (Vec<u8>, Summary) {
    let backend = WithFileFilter::new(Arc::new(device));
    let evaluator = Evaluator::with_backend(Some(Arc::new(backend)));
    let written = Written::default();
    let file = games(Format::Viriformat).repeat(copies);
    let options = Options {
        from: Some(Format::Viriformat),
        mode: Some(Mode::Mark),
        threads: Some(threads),
        ..Options::default()
    };
    let job = Job::new(Input::reader("games", Cursor::new(file)).unwrap(), options).unwrap();
    let job = job.write_into("memory", written.clone());
    let summary = job.filter(filter, &evaluator).unwrap();
    (written.bytes(), summary)
}

fn batches(a_record: Duration, copies: usize) -> Vec<usize> {
    let log = Arc::new(Log::default());
    let device = Device {
        a_record,
        fails: false,
        log: Arc::clone(&log),
    };
    let (bytes, summary) = filtered(device, &keeping_all(), copies, 2);
    assert_eq!(summary.report.fallback, None);
    assert!(bytes == games(Format::Viriformat).repeat(copies));
    let batches = log.batches.lock().unwrap().clone();
    assert_eq!(batches.iter().sum::<usize>() as u64, summary.tally.records);
    batches
}

/// Records of a block of 1 MiB: one more would not fit.
const BLOCK: usize = 260_000;

#[test]
fn a_slow_device_gets_no_more_than_it_does_in_time() {
    // A block takes it some 20 ms, and 750,000 records take 60.
    let a_record = Duration::from_nanos(80);
    let batches = batches(a_record, 900);
    assert!(batches[0] < BLOCK, "{batches:?}");
    let in_time = Pace::DISPATCH.as_nanos() / a_record.as_nanos();
    let most = *batches.iter().max().unwrap();
    assert!(most as u128 <= in_time, "{batches:?}");
    assert!(most > BLOCK, "{batches:?}");
}

#[test]
fn a_device_too_slow_for_two_blocks_gets_one_at_a_time() {
    let batches = batches(Duration::from_nanos(300), 150);
    assert!(
        batches.iter().all(|&records| records < BLOCK),
        "{batches:?}"
    );
}

#[test]
fn a_fast_device_gets_full_batches_soon() {
    let batches = batches(Duration::ZERO, 1_400);
    assert!(batches[0] < BLOCK, "{batches:?}");
    assert!(
        batches.iter().any(|&records| records > 4 * BLOCK),
        "{batches:?}"
    );
}

/// How long dispatches of these numbers of records took, and the next number.
#[test]
fn the_pace_follows_what_dispatches_took() {
    let mut pace = Pace::default();
    assert_eq!(pace.records(), 1 << 14);
    let milliseconds = Duration::from_millis;
    for (records, took, next) in [
        (1 << 14, milliseconds(20), 49_152),
        (49_152, milliseconds(75), 39_321),
        (39_321, milliseconds(60), 39_321),
        // The rest of a file: few records, and mostly overhead.
        (1_000, milliseconds(10), 39_321),
        // Something else was computed meanwhile.
        (39_321, milliseconds(600), 3_932),
        (3_932, milliseconds(6), 39_320),
        // At most sixteenfold at a time.
        (39_320, Duration::from_micros(10), 629_120),
        (629_120, milliseconds(4), 9_436_800),
        (1, Duration::from_secs(100), 1),
        (1, Duration::ZERO, 16),
    ] {
        pace.note(records, took);
        assert_eq!(pace.records(), next, "{records} in {took:?}");
    }
}

/// A dispatch that waits for the one before does not begin when it is submitted.
#[test]
fn dispatches_that_wait_are_not_slow() {
    let start = Instant::now();
    let at = |milliseconds| start + Duration::from_millis(milliseconds);
    let mut pace = Pace::default();
    for (submitted, end, next) in [(0, 20, 49_152), (0, 40, 49_152), (1, 55, 65_536)] {
        pace.note_end(1 << 14, at(submitted), at(end));
        assert_eq!(pace.records(), next);
    }
    pace.note_end(1 << 14, at(100), at(220));
    assert_eq!(pace.records(), 1 << 13);
}

#[test]
fn a_device_that_has_failed_gets_nothing_more() {
    let log = Arc::new(Log::default());
    let device = Device {
        a_record: Duration::ZERO,
        fails: true,
        log: Arc::clone(&log),
    };
    let (bytes, summary) = filtered(device, &quiet(), 150, 1);
    assert!(summary.report.fallback.is_some());
    assert_eq!(*log.batches.lock().unwrap(), [0; 0]);
    assert!(!log.was_used_after_failure.load(Ordering::SeqCst));
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
    job.filter(&quiet(), &on_cpu).unwrap();
    assert!(bytes == written.bytes());
}

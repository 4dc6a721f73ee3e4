//! What a job gives a device that filters files: how much at a time, and nothing after an error.
//! The device here takes its time, and keeps all records.

use core::ops::Range;
use std::io::{self, Cursor, Read};
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
use swaplist_files::stages::BatchTimes;

use crate::written::Written;
use crate::{games, quiet};

/// What a device was given.
#[derive(Default)]
pub struct Log {
    /// The records of each batch.
    batches: Mutex<Vec<usize>>,
    has_failed: AtomicBool,
    was_used_after_failure: AtomicBool,
}

/// What a device does for a while when it has this many records to filter.
pub type Work = Arc<dyn Fn(usize) + Send + Sync>;

/// A device that takes as long as its work takes.
#[derive(Clone)]
pub struct Device {
    pub work: Work,
    /// The most records of a batch.
    pub records: usize,
    /// Whether it fails when it is given the first bytes.
    pub fails: bool,
    /// How long copying a block into its upload memory takes.
    pub filling: Duration,
    /// What its clock says of a batch of so many records, if it has one.
    pub clock: Option<fn(usize) -> BatchTimes>,
    pub log: Arc<Log>,
}

impl Default for Device {
    fn default() -> Device {
        Device {
            work: Arc::new(|_| {}),
            records: 1 << 21,
            fails: false,
            filling: Duration::ZERO,
            clock: None,
            log: Arc::default(),
        }
    }
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
            bytes: self.records * 8,
            rows: self.records / 2,
            records: self.records,
            parts: 64,
            output_words: self.records * 16,
            workgroup: 64,
        }
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        Ok(Box::new(Batch {
            device: self.clone(),
            rows: Mutex::default(),
            records: AtomicUsize::new(0),
            output: Mutex::default(),
        }))
    }
}

struct Batch {
    device: Device,
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
        if region == Region::Bytes {
            std::thread::sleep(self.device.filling);
        }
        if self.device.fails {
            let log = &self.device.log;
            let has_failed = log.has_failed.swap(true, Ordering::SeqCst);
            log.was_used_after_failure
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
        self.device.log.batches.lock().unwrap().push(size.records);
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
        (self.device.work)(records);
        Ok(())
    }

    fn times(&self) -> Option<BatchTimes> {
        Some((self.device.clock?)(self.records.load(Ordering::SeqCst)))
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
pub fn keeping_all() -> Filter {
    let settings = Settings {
        max_see: Some(Some(30_000)),
        ..Settings::default()
    };
    Preset::None.filter().changed(&settings).unwrap()
}

/// Filters a file of so many copies of the sample's games on a device.
fn filtered(device: Device, filter: &Filter, copies: usize, threads: usize) -> (Vec<u8>, Summary) {
    let file = Cursor::new(games(Format::Viriformat).repeat(copies));
    let written = Written::default();
    let summary = filter_file(file, device, filter, threads, &written);
    (written.bytes(), summary)
}

/// Filters a file of viriformat on a device.
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

fn batches(a_record: Duration, copies: usize) -> Vec<usize> {
    let log = Arc::new(Log::default());
    let device = Device {
        work: Arc::new(move |records| std::thread::sleep(a_record * records as u32)),
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

/// Records of a block of 1 MiB: one more would not fit.
const BLOCK: usize = 260_000;

#[test]
fn a_slow_device_gets_no_more_than_it_does_in_time() {
    // A block takes it some 20 ms, and 750,000 records take 60.
    let a_record = Duration::from_nanos(80);
    let batches = batches(a_record, 900);
    assert!(batches[0] < BLOCK, "{batches:?}");
    let in_time = Duration::from_millis(60).as_nanos() / a_record.as_nanos();
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

/// Dispatches follow one another, each as large as the ones before tell.
#[test]
fn work_in_place_is_given_in_turns() {
    let mut pace = Pace::default();
    let mut given = |records: usize, a_record: Duration| {
        let mut turns = Vec::new();
        let mut waits = 0;
        let submit = |some: Range<usize>| {
            turns.push(some.clone());
            Ok::<_, BackendError>(some.len())
        };
        let wait = |records: usize| {
            std::thread::sleep(a_record * records as u32);
            waits += 1;
            Ok(())
        };
        pace.in_turns(records, 16, Instant::now, submit, wait)
            .unwrap();
        assert_eq!(waits, turns.len() - 1, "nobody waits for the last one");
        let ends = turns.iter().map(|some| some.end);
        let starts = turns.iter().map(|some| some.start);
        assert!(std::iter::once(0).chain(ends).eq(starts.chain([records])));
        turns.iter().map(ExactSizeIterator::len).collect::<Vec<_>>()
    };
    assert_eq!(given(100, Duration::ZERO), [100]);
    assert_eq!(given(16_384, Duration::ZERO), [16_384]);
    // 25 ms, and then no more than 60.
    let slow = Duration::from_nanos(1_500);
    let turns = given(200_000, slow);
    assert_eq!(turns[0], 16_384);
    assert!(turns[1..].iter().all(|&some| some <= 40_000), "{turns:?}");
    let multiples = turns[..turns.len() - 1].iter();
    assert!(
        multiples.map(|some| some % 16).all(|rest| rest == 0),
        "{turns:?}"
    );
    // A fast one has it all soon, and what is known of it is kept.
    assert!(given(1 << 30, Duration::ZERO).len() < 20);
    assert_eq!(given(1 << 20, Duration::ZERO), [1 << 20]);
}

/// What fails ends it.
#[test]
fn turns_end_with_the_first_error() {
    let lost = || BackendError::Lost("unplugged".to_owned());
    let mut submitted = 0;
    let submit = |_| {
        submitted += 1;
        Ok(())
    };
    let ended = Pace::default().in_turns(1 << 20, 16, Instant::now, submit, |()| Err(lost()));
    assert_eq!((ended, submitted), (Err(lost()), 1));
    let ended = Pace::default().in_turns(1 << 20, 16, Instant::now, |_| Err(lost()), |()| Ok(()));
    assert_eq!(ended, Err(lost()));
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

/// What is read slowly, and how many bytes were.
struct Slow<R> {
    inner: R,
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

/// Workers that are told to read at the same time count one another's blocks. The device here takes
/// all that comes, and after some batches waits until nobody reads any more.
#[test]
fn no_more_blocks_are_read_than_are_planned() {
    const THREADS: usize = 8;
    const MIB: usize = 1 << 20;
    // Three batches of 2^21 records of 4.3 bytes; one for each thread, and two more.
    const PLANNED: usize = 3 * (1_usize << 21).div_ceil(MIB * 10 / 43) + THREADS + 2;
    let games = games(Format::Viriformat);
    let file = games.repeat((PLANNED + 40) * MIB / games.len());
    let read = Arc::new(AtomicUsize::new(0));
    let written = Written::default();
    let in_flight = Arc::new(AtomicUsize::new(0));
    let work = {
        let (read, written, most) = (Arc::clone(&read), written.clone(), Arc::clone(&in_flight));
        let batches = AtomicUsize::new(0);
        move |_| {
            // After two it is known to be fast, and gets all that may be in flight.
            if batches.fetch_add(1, Ordering::SeqCst) != 2 {
                return;
            }
            let mut last = 0;
            while last != read.load(Ordering::SeqCst) {
                last = read.load(Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(500));
            }
            most.store(last - written.0.lock().unwrap().len(), Ordering::SeqCst);
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

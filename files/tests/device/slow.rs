//! A device of the tests' own, which takes its time and keeps all records.

use core::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use swaplist::Rules;
use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist_files::device::{BatchLayout, DeviceBatch, FileFilter, Recipe, Region, Room};
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::stages::BatchTimes;

/// What a device was given.
#[derive(Default)]
pub struct Log {
    /// The records of each batch.
    pub batches: Mutex<Vec<usize>>,
    has_failed: AtomicBool,
    pub was_used_after_failure: AtomicBool,
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

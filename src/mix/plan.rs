//! What a mix will weigh, whether there is room for it, and how it is divided to fit in memory.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // estimates

use std::path::Path;
use std::sync::Arc;

use super::Options;
use super::items::Bits;
use super::source::Source;
use super::task::Shared;
use crate::backend::Answers;
use crate::formats::Format;
use crate::jobs::error::Result;
use crate::jobs::step::Step;

/// What one input holds, as far as its first block tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weight {
    /// Decompressed bytes.
    pub bytes: f64,
    pub records: f64,
    /// Bytes of the output.
    pub written: f64,
    /// Bytes of temporary files.
    pub temporary: f64,
}

/// Bytes that are decompressed to find out how much a file is compressed.
const LOOK: u64 = 8 << 20;

/// Looks at an input's first block. `None` for a stream.
pub fn weigh(
    source: &mut Source,
    to: Format,
    options: &Options,
    shared: &Arc<Shared>,
) -> Result<Option<Weight>> {
    let Some(length) = source.length() else {
        return Ok(None);
    };
    let mut bytes = length as f64;
    if source.is_compressed {
        let (unpacked, packed) = source.compression(LOOK)?;
        bytes *= unpacked as f64 / packed as f64;
    }
    let opened = source.read(0, to, options, shared, 1)?;
    let (work, mut reader) = (opened.work, opened.reader);
    // An error is reported when it is read in earnest.
    let Ok(Some(block)) = reader.next_block() else {
        return Ok(Some(Weight {
            bytes,
            ..Weight::default()
        }));
    };
    let mut step = Step::default();
    step.begin(block);
    let answers = Answers::default();
    while step.decode(&work, opened.plans.cpu.records_a_part) {
        step.finish(&work, &answers)?;
    }
    let done = step.end();
    let items = &done.mixed.items;
    let temporary = done.mixed.bytes();
    let count: usize = items.iter().map(|items| items.count).sum();
    let overhead = shared.layout.overhead() * count;
    let times = bytes / (done.tally.bytes as f64).max(1.0);
    Ok(Some(Weight {
        bytes,
        records: done.tally.records as f64 * times,
        written: temporary.saturating_sub(overhead) as f64 * times,
        temporary: temporary as f64 * times,
    }))
}

/// How buckets fit in memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub bits: Bits,
    /// Threads of the second pass.
    pub threads: usize,
    /// The most bytes of a bucket.
    pub most: u64,
    /// Bytes that wait for their buckets' files.
    pub buffers: usize,
}

/// Memory that is worth a thread.
const A_THREAD: u64 = 32 << 20;
/// More files at a time may be too many for a system.
const MOST_BITS: u32 = 8;
/// Below this, one thread sorts as fast as several.
const SMALL: f64 = (16 << 20) as f64;
/// The bytes of a bucket that is sorted mostly in a core's caches, and the most files that are
/// opened for that alone.
const IN_CACHE: f64 = (12 << 20) as f64;
const MOST_IN_CACHE: f64 = 128.0;

impl Memory {
    /// For so many bytes of items, or an unknown number.
    pub fn new(memory: u64, threads: usize, items: Option<f64>) -> Memory {
        let most_threads = (memory / A_THREAD).clamp(1, 1024) as usize;
        let threads = threads.min(most_threads);
        // Sorting takes the items, their keys, and the items once more in order.
        let of_a_thread = memory / 4 * 3 / threads as u64;
        // Places within a bucket are numbers of 32 bits.
        let most = (of_a_thread * 2 / 5).min(u64::from(u32::MAX) / 2);
        let fitting = |items: f64| {
            let buckets = items * 1.15 / most as f64;
            let least = if items > SMALL { 2 * threads } else { 1 };
            let in_cache = (items / IN_CACHE).min(MOST_IN_CACHE);
            let buckets = buckets.max(least as f64).max(in_cache);
            (buckets.log2().ceil().max(0.0) as u32).min(MOST_BITS)
        };
        Memory {
            bits: Bits(items.map_or(MOST_BITS - 2, fitting)),
            threads,
            most,
            buffers: (memory / 8).min(1 << 30) as usize,
        }
    }
}

/// Bytes that are free in a folder, if the system tells.
pub fn free(folder: &Path) -> Option<u64> {
    #[cfg(not(target_arch = "wasm32"))]
    return fs4::available_space(folder).ok();
    #[cfg(target_arch = "wasm32")]
    {
        let _ = folder;
        None
    }
}

/// Whether two folders are on one file system, as far as is known.
pub fn on_one_disk(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let device = |folder: &Path| std::fs::metadata(folder).map(|found| found.dev()).ok();
        device(a) == device(b)
    }
    #[cfg(not(unix))]
    {
        let root = |folder: &Path| {
            let folder = std::fs::canonicalize(folder).ok()?;
            Some(folder.components().next()?.as_os_str().to_owned())
        };
        root(a) == root(b)
    }
}

/// A number of bytes to be read: three digits.
pub fn size(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let mut bytes = bytes.max(0.0).round();
    let mut unit = 0;
    while bytes >= 999.5 && unit + 1 < UNITS.len() {
        bytes /= 1000.0;
        unit += 1;
    }
    let digits = match (unit, bytes) {
        (0, _) => 0,
        (_, ..9.995) => 2,
        (_, ..99.95) => 1,
        _ => 0,
    };
    format!("{bytes:.digits$} {}", UNITS[unit])
}

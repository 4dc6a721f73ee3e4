//! How a mix is divided to fit in memory: the number of temporary files, the largest one that is
//! sorted at once, the threads of the second pass, and what waits in memory to be written.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // sizes are estimates

use super::items::Bits;

/// What inputs hold, as far as the first block of each tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weight {
    /// Decompressed bytes.
    pub bytes: f64,
    pub records: f64,
    /// Bytes of the output.
    pub written: f64,
    /// Bytes of temporary files.
    pub temporary: f64,
    /// Whether the first block ends with an error, so that it tells little.
    pub breaks_off: bool,
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
        // Sorting takes the items three times: as they are read, dealt into ranges, and in order.
        let of_a_thread = memory / 4 * 3 / threads as u64;
        // Places within a bucket are numbers of 32 bits.
        let most = (of_a_thread / 3).min(u64::from(u32::MAX) / 2);
        let fitting = |items: f64| {
            let needed = items * 1.15 / most as f64;
            let least = if items > SMALL { 2 * threads } else { 1 };
            let in_cache = (items / IN_CACHE).min(MOST_IN_CACHE);
            let buckets = needed.max(least as f64).max(in_cache);
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

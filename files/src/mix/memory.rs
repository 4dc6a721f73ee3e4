//! How a mix is divided to fit in memory: the number of temporary files, the largest one that is
//! sorted at once, the threads of the second pass, and what waits in memory to be written.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // sizes are estimates

use super::duplicates;
use super::items::{Bits, Layout};
use super::options::DEFAULT_MEMORY;
use super::run::Run;

/// How the buckets of a pass fit in memory.
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

/// Less memory than this is not worth a thread.
const A_THREAD: u64 = 32 << 20;
/// 256 files; more at a time may be too many for a system.
const MOST_BITS: u32 = 8;
/// 64 files if the number of items is not known; a bucket that is too large is divided.
const BITS_OF_UNKNOWN: u32 = 6;
/// How much larger than the average the largest bucket may be.
const UNEVEN: f64 = 1.15;
/// Below this, one thread sorts as fast as several.
const SMALL: f64 = (16 << 20) as f64;
/// The bytes of a bucket that is sorted mostly in a core's caches, and the most files that are
/// opened for that alone.
const IN_CACHE: f64 = (12 << 20) as f64;
const MOST_IN_CACHE: f64 = 128.0;

impl Memory {
    /// Divides `memory` for so many bytes of items; `None` if that is not known.
    pub fn new(memory: u64, threads: usize, items: Option<f64>) -> Memory {
        let most_threads = (memory / A_THREAD).clamp(1, 1024) as usize;
        let threads = threads.min(most_threads);
        // Three quarters are for sorting, and an eighth is for what waits to be written.
        let of_a_thread = memory / 4 * 3 / threads as u64;
        // Sorting takes the items three times: as they are read, dealt into ranges, and in order.
        // Places within a bucket are numbers of 32 bits.
        let most = (of_a_thread / 3).min(u64::from(u32::MAX) / 2);
        let bits = items.map_or(BITS_OF_UNKNOWN, |items| {
            let needed = items * UNEVEN / most as f64;
            // With two for each thread, no thread waits long for another one to end.
            let least = if items > SMALL { 2 * threads } else { 1 };
            let in_cache = (items / IN_CACHE).min(MOST_IN_CACHE);
            let buckets = needed.max(least as f64).max(in_cache);
            (buckets.log2().ceil().max(0.0) as u32).min(MOST_BITS)
        });
        Memory {
            bits: Bits(bits),
            threads,
            most,
            buffers: (memory / 8).min(1 << 30) as usize,
        }
    }
}

impl Run<'_, '_> {
    /// How the items of a shuffle fit in memory.
    pub(super) fn memory(&self) -> Memory {
        let spec = self.to.spec();
        let bytes = match self.shared.layout {
            Layout::Fixed(bytes) => (bytes + self.shared.layout.overhead()) as f64,
            Layout::Sized if self.shared.is_whole => spec.record_tenths_of_a_byte as f64 / 10.0,
            Layout::Sized => spec.single_bytes.unwrap_or(0) as f64,
        };
        self.memory_for(bytes)
    }

    /// How the fingerprints fit in memory when duplicates are looked for.
    pub(super) fn memory_of_scan(&self) -> Memory {
        self.memory_for(duplicates::ENTRY as f64)
    }

    /// How all records fit in memory if each takes so many bytes. Their number is guessed by the
    /// length of the inputs and the usual size of a record. A wrong guess costs a little time: a
    /// bucket that is too large is divided, and small ones are merely more.
    fn memory_for(&self, bytes: f64) -> Memory {
        /// A compressed file holds some four times as many bytes.
        const COMPRESSED: f64 = 4.0;
        let options = &self.mix.options;
        let records: Option<f64> = self
            .mix
            .sources
            .iter()
            .map(|source| {
                let times = if source.is_compressed {
                    COMPRESSED
                } else {
                    1.0
                };
                let tenths = source.format.spec().record_tenths_of_a_byte as f64;
                Some(source.length()? as f64 * times * 10.0 / tenths)
            })
            .sum();
        let items = records.map(|records| records * options.sample.unwrap_or(1.0) * bytes);
        let allowed = options.memory.unwrap_or(DEFAULT_MEMORY);
        Memory::new(allowed, self.threads, items)
    }
}

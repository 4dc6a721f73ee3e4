//! The value of `--threads`.

use std::num::NonZeroUsize;

/// More threads only cost memory.
const MOST: usize = 1024;

/// Parses `--threads`.
pub fn parse(text: &str) -> Result<NonZeroUsize, String> {
    let count = text
        .parse()
        .ok()
        .filter(|&count: &NonZeroUsize| count.get() <= MOST);
    count.ok_or_else(|| format!("expected a number of threads from 1 to {MOST}"))
}

/// The number asked for, or one per core.
pub fn count(wanted: Option<NonZeroUsize>) -> usize {
    let cores = std::thread::available_parallelism();
    wanted.or(cores.ok()).map_or(1, NonZeroUsize::get)
}

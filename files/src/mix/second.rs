//! The second pass: buckets are taken in order by all threads, and written in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::buckets::{Bucket, Buckets, Folder};
use super::items::{Bits, Layout};
use super::sinks::Sinks;
use super::sort::{Sorted, Sorter};
use crate::jobs::error::{Error, Result};
use crate::ordered::{self, Limits};
use parking_lot::Mutex;

/// Buckets that are still to be taken, in order.
pub struct Queue {
    /// Each with the number of bits in which the keys of its items agree.
    buckets: VecDeque<(Bucket, u32)>,
    folder: Folder,
    /// The most bytes of a bucket that is taken as it is. A larger one is divided.
    most: u64,
    key_at: KeyAt,
}

/// A bucket that is not empty.
pub struct Taken {
    pub bucket: Bucket,
    /// The number of bits of the key in which its items agree.
    pub used: u32,
}

/// A bucket that is too large is divided by this many bits of its keys, into 16.
const DIVIDED: Bits = Bits(4);
/// A bucket whose keys agree in this many bits is not divided further: its items are equal, mostly.
const LAST: u32 = 40;

/// Tells the key of the item that begins with these bytes, and its length.
pub type KeyAt = Box<dyn Fn(&[u8]) -> Option<(u64, usize)> + Send>;

impl Queue {
    pub fn new(buckets: Buckets, folder: &Folder, most: u64, key_at: KeyAt) -> Queue {
        let used = buckets.bits.0;
        let buckets = buckets.into_buckets().into_iter();
        Queue {
            buckets: buckets.map(|bucket| (bucket, used)).collect(),
            folder: folder.clone(),
            most,
            key_at,
        }
    }

    /// Divides a bucket by the next bits of its keys. The new ones come next in the queue.
    fn divide(&mut self, mut bucket: Bucket, used: u32) -> Result<()> {
        let key_at = &self.key_at;
        let mut divided = Buckets::new(&self.folder, DIVIDED, 0);
        bucket.each(
            &self.folder,
            |bytes| Some(key_at(bytes)?.1),
            |item| {
                let key = key_at(item).map_or(0, |(key, _)| key);
                divided.push(DIVIDED.bucket(key, used), item)
            },
        )?;
        let used = used + DIVIDED.0;
        for bucket in divided.into_buckets().into_iter().rev() {
            self.buckets.push_front((bucket, used));
        }
        Ok(())
    }
}

impl Iterator for Queue {
    type Item = Result<Taken>;

    fn next(&mut self) -> Option<Result<Taken>> {
        while let Some((bucket, used)) = self.buckets.pop_front() {
            if bucket.bytes == 0 {
                continue;
            }
            if bucket.bytes <= self.most || used >= LAST {
                return Some(Ok(Taken { bucket, used }));
            }
            if let Err(error) = self.divide(bucket, used) {
                return Some(Err(error));
            }
        }
        None
    }
}

/// Limits the buckets in memory to one for each thread, from when it is taken until it is written.
fn limits(threads: usize) -> Limits {
    Limits {
        in_flight: threads,
        ..Limits::new(threads)
    }
}

/// Calls a function with each bucket, on several threads, in any order. `tell` is called after each
/// with its bytes.
pub fn each(
    queue: Queue,
    threads: usize,
    work: impl Fn(Bucket) -> Result<()> + Sync,
    mut tell: impl FnMut(u64) -> Result<()> + Send,
) -> Result<()> {
    let ran = ordered::run(
        limits(threads),
        queue,
        || (),
        |taken: Taken, ()| {
            let length = taken.bucket.bytes;
            work(taken.bucket).map(|()| length)
        },
        |length| tell(length).map(ControlFlow::Continue),
    );
    ran.map_err(Error::from)
}

/// Sorts and writes all buckets. `tell` is called after each with its bytes.
pub fn write(
    queue: Queue,
    layout: Layout,
    threads: usize,
    with_order: bool,
    sinks: &mut Sinks,
    mut tell: impl FnMut(&Sinks, u64) -> Result<()> + Send,
) -> Result<()> {
    let folder = queue.folder.clone();
    let parts = sinks.sinks.len();
    // Buckets that were written, whose memory serves the next ones. There are no more of them than
    // threads.
    let spare: Mutex<Vec<Sorted>> = Mutex::default();
    let ran = ordered::run(
        limits(threads),
        queue,
        || (Vec::new(), Sorter::new(with_order)),
        |taken: Taken, (bytes, sorter)| {
            let length = taken.bucket.bytes;
            taken.bucket.read(&folder, bytes)?;
            let mut sorted = spare.lock().pop().unwrap_or_else(|| Sorted::new(parts));
            sorter.sort(layout, taken.used, bytes, &mut sorted);
            Ok((sorted, length))
        },
        |(sorted, length)| {
            let goes_on = sinks.sorted(&sorted)?;
            spare.lock().push(sorted);
            tell(sinks, length)?;
            Ok(if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        },
    );
    ran.map_err(Error::from)
}

/// A function that tells the key and the length of items with this layout.
pub fn key_of_item(layout: Layout) -> KeyAt {
    Box::new(move |bytes| {
        let (key, _, body) = (bytes.len() >= layout.overhead()).then(|| layout.read(bytes, 0))?;
        Some((key, body.end))
    })
}

//! The second pass: buckets are taken in order by all threads, and written in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::buckets::{Bucket, Buckets, Folder};
use super::items::{Bits, Layout};
use super::sinks::Sinks;
use super::sort::Sorter;
use crate::jobs::error::{Error, ErrorKind, Result};

/// Buckets that are still to be taken, with the number of bits of the key that are used up.
pub struct Queue {
    buckets: VecDeque<(Bucket, u32)>,
    taken: u64,
    folder: Folder,
    /// Larger ones are divided.
    most: u64,
}

/// Bits by which a bucket is divided that is too large.
const DIVIDED: Bits = Bits(4);
/// Keys that agree in so many bits are not told apart further.
const LAST: u32 = 40;

/// Tells the key of the item that begins with these bytes, and its length.
pub type KeyAt = fn(Layout, &[u8]) -> Option<(u64, usize)>;

impl Queue {
    pub fn new(buckets: Buckets, folder: &Folder, most: u64) -> Queue {
        let used = buckets.bits.0;
        let buckets = buckets.into_buckets().into_iter();
        Queue {
            buckets: buckets.map(|bucket| (bucket, used)).collect(),
            taken: 0,
            folder: folder.clone(),
            most,
        }
    }

    /// The next bucket that is not empty, with its number and the bits used up.
    fn take(&mut self, layout: Layout, key_at: KeyAt) -> Result<Option<(u64, Bucket, u32)>> {
        while let Some((mut bucket, used)) = self.buckets.pop_front() {
            if bucket.bytes == 0 {
                continue;
            }
            if bucket.bytes <= self.most || used >= LAST {
                self.taken += 1;
                return Ok(Some((self.taken - 1, bucket, used)));
            }
            let mut divided = Buckets::new(&self.folder, DIVIDED, 0);
            let length = |bytes: &[u8]| Some(key_at(layout, bytes)?.1);
            bucket.each(&self.folder, length, |item| {
                let key = key_at(layout, item).map_or(0, |(key, _)| key);
                divided.push(DIVIDED.bucket(key, used), item)
            })?;
            let used = used + DIVIDED.0;
            for bucket in divided.into_buckets().into_iter().rev() {
                self.buckets.push_front((bucket, used));
            }
        }
        Ok(None)
    }
}

/// Calls a function with each bucket, on several threads, in any order.
pub fn each(
    queue: Queue,
    threads: usize,
    key_at: KeyAt,
    work: impl Fn(Bucket, u32) -> Result<()> + Sync,
) -> Result<()> {
    let layout = Layout::Sized; // not asked for
    let state = Mutex::new((queue, Ok(())));
    run(threads, || {
        loop {
            let taken = {
                let mut locked = lock(&state);
                if locked.1.is_err() {
                    return;
                }
                locked.0.take(layout, key_at)
            };
            let done = match taken {
                Ok(None) => return,
                Ok(Some((_, bucket, used))) => work(bucket, used),
                Err(error) => Err(error),
            };
            if done.is_err() {
                lock(&state).1 = done;
                return;
            }
        }
    })?;
    state.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// What the threads of the second pass write in turn.
struct Turn<'a, F> {
    next: u64,
    sinks: &'a mut Sinks,
    tell: F,
    /// Set once nothing more is written.
    end: Option<Result<()>>,
}

/// Sorts and writes all buckets. `tell` is called after each with the bytes that are done.
pub fn write(
    queue: Queue,
    layout: Layout,
    threads: usize,
    with_order: bool,
    sinks: &mut Sinks,
    tell: impl FnMut(&Sinks, u64) -> Result<()> + Send,
) -> Result<()> {
    let folder = queue.folder.clone();
    let queue = Mutex::new(queue);
    let parts = sinks.sinks.len();
    let turn = Mutex::new(Turn {
        next: 0,
        sinks,
        tell,
        end: None,
    });
    let changed = Condvar::new();
    let end = |result: Result<()>| {
        lock(&turn).end.get_or_insert(result);
        changed.notify_all();
    };
    let key_at: KeyAt = |layout, bytes| {
        let (key, _, body) = (bytes.len() >= layout.overhead()).then(|| layout.read(bytes, 0))?;
        Some((key, body.end))
    };
    run(threads, || {
        let mut bytes = Vec::new();
        let mut sorter = Sorter::new(parts, with_order);
        loop {
            if lock(&turn).end.is_some() {
                return;
            }
            let taken = lock(&queue).take(layout, key_at);
            let (number, bucket, used) = match taken {
                Ok(Some(taken)) => taken,
                Ok(None) => return,
                Err(error) => return end(Err(error)),
            };
            let length = bucket.bytes;
            let read_and_sort = || {
                bucket.read(&folder, &mut bytes)?;
                Ok(sorter.sort(layout, used, &bytes))
            };
            let outcome = catch_unwind(AssertUnwindSafe(read_and_sort));
            let items = match outcome.unwrap_or_else(|_| Err(Error::panicked())) {
                Ok(items) => items,
                Err(error) => return end(Err(error)),
            };
            let waiting = changed.wait_while(lock(&turn), |turn| {
                turn.end.is_none() && turn.next != number
            });
            let mut mine = waiting.unwrap_or_else(PoisonError::into_inner);
            if mine.end.is_some() {
                return;
            }
            let Turn { sinks, tell, .. } = &mut *mine;
            let written = sinks.sorted(items);
            match written.and_then(|goes_on| tell(sinks, length).map(|()| goes_on)) {
                Ok(true) => {}
                Ok(false) => mine.end = Some(Ok(())),
                Err(error) => mine.end = Some(Err(error)),
            }
            mine.next += 1;
            drop(mine);
            changed.notify_all();
        }
    })?;
    turn.into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .end
        .unwrap_or(Ok(()))
}

/// Runs work on several threads.
fn run(threads: usize, work: impl Fn() + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let started = std::thread::Builder::new().spawn_scoped(scope, &work);
            if let Err(error) = started {
                let message = format!("cannot start {threads} worker threads: {error}");
                return Err(Error::new(ErrorKind::Threads(threads), message));
            }
        }
        work();
        Ok(())
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

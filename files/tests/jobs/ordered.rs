//! The order of results by itself: `files/src/ordered.rs` with small blocks, as only a rare meeting
//! of a slow block and a fast device leads to some of what is tested here.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use swaplist_files::ordered::{Limits, Stopped, ahead, run};

#[allow(dead_code)] // the rest is used from outside, as above
#[path = "../../src/ordered.rs"]
mod inside;

use inside::{Ordered, Place, Work};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

/// Runs something on a thread; panics if it does not end.
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, result) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    result.recv_timeout(LONG).expect("it ends, without a panic")
}

/// Different for each block, and in no order.
fn work_time(block: u64) -> Duration {
    Duration::from_micros(block * 7919 % 13 * 100)
}

fn numbers(count: u64) -> impl Iterator<Item = Result<u64, String>> + Send {
    (0..count).map(Ok)
}

/// The blocks that were written, and how the run ended.
fn written(
    limits: Limits,
    blocks: impl Iterator<Item = Result<u64, String>> + Send,
    work: impl Fn(u64) -> Result<u64, String> + Sync,
    mut write: impl FnMut(u64) -> Result<ControlFlow<()>, String> + Send,
) -> (Vec<u64>, Result<(), Stopped<String>>) {
    let mut written = Vec::new();
    let ended = run(
        limits,
        blocks,
        || (),
        |block, ()| {
            thread::sleep(work_time(block));
            work(block)
        },
        |done| {
            let goes_on = write(done)?;
            written.push(done);
            Ok(goes_on)
        },
    );
    (written, ended)
}

#[allow(clippy::unnecessary_wraps)] // as a writer answers
fn goes_on(_: u64) -> Result<ControlFlow<()>, String> {
    Ok(ControlFlow::Continue(()))
}

fn error_of(ended: Result<(), Stopped<String>>) -> String {
    ended.unwrap_err().to_string()
}

#[test]
fn results_are_written_in_order_by_any_number_of_threads() {
    for threads in [0, 1, 2, 3, 16] {
        let (blocks, ended) = written(Limits::new(threads), numbers(200), Ok, goes_on);
        ended.unwrap();
        assert!(blocks.iter().copied().eq(0..200), "{threads}: {blocks:?}");
    }
}

/// The source is slow, so all threads but the one that reads have nothing to do: each block that is
/// read wakes one of them, and the end wakes all.
#[test]
fn threads_without_work_are_woken() {
    const THREADS: usize = 4;
    let blocks = ends(|| {
        let slow = (0..=THREADS as u64).map_while(|number| {
            thread::sleep(Duration::from_millis(50));
            (number < THREADS as u64).then_some(Ok(number))
        });
        // All are worked on at once.
        let all_have_begun = Barrier::new(THREADS);
        let work = |number| {
            all_have_begun.wait();
            Ok(number)
        };
        let (blocks, ended) = written(Limits::new(THREADS), slow, work, goes_on);
        ended.unwrap();
        blocks
    });
    assert!(blocks.into_iter().eq(0..THREADS as u64));
}

#[test]
fn no_more_blocks_are_in_flight_than_allowed() {
    for (threads, in_flight) in [(4, 6), (4, 4), (8, 3), (1, 1)] {
        let limits = Limits {
            in_flight,
            ..Limits::new(threads)
        };
        let now = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let blocks = numbers(100).inspect(|_| {
            let before = now.fetch_add(1, Ordering::SeqCst);
            most.fetch_max(before + 1, Ordering::SeqCst);
        });
        let (_, ended) = written(limits, blocks, Ok, |_| {
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(ControlFlow::Continue(()))
        });
        ended.unwrap();
        // A block counts as written only after the function has returned, so it may seem one more.
        let most = most.into_inner();
        assert!(most <= in_flight, "{most} of {in_flight}");
        assert!(threads == 1 || most > 1, "{most}: they work at once");
    }
}

/// Wherever it comes from: the source, the work or the writer.
#[test]
fn the_first_error_in_order_ends_the_run_and_what_comes_before_is_written() {
    let fails_at = |first: u64, block: u64| {
        let fails = block >= first;
        if fails {
            Err(format!("block {block}"))
        } else {
            Ok(block)
        }
    };
    for threads in [1, 2, 8] {
        let limits = Limits::new(threads);
        let (blocks, ended) = written(limits, numbers(50), |n| fails_at(20, n), goes_on);
        assert_eq!(error_of(ended), "block 20");
        assert!(blocks.into_iter().eq(0..20));

        let source = (0..).map(|n| fails_at(20, n));
        let (blocks, ended) = written(limits, source, Ok, goes_on);
        assert_eq!(error_of(ended), "block 20");
        assert!(blocks.into_iter().eq(0..20));

        // An earlier one of the work, which takes long, beside one of the source.
        let source = (0..).map(|n| fails_at(20, n));
        let slow = |n| {
            let takes_long = n == 19;
            thread::sleep(Duration::from_millis(if takes_long { 50 } else { 0 }));
            fails_at(19, n)
        };
        let (blocks, ended) = written(limits, source, slow, goes_on);
        assert_eq!(error_of(ended), "block 19");
        assert!(blocks.into_iter().eq(0..19));

        let (blocks, ended) = written(limits, numbers(50), Ok, |n| {
            fails_at(20, n).map(|_| ControlFlow::Continue(()))
        });
        assert_eq!(error_of(ended), "block 20");
        assert!(blocks.into_iter().eq(0..20));
    }
}

#[test]
fn a_writer_may_end_the_run() {
    for threads in [1, 2, 8] {
        let (blocks, ended) = written(Limits::new(threads), (0..).map(Ok), Ok, |n| {
            Ok(match n {
                20 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        });
        ended.unwrap();
        assert!(blocks.into_iter().eq(0..=20));
    }
}

/// That of a block has its place in the order, those of the source and the writer end the run.
#[test]
fn a_panic_ends_the_run() {
    for threads in [1, 2, 8] {
        let (blocks, ended) = ends(move || {
            let panics = |n| {
                assert!(n < 20, "this one is meant to");
                Ok(n)
            };
            written(Limits::new(threads), numbers(50), panics, goes_on)
        });
        assert!(matches!(ended, Err(Stopped::Panicked)));
        assert!(blocks.into_iter().eq(0..20));

        let (_, ended) = ends(move || {
            let source = numbers(50).inspect(|n| assert_ne!(*n, Ok(20), "this one is meant to"));
            written(Limits::new(threads), source, Ok, goes_on)
        });
        assert!(matches!(ended, Err(Stopped::Panicked)));

        let (blocks, ended) = ends(move || {
            written(Limits::new(threads), numbers(50), Ok, |n| {
                assert_ne!(n, 20, "this one is meant to");
                goes_on(n)
            })
        });
        assert!(matches!(ended, Err(Stopped::Panicked)));
        assert!(blocks.into_iter().eq(0..20));
    }
}

/// Work whose threads, and whose blocks in flight, are what the test says.
struct Fake<W> {
    limits: Mutex<Limits>,
    work: W,
    /// How many blocks may be in flight with a block of this number.
    in_flight_with: fn(u64) -> usize,
}

impl<W> Fake<W> {
    fn new(limits: Limits, work: W) -> Fake<W> {
        Fake {
            limits: Mutex::new(limits),
            work,
            in_flight_with: |_| usize::MAX,
        }
    }
}

/// A result with its size.
type Sized = (u64, usize);

impl<W> Work for Fake<W>
where
    W: Fn(u64, &Place<'_, Sized>) -> Option<Sized> + Sync,
{
    type Block = u64;
    type Done = Sized;
    type Error = String;
    type Scratch = ();

    fn limits(&self) -> inside::Limits {
        let Limits {
            threads,
            in_flight,
            room,
        } = *self.limits.lock().unwrap();
        inside::Limits {
            threads,
            in_flight,
            room,
        }
    }

    fn scratch(&self) {}

    fn work(
        &self,
        block: u64,
        (): &mut (),
        place: &Place<'_, Sized>,
    ) -> Result<Option<Sized>, String> {
        Ok((self.work)(block, place))
    }

    fn bytes(&self, (_, bytes): &Sized) -> usize {
        *bytes
    }

    fn in_flight_with(&self, block: &u64) -> usize {
        (self.in_flight_with)(*block)
    }
}

fn many_in_flight(threads: usize) -> Limits {
    Limits {
        in_flight: 1000,
        ..Limits::new(threads)
    }
}

/// Adds numbers to what was written.
fn into(written: &Mutex<Vec<u64>>) -> impl FnMut(Sized) -> Result<ControlFlow<()>, String> + Send {
    |(number, _)| {
        written.lock().unwrap().push(number);
        Ok(ControlFlow::Continue(()))
    }
}

/// A block is on a device, which brings it back when many later blocks are done. Their results wait
/// for it, and are more than there is room for: so none of them may wait for room.
#[test]
fn nothing_waits_for_room_while_a_block_is_elsewhere() {
    const BLOCKS: u64 = 40;
    for threads in [1, 3] {
        let blocks = ends(move || {
            let ordered = Ordered::new();
            let has_left = AtomicUsize::new(0);
            let done = AtomicUsize::new(0);
            let work = Fake::new(many_in_flight(threads), |number, _: &Place<'_, Sized>| {
                if number == 0 && has_left.fetch_add(1, Ordering::SeqCst) == 0 {
                    return None;
                }
                if done.fetch_add(1, Ordering::SeqCst) == BLOCKS as usize - 2 {
                    ordered.bring_back(0, 0);
                }
                Some((number, 1 << 20))
            });
            let written = Mutex::default();
            let ended = ordered.run(&work, threads, numbers(BLOCKS), into(&written));
            ended.unwrap();
            written.into_inner().unwrap()
        });
        assert!(blocks.into_iter().eq(0..BLOCKS));
    }
}

/// A thread waits for room with block 1 while block 0 is worked on. When that one leaves, the thread
/// does not wait for its return: two blocks are worked on at once before block 0 is brought back.
#[test]
fn who_waits_for_room_goes_on_when_a_block_leaves() {
    let blocks = ends(|| {
        let ordered = Ordered::new();
        let has_left = AtomicUsize::new(0);
        let has_begun = AtomicUsize::new(0);
        let work = Fake::new(many_in_flight(2), |number, _: &Place<'_, Sized>| {
            match number {
                0 if has_left.fetch_add(1, Ordering::SeqCst) == 0 => {
                    // Meanwhile the other thread comes to wait for room.
                    thread::sleep(Duration::from_millis(200));
                    return None;
                }
                2 => {
                    while has_begun.load(Ordering::SeqCst) == 0 {
                        thread::sleep(Duration::from_millis(1));
                    }
                }
                3 => {
                    has_begun.store(1, Ordering::SeqCst);
                    ordered.bring_back(0, 0);
                }
                _ => {}
            }
            Some((number, 25 << 20))
        });
        let written = Mutex::default();
        let ended = ordered.run(&work, 2, numbers(4), into(&written));
        ended.unwrap();
        written.into_inner().unwrap()
    });
    assert_eq!(blocks, [0, 1, 2, 3]);
}

/// The only thread has read a block that may not be begun before the one on the device is written:
/// it must not wait for that with the block in its hands.
#[test]
fn a_block_that_is_held_back_keeps_no_thread() {
    let blocks = ends(|| {
        let ordered = Ordered::new();
        let has_left = AtomicUsize::new(0);
        let mut work = Fake::new(many_in_flight(1), |number, _: &Place<'_, Sized>| {
            let leaves = number == 0 && has_left.fetch_add(1, Ordering::SeqCst) == 0;
            (!leaves).then_some((number, 0))
        });
        work.in_flight_with = |number| if number == 3 { 1 } else { 1000 };
        let written = Mutex::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                ordered.bring_back(0, 0);
            });
            let ended = ordered.run(&work, 1, numbers(6), into(&written));
            ended.unwrap();
        });
        written.into_inner().unwrap()
    });
    assert!(blocks.into_iter().eq(0..6));
}

/// All before it are written when it is begun.
#[test]
fn a_block_may_ask_to_be_alone() {
    for threads in [1, 2, 8] {
        let written = Mutex::default();
        let limits = many_in_flight(threads);
        let mut work = Fake::new(limits, |number, _: &Place<'_, Sized>| {
            thread::sleep(work_time(number));
            if number % 5 == 0 {
                let before: &Mutex<Vec<u64>> = &written;
                assert_eq!(before.lock().unwrap().len() as u64, number);
            }
            Some((number, 0))
        });
        work.in_flight_with = |number| if number % 5 == 0 { 1 } else { 1000 };
        let ended = Ordered::new().run(&work, threads, numbers(60), into(&written));
        ended.unwrap();
    }
}

/// A large result comes in parts, and waits for room: the bytes that wait are bounded.
#[test]
fn parts_of_a_result_are_written_in_order_in_bounded_memory() {
    const PARTS: u64 = 5;
    for threads in [1, 2, 8] {
        let waiting = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let limits = Limits {
            room: 1000,
            ..many_in_flight(threads)
        };
        let work = Fake::new(limits, |number, place: &Place<'_, Sized>| {
            let hand_in = |part| {
                let before = waiting.fetch_add(100, Ordering::SeqCst);
                most.fetch_max(before + 100, Ordering::SeqCst);
                (PARTS * number + part, 100)
            };
            for part in 0..PARTS - 1 {
                thread::sleep(work_time(number + part) / 10);
                assert!(place.hand_in(hand_in(part)));
            }
            Some(hand_in(PARTS - 1))
        });
        let mut written = Vec::new();
        let ended = Ordered::new().run(&work, threads, numbers(60), |(part, bytes)| {
            waiting.fetch_sub(bytes, Ordering::SeqCst);
            written.push(part);
            Ok(ControlFlow::Continue(()))
        });
        ended.unwrap();
        assert!(written.into_iter().eq(0..60 * PARTS));
        // Those that wait, one for each thread that waits for room, and one of the next block.
        let most = most.into_inner();
        assert!(most <= 1000 + 100 * (threads + 1), "{threads}: {most}");
    }
}

/// Threads that are not wanted pause, and go on once they are.
#[test]
fn limits_may_change_during_a_run() {
    let blocks = ends(|| {
        let at_once = AtomicUsize::new(0);
        let most = Mutex::new([0, 0, 0]);
        let work = Fake::new(many_in_flight(1), |number, _: &Place<'_, Sized>| {
            let before = at_once.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(2));
            let most = &mut most.lock().unwrap()[number as usize / 100];
            *most = (before + 1).max(*most);
            at_once.fetch_sub(1, Ordering::SeqCst);
            Some((number, 0))
        });
        let mut written = Vec::new();
        let ended = Ordered::new().run(&work, 4, numbers(300), |(number, _)| {
            written.push(number);
            // Some blocks before, for those that are in work by then.
            let threads = match number {
                90..190 => 4,
                _ => 1,
            };
            work.limits.lock().unwrap().threads = threads;
            Ok(ControlFlow::Continue(()))
        });
        ended.unwrap();
        let most = *most.lock().unwrap();
        assert!(most[1] > 1 && most[1] <= 4, "{most:?}");
        assert_eq!(most[2], 1, "{most:?}");
        written
    });
    assert!(blocks.into_iter().eq(0..300));
}

#[test]
fn an_iterator_gives_the_results_in_order() {
    for threads in [1, 2, 8] {
        let work = |block: u64, (): &mut ()| {
            thread::sleep(work_time(block));
            Ok::<u64, String>(block * 2)
        };
        let results = ahead(Limits::new(threads), (0..100).map(Ok), || (), work);
        let all: Result<Vec<u64>, _> = results.collect();
        assert!(all.unwrap().into_iter().eq((0..100).map(|block| block * 2)));
    }
}

/// Also while threads wait for the results to be taken.
#[test]
fn an_iterator_that_is_dropped_ends_its_threads() {
    let (sender, alive) = mpsc::channel::<()>();
    let work = |block: u64, _: &mut mpsc::Sender<()>| Ok::<u64, String>(block);
    let mut results = ahead(Limits::new(4), (0..).map(Ok), move || sender.clone(), work);
    assert_eq!(results.next().unwrap().unwrap(), 0);
    thread::sleep(Duration::from_millis(50));
    drop(results);
    let ended = alive.recv_timeout(LONG);
    assert_eq!(ended, Err(mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn after_an_error_an_iterator_has_no_more_results() {
    let work = |block: u64, (): &mut ()| match block {
        3 => Err("three".to_owned()),
        _ => Ok(block),
    };
    let results = ahead(Limits::new(2), (0..10).map(Ok), || (), work);
    let texts: Vec<String> = results
        .map(|result| result.map_or_else(|stopped| stopped.to_string(), |n| n.to_string()))
        .collect();
    assert_eq!(texts, ["0", "1", "2", "three"]);
}

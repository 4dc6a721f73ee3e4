//! Blocks in work: their order, their sizes, and how far they are read ahead.

use std::io::{self, Cursor, Read, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

use swaplist::backend::{BackendError, Question};
use swaplist::{CpuPath, Evaluator, Position, Rules};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Event, Input, Job, Options, Summary};

use crate::fake::Fake;
use crate::written::{Written, filter};

/// `4k3/8/8/3p4/4P3/8/8/4K3 w - -` in bulletformat, with score 0, drawn.
const RECORD: [u8; 32] = [
    16, 0, 0, 16, 8, 0, 0, 16, 5, 216, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 4, 0,
    0, 0,
];

/// Records of a block of the usual size, and of one for a GPU.
const SMALL: usize = (1 << 18) / 32;
const LARGE: usize = (4 << 20) / 32;

/// A device that is fast, knows the one position alone, and can break.
fn device(broken: &Arc<AtomicBool>) -> Fake {
    let broken = Arc::clone(broken);
    let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
    Fake::new(move |question, rules, answers| {
        if broken.load(Ordering::Relaxed) {
            return Err(BackendError::Lost("unplugged".to_owned()));
        }
        answers.fit(question);
        if let Question::Bounds { bounds, .. } = *question {
            answers.exceeds.fill(rules.exceeds(&position, bounds));
        }
        Ok(())
    })
}

/// Filters records in which the capture wins a pawn, breaks the device after some large blocks,
/// and returns the records of each block.
fn sizes(
    evaluator: &Evaluator,
    records: usize,
    threads: usize,
    breaks: impl Fn(usize) + Send + Sync,
) -> Vec<usize> {
    let input = Input::reader("boards", Cursor::new(RECORD.repeat(records))).unwrap();
    let options = Options {
        from: Some(Format::Bulletformat),
        threads: Some(threads),
        ..Options::default()
    };
    let mut sizes = Vec::new();
    let mut done = 0;
    let written = Written::default();
    let job = Job::new(input, options)
        .unwrap()
        .write_into("memory", written.clone())
        .watch(|event| {
            if let Event::Progress { records, .. } = event {
                sizes.push(records as usize - done);
                done = records as usize;
                breaks(sizes.iter().filter(|&&size| size == LARGE).count());
            }
            ControlFlow::Continue(())
        });
    let summary = job
        .filter(&filter("preset=none max_see=0"), evaluator)
        .unwrap();
    assert_eq!(
        (summary.tally.records as usize, summary.tally.kept),
        (records, 0)
    );
    sizes
}

/// An evaluator that takes such a device once the CPU has begun, on the slowest path, so that the
/// GPU clearly wins.
fn auto(broken: &Arc<AtomicBool>) -> Evaluator {
    let broken = Arc::clone(broken);
    let open = move || Ok(Some(Arc::new(device(&broken)) as _));
    let evaluator = Evaluator::auto_with(open, Duration::ZERO).callers(2);
    evaluator.cpu_path(CpuPath::Scalar).unwrap()
}

#[test]
fn blocks_grow_once_a_gpu_is_taken() {
    let evaluator = auto(&Arc::default());
    let sizes = sizes(&evaluator, 4 << 20, 2, |_| ());
    let choice = evaluator.report().choice.unwrap();
    assert!(choice.starts_with("backend: GPU (fake, "), "{choice}");
    let small = sizes.iter().take_while(|&&size| size == SMALL).count();
    assert!(small > 0, "the CPU begins");
    // Except the block in work meanwhile, and the last one.
    let grown = &sizes[small..];
    let large = grown.iter().filter(|&&size| size == LARGE).count();
    assert!(large > 2 && large + 2 >= grown.len(), "{sizes:?}");
}

#[test]
fn a_job_tells_the_evaluator_the_number_of_its_threads() {
    let open = move || Ok(Some(Arc::new(device(&Arc::default())) as _));
    let evaluator = Evaluator::auto_with(open, Duration::ZERO)
        .cpu_path(CpuPath::Scalar)
        .unwrap();
    sizes(&evaluator, 4 << 20, 5, |_| ());
    let choice = evaluator.report().choice.unwrap();
    assert!(choice.contains(" on 5 CPU threads"), "{choice}");
}

/// Rayon's threads are busy meanwhile: a job that needed them would wait for ever.
#[cfg(feature = "rayon")]
#[test]
fn a_job_works_on_its_own_threads_alone() {
    let busy = rayon::current_num_threads();
    let [begin, end] = [(); 2].map(|()| Arc::new(Barrier::new(busy + 1)));
    for _ in 0..busy {
        let begin = Arc::clone(&begin);
        let end = Arc::clone(&end);
        rayon::spawn(move || {
            begin.wait();
            end.wait();
        });
    }
    begin.wait();
    let (sender, receiver) = mpsc::channel();
    let job = std::thread::spawn(move || {
        let input = Input::reader("sample", Cursor::new(swaplist::SAMPLE.repeat(4))).unwrap();
        let job = Job::new(input, Options::default()).unwrap();
        let summary = job.count(&Rules::SWAP, &Evaluator::cpu()).unwrap();
        let _ = sender.send(summary.tally.records);
    });
    let counted = receiver.recv_timeout(Duration::from_mins(2));
    end.wait();
    job.join().unwrap();
    assert_eq!(counted, Ok(20_000));
}

#[test]
fn blocks_shrink_when_the_cpu_takes_over() {
    let broken = Arc::default();
    let evaluator = auto(&broken);
    let breaks = |large| broken.store(large > 3, Ordering::Relaxed);
    let sizes = sizes(&evaluator, 4 << 20, 2, breaks);
    assert!(evaluator.report().fallback.is_some());
    let large = sizes.iter().filter(|&&size| size == LARGE).count();
    // Four are written by then and five read ahead, perhaps all answered; then each of the two
    // threads may read another before one of them asks.
    assert!((3..=11).contains(&large), "{sizes:?}");
    let small = sizes.iter().rev().skip(2).take(10);
    assert!(small.into_iter().all(|&size| size == SMALL), "{sizes:?}");
}

#[test]
fn a_gpu_gets_much_at_a_time() {
    for (threads, least, most) in [
        (1, LARGE, LARGE),
        (2, LARGE, LARGE),
        (8, LARGE, LARGE),
        (64, 16_384, LARGE),
    ] {
        let evaluator = Evaluator::with_backend(Some(Arc::new(device(&Arc::default()))));
        let sizes = sizes(&evaluator, 2 * LARGE, threads, |_| ());
        assert!((least..=most).contains(&sizes[0]), "{sizes:?}");
        assert_eq!(evaluator.report().fallback, None);
    }
}

/// Bytes, then others over and over, as far as they are read.
struct Endless {
    first: &'static [u8],
    then: Vec<u8>,
    read: Arc<AtomicUsize>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let at = self.read.load(Ordering::Relaxed);
        let length = match self.first.get(at..) {
            Some(first) if !first.is_empty() => {
                let length = first.len().min(buffer.len());
                buffer[..length].copy_from_slice(&first[..length]);
                length
            }
            _ => {
                let then = &self.then[(at - self.first.len()) % self.then.len()..];
                let left = (512_usize << 20).saturating_sub(at);
                let length = then.len().min(buffer.len()).min(left);
                buffer[..length].copy_from_slice(&then[..length]);
                length
            }
        };
        self.read.store(at + length, Ordering::Relaxed);
        Ok(length)
    }
}

/// Blocks until the other end is dropped, then fails.
struct Blocked(mpsc::Receiver<()>);

impl Write for Blocked {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Err(io::Error::other("nobody reads this"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Nobody takes the output: what is read meanwhile is bounded, however many threads there are. A
/// block holds a whole chunk of a binpack, so that fewer of them work there.
#[test]
fn input_is_read_ahead_in_bounded_memory() {
    const SAMPLE: &[u8] = include_bytes!("../../../data/sample.binpack");
    let dropped = [&RECORD[..24], &[100], &RECORD[25..]].concat();
    let mut broken = b"BINP\x20\xa1\x07\0".to_vec();
    broken.resize(500_008, 0xff);
    for (format, first, then, threads, most) in [
        (Format::Bulletformat, &RECORD[..], &dropped, 2, 8 << 20),
        (Format::Bulletformat, &RECORD, &dropped, 500, 160 << 20),
        (Format::Binpack, SAMPLE, &broken, 500, 240 << 20),
    ] {
        let read = Arc::new(AtomicUsize::new(0));
        let endless = Endless {
            first,
            then: then.clone(),
            read: Arc::clone(&read),
        };
        let (waits, blocked) = mpsc::channel();
        let job = std::thread::spawn(move || {
            let options = Options {
                from: Some(format),
                threads: Some(threads),
                skip_invalid: true,
                ..Options::default()
            };
            let job = Job::new(Input::reader("endless", endless).unwrap(), options)
                .unwrap()
                .write_into("blocked", Blocked(blocked));
            let filter = filter("preset=none max_score=50");
            job.filter(&filter, &Evaluator::cpu()).unwrap_err()
        });
        let mut before = 0;
        let mut still = 0;
        while still < 5 {
            std::thread::sleep(Duration::from_millis(100));
            let now = read.load(Ordering::Relaxed);
            still = if now > 0 && now == before {
                still + 1
            } else {
                0
            };
            before = now;
        }
        drop(waits);
        let error = job.join().unwrap().to_string();
        assert!(error.contains("nobody reads this"), "{error}");
        assert!(before < most, "{format:?}, {threads} threads: {before}");
    }
}

/// Fails or panics.
struct Failing {
    panics: bool,
}

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        assert!(!self.panics, "this one is meant to");
        Err(io::Error::other("full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Filters three blocks, all of which is kept. The first takes longest; the last record of the
/// first `invalid` ones is not a position.
fn three_blocks(
    invalid: [bool; 3],
    panics: bool,
    limit: Option<u64>,
    output: Box<dyn Write + Send>,
) -> Result<Summary, String> {
    let mut boards = RECORD.repeat(3 * LARGE);
    // A king more to the right.
    boards[7] = 32;
    let first_record = Format::Bulletformat.records(&boards[..32]).next();
    let first = first_record.unwrap().unwrap().position;
    for (block, _) in (1..).zip(invalid).filter(|(_, invalid)| *invalid) {
        boards[32 * block * LARGE - 32..][..8].fill(0);
    }
    let device = Fake::new(move |question, _, answers| {
        if let Question::Bounds { positions, .. } = question
            && positions[0] == first
        {
            std::thread::sleep(Duration::from_millis(200));
            assert!(!panics, "this one is meant to");
        }
        answers.fit(question);
        Ok(())
    });
    let evaluator = Evaluator::with_backend(Some(Arc::new(device))).audit(0);
    let options = Options {
        from: Some(Format::Bulletformat),
        threads: Some(2),
        limit,
        ..Options::default()
    };
    let input = Input::reader("boards", Cursor::new(boards)).unwrap();
    let job = Job::new(input, options)
        .unwrap()
        .write_into("memory", output);
    let summary = job.filter(&filter("preset=none max_see=0"), &evaluator);
    summary.map_err(|error| error.to_string())
}

/// Errors, a limit and panics: the first one in the input's order ends the run.
#[test]
fn the_first_end_is_the_end() {
    let written = || -> Box<dyn Write + Send> { Box::<Written>::default() };
    let failing = |panics| -> Box<dyn Write + Send> { Box::new(Failing { panics }) };
    let all = [true, true, false];
    let later = [false, true, true];
    let error =
        |invalid, panics, limit, output| three_blocks(invalid, panics, limit, output).unwrap_err();
    for (invalid, block) in [(all, 1), (later, 2)] {
        let at = 32 * (block * LARGE - 1);
        let found = error(invalid, false, None, written());
        assert!(found.contains(&format!("byte {at}: ")), "{found}");
    }
    let limited = three_blocks(later, false, Some(10), written()).unwrap();
    assert_eq!(limited.tally.kept, 10);
    for found in [
        error(later, true, None, written()),
        error(later, false, None, failing(true)),
    ] {
        assert!(found.contains("internal error"), "{found}");
    }
    let found = error(later, false, None, failing(false));
    assert!(found.contains("full"), "{found}");
}

//! Where the time of a run goes: the stages of a thread are all of its time, and what is slow is what
//! bounds the run.

use std::io::{self, Cursor, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swaplist::Evaluator;
use swaplist::backend::Backend;
use swaplist_files::filter::Preset;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Mode, Options, Summary};
use swaplist_files::stages::{BatchTimes, Lane, LaneKind, Stage, Stages, Timeline};

use super::slow::{Device, keeping_all};
use crate::device_tests::WithFileFilter;
use crate::tests::common::written::games;

/// What takes a while each time that it is read or written.
struct Slow<T>(T, Duration);

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        std::thread::sleep(self.1);
        let some = buffer.len().min(1 << 18);
        self.0.read(&mut buffer[..some])
    }
}

impl<W: Write> Write for Slow<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        std::thread::sleep(self.1);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Where the time of a filter goes, on two threads.
struct Run {
    /// How long a read and a write take.
    reading: Duration,
    writing: Duration,
    device: Option<Device>,
    /// Whether the choice between the CPU and the device is left open.
    is_open: bool,
    /// The copies of the sample's games in the file.
    copies: usize,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            reading: Duration::ZERO,
            writing: Duration::ZERO,
            device: None,
            is_open: false,
            copies: 150,
        }
    }
}

impl Run {
    /// Runs it, and tells what was recorded and how long it took.
    fn record(self) -> (Timeline, Duration) {
        let (_, timeline, took) = self.run();
        (timeline, took)
    }

    fn run(self) -> (Summary, Timeline, Duration) {
        let file = Cursor::new(games(Format::Viriformat).repeat(self.copies));
        let filter = match self.device {
            Some(_) => keeping_all(),
            None => Preset::Quiet.filter(),
        };
        let evaluator = match self.device {
            Some(device) => {
                let backend: Arc<dyn Backend> = Arc::new(WithFileFilter::new(Arc::new(device)));
                if self.is_open {
                    let open = move || Ok(Some(Arc::clone(&backend)));
                    Evaluator::auto_with(open, Duration::ZERO)
                } else {
                    Evaluator::with_backend(Some(backend))
                }
            }
            None => Evaluator::cpu(),
        };
        let options = Options {
            from: Some(Format::Viriformat),
            mode: Some(Mode::Mark),
            threads: Some(2),
            ..Options::default()
        };
        let input = Input::reader("games", Slow(file, self.reading)).unwrap();
        let job = Job::new(input, options).unwrap();
        let job = job.write_into("nothing", Slow(io::sink(), self.writing));
        let begin = Instant::now();
        let stages = Stages::default();
        let summary = stages.record(|| job.filter(&filter, &evaluator)).unwrap();
        assert_eq!(summary.report.fallback, None);
        (summary, stages.timeline(), begin.elapsed())
    }
}

#[test]
fn the_stages_of_a_thread_are_all_of_its_time() {
    let is_worker = |lane: &&Lane| lane.kind == LaneKind::Worker;
    // A loaded machine may begin a thread late: one run of several has to show it.
    let mut shares = Vec::new();
    let timeline = (0..8).find_map(|_| {
        let (timeline, took) = Run::default().record();
        let workers = timeline.lanes.iter().filter(is_worker);
        let shares_of_run = workers.map(|lane| {
            let sum: Duration = lane.totals.iter().sum();
            sum.as_secs_f64() / took.as_secs_f64()
        });
        shares.push(shares_of_run.collect::<Vec<_>>());
        let is_all = |share: &f64| (0.95..=1.0).contains(share);
        shares.last()?.iter().all(is_all).then_some(timeline)
    });
    let timeline = timeline.unwrap_or_else(|| panic!("{shares:?}"));
    assert_eq!(timeline.lanes.iter().filter(is_worker).count(), 2);
    assert_eq!(timeline.lanes.iter().filter(is_worker).count(), 2);
    for lane in timeline.lanes.iter().filter(is_worker) {
        let starts = lane.spans[1..].iter().map(|span| span.start);
        let ends = lane.spans.iter().map(|span| span.end);
        assert!(starts.eq(ends.take(lane.spans.len() - 1)), "without a gap");
    }
    for stage in [
        Stage::Read,
        Stage::Decode,
        Stage::Judge,
        Stage::Encode,
        Stage::Write,
    ] {
        assert!(!timeline.totals[stage as usize].is_zero(), "{stage}");
    }
    assert!(timeline.totals[Stage::Fill as usize].is_zero());
}

/// A run that nobody records leaves nothing, even if its thread recorded one before.
#[test]
fn a_recording_is_of_its_own_run() {
    let stages = Stages::default();
    stages.record(|| ());
    Run::default().record();
    assert!(stages.timeline().lanes.is_empty());
}

/// A device whose work takes so long a record, in the stages that a function tells.
fn device(a_record: Duration, clock: fn(usize) -> BatchTimes) -> Device {
    Device {
        work: Arc::new(move |records| std::thread::sleep(a_record * records as u32)),
        clock: Some(clock),
        ..Device::default()
    }
}

#[test]
fn what_is_slow_is_what_bounds_the_run() {
    const A_RECORD: Duration = Duration::from_micros(2);
    let wait = Duration::from_millis(100);
    let only_device = |clock| Run {
        device: Some(device(A_RECORD, clock)),
        ..Run::default()
    };
    let cases = [
        ("the threads", Run::default()),
        (
            "reading",
            Run {
                reading: wait,
                ..Run::default()
            },
        ),
        (
            "writing",
            Run {
                writing: 5 * wait,
                ..Run::default()
            },
        ),
        (
            "filling upload memory",
            Run {
                device: Some(Device {
                    filling: 4 * wait,
                    ..Device::default()
                }),
                ..Run::default()
            },
        ),
        (
            "the bus up",
            only_device(|records| BatchTimes {
                upload: A_RECORD * records as u32,
                ..BatchTimes::default()
            }),
        ),
        (
            "the kernels",
            only_device(|records| BatchTimes {
                judge: A_RECORD * records as u32,
                ..BatchTimes::default()
            }),
        ),
        (
            "the bus down",
            only_device(|records| BatchTimes {
                download: A_RECORD * records as u32,
                ..BatchTimes::default()
            }),
        ),
    ];
    for (expected, run) in cases {
        let (timeline, _) = run.record();
        let loads = &timeline.loads;
        // Where all threads fill, they are as busy as what they fill.
        let first = loads
            .iter()
            .find(|load| expected != "filling upload memory" || load.name != "the threads");
        assert_eq!(first.unwrap().name, expected, "{loads:?}");
        assert!(timeline.bound.contains(loads[0].name));
    }
}

/// A device that is slow at one thing loses to the CPU, and the choice says by what.
#[test]
fn the_automatic_choice_is_told_with_what_bounds_the_device() {
    const A_RECORD: Duration = Duration::from_micros(3);
    // A batch holds a block, and the file enough of them for the trial to end before it.
    let slow = |clock| Device {
        records: 1 << 18,
        ..device(A_RECORD, clock)
    };
    let filling = Device {
        records: 1 << 18,
        filling: Duration::from_millis(1_500),
        clock: Some(|_| BatchTimes::default()),
        ..Device::default()
    };
    for (bound, device) in [
        (
            "the bus up, at 0.3 M records/s",
            slow(|records| BatchTimes {
                upload: A_RECORD * records as u32,
                ..BatchTimes::default()
            }),
        ),
        (
            "the kernels, at 0.3 M records/s",
            slow(|records| BatchTimes {
                decode: A_RECORD * records as u32 / 2,
                encode: A_RECORD * records as u32 / 2,
                ..BatchTimes::default()
            }),
        ),
        ("filling upload memory, at ", filling),
    ] {
        let run = Run {
            device: Some(device),
            is_open: true,
            copies: 300,
            ..Run::default()
        };
        let choice = run.run().0.report.choice.unwrap();
        assert!(
            choice.starts_with("backend: CPU (2 CPU threads, "),
            "{choice}"
        );
        let expected = format!(" M/s on slow); the GPU is bound by {bound}");
        assert!(choice.contains(&expected), "{choice}");
    }
}

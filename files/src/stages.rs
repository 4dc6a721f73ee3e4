//! Where the time of a run goes: what each thread, the bus and the device do, and when.
//!
//! [`Stages::record`] records a run of [`ordered`](crate::ordered), such as that of a job, and
//! [`Stages::timeline`] tells of it: there is a *lane* for each thread of the run and, if a device
//! filters the file, for the bus in each direction and for the kernels. A lane is a list of
//! *spans*, each of one [`Stage`]. On a thread the spans follow one another without a gap, from the
//! thread's start to its end, so the sum of all stages is the whole.
//!
//! ```
//! use swaplist::Evaluator;
//! use swaplist_files::filter::Preset;
//! use swaplist_files::jobs::{Input, Job, Options};
//! use swaplist_files::stages::{Stage, Stages};
//!
//! let job = Job::new(Input::open(Some("../data/sample.binpack".as_ref()))?, Options::default())?;
//! let filter = Preset::Quiet.filter();
//! let stages = Stages::default();
//! stages.record(|| job.filter(&filter, &Evaluator::cpu()))?;
//! let timeline = stages.timeline();
//! let decoding = timeline.totals[Stage::Decode as usize];
//! println!("{decoding:?} of decoding; {}", timeline.bound);
//! # assert!(!decoding.is_zero());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Inside the crate, work is marked where it is done: `during(Stage::Decode, || ...)`. A mark
//! within another one interrupts it, so that no time counts twice. On a thread that nobody records
//! a mark costs a look at one thread-local value, and marks enclose thousands of records.
//!
//! # What bounds a run
//!
//! [`Timeline::loads`] has a row for each thing that the run can only do so much of: all threads
//! together, reading, which is done by one thread at a time, writing likewise, and the parts of a
//! device. The first row is the busiest one. If it is busy nearly all the time, only more of it, or
//! less to do for it, makes the run faster.

use core::cell::RefCell;
use core::fmt;
use core::fmt::Write as _;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use swaplist::Choice;
use swaplist::gpu::program::MAX_WRITERS;

/// What a thread, the bus or a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the input, and finding where blocks end. Threads do it in turn.
    Read,
    /// Decoding records into positions.
    Decode,
    /// Static Exchange Evaluation of the positions that a rule asks about.
    Judge,
    /// Deciding by the filter's rules which records are kept, and making the output of them.
    Encode,
    /// Writing the output. Threads do it in turn.
    Write,
    /// Finding the games or chains of a block, for the device.
    Cut,
    /// Copying a block into the device's upload memory.
    Fill,
    /// Making a block's output of what the device has found, with the audit.
    Finish,
    /// Waiting: for a turn to read, for room, or for the device.
    Wait,
    /// What is none of these: taking blocks and handing them on.
    Other,
    /// Copying a batch to the device's own memory.
    Upload,
    /// The device decodes a batch.
    DecodeKernel,
    /// The device evaluates a batch.
    JudgeKernel,
    /// The device decides about a batch, and encodes it.
    EncodeKernel,
    /// Copying what the device has found back to memory that the host reads.
    Download,
}

impl Choice for Stage {
    /// Those of threads in the order in which a record passes them, then those of a device.
    const ALL: &'static [Stage] = &[
        Stage::Read,
        Stage::Decode,
        Stage::Judge,
        Stage::Encode,
        Stage::Write,
        Stage::Cut,
        Stage::Fill,
        Stage::Finish,
        Stage::Wait,
        Stage::Other,
        Stage::Upload,
        Stage::DecodeKernel,
        Stage::JudgeKernel,
        Stage::EncodeKernel,
        Stage::Download,
    ];

    /// The name in tables and JSON, such as `decode` or `judge kernel`.
    fn name(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Decode => "decode",
            Stage::Judge => "judge",
            Stage::Encode => "encode",
            Stage::Write => "write",
            Stage::Cut => "cut",
            Stage::Fill => "fill",
            Stage::Finish => "finish",
            Stage::Wait => "wait",
            Stage::Other => "other",
            Stage::Upload => "bus up",
            Stage::DecodeKernel => "decode kernel",
            Stage::JudgeKernel => "judge kernel",
            Stage::EncodeKernel => "encode kernel",
            Stage::Download => "bus down",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A time during which a lane was in one stage, counted from the start of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// What was done.
    pub stage: Stage,
    /// When it began.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
}

/// Whose lane it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LaneKind {
    /// A thread that works on blocks.
    Worker,
    /// The thread that waits for the device.
    Waiter,
    /// The bus or the device.
    #[default]
    Device,
}

/// What a thread, the bus or the device did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Such as `thread 3` or `kernels`.
    pub name: String,
    /// Whose lane it is.
    pub(crate) kind: LaneKind,
    /// The first spans, as many as are kept: 65,536.
    pub spans: Vec<Span>,
    /// The time in each stage, in the order of [`Stage::ALL`], of all spans.
    pub totals: [Duration; Stage::ALL.len()],
}

impl Lane {
    /// The most spans that are kept: 1.5 MiB a thread.
    const MOST_SPANS: usize = 1 << 16;

    fn add(&mut self, span: Span) {
        if span.end <= span.start {
            return;
        }
        self.totals[span.stage as usize] += span.end.saturating_sub(span.start);
        let is_full = self.spans.len() >= Lane::MOST_SPANS;
        match self.spans.last_mut() {
            // A mark in between that took no time leaves no gap.
            Some(last) if last.stage == span.stage && last.end == span.start => last.end = span.end,
            _ if is_full => {}
            _ => self.spans.push(span),
        }
    }
}

/// Records where the time of one run goes, from when it is made. Clones share one recording.
#[derive(Clone, Debug)]
pub struct Stages(Arc<Recording>);

#[derive(Debug)]
struct Recording {
    start: Instant,
    lanes: Mutex<Vec<Lane>>,
    /// The records of the batches whose times a device told.
    device_records: AtomicU64,
}

impl Default for Stages {
    fn default() -> Stages {
        Stages(Arc::new(Recording {
            start: Instant::now(),
            lanes: Mutex::default(),
            device_records: AtomicU64::new(0),
        }))
    }
}

impl Stages {
    /// What was recorded until now, of all threads that have ended.
    pub fn timeline(&self) -> Timeline {
        let mut lanes = self.with_lanes(|lanes| lanes.clone());
        // Lanes were added as their threads ended, which is in any order.
        lanes.sort_by_key(|lane| (lane.kind, lane.name.len(), lane.name.clone()));
        let mut timeline = Timeline {
            elapsed: self.0.start.elapsed(),
            lanes,
            device_records: self.0.device_records.load(Ordering::Relaxed),
            ..Timeline::default()
        };
        for lane in &timeline.lanes {
            for (sum, time) in timeline.totals.iter_mut().zip(lane.totals) {
                *sum += time;
            }
        }
        timeline.loads = timeline.find_loads();
        timeline.bound = bound_of(&timeline.loads);
        timeline
    }

    /// Records the runs that this thread begins while it does some work.
    pub fn record<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Goes back to what was recorded before, also if the work panics.
        struct Recorded(Option<Stages>);
        impl Drop for Recorded {
            fn drop(&mut self) {
                RECORDING.replace(self.0.take());
            }
        }
        let _recorded = Recorded(RECORDING.replace(Some(self.clone())));
        work()
    }

    /// The recording of runs that this thread begins, if somebody records them.
    pub(crate) fn for_this_thread() -> Option<Stages> {
        // A browser has no such clock. To say so leaves this code out of the page.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        RECORDING.with_borrow(Clone::clone)
    }

    /// Records what this thread does until the result is dropped, and the runs that it begins.
    pub(crate) fn begin_lane(&self, name: String, kind: LaneKind) -> RecordedLane {
        RECORDING.replace(Some(self.clone()));
        LANE.replace(Some(OpenLane {
            stages: self.clone(),
            lane: Lane {
                name,
                kind,
                ..Lane::default()
            },
            stage: Stage::Other,
            since: self.0.start.elapsed(),
        }));
        RecordedLane(())
    }

    fn with_lanes<T>(&self, work: impl FnOnce(&mut Vec<Lane>) -> T) -> T {
        work(&mut self.0.lanes.lock())
    }

    /// Adds spans to the lane of this name.
    fn add(&self, name: &str, spans: impl IntoIterator<Item = Span>) {
        self.with_lanes(|lanes| {
            let known = lanes.iter().position(|lane| lane.name == name);
            let at = known.unwrap_or_else(|| {
                lanes.push(Lane {
                    name: name.to_owned(),
                    ..Lane::default()
                });
                lanes.len() - 1
            });
            spans.into_iter().for_each(|span| lanes[at].add(span));
        });
    }
}

/// The lane of a thread that is recorded.
struct OpenLane {
    stages: Stages,
    lane: Lane,
    /// What the thread is doing.
    stage: Stage,
    /// Since when.
    since: Duration,
}

impl OpenLane {
    /// Notes that the thread does something else from now on; returns what it did until now.
    fn change(&mut self, stage: Stage) -> Stage {
        let now = self.stages.0.start.elapsed();
        self.lane.add(Span {
            stage: self.stage,
            start: self.since,
            end: now,
        });
        self.since = now;
        core::mem::replace(&mut self.stage, stage)
    }
}

thread_local! {
    /// The recording of runs that this thread begins.
    static RECORDING: RefCell<Option<Stages>> = const { RefCell::new(None) };
    /// What this thread does itself.
    static LANE: RefCell<Option<OpenLane>> = const { RefCell::new(None) };
}

/// Ends the lane of the thread that began it.
pub(crate) struct RecordedLane(());

impl Drop for RecordedLane {
    fn drop(&mut self) {
        let open = LANE.take();
        if let Some(mut open) = open {
            open.change(Stage::Other);
            let OpenLane { stages, lane, .. } = open;
            stages.with_lanes(|lanes| lanes.push(lane));
        }
    }
}

/// Does work that is a stage of the run, and records its time if this thread is recorded.
#[inline]
pub(crate) fn during<T>(stage: Stage, work: impl FnOnce() -> T) -> T {
    /// Goes back to what the thread did before, also if the work panics.
    struct Mark(Option<Stage>);
    impl Drop for Mark {
        fn drop(&mut self) {
            if let Some(before) = self.0 {
                change(before);
            }
        }
    }
    if cfg!(target_arch = "wasm32") {
        return work();
    }
    let _mark = Mark(change(stage));
    work()
}

/// Notes what this thread does from now on; `None` if nobody records it.
fn change(stage: Stage) -> Option<Stage> {
    LANE.with_borrow_mut(|current| Some(current.as_mut()?.change(stage)))
}

/// Whether this thread is recorded.
#[cfg(feature = "gpu")]
pub(crate) fn is_recorded() -> bool {
    LANE.with_borrow(Option::is_some)
}

/// How long a device took for the steps of a batch, which follow one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchTimes {
    /// Copying the batch to the device's own memory.
    pub upload: Duration,
    /// Decoding.
    pub decode: Duration,
    /// Evaluating.
    pub judge: Duration,
    /// Deciding and encoding.
    pub encode: Duration,
    /// Copying the output to memory that the host reads.
    pub download: Duration,
}

/// Records the steps of a batch of so many records that a device has just ended. Called by a thread
/// that is recorded.
pub(crate) fn note_batch(records: u64, times: &BatchTimes) {
    let recorded = LANE.with_borrow(|current| Some(current.as_ref()?.stages.clone()));
    let Some(stages) = recorded else {
        return;
    };
    stages
        .0
        .device_records
        .fetch_add(records, Ordering::Relaxed);
    let steps = [
        ("bus up", Stage::Upload, times.upload),
        ("kernels", Stage::DecodeKernel, times.decode),
        ("kernels", Stage::JudgeKernel, times.judge),
        ("kernels", Stage::EncodeKernel, times.encode),
        ("bus down", Stage::Download, times.download),
    ];
    let all: Duration = steps.iter().map(|step| step.2).sum();
    let mut start = stages.0.start.elapsed().saturating_sub(all);
    for (lane, stage, time) in steps {
        let end = start + time;
        stages.add(lane, [Span { stage, start, end }]);
        start = end;
    }
}

/// What was recorded of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// From the start of the recording to now.
    pub elapsed: Duration,
    /// The threads, the bus and the device.
    pub lanes: Vec<Lane>,
    /// The records that a device has filtered, if it has a clock.
    pub device_records: u64,
    /// The time in each stage, in the order of [`Stage::ALL`], of all lanes together.
    pub totals: [Duration; Stage::ALL.len()],
    /// How busy each thing is that bounds the run, the busiest first.
    pub loads: Vec<Load>,
    /// What bounds the run and what would bound it next, in a sentence without a full stop.
    pub bound: String,
}

/// How busy something is that a run has only so much of.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// What it is, such as `the threads` or `the bus up`.
    pub name: &'static str,
    /// The share of the run in which it was busy, 0 to 1.
    pub busy: f64,
}

impl Timeline {
    /// The number of threads that work on blocks.
    pub(crate) fn workers(&self) -> usize {
        let workers = self
            .lanes
            .iter()
            .filter(|lane| lane.kind == LaneKind::Worker);
        workers.count()
    }

    fn find_loads(&self) -> Vec<Load> {
        let whole = self.elapsed.as_secs_f64().max(1e-9);
        let work = [
            Stage::Read,
            Stage::Decode,
            Stage::Judge,
            Stage::Encode,
            Stage::Write,
            Stage::Cut,
            Stage::Fill,
            Stage::Finish,
            Stage::Other,
        ];
        let on_host = [
            ("the threads", self.seconds(&work, self.workers())),
            ("reading", self.seconds(&[Stage::Read], 1)),
            ("writing", self.seconds(&[Stage::Write], 1)),
        ];
        let mut loads: Vec<Load> = on_host
            .into_iter()
            .chain(self.device_parts())
            .filter(|(_, seconds)| *seconds > 0.0)
            .map(|(name, seconds)| Load {
                name,
                busy: seconds / whole,
            })
            .collect();
        loads.sort_by(|a, b| b.busy.total_cmp(&a.busy));
        loads
    }

    /// What bounds a device that filters files, in words: the part of the way through it that takes
    /// a record longest, and how many that would let through if it did nothing else. `None` if no
    /// device with a clock has filtered any.
    #[allow(clippy::cast_precision_loss)] // shown rounded
    pub(crate) fn device_bound(&self) -> Option<String> {
        let host = [Stage::Cut, Stage::Finish];
        let cutting = ("cutting and finishing", self.seconds(&host, self.workers()));
        let mut parts = self.device_parts().to_vec();
        parts.push(cutting);
        let (name, seconds) = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        if self.device_records == 0 || seconds == 0.0 {
            return None;
        }
        let rate = self.device_records as f64 / seconds / 1e6;
        Some(format!(
            "the GPU is bound by {name}, at {rate:.1} M records/s"
        ))
    }

    /// The seconds in some stages, which so many places share.
    fn seconds(&self, stages: &[Stage], places: usize) -> f64 {
        let time: Duration = stages
            .iter()
            .map(|&stage| self.totals[stage as usize])
            .sum();
        time.as_secs_f64() / f64::from(u32::try_from(places.max(1)).unwrap_or(u32::MAX))
    }

    /// What a device has only so much of, and the seconds in which it was busy.
    fn device_parts(&self) -> [(&'static str, f64); 4] {
        let kernels = [Stage::DecodeKernel, Stage::JudgeKernel, Stage::EncodeKernel];
        let writers = self.workers().min(MAX_WRITERS);
        [
            (
                "filling upload memory",
                self.seconds(&[Stage::Fill], writers),
            ),
            ("the bus up", self.seconds(&[Stage::Upload], 1)),
            ("the kernels", self.seconds(&kernels, 1)),
            ("the bus down", self.seconds(&[Stage::Download], 1)),
        ]
    }
}

/// What bounds a run with these loads, in words.
fn bound_of(loads: &[Load]) -> String {
    let percent = |load: &Load| format!("{:.0} % busy", 100.0 * load.busy);
    let Some(first) = loads.first() else {
        return "nothing was recorded".to_owned();
    };
    let mut text = if first.busy < 0.6 {
        let most = format!("the most is {}, {}", first.name, percent(first));
        format!("nothing is busy most of the time: {most}")
    } else {
        format!("bound by {}, {}", first.name, percent(first))
    };
    if let Some(next) = loads.get(1) {
        let _ = write!(text, "; then comes {}, {}", next.name, percent(next));
    }
    text
}

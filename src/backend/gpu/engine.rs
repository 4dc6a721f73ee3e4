//! Everything that lives on one device, and how a task is shared out on it.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Options;
use super::chunks::Capacity;
use super::errors::{Mailbox, guarded, or_lost};
use super::lane::{Job, Jobs, Lane};
use super::pipelines::{self, Pipelines};
use super::shader::Kernel;
use super::sizes::{self, Grid};
use super::task::Task;
use crate::Rules;
use crate::backend::BackendError;

/// Lanes that a device gets at most, unless told otherwise: enough to fill a bus.
pub(super) const MAX_LANES: usize = 8;

/// Used by several threads at once: each task takes lanes of its own.
pub(super) struct Engine {
    pub shared: Shared,
    pub pipelines: Mutex<Pipelines>,
    pub masks: wgpu::Buffer,
    lanes: Mutex<Lanes>,
    /// Lanes were given back.
    returned: Condvar,
    max_lanes: usize,
    mailbox: Mailbox,
    /// Nanoseconds a tick, where kernels are measured.
    pub tick: Option<f32>,
}

/// Those that do nothing, and how many there are in all; made when first needed.
#[derive(Default)]
struct Lanes {
    idle: Vec<Lane>,
    made: usize,
    /// After an error lanes may hold what is not done: nobody gets one.
    closed: Option<BackendError>,
}

/// What every lane works with.
pub(super) struct Shared {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub capacity: Capacity,
    pub grid: Grid,
    pub timeout: Duration,
}

impl Engine {
    pub fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &Options,
    ) -> Result<Engine, BackendError> {
        let limits = device.limits();
        options.check(&limits)?;
        let most = limits.max_compute_workgroups_per_dimension;
        let grid = Grid {
            shape: options.shape,
            max_workgroups: most.min(options.max_workgroups),
        };
        let timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let measured = options.timestamps && timestamps;
        let made = Pipelines::new(&device, &options.shader, options.shape)
            .and_then(|pipelines| Ok((pipelines, pipelines::masks(&device)?)));
        let (pipelines, masks) = made.map_err(|error| or_lost(&device, error))?;
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let engine = Engine {
            tick: measured.then(|| queue.get_timestamp_period()),
            shared: Shared {
                capacity: sizes::capacity(options.chunk, &limits, grid),
                device,
                queue,
                grid,
                timeout: options.timeout,
            },
            pipelines: Mutex::new(pipelines),
            masks,
            lanes: Mutex::default(),
            returned: Condvar::new(),
            max_lanes: options.lanes.unwrap_or(cores.min(MAX_LANES)),
            mailbox,
        };
        let first = engine.take_lanes(1).map(drop);
        first.map_err(|error| engine.explain(error))?;
        Ok(engine)
    }

    /// Does all of a task; the time of its kernels, where it is measured.
    pub fn run<T: Task>(
        &self,
        task: &T,
        rules: &Rules,
        outputs: &mut [T::Output],
    ) -> Result<Option<Duration>, BackendError> {
        let result = self.share_out(task, rules, outputs);
        let ticks = self.explained(result)?;
        Ok(self.tick.map(|tick| duration(ticks, tick)))
    }

    /// What the device said by itself tells more than what followed from it.
    pub fn explained<R>(&self, result: Result<R, BackendError>) -> Result<R, BackendError> {
        match (self.mailbox.read(), result) {
            (None, Ok(value)) => Ok(value),
            (Some(error), _) | (None, Err(error)) => Err(self.explain(error)),
        }
    }

    fn explain(&self, error: BackendError) -> BackendError {
        or_lost(&self.shared.device, self.mailbox.read().unwrap_or(error))
    }

    /// Cuts the task into chunks, which the lanes then take one by one.
    fn share_out<T: Task>(
        &self,
        task: &T,
        rules: &Rules,
        outputs: &mut [T::Output],
    ) -> Result<u64, BackendError> {
        let pipeline = self.pipeline(task.kernel(), rules)?;
        let chunks = jobs(task, outputs, self.shared.capacity);
        let mut lanes = self.take_lanes(chunks.len())?;
        let jobs = Jobs {
            task,
            rules,
            pipeline,
            left: Mutex::new(chunks.into_iter()),
        };
        let result = run(&mut lanes.lanes, &self.shared, &jobs);
        lanes.failed = result.as_ref().err().cloned();
        result
    }

    /// The pipeline of a kernel, compiled when first asked for.
    pub fn pipeline(
        &self,
        kernel: Kernel,
        rules: &Rules,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let mut pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        pipelines.of(&self.shared.device, kernel, rules)
    }

    /// As many lanes as wanted or as there are, one at least: waits for that.
    fn take_lanes(&self, wanted: usize) -> Result<TakenLanes<'_>, BackendError> {
        let none = |lanes: &mut Lanes| {
            lanes.closed.is_none() && lanes.idle.is_empty() && lanes.made >= self.max_lanes
        };
        let lanes = self.returned.wait_while(self.lanes(), none);
        let mut lanes = lanes.unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &lanes.closed {
            return Err(error.clone());
        }
        while lanes.idle.len() < wanted && lanes.made < self.max_lanes {
            let lane = self.new_lane()?;
            lanes.idle.push(lane);
            lanes.made += 1;
        }
        let kept = lanes.idle.len().saturating_sub(wanted.max(1));
        Ok(TakenLanes {
            lanes: lanes.idle.split_off(kept),
            engine: self,
            failed: None,
        })
    }

    fn new_lane(&self) -> Result<Lane, BackendError> {
        let (shared, measured) = (&self.shared, self.tick.is_some());
        let pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let make = || Ok(Lane::new(shared, &pipelines, &self.masks, measured));
        guarded(&shared.device, make)
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lanes of one task, which go back however it ends.
struct TakenLanes<'a> {
    lanes: Vec<Lane>,
    engine: &'a Engine,
    failed: Option<BackendError>,
}

impl Drop for TakenLanes<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.failed = Some(BackendError::Device("a thread panicked".to_owned()));
        }
        let mut lanes = self.engine.lanes();
        lanes.idle.append(&mut self.lanes);
        lanes.closed = lanes.closed.take().or(self.failed.take());
        drop(lanes);
        self.engine.returned.notify_all();
    }
}

/// The chunks of a task, each with the place of its results.
fn jobs<'a, T: Task>(
    task: &T,
    mut outputs: &'a mut [T::Output],
    capacity: Capacity,
) -> Vec<Job<'a, T>> {
    let mut jobs: Vec<Job<T>> = Vec::new();
    while let Some(chunk) = task.chunk_after(jobs.last().map(|job| &job.chunk), capacity) {
        let (own, rest) = outputs.split_at_mut(T::results(&chunk));
        outputs = rest;
        let outputs = own;
        jobs.push(Job { chunk, outputs });
    }
    jobs
}

/// Runs all lanes, the first on this thread. Threads of their own, not rayon's:
/// to wait here on one of those could start another batch on it, which would wait
/// for this one.
fn run<T: Task>(lanes: &mut [Lane], shared: &Shared, jobs: &Jobs<T>) -> Result<u64, BackendError> {
    let Some((first, others)) = lanes.split_first_mut() else {
        return Ok(0);
    };
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for lane in others {
            let thread = thread::Builder::new().name("swaplist".to_owned());
            // Where no thread is to be had, those that run do its work.
            threads.extend(thread.spawn_scoped(scope, || lane.run(shared, jobs)));
        }
        let mut ticks = first.run(shared, jobs);
        for thread in threads {
            let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
            let result = thread.join().unwrap_or_else(panicked);
            ticks = ticks.and_then(|sum| Ok(sum.saturating_add(result?)));
        }
        ticks
    })
}

#[allow(clippy::cast_precision_loss)] // it is exact up to 104 days
pub(super) fn duration(ticks: u64, nanoseconds_a_tick: f32) -> Duration {
    let nanoseconds = ticks as f64 * f64::from(nanoseconds_a_tick);
    Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default()
}

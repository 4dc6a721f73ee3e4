//! Everything that lives on one device, and how a task is shared out on it.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::sync::Mutex;
use std::thread;

use super::Options;
use super::chunks::Capacity;
use super::errors::{Mailbox, guarded, or_lost};
use super::lane::{Job, Jobs, Lane};
use super::pipelines::{self, Pipelines};
use super::sizes::{self, Grid};
use super::task::Task;
use crate::Rules;
use crate::backend::BackendError;

/// Lanes that a device gets at most, unless told otherwise: enough to fill a bus.
const MAX_LANES: usize = 8;

pub(super) struct Engine {
    pub shared: Shared,
    pub pipelines: Pipelines,
    pub masks: wgpu::Buffer,
    /// Made when first needed.
    lanes: Vec<Lane>,
    max_lanes: usize,
    mailbox: Mailbox,
    /// Nanoseconds a tick, where kernels are measured.
    tick: Option<f32>,
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
        let mut engine = Engine {
            tick: measured.then(|| queue.get_timestamp_period()),
            shared: Shared {
                capacity: sizes::capacity(options.chunk, &limits, grid),
                device,
                queue,
                grid,
                timeout: options.timeout,
            },
            pipelines,
            masks,
            lanes: Vec::new(),
            max_lanes: options.lanes.unwrap_or(cores.min(MAX_LANES)),
            mailbox,
        };
        engine
            .make_lanes(1)
            .map_err(|error| engine.explain(error))?;
        Ok(engine)
    }

    /// Does all of a task; the time of its kernels, where it is measured.
    pub fn run<T: Task>(
        &mut self,
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
        &mut self,
        task: &T,
        rules: &Rules,
        outputs: &mut [T::Output],
    ) -> Result<u64, BackendError> {
        let device = &self.shared.device;
        let pipeline = self.pipelines.of(device, task.kernel(), rules)?;
        let chunks = jobs(task, outputs, self.shared.capacity);
        let lanes = chunks.len().clamp(1, self.max_lanes);
        self.make_lanes(lanes)?;
        let jobs = Jobs {
            task,
            rules,
            pipeline,
            left: Mutex::new(chunks.into_iter()),
        };
        run(&mut self.lanes[..lanes], &self.shared, &jobs)
    }

    fn make_lanes(&mut self, lanes: usize) -> Result<(), BackendError> {
        let (shared, measured) = (&self.shared, self.tick.is_some());
        while self.lanes.len() < lanes {
            let make = || Ok(Lane::new(shared, &self.pipelines, &self.masks, measured));
            self.lanes.push(guarded(&shared.device, make)?);
        }
        Ok(())
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
fn duration(ticks: u64, nanoseconds_a_tick: f32) -> Duration {
    let nanoseconds = ticks as f64 * f64::from(nanoseconds_a_tick);
    Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default()
}

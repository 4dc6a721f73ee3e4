//! Everything that lives on one device, and how a batch is shared out on it.

use core::num::NonZeroUsize;
use core::time::Duration;
use std::sync::Mutex;
use std::thread;

use super::Options;
use super::chunks::{Capacity, Chunk};
use super::errors::{Mailbox, guarded, or_lost};
use super::lane::{Job, Jobs, Lane};
use super::pipelines::{self, Pipelines};
use super::sizes;
use crate::backend::BackendError;
use crate::{Batch, Rules};

/// Lanes that a device gets at most, unless told otherwise: enough to fill a bus.
const MAX_LANES: usize = 8;

pub(super) struct Engine {
    shared: Shared,
    pipelines: Pipelines,
    masks: wgpu::Buffer,
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
    pub max_workgroups: u32,
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
        let max_workgroups = limits.max_compute_workgroups_per_dimension;
        let max_workgroups = max_workgroups.min(options.max_workgroups);
        let timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let measured = options.timestamps && timestamps;
        let made = Pipelines::new(&device, &options.shader)
            .and_then(|pipelines| Ok((pipelines, pipelines::masks(&device)?)));
        let (pipelines, masks) = made.map_err(|error| or_lost(&device, error))?;
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut engine = Engine {
            tick: measured.then(|| queue.get_timestamp_period()),
            shared: Shared {
                capacity: sizes::capacity(options.chunk, &limits, max_workgroups),
                device,
                queue,
                max_workgroups,
                timeout: options.timeout,
            },
            pipelines,
            masks,
            lanes: Vec::new(),
            max_lanes: options.threads.unwrap_or(cores.min(MAX_LANES)),
            mailbox,
        };
        engine
            .make_lanes(1)
            .map_err(|error| engine.explain(error))?;
        Ok(engine)
    }

    /// Scores a batch; the time of its kernels, where it is measured.
    pub fn score(
        &mut self,
        batch: &Batch,
        rules: &Rules,
        scores: &mut [i32],
    ) -> Result<Option<Duration>, BackendError> {
        let result = self.share_out(batch, rules, scores);
        // What the device said by itself tells more than what followed from it.
        match (self.mailbox.read(), result) {
            (None, Ok(ticks)) => Ok(self.tick.map(|tick| duration(ticks, tick))),
            (Some(error), _) | (None, Err(error)) => Err(self.explain(error)),
        }
    }

    fn explain(&self, error: BackendError) -> BackendError {
        or_lost(&self.shared.device, self.mailbox.read().unwrap_or(error))
    }

    /// Cuts the batch into chunks, which the lanes then take one by one.
    fn share_out(
        &mut self,
        batch: &Batch,
        rules: &Rules,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        let pipeline = self.pipelines.of(&self.shared.device, rules)?;
        let chunks = jobs(batch, scores, self.shared.capacity);
        let lanes = chunks.len().clamp(1, self.max_lanes);
        self.make_lanes(lanes)?;
        let jobs = Jobs {
            batch,
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

/// The chunks of a batch, each with the place of its scores.
fn jobs<'a>(batch: &Batch, mut scores: &'a mut [i32], capacity: Capacity) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let (mut next, mut hint) = (0, 0);
    while let Some(chunk) = Chunk::at(batch, next, hint, capacity) {
        let (own, rest) = scores.split_at_mut(chunk.captures.len());
        (next, hint, scores) = (chunk.captures.end, chunk.positions.start, rest);
        jobs.push(Job { chunk, scores: own });
    }
    jobs
}

/// Runs all lanes, the first on this thread. Threads of their own, not rayon's:
/// to wait here on one of those could start another batch on it, which would wait
/// for this one.
fn run(lanes: &mut [Lane], shared: &Shared, jobs: &Jobs) -> Result<u64, BackendError> {
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

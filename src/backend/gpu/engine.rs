//! The ring: slots take turns, so that filling, computing and reading overlap.

use core::time::Duration;

use super::Options;
use super::chunks::{Capacity, Chunk};
use super::errors::{Mailbox, guarded, or_lost};
use super::pipelines::{self, Pipelines};
use super::slot::{self, Slot};
use crate::backend::BackendError;
use crate::{Batch, Rules};

/// One slot is filled or read while the others wait for the device, or it for
/// them.
const SLOTS: usize = 3;

/// Everything that lives on one device.
pub(super) struct Engine {
    device: wgpu::Device,
    queue: wgpu::Queue,
    mailbox: Mailbox,
    pipelines: Pipelines,
    slots: Vec<Slot>,
    capacity: Capacity,
    max_workgroups: u32,
    timeout: Duration,
    /// Nanoseconds a tick, where kernels are measured.
    tick: Option<f32>,
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
        let capacity = slot::capacity(options.chunk, &limits, max_workgroups);
        let timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let measured = options.timestamps && timestamps;
        let made = Pipelines::new(&device, &options.shader).and_then(|pipelines| {
            Ok((
                make_slots(&device, &pipelines, capacity, measured)?,
                pipelines,
            ))
        });
        let (slots, pipelines) = made.map_err(|error| or_lost(&device, error))?;
        let tick = measured.then(|| queue.get_timestamp_period());
        Ok(Engine {
            device,
            queue,
            mailbox,
            pipelines,
            slots,
            capacity,
            max_workgroups,
            timeout: options.timeout,
            tick,
        })
    }

    /// Scores a batch; the time of its kernels, where it is measured.
    pub fn score(
        &mut self,
        batch: &Batch,
        rules: &Rules,
        scores: &mut [i32],
    ) -> Result<Option<Duration>, BackendError> {
        let result = self.chunk_by_chunk(batch, rules, scores);
        // What the device said by itself tells more than what followed from it.
        match (self.mailbox.read(), result) {
            (None, Ok(ticks)) => Ok(self.tick.map(|tick| duration(ticks, tick))),
            (Some(error), _) | (None, Err(error)) => Err(or_lost(&self.device, error)),
        }
    }

    fn chunk_by_chunk(
        &mut self,
        batch: &Batch,
        rules: &Rules,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        let pipeline = self.pipelines.of(&self.device, rules)?;
        let (mut next, mut hint, mut ticks) = (0, 0, 0_u64);
        let mut turn = 0;
        while let Some(chunk) = Chunk::at(batch, next, hint, self.capacity) {
            ticks = ticks.saturating_add(self.collect(turn, scores)?);
            self.send(turn, batch, &chunk, rules, &pipeline)?;
            (next, hint) = (chunk.captures.end, chunk.positions.start);
            turn = (turn + 1) % SLOTS;
        }
        for oldest in turn..turn + SLOTS {
            ticks = ticks.saturating_add(self.collect(oldest % SLOTS, scores)?);
        }
        Ok(ticks)
    }

    fn send(
        &mut self,
        turn: usize,
        batch: &Batch,
        chunk: &Chunk,
        rules: &Rules,
        pipeline: &wgpu::ComputePipeline,
    ) -> Result<(), BackendError> {
        let (device, slot) = (&self.device, &mut self.slots[turn]);
        guarded(device, || {
            let groups = slot.fill(batch, chunk, rules, self.max_workgroups)?;
            slot.submit(device, &self.queue, pipeline, chunk, groups);
            Ok(())
        })
    }

    /// The kernel's ticks of the chunk that a slot had, if it had one.
    fn collect(&mut self, turn: usize, scores: &mut [i32]) -> Result<u64, BackendError> {
        let (device, slot) = (&self.device, &mut self.slots[turn]);
        guarded(device, || slot.collect(device, self.timeout, scores))
    }
}

fn make_slots(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    capacity: Capacity,
    measured: bool,
) -> Result<Vec<Slot>, BackendError> {
    let masks = pipelines::masks(device)?;
    guarded(device, || {
        let slot = |_| {
            let mut slot = Slot::new(device, pipelines, &masks, capacity);
            if measured {
                slot.measure(device);
            }
            slot
        };
        Ok((0..SLOTS).map(slot).collect())
    })
}

#[allow(clippy::cast_precision_loss)] // it is exact up to 104 days
fn duration(ticks: u64, nanoseconds_a_tick: f32) -> Duration {
    let nanoseconds = ticks as f64 * f64::from(nanoseconds_a_tick);
    Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default()
}

//! How long a GPU takes for the steps of a batch, by its own clock.

use core::time::Duration;

use swaplist::backend::BackendError;
use swaplist::gpu::{Commands, Context};
use wgpu::BufferUsages as Usage;

use crate::stages::BatchTimes;

/// The marks of a batch: before the first of five steps, and after each.
const MARKS: u32 = 6;
const SIZE: u64 = MARKS as u64 * 8;

/// Marks times in the commands of a batch.
pub struct StepTimer {
    marks: wgpu::QuerySet,
    /// The marks as numbers, on the device.
    numbers: wgpu::Buffer,
    /// A copy of them, read by the host.
    readback: wgpu::Buffer,
    /// Nanoseconds of a tick.
    tick: f64,
}

impl StepTimer {
    /// A timer; `None` if the device has no clock. Call it under error scopes, which report it if
    /// the device has no room for the buffers.
    pub fn new(context: &Context) -> Option<StepTimer> {
        let clock =
            wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !context.device.features().contains(clock) {
            return None;
        }
        let marks = context.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("steps"),
            ty: wgpu::QueryType::Timestamp,
            count: MARKS,
        });
        let on_device = Usage::QUERY_RESOLVE | Usage::COPY_SRC;
        Some(StepTimer {
            marks,
            numbers: context.buffer("steps", SIZE, on_device),
            readback: context.buffer("steps", SIZE, Usage::MAP_READ | Usage::COPY_DST),
            tick: f64::from(context.queue.get_timestamp_period()),
        })
    }

    /// Marks the time before the first step, 0, or after the step of this number.
    pub fn mark(&self, commands: &mut wgpu::CommandEncoder, number: u32) {
        commands.write_timestamp(&self.marks, number);
    }

    /// Copies the marks back, after the last one.
    pub fn collect(&self, commands: &mut Commands<'_>) {
        let encoder = &mut commands.encoder;
        encoder.resolve_query_set(&self.marks, 0..MARKS, &self.numbers, 0);
        encoder.copy_buffer_to_buffer(&self.numbers, 0, &self.readback, 0, SIZE);
        commands.map(&self.readback, wgpu::MapMode::Read, SIZE);
    }

    /// How long the steps took, once the commands have ended and the buffer is mapped.
    pub fn read(&self) -> Result<BatchTimes, BackendError> {
        let mapped = self.readback.get_mapped_range(..)?;
        let ticks: [u64; MARKS as usize] = bytemuck::pod_read_unaligned(&mapped);
        drop(mapped);
        self.readback.unmap();
        #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // less than days
        let step = |number: usize| {
            let ticks = ticks[number].saturating_sub(ticks[number - 1]);
            Duration::from_nanos((ticks as f64 * self.tick) as u64)
        };
        Ok(BatchTimes {
            upload: step(1),
            decode: step(2),
            judge: step(3),
            encode: step(4),
            download: step(5),
        })
    }
}

//! Kernel times on the device.

use core::time::Duration;

use wgpu::BufferUsages as Usage;

use super::context::{Commands, Context, Pending};

/// The begin and end of a compute pass, in ticks.
pub(super) struct Timestamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

impl Timestamps {
    /// The bytes of both.
    pub const SIZE: u64 = 16;

    /// `None` if kernels are not timed. Call it under error scopes.
    pub fn new(context: &Context) -> Option<Timestamps> {
        context.tick?;
        let set = context.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let usage = Usage::QUERY_RESOLVE | Usage::COPY_SRC;
        let resolved = context.buffer("timestamps", Timestamps::SIZE, usage);
        Some(Timestamps { set, resolved })
    }

    /// The timestamps that a pass writes.
    pub fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies them to the beginning of a buffer.
    pub fn read_back(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer) {
        encoder.resolve_query_set(&self.set, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, 0, Timestamps::SIZE);
    }

    /// The ticks between begin and end.
    pub fn ticks(bytes: &[u8]) -> u64 {
        let number = |at: usize| bytemuck::pod_read_unaligned::<u64>(&bytes[at..at + 8]);
        number(8).saturating_sub(number(0))
    }
}

/// The time of work that is not waited for yet.
pub(super) struct Stopwatch {
    device: wgpu::Device,
    readback: wgpu::Buffer,
    pending: Pending,
    tick: f32,
}

impl Stopwatch {
    /// Submits the commands and will return their time.
    pub fn submit(
        context: &Context,
        mut commands: Commands,
        stamps: &Timestamps,
    ) -> Option<Stopwatch> {
        let usage = Usage::MAP_READ | Usage::COPY_DST;
        let readback = context.buffer("timestamps", Timestamps::SIZE, usage);
        stamps.read_back(&mut commands.encoder, &readback);
        commands.map(&readback, wgpu::MapMode::Read, Timestamps::SIZE);
        Some(Stopwatch {
            device: context.device.clone(),
            readback,
            pending: commands.submit(),
            tick: context.tick?,
        })
    }

    /// Waits for the work; `None` if it does not end in time, or the device is lost.
    pub fn time(self, timeout: Duration) -> Option<Duration> {
        self.pending.wait(&self.device, timeout).ok()?;
        let bytes = self.readback.get_mapped_range(..).ok()?;
        Some(duration(Timestamps::ticks(&bytes), self.tick))
    }
}

#[allow(clippy::cast_precision_loss)] // exact up to 104 days
pub(super) fn duration(ticks: u64, nanoseconds_a_tick: f32) -> Duration {
    let nanoseconds = ticks as f64 * f64::from(nanoseconds_a_tick);
    Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default()
}

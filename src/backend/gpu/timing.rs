//! How long kernels take on the device.

use core::time::Duration;
use std::sync::mpsc;

use wgpu::BufferUsages as Usage;

use super::engine::duration;
use super::errors::{wait_for, wait_for_mapping};

/// Both ends of a compute pass, in ticks.
pub(super) struct Timestamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

impl Timestamps {
    /// How many bytes the two take.
    pub const SIZE: u64 = 16;

    /// Must be called under error scopes.
    pub fn new(device: &wgpu::Device) -> Timestamps {
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let usage = Usage::QUERY_RESOLVE | Usage::COPY_SRC;
        let resolved = buffer(device, usage);
        Timestamps { set, resolved }
    }

    /// What a pass writes.
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

    /// The ticks between the two, from what was copied.
    pub fn ticks(bytes: &[u8]) -> u64 {
        let number = |at: usize| bytemuck::pod_read_unaligned::<u64>(&bytes[at..at + 8]);
        number(8).saturating_sub(number(0))
    }
}

fn buffer(device: &wgpu::Device, usage: Usage) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("timestamps"),
        size: Timestamps::SIZE,
        usage,
        mapped_at_creation: false,
    })
}

/// The time of work that nobody has waited for yet.
pub(super) struct Stopwatch {
    device: wgpu::Device,
    readback: wgpu::Buffer,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
    submission: Option<wgpu::SubmissionIndex>,
    tick: f32,
}

impl Stopwatch {
    /// To be told by what is submitted with the encoder.
    pub fn start(
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        stamps: &Timestamps,
        tick: f32,
    ) -> Stopwatch {
        let readback = buffer(device, Usage::MAP_READ | Usage::COPY_DST);
        stamps.read_back(encoder, &readback);
        let (sender, mapped) = mpsc::channel();
        encoder.map_buffer_on_submit(&readback, wgpu::MapMode::Read, .., move |result| {
            // The receiver is gone where nobody asked for the time.
            let _ = sender.send(result);
        });
        Stopwatch {
            device: device.clone(),
            readback,
            mapped,
            submission: None,
            tick,
        }
    }

    pub fn submitted(mut self, submission: wgpu::SubmissionIndex) -> Stopwatch {
        self.submission = Some(submission);
        self
    }

    /// Waits for the work; `None` if it does not end in time, or the device is lost.
    pub fn time(self, timeout: Duration) -> Option<Duration> {
        wait_for(&self.device, self.submission?, timeout).ok()?;
        wait_for_mapping(&self.mapped, timeout).ok()?;
        let bytes = self.readback.get_mapped_range(..).ok()?;
        Some(duration(Timestamps::ticks(&bytes), self.tick))
    }
}

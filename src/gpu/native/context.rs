//! A device and its settings.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};

use wgpu::BufferUsages as Usage;

use super::errors::{Mailbox, or_lost};
use super::options::Options;
use crate::backend::BackendError;
use crate::gpu::program::{Capacity, Grid, Limits};

pub(super) struct Context {
    pub device: wgpu::Device,
    queue: wgpu::Queue,
    mailbox: Mailbox,
    pub limits: Limits,
    pub capacity: Capacity,
    pub grid: Grid,
    pub timeout: Duration,
}

impl Context {
    pub fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &Options,
    ) -> Result<Context, BackendError> {
        let limits = limits(&device.limits());
        options.check(&limits)?;
        let grid = Grid {
            shape: options.shape(),
            max_workgroups: options.max_workgroups.clamp(1, limits.workgroups),
        };
        Ok(Context {
            capacity: grid.capacity(options.chunk, &limits),
            timeout: options.timeout,
            limits,
            grid,
            device,
            queue,
            mailbox,
        })
    }

    /// Prefers the device's own report of an error over its consequences.
    pub fn explained<R>(&self, result: Result<R, BackendError>) -> Result<R, BackendError> {
        match (self.mailbox.read(), result) {
            (None, Ok(value)) => Ok(value),
            (Some(error), _) | (None, Err(error)) => Err(or_lost(&self.device, error)),
        }
    }

    /// A buffer; mapped if the host writes it. Call it under error scopes.
    pub fn buffer(&self, label: &str, size: u64, usage: Usage) -> wgpu::Buffer {
        self.make(label, size, usage, usage.contains(Usage::MAP_WRITE))
    }

    /// A buffer with this content. wgpu's own helper panics if the device is lost.
    pub fn filled(
        &self,
        label: &str,
        bytes: &[u8],
        usage: Usage,
    ) -> Result<wgpu::Buffer, BackendError> {
        let buffer = self.make(label, bytes.len() as u64, usage, true);
        buffer.get_mapped_range_mut(..)?.copy_from_slice(bytes);
        buffer.unmap();
        Ok(buffer)
    }

    fn make(&self, label: &str, size: u64, usage: Usage, mapped: bool) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: mapped,
        })
    }

    pub fn commands(&self) -> Commands<'_> {
        let (sender, mapped) = mpsc::channel();
        Commands {
            context: self,
            encoder: (self.device)
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
            sender,
            pending: Pending {
                submission: None,
                mapped,
                buffers: 0,
            },
        }
    }
}

fn limits(device: &wgpu::Limits) -> Limits {
    let invocations = device.max_compute_invocations_per_workgroup;
    Limits {
        buffer: device.max_buffer_size,
        binding: device.max_storage_buffer_binding_size,
        alignment: device.min_storage_buffer_offset_alignment,
        workgroups: device.max_compute_workgroups_per_dimension,
        invocations: invocations.min(device.max_compute_workgroup_size_x),
        workgroup_memory: device.max_compute_workgroup_storage_size,
    }
}

/// Commands to submit, and buffers to map afterwards.
pub(super) struct Commands<'a> {
    context: &'a Context,
    pub encoder: wgpu::CommandEncoder,
    sender: Sender<Result<(), wgpu::BufferAsyncError>>,
    pending: Pending,
}

impl Commands<'_> {
    pub fn map(&mut self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) {
        let sender = self.sender.clone();
        self.encoder
            .map_buffer_on_submit(buffer, mode, ..bytes, move |result| {
                // After an error nobody receives it.
                let _ = sender.send(result);
            });
        self.pending.buffers += 1;
    }

    pub fn submit(self) -> Pending {
        let submission = self.context.queue.submit([self.encoder.finish()]);
        Pending {
            submission: Some(submission),
            ..self.pending
        }
    }
}

pub(super) struct Pending {
    submission: Option<wgpu::SubmissionIndex>,
    /// Receives one result per mapped buffer.
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    buffers: usize,
}

impl Pending {
    /// Waits for its end and for its buffers to be mapped.
    pub fn wait(self, device: &wgpu::Device, timeout: Duration) -> Result<(), BackendError> {
        wait_for_end(device, self.submission, timeout)?;
        (0..self.buffers).try_for_each(|_| wait_for_mapping(&self.mapped, timeout))
    }
}

/// Catches the panic of wgpu when the driver fails.
fn wait_for_end(
    device: &wgpu::Device,
    submission_index: Option<wgpu::SubmissionIndex>,
    timeout: Duration,
) -> Result<(), BackendError> {
    let wait = wgpu::PollType::Wait {
        submission_index,
        timeout: Some(timeout),
    };
    match catch_unwind(AssertUnwindSafe(|| device.poll(wait))) {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(wgpu::PollError::Timeout)) => Err(BackendError::Timeout),
        // The submission was refused: error scopes tell why, and if they do not, the device is
        // lost.
        Ok(Err(error)) => Err(BackendError::Device(error.to_string())),
        Err(_) => Err(BackendError::Lost("waiting for it failed".to_owned())),
    }
}

/// Another thread that polled first may still be sending this result.
fn wait_for_mapping(
    mapped: &Receiver<Result<(), wgpu::BufferAsyncError>>,
    timeout: Duration,
) -> Result<(), BackendError> {
    match mapped.recv_timeout(timeout) {
        Ok(Ok(())) => Ok(()),
        Err(RecvTimeoutError::Timeout) => Err(BackendError::Timeout),
        Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(BackendError::Lost(
            "its memory could not be read".to_owned(),
        )),
    }
}

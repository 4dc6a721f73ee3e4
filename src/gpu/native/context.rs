//! A device with its queue and settings: makes buffers, submits commands and waits for them.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};

use wgpu::BufferUsages as Usage;

use super::errors::{Mailbox, guarded};
use super::options::Options;
use crate::backend::BackendError;
use crate::gpu::program::{Capacity, Grid, Limits};

/// A device, its queue, and what was settled when it was opened.
pub(super) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// The device's asynchronous errors.
    mailbox: Mailbox,
    pub limits: Limits,
    /// The most that a chunk holds.
    pub capacity: Capacity,
    pub grid: Grid,
    /// How long to wait for a submission, and then for buffers to be mapped.
    pub timeout: Duration,
}

impl Context {
    /// Fails if the options are out of range, or beyond the device's limits.
    pub fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &Options,
    ) -> Result<Context, BackendError> {
        let device_limits = device.limits();
        let invocations = device_limits.max_compute_invocations_per_workgroup;
        let limits = Limits {
            buffer: device_limits.max_buffer_size,
            binding: device_limits.max_storage_buffer_binding_size,
            alignment: device_limits.min_storage_buffer_offset_alignment,
            workgroups: device_limits.max_compute_workgroups_per_dimension,
            invocations: invocations.min(device_limits.max_compute_workgroup_size_x),
            workgroup_memory: device_limits.max_compute_workgroup_storage_size,
        };
        let grid = options.grid(&limits)?;
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

    /// The result, unless the device has reported an error: then that one, which is the cause of
    /// others.
    pub fn explained<R>(&self, result: Result<R, BackendError>) -> Result<R, BackendError> {
        match (self.mailbox.read(), result) {
            (None, Ok(value)) => Ok(value),
            (Some(error), _) | (None, Err(error)) => Err(self.or_lost(error)),
        }
    }

    /// The error, or [`BackendError::Lost`] if it is the device's and the device is lost. wgpu may
    /// not report that; but then a new buffer cannot be written, which is tried here.
    pub fn or_lost(&self, error: BackendError) -> BackendError {
        let BackendError::Device(what) = error else {
            return error;
        };
        let size = wgpu::COPY_BUFFER_ALIGNMENT;
        let make_probe = || {
            let is_mapped = true;
            Ok(self.make("probe", size, Usage::COPY_SRC, is_mapped))
        };
        match guarded(&self.device, make_probe) {
            Ok(probe) if probe.get_mapped_range_mut(..).is_err() => {
                let words: Vec<_> = what.split_whitespace().collect();
                BackendError::Lost(words.join(" "))
            }
            _ => BackendError::Device(what),
        }
    }

    /// Makes a buffer of `size` bytes, mapped if the host writes it. Call it under error scopes.
    pub fn buffer(&self, label: &str, size: u64, usage: Usage) -> wgpu::Buffer {
        self.make(label, size, usage, usage.contains(Usage::MAP_WRITE))
    }

    /// Makes a buffer with this content. (wgpu's own helper panics if the device is lost.)
    pub fn filled(
        &self,
        label: &str,
        bytes: &[u8],
        usage: Usage,
    ) -> Result<wgpu::Buffer, BackendError> {
        let is_mapped = true;
        let buffer = self.make(label, bytes.len() as u64, usage, is_mapped);
        buffer.get_mapped_range_mut(..)?.copy_from_slice(bytes);
        buffer.unmap();
        Ok(buffer)
    }

    fn make(&self, label: &str, size: u64, usage: Usage, is_mapped: bool) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: is_mapped,
        })
    }

    /// Waits for the end of a submission.
    pub fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), BackendError> {
        let end = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: Some(self.timeout),
        };
        // wgpu panics when the driver fails.
        match catch_unwind(AssertUnwindSafe(|| self.device.poll(end))) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => Err(BackendError::Timeout),
            // The submission was refused: error scopes tell why, and if they do not, the device
            // is lost.
            Ok(Err(error)) => Err(BackendError::Device(error.to_string())),
            Err(_) => Err(BackendError::Lost("waiting for it failed".to_owned())),
        }
    }

    /// Begins a list of commands.
    pub fn commands(&self) -> Commands<'_> {
        let (sender, mapped) = mpsc::channel();
        Commands {
            context: self,
            encoder: (self.device)
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
            sender,
            mapped,
            buffers: 0,
        }
    }
}

/// Commands to submit, and buffers to map afterwards.
pub(super) struct Commands<'a> {
    context: &'a Context,
    pub encoder: wgpu::CommandEncoder,
    sender: Sender<Result<(), wgpu::BufferAsyncError>>,
    /// Receives one result per mapped buffer.
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    /// The number of buffers to map.
    buffers: usize,
}

impl Commands<'_> {
    /// Maps the first `bytes` bytes of a buffer after the commands.
    pub fn map(&mut self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) {
        let sender = self.sender.clone();
        self.encoder
            .map_buffer_on_submit(buffer, mode, ..bytes, move |result| {
                // After an error the receiver is gone.
                let _ = sender.send(result);
            });
        self.buffers += 1;
    }

    /// Submits the commands without waiting.
    pub fn submit(self) -> Submitted {
        Submitted {
            end: self.context.queue.submit([self.encoder.finish()]),
            mapped: self.mapped,
            buffers: self.buffers,
        }
    }

    /// Submits the commands, and waits for their end and for buffers to be mapped.
    pub fn run(self) -> Result<(), BackendError> {
        let context = self.context;
        let submitted = self.submit();
        context.wait(submitted.end.clone())?;
        submitted.mapped(context)
    }
}

/// Commands on the device.
pub(super) struct Submitted {
    /// What to wait for.
    pub end: wgpu::SubmissionIndex,
    /// Receives one result per mapped buffer.
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    buffers: usize,
}

impl Submitted {
    /// Waits for buffers to be mapped, after the commands have ended. The thread that polled the
    /// device calls the callbacks, and may not have sent all results yet.
    pub fn mapped(&self, context: &Context) -> Result<(), BackendError> {
        for _ in 0..self.buffers {
            match self.mapped.recv_timeout(context.timeout) {
                Ok(Ok(())) => {}
                Err(RecvTimeoutError::Timeout) => return Err(BackendError::Timeout),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    let what = "its memory could not be read".to_owned();
                    return Err(BackendError::Lost(what));
                }
            }
        }
        Ok(())
    }
}

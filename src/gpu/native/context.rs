//! A device with its queue and settings: compiles programs, makes buffers, submits commands and
//! waits for them.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};

use wgpu::BufferUsages as Usage;

use super::errors::{Mailbox, guarded};
use super::options::GpuOptions;
use super::program::Program;
use crate::attacks::MASKS;
use crate::backend::BackendError;
use crate::gpu::program::{BINDINGS, Binding, DeviceLimits, SHADER, Shape};
use crate::locks::Mutex;

/// A device, its queue, and what was settled when it was opened: what kernels of your own need to
/// work beside swaplist's, in the same submission. [`Gpu::with_context`](super::Gpu::with_context)
/// lends it.
pub struct Context {
    /// The device.
    pub device: wgpu::Device,
    /// The device's queue.
    pub queue: wgpu::Queue,
    /// The device's asynchronous errors.
    mailbox: Mailbox,
    /// What the device can hold and dispatch.
    pub(super) limits: DeviceLimits,
    /// The size of workgroups, for which every kernel is compiled, and the most that a chunk holds.
    pub shape: Shape,
    /// How long to wait for a submission, and then for buffers to be mapped.
    pub(super) timeout: Duration,
    /// The shader that answers questions, [`SHADER`].
    pub kernels: Arc<Program>,
    /// The table of square masks ([`attacks::MASKS`](crate::attacks::MASKS)), which every shader binds.
    pub masks: wgpu::Buffer,
    /// [`GpuOptions::replaced`](super::GpuOptions::replaced).
    replaced: Vec<(String, String)>,
    /// Shaders of others, by their text.
    programs: Mutex<Vec<(String, Arc<Program>)>>,
}

impl Context {
    /// Fails if the options are out of range, or beyond the device's limits.
    pub(super) fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        mailbox: Mailbox,
        options: &GpuOptions,
    ) -> Result<Context, BackendError> {
        let device_limits = device.limits();
        let invocations = device_limits.max_compute_invocations_per_workgroup;
        let limits = DeviceLimits {
            buffer: device_limits.max_buffer_size,
            binding: device_limits.max_storage_buffer_binding_size,
            alignment: device_limits.min_storage_buffer_offset_alignment,
            workgroups: device_limits.max_compute_workgroups_per_dimension,
            invocations: invocations.min(device_limits.max_compute_workgroup_size_x),
            workgroup_memory: device_limits.max_compute_workgroup_storage_size,
        };
        let shape = options.shape(&limits)?;
        let kernels = guarded(&device, || {
            let text = with_own_text(SHADER, &options.replaced);
            Ok(Program::new(&device, &text, &BINDINGS))
        });
        let masks = guarded(&device, || {
            filled(
                &device,
                "masks",
                bytemuck::cast_slice(&MASKS),
                Usage::STORAGE,
            )
        });
        let (kernels, masks) = kernels
            .and_then(|kernels| Ok((kernels, masks?)))
            .map_err(|error| or_lost(&device, error))?;
        Ok(Context {
            kernels: Arc::new(kernels),
            masks,
            replaced: options.replaced.clone(),
            programs: Mutex::default(),
            timeout: options.timeout,
            limits,
            shape,
            device,
            queue,
            mailbox,
        })
    }

    /// A shader of your own, with these bindings in its group 0. It is parsed the first time; the
    /// same text then returns the same program, with what it has compiled; so a text has one layout.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device refuses the text.
    pub fn program(
        &self,
        source: &str,
        bindings: &[Binding],
    ) -> Result<Arc<Program>, BackendError> {
        let mut programs = self.programs.lock();
        if let Some((_, program)) = programs.iter().find(|(text, _)| text == source) {
            return Ok(Arc::clone(program));
        }
        let text = with_own_text(source, &self.replaced);
        let program = self.guarded(|| Ok(Program::new(&self.device, &text, bindings)))?;
        let program = Arc::new(program);
        programs.push((source.to_owned(), Arc::clone(&program)));
        Ok(program)
    }

    /// Makes calls on the device, and returns the first error that they raise, or else what they
    /// return. No other thread's errors are among them.
    ///
    /// # Errors
    ///
    /// The calls' own, or the device's as a [`BackendError`].
    pub fn guarded<T>(
        &self,
        calls: impl FnOnce() -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        guarded(&self.device, calls)
    }

    /// The result, unless the device has reported an error: then that one, which is the cause of
    /// others.
    ///
    /// # Errors
    ///
    /// The result's own, or the device's.
    pub fn explained<R>(&self, result: Result<R, BackendError>) -> Result<R, BackendError> {
        match (self.mailbox.read(), result) {
            (None, Ok(value)) => Ok(value),
            (Some(error), _) | (None, Err(error)) => Err(self.or_lost(error)),
        }
    }

    /// The error, or [`BackendError::Lost`] if it is the device's and the device is lost. wgpu may
    /// not report that; but then a new buffer cannot be written, which is tried here.
    pub(super) fn or_lost(&self, error: BackendError) -> BackendError {
        or_lost(&self.device, error)
    }

    /// Makes a buffer of `size` bytes, mapped if the host writes it. Call it under error scopes.
    pub fn buffer(&self, label: &str, size: u64, usage: Usage) -> wgpu::Buffer {
        make(
            &self.device,
            label,
            size,
            usage,
            usage.contains(Usage::MAP_WRITE),
        )
    }

    /// Makes a buffer with this content. (wgpu's own helper panics if the device is lost.)
    pub(super) fn filled(
        &self,
        label: &str,
        bytes: &[u8],
        usage: Usage,
    ) -> Result<wgpu::Buffer, BackendError> {
        filled(&self.device, label, bytes, usage)
    }

    /// Waits for the end of commands, and for the buffers that they map.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails, or takes longer than
    /// [`GpuOptions::timeout`](super::GpuOptions::timeout).
    pub fn finish(&self, submitted: &Submitted) -> Result<(), BackendError> {
        self.wait(submitted.end.clone())?;
        submitted.mapped(self)
    }

    /// Waits for the end of a submission.
    pub(super) fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), BackendError> {
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

/// A shader's text with those of [`GpuOptions::replaced`](super::GpuOptions::replaced).
fn with_own_text(shader: &str, replaced: &[(String, String)]) -> String {
    let text = shader.to_owned();
    (replaced.iter()).fold(text, |text, (there, own)| text.replace(there, own))
}

/// The error, or [`BackendError::Lost`] if it is the device's and the device is lost. wgpu may not
/// report that; but then a new buffer cannot be written, which is tried here.
fn or_lost(device: &wgpu::Device, error: BackendError) -> BackendError {
    let BackendError::Device(what) = error else {
        return error;
    };
    let size = wgpu::COPY_BUFFER_ALIGNMENT;
    match guarded(device, || {
        Ok(make(device, "probe", size, Usage::COPY_SRC, true))
    }) {
        Ok(probe) if probe.get_mapped_range_mut(..).is_err() => {
            let words: Vec<_> = what.split_whitespace().collect();
            BackendError::Lost(words.join(" "))
        }
        _ => BackendError::Device(what),
    }
}

/// Makes a buffer with this content. (wgpu's own helper panics if the device is lost.)
fn filled(
    device: &wgpu::Device,
    label: &str,
    bytes: &[u8],
    usage: Usage,
) -> Result<wgpu::Buffer, BackendError> {
    let buffer = make(device, label, bytes.len() as u64, usage, true);
    buffer.get_mapped_range_mut(..)?.copy_from_slice(bytes);
    buffer.unmap();
    Ok(buffer)
}

fn make(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: Usage,
    is_mapped: bool,
) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: is_mapped,
    })
}

/// Commands to submit, and buffers to map afterwards.
pub struct Commands<'a> {
    context: &'a Context,
    /// Where the commands are recorded.
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
    pub(super) fn run(self) -> Result<(), BackendError> {
        let context = self.context;
        context.finish(&self.submit())
    }
}

/// Commands on the device.
pub struct Submitted {
    /// What to wait for.
    pub(super) end: wgpu::SubmissionIndex,
    /// Receives one result per mapped buffer.
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
    buffers: usize,
}

impl Submitted {
    /// Waits for buffers to be mapped, after the commands have ended ([`Context::wait`]). The thread
    /// that polled the device calls the callbacks, and may not have sent all results yet.
    pub(super) fn mapped(&self, context: &Context) -> Result<(), BackendError> {
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

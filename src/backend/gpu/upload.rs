//! How fast positions get to a device: nothing that begins in host memory is faster.

use core::time::Duration;
use std::num::NonZeroUsize;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Instant;

use wgpu::BufferUsages as Usage;

use super::errors::{Mailbox, guarded, or_lost, wait_for, wait_for_mapping};
use super::{Options, adapter, engine, sizes};
use crate::Position;
use crate::backend::BackendError;

/// So many chunks of a thread are under way at most, as in the backend.
const SLOTS: usize = 3;

/// Brings positions to a device and does nothing with them there: what a backend
/// that starts from host memory is to be compared with.
///
/// Chunks, threads and buffers are those that a [`Gpu`](super::Gpu) of the same
/// [`Options`] has.
pub struct Upload {
    device: wgpu::Device,
    queue: wgpu::Queue,
    mailbox: Mailbox,
    /// Positions a chunk.
    chunk: usize,
    timeout: Duration,
    lanes: Vec<[Slot; SLOTS]>,
}

impl Upload {
    /// To the adapter that [`Gpu::open`](super::Gpu::open) takes for this name.
    ///
    /// # Errors
    ///
    /// As [`Gpu::open`](super::Gpu::open).
    pub fn open(name: Option<&str>, options: &Options) -> Result<Upload, BackendError> {
        let (device, queue) = adapter::open(&adapter::by_name(name)?, false)?;
        let limits = device.limits();
        options.check(&limits)?;
        let grid = sizes::Grid {
            shape: options.shape,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
        };
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let lanes = options.lanes.unwrap_or(cores.min(engine::MAX_LANES));
        let chunk = sizes::capacity(options.chunk, &limits, grid).verdicts;
        let slots = || Ok(core::array::from_fn(|_| Slot::new(&device, chunk)));
        let lanes = (0..lanes).map(|_| guarded(&device, slots));
        Ok(Upload {
            lanes: lanes.collect::<Result<_, _>>()?,
            mailbox: Mailbox::of(&device),
            device,
            queue,
            chunk,
            timeout: options.timeout,
        })
    }

    /// How long it takes to copy so many positions that lie in staging memory
    /// already: the bus alone.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device cannot go on.
    pub fn copy(&mut self, positions: usize) -> Result<Duration, BackendError> {
        for slot in self.lanes.iter_mut().flatten() {
            slot.unmap();
        }
        let start = Instant::now();
        let result = guarded(&self.device, || self.copy_all(positions));
        self.explained(result)?;
        Ok(start.elapsed())
    }

    fn copy_all(&self, positions: usize) -> Result<(), BackendError> {
        let mut slots = self.lanes.iter().flatten().cycle();
        let mut left = positions;
        let mut last = None;
        while let (1.., Some(slot)) = (left, slots.next()) {
            let count = left.min(self.chunk);
            let mut encoder = encoder(&self.device);
            slot.copy(&mut encoder, count);
            last = Some(self.queue.submit([encoder.finish()]));
            left -= count;
        }
        last.map_or(Ok(()), |last| wait_for(&self.device, last, self.timeout))
    }

    /// How long it takes to bring positions there from ordinary memory: each thread
    /// fills its staging memory and has it copied, in turns, as the backend does.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device cannot go on.
    pub fn fill_and_copy(&mut self, positions: &[Position]) -> Result<Duration, BackendError> {
        let result = self.map_all();
        self.explained(result)?;
        let start = Instant::now();
        let result = self.bring(positions);
        self.explained(result)?;
        Ok(start.elapsed())
    }

    fn map_all(&mut self) -> Result<(), BackendError> {
        let (device, timeout) = (&self.device, self.timeout);
        for slot in self.lanes.iter_mut().flatten() {
            guarded(device, || {
                if !slot.mapped {
                    slot.submit(device, &self.queue, 0);
                }
                slot.wait(device, timeout)
            })?;
        }
        Ok(())
    }

    fn bring(&mut self, positions: &[Position]) -> Result<(), BackendError> {
        let wanted = positions.len().div_ceil(self.chunk);
        let lanes = self.lanes.len().min(wanted);
        let chunks = Mutex::new(positions.chunks(self.chunk));
        let to = Link {
            device: &self.device,
            queue: &self.queue,
            timeout: self.timeout,
        };
        let next = || chunks.lock().ok()?.next();
        let work = |slots: &mut [Slot]| {
            let mut turns = (0..SLOTS).cycle();
            while let (Some(chunk), Some(turn)) = (next(), turns.next()) {
                guarded(to.device, || slots[turn].send(&to, chunk))?;
            }
            let mut slots = slots.iter_mut();
            slots.try_for_each(|slot| guarded(to.device, || slot.wait(to.device, to.timeout)))
        };
        let Some((first, others)) = self.lanes[..lanes].split_first_mut() else {
            return Ok(());
        };
        thread::scope(|scope| {
            let threads: Vec<_> = others
                .iter_mut()
                .map(|slots| scope.spawn(|| work(slots)))
                .collect();
            let mut result = work(first);
            for thread in threads {
                let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
                result = result.and(thread.join().unwrap_or_else(panicked));
            }
            result
        })
    }

    /// What the device said by itself tells more than what followed from it.
    fn explained<T>(&self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        match (self.mailbox.read(), result) {
            (None, Ok(value)) => Ok(value),
            (Some(error), _) | (None, Err(error)) => Err(or_lost(&self.device, error)),
        }
    }
}

struct Link<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    timeout: Duration,
}

/// Staging memory, and where it is copied to.
struct Slot {
    staging: wgpu::Buffer,
    positions: wgpu::Buffer,
    pending: Option<Pending>,
    mapped: bool,
}

/// A copy under way, and word of its staging memory being mapped again.
struct Pending {
    submission: wgpu::SubmissionIndex,
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Slot {
    /// Must be called under error scopes.
    fn new(device: &wgpu::Device, chunk: usize) -> Slot {
        let buffer = |usage, mapped_at_creation| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("upload"),
                size: chunk as u64 * sizes::POSITION_SIZE,
                usage,
                mapped_at_creation,
            })
        };
        Slot {
            staging: buffer(Usage::MAP_WRITE | Usage::COPY_SRC, true),
            positions: buffer(Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC, false),
            pending: None,
            mapped: true,
        }
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder, positions: usize) {
        let size = positions as u64 * sizes::POSITION_SIZE;
        encoder.copy_buffer_to_buffer(&self.staging, 0, &self.positions, 0, size);
    }

    fn unmap(&mut self) {
        if core::mem::take(&mut self.mapped) {
            self.staging.unmap();
        }
    }

    /// Has the first positions copied, and the staging memory mapped again behind it.
    fn submit(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, positions: usize) {
        self.unmap();
        let mut encoder = encoder(device);
        if positions > 0 {
            self.copy(&mut encoder, positions);
        }
        let (tell, mapped) = mpsc::channel();
        encoder.map_buffer_on_submit(&self.staging, wgpu::MapMode::Write, .., move |result| {
            // The receiver is gone where an error has ended it all.
            let _ = tell.send(result);
        });
        self.pending = Some(Pending {
            submission: queue.submit([encoder.finish()]),
            mapped,
        });
    }

    /// Until the staging memory is mapped.
    fn wait(&mut self, device: &wgpu::Device, timeout: Duration) -> Result<(), BackendError> {
        if let Some(pending) = self.pending.take() {
            wait_for(device, pending.submission, timeout)?;
            wait_for_mapping(&pending.mapped, timeout)?;
            self.mapped = true;
        }
        Ok(())
    }

    /// Fills the staging memory, once it is free, and has it copied.
    fn send(&mut self, to: &Link<'_>, chunk: &[Position]) -> Result<(), BackendError> {
        self.wait(to.device, to.timeout)?;
        let bytes: &[u8] = bytemuck::cast_slice(chunk);
        self.staging
            .get_mapped_range_mut(..bytes.len() as u64)?
            .copy_from_slice(bytes);
        self.submit(to.device, to.queue, chunk.len());
        Ok(())
    }
}

fn encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies in a buffer on the device, through one that the host can read.
    fn read(upload: &Upload, buffer: &wgpu::Buffer, positions: usize) -> Vec<Position> {
        let size = positions as u64 * sizes::POSITION_SIZE;
        let readback = upload.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: Usage::MAP_READ | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = encoder(&upload.device);
        encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, size);
        let (tell, mapped) = mpsc::channel();
        encoder.map_buffer_on_submit(&readback, wgpu::MapMode::Read, .., move |result| {
            let _ = tell.send(result);
        });
        let submission = upload.queue.submit([encoder.finish()]);
        wait_for(&upload.device, submission, upload.timeout).unwrap();
        wait_for_mapping(&mapped, upload.timeout).unwrap();
        bytemuck::cast_slice(&readback.get_mapped_range(..).unwrap()).to_vec()
    }

    #[test]
    fn every_position_gets_there() {
        let wanted = std::env::var("GPU_TESTS").ok();
        if wanted.as_deref() == Some("off") {
            eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
            return;
        }
        let options = Options::new().chunk(100).lanes(1);
        let mut upload = Upload::open(wanted.as_deref(), &options).unwrap();
        let position = |i: u64| bytemuck::cast([i, 0, 0, i + 1]);
        let positions: Vec<Position> = (0..770).map(position).collect();
        for _ in 0..2 {
            // Chunks 6, 7 and 5 lie in the three slots.
            upload.fill_and_copy(&positions).unwrap();
            let slots = &upload.lanes[0];
            assert_eq!(read(&upload, &slots[0].positions, 100), positions[600..700]);
            assert_eq!(read(&upload, &slots[1].positions, 70), positions[700..]);
            assert_eq!(read(&upload, &slots[2].positions, 100), positions[500..600]);
            // What lies in staging memory is copied again.
            assert!(upload.copy(250).unwrap() > Duration::ZERO);
            assert_eq!(
                read(&upload, &upload.lanes[0][1].positions, 70),
                positions[700..]
            );
        }
        upload.fill_and_copy(&[]).unwrap();
        upload.copy(0).unwrap();
    }
}

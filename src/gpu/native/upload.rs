//! The speed of uploads: a floor for everything that starts from host memory.

use core::time::Duration;
use std::time::Instant;

use wgpu::BufferUsages as Usage;

use super::adapter;
use super::context::Context;
use super::errors::{Mailbox, guarded};
use super::options::Options;
use crate::backend::BackendError;
use crate::gpu::program::POSITION_SIZE;

/// Limit on chunks in flight.
const SLOTS: usize = 8;

/// Uploads positions and does nothing else, to compare a backend with. The chunks are those of
/// a [`Gpu`](super::Gpu) with the same [`Options`].
pub struct Upload {
    context: Context,
    /// Staging and device buffers.
    slots: Vec<[wgpu::Buffer; 2]>,
}

impl Upload {
    /// Opens the adapter that [`Gpu::open`](super::Gpu::open) would.
    ///
    /// # Errors
    ///
    /// As for [`Gpu::open`](super::Gpu::open).
    pub fn open(name: Option<&str>, options: &Options) -> Result<Upload, BackendError> {
        let (device, queue) = adapter::open(&adapter::by_name(name)?, false)?;
        let mailbox = Mailbox::of(&device);
        let context = Context::new(device, queue, mailbox, options)?;
        let bytes = vec![1; context.capacity.verdicts * POSITION_SIZE as usize];
        let slot = |_| {
            let staging = Usage::MAP_WRITE | Usage::COPY_SRC;
            let positions = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
            Ok([
                context.filled("staging", &bytes, staging)?,
                context.buffer("positions", bytes.len() as u64, positions),
            ])
        };
        let slots = guarded(&context.device, || (0..SLOTS).map(slot).collect());
        Ok(Upload {
            slots: context.explained(slots)?,
            context,
        })
    }

    /// The time to copy this many positions from staging memory: the bus alone.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails.
    pub fn copy(&mut self, positions: usize) -> Result<Duration, BackendError> {
        let result = guarded(&self.context.device, || self.copy_all(positions));
        self.context.explained(result)
    }

    fn copy_all(&self, positions: usize) -> Result<Duration, BackendError> {
        let (context, start) = (&self.context, Instant::now());
        let chunk = context.capacity.verdicts;
        let mut last = None;
        for (first, [from, to]) in (0..positions).step_by(chunk).zip(self.slots.iter().cycle()) {
            let size = chunk.min(positions - first) as u64 * POSITION_SIZE;
            let mut commands = context.commands();
            commands.encoder.copy_buffer_to_buffer(from, 0, to, 0, size);
            last = Some(commands.submit());
        }
        last.map_or(Ok(()), |last| last.wait(&context.device, context.timeout))?;
        Ok(start.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a slot's device buffer.
    fn read(upload: &Upload, slot: usize) -> Vec<u8> {
        let context = &upload.context;
        let [_, positions] = &upload.slots[slot];
        let usage = Usage::MAP_READ | Usage::COPY_DST;
        let readback = context.buffer("readback", positions.size(), usage);
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        encoder.copy_buffer_to_buffer(positions, 0, &readback, 0, positions.size());
        commands.map(&readback, wgpu::MapMode::Read, positions.size());
        let pending = commands.submit();
        pending.wait(&context.device, context.timeout).unwrap();
        readback.get_mapped_range(..).unwrap().to_vec()
    }

    #[test]
    fn every_position_gets_there() {
        let wanted = std::env::var("GPU_TESTS").ok();
        if wanted.as_deref() == Some("off") {
            eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
            return;
        }
        let options = Options::new().chunk(100);
        let mut upload = Upload::open(wanted.as_deref(), &options).unwrap();
        assert!(upload.copy(270).unwrap() > Duration::ZERO);
        for (slot, positions) in [(0, 100), (1, 100), (2, 70), (3, 0)] {
            let there = [1; 32].repeat(positions);
            let missing = [0; 32].repeat(100 - positions);
            assert_eq!(read(&upload, slot), [there, missing].concat(), "{slot}");
        }
        // Uses every slot several times.
        upload.copy(100 * 3 * SLOTS).unwrap();
        assert_eq!(read(&upload, SLOTS - 1), [1; 32].repeat(100));
        upload.copy(0).unwrap();
    }
}

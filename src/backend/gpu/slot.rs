//! One slot of the ring: the buffers of a chunk, from upload to readback.

use core::mem::offset_of;
use core::time::Duration;
use std::sync::mpsc::{self, RecvTimeoutError};

use wgpu::BufferUsages as Usage;

use super::chunks::{Capacity, Chunk};
use super::errors::wait_for;
use super::pipelines::Pipelines;
use super::shader::{NO_SCORE, POISON, Params, binding};
use super::sizes::{
    PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, SCORES_AT, SERIAL_AT, WORD, fold, requests_at,
    staging_size,
};
use crate::backend::BackendError;
use crate::{Batch, Rules};

pub(super) struct Slot {
    capacity: Capacity,
    /// Written by the host while it is mapped, copied from by the device.
    staging: wgpu::Buffer,
    params: wgpu::Buffer,
    positions: wgpu::Buffer,
    requests: wgpu::Buffer,
    scores: wgpu::Buffer,
    /// Copied to by the device, read by the host.
    readback: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    timestamps: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    /// Of the chunk filled last. It travels with the chunk to the device and back,
    /// so that scores left behind by an earlier one are never taken for its own.
    serial: u64,
    pending: Option<Pending>,
}

/// A chunk that the device is at work on.
struct Pending {
    submission: wgpu::SubmissionIndex,
    /// Receives one result for each of the two buffers that are mapped again.
    mapped: mpsc::Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Slot {
    /// Must be called under error scopes.
    pub fn new(
        device: &wgpu::Device,
        pipelines: &Pipelines,
        masks: &wgpu::Buffer,
        capacity: Capacity,
    ) -> Slot {
        let buffer = |label, size, usage, mapped_at_creation| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation,
            })
        };
        let on_device = |label, size| {
            buffer(
                label,
                size,
                Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
                false,
            )
        };
        let staged = staging_size(capacity);
        let words = capacity.captures as u64 * WORD;
        let staging = buffer("staging", staged, Usage::MAP_WRITE | Usage::COPY_SRC, true);
        let uniform = Usage::UNIFORM | Usage::COPY_DST | Usage::COPY_SRC;
        let params = buffer("params", PARAMS_SIZE, uniform, false);
        let positions = on_device("positions", capacity.positions as u64 * POSITION_SIZE);
        let requests = on_device("requests", words);
        let scores = on_device("scores", words);
        let read = Usage::MAP_READ | Usage::COPY_DST;
        let readback = buffer("readback", SCORES_AT + words, read, false);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("slot"),
            layout: &pipelines.group_layout,
            entries: &[
                entry(binding::PARAMS, &params),
                entry(binding::MASKS, masks),
                entry(binding::POSITIONS, &positions),
                entry(binding::REQUESTS, &requests),
                entry(binding::SCORES, &scores),
            ],
        });
        Slot {
            capacity,
            staging,
            params,
            positions,
            requests,
            scores,
            readback,
            bindings,
            timestamps: None,
            serial: 0,
            pending: None,
        }
    }

    /// Measures kernels from now on. Must be called under error scopes.
    pub fn measure(&mut self, device: &wgpu::Device) {
        let set = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let resolved = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("timestamps"),
            size: SERIAL_AT,
            usage: Usage::QUERY_RESOLVE | Usage::COPY_SRC,
            mapped_at_creation: false,
        });
        self.timestamps = Some((set, resolved));
    }

    /// Writes a chunk into the mapped staging buffer and unmaps it.
    pub fn fill(
        &mut self,
        batch: &Batch,
        chunk: &Chunk,
        rules: &Rules,
        max_workgroups: u32,
    ) -> Result<(u32, u32), BackendError> {
        let count = chunk.captures.len() as u32;
        let groups = fold(count, max_workgroups);
        self.serial += 1;
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(self.serial.to_le_bytes()),
            values: rules.values,
        };
        let positions: &[u8] = bytemuck::cast_slice(&batch.positions()[chunk.positions.clone()]);
        let requests_at = requests_at(self.capacity) as usize;
        let requests_end = requests_at + chunk.captures.len() * WORD as usize;
        {
            let mut staged = self.staging.get_mapped_range_mut(..)?;
            staged
                .slice(..PARAMS_SIZE as usize)
                .copy_from_slice(bytemuck::bytes_of(&params));
            staged
                .slice(POSITIONS_AT as usize..POSITIONS_AT as usize + positions.len())
                .copy_from_slice(positions);
            let words = staged.slice(requests_at..requests_end).into_chunks().0;
            words.write_iter(chunk.requests(batch));
        }
        self.staging.unmap();
        Ok(groups)
    }

    /// Sends the filled chunk on its way: copies, the kernel, the readback.
    pub fn submit(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipeline: &wgpu::ComputePipeline,
        chunk: &Chunk,
        groups: (u32, u32),
    ) {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let words = chunk.captures.len() as u64 * WORD;
        self.upload(
            &mut encoder,
            chunk.positions.len() as u64 * POSITION_SIZE,
            words,
        );
        self.dispatch(&mut encoder, pipeline, groups);
        encoder.copy_buffer_to_buffer(&self.scores, 0, &self.readback, SCORES_AT, words);
        let serial = offset_of!(Params, serial) as u64;
        encoder.copy_buffer_to_buffer(&self.params, serial, &self.readback, SERIAL_AT, 2 * WORD);
        if let Some((set, resolved)) = &self.timestamps {
            encoder.resolve_query_set(set, 0..2, resolved, 0);
            encoder.copy_buffer_to_buffer(resolved, 0, &self.readback, 0, SERIAL_AT);
        }
        let (sender, mapped) = mpsc::channel();
        let tell = |sender: mpsc::Sender<_>| {
            move |result| {
                // The receiver is gone where an error has ended the batch.
                let _ = sender.send(result);
            }
        };
        let written = ..SCORES_AT + words;
        encoder.map_buffer_on_submit(
            &self.readback,
            wgpu::MapMode::Read,
            written,
            tell(sender.clone()),
        );
        encoder.map_buffer_on_submit(&self.staging, wgpu::MapMode::Write, .., tell(sender));
        self.pending = Some(Pending {
            submission: queue.submit([encoder.finish()]),
            mapped,
        });
    }

    fn upload(&self, encoder: &mut wgpu::CommandEncoder, positions: u64, requests: u64) {
        let mut copy = |from, to, size| {
            encoder.copy_buffer_to_buffer(&self.staging, from, to, 0, size);
        };
        copy(0, &self.params, PARAMS_SIZE);
        copy(POSITIONS_AT, &self.positions, positions);
        copy(requests_at(self.capacity), &self.requests, requests);
        // Zero, once its sign bit is flipped, is no score: see POISON.
        encoder.clear_buffer(&self.scores, 0, Some(requests));
    }

    fn dispatch(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        groups: (u32, u32),
    ) {
        let timestamps = self.timestamps.as_ref().map(|(set, _)| set);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("score"),
            timestamp_writes: timestamps.map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(0),
                end_of_pass_write_index: Some(1),
            }),
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(groups.0, groups.1, 1);
    }

    /// Waits for the chunk under way and copies its scores to their places. Gives
    /// the kernel's time, in ticks, where it is measured.
    pub fn collect(
        &mut self,
        device: &wgpu::Device,
        timeout: Duration,
        scores: &mut [i32],
    ) -> Result<u64, BackendError> {
        let Some(pending) = self.pending.take() else {
            return Ok(0);
        };
        wait_for(device, pending.submission, timeout)?;
        for _ in [&self.readback, &self.staging] {
            // Another thread may be about to send this, if it saw the end first.
            match pending.mapped.recv_timeout(timeout) {
                Ok(Ok(())) => {}
                Err(RecvTimeoutError::Timeout) => return Err(BackendError::Timeout),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(unreadable()),
            }
        }
        let size = SCORES_AT + scores.len() as u64 * WORD;
        let ticks = {
            let bytes = self.readback.get_mapped_range(..size)?;
            let number =
                |at: u64| bytemuck::pod_read_unaligned::<u64>(&bytes[at as usize..at as usize + 8]);
            if number(SERIAL_AT) != self.serial {
                return Err(wrong("they are another chunk's"));
            }
            read(&bytes[SCORES_AT as usize..], scores)?;
            number(8).saturating_sub(number(0))
        };
        self.readback.unmap();
        Ok(if self.timestamps.is_some() { ticks } else { 0 })
    }
}

fn unreadable() -> BackendError {
    BackendError::Lost("its memory could not be read".to_owned())
}

fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    }
}

fn wrong(what: &str) -> BackendError {
    BackendError::Wrong(what.to_owned())
}

/// Undoes the flipped sign bit and looks whether every word is a score.
fn read(bytes: &[u8], scores: &mut [i32]) -> Result<(), BackendError> {
    let words: &[u32] =
        bytemuck::try_cast_slice(bytes).map_err(|_| wrong("readback is not aligned"))?;
    let mut largest = 0;
    for (score, word) in scores.iter_mut().zip(words) {
        *score = (word ^ POISON).cast_signed();
        largest = largest.max(score.unsigned_abs());
    }
    if largest < NO_SCORE {
        Ok(())
    } else if largest == POISON {
        Err(wrong("a score was not written"))
    } else {
        Err(wrong("a score is beyond all possible ones"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwritten_and_impossible_words_are_no_scores() {
        let mut scores = [7; 3];
        let read = |words: [u32; 3], scores: &mut [i32; 3]| {
            super::read(bytemuck::cast_slice(&words), scores)
        };
        let word = |score: i32| score.cast_unsigned() ^ POISON;
        assert_eq!(read([word(0), word(100), word(-5)], &mut scores), Ok(()));
        assert_eq!(scores, [0, 100, -5]);
        for bad in [0, word(i32::MAX), word(1 << 24), word(-1 << 24)] {
            let error = read([word(0), bad, word(1)], &mut scores).unwrap_err();
            assert!(matches!(error, BackendError::Wrong(_)));
        }
    }

    /// A chunk that never reached the device leaves an earlier one's scores.
    #[test]
    fn scores_of_an_earlier_chunk_are_wrong() {
        let wanted = std::env::var("GPU_TESTS").ok();
        if wanted.as_deref() == Some("off") {
            eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
            return;
        }
        let adapter = super::super::adapter::by_name(wanted.as_deref()).unwrap();
        let (device, queue) = super::super::adapter::open(&adapter, false).unwrap();
        let mut pipelines = Pipelines::new(&device, super::super::shader::SHADER).unwrap();
        let masks = super::super::pipelines::masks(&device).unwrap();
        let pipeline = pipelines.of(&device, &Rules::SWAP).unwrap();
        let capacity = super::super::sizes::capacity(100, &device.limits(), 10);
        let mut slot = Slot::new(&device, &pipelines, &masks, capacity);

        let mut batch = Batch::new();
        let position: crate::Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
        batch.push(position, crate::noisy_moves(&position));
        let chunk = Chunk::at(&batch, 0, 0, capacity).unwrap();
        let mut round = |lost: u64| {
            let groups = slot.fill(&batch, &chunk, &Rules::SWAP, 10)?;
            slot.submit(&device, &queue, &pipeline, &chunk, groups);
            slot.serial += lost;
            let mut scores = [0];
            slot.collect(&device, Duration::from_secs(30), &mut scores)?;
            Ok(scores)
        };
        assert_eq!(round(0), Ok([100]));
        assert_eq!(round(0), Ok([100]));
        assert!(matches!(round(1), Err(BackendError::Wrong(_))));
    }
}

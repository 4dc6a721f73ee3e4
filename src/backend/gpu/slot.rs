//! One slot of the ring: the buffers of a chunk, from upload to readback.

use core::mem::offset_of;
use core::time::Duration;
use std::sync::mpsc;

use wgpu::BufferUsages as Usage;

use super::chunks::{Capacity, Chunk};
use super::errors::{wait_for, wait_for_mapping};
use super::pipelines::Pipelines;
use super::shader::{Params, binding};
use super::sizes::{
    Grid, PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, RESULTS_AT, SERIAL_AT, WORD, positions_size,
    requests_at, results_size, staging_size,
};
use super::task::Task;
use super::timing::Timestamps;
use crate::Rules;
use crate::backend::BackendError;

pub(super) struct Slot {
    capacity: Capacity,
    /// Written by the host while it is mapped, copied from by the device.
    staging: wgpu::Buffer,
    params: wgpu::Buffer,
    positions: wgpu::Buffer,
    requests: wgpu::Buffer,
    results: wgpu::Buffer,
    /// Copied to by the device, read by the host.
    readback: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    timestamps: Option<Timestamps>,
    /// Of the chunk filled last. It travels with the chunk to the device and back,
    /// so that results left behind by an earlier one are never taken for its own.
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
        let staging = buffer("staging", staged, Usage::MAP_WRITE | Usage::COPY_SRC, true);
        let uniform = Usage::UNIFORM | Usage::COPY_DST | Usage::COPY_SRC;
        let params = buffer("params", PARAMS_SIZE, uniform, false);
        let positions = on_device("positions", positions_size(capacity));
        let requests = on_device("requests", capacity.captures as u64 * WORD);
        let results = on_device("results", results_size(capacity));
        let read = Usage::MAP_READ | Usage::COPY_DST;
        let readback = buffer("readback", RESULTS_AT + results_size(capacity), read, false);
        let bound = [
            (binding::PARAMS, params.as_entire_binding()),
            (binding::MASKS, masks.as_entire_binding()),
            (binding::POSITIONS, positions.as_entire_binding()),
            (binding::REQUESTS, requests.as_entire_binding()),
            (binding::RESULTS, results.as_entire_binding()),
        ];
        let bindings = pipelines.bind(device, bound);
        Slot {
            capacity,
            staging,
            params,
            positions,
            requests,
            results,
            readback,
            bindings,
            timestamps: None,
            serial: 0,
            pending: None,
        }
    }

    /// Measures kernels from now on. Must be called under error scopes.
    pub fn measure(&mut self, device: &wgpu::Device) {
        self.timestamps = Some(Timestamps::new(device));
    }

    /// Writes a chunk into the mapped staging buffer and unmaps it.
    pub fn fill<T: Task>(
        &mut self,
        task: &T,
        chunk: &Chunk,
        rules: &Rules,
        grid: Grid,
    ) -> Result<(u32, u32), BackendError> {
        let count = T::results(chunk) as u32;
        let groups = grid.of(task.kernel(), count);
        self.serial += 1;
        let params = Params {
            count,
            groups_x: groups.0,
            serial: bytemuck::cast(self.serial.to_le_bytes()),
            values: rules.values,
        };
        let positions: &[u8] = bytemuck::cast_slice(&task.positions()[chunk.positions.clone()]);
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
            words.write_iter(task.requests(chunk));
        }
        self.staging.unmap();
        Ok(groups)
    }

    /// Sends the filled chunk on its way: copies, the kernel, the readback.
    pub fn submit<T: Task>(
        &mut self,
        task: &T,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipeline: &wgpu::ComputePipeline,
        chunk: &Chunk,
        groups: (u32, u32),
    ) {
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let size = task.size(T::results(chunk));
        self.upload(&mut encoder, chunk);
        // Zeros are neither a score nor a verdict: what nothing wrote is seen.
        encoder.clear_buffer(&self.results, 0, Some(size));
        self.dispatch(&mut encoder, pipeline, groups);
        encoder.copy_buffer_to_buffer(&self.results, 0, &self.readback, RESULTS_AT, size);
        let serial = offset_of!(Params, serial) as u64;
        encoder.copy_buffer_to_buffer(&self.params, serial, &self.readback, SERIAL_AT, 2 * WORD);
        if let Some(timestamps) = &self.timestamps {
            timestamps.read_back(&mut encoder, &self.readback);
        }
        let (sender, mapped) = mpsc::channel();
        let tell = |sender: mpsc::Sender<_>| {
            move |result| {
                // The receiver is gone where an error has ended the batch.
                let _ = sender.send(result);
            }
        };
        let written = ..RESULTS_AT + size;
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

    fn upload(&self, encoder: &mut wgpu::CommandEncoder, chunk: &Chunk) {
        let positions = chunk.positions.len() as u64 * POSITION_SIZE;
        let requests = chunk.captures.len() as u64 * WORD;
        let mut copy = |from, to, size| {
            encoder.copy_buffer_to_buffer(&self.staging, from, to, 0, size);
        };
        copy(0, &self.params, PARAMS_SIZE);
        copy(POSITIONS_AT, &self.positions, positions);
        if requests > 0 {
            copy(requests_at(self.capacity), &self.requests, requests);
        }
    }

    fn dispatch(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        groups: (u32, u32),
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("swaplist"),
            timestamp_writes: self.timestamps.as_ref().map(Timestamps::writes),
        });
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(groups.0, groups.1, 1);
    }

    /// Waits for the chunk under way and takes its results to their places. Gives
    /// the kernel's time, in ticks, where it is measured.
    pub fn collect<T: Task>(
        &mut self,
        task: &T,
        device: &wgpu::Device,
        timeout: Duration,
        outputs: &mut [T::Output],
    ) -> Result<u64, BackendError> {
        let Some(pending) = self.pending.take() else {
            return Ok(0);
        };
        wait_for(device, pending.submission, timeout)?;
        for _ in [&self.readback, &self.staging] {
            wait_for_mapping(&pending.mapped, timeout)?;
        }
        let size = RESULTS_AT + task.size(outputs.len());
        let ticks = {
            let bytes = self.readback.get_mapped_range(..size)?;
            let number =
                |at: u64| bytemuck::pod_read_unaligned::<u64>(&bytes[at as usize..at as usize + 8]);
            if number(SERIAL_AT) != self.serial {
                let stale = "they are another chunk's".to_owned();
                return Err(BackendError::Wrong(stale));
            }
            task.read(&bytes[RESULTS_AT as usize..], outputs)?;
            Timestamps::ticks(&bytes)
        };
        self.readback.unmap();
        Ok(if self.timestamps.is_some() { ticks } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::shader::Shape;
    use super::super::task::{Judging, Scoring};
    use super::*;
    use crate::{Batch, noisy_moves};

    /// A chunk that never reached the device leaves an earlier one's results.
    #[test]
    fn results_of_an_earlier_chunk_are_wrong() {
        let position: crate::Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
        let mut batch = Batch::new();
        batch.push(position, noisy_moves(&position));
        for narrow in [false, true] {
            let batch = &batch;
            stale_results_are_wrong(&Scoring { batch, narrow }, [100]);
        }
        let judging = Judging {
            positions: &[position],
            with_threat: true,
        };
        stale_results_are_wrong(&judging, [Rules::SWAP.verdict(&position, true)]);
    }

    fn stale_results_are_wrong<T: Task>(task: &T, right: [T::Output; 1])
    where
        T::Output: Clone + Default + PartialEq + core::fmt::Debug,
    {
        let wanted = std::env::var("GPU_TESTS").ok();
        if wanted.as_deref() == Some("off") {
            eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
            return;
        }
        let adapter = super::super::adapter::by_name(wanted.as_deref()).unwrap();
        let (device, queue) = super::super::adapter::open(&adapter, false).unwrap();
        let mut pipelines =
            Pipelines::new(&device, super::super::shader::SHADER, Shape::USUAL).unwrap();
        let masks = super::super::pipelines::masks(&device).unwrap();
        let pipeline = pipelines.of(&device, task.kernel(), &Rules::SWAP).unwrap();
        let grid = Grid {
            shape: Shape::USUAL,
            max_workgroups: 10,
        };
        let capacity = super::super::sizes::capacity(100, &device.limits(), grid);
        let mut slot = Slot::new(&device, &pipelines, &masks, capacity);
        let chunk = task.chunk_after(None, capacity).unwrap();
        let mut round = |lost: u64| {
            let groups = slot.fill(task, &chunk, &Rules::SWAP, grid)?;
            slot.submit(task, &device, &queue, &pipeline, &chunk, groups);
            slot.serial += lost;
            let mut outputs = [T::Output::default()];
            slot.collect(task, &device, Duration::from_secs(30), &mut outputs)?;
            Ok(outputs)
        };
        assert_eq!(round(0), Ok(right.clone()));
        assert_eq!(round(0), Ok(right));
        assert!(matches!(round(1), Err(BackendError::Wrong(_))));
    }
}

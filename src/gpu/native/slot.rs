//! The buffers of a chunk, from upload to readback.

use core::mem::offset_of;
use core::ops::Range;

use wgpu::BufferUsages as Usage;

use super::context::{Context, Submitted};
use super::pipelines::Pipelines;
use crate::backend::BackendError;
use crate::gpu::program::{
    Chunk, PARAMS_SIZE, POSITIONS_AT, Params, RESULTS_AT, SERIAL_AT, Slots, WORD, Work,
};

pub(super) struct Slot {
    /// Written by the host while mapped, read by the device.
    staging: wgpu::Buffer,
    params: wgpu::Buffer,
    positions: wgpu::Buffer,
    requests: wgpu::Buffer,
    results: wgpu::Buffer,
    /// Written by the device, read by the host.
    readback: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    /// The number of the last chunk. It travels with the chunk to the device and back, so that
    /// results of an earlier chunk are detected.
    serial: u64,
}

impl Slot {
    /// Call it under error scopes.
    pub fn new(context: &Context, pipelines: &Pipelines) -> Slot {
        let capacity = context.capacity;
        let on_device = |label, size, usage| {
            context.buffer(label, size, usage | Usage::COPY_DST | Usage::COPY_SRC)
        };
        let staged = Usage::MAP_WRITE | Usage::COPY_SRC;
        let staging = context.buffer("staging", capacity.staging_size(), staged);
        let params = on_device("params", PARAMS_SIZE, Usage::UNIFORM);
        let positions = on_device("positions", capacity.positions_size(), Usage::STORAGE);
        let requests = on_device("requests", capacity.requests_size(), Usage::STORAGE);
        let results = on_device("results", capacity.results_size(), Usage::STORAGE);
        let read = RESULTS_AT + capacity.results_size();
        let readback = context.buffer("readback", read, Usage::MAP_READ | Usage::COPY_DST);
        let whole = wgpu::Buffer::as_entire_binding;
        let bound = [&params, &pipelines.masks, &positions, &requests, &results].map(whole);
        Slot {
            bindings: pipelines.kernels.bind(&context.device, bound),
            staging,
            params,
            positions,
            requests,
            results,
            readback,
            serial: 0,
        }
    }

    /// Writes a chunk and submits the commands that answer it.
    pub fn submit(
        &mut self,
        context: &Context,
        work: &Work<'_>,
        pipeline: &wgpu::ComputePipeline,
        chunk: &Chunk,
    ) -> Result<Submitted, BackendError> {
        self.serial += 1;
        let (params, groups) = work.params(chunk, context.grid, self.serial);
        let bytes = work.upload(chunk).len();
        let requests_at = context.capacity.requests_at();
        let requests = work.request_words(chunk);
        let requests = requests as u64 * WORD;
        let size = work.kernel().bytes(work.answers(chunk));
        self.fill(work, chunk, &params, requests_at..requests_at + requests)?;
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        let mut copy = |from, to, at, size| {
            if size > 0 {
                encoder.copy_buffer_to_buffer(&self.staging, from, to, at, size);
            }
        };
        copy(0, &self.params, 0, PARAMS_SIZE);
        copy(POSITIONS_AT, &self.positions, 0, bytes as u64);
        copy(requests_at, &self.requests, 0, requests);
        // Zero is neither a score nor a verdict: results that were not written are detected.
        encoder.clear_buffer(&self.results, 0, Some(size));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(groups.0, groups.1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.results, 0, &self.readback, RESULTS_AT, size);
        let serial = offset_of!(Params, serial) as u64;
        encoder.copy_buffer_to_buffer(&self.params, serial, &self.readback, SERIAL_AT, 2 * WORD);
        commands.map(&self.readback, wgpu::MapMode::Read, RESULTS_AT + size);
        commands.map(&self.staging, wgpu::MapMode::Write, self.staging.size());
        Ok(commands.submit())
    }

    /// Writes a chunk into the mapped staging buffer, its requests in a range of it, and unmaps it.
    fn fill(
        &self,
        work: &Work<'_>,
        chunk: &Chunk,
        params: &Params,
        requests: Range<u64>,
    ) -> Result<(), BackendError> {
        let uploaded = work.upload(chunk);
        let end = POSITIONS_AT as usize + uploaded.len();
        {
            let mut staged = self.staging.get_mapped_range_mut(..)?;
            staged
                .slice(..PARAMS_SIZE as usize)
                .copy_from_slice(bytemuck::bytes_of(params));
            staged
                .slice(POSITIONS_AT as usize..end)
                .copy_from_slice(uploaded);
            let requests = requests.start as usize..requests.end as usize;
            let words = staged.slice(requests).into_chunks().0;
            words.write_iter(work.requests(chunk));
        }
        self.staging.unmap();
        Ok(())
    }

    /// Reads the answers to the chunk, after its buffers were mapped.
    pub fn collect(
        &self,
        work: &Work<'_>,
        chunk: &Chunk,
        slots: &mut Slots<'_>,
    ) -> Result<(), BackendError> {
        let size = RESULTS_AT + work.kernel().bytes(work.answers(chunk));
        {
            let bytes = self.readback.get_mapped_range(..size)?;
            let at = SERIAL_AT as usize;
            let serial: u64 = bytemuck::pod_read_unaligned(&bytes[at..at + 8]);
            if serial != self.serial {
                let stale = "they are another chunk's".to_owned();
                return Err(BackendError::Wrong(stale));
            }
            work.read(&bytes[RESULTS_AT as usize..], slots)?;
        }
        self.readback.unmap();
        Ok(())
    }
}

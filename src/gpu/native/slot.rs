//! A slot: the buffers of a chunk, from upload to readback.
//!
//! ```text
//! host        staging (mapped)                                       readback (mapped)
//!                |                                                      ^
//! device      params, positions, requests -> the kernel -> results -----+
//! ```
//!
//! The two buffers that the host maps:
//!
//! ```text
//! staging    byte 0    the parameters, 80 bytes
//!          256         positions, 32 bytes each (`POSITIONS_AT`)
//!                      requests, 4 bytes each, after room for as many positions as fit
//!
//! readback byte 0      the chunk's number
//!           16         the results (`RESULTS_AT`)
//! ```
//!
//! A slot is filled and submitted by one thread ([`Slot::submit`]). The commands end by mapping both
//! buffers of the host: the readback buffer for any thread to read ([`Slot::collect`]), which unmaps
//! it, and the staging buffer for the next chunk.

use core::mem::offset_of;
use core::ops::Range;

use wgpu::BufferUsages as Usage;

use super::context::{Context, Submitted};
use crate::backend::BackendError;
use crate::gpu::program::layout::{PARAMS_SIZE, WORD};
use crate::gpu::program::limits::POSITIONS_AT;
use crate::gpu::program::plan::AnswerSlices;
use crate::gpu::program::{Dispatch, Params, Plan};

/// Offset of the results in a readback buffer, in bytes. At its beginning is the chunk's number.
const RESULTS_AT: u64 = 16;

/// The buffers of one chunk in flight.
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
    /// The number of the last chunk in this slot, from 1. It travels with the chunk to the device
    /// and back, so that results of an earlier chunk are detected.
    serial: u64,
}

impl Slot {
    /// Makes the buffers, the staging one mapped. Call it under error scopes.
    pub fn new(context: &Context) -> Slot {
        let [params_size, _, positions_size, requests_size, results_size] = context.shape.sizes();
        let on_device = |label, size, usage| {
            context.buffer(label, size, usage | Usage::COPY_DST | Usage::COPY_SRC)
        };
        let staging_usage = Usage::MAP_WRITE | Usage::COPY_SRC;
        let staging = context.buffer(
            "staging",
            POSITIONS_AT + positions_size + requests_size,
            staging_usage,
        );
        let params = on_device("params", params_size, Usage::UNIFORM);
        let positions = on_device("positions", positions_size, Usage::STORAGE);
        let requests = on_device("requests", requests_size, Usage::STORAGE);
        let results = on_device("results", results_size, Usage::STORAGE);
        let readback_size = RESULTS_AT + results_size;
        let readback_usage = Usage::MAP_READ | Usage::COPY_DST;
        let readback = context.buffer("readback", readback_size, readback_usage);
        // In the order of `BINDINGS`.
        let buffers = [&params, &context.masks, &positions, &requests, &results];
        let bindings = buffers.map(wgpu::Buffer::as_entire_binding);
        Slot {
            bindings: context.kernels.bind(&context.device, bindings),
            staging,
            params,
            positions,
            requests,
            results,
            readback,
            serial: 0,
        }
    }

    /// Writes a chunk and submits the commands that answer it. Call it under error scopes.
    pub fn submit(
        &mut self,
        context: &Context,
        pipeline: &wgpu::ComputePipeline,
        chunk: &Dispatch<'_>,
    ) -> Result<Submitted, BackendError> {
        self.serial += 1;
        let positions_size = size_of_val(chunk.positions) as u64;
        let requests_at = POSITIONS_AT + context.shape.sizes()[2];
        let requests_size = chunk.requests().len() as u64 * WORD;
        let results_size = chunk.result_size;
        self.fill(chunk, requests_at..requests_at + requests_size)?;
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        let mut copy = |from, buffer, size| {
            if size > 0 {
                encoder.copy_buffer_to_buffer(&self.staging, from, buffer, 0, size);
            }
        };
        copy(0, &self.params, PARAMS_SIZE);
        copy(POSITIONS_AT, &self.positions, positions_size);
        copy(requests_at, &self.requests, requests_size);
        // No result is stored as 0, since scores have their sign bit flipped, and verdicts and bounds
        // a bit that is always set. So results that were not written are detected.
        encoder.clear_buffer(&self.results, 0, Some(results_size));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.dispatch_workgroups(chunk.groups.0, chunk.groups.1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.results, 0, &self.readback, RESULTS_AT, results_size);
        let serial_at = offset_of!(Params, serial) as u64;
        encoder.copy_buffer_to_buffer(&self.params, serial_at, &self.readback, 0, 2 * WORD);
        commands.map(
            &self.readback,
            wgpu::MapMode::Read,
            RESULTS_AT + results_size,
        );
        commands.map(&self.staging, wgpu::MapMode::Write, self.staging.size());
        Ok(commands.submit())
    }

    /// Writes a chunk into the mapped staging buffer, with its requests at the bytes `requests`,
    /// and unmaps it.
    fn fill(&self, chunk: &Dispatch<'_>, requests: Range<u64>) -> Result<(), BackendError> {
        let params = Params {
            serial: bytemuck::cast(self.serial.to_le_bytes()),
            ..chunk.params
        };
        let positions: &[u8] = bytemuck::cast_slice(chunk.positions);
        let positions_end = POSITIONS_AT as usize + positions.len();
        {
            let mut staged = self.staging.get_mapped_range_mut(..)?;
            staged
                .slice(..PARAMS_SIZE as usize)
                .copy_from_slice(bytemuck::bytes_of(&params));
            staged
                .slice(POSITIONS_AT as usize..positions_end)
                .copy_from_slice(positions);
            let bytes = requests.start as usize..requests.end as usize;
            let words = staged.slice(bytes).into_chunks().0;
            words.write_iter(chunk.requests());
        }
        self.staging.unmap();
        Ok(())
    }

    /// Reads the answers to the chunk into its rows. The readback buffer must be mapped.
    pub fn collect(
        &self,
        plan: &Plan<'_>,
        chunk: &Dispatch<'_>,
        rows: &mut AnswerSlices<'_>,
    ) -> Result<(), BackendError> {
        let end = RESULTS_AT + chunk.result_size;
        {
            let bytes = self.readback.get_mapped_range(..end)?;
            let serial: u64 = bytemuck::pod_read_unaligned(&bytes[..8]);
            if serial != self.serial {
                let stale = "they are another chunk's".to_owned();
                return Err(BackendError::Wrong(stale));
            }
            plan.read_rows(&bytes[RESULTS_AT as usize..], rows)?;
        }
        self.readback.unmap();
        Ok(())
    }
}

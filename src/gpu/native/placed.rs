//! Verdicts on positions already on the device.

use bytemuck::Zeroable as _;
use wgpu::BufferUsages as Usage;

use super::context::Context;
use super::engine::Engine;
use super::errors::guarded;
use crate::backend::BackendError;
use crate::gpu::program::{self, Kernel, POSITION_SIZE, Params, RECORD_SIZE};
use crate::{Rules, Verdict};

/// Submits the work without waiting.
pub(super) fn judge(
    engine: &Engine,
    positions: &wgpu::Buffer,
    count: usize,
    rules: &Rules,
    with_threat: bool,
    verdicts: &wgpu::Buffer,
) -> Result<(), BackendError> {
    let Engine {
        context, pipelines, ..
    } = engine;
    let kernel = Kernel::Judge { with_threat };
    let grid = context.grid;
    let device = &context.device;
    let entry = kernel.entry(rules, grid);
    let pipeline = pipelines.kernels.pipeline(device, entry)?;
    guarded(device, || {
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        // Cleared, so that a record that was not written is detected.
        encoder.clear_buffer(verdicts, 0, Some(records_size(count)));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        let most = grid.most_in_place(kernel, &context.limits);
        for first in (0..count).step_by(most) {
            let count = most.min(count - first) as u32;
            let groups = grid.of(kernel, count);
            let params = Params {
                count,
                groups_x: groups.0,
                values: rules.values,
                ..Params::zeroed()
            };
            let uniform = context.filled("params", bytemuck::bytes_of(&params), Usage::UNIFORM)?;
            let part = |buffer, each: u64| {
                wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: first as u64 * each,
                    size: wgpu::BufferSize::new(u64::from(count) * each),
                })
            };
            let bound = [
                uniform.as_entire_binding(),
                pipelines.masks.as_entire_binding(),
                part(positions, POSITION_SIZE),
                // There are no requests; any readable buffer will do.
                pipelines.masks.as_entire_binding(),
                part(verdicts, RECORD_SIZE),
            ];
            pass.set_bind_group(0, &pipelines.kernels.bind(device, bound), &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
        }
        drop(pass);
        let _ = commands.submit();
        Ok(())
    })
}

/// Refuses a buffer without room for `count` positions or verdicts, or without a usage.
pub(super) fn check(
    what: &str,
    buffer: &wgpu::Buffer,
    (count, bytes): (usize, u64),
    usage: Usage,
) -> Result<(), BackendError> {
    let size = (count as u64).saturating_mul(bytes);
    let text = if buffer.size() < size {
        let has = buffer.size();
        format!("the buffer of {what} has {has} bytes, {size} are needed")
    } else if !buffer.usage().contains(usage) {
        format!("the buffer of {what} lacks the usage {usage:?}")
    } else {
        return Ok(());
    };
    Err(BackendError::Device(text))
}

fn records_size(count: usize) -> u64 {
    (count as u64).saturating_mul(RECORD_SIZE)
}

pub(super) fn new_verdicts(context: &Context, count: usize) -> Result<wgpu::Buffer, BackendError> {
    let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let make = || Ok(context.buffer("verdicts", records_size(count.max(1)), usage));
    guarded(&context.device, make)
}

/// Waits for verdicts on the device and reads them.
pub(super) fn read(
    context: &Context,
    records: &wgpu::Buffer,
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    guarded(&context.device, || {
        let size = records_size(verdicts.len());
        let usage = Usage::MAP_READ | Usage::COPY_DST;
        let readback = context.buffer("readback", size, usage);
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        encoder.copy_buffer_to_buffer(records, 0, &readback, 0, size);
        commands.map(&readback, wgpu::MapMode::Read, size);
        commands.run()?;
        program::read_verdicts(&readback.get_mapped_range(..)?, verdicts)
    })
}

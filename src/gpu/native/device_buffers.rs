//! Verdicts on positions that are already on the device: nothing is copied, no slot is used.
//!
//! The caller's buffers are bound as they are. What is larger than a binding or a dispatch can be
//! is done in several dispatches, all in one submission: 300 million positions take 9.6 GB, and a
//! binding holds 2 GiB on NVIDIA, so five dispatches, each with its own parameters.

use bytemuck::Zeroable as _;
use wgpu::BufferUsages as Usage;

use super::context::Context;
use super::engine::Engine;
use super::errors::guarded;
use crate::backend::BackendError;
use crate::gpu::program::{self, Kernel, POSITION_SIZE, Params, RECORD_SIZE};
use crate::{Rules, Verdict};

/// Submits the work of judging `count` positions from the beginning of a buffer, without waiting.
/// Both buffers were checked.
pub(super) fn judge(
    engine: &Engine,
    positions: &wgpu::Buffer,
    count: usize,
    rules: &Rules,
    with_threat: bool,
    verdicts: &wgpu::Buffer,
) -> Result<(), BackendError> {
    let context = &engine.context;
    let kernel = Kernel::Judge { with_threat };
    let grid = context.grid;
    let device = &context.device;
    let entry = kernel.entry(rules, grid);
    let pipeline = context.kernels.pipeline(device, entry)?;
    guarded(device, || {
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        // Cleared, so that a record that was not written is detected.
        encoder.clear_buffer(verdicts, 0, Some(size_of_all(count, RECORD_SIZE)));
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
            let range_of = |buffer, item_size: u64| {
                wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: first as u64 * item_size,
                    size: wgpu::BufferSize::new(u64::from(count) * item_size),
                })
            };
            let bindings = [
                uniform.as_entire_binding(),
                context.masks.as_entire_binding(),
                range_of(positions, POSITION_SIZE),
                // There are no requests; any readable buffer will do.
                context.masks.as_entire_binding(),
                range_of(verdicts, RECORD_SIZE),
            ];
            pass.set_bind_group(0, &context.kernels.bind(device, bindings), &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
        }
        drop(pass);
        // Nobody waits for it: later submissions to the queue come after it.
        let _ = commands.submit();
        Ok(())
    })
}

/// Fails if a buffer has fewer than `size` bytes, or lacks a usage. `what` is its content, in the
/// message.
pub(super) fn check(
    what: &str,
    buffer: &wgpu::Buffer,
    size: u64,
    usage: Usage,
) -> Result<(), BackendError> {
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

/// The bytes of `count` items of this size; the largest number if there are too many.
pub(super) fn size_of_all(count: usize, item_size: u64) -> u64 {
    (count as u64).saturating_mul(item_size)
}

/// Makes a buffer for `count` verdicts, with every usage that they may need.
pub(super) fn new_verdicts(context: &Context, count: usize) -> Result<wgpu::Buffer, BackendError> {
    let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let make = || Ok(context.buffer("verdicts", size_of_all(count.max(1), RECORD_SIZE), usage));
    guarded(&context.device, make)
}

/// Copies verdicts from a buffer of the device, and waits for them and all work before.
pub(super) fn read(
    context: &Context,
    records: &wgpu::Buffer,
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    guarded(&context.device, || {
        let size = size_of_all(verdicts.len(), RECORD_SIZE);
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

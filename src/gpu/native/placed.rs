//! Verdicts on positions already on the device.

use bytemuck::Zeroable as _;
use wgpu::BufferUsages as Usage;

use super::context::Context;
use super::engine::Engine;
use super::errors::guarded;
use super::timing::{Stopwatch, Timestamps};
use crate::backend::BackendError;
use crate::gpu::program::{self, Kernel, POSITION_SIZE, Params, RECORD_SIZE};
use crate::{Rules, Verdict};

/// Buffers of positions and of their verdicts.
pub(super) struct DeviceBuffers<'a> {
    pub positions: &'a wgpu::Buffer,
    pub count: usize,
    pub verdicts: &'a wgpu::Buffer,
}

impl DeviceBuffers<'_> {
    /// Checks sizes and usages before the device does.
    pub fn check(&self) -> Result<(), BackendError> {
        check_positions(self.positions, self.count)?;
        let usage = Usage::STORAGE | Usage::COPY_DST;
        check("verdicts", self.verdicts, records_size(self.count), usage)
    }

    /// Submits the work without waiting. Returns a stopwatch for the kernel if it is timed.
    pub fn judge(
        &self,
        engine: &Engine,
        rules: &Rules,
        with_threat: bool,
    ) -> Result<Option<Stopwatch>, BackendError> {
        let (context, kernel) = (&engine.context, Kernel::Judge { with_threat });
        let entry = kernel.entry(rules, context.grid.shape);
        let pipeline = engine.pipelines.kernels.pipeline(&context.device, entry);
        let submitted = pipeline.and_then(|pipeline| {
            guarded(&context.device, || {
                let timestamps = Timestamps::new(context);
                let mut commands = context.commands();
                let encoder = &mut commands.encoder;
                // Cleared, so that a record that was not written is detected.
                encoder.clear_buffer(self.verdicts, 0, Some(records_size(self.count)));
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some("swaplist"),
                    timestamp_writes: timestamps.as_ref().map(Timestamps::writes),
                });
                pass.set_pipeline(&pipeline);
                self.dispatch(engine, &mut pass, kernel, rules)?;
                drop(pass);
                if let Some(stamps) = timestamps {
                    return Ok(Stopwatch::submit(context, commands, &stamps));
                }
                commands.submit();
                Ok(None)
            })
        });
        context.explained(submitted)
    }

    fn dispatch(
        &self,
        engine: &Engine,
        pass: &mut wgpu::ComputePass<'_>,
        kernel: Kernel,
        rules: &Rules,
    ) -> Result<(), BackendError> {
        let Engine {
            context, pipelines, ..
        } = engine;
        let most = context.grid.most_in_place(kernel, &context.limits);
        for first in (0..self.count).step_by(most) {
            let count = most.min(self.count - first) as u32;
            let groups = context.grid.of(kernel, count);
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
                part(self.positions, POSITION_SIZE),
                // There are no requests; any readable buffer will do.
                pipelines.masks.as_entire_binding(),
                part(self.verdicts, RECORD_SIZE),
            ];
            pass.set_bind_group(0, &pipelines.kernels.bind(&context.device, bound), &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
        }
        Ok(())
    }
}

/// Checks that `count` positions can be read from a buffer.
pub(super) fn check_positions(buffer: &wgpu::Buffer, count: usize) -> Result<(), BackendError> {
    let size = (count as u64).saturating_mul(POSITION_SIZE);
    check("positions", buffer, size, Usage::STORAGE)
}

/// Checks that `count` verdicts can be copied from a buffer.
pub(super) fn check_records(buffer: &wgpu::Buffer, count: usize) -> Result<(), BackendError> {
    check("verdicts", buffer, records_size(count), Usage::COPY_SRC)
}

fn check(what: &str, buffer: &wgpu::Buffer, size: u64, usage: Usage) -> Result<(), BackendError> {
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

/// The bytes of `count` verdicts.
fn records_size(count: usize) -> u64 {
    (count as u64).saturating_mul(RECORD_SIZE)
}

/// A buffer for `count` verdicts.
pub(super) fn new_verdicts(context: &Context, count: usize) -> Result<wgpu::Buffer, BackendError> {
    let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let make = || Ok(context.buffer("verdicts", records_size(count.max(1)), usage));
    context.explained(guarded(&context.device, make))
}

/// Waits for verdicts on the device and reads them.
pub(super) fn read(
    context: &Context,
    records: &wgpu::Buffer,
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    let read = guarded(&context.device, || {
        let size = records_size(verdicts.len());
        let usage = Usage::MAP_READ | Usage::COPY_DST;
        let readback = context.buffer("readback", size, usage);
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        encoder.copy_buffer_to_buffer(records, 0, &readback, 0, size);
        commands.map(&readback, wgpu::MapMode::Read, size);
        commands.submit().wait(&context.device, context.timeout)?;
        program::read_verdicts(&readback.get_mapped_range(..)?, verdicts)
    });
    context.explained(read)
}

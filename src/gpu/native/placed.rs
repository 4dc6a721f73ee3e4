//! Verdicts on positions already on the device.

use bytemuck::Zeroable as _;
use wgpu::BufferUsages as Usage;

use super::context::Commands;
use super::engine::Engine;
use super::errors::guarded;
use super::timing::{Stopwatch, Timestamps};
use crate::backend::BackendError;
use crate::gpu::program::{self, Kernel, POSITION_SIZE, Params, RECORD_SIZE};
use crate::{Rules, Verdict};

/// Buffers of positions and of their verdicts.
pub(super) struct Placed<'a> {
    pub positions: &'a wgpu::Buffer,
    pub count: usize,
    pub verdicts: &'a wgpu::Buffer,
}

impl Placed<'_> {
    /// Checks sizes and usages before the device does.
    pub fn check(&self) -> Result<(), BackendError> {
        check_positions(self.positions, self.count)?;
        let usage = Usage::STORAGE | Usage::COPY_DST;
        check("verdicts", self.verdicts, records_size(self.count), usage)
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

impl Engine {
    /// A buffer for `count` verdicts.
    pub fn new_verdicts(&self, count: usize) -> Result<wgpu::Buffer, BackendError> {
        let context = &self.context;
        let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
        let make = || Ok(context.buffer("verdicts", records_size(count.max(1)), usage));
        context.explained(guarded(&context.device, make))
    }

    /// Submits the work without waiting. Returns a stopwatch for the kernel if it is timed.
    pub fn judge_placed(
        &self,
        placed: &Placed,
        rules: &Rules,
        with_threat: bool,
    ) -> Result<Option<Stopwatch>, BackendError> {
        let (context, kernel) = (&self.context, Kernel::Judge { with_threat });
        let pipeline = self.pipelines.of(context, kernel, rules);
        let submitted = pipeline.and_then(|pipeline| {
            guarded(&context.device, || {
                let timestamps = Timestamps::new(context);
                let mut commands = context.commands();
                self.dispatch(
                    &mut commands,
                    placed,
                    rules,
                    &pipeline,
                    timestamps.as_ref(),
                    kernel,
                )?;
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
        commands: &mut Commands,
        placed: &Placed,
        rules: &Rules,
        pipeline: &wgpu::ComputePipeline,
        timestamps: Option<&Timestamps>,
        kernel: Kernel,
    ) -> Result<(), BackendError> {
        let (grid, limits) = (self.context.grid, &self.context.limits);
        let encoder = &mut commands.encoder;
        // Cleared, so that a record that was not written is detected.
        encoder.clear_buffer(placed.verdicts, 0, Some(records_size(placed.count)));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("swaplist"),
            timestamp_writes: timestamps.map(Timestamps::writes),
        });
        pass.set_pipeline(pipeline);
        let most = grid.most_in_place(kernel, limits);
        for first in (0..placed.count).step_by(most) {
            let count = most.min(placed.count - first) as u32;
            let groups = grid.of(kernel, count);
            let params = Params {
                count,
                groups_x: groups.0,
                serial: [0; 2],
                values: rules.values,
                ..Params::zeroed()
            };
            let bindings = self.bind_placed(placed, first, params)?;
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
        }
        Ok(())
    }

    fn bind_placed(
        &self,
        placed: &Placed,
        first: usize,
        params: Params,
    ) -> Result<wgpu::BindGroup, BackendError> {
        let (context, bytes) = (&self.context, bytemuck::bytes_of(&params));
        let uniform = context.filled("params", bytes, Usage::UNIFORM)?;
        let part = |buffer, each: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: first as u64 * each,
                size: wgpu::BufferSize::new(u64::from(params.count) * each),
            })
        };
        let bound = [
            uniform.as_entire_binding(),
            self.pipelines.masks.as_entire_binding(),
            part(placed.positions, POSITION_SIZE),
            // There are no requests; any readable buffer will do.
            self.pipelines.masks.as_entire_binding(),
            part(placed.verdicts, RECORD_SIZE),
        ];
        Ok(self.pipelines.kernels.bind(&context.device, bound))
    }

    /// Waits for verdicts on the device and reads them.
    pub fn read_placed(
        &self,
        records: &wgpu::Buffer,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        let context = &self.context;
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
}

//! Verdicts on positions that are already on the device: nothing is copied, no slot is used.
//!
//! The caller's buffers are bound as they are. A submission has as many positions as the device
//! judges in some 60 ms (`gpu/program/pace.rs`), and each one but the last is waited for. A
//! submission with more positions than a binding or a dispatch can have makes several dispatches,
//! each with its own parameters. For example, a submission of 300 million positions, which are 9.6
//! GB, needs five dispatches on NVIDIA, where a binding holds 2 GiB.

use core::ops::Range;
use std::time::Instant;

use wgpu::BufferUsages as Usage;

use super::context::{Context, Submitted};
use super::engine::Engine;
use super::errors::guarded;
use crate::backend::{BackendError, Question};
use crate::gpu::program::answers::read_verdicts;
use crate::gpu::program::kernel::Kernel;
use crate::gpu::program::layout::{POSITION_SIZE, RECORD_SIZE};
use crate::gpu::program::{DeviceLimits, Plan};
use crate::{Rules, Sides, Verdict};

/// What is judged, and where the verdicts go. Both buffers were checked.
pub(super) struct Judging<'a> {
    pub positions: &'a wgpu::Buffer,
    pub verdicts: &'a wgpu::Buffer,
    pub rules: &'a Rules,
    pub sides: Sides,
}

impl Judging<'_> {
    /// Submits the work of judging `count` positions from the beginning of the buffer. Waits for all
    /// submissions but the last one.
    pub fn run(&self, engine: &Engine, count: usize) -> Result<(), BackendError> {
        let context = &engine.context;
        let device = &context.device;
        let mut pace = *engine.pace_in_place.lock();
        let plan = self.plan(context);
        let pipeline = context.kernels.pipeline(device, plan.entry())?;
        let unit = context.limits.unit_in_place();
        guarded(device, || {
            // With more positions than one submission takes, the first submission is timed.
            if count > pace.records() / unit * unit {
                // Work that the caller has submitted before must not count as part of that time: an
                // empty submission ends when all work before it has ended.
                context.wait(context.queue.submit([]))?;
            }
            pace.in_turns(
                count,
                unit,
                Instant::now,
                |range| self.submit(context, &plan, &pipeline, range),
                |submitted| context.wait(submitted.end),
            )?;
            *engine.pace_in_place.lock() = pace;
            Ok(())
        })
    }

    fn plan(&self, context: &Context) -> Plan<'static> {
        let question = Question::Verdicts {
            positions: &[],
            sides: self.sides,
        };
        Plan::new(question, self.rules, &context.shape)
    }

    /// Submits the work of judging the positions with these numbers.
    fn submit(
        &self,
        context: &Context,
        plan: &Plan<'_>,
        pipeline: &wgpu::ComputePipeline,
        range: Range<usize>,
    ) -> Result<Submitted, BackendError> {
        let mut commands = context.commands();
        let encoder = &mut commands.encoder;
        // Cleared, so that a record that was not written is detected.
        let cleared_from = size_of_all(range.start, RECORD_SIZE);
        let cleared = size_of_all(range.len(), RECORD_SIZE);
        encoder.clear_buffer(self.verdicts, cleared_from, Some(cleared));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        let kernel = Kernel::Judge {
            with_threat: self.sides == Sides::Both,
        };
        let most = context
            .limits
            .most_in_place(context.shape.most_results(kernel));
        for first in range.clone().step_by(most) {
            let count = most.min(range.end - first) as u32;
            let dispatch = plan.in_place(count);
            let params = bytemuck::bytes_of(&dispatch.params);
            let uniform = context.filled("params", params, Usage::UNIFORM)?;
            let binding = |buffer, item_size: u64| {
                wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: first as u64 * item_size,
                    size: wgpu::BufferSize::new(u64::from(count) * item_size),
                })
            };
            let bindings = [
                uniform.as_entire_binding(),
                context.masks.as_entire_binding(),
                binding(self.positions, POSITION_SIZE),
                // There are no requests; any readable buffer will do.
                context.masks.as_entire_binding(),
                binding(self.verdicts, RECORD_SIZE),
            ];
            let bindings = context.kernels.bind(&context.device, bindings);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(dispatch.groups.0, dispatch.groups.1, 1);
        }
        drop(pass);
        Ok(commands.submit())
    }
}

impl DeviceLimits {
    /// Positions over a buffer that is already on the device are dispatched in multiples of this
    /// number: then the verdicts of the next dispatch, of 16 bytes each, begin at an offset that can
    /// be bound.
    pub(super) const fn unit_in_place(&self) -> usize {
        let unit = (self.alignment as usize).div_ceil(RECORD_SIZE as usize);
        if unit == 0 { 1 } else { unit }
    }

    /// The most positions of one dispatch over a buffer that is already on the device: as many as
    /// can be bound, and dispatched where so many can, in a multiple of
    /// [`DeviceLimits::unit_in_place`].
    fn most_in_place(&self, most_results: usize) -> usize {
        let bindable = usize::try_from(self.binding / POSITION_SIZE).unwrap_or(usize::MAX);
        let most = bindable.min(most_results);
        let unit = self.unit_in_place();
        (most / unit * unit).max(unit)
    }
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
    guarded(&context.device, || {
        Ok(context.buffer("verdicts", size_of_all(count.max(1), RECORD_SIZE), usage))
    })
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
        read_verdicts(&readback.get_mapped_range(..)?, verdicts)
    })
}

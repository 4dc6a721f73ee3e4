//! Verdicts on positions that are on the device already, left there.

use std::sync::{PoisonError, mpsc};

use wgpu::BufferUsages as Usage;

use super::engine::Engine;
use super::errors::{guarded, wait_for, wait_for_mapping};
use super::pipelines::filled;
use super::shader::{Kernel, Params, binding};
use super::sizes::{POSITION_SIZE, RECORD_SIZE};
use super::timing::{Stopwatch, Timestamps};
use super::verdicts;
use crate::backend::BackendError;
use crate::{Rules, Verdict};

/// Positions in a buffer, and where their verdicts go.
pub(super) struct Placed<'a> {
    pub positions: &'a wgpu::Buffer,
    pub count: usize,
    pub verdicts: &'a wgpu::Buffer,
}

/// Refuses a buffer that is too small or lacks a usage, before the device does.
pub(super) fn check(
    what: &str,
    buffer: &wgpu::Buffer,
    size: u64,
    usage: Usage,
) -> Result<(), BackendError> {
    if buffer.size() < size {
        let has = buffer.size();
        let text = format!("the buffer of {what} has {has} bytes, {size} are needed");
        return Err(BackendError::Device(text));
    }
    if !buffer.usage().contains(usage) {
        let text = format!("the buffer of {what} lacks the usage {usage:?}");
        return Err(BackendError::Device(text));
    }
    Ok(())
}

/// How many bytes so many verdicts take.
pub(super) fn records_size(count: usize) -> u64 {
    (count as u64).saturating_mul(RECORD_SIZE)
}

/// Whether so many positions can be read from a buffer.
pub(super) fn check_positions(buffer: &wgpu::Buffer, count: usize) -> Result<(), BackendError> {
    let size = (count as u64).saturating_mul(POSITION_SIZE);
    check("positions", buffer, size, Usage::STORAGE)
}

/// Whether so many verdicts can be written into a buffer.
pub(super) fn check_verdicts(buffer: &wgpu::Buffer, count: usize) -> Result<(), BackendError> {
    let usage = Usage::STORAGE | Usage::COPY_DST;
    check("verdicts", buffer, records_size(count), usage)
}

impl Engine {
    /// A buffer for so many verdicts.
    pub fn new_verdicts(&self, count: usize) -> Result<wgpu::Buffer, BackendError> {
        let device = &self.shared.device;
        let made = guarded(device, || {
            Ok(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("verdicts"),
                size: records_size(count.max(1)),
                usage: Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
                mapped_at_creation: false,
            }))
        });
        self.explained(made)
    }

    /// Submits the verdicts on positions on the device, and does not wait. Gives
    /// what will tell the kernel's time, where it is measured.
    pub fn judge_placed(
        &self,
        placed: &Placed,
        rules: &Rules,
        with_threat: bool,
    ) -> Result<Option<Stopwatch>, BackendError> {
        let kernel = Kernel::Judge { with_threat };
        let submitted = self.pipeline(kernel, rules).and_then(|pipeline| {
            guarded(&self.shared.device, || {
                self.submit_placed(placed, rules, kernel, &pipeline)
            })
        });
        self.explained(submitted)
    }

    fn submit_placed(
        &self,
        placed: &Placed,
        rules: &Rules,
        kernel: Kernel,
        pipeline: &wgpu::ComputePipeline,
    ) -> Result<Option<Stopwatch>, BackendError> {
        let device = &self.shared.device;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // As everywhere: a record that nothing wrote is none.
        encoder.clear_buffer(placed.verdicts, 0, Some(records_size(placed.count)));
        let timestamps = self.tick.map(|tick| (tick, Timestamps::new(device)));
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("swaplist"),
                timestamp_writes: timestamps.as_ref().map(|(_, stamps)| stamps.writes()),
            });
            pass.set_pipeline(pipeline);
            let most = self.most_at_once(kernel);
            for first in (0..placed.count).step_by(most) {
                let count = most.min(placed.count - first) as u32;
                let groups = self.shared.grid.of(kernel, count);
                let params = Params {
                    count,
                    groups_x: groups.0,
                    serial: [0; 2],
                    values: rules.values,
                };
                let bindings = self.bind_placed(placed, first, params)?;
                pass.set_bind_group(0, &bindings, &[]);
                pass.dispatch_workgroups(groups.0, groups.1, 1);
            }
        }
        let stopwatch =
            timestamps.map(|(tick, stamps)| Stopwatch::start(device, &mut encoder, &stamps, tick));
        let submission = self.shared.queue.submit([encoder.finish()]);
        Ok(stopwatch.map(|stopwatch| stopwatch.submitted(submission)))
    }

    /// Positions of one dispatch: as many as can be bound and dispatched, and their
    /// verdicts begin where a binding may.
    fn most_at_once(&self, kernel: Kernel) -> usize {
        let limits = self.shared.device.limits();
        let bound = limits.max_storage_buffer_binding_size / POSITION_SIZE;
        let bound = usize::try_from(bound).unwrap_or(usize::MAX);
        let most = bound.min(self.shared.grid.most(kernel));
        let alignment = limits.min_storage_buffer_offset_alignment as usize;
        let step = alignment.div_ceil(RECORD_SIZE as usize).max(1);
        (most / step * step).max(step)
    }

    fn bind_placed(
        &self,
        placed: &Placed,
        first: usize,
        params: Params,
    ) -> Result<wgpu::BindGroup, BackendError> {
        let device = &self.shared.device;
        let bytes = bytemuck::bytes_of(&params);
        let uniform = filled(device, "params", bytes, Usage::UNIFORM)?;
        let part = |buffer, each: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: first as u64 * each,
                size: wgpu::BufferSize::new(u64::from(params.count) * each),
            })
        };
        let bound = [
            (binding::PARAMS, uniform.as_entire_binding()),
            (binding::MASKS, self.masks.as_entire_binding()),
            (binding::POSITIONS, part(placed.positions, POSITION_SIZE)),
            // There are no requests: anything readable will do.
            (binding::REQUESTS, self.masks.as_entire_binding()),
            (binding::RESULTS, part(placed.verdicts, RECORD_SIZE)),
        ];
        let pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(pipelines.bind(device, bound))
    }

    /// Waits for verdicts on the device and reads them.
    pub fn read_placed(
        &self,
        records: &wgpu::Buffer,
        verdicts: &mut [Verdict],
    ) -> Result<(), BackendError> {
        let shared = &self.shared;
        let read = guarded(&shared.device, || {
            let size = records_size(verdicts.len());
            let readback = shared.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size,
                usage: Usage::MAP_READ | Usage::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder =
                (shared.device).create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(records, 0, &readback, 0, size);
            let (sender, mapped) = mpsc::channel();
            encoder.map_buffer_on_submit(&readback, wgpu::MapMode::Read, .., move |result| {
                // The receiver is gone where waiting has failed.
                let _ = sender.send(result);
            });
            let submission = shared.queue.submit([encoder.finish()]);
            wait_for(&shared.device, submission, shared.timeout)?;
            wait_for_mapping(&mapped, shared.timeout)?;
            verdicts::read(&readback.get_mapped_range(..)?, verdicts)
        });
        self.explained(read)
    }
}

//! Limits of devices, and the sizes of chunks and dispatches within them.

use core::ops::RangeInclusive;

use super::kernel::Kernel;
use super::layout::{Capacity, MAX_POSITIONS, POSITION_SIZE, POSITIONS_AT, RECORD_SIZE};
use crate::backend::BackendError;

/// The limits of a device that matter here. Beyond these, it needs only one bind group with a
/// uniform and four storage buffers, which every WebGPU has.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest buffer, in bytes.
    pub buffer: u64,
    /// The largest storage binding, in bytes.
    pub binding: u64,
    /// The alignment of binding offsets, in bytes.
    pub alignment: u32,
    /// The most workgroups in one dimension of a dispatch.
    pub workgroups: u32,
    /// The most invocations in a workgroup, all in its first dimension.
    pub invocations: u32,
    /// The most workgroup memory, in bytes.
    pub workgroup_memory: u32,
}

/// How the shader is compiled, and how a dispatch is divided into workgroups, in rows of limited
/// length.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Invocations per workgroup: one for each scored move or judged side.
    pub workgroup: u32,
    /// List entries per invocation.
    pub list: u32,
    /// The most workgroups in a row.
    pub max_workgroups: u32,
}

impl Grid {
    /// Supported by every device. Four noisy moves per side are enough for most workgroups.
    pub const USUAL: Grid = Grid {
        workgroup: 64,
        list: 4,
        max_workgroups: u32::MAX,
    };
    /// Range of [`Grid::workgroup`], in steps of 32.
    pub const WORKGROUPS: RangeInclusive<u32> = 32..=1024;
    /// Range of [`Grid::list`].
    pub const LISTS: RangeInclusive<u32> = 1..=64;

    /// The same with rows that the device takes. Refuses other values out of range, or beyond the
    /// device's limits.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] that names the value.
    pub fn fitted(self, limits: &Limits) -> Result<Grid, BackendError> {
        let Grid {
            workgroup, list, ..
        } = self;
        within("workgroup", &workgroup, &Grid::WORKGROUPS)?;
        within("list", &list, &Grid::LISTS)?;
        let bytes = self.bytes();
        let most = limits.invocations;
        let text = if !workgroup.is_multiple_of(32) {
            format!("a workgroup of {workgroup} is not a multiple of 32")
        } else if workgroup > most {
            format!("a workgroup of {workgroup} is too large, the device takes {most}")
        } else if bytes > limits.workgroup_memory {
            let has = limits.workgroup_memory;
            format!(
                "a workgroup of {workgroup} with lists of {list} entries for each takes {bytes} \
                 bytes of workgroup memory, the device has {has}"
            )
        } else {
            return Ok(Grid {
                max_workgroups: self.max_workgroups.clamp(1, limits.workgroups),
                ..self
            });
        };
        Err(BackendError::Device(text))
    }

    /// Workgroup memory of the judging kernel with the threat, in bytes.
    pub const fn bytes(self) -> u32 {
        self.workgroup * (36 + 12 * self.list) + 16
    }

    /// Results per workgroup.
    const fn results(self, kernel: Kernel) -> u32 {
        self.workgroup / kernel.sides()
    }

    /// The workgroups for `results` results: the length and the number of rows.
    pub fn of(self, kernel: Kernel, results: u32) -> (u32, u32) {
        self.fold(results.div_ceil(self.results(kernel)))
    }

    /// The workgroups that decode so many units, likewise.
    pub fn of_units(self, units: u32) -> (u32, u32) {
        self.fold(units.div_ceil(self.workgroup))
    }

    fn fold(self, groups: u32) -> (u32, u32) {
        let x = groups.clamp(1, self.max_workgroups);
        (x, groups.div_ceil(x))
    }

    /// The most results of a dispatch, with as many rows as columns.
    pub fn most(self, kernel: Kernel) -> usize {
        let groups = u64::from(self.max_workgroups).saturating_pow(2);
        let results = groups.saturating_mul(self.results(kernel).into());
        usize::try_from(results.min(u32::MAX.into())).unwrap_or(usize::MAX)
    }

    /// The capacity of chunks, as wished for and as the device allows.
    pub fn capacity(self, wished: usize, limits: &Limits) -> Capacity {
        // At most half of the largest buffer for requests or results, half for positions.
        let half = (limits.buffer / 2).saturating_sub(POSITIONS_AT);
        let room = limits.binding.min(half);
        let fits = usize::try_from(room / POSITION_SIZE).unwrap_or(usize::MAX);
        let wished = wished.clamp(1, fits.max(1));
        let captures = wished
            .min(self.most(Kernel::Score { narrow: false }))
            .max(1);
        Capacity {
            positions: captures.min(MAX_POSITIONS),
            captures,
            verdicts: wished.min(self.most(Kernel::Judge { with_threat: true })),
        }
    }

    /// The positions of one dispatch in place: as many as can be bound and dispatched, in a
    /// multiple that keeps the next verdicts aligned.
    pub fn most_in_place(self, kernel: Kernel, limits: &Limits) -> usize {
        let bound = usize::try_from(limits.binding / POSITION_SIZE).unwrap_or(usize::MAX);
        let most = bound.min(self.most(kernel));
        let step = (limits.alignment as usize)
            .div_ceil(RECORD_SIZE as usize)
            .max(1);
        (most / step * step).max(step)
    }
}

/// Refuses a value out of range.
pub(in crate::gpu) fn within<T: PartialOrd + core::fmt::Display>(
    what: &str,
    value: &T,
    range: &RangeInclusive<T>,
) -> Result<(), BackendError> {
    if range.contains(value) {
        return Ok(());
    }
    let least = range.start();
    let most = range.end();
    let text = format!("the {what} is {value}, it can be {least} to {most}");
    Err(BackendError::Device(text))
}

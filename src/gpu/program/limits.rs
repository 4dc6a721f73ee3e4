//! Limits of devices, and the sizes of chunks and dispatches within them.
//!
//! A dispatch has a limited number of workgroups in each dimension, on most devices 65,535, so it
//! is folded into rows: 100,000 workgroups with rows of at most 65,535 are two rows of 65,535, and
//! those beyond the last result do nothing. A workgroup computes its number among all from the
//! length of a row, which is the parameter `groups_x`.

use core::ops::RangeInclusive;

use super::kernel::Kernel;
use super::layout::{BINDINGS, MAX_POSITIONS, POSITION_SIZE, RECORD_SIZE, WORD};
use crate::backend::BackendError;

/// The most threads that should write into upload memory at once. That memory is the device's own,
/// at the other end of the bus: into an H100's, one thread wrote 7 to 10 GB/s, four wrote 20, and
/// eight 14.
pub const MAX_WRITERS: usize = 4;

/// The limits of a device that matter here. Beyond these, it needs only one bind group with a
/// uniform and four storage buffers, which every WebGPU has.
#[derive(Clone, Copy, Debug)]
pub struct DeviceLimits {
    /// The size of the largest buffer, in bytes.
    pub buffer: u64,
    /// The size of the largest storage binding, in bytes.
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

/// How large workgroups and buffers are: for the first the shader is compiled, and dispatches are
/// cut and folded by both.
///
/// The default suits every device, once it is [fitted](Shape::fitted) to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Invocations per workgroup, 32 to 1024 in steps of 32: one for each scored move, judged side
    /// or unit of a file.
    pub workgroup: u32,
    /// The capacity of each of a workgroup's lists, 1 to 64 entries per invocation, which share the
    /// list. A workgroup with more entries fills and empties its lists several times.
    pub list: u32,
    /// The most workgroups in a row.
    pub max_workgroups: u32,
    /// The most positions of a dispatch over moves, up to 131,072.
    pub positions: usize,
    /// The most moves of a dispatch.
    pub moves: usize,
    /// The most positions of a dispatch without moves, for verdicts or bounds.
    pub verdicts: usize,
}

impl Default for Shape {
    /// Lists of four noisy moves per side are long enough for most workgroups.
    fn default() -> Shape {
        Shape {
            workgroup: 64,
            list: 4,
            max_workgroups: u32::MAX,
            positions: MAX_POSITIONS,
            moves: MAX_POSITIONS,
            verdicts: MAX_POSITIONS,
        }
    }
}

/// The room that hosts keep for parameters before the positions they upload, in bytes.
pub(in crate::gpu) const POSITIONS_AT: u64 = 256;

impl Shape {
    const WORKGROUPS: RangeInclusive<u32> = 32..=1024;
    const LISTS: RangeInclusive<u32> = 1..=64;

    /// The same workgroups, with rows as long as the device takes, and room for `chunk` moves or
    /// positions, or as many as the device allows. Fails if a size is out of range, or beyond the
    /// device's limits.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] that names the size.
    pub fn fitted(self, limits: &DeviceLimits, chunk: usize) -> Result<Shape, BackendError> {
        let workgroup = self.workgroup;
        let list = self.list;
        within("workgroup", &workgroup, &Shape::WORKGROUPS)?;
        within("list", &list, &Shape::LISTS)?;
        let bytes = self.bytes();
        let most = limits.invocations;
        let text = if !workgroup.is_multiple_of(32) {
            format!("a workgroup of {workgroup} is not a multiple of 32")
        } else if workgroup > most {
            format!("a workgroup of {workgroup} is too large, the device takes {most}")
        } else if limits.workgroups == 0 {
            "the device takes no workgroups".to_owned()
        } else if bytes > limits.workgroup_memory {
            let has = limits.workgroup_memory;
            format!(
                "a workgroup of {workgroup} with lists of {list} entries for each takes {bytes} \
                 bytes of workgroup memory, the device has {has}"
            )
        } else {
            let shape = Shape {
                max_workgroups: self.max_workgroups.clamp(1, limits.workgroups),
                ..self
            };
            return Ok(shape.with_room(chunk, limits));
        };
        Err(BackendError::Device(text))
    }

    /// The same workgroups with room for a chunk.
    fn with_room(self, chunk: usize, limits: &DeviceLimits) -> Shape {
        // Positions are the largest part of a staging buffer: half of the largest buffer for them
        // leaves half for the rest.
        let half = (limits.buffer / 2).saturating_sub(POSITIONS_AT);
        let room = limits.binding.min(half);
        let most_positions = usize::try_from(room / POSITION_SIZE).unwrap_or(usize::MAX);
        let chunk = chunk.clamp(1, most_positions.max(1));
        // A workgroup finds as many scores whether or not they are narrow. Where the threat is found
        // too, it finds half as many verdicts as others.
        let moves = chunk
            .min(self.most_results(Kernel::Score { narrow: false }))
            .max(1);
        Shape {
            // A request for a move names its position by a few bits, a verdict needs none.
            positions: moves.min(MAX_POSITIONS),
            moves,
            verdicts: chunk.min(self.most_results(Kernel::Judge { with_threat: true })),
            ..self
        }
    }

    /// The sizes in bytes of the buffers of [`BINDINGS`], so that every dispatch of this shape fits.
    pub fn sizes(&self) -> [u64; 5] {
        let [params, masks, ..] = BINDINGS.map(|binding| binding.least);
        // Scores of a word, or verdicts.
        let results = (self.moves as u64 * WORD).max(self.verdicts as u64 * RECORD_SIZE);
        let positions = self.positions.max(self.verdicts) as u64 * POSITION_SIZE;
        let requests = self.moves as u64 * WORD;
        [params, masks, positions, requests, results]
    }

    /// Workgroup memory of a kernel that judges both sides, in bytes: the variables of
    /// `shaders/sides.wgsl`. Each invocation takes 36 bytes for its side, and 12 for each of its
    /// entries of the three lists. 16 bytes are two counts, `agreed` and the last word of `won`. A
    /// test compares it with the shader.
    const fn bytes(self) -> u32 {
        self.workgroup * (36 + 12 * self.list) + 16
    }

    /// The number of results that a workgroup finds.
    const fn results(self, kernel: Kernel) -> u32 {
        self.workgroup / kernel.sides()
    }

    /// The workgroups that find this many results: the length of a row and the number of rows.
    pub(super) fn groups_for(self, kernel: Kernel, results: u32) -> (u32, u32) {
        self.in_rows(results.div_ceil(self.results(kernel)))
    }

    /// The workgroups that have at least so many invocations, for a kernel of your own: the length
    /// of a row and the number of rows.
    pub fn groups(self, invocations: u32) -> (u32, u32) {
        self.in_rows(invocations.div_ceil(self.workgroup))
    }

    /// Rows that have this many workgroups in all, or some more: their length and their number.
    fn in_rows(self, groups: u32) -> (u32, u32) {
        let length = groups.clamp(1, self.max_workgroups);
        (length, groups.div_ceil(length))
    }

    /// The most results of a dispatch, with as many rows as columns.
    pub(in crate::gpu) fn most_results(self, kernel: Kernel) -> usize {
        let groups = u64::from(self.max_workgroups).saturating_pow(2);
        let results = groups.saturating_mul(self.results(kernel).into());
        usize::try_from(results.min(u32::MAX.into())).unwrap_or(usize::MAX)
    }
}

/// Fails if a value is out of range; `what` is its name in the message.
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

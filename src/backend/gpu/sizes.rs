//! What fits where: offsets in the transfer buffers, chunks within the limits of a
//! device, dispatches within theirs.

use super::chunks::Capacity;
use super::shader::{self, Kernel, Params, Shape};
use super::timing::Timestamps;
use super::verdicts::VerdictRecord;
use crate::Position;

/// Where positions begin in the staging buffer, behind the parameters.
pub(super) const POSITIONS_AT: u64 = 256;
/// Where the readback buffer has the chunk's serial number, behind two timestamps.
pub(super) const SERIAL_AT: u64 = Timestamps::SIZE;
/// Where it has the results.
pub(super) const RESULTS_AT: u64 = 32;

pub(super) const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
pub(super) const POSITION_SIZE: u64 = size_of::<Position>() as u64;
pub(super) const WORD: u64 = size_of::<u32>() as u64;
pub(super) const RECORD_SIZE: u64 = size_of::<VerdictRecord>() as u64;

/// How many bytes a slot's largest buffer, the staging one, has.
pub(super) fn staging_size(capacity: Capacity) -> u64 {
    requests_at(capacity) + capacity.captures as u64 * WORD
}

/// Where requests begin in the staging buffer, behind the positions.
pub(super) fn requests_at(capacity: Capacity) -> u64 {
    POSITIONS_AT + positions_size(capacity)
}

/// How many bytes of positions there are at most, for moves or alone.
pub(super) fn positions_size(capacity: Capacity) -> u64 {
    capacity.positions.max(capacity.verdicts) as u64 * POSITION_SIZE
}

/// How many bytes of results there are at most, scores or verdicts.
pub(super) fn results_size(capacity: Capacity) -> u64 {
    let (scores, verdicts) = (capacity.captures as u64, capacity.verdicts as u64);
    (scores * WORD).max(verdicts * RECORD_SIZE)
}

/// How a dispatch is cut: into workgroups of a shape, in rows of so many at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub shape: Shape,
    pub max_workgroups: u32,
}

impl Grid {
    /// The workgroups for so many results.
    pub fn of(self, kernel: Kernel, results: u32) -> (u32, u32) {
        let groups = results.div_ceil(self.shape.results(kernel));
        fold(groups, self.max_workgroups)
    }

    /// How many results a dispatch can bring, folded to as many rows as columns.
    pub fn most(self, kernel: Kernel) -> usize {
        let groups = u64::from(self.max_workgroups).saturating_pow(2);
        let results = groups.saturating_mul(self.shape.results(kernel).into());
        usize::try_from(results.min(u32::MAX.into())).unwrap_or(usize::MAX)
    }
}

/// So many workgroups, folded to rows of at most `max`.
fn fold(groups: u32, max: u32) -> (u32, u32) {
    let x = groups.clamp(1, max);
    (x, groups.div_ceil(x))
}

/// The largest chunk, as wished for and as the device allows.
pub(super) fn capacity(wished: usize, limits: &wgpu::Limits, grid: Grid) -> Capacity {
    let binding = limits.max_storage_buffer_binding_size;
    let fits = |bytes: u64, each: u64| usize::try_from(bytes / each).unwrap_or(usize::MAX).max(1);
    let judging = Kernel::Judge { with_threat: true };
    // Half of the largest buffer at most for the requests or the results, half for
    // the positions.
    let half = (limits.max_buffer_size / 2).saturating_sub(POSITIONS_AT);
    let captures = wished
        .min(fits(binding.min(half), WORD))
        .min(grid.most(Kernel::Score { narrow: false }))
        .max(1);
    let positions = wished.max(1).min(fits(binding.min(half), POSITION_SIZE));
    Capacity {
        positions: positions.min(captures).min(shader::MAX_POSITIONS),
        captures,
        verdicts: positions
            .min(fits(binding.min(half), RECORD_SIZE))
            .min(grid.most(judging)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_dispatch_covers_every_workgroup() {
        for max in [1, 2, 3, 7, 65_535] {
            for count in [1, 63, 64, 65, 128, 129, 1000, 4096, 65_535, 65_537] {
                let (x, y) = fold(count, max);
                assert!(x <= max);
                assert!(x * y >= count);
                assert!(x * (y - 1) < count, "no idle row");
            }
        }
    }

    fn grid(max_workgroups: u32) -> Grid {
        Grid {
            shape: Shape::USUAL,
            max_workgroups,
        }
    }

    #[test]
    fn the_capacity_heeds_every_limit() {
        let limits = wgpu::Limits {
            max_storage_buffer_binding_size: 128 << 20,
            max_buffer_size: 256 << 20,
            ..wgpu::Limits::default()
        };
        let whole = capacity(1 << 18, &limits, grid(65_535));
        assert_eq!((whole.captures, whole.positions), (1 << 18, 1 << 17));
        assert_eq!(whole.verdicts, 1 << 18, "no request names a position");
        assert_eq!(capacity(0, &limits, grid(65_535)).captures, 1);
        let folded = capacity(1 << 18, &limits, grid(2));
        assert_eq!((folded.captures, folded.verdicts), (256, 128));
        for binding in [32, 1 << 10, 1 << 20] {
            for buffer in [1 << 10, 1 << 20, 1 << 28] {
                let limits = wgpu::Limits {
                    max_storage_buffer_binding_size: binding,
                    max_buffer_size: buffer,
                    ..limits.clone()
                };
                let most = capacity(usize::MAX, &limits, grid(65_535));
                assert!(most.captures as u64 * WORD <= binding);
                assert!(most.positions as u64 * POSITION_SIZE <= binding);
                assert!(positions_size(most) <= binding);
                assert!(results_size(most) <= binding);
                assert!(RESULTS_AT + results_size(most) <= buffer);
                assert!(staging_size(most) <= buffer);
            }
        }
    }
}

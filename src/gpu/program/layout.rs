//! Where everything lies: the bindings, the parameters, the transfer buffers.

use bytemuck::{Pod, Zeroable};

use super::verdicts::VerdictRecord;
use crate::attacks::MASKS;
use crate::{Capture, PieceValues, Position};

/// How the shader uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A uniform.
    Uniform,
    /// Storage that is read.
    Read,
    /// Storage that is written.
    Write,
}

/// One entry of the only bind group; its number is its index in [`BINDINGS`].
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// What is bound, for people.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
    /// The fewest bytes that may be bound.
    pub least: u64,
}

/// All buffers that both kernels take. Where there are no requests, any bytes will do.
pub const BINDINGS: [Binding; 5] = [
    binding("params", Access::Uniform, PARAMS_SIZE),
    binding("masks", Access::Read, size_of_val(&MASKS) as u64),
    binding("positions", Access::Read, POSITION_SIZE),
    binding("requests", Access::Read, WORD),
    binding("results", Access::Write, RECORD_SIZE),
];

const fn binding(name: &'static str, access: Access, least: u64) -> Binding {
    Binding {
        name,
        access,
        least,
    }
}

/// The CPU's table of masks, as the shader reads it.
#[must_use]
pub fn masks() -> &'static [u8] {
    bytemuck::cast_slice(&MASKS)
}

/// The uniform of one dispatch.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// How many results are wanted.
    pub count: u32,
    /// Workgroups in a row of the folded dispatch.
    pub groups_x: u32,
    /// Differs from chunk to chunk; comes back with the results.
    pub serial: [u32; 2],
    /// The rules' piece values.
    pub values: PieceValues,
}

/// Bytes of the parameters.
pub const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
/// Bytes of a position.
pub const POSITION_SIZE: u64 = size_of::<Position>() as u64;
/// Bytes of a request, and of a score at most.
pub const WORD: u64 = size_of::<u32>() as u64;
/// Bytes of a verdict.
pub const RECORD_SIZE: u64 = size_of::<VerdictRecord>() as u64;

/// Positions that a chunk of requests can hold: a request keeps 17 bits for their index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - Capture::BITS);

/// One request: the move, and the index of its position in the chunk.
#[inline]
pub(super) fn request(capture: Capture, position: usize) -> u32 {
    u32::from(capture.to_bits()) | (position as u32) << Capture::BITS
}

/// Where positions begin in a staging buffer, behind the parameters.
pub const POSITIONS_AT: u64 = 256;
/// Where a readback buffer has the chunk's serial number, behind two timestamps.
pub const SERIAL_AT: u64 = 16;
/// Where it has the results.
pub const RESULTS_AT: u64 = 32;

/// How much a chunk holds at most, and so how large its buffers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Positions, where each has moves to be scored.
    pub positions: usize,
    /// Moves to be scored.
    pub captures: usize,
    /// Positions, where a verdict comes back for each.
    pub verdicts: usize,
}

impl Capacity {
    /// Bytes of a staging buffer, the largest one.
    #[must_use]
    pub fn staging_size(self) -> u64 {
        self.requests_at() + self.requests_size()
    }

    /// Where requests begin in a staging buffer, behind the positions.
    #[must_use]
    pub fn requests_at(self) -> u64 {
        POSITIONS_AT + self.positions_size()
    }

    /// Bytes of requests.
    #[must_use]
    pub fn requests_size(self) -> u64 {
        self.captures as u64 * WORD
    }

    /// Bytes of positions, for moves or alone.
    #[must_use]
    pub fn positions_size(self) -> u64 {
        self.positions.max(self.verdicts) as u64 * POSITION_SIZE
    }

    /// Bytes of results, scores or verdicts.
    #[must_use]
    pub fn results_size(self) -> u64 {
        let (scores, verdicts) = (self.captures as u64, self.verdicts as u64);
        (scores * WORD).max(verdicts * RECORD_SIZE)
    }
}

//! The layout of bindings, parameters and transfer buffers.

use bytemuck::{Pod, Zeroable};

use crate::attacks::MASKS;
use crate::exchange::INFINITE;
use crate::{Bounds, Capture, PieceValues, Position};

/// How the shader uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A uniform.
    Uniform,
    /// Read-only storage.
    Read,
    /// Writable storage.
    Write,
}

/// One entry of a bind group; its number is its index.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Its name in messages.
    pub name: &'static str,
    /// How it is used.
    pub access: Access,
    /// The smallest size of the buffer.
    pub least: u64,
}

/// The buffers of kernels that answer. Without requests, any bytes will do.
pub const BINDINGS: [Binding; 5] = [
    binding("params", Access::Uniform, PARAMS_SIZE),
    binding("masks", Access::Read, size_of_val(&MASKS) as u64),
    binding("positions", Access::Read, POSITION_SIZE),
    binding("requests", Access::Read, WORD),
    binding("results", Access::Write, RECORD_SIZE),
];

/// The buffers of kernels that encode.
pub const ENCODING: [Binding; 5] = [
    binding("params", Access::Uniform, PARAMS_SIZE),
    binding("masks", Access::Read, size_of_val(&MASKS) as u64),
    binding("raw", Access::Read, WORD),
    binding("answers", Access::Write, WORD),
    binding("made", Access::Write, WORD),
];

/// The buffers of kernels that decode.
pub const DECODING: [Binding; 5] = [
    binding("params", Access::Uniform, PARAMS_SIZE),
    binding("masks", Access::Read, size_of_val(&MASKS) as u64),
    binding("raw", Access::Read, WORD),
    binding("decoded", Access::Write, POSITION_SIZE),
    binding("answers", Access::Write, WORD),
];

const fn binding(name: &'static str, access: Access, least: u64) -> Binding {
    Binding {
        name,
        access,
        least,
    }
}

/// The CPU's table of square masks, in the shader's layout.
pub fn masks() -> &'static [u8] {
    bytemuck::cast_slice(&MASKS)
}

/// The uniform of one dispatch.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// The number of results.
    pub count: u32,
    /// Workgroups per row of a folded dispatch.
    pub groups_x: u32,
    /// The chunk's number, returned with the results.
    pub serial: [u32; 2],
    /// The rules' piece values.
    pub values: PieceValues,
    /// What SEEs are asked about, by `asked`.
    pub bounds: [i32; 4],
    /// The number of rows of units in a file.
    pub units: u32,
    /// Workgroups per row of the dispatch that takes a unit an invocation.
    pub units_x: u32,
    /// The word of the file's buffer where the rows of units begin.
    pub units_at: u32,
    /// The word there where the table for encoding begins.
    pub table: u32,
}

/// Bounds in the parameters: on the SEE of the side to move and of the opponent, then the
/// opponent's window, in which both its bound and a win can be told.
pub fn asked(bounds: Bounds) -> [i32; 4] {
    let bound = |bound: Option<i32>| bound.map_or(INFINITE, |b| b.clamp(-INFINITE, INFINITE));
    let own = bound(bounds.see);
    let their = bound(bounds.threat);
    let window = match (bounds.threat, bounds.double_threat) {
        (Some(_), true) => [their.min(0), their.max(0) + 1],
        (Some(_), false) => [their, their + 1],
        (None, _) => [0, 1],
    };
    [own, their, window[0], window[1]]
}

/// Bytes of the parameters.
pub const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
/// Bytes of a position.
pub const POSITION_SIZE: u64 = size_of::<Position>() as u64;
/// Bytes of a request, and of a wide score.
pub const WORD: u64 = size_of::<u32>() as u64;
/// Bytes of a verdict.
pub const RECORD_SIZE: u64 = 4 * WORD;

/// Most positions of a chunk of requests: a request has 17 bits for the index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - Capture::BITS);

/// A request: the move, and the index of its position in the chunk.
#[inline]
pub(super) fn request(capture: Capture, position: usize) -> u32 {
    u32::from(capture.to_bits()) | (position as u32) << Capture::BITS
}

/// Offset of positions in a staging buffer, after the parameters.
pub const POSITIONS_AT: u64 = 256;
/// Offset of the chunk's number in a readback buffer, after two timestamps of a host that has them.
pub const SERIAL_AT: u64 = 16;
/// Offset of the results.
pub const RESULTS_AT: u64 = 32;

/// The most that a chunk holds, which sets the sizes of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Positions whose moves are scored.
    pub positions: usize,
    /// Moves to be scored.
    pub captures: usize,
    /// Positions to judge.
    pub verdicts: usize,
}

impl Capacity {
    /// Bytes of a staging buffer, the largest one.
    pub fn staging_size(self) -> u64 {
        self.requests_at() + self.requests_size()
    }

    /// Offset of requests in a staging buffer, after the positions.
    pub fn requests_at(self) -> u64 {
        POSITIONS_AT + self.positions_size()
    }

    /// Bytes of requests.
    pub fn requests_size(self) -> u64 {
        self.captures as u64 * WORD
    }

    /// Bytes of positions, with or without moves.
    pub fn positions_size(self) -> u64 {
        self.positions.max(self.verdicts) as u64 * POSITION_SIZE
    }

    /// Bytes of results, scores or verdicts.
    pub fn results_size(self) -> u64 {
        let scores = self.captures as u64;
        let verdicts = self.verdicts as u64;
        (scores * WORD).max(verdicts * RECORD_SIZE)
    }
}

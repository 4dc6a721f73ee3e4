//! The layout of bindings, parameters and transfer buffers.
//!
//! A chunk goes up in a *staging* buffer and comes down in a *readback* buffer, both of which the
//! host maps:
//!
//! ```text
//! staging    byte 0    the parameters, 80 bytes
//!          256         positions, 32 bytes each (`POSITIONS_AT`)
//!                      requests, 4 bytes each, after room for as many positions as fit
//!
//! readback byte 0      two timestamps, of a host that takes them
//!           16         the chunk's number (`SERIAL_AT`)
//!           32         the results (`RESULTS_AT`)
//! ```

use bytemuck::{Pod, Zeroable};

use crate::attacks::MASKS;
use crate::exchange::INFINITE;
use crate::{Bounds, PackedMove, PieceValues, Position};

/// How the shader uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As a uniform, which is read only.
    Uniform,
    /// As storage that it reads.
    Read,
    /// As storage that it reads and writes.
    Write,
}

/// One entry of a bind group; its binding number is its index in the array.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The buffer's name in messages.
    pub name: &'static str,
    /// How the shader uses it.
    pub access: Access,
    /// The smallest size of the buffer, in bytes.
    pub least: u64,
}

impl Binding {
    /// The entry of a buffer with this name, use and least size in bytes.
    pub const fn new(name: &'static str, access: Access, least: u64) -> Binding {
        Binding {
            name,
            access,
            least,
        }
    }
}

/// The buffers of [`SHADER`](super::SHADER). A kernel without requests needs some buffer there,
/// with any content.
pub const BINDINGS: [Binding; 5] = [
    Binding::new("params", Access::Uniform, PARAMS_SIZE),
    Binding::new("masks", Access::Read, size_of_val(&MASKS) as u64),
    Binding::new("positions", Access::Read, POSITION_SIZE),
    Binding::new("requests", Access::Read, WORD),
    Binding::new("results", Access::Write, RECORD_SIZE),
];

/// The CPU's table of square masks as bytes: the shader's `masks` has the same layout.
pub fn masks() -> &'static [u8] {
    bytemuck::cast_slice(&MASKS)
}

/// The parameters of one dispatch, a uniform: `Params` of `shaders/params.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Params {
    /// The number of results in the chunk: moves or positions.
    pub count: u32,
    /// Workgroups in a row of the dispatch of [`Params::count`] results.
    pub groups_x: u32,
    /// The chunk's number, returned with the results.
    pub serial: [u32; 2],
    /// The rules' piece values, five words.
    pub values: PieceValues,
    /// The bounds and the opponent's window, by [`bound_params`].
    pub bounds: [i32; 4],
    /// For kernels of your own that share this uniform; `SHADER` does not read it.
    pub own: [u32; 4],
}

/// Bounds as parameters: that on the SEE of the side to move, that on the opponent's, and the two
/// ends of the opponent's window. A bound that is not set is one that nothing exceeds.
///
/// In the window, an exact SEE is needed. It has to tell whether the bound is exceeded, and, if
/// wins on two squares are asked about, whether the SEE is above 0. With a bound of 100 on the
/// threat it is 100 to 101, or with both questions 0 to 101.
pub fn bound_params(bounds: Bounds) -> [i32; 4] {
    let bound = |bound: Option<i32>| bound.map_or(INFINITE, |b| b.clamp(-INFINITE, INFINITE));
    let own_bound = bound(bounds.see);
    let their_bound = bound(bounds.threat);
    let window = match (bounds.threat, bounds.double_threat) {
        (Some(_), true) => [their_bound.min(0), their_bound.max(0) + 1],
        (Some(_), false) => [their_bound, their_bound + 1],
        (None, _) => [0, 1],
    };
    [own_bound, their_bound, window[0], window[1]]
}

/// The size of [`Params`] in bytes.
pub const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
/// The size of a [`Position`] in bytes, 32.
pub const POSITION_SIZE: u64 = size_of::<Position>() as u64;
/// Bytes of a request, and of a wide score.
pub const WORD: u64 = size_of::<u32>() as u64;
/// The size of a verdict in bytes, four words.
pub const RECORD_SIZE: u64 = 4 * WORD;

/// The most positions of a chunk of moves, 131,072: a request has 17 bits for the index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - PackedMove::BITS);

/// A request: the move in the lower 15 bits, and above them the index of its position in the chunk.
#[inline]
pub(super) fn request(played: PackedMove, position: u32) -> u32 {
    u32::from(played.to_bits()) | position << PackedMove::BITS
}

/// Offset of positions in a staging buffer, in bytes.
pub const POSITIONS_AT: u64 = 256;
/// Offset of the chunk's number in a readback buffer, in bytes.
pub const SERIAL_AT: u64 = 16;
/// Offset of the results in a readback buffer, in bytes.
pub const RESULTS_AT: u64 = 32;

/// The most that a chunk holds. The sizes of buffers follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Positions of a chunk of moves.
    pub positions: usize,
    /// Moves of a chunk of moves.
    pub captures: usize,
    /// Positions of a chunk without moves, for verdicts or bounds.
    pub verdicts: usize,
}

impl Capacity {
    /// A capacity for chunks of at most this many answers, 1 or more.
    #[must_use]
    pub fn limited(self, answers: usize) -> Capacity {
        Capacity {
            positions: self.positions,
            captures: self.captures.min(answers),
            verdicts: self.verdicts.min(answers),
        }
    }

    /// Bytes of a staging buffer, the largest of a chunk's buffers.
    pub fn staging_size(self) -> u64 {
        self.requests_at() + self.requests_size()
    }

    /// Offset of requests in a staging buffer, after the positions.
    pub(crate) fn requests_at(self) -> u64 {
        POSITIONS_AT + self.positions_size()
    }

    /// Bytes of the buffer of requests.
    pub fn requests_size(self) -> u64 {
        self.captures as u64 * WORD
    }

    /// Bytes of the buffer of positions, whether they come with moves or not.
    pub fn positions_size(self) -> u64 {
        self.positions.max(self.verdicts) as u64 * POSITION_SIZE
    }

    /// Bytes of the buffer of results: scores of a word, or verdicts.
    pub fn results_size(self) -> u64 {
        let scores = self.captures as u64;
        let verdicts = self.verdicts as u64;
        (scores * WORD).max(verdicts * RECORD_SIZE)
    }
}

//! The layout of bindings, parameters and requests.

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

/// The buffers of [`SHADER`](super::SHADER); [`Shape::sizes`](super::Shape::sizes) tells how large
/// they are. A kernel without requests needs some buffer there, with any content.
pub const BINDINGS: [Binding; 5] = [
    Binding {
        name: "params",
        access: Access::Uniform,
        least: PARAMS_SIZE,
    },
    Binding {
        name: "masks",
        access: Access::Read,
        least: size_of_val(&MASKS) as u64,
    },
    Binding {
        name: "positions",
        access: Access::Read,
        least: POSITION_SIZE,
    },
    Binding {
        name: "requests",
        access: Access::Read,
        least: WORD,
    },
    Binding {
        name: "results",
        access: Access::Write,
        least: RECORD_SIZE,
    },
];

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
    /// The bounds and the opponent's window (`bound_params` in `src/gpu/program/layout.rs`).
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
pub(super) fn bound_params(bounds: Bounds) -> [i32; 4] {
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
pub(in crate::gpu) const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
/// The size of a [`Position`] in bytes, 32.
pub(in crate::gpu) const POSITION_SIZE: u64 = size_of::<Position>() as u64;
/// Bytes of a request, and of a wide score.
pub(in crate::gpu) const WORD: u64 = size_of::<u32>() as u64;
/// The size of a verdict in bytes, four words.
pub(in crate::gpu) const RECORD_SIZE: u64 = 4 * WORD;

/// The most positions of a chunk of moves, 131,072: a request has 17 bits for the index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - PackedMove::BITS);

/// A request: the move in the lower 15 bits, and above them the index of its position in the chunk.
#[inline]
pub(super) fn request(played: PackedMove, position: u32) -> u32 {
    u32::from(played.to_bits()) | position << PackedMove::BITS
}

//! The CPU backend's vector kernels, and the choice of instructions.
//!
//! A kernel answers about many positions: [`ScoreKernel`] with the SEE of given moves,
//! [`VerdictKernel`] with verdicts, [`BoundsKernel`] with the bounds that they exceed. It is
//! written once, for any vector unit, with one move or position per 64-bit lane.
//!
//! | file | holds |
//! |---|---|
//! | `lanes.rs` | what a kernel needs from a vector unit; begin there |
//! | `avx2.rs`, `avx512.rs`, `simd128.rs` | the units, with 4, 8 and 2 lanes |
//! | `unit.rs` | what is compiled for each unit |
//! | `path.rs` | the names of the units, detection, and the choice among them |
//! | `board.rs`, `exchange.rs` | positions and exchanges in lanes |
//! | `score.rs`, `stages.rs`, `bounds.rs` | the kernels |
//! | `screen.rs` | the screen that `bounds.rs` asks first |
//! | `nibbles.rs`, `groups.rs` | boards with four bits for each piece, and them as positions |
//!
//! A call goes like this. The backend (`backend.rs`) cuts the positions into tasks for its threads.
//! For each, `Instructions::answer` chooses a function by the unit that was detected:
//! `unit.answer`, which is compiled for the unit's features, and into which the whole kernel is
//! inlined. Under `Pins::Legal`, and without a unit, the kernel's `one_by_one` calls the scalar
//! code instead. WebAssembly cannot detect, so there the unit is chosen when it is compiled.
//!
//! All ways give the scalar code's results, bit for bit. The tests compare every path that the
//! machine has with the scalar one, and that with an oracle.

// Without a vector unit nothing calls the kernels, and WebAssembly's does not need all of them.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod board;
mod bounds;
mod exchange;
mod groups;
mod lanes;
mod nibbles;
mod path;
mod score;
mod screen;
#[cfg(simd128)]
mod simd128;
mod stages;
mod unit;

pub(crate) use bounds::BoundsKernel;
pub(crate) use groups::{all_sound, unpack};
pub use nibbles::{Codes, GROUP, NibbleBoard, Nibbles, codes};
pub use path::CpuPath;
pub(crate) use path::Instructions;
pub(crate) use score::ScoreKernel;
pub(crate) use stages::VerdictKernel;
pub(crate) use unit::LaneKernel;

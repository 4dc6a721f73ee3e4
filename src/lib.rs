#![doc = include_str!("../README.md")]
// The library never prints: messages go to callbacks.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod attacks;
pub mod backend;
mod batch;
mod captures;
#[cfg(feature = "files")]
pub mod check;
#[cfg(feature = "files")]
pub mod device;
mod error;
pub mod evaluator;
mod exchange;
#[cfg(feature = "files")]
pub mod explain;
mod fen;
#[cfg(feature = "files")]
pub mod filter;
#[cfg(feature = "files")]
pub mod formats;
pub mod gpu;
#[cfg(feature = "files")]
pub mod jobs;
#[cfg(feature = "files")]
pub mod mix;
mod notation;
mod packed_move;
pub mod position;
mod quiescence;
mod rules;
mod simd;
#[cfg(feature = "files")]
pub mod suite;
pub mod values;
mod verdict;

pub use batch::Batch;
pub use captures::{for_each_noisy, noisy_moves};
pub use error::ParseError;
pub use evaluator::{BackendChoice, Evaluator, Report};
pub use exchange::{BarredBy, BarredPiece, PieceOn, Recapture, Trace, see, see_ge};
pub use notation::san;
pub use packed_move::PackedMove;
pub use position::{Position, PositionError};
pub use quiescence::MAX_QUIESCENCE;
pub use rules::{EnPassant, FirstPromotion, Pins, Profile, RecapturePromotion, Rules};
pub use simd::CpuPath;
pub use values::PieceValues;
pub use verdict::{Best, Bounds, BoundsExceeded, Verdict};

/// 5,000 positions of self-played games, a FEN on each line, to try things on.
#[cfg(feature = "files")]
pub const SAMPLE: &str = include_str!("../data/sample.fen");

// Runs their examples.
#[cfg(doctest)]
#[doc = include_str!("../docs/check.md")]
mod checking {}
#[cfg(doctest)]
#[doc = include_str!("../docs/loader.md")]
mod loading {}

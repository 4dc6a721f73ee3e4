#![doc = include_str!("../README.md")]
// The library never prints: messages go to callbacks.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod attacks;
pub mod backend;
mod batch;
pub mod boards;
mod captures;
mod choices;
mod error;
pub mod evaluator;
mod exchange;
pub mod explain;
pub mod fen;
pub mod gpu;
pub mod notation;
mod packed_move;
pub mod position;
mod quiescence;
mod rules;
mod simd;
pub mod values;
mod verdict;

pub use batch::Batch;
pub use captures::{for_each_noisy, noisy_moves};
pub use error::ParseError;
pub use evaluator::{BackendChoice, Evaluator, Report};
pub use exchange::{BarredBy, BarredPiece, PieceOn, Recapture, Trace, see, see_ge};
pub use notation::san;
pub use packed_move::PackedMove;
pub use position::{CaptureKind, Position, PositionError};
pub use quiescence::MAX_QUIESCENCE;
pub use rules::{EnPassant, FirstPromotion, Pins, Profile, RecapturePromotion, Rules};
/// The crate of boards and moves whose types this one takes and returns.
pub use shakmaty;
pub use simd::CpuPath;
pub use values::PieceValues;
pub use verdict::{Best, Bounds, BoundsExceeded, Verdict};

/// 5,000 positions of self-played games, a FEN on each line, to try things on.
pub const SAMPLE: &str = include_str!("../data/sample.fen");

/// The test suite of SEE, `data/see-suite.txt`: `docs/suite.md` tells how an engine reads it.
pub const SUITE: &str = include_str!("../data/see-suite.txt");

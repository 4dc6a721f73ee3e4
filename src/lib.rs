//! Exact Static Exchange Evaluation (SEE) of chess positions: of one move, or of millions at once on
//! all cores or on a GPU, with the same answers bit for bit.
//!
//! # In an engine
//!
//! ```toml
//! [dev-dependencies]
//! swaplist = { path = "../swaplist", default-features = false }
//! ```
//!
//! This compares an engine's SEE with Stockfish's rules, on every noisy move of 5,000 positions:
//!
//! ```
//! use swaplist::{PieceValues, Position, Profile, Rules, SAMPLE, noisy_moves};
//!
//! const RULES: Rules = Rules::new(Profile::Sf, PieceValues::STOCKFISH);
//! # // It stands for the engine's function.
//! # fn my_see(fen: &str, uci: &str) -> i32 {
//! #     RULES.see(&fen.parse().unwrap(), uci.parse().unwrap())
//! # }
//!
//! for fen in SAMPLE.lines() {
//!     let position: Position = fen.parse()?;
//!     for capture in noisy_moves(&position) {
//!         let expected = RULES.see(&position, capture);
//!         assert_eq!(my_see(fen, &capture.to_string()), expected, "{fen} {capture}");
//!     }
//! }
//! # Ok::<(), swaplist::PositionError>(())
//! ```
//!
//! [`Rules::trace`] has the swap list of a move, and the pieces that may not recapture, with the
//! reasons. `check` in the crate `swaplist-files` says which known fault explains the differences.
//!
//! # In a loader
//!
//! A record's bitboards become a position, and one call says whether it is worth training on:
//!
//! ```
//! use swaplist::shakmaty::Color;
//! use swaplist::{Position, Rules};
//!
//! // White's king and pawn on e1 and e4, Black's on e8 and d5: pawns, knights, ..., kings.
//! let roles = [1 << 28 | 1 << 35, 0, 0, 0, 0, 1 << 4 | 1 << 60];
//! let colors = [1 << 4 | 1 << 28, 1 << 35 | 1 << 60];
//! let position = Position::from_bitboards(roles, colors, Color::White, None)?;
//! assert!(!Rules::SWAP.is_quiet(&position)); // exd5 wins a pawn
//! # Ok::<(), swaplist::PositionError>(())
//! ```
//!
//! [`Evaluator::exceeds`] answers for millions at once, and [`boards`] reads records of nibbles. The
//! filters of `swaplist-files` also ask for a record's move, score and ply.
//!
//! # What there is
//!
//! | to | use |
//! |---|---|
//! | make a position | [`Position`], from a FEN, shakmaty's types or bitboards |
//! | score one move | [`see`], [`see_ge`], [`Rules::see`], [`Rules::trace`] |
//! | ask about one position | [`Rules::is_quiet`], [`Rules::exceeds`], [`Rules::verdict`], [`Rules::quiescence`] |
//! | ask about many | [`Evaluator`], on the CPU or a GPU, with a [`Batch`] of moves or a slice of positions |
//! | explain an exchange | [`explain::Explanation`] |
//! | run kernels of your own beside swaplist's | [`gpu`] |
//! | write a reader or a move generator | [`boards`], [`attacks`], [`fen`], [`position`] |
//!
//! Files of training data are the crate `swaplist-files`, which uses nothing but this public face.
//! Without features this crate depends on shakmaty, bytemuck and thiserror, and works on one core.
//! `rayon` adds the other cores, and `gpu` wgpu; both are on by default. All but `gpu` build for
//! wasm32.
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
mod locks;
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
pub use choices::Choice;
pub use error::ParseError;
pub use evaluator::{Announcement, BackendChoice, Evaluator, Report};
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
pub use verdict::{Best, Bounds, BoundsExceeded, Sides, Verdict};

/// 5,000 positions of self-played games, a FEN on each line, to try things on.
pub const SAMPLE: &str = include_str!("../data/sample.fen");

/// The test suite of SEE, `data/see-suite.txt`: `docs/suite.md` tells how an engine reads it.
pub const SUITE: &str = include_str!("../data/see-suite.txt");

// README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

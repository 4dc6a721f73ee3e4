//! Files of chess training data: read, filtered for quiet positions by exact SEE, converted, mixed,
//! counted and checked.
//!
//! # In a loader
//!
//! ```toml
//! [dependencies]
//! swaplist = { path = "../swaplist", default-features = false }
//! swaplist-files = { path = "../swaplist/files", default-features = false, features = ["jobs"] }
//!
//! # Without these lines, a position takes many times as long in a debug build.
//! [profile.dev.package.swaplist]
//! opt-level = 3
//! [profile.dev.package.swaplist-files]
//! opt-level = 3
//! ```
//!
//! A filter is made once, and asked about each position with its record:
//!
//! ```
//! use swaplist::{Position, Rules};
//! use swaplist_files::filter::Settings;
//! use swaplist_files::formats::{Place, RecordFields};
//!
//! let filter = Settings::from_toml("preset = 'quiet'\nmin_ply = 16")?.filter()?;
//!
//! let position: Position = "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
//! let record = RecordFields::new(Place::Offset(0), 0..0).with_score(Some(12)).with_ply(Some(40));
//! assert!(filter.judge(&position, &record)?.is_none(), "it has a reason to drop the record");
//!
//! // By SEE alone, the crate `swaplist` is enough:
//! assert!(Rules::SWAP.is_quiet(&position));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! None of these allocates or starts a thread. `docs/loader.md` of the repository has more: boards
//! of other crates, many positions at once, what it costs.
//!
//! # In an engine's tests
//!
//! [`check::against`] compares your function with the rules on every noisy move, and its error says
//! which known fault explains the differences. It needs no feature:
//!
//! ```
//! use swaplist::{PieceValues, Position, Profile, Rules, SAMPLE};
//!
//! let rules = Rules::new(Profile::Sf, PieceValues::STOCKFISH);
//! # // It stands for the engine's function.
//! # let my_see = |position: &Position, capture| rules.see(position, capture);
//! let positions: Result<Vec<Position>, _> = SAMPLE.lines().take(100).map(str::parse).collect();
//! let compared = swaplist_files::check::against(&positions?, &rules, my_see)?;
//! assert!(compared > 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What there is
//!
//! | to | use |
//! |---|---|
//! | read and write a format | [`formats::open`], [`formats::Records`], [`formats::Writer`] |
//! | decide which records are kept | [`filter::Filter`], made from a [`filter::Preset`] or [`filter::Settings`] |
//! | do what the command does with a whole file | [`jobs`], with [`jobs::filter`] for the usual case |
//! | make one training set from several files | [`mix::Mix`] |
//! | compare an engine's SEE with the rules | [`check`], [`suite`] |
//! | explain a position that is named in a line of text | [`explain`] |
//! | find a position, a game or a move in what somebody pasted | [`pasted`] |
//! | hand out the blocks of a file yourself | [`blocks`] |
//! | work on blocks with many threads, and get the results in order | [`ordered`] |
//! | draw random numbers as the command does | [`random`] |
//! | write figures and paths as the command does | [`report`] |
//! | see where a job spent its time | [`stages`] |
//!
//! The features are `jobs` (compressed files, filters, jobs and mixes), `gpu` (filters binpacks and
//! viriformat on a GPU, through wgpu), `rayon` (all cores for a call with many positions, such as
//! [`filter::Filter::are_quiet`]; jobs have threads of their own) and `zstd` (Zstandard by its C
//! library; without it Zstandard can only be read). All but `rayon` are on by default; `gpu` turns on
//! `rayon`, and both `gpu` and `zstd` turn on `jobs`. An engine that compares its SEE needs none.
// The library never prints: messages go to callbacks.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod check;
pub mod explain;
pub mod formats;
mod notation;
mod packed;
pub mod pasted;
pub mod suite;

// What works on whole files, and all that it depends on.
#[cfg(feature = "jobs")]
#[path = "."]
mod whole_files {
    pub mod blocks;
    pub(crate) mod device;
    pub mod filter;
    pub mod jobs;
    pub mod mix;
    pub mod ordered;
    pub mod random;
    pub mod report;
    pub mod stages;
}

// Tests name the library as everybody does, also those that look inside.
#[cfg(all(test, feature = "zstd"))]
extern crate self as swaplist_files;
#[cfg(all(test, feature = "zstd"))]
#[path = "../tests/check/mod.rs"]
mod check_tests;
#[cfg(all(test, feature = "zstd"))]
#[path = "../tests/device/mod.rs"]
mod device_tests;
#[cfg(all(test, feature = "zstd"))]
#[path = "../tests/formats/mod.rs"]
mod tests;

#[cfg(feature = "jobs")]
use whole_files::device;
#[cfg(feature = "jobs")]
pub use whole_files::{blocks, filter, jobs, mix, ordered, random, report, stages};

// The examples of these pages are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
#[cfg(doctest)]
#[doc = include_str!("../../docs/check.md")]
mod checking {}
#[cfg(doctest)]
#[doc = include_str!("../../docs/loader.md")]
mod loader {}

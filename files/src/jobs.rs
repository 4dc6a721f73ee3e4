//! Jobs on whole files: filter, convert, count, validate, score, verdict.
//!
//! A [`Job`] reads its [`Input`] in blocks, works on them with many threads and writes in the
//! input's order, in bounded memory. It returns a [`Summary`] or an [`Error`]. It prints
//! nothing, and files are written atomically.
//!
//! ```
//! use std::path::Path;
//! use swaplist_files::jobs::{Input, Job, Options};
//! use swaplist::{Evaluator, Rules};
//!
//! let input = Input::open(Some(Path::new("../data/sample.fen")))?;
//! let summary = Job::new(input, Options::default())?.count(&Rules::SWAP, &Evaluator::cpu())?;
//! println!("{} records", summary.tally.records);
//! # assert!(summary.tally.records > 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bands;
pub(crate) mod block_output;
mod blocks;
pub(crate) mod caller;
mod cancel;
mod chunks;
pub(crate) mod conversion;
mod convert;
pub(crate) mod count;
mod counts;
mod cuts;
mod data;
mod distinct;
pub(crate) mod error;
pub(crate) mod filter;
mod index;
pub(crate) mod input;
pub(crate) mod job;
pub(crate) mod kind;
pub(crate) mod options;
pub(crate) mod output;
mod part;
pub(crate) mod pieces;
pub(crate) mod plan;
pub(crate) mod pool;
pub(crate) mod present;
mod rewriting;
pub(crate) mod run_context;
mod score;
pub(crate) mod step;
pub(crate) mod summary;
pub(crate) mod tally;
pub(crate) mod task;
mod validate;
mod verdict;

pub use caller::Event;
pub use cancel::Cancel;
pub use counts::Counts;
pub use data::{Buckets, DataCounts, ScoreBand};
pub use error::{Error, ErrorKind};
pub use filter::filter;
pub use input::Input;
pub use job::Job;
pub use kind::JobKind;
pub use options::Options;
pub use part::Part;
pub use score::Moves;
pub use summary::{Mode, Summary};
pub use tally::Tally;
pub use verdict::Rows;

/// For front ends such as the command, the Python package and the page: what they need beyond a
/// [`Job`] on one file.
pub mod front {
    pub use super::blocks::Blocks;
    pub use super::index::BlockIndex;
    pub use super::options::threads;
    pub use super::output::{Files, Output};
    pub use super::plan::Plan;
    pub use super::present::{ResultTable, grouped, path, percent, share, text};
    pub use crate::filter::settings::{FLAGS, Flag};
    pub use crate::filter::text::number;
    pub use crate::formats::error::system_text;
}

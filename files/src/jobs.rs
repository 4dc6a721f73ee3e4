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
pub(crate) mod blocks;
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
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod job;
pub(crate) mod kind;
pub(crate) mod options;
pub(crate) mod output;
mod part;
pub(crate) mod pass;
pub(crate) mod pieces;
pub(crate) mod plan;
pub(crate) mod pool;
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
pub use counts::{Bars, Counts};
pub use data::{Buckets, DataCounts, ScoreBand};
pub use error::{Error, ErrorKind};
pub use filter::filter;
pub use input::Input;
pub use job::Job;
pub use kind::JobKind;
pub use options::{Options, thread_count};
pub use output::{Files, Output};
pub use part::Part;
pub use score::Moves;
pub use summary::{Mode, Summary};
pub use tally::Tally;
pub use verdict::Rows;

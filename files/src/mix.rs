//! Mixing: makes a training set of several files.
//!
//! A [`Mix`] reads any number of inputs in any formats and writes one output, or several that share
//! the records: shuffled or interleaved, filtered, without duplicates, a sample or the first so
//! many. It prints nothing, and files are written atomically.
//!
//! ```
//! use std::path::Path;
//! use swaplist::Evaluator;
//! use swaplist_files::mix::{Identity, Mix, MixOptions, Order};
//!
//! # let folder = tempfile::tempdir()?;
//! # let out = folder.path().join("all.viriformat");
//! let inputs = [Path::new("../data/sample.binpack")];
//! let options = MixOptions {
//!     order: Order::Shuffle,
//!     split: vec![95.0, 5.0],
//!     ..MixOptions::default()
//! };
//! let mix = Mix::new(inputs, options)?.write_to(Some(&out))?; // all-1.viriformat, all-2.viriformat
//! let summary = mix.run(&Evaluator::cpu())?;
//! let [train, held_out] = &summary.outputs[..] else { panic!() };
//! assert_eq!(train.records + held_out.records, summary.inputs[0].records);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//!
//! A shuffle takes two passes over the data. The first gives each record, or each game or chain
//! where these stay whole, a key: a hash of the seed and of its place in the inputs. It encodes it as
//! it will be written, and puts it into one of several temporary files, by the first bits of the
//! key. The second pass reads one of these files after the other, sorts it by the keys and appends
//! it to the output. So the output is in the order of the keys: every order is equally likely, and
//! it depends on the seed alone, not on memory, threads or the machine. Interleaving takes one pass
//! and no temporary files. Looking for duplicates takes a pass of its own before either.
//!
//! # The files
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `setup.rs` | what may be asked, and [`Mix`]: inputs, outputs, what is refused |
//! | `summary.rs` | what a mix tells at its end |
//! | `run.rs` | what the passes share; `source.rs` opens the inputs, once a pass |
//! | `room.rs`, `memory.rs` | whether the disk has room, and how the mix is divided to fit in memory |
//! | `task.rs` | what becomes of a block: which records stay |
//! | `encode.rs`, `key.rs` | encodes them as items, with the keys that decide the order |
//! | `games.rs`, `joiner.rs` | which records are of one game, also over the ends of blocks |
//! | `items.rs` | encoded records with their keys, as they move from pass to pass |
//! | `exclude.rs`, `excluded.rs` | positions of other files, which are left out |
//! | `scan.rs`, `duplicates.rs` | the pass that looks for duplicates |
//! | `shuffle.rs`, `buckets.rs`, `second.rs`, `sort.rs` | the two passes of a shuffle |
//! | `interleave.rs`, `lanes.rs`, `clock.rs` | the pass that interleaves |
//! | `sinks.rs` | the outputs, up to the limit |

mod buckets;
mod clock;
mod duplicates;
mod encode;
mod exclude;
mod excluded;
mod games;
mod interleave;
mod items;
mod joiner;
mod key;
mod lanes;
mod memory;
mod options;
mod room;
mod run;
mod scan;
mod second;
mod setup;
mod shuffle;
mod sinks;
mod sort;
mod source;
mod summary;
mod task;

pub use crate::jobs::pass::Pass;
pub use clock::Clock;
pub use options::{Identity, Keep, MixOptions, Order, SplitBy};
pub use setup::Mix;
pub use summary::{InputSummary, MixSummary, OutputSummary};

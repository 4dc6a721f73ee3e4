//! Parts of a file, each an input of its own.

use core::ops::Range;
use std::fs::Metadata;

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::pieces::Version;
use crate::formats::Format;
use crate::formats::compressed::{Compression, Frame};

/// A part of a file: whole records, games or chunks.
///
/// Jobs on all parts, in order, give together what one job on the file gives: the same bytes,
/// counts, and places in errors. What a filter draws at random depends on the record and its
/// place, so it is the same too. Refused for parts are limits, and conversions to formats of games
/// or chains, which may go on in the next part.
///
/// ```
/// use std::path::Path;
/// use swaplist_files::jobs::{Input, Job, Options, Part};
/// use swaplist::{Evaluator, Rules};
///
/// let path = Path::new("../data/sample.fen");
/// let parts = Part::cut(path, None, 100_000)?.expect("it is not compressed");
/// let mut records = 0;
/// for part in &parts {
///     let job = Job::new(Input::part(path, part)?, Options::default())?;
///     records += job.count(&Rules::SWAP, &Evaluator::cpu())?.tally.records;
/// }
/// assert_eq!((parts.len(), records), (4, 5_000));
/// # Ok::<(), swaplist_files::jobs::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Part {
    pub(super) format: Format,
    /// The bytes of the part in the decompressed file.
    pub(super) bytes: Range<u64>,
    /// The frames in which it begins and ends, if the file is compressed.
    pub(super) packed: Option<(Compression, Range<Frame>)>,
    /// The number of its first line, byte or game.
    pub(super) first: u64,
    /// What the file's header says, if the format has one.
    pub(super) columns: u64,
    /// The version of the file that was cut.
    pub(super) version: Version,
}

impl Part {
    /// An error if the file was changed since it was cut.
    pub(super) fn check(&self, name: &str, metadata: &Metadata) -> Result<()> {
        if self.version == Version::from_metadata(metadata) {
            return Ok(());
        }
        Err(Error::refused(format!(
            "'{name}' was changed while its parts were read; run again when nothing else changes it"
        )))
    }
}

//! What a device offers to filter files: batches of parts of files.

use core::ops::Range;

use super::{Layout, Recipe};
use crate::backend::BackendError;

/// A device that filters files; see the [module](super).
pub trait FileFilter: Send + Sync {
    /// The most that a batch holds.
    fn room(&self) -> Room;

    /// Compiles the kernels of a recipe, so that the first batch need not wait for them. By default
    /// nothing is done.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails.
    fn prepare(&self, _: &Recipe) -> Result<(), BackendError> {
        Ok(())
    }

    /// The buffers of a batch. A feed asks for three at most, and uses them again.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails.
    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError>;
}

/// The most that a batch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of files.
    pub bytes: usize,
    /// Rows of units.
    pub rows: usize,
    /// Records.
    pub records: usize,
    /// Parts.
    pub parts: usize,
    /// Words of output: numbers, results and text.
    pub made: usize,
    /// Invocations of a workgroup: rows of a part come in multiples of it.
    pub workgroup: usize,
}

impl Room {
    /// Of a device that has failed.
    pub const NOTHING: Room = Room {
        bytes: 0,
        rows: 0,
        records: 0,
        parts: 0,
        made: 0,
        workgroup: 1,
    };
}

/// Where bytes of a batch are uploaded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The bytes of files.
    Bytes,
    /// The rows of units, four words each.
    Rows,
    /// The encoder's table.
    Table,
}

/// The buffers of a batch, and what is in them. A batch is filled, submitted, awaited, read and
/// reset, again and again.
pub trait DeviceBatch: Send + Sync {
    /// Writes bytes into the upload memory, at an offset from the beginning of a region. Offsets
    /// are multiples of eight. Several threads may call it at once, for different bytes.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails; so do all other methods.
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError>;

    /// Starts the work on the batch, without waiting for it.
    #[allow(missing_docs, clippy::missing_errors_doc)]
    fn submit(&self, recipe: &Recipe, layout: &Layout) -> Result<(), BackendError>;

    /// Waits until it is done.
    #[allow(missing_docs, clippy::missing_errors_doc)]
    fn wait(&self) -> Result<(), BackendError>;

    /// Calls a function with some words of the output. Several threads may do so at once.
    #[allow(missing_docs, clippy::missing_errors_doc)]
    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError>;

    /// Makes the buffers ready for another batch.
    #[allow(missing_docs, clippy::missing_errors_doc)]
    fn reset(&self) -> Result<(), BackendError>;
}

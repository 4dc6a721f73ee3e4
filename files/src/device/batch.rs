//! What a device implements to filter files: batches, and their buffers.
//!
//! A [`Feed`](super::Feed) uses it as follows, any number of times for each batch:
//!
//! ```text
//! room()                          how much fits a batch
//! prepare(recipe)                 once, in the background
//! batch()                         up to three times
//!     put(Bytes ..), put(Rows ..)     for each part, by several threads
//!     put(Table ..), submit(..)       by one thread, when all parts are copied
//!     wait()                          by another one
//!     read(..)                        for each part, by several threads
//!     reset()                         by one thread, when all parts are read
//! ```

use core::ops::Range;

use super::{BatchLayout, Recipe};
use crate::stages::BatchTimes;
use swaplist::backend::BackendError;

/// A device that filters files; see the [module](super).
pub trait FileFilter: Send + Sync {
    /// The most that a batch holds; nothing, with a workgroup of 1, if the device has failed.
    fn room(&self) -> Room;

    /// Compiles the kernels of a recipe, so that the first batch need not wait for them. By default
    /// nothing is done.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails.
    fn prepare(&self, _recipe: &Recipe) -> Result<(), BackendError> {
        Ok(())
    }

    /// Makes the buffers of a batch. A feed makes three at most, and fills them again and again.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails.
    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError>;
}

/// The most that a batch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of the files' blocks, as read.
    pub bytes: usize,
    /// Rows of units, also the empty ones that fill up a workgroup.
    pub rows: usize,
    /// Records of all games or chains together.
    pub records: usize,
    /// Parts: blocks of a file.
    pub parts: usize,
    /// Words of output: the counts of each part's records, the results of units, and text.
    pub output_words: usize,
    /// Invocations of a workgroup. The rows of a part are a multiple of it, so that a workgroup
    /// counts the records of one part only.
    pub workgroup: usize,
}

/// A region of a batch's upload memory. `BatchLayout` has the order in which they are copied
/// together on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The bytes of the files' blocks, as read.
    Bytes,
    /// The rows of units, four words each.
    Rows,
    /// The encoder's table, which is made of the recipe.
    Table,
}

/// The buffers of a batch, and what is in them. A batch is filled, submitted, awaited, read and
/// reset, again and again.
pub trait DeviceBatch: Send + Sync {
    /// Writes bytes into the upload memory, from byte `at` of a region on. `at` is a multiple of
    /// eight. Several threads may call it at once, for different bytes.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device fails; so do all other methods.
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError>;

    /// Starts the work on the batch, without waiting for it. All bytes have been put.
    #[allow(clippy::missing_errors_doc)] // see `put`
    fn submit(&self, recipe: &Recipe, layout: &BatchLayout) -> Result<(), BackendError>;

    /// Waits until the device has done the batch that was submitted.
    #[allow(clippy::missing_errors_doc)] // see `put`
    fn wait(&self) -> Result<(), BackendError>;

    /// How long the device took for the steps of the batch that was awaited last, if it has a clock
    /// and somebody [records](crate::stages) the run. By default it has none.
    fn times(&self) -> Option<BatchTimes> {
        None
    }

    /// Calls `read` once, with the words of the output that have these numbers. Several threads may
    /// do so at once.
    #[allow(clippy::missing_errors_doc)] // see `put`
    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError>;

    /// Makes the buffers ready for another batch, after the last `read`.
    #[allow(clippy::missing_errors_doc)] // see `put`
    fn reset(&self) -> Result<(), BackendError>;
}

//! GPUs that filter files in a way of the tests' own.

use std::sync::Arc;

use swaplist::backend::{Backend, BackendError};
use swaplist::gpu::Gpu;
use swaplist_files::device::{DeviceBatch, FileFilter, GpuFilter, Recipe, Room};

use crate::device_tests::WithFileFilter;

/// A GPU that filters at most so many records at a time.
pub fn in_batches(gpu: &Gpu, records: usize) -> Arc<dyn Backend> {
    Arc::new(WithFileFilter {
        backend: Arc::new(gpu.clone()),
        filter: Arc::new(InBatches {
            filter: GpuFilter::new(gpu.clone()),
            records,
        }),
    })
}

struct InBatches {
    filter: GpuFilter,
    records: usize,
}

impl FileFilter for InBatches {
    /// Less than a batch of the GPU has.
    fn room(&self) -> Room {
        let room = self.filter.room();
        let all = self.records;
        Room {
            bytes: (5 * all).next_multiple_of(1 << 12).min(room.bytes),
            rows: (all / 8).next_multiple_of(room.workgroup) + room.parts * room.workgroup,
            records: all.min(room.records),
            output_words: (all * 14 / 4).max(1 << 16).min(room.output_words),
            ..room
        }
    }

    fn prepare(&self, recipe: &Recipe) -> Result<(), BackendError> {
        self.filter.prepare(recipe)
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        self.filter.batch()
    }
}

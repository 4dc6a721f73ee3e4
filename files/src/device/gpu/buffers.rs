//! The buffers of the device that the batches of a filter share. Only one batch computes at a time, so the
//! positions and answers between its kernels need room only once: 64 and 24 MiB for two million
//! records.

use wgpu::BufferUsages as Usage;

use swaplist::Position;
use swaplist::gpu::Context;

use super::WORD;
use crate::device::Room;

/// Buffers that all batches of a filter share.
pub(super) struct FileBuffers {
    /// The positions that a decoder writes, 32 bytes each.
    pub positions: wgpu::Buffer,
    /// The answers that a decoder begins, the judging kernel completes and an encoder reads.
    pub answers: wgpu::Buffer,
}

impl FileBuffers {
    /// Makes the buffers for as many records as a batch holds. Call it under error scopes.
    pub fn new(context: &Context, room: &Room) -> FileBuffers {
        let records = room.records as u64;
        let on_device = |label, size| {
            context.buffer(
                label,
                size,
                Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
            )
        };
        // With facts an answer has three words; without, the rest is not used.
        let longest_answer = 3 * WORD;
        FileBuffers {
            positions: on_device("file positions", records * size_of::<Position>() as u64),
            answers: on_device("file answers", records * longest_answer),
        }
    }
}

//! The buffers of the device that batches of files share, since only one batch computes at a time.

use wgpu::BufferUsages as Usage;

use super::context::Context;
use crate::device::Room;
use crate::gpu::program::{POSITION_SIZE, WORD};

/// Buffers that all batches of a device share.
pub(super) struct FileBuffers {
    pub positions: wgpu::Buffer,
    pub answers: wgpu::Buffer,
}

impl FileBuffers {
    /// Call it under error scopes.
    pub fn new(context: &Context, room: &Room) -> FileBuffers {
        let records = room.records as u64;
        let on_device = |label, size| {
            context.buffer(
                label,
                size,
                Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
            )
        };
        // With facts an answer has three words.
        FileBuffers {
            positions: on_device("file positions", records * POSITION_SIZE),
            answers: on_device("file answers", records * 3 * WORD),
        }
    }
}

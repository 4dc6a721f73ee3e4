//! The frames or members of compressed files.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, PipeWriter, Seek as _, Write as _};

use flate2::bufread::GzDecoder;
use serde::{Deserialize, Serialize};

use super::Compression;

/// A place from which a compressed file can be read: a frame or member begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Frame {
    /// Bytes of the file before it.
    pub packed: u64,
    /// Decompressed bytes before it.
    pub unpacked: u64,
}

impl Compression {
    /// Decompresses a file, frame by frame.
    pub(crate) fn find_frames(
        self,
        file: File,
        into: PipeWriter,
        frames: &mut Vec<Frame>,
    ) -> io::Result<()> {
        let mut input = BufReader::with_capacity(1 << 17, file);
        let mut into = BufWriter::with_capacity(1 << 16, into);
        let mut at = Frame::default();
        while !input.fill_buf()?.is_empty() {
            frames.push(at);
            at.unpacked += match self {
                #[cfg(not(target_arch = "wasm32"))]
                Compression::Zstd => {
                    let mut frame = super::zstd_decoder(&mut input)?.single_frame();
                    io::copy(&mut frame, &mut into)?
                }
                #[cfg(target_arch = "wasm32")]
                Compression::Zstd => return Err(io::ErrorKind::Unsupported.into()),
                Compression::Gzip => io::copy(&mut GzDecoder::new(&mut input), &mut into)?,
            };
            at.packed = input.stream_position()?;
        }
        into.flush()
    }
}

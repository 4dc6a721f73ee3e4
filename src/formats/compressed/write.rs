//! Writing compressed files. On wasm32 Zstandard is only read.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use super::Compression;

impl Compression {
    /// Compresses at one of the [levels](Compression::levels), or the nearest one. Call
    /// [`Encoder::end`], or the file is truncated.
    pub fn compress_at<'a>(
        self,
        level: u32,
        output: impl Write + Send + 'a,
    ) -> io::Result<Box<dyn Encoder + 'a>> {
        let levels = self.levels();
        let level = level.clamp(*levels.start(), *levels.end());
        Ok(match self {
            #[cfg(target_arch = "wasm32")]
            Compression::Zstd => {
                let why = format!("{self} cannot be written on wasm32");
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            #[cfg(not(target_arch = "wasm32"))]
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(output, level.cast_signed())?;
                encoder.include_checksum(true)?;
                Box::new(encoder)
            }
            Compression::Gzip => {
                let level = flate2::Compression::new(level);
                Box::new(GzEncoder::new(output, level))
            }
        })
    }
}

/// A compressing writer.
// Behind a pointer, so that a page that writes none has no encoder.
pub trait Encoder: Write + Send {
    /// Writes the rest; write nothing after that.
    fn end(&mut self) -> io::Result<()>;
}

#[cfg(not(target_arch = "wasm32"))]
impl<W: Write + Send> Encoder for zstd::Encoder<'_, W> {
    fn end(&mut self) -> io::Result<()> {
        self.do_finish()
    }
}

impl<W: Write + Send> Encoder for GzEncoder<W> {
    fn end(&mut self) -> io::Result<()> {
        self.try_finish()
    }
}

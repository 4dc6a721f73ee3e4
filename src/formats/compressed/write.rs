//! Writing compressed files. On wasm32 Zstandard is only read.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use super::Compression;

impl Compression {
    /// Compresses at one of the [levels](Compression::levels), or the nearest one. Call
    /// [`Compressed::finish`], or the file is truncated.
    ///
    /// # Errors
    ///
    /// If the compressor cannot be created, as that of Zstandard on wasm32.
    pub fn compress_at<W: Write + Send + 'static>(
        self,
        level: u32,
        output: W,
    ) -> io::Result<Compressed<W>> {
        let levels = self.levels();
        let level = level.clamp(*levels.start(), *levels.end());
        Ok(Compressed(match self {
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
        }))
    }
}

/// A compressing writer.
// Behind a pointer, so that a page that writes none has no encoder.
pub struct Compressed<W>(Box<dyn Encoder<W> + Send>);

impl<W> Compressed<W> {
    /// Writes the rest; write nothing after that.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn end(&mut self) -> io::Result<()> {
        self.0.end()
    }

    /// Writes the rest and returns the output.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }

    /// The output.
    #[must_use]
    pub fn get_ref(&self) -> &W {
        self.0.output()
    }
}

impl<W> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

trait Encoder<W>: Write {
    fn end(&mut self) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<W>;
    fn output(&self) -> &W;
}

#[cfg(not(target_arch = "wasm32"))]
impl<W: Write> Encoder<W> for zstd::Encoder<'static, W> {
    fn end(&mut self) -> io::Result<()> {
        self.do_finish()
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        (*self).finish()
    }

    fn output(&self) -> &W {
        self.get_ref()
    }
}

impl<W: Write> Encoder<W> for GzEncoder<W> {
    fn end(&mut self) -> io::Result<()> {
        self.try_finish()
    }

    fn finish(self: Box<Self>) -> io::Result<W> {
        (*self).finish()
    }

    fn output(&self) -> &W {
        self.get_ref()
    }
}

//! Writing compressed files. On wasm32 Zstandard is only read.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use super::Compression;

impl Compression {
    /// Compresses at the default level. Call [`Compressed::finish`], or the file is truncated.
    ///
    /// # Errors
    ///
    /// If the compressor cannot be created, as that of Zstandard on wasm32.
    pub fn compress<W: Write>(self, output: W) -> io::Result<Compressed<W>> {
        self.compress_at(self.default_level(), output)
    }

    /// Compresses at one of the [levels](Compression::levels), or the nearest one.
    ///
    /// # Errors
    ///
    /// If the compressor cannot be created, as that of Zstandard on wasm32.
    pub fn compress_at<W: Write>(self, level: u32, output: W) -> io::Result<Compressed<W>> {
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
                Inner::Zstd(encoder)
            }
            Compression::Gzip => {
                let level = flate2::Compression::new(level);
                Inner::Gzip(GzEncoder::new(output, level))
            }
        }))
    }
}

/// A compressing writer.
pub struct Compressed<W: Write>(Inner<W>);

enum Inner<W: Write> {
    #[cfg(not(target_arch = "wasm32"))]
    Zstd(zstd::Encoder<'static, W>),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Compressed<W> {
    /// Writes the rest; write nothing after that.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn end(&mut self) -> io::Result<()> {
        match &mut self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Inner::Zstd(encoder) => encoder.do_finish(),
            Inner::Gzip(encoder) => encoder.try_finish(),
        }
    }

    /// Writes the rest and returns the output.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Inner::Zstd(encoder) => encoder.finish(),
            Inner::Gzip(encoder) => encoder.finish(),
        }
    }

    /// The output.
    pub fn get_ref(&self) -> &W {
        match &self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Inner::Zstd(encoder) => encoder.get_ref(),
            Inner::Gzip(encoder) => encoder.get_ref(),
        }
    }

    fn encoder(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            #[cfg(not(target_arch = "wasm32"))]
            Inner::Zstd(encoder) => encoder,
            Inner::Gzip(encoder) => encoder,
        }
    }
}

impl<W: Write> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder().flush()
    }
}

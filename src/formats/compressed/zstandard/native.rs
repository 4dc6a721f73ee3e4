//! The C library.

use std::io::{self, Read, Write};

/// 128 MiB, the default limit of `zstd`.
const LARGEST_WINDOW: u32 = 27;

pub type Encoder<W> = zstd::Encoder<'static, W>;

/// Decompresses all frames.
pub fn decoder(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut decoder = zstd::Decoder::new(input)?;
    decoder.window_log_max(LARGEST_WINDOW)?;
    Ok(Box::new(decoder))
}

pub fn encoder<W: Write>(output: W, level: u32) -> io::Result<Encoder<W>> {
    let mut encoder = zstd::Encoder::new(output, level.cast_signed())?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

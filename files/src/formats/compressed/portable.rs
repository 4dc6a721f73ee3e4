//! A decoder without C, by the crate ruzstd.

use std::io::{self, BufRead as _, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{LARGE_WINDOW, OTHER_BYTES};

/// Decompresses all frames. Its windows are limited to 128 MiB.
#[allow(clippy::unnecessary_wraps)] // as the C library's
pub fn decoder(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(Frames {
        input: EndReader {
            inner: BufReader::new(input),
            ended: false,
        },
        decoder: FrameDecoder::new(),
    }))
}

/// Remembers the end of the input, which the decoder's errors do not tell.
struct EndReader<R> {
    inner: R,
    ended: bool,
}

impl<R: Read> Read for EndReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ended |= read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

/// One frame after the other.
struct Frames<R> {
    input: EndReader<BufReader<R>>,
    decoder: FrameDecoder,
}

impl<R: Read> Frames<R> {
    /// Begins the next frame that holds data; false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.input.inner.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.input.by_ref().take(length.into());
                    if io::copy(&mut skipped, &mut io::sink())? < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(self.explained(&error)),
            }
        }
        Ok(false)
    }

    fn explained(&self, error: &FrameDecoderError) -> io::Error {
        if self.input.ended {
            return io::ErrorKind::UnexpectedEof.into();
        }
        io::Error::other(match error {
            FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::BadMagicNumber(_)) => {
                OTHER_BYTES
            }
            FrameDecoderError::WindowSizeTooBig { .. } => LARGE_WINDOW,
            _ => "Data corruption detected",
        })
    }

    /// Compares the last frame's checksum, if it has one.
    fn compare(&self) -> io::Result<()> {
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("a checksum does not match"));
        }
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            if !self.decoder.is_finished() {
                let a_block = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.input, a_block);
                decoded.map_err(|error| self.explained(&error))?;
                continue;
            }
            self.compare()?;
            if !self.next_frame()? {
                return Ok(0);
            }
        }
    }
}

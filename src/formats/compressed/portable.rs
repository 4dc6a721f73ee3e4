//! A decoder without C, by the crate ruzstd.

use std::io::{self, BufRead as _, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Decompresses all frames. Its windows are limited to 128 MiB.
#[allow(clippy::unnecessary_wraps)] // as the C library's
pub fn decoder(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(Frames {
        input: Ending {
            inner: BufReader::new(input),
            ended: false,
        },
        decoder: FrameDecoder::new(),
        in_frame: false,
    }))
}

/// Remembers the end of the input, which the decoder's errors do not tell.
struct Ending<R> {
    inner: R,
    ended: bool,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ended |= read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

/// One frame after the other.
struct Frames<R> {
    input: Ending<BufReader<R>>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Frames<R> {
    /// Begins the next frame that holds data; false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        while self.has_more()? {
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
                Err(error) => return Err(self.explained(error)),
            }
        }
        Ok(false)
    }

    fn has_more(&mut self) -> io::Result<bool> {
        Ok(!self.input.inner.fill_buf()?.is_empty())
    }

    fn explained(&self, error: FrameDecoderError) -> io::Error {
        if self.input.ended {
            return io::ErrorKind::UnexpectedEof.into();
        }
        io::Error::other(error)
    }

    /// Compares the frame's checksum, if it has one.
    fn end_frame(&mut self) -> io::Result<()> {
        self.in_frame = false;
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
            if self.in_frame && !self.decoder.is_finished() {
                let a_block = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.input, a_block);
                decoded.map_err(|error| self.explained(error))?;
                continue;
            }
            if self.in_frame {
                self.end_frame()?;
            }
            self.in_frame = self.next_frame()?;
            if !self.in_frame {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        decoder(io::Cursor::new(bytes.to_vec()))?.read_to_end(&mut all)?;
        Ok(all)
    }

    fn frame(content: &[u8], level: i32) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), level).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// 600,000 bytes of some order.
    fn content() -> Vec<u8> {
        (0..100_000_u32)
            .flat_map(|i| format!("{:6}", i.wrapping_mul(i) % 9973).into_bytes())
            .collect()
    }

    #[test]
    fn frames_are_read_one_after_the_other() {
        let content = content();
        let mut packed = frame(&content, 3);
        packed.extend([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]); // skippable
        packed.extend(frame(b"", 3));
        packed.extend(frame(&content, 19));
        assert!(read(&packed).unwrap() == content.repeat(2));
    }

    #[test]
    fn what_is_cut_off_or_damaged_is_an_error() {
        let packed = frame(&content(), 3);
        for end in [5, 100, packed.len() / 2, packed.len() - 1] {
            let error = read(&packed[..end]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}: {error}");
        }
        let mut damaged = packed.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(read(&damaged).unwrap_err().to_string().contains("checksum"));
        damaged = packed;
        damaged.push(0);
        assert!(read(&damaged).is_err());
    }
}

//! A stream read ahead by a thread.

use std::io::{self, ErrorKind, Read};

use crate::ordered::{Ahead, Limits, Stopped, ahead};

/// Limits on the number and size of waiting pieces.
const PIECES: usize = 4;
const PIECE_BYTES: usize = 1 << 18;

/// Reads what its thread has read. The thread ends with the stream, at the first error, or when
/// this is dropped.
pub(crate) struct ReadAhead {
    pieces: Ahead<Vec<u8>, io::Error>,
    piece: io::Cursor<Vec<u8>>,
    has_failed: bool,
}

impl ReadAhead {
    pub(crate) fn new(input: impl Read + Send + 'static) -> ReadAhead {
        let limits = Limits {
            in_flight: PIECES,
            ..Limits::new(1)
        };
        ReadAhead {
            pieces: ahead(
                limits,
                Pieces {
                    input: Some(input),
                    error: None,
                },
                || (),
                |piece, ()| Ok(piece),
            ),
            piece: io::Cursor::default(),
            has_failed: false,
        }
    }
}

/// What is read at a time.
struct Pieces<R> {
    /// `None` after a short read, which is the end.
    input: Option<R>,
    /// What ended it, after the bytes before.
    error: Option<io::Error>,
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        let Some(input) = &mut self.input else {
            return self.error.take().map(Err);
        };
        let mut bytes = Vec::with_capacity(PIECE_BYTES);
        let read = input.take(PIECE_BYTES as u64).read_to_end(&mut bytes);
        if !matches!(read, Ok(PIECE_BYTES)) {
            self.input = None;
            self.error = read.err();
        }
        if bytes.is_empty() {
            return self.error.take().map(Err);
        }
        Some(Ok(bytes))
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.position() == self.piece.get_ref().len() as u64 {
            let piece = match self.pieces.next() {
                // What comes after an error is not the end.
                None if self.has_failed => Err(gone()),
                None => return Ok(0),
                Some(Ok(piece)) => Ok(piece),
                Some(Err(Stopped::Error(error) | Stopped::Threads(_, error))) => Err(error),
                Some(Err(Stopped::Panicked)) => Err(gone()),
            };
            self.has_failed |= piece.is_err();
            self.piece = io::Cursor::new(piece?);
        }
        self.piece.read(buffer)
    }
}

fn gone() -> io::Error {
    io::Error::new(ErrorKind::BrokenPipe, "the thread that reads is gone")
}

//! A stream read ahead by a thread.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Limits on the number and size of waiting blocks.
const BLOCKS: usize = 4;
const BLOCK_BYTES: usize = 1 << 18;

type Piece = io::Result<Vec<u8>>;

/// Reads what its thread has read. The thread ends with the stream, at the first error, or when
/// this is dropped.
pub(crate) struct ReadAhead {
    pieces: Receiver<Piece>,
    piece: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl ReadAhead {
    pub(crate) fn new(input: impl Read + Send + 'static) -> io::Result<ReadAhead> {
        let (sender, pieces) = sync_channel(BLOCKS);
        thread::Builder::new()
            .name("read ahead".to_owned())
            .spawn(move || send_all(input, &sender))?;
        Ok(ReadAhead {
            pieces,
            piece: io::Cursor::default(),
            ended: false,
        })
    }
}

/// The last piece is empty or an error.
fn send_all(mut input: impl Read, pieces: &SyncSender<Piece>) {
    loop {
        let mut bytes = Vec::with_capacity(BLOCK_BYTES);
        let read = input
            .by_ref()
            .take(BLOCK_BYTES as u64)
            .read_to_end(&mut bytes);
        if !bytes.is_empty() && pieces.send(Ok(bytes)).is_err() {
            return;
        }
        let last = match read {
            Ok(BLOCK_BYTES) => continue,
            // A short read is the end.
            read => read.map(|_| Vec::new()),
        };
        let _ = pieces.send(last);
        return;
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.ended && self.piece.position() == self.piece.get_ref().len() as u64 {
            let gone = || io::Error::new(ErrorKind::BrokenPipe, "the thread that reads is gone");
            let bytes = self.pieces.recv().map_err(|_| gone())??;
            self.ended = bytes.is_empty();
            self.piece = io::Cursor::new(bytes);
        }
        self.piece.read(buffer)
    }
}

//! Compressed files: `.zst` and `.gz`, detected by their first bytes when reading and chosen by
//! name when writing.
//!
//! Files of several frames or members are one stream. Truncated or damaged data is an error,
//! never the end. Decompression runs on its own thread, a few blocks ahead, in bounded memory; on
//! wasm32, which has no threads, where it is read. There, and without the feature `zstd`, Zstandard
//! is only read.

use core::ops::RangeInclusive;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek as _, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use swaplist::Choice;

use super::error::system_text;
use parking_lot::Mutex;
use swaplist::choices;

mod open;
#[cfg(not(c_zstd))]
mod portable;
#[cfg(not(target_arch = "wasm32"))]
mod read_ahead;

pub use open::open;

choices! {
    "compression",
    /// A compression format.
    #[derive(Deserialize, Serialize)]
    #[non_exhaustive]
    pub enum Compression {
        /// Zstandard, `.zst`.
        Zstd = "zstd",
        /// gzip, `.gz`.
        Gzip = "gzip",
    }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a skippable frame, without the lowest four bits.
const ZSTD_SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// The first bytes of a gzip member, including the only known method.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

const CUT_OFF: &str = "it is cut off; get the file again";
const OTHER_BYTES: &str = "other bytes follow the compressed data";
const LARGE_WINDOW: &str = "its window is above 128 MiB; pipe it from 'zstd -dc --long=31', or \
                            compress it again without --long or with --long=27";

impl Compression {
    /// Splits `.zst` or `.gz` off a path.
    pub fn split(path: &Path) -> (&Path, Option<Compression>) {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let kind = extension.and_then(Compression::from_extension);
        let stem = path.file_stem().map(Path::new).filter(|_| kind.is_some());
        (stem.unwrap_or(path), kind)
    }

    /// The extension of such files.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Compression::Zstd => "zst",
            Compression::Gzip => "gz",
        }
    }

    /// By an extension, ignoring case.
    pub(crate) fn from_extension(extension: &str) -> Option<Compression> {
        Compression::ALL
            .iter()
            .copied()
            .find(|kind| kind.extension().eq_ignore_ascii_case(extension))
    }

    /// By the first bytes of a file; four are enough.
    pub(crate) fn from_head(head: &[u8]) -> Option<Compression> {
        let magic: [u8; 4] = *head.first_chunk()?;
        if magic == ZSTD_MAGIC || [magic[0] & 0xf0, magic[1], magic[2], magic[3]] == ZSTD_SKIPPABLE
        {
            Some(Compression::Zstd)
        } else if magic.starts_with(&GZIP_MAGIC) {
            Some(Compression::Gzip)
        } else {
            None
        }
    }

    /// Decompresses a stream that begins with this frame. Damaged data fails when it is read.
    ///
    /// # Errors
    ///
    /// If the decoder cannot be made.
    pub(crate) fn decompress(
        self,
        input: impl Read + Send + 'static,
        from: Frame,
    ) -> io::Result<impl Read + Send> {
        let (input, read) = Counter::new(input, 0, None);
        read.store(from.packed, Ordering::Relaxed);
        let inner: Box<dyn Read + Send> = match self {
            Compression::Zstd => Box::new(zstd_decoder(BufReader::with_capacity(1 << 17, input))?),
            Compression::Gzip => Box::new(Members(GzDecoder::new(Box::new(BufReader::new(input))))),
        };
        let explained = Explainer {
            inner,
            kind: self,
            read,
            given: from.unpacked,
        };
        #[cfg(not(target_arch = "wasm32"))]
        return Ok(read_ahead::ReadAhead::new(explained));
        #[cfg(target_arch = "wasm32")]
        Ok(explained)
    }

    /// Decompresses a file frame by frame, as far as it is sound. The second value tells where the
    /// frames so far begin.
    pub(crate) fn frames(self, file: File) -> (impl Read + Send + 'static, FrameStarts) {
        let starts = FrameStarts::default();
        let frames = Frames {
            kind: self,
            at: Frame::default(),
            reading: Reading::Between(BufReader::with_capacity(1 << 17, file)),
            starts: Arc::clone(&starts),
        };
        #[cfg(not(target_arch = "wasm32"))]
        return (read_ahead::ReadAhead::new(frames), starts);
        #[cfg(target_arch = "wasm32")]
        (frames, starts)
    }

    /// Compresses at one of the [levels](Compression::levels), or the nearest one. Call
    /// [`Encoder::end`], or the file is truncated.
    ///
    /// # Errors
    ///
    /// If the encoder cannot be made: of Zstandard always without the feature `zstd`.
    pub(crate) fn compress_at<'a>(
        self,
        level: u32,
        output: impl Write + Send + 'a,
    ) -> io::Result<Box<dyn Encoder + 'a>> {
        let levels = self.levels();
        let level = level.clamp(*levels.start(), *levels.end());
        Ok(match self {
            #[cfg(not(c_zstd))]
            Compression::Zstd => {
                let why = format!("{self} cannot be written without the feature zstd");
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            #[cfg(c_zstd)]
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(output, level.cast_signed())?;
                encoder.include_checksum(true)?;
                Box::new(encoder)
            }
            Compression::Gzip => Box::new(GzEncoder::new(output, flate2::Compression::new(level))),
        })
    }

    /// The range of levels: higher ones are smaller and slower.
    pub(crate) const fn levels(self) -> RangeInclusive<u32> {
        match self {
            Compression::Zstd => 1..=22,
            Compression::Gzip => 1..=9,
        }
    }

    /// The default level of `zstd` and `gzip`.
    pub(crate) const fn default_level(self) -> u32 {
        match self {
            Compression::Zstd => 3,
            Compression::Gzip => 6,
        }
    }
}

/// A place from which a compressed file can be read: a frame or member begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Frame {
    /// Bytes of the file before it.
    pub packed: u64,
    /// The number of decompressed bytes before the frame.
    pub unpacked: u64,
}

/// A stream, decompressed if its first bytes are those of a compression. If the file's name
/// says `named`, they must be, or this fails; an empty stream holds nothing either way.
///
/// # Errors
///
/// If the first bytes cannot be read, or the input is not compressed as its name says.
pub(crate) fn decompressed(
    mut input: impl Read + Send + 'static,
    named: Option<Compression>,
) -> io::Result<(Box<dyn Read + Send>, Option<Compression>)> {
    let mut head = Vec::with_capacity(ZSTD_MAGIC.len());
    input
        .by_ref()
        .take(ZSTD_MAGIC.len() as u64)
        .read_to_end(&mut head)?;
    let compression = Compression::from_head(&head);
    let magic: &[u8] = match named {
        Some(Compression::Gzip) => &GZIP_MAGIC,
        _ => &ZSTD_MAGIC,
    };
    let is_empty = head.is_empty();
    let is_start = magic.starts_with(&head);
    let whole = io::Cursor::new(head).chain(input);
    match (compression, named) {
        (Some(kind), _) => {
            let stream = kind.decompress(whole, Frame::default())?;
            Ok((Box::new(stream), compression))
        }
        (None, None) => Ok((Box::new(whole), None)),
        (None, Some(_)) if is_empty => Ok((Box::new(whole), named)),
        (None, Some(kind)) => {
            let fault = if is_start {
                CUT_OFF
            } else {
                &format!("does not begin as {kind} data: rename it, or get it again")
            };
            let message = format!("named .{}, but {fault}", kind.extension());
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
    }
}

/// Both compressions, if a stream was decompressed and begins as compressed data.
pub(crate) fn nested(outer: Option<Compression>, head: &[u8]) -> Option<String> {
    let outer = outer?;
    let inner = Compression::from_head(head)?;
    // Boards may begin as gzip does. The bits of its flags and the operating system tell more.
    let is_sure = match inner {
        Compression::Gzip => matches!(head, [_, _, _, 0..=31, _, _, _, _, 0..=4, 0..=13 | 255, ..]),
        Compression::Zstd => true,
    };
    is_sure.then(|| format!("{inner} inside {outer}"))
}

/// Decompresses all frames, by the C library or, without the feature `zstd`, in Rust.
#[cfg(c_zstd)]
fn zstd_decoder<R: BufRead>(input: R) -> io::Result<zstd::Decoder<'static, R>> {
    let mut decoder = zstd::Decoder::with_buffer(input)?;
    // 128 MiB, the default limit of `zstd`.
    decoder.window_log_max(27)?;
    Ok(decoder)
}
#[cfg(not(c_zstd))]
use portable::decoder as zstd_decoder;

/// Where the frames of a file begin, as far as they were read.
pub(crate) type FrameStarts = Arc<Mutex<Vec<Frame>>>;

/// The frames of a file, one after another.
struct Frames {
    kind: Compression,
    /// The frame that is read, with the bytes that came out of it so far, or the next one.
    at: Frame,
    reading: Reading,
    starts: FrameStarts,
}

enum Reading {
    Between(BufReader<File>),
    #[cfg(c_zstd)]
    Zstd(zstd::Decoder<'static, BufReader<File>>),
    Gzip(Box<GzDecoder<BufReader<File>>>),
    Ended,
}

impl Frames {
    /// Goes on to the next frame, if there is one.
    fn begin(&self, mut input: BufReader<File>) -> io::Result<Reading> {
        if input.fill_buf()?.is_empty() {
            return Ok(Reading::Ended);
        }
        self.starts.lock().push(self.at);
        match self.kind {
            #[cfg(c_zstd)]
            Compression::Zstd => Ok(Reading::Zstd(zstd_decoder(input)?.single_frame())),
            #[cfg(not(c_zstd))]
            Compression::Zstd => Err(io::ErrorKind::Unsupported.into()),
            Compression::Gzip => Ok(Reading::Gzip(Box::new(GzDecoder::new(input)))),
        }
    }

    /// Reads some bytes of a frame; none between two frames and at the end.
    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.reading {
            #[cfg(c_zstd)]
            Reading::Zstd(frame) => frame.read(buffer)?,
            Reading::Gzip(frame) => frame.read(buffer)?,
            Reading::Between(_) | Reading::Ended => 0,
        };
        self.at.unpacked += read as u64;
        if read > 0 {
            return Ok(read);
        }
        let mut input = match core::mem::replace(&mut self.reading, Reading::Ended) {
            #[cfg(c_zstd)]
            Reading::Zstd(frame) => frame.finish(),
            Reading::Gzip(frame) => frame.into_inner(),
            Reading::Between(input) => input,
            Reading::Ended => return Ok(0),
        };
        self.at.packed = input.stream_position()?;
        self.reading = self.begin(input)?;
        Ok(0)
    }
}

impl Read for Frames {
    /// Damaged data ends it: where the file is read in earnest, that is an error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !matches!(self.reading, Reading::Ended) {
            match self.read_some(buffer) {
                Ok(0) => {}
                Ok(read) => return Ok(read),
                Err(_) => self.reading = Reading::Ended,
            }
        }
        Ok(0)
    }
}

/// All members of a gzip file. `MultiGzDecoder` takes other bytes after the last one for a member
/// that is cut off.
struct Members(GzDecoder<Box<dyn BufRead + Send>>);

impl Read for Members {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.0.get_mut().fill_buf()?.first() {
                None => return Ok(0),
                Some(&first) if first == GZIP_MAGIC[0] => {
                    let input = core::mem::replace(self.0.get_mut(), Box::new(io::empty()));
                    self.0 = GzDecoder::new(input);
                }
                // Padding, as after a file on a tape.
                Some(0) => self.0.get_mut().consume(1),
                Some(_) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, OTHER_BYTES));
                }
            }
        }
    }
}

/// Counts the bytes read. Fails if a file ends before the length it had when opened, so that no
/// record is lost unnoticed.
pub(crate) struct Counter<R> {
    inner: R,
    read: Arc<AtomicU64>,
    /// Where it begins in the file, and where the file or the part ended when opened.
    start: u64,
    end: Option<u64>,
}

impl<R> Counter<R> {
    /// The reader, and the bytes read so far.
    pub(crate) fn new(inner: R, start: u64, end: Option<u64>) -> (Counter<R>, Arc<AtomicU64>) {
        let read = Arc::new(AtomicU64::new(0));
        let counted = Counter {
            inner,
            read: Arc::clone(&read),
            start,
            end,
        };
        (counted, read)
    }
}

impl<R: Read> Read for Counter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        let read = self.read.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let at = self.start + read;
        match self.end {
            Some(end) if bytes == 0 && !buffer.is_empty() && at < end => {
                Err(io::Error::other(format!(
                    "the file got shorter while it was read, to {at} bytes; run again when nothing \
                     else changes it"
                )))
            }
            _ => Ok(bytes),
        }
    }
}

/// Adds the compressed offset and the decompressed length to read errors.
struct Explainer<R> {
    inner: R,
    kind: Compression,
    read: Arc<AtomicU64>,
    given: u64,
}

impl<R: Read> Read for Explainer<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(bytes) => {
                self.given += bytes as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = self.kind;
                let given = self.given;
                let read = self.read.load(Ordering::Relaxed);
                let problem = match &*system_text(&error) {
                    _ if error.kind() == io::ErrorKind::UnexpectedEof => CUT_OFF,
                    // The C library says it in words only; a first frame begins as one.
                    "Unknown frame descriptor" => OTHER_BYTES,
                    "Frame requires too much memory for decoding" => LARGE_WINDOW,
                    problem => problem,
                }
                .to_owned();
                let message =
                    format!("{kind} data, after {read} bytes ({given} decompressed): {problem}");
                Err(io::Error::new(error.kind(), message))
            }
        }
    }
}

/// A writer that compresses what is written to it, for an output that needs [`end`](Encoder::end)
/// before it is whole.
// Behind a pointer, so that a page that writes none has no encoder.
pub(crate) trait Encoder: Write + Send {
    /// Writes the rest; write nothing after that.
    ///
    /// # Errors
    ///
    /// If the output cannot be written.
    fn end(&mut self) -> io::Result<()>;
}

#[cfg(c_zstd)]
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

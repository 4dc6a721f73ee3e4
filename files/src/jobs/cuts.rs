//! Cuts a file into parts.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::thread;

use super::error::{Context as _, Error, Result};
use super::input::Input;
use super::part::{Part, Version};
use crate::formats::compressed::{Compression, Frame};
use crate::formats::{Format, Place, ReadError};

/// Bytes read at a time to find where records begin.
const STEP: u64 = 1 << 18;

impl Part {
    /// Cuts a file into parts of at most so many bytes. `None` if it is compressed in one frame, or
    /// not a file.
    ///
    /// Records of one size are cut without a look at the file, and of a binpack only the headers
    /// of its chunks are read. Other formats are read once, but not decoded.
    ///
    /// A compressed file is read once, too, and the size is that of decompressed bytes. A part is
    /// read from the frame or member that holds its first record. No two begin in one frame, so a
    /// part is larger where a frame is.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, its format is not known, or a record, game or chunk does not fit
    /// into a part.
    pub fn cut(path: &Path, from: Option<Format>, bytes: u64) -> Result<Option<Vec<Part>>> {
        let mut input = Input::open(Some(path))?;
        let format = input.format(from)?;
        let name = input.name().to_owned();
        let cannot_read = format!("{name}: cannot read");
        if input.length().is_none() {
            return Ok(None);
        }
        let file = File::open(path).context(&cannot_read)?;
        let version = Version::of(&file.metadata().context(&cannot_read)?);
        let spec = format.spec();
        let length = version.0;
        let first = Part {
            format,
            bytes: 0..0,
            packed: None,
            first: spec.is_text.into(),
            columns: 0,
            version,
        };
        let mut cuts = Cuts {
            name,
            most: bytes,
            parts: vec![first],
        };
        if let Some(kind) = input.compression {
            let parts = cuts.in_frames(kind, file)?;
            return Ok(Some(parts).filter(|parts| parts.len() > 1));
        }
        if let Some(record) = spec.record_bytes {
            cuts.of_size(record as u64, length)?;
        } else if spec.least_block_bytes.is_some() {
            cuts.of_chunks(file, format)?;
        } else {
            cuts.of_blocks(format, input.into_stream())?;
        }
        let mut parts = cuts.parts;
        if let Some(last) = parts.last_mut() {
            last.bytes.end = length;
        }
        Ok(Some(parts))
    }
}

/// Parts while a file is cut.
struct Cuts {
    name: String,
    /// The most bytes of a part.
    most: u64,
    /// The last one is not complete.
    parts: Vec<Part>,
}

impl Cuts {
    /// Records of one size.
    fn of_size(&mut self, record: u64, length: u64) -> Result<()> {
        let most = (self.most / record).max(1) * record;
        let mut starts = (0..length).step_by(most as usize);
        starts.try_for_each(|start| self.add(Place::Offset(start), most))
    }

    /// Chunks, whose first bytes tell how long they are.
    fn of_chunks(&mut self, file: File, format: Format) -> Result<()> {
        let cannot_read = format!("{}: cannot read", self.name);
        let mut file = BufReader::new(file);
        let mut header = [0; 8];
        let mut at = 0;
        loop {
            match file.read_exact(&mut header) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
                read => read.context(&cannot_read)?,
            }
            let chunk = format.code().whole_records(&header).length as u64;
            if chunk == 0 {
                return Ok(()); // An error of the last part.
            }
            self.add(Place::Offset(at), chunk)?;
            at += chunk;
            let rest = (chunk - header.len() as u64).cast_signed();
            file.seek_relative(rest).context(&cannot_read)?;
        }
    }

    /// Parts of a compressed file, by its records and frames. Damaged data is an error of the last
    /// part.
    fn in_frames(mut self, kind: Compression, file: File) -> Result<Vec<Part>> {
        let format = self.parts[0].format;
        let version = self.parts[0].version;
        let (stream, into) = io::pipe().context(&self.name)?;
        let frames = thread::scope(|scope| {
            let finding = scope.spawn(|| {
                let mut frames = Vec::new();
                let _ = kind.find_frames(file, into, &mut frames);
                frames
            });
            self.of_blocks(format, Box::new(stream))?;
            Ok::<_, Error>(finding.join().unwrap_or_default())
        })?;
        let start = |part: &Part| {
            let after = frames.partition_point(|frame| frame.unpacked <= part.bytes.start);
            frames[..after].last().copied().unwrap_or_default()
        };
        self.parts.dedup_by_key(|part| start(part));
        let packed = version.0;
        let mut end = u64::MAX;
        let mut frame = Frame {
            packed,
            unpacked: end,
        };
        for part in self.parts.iter_mut().rev() {
            part.bytes.end = end;
            part.packed = Some((kind, start(part)..frame));
            (end, frame) = (part.bytes.start, start(part));
        }
        Ok(self.parts)
    }

    /// Records of any size, by the format's own reader.
    fn of_blocks(&mut self, format: Format, stream: Box<dyn Read + Send>) -> Result<()> {
        let step = (self.most / 2).clamp(1, STEP) as usize;
        let (mut reader, _) = format.open(stream, step);
        loop {
            let block = match reader.next_block() {
                Ok(Some(block)) => block,
                Ok(None) | Err(ReadError::Broken { .. }) => return Ok(()),
                Err(error) => return Err(error).context(&self.name),
            };
            let length = block.bytes.len() as u64;
            if let Some(last) = self.parts.last_mut() {
                last.columns = block.columns;
            }
            self.add(block.start, length)?;
            reader.recycle(block.bytes);
        }
    }

    /// Adds bytes that may be cut where they begin.
    fn add(&mut self, start: Place, length: u64) -> Result<()> {
        let name = &self.name;
        let most = self.most;
        if length > most {
            return Err(Error::refused(format!(
                "{name}, {start}: too long for a part of {most} bytes; make the parts larger"
            )));
        }
        if let Some(last) = self.parts.last()
            && last.bytes.end - last.bytes.start + length > most
        {
            self.parts.push(Part {
                bytes: last.bytes.end..last.bytes.end,
                first: start.number(),
                ..last.clone()
            });
        }
        if let Some(last) = self.parts.last_mut() {
            last.bytes.end += length;
        }
        Ok(())
    }
}

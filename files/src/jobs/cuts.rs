//! Cuts a file into parts.

use std::fs::File;
use std::path::Path;

use super::error::{Access, Context as _, Error, Result};
use super::input::Input;
use super::part::Part;
use super::pieces::{Piece, Version, each_block, each_piece, must_be_read};
use crate::formats::Format;
use crate::formats::compressed::{Compression, Frame};

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
        let format = input.format(from, None)?;
        let name = input.name.clone();
        if input.length.is_none() {
            return Ok(None);
        }
        let file = File::open(path).doing(Access::ReadOn, &name)?;
        let version = Version::from_metadata(&file.metadata().doing(Access::ReadOn, &name)?);
        let length = version.0;
        let first = Part {
            format,
            bytes: 0..0,
            packed: None,
            first: format.spec().is_text.into(),
            columns: 0,
            version,
        };
        let mut cuts = Cuts {
            name: name.clone(),
            most: bytes,
            parts: vec![first],
        };
        if let Some(kind) = input.compression {
            let parts = cuts.in_frames(kind, file)?;
            return Ok(Some(parts).filter(|parts| parts.len() > 1));
        }
        let step = cuts.step(format);
        let mut add = |piece| cuts.add(piece);
        if must_be_read(format) {
            each_block(format, (&name, input.into_stream()), step, &mut add)?;
        } else {
            each_piece(format, (&name, file), step, &mut add)?;
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
    /// The size of pieces to look for: records of one size are cut into whole parts.
    fn step(&self, format: Format) -> u64 {
        match format.spec().record_bytes {
            Some(_) => self.most,
            None => self.step_of_reader(),
        }
    }

    fn step_of_reader(&self) -> u64 {
        (self.most / 2).clamp(1, STEP)
    }

    /// Parts of a compressed file, by its records and frames. Damaged data is an error of the last
    /// part.
    fn in_frames(mut self, kind: Compression, file: File) -> Result<Vec<Part>> {
        let format = self.parts[0].format;
        let version = self.parts[0].version;
        let (stream, starts) = kind.frames(file);
        let step = self.step_of_reader();
        let name = self.name.clone();
        each_block(format, (&name, Box::new(stream)), step, &mut |piece| {
            self.add(piece)
        })?;
        let frames = core::mem::take(&mut *starts.lock());
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

    /// Adds a piece.
    fn add(&mut self, piece: Piece) -> Result<()> {
        let Piece { start, length, .. } = piece;
        let most = self.most;
        if length > most {
            let message = format!("too long for a part of {most} bytes; make the parts larger");
            return Err(Error::refused(message).at(start).about(&self.name));
        }
        if let Some(last) = self.parts.last_mut() {
            last.columns = piece.columns[1];
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

//! Buckets: temporary files without a name, each of which fits in memory later.
//!
//! The system removes such a file as soon as nothing has it open, so none is left even if the
//! process is killed. (On Windows it has a name, and is removed when it is closed.)

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::items::{Bits, Items};
use crate::jobs::error::{Access, Context as _, Error, Result};
use crate::report;

/// A folder for temporary files.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    fn name(&self) -> String {
        report::path(&self.0)
    }

    fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.0)
            .map_err(|error| io::Error::from(error.kind()))
            .doing(Access::WriteTemporary, &self.name())
    }
}

/// The bytes of each bucket.
#[allow(clippy::struct_field_names)] // nothing else says it
pub struct Buckets {
    folder: Folder,
    pub bits: Bits,
    buckets: Vec<Bucket>,
    /// Bytes kept before they are written.
    buffer: usize,
}

/// A bucket's bytes: a file, and those that are not written to it yet.
#[derive(Default)]
pub struct Bucket {
    file: Option<File>,
    waiting: Vec<u8>,
    /// All bytes of the bucket, in its file and waiting.
    pub bytes: u64,
}

/// The most bytes that wait for a bucket's file: few enough that those of 128 buckets stay in a
/// processor's last cache until they are written.
const MOST_WAITING: usize = 1 << 17;
/// The fewest bytes that wait: smaller pieces would make writing slow.
const LEAST_WAITING: usize = 1 << 13;
/// Bytes of a bucket that are read at once, if not all are.
const PIECE: u64 = 1 << 20;

impl Buckets {
    /// Empty ones, which keep so many bytes in memory.
    pub fn new(folder: &Folder, bits: Bits, memory: usize) -> Buckets {
        Buckets {
            folder: folder.clone(),
            bits,
            buckets: (0..bits.count()).map(|_| Bucket::default()).collect(),
            buffer: (memory / bits.count()).clamp(LEAST_WAITING, MOST_WAITING),
        }
    }

    /// Adds items to the buckets by which they are grouped.
    pub fn append(&mut self, items: &Items) -> Result<()> {
        let mut start = 0;
        for (bucket, &end) in self.buckets.iter_mut().zip(&items.ends) {
            let bytes = &items.bytes[start..end];
            start = end;
            bucket.append(bytes, self.buffer, &self.folder)?;
        }
        Ok(())
    }

    /// Adds the bytes of an item to its bucket.
    pub fn push(&mut self, bucket: usize, bytes: &[u8]) -> Result<()> {
        self.buckets[bucket].append(bytes, self.buffer, &self.folder)
    }

    /// The bytes of all buckets together.
    pub fn bytes(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.bytes).sum()
    }

    /// The buckets, in order.
    pub fn into_buckets(self) -> Vec<Bucket> {
        self.buckets
    }
}

impl Bucket {
    fn append(&mut self, bytes: &[u8], most: usize, folder: &Folder) -> Result<()> {
        self.bytes += bytes.len() as u64;
        if self.waiting.len() + bytes.len() > most {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(folder.file()?),
            };
            let written = file.write_all(&self.waiting);
            written.doing(Access::WriteTemporary, &folder.name())?;
            self.waiting.clear();
            if bytes.len() > most {
                return file
                    .write_all(bytes)
                    .doing(Access::WriteTemporary, &folder.name());
            }
        }
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    /// Reads it whole, into a buffer that is emptied first, and removes its file.
    pub fn read(self, folder: &Folder, into: &mut Vec<u8>) -> Result<()> {
        into.clear();
        if let Some(mut file) = self.file {
            let all = self.bytes as usize;
            into.reserve_exact(all);
            let read = file
                .seek(SeekFrom::Start(0))
                .and_then(|_| file.read_to_end(into));
            read.doing(Access::ReadTemporary, &folder.name())?;
        }
        into.extend_from_slice(&self.waiting);
        Ok(())
    }

    /// Calls a function with each of its items, in order, whatever the bucket's size. `length`
    /// tells how long the item is that begins with these bytes, if they are enough to tell.
    pub fn each(
        &mut self,
        folder: &Folder,
        length: impl Fn(&[u8]) -> Option<usize>,
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut piece = Vec::new();
        let mut use_up = |piece: &mut Vec<u8>| {
            let mut at = 0;
            while let Some(length) = length(&piece[at..])
                && let Some(item) = piece.get(at..at + length)
            {
                each(item)?;
                at += length;
            }
            piece.drain(..at);
            Ok::<_, Error>(())
        };
        if let Some(file) = &mut self.file {
            file.seek(SeekFrom::Start(0))
                .doing(Access::ReadTemporary, &folder.name())?;
            loop {
                let more = (&mut *file).take(PIECE).read_to_end(&mut piece);
                if more.doing(Access::ReadTemporary, &folder.name())? == 0 {
                    break;
                }
                use_up(&mut piece)?;
            }
        }
        piece.extend_from_slice(&self.waiting);
        use_up(&mut piece)
    }
}

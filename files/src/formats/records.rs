//! Records of a file, one by one or in batches.

use core::iter::FusedIterator;
use std::io::Read;

use super::{Block, Codec, DecodedPart, Format, ReadError, Reader, Record, Required};

/// Records decoded at a time, roughly what fits in the L2 cache.
const BATCH: usize = 1 << 12;
const BLOCK_BYTES: usize = 1 << 18;

/// The records of a file, in order; see [`Format::records`].
///
/// An invalid record is an error, followed by the next record; after any other error the
/// iterator ends.
#[must_use = "nothing is read before it is asked for"]
pub struct Records<'a> {
    reader: Reader<'a>,
    codec: Codec,
    /// The current block, and the start of its next batch.
    block: Option<Block>,
    next_part: Option<usize>,
    batch: DecodedPart,
    /// How many of the batch's records the iterator returned so far.
    taken: usize,
    /// How many of its errors.
    taken_invalid: usize,
    /// Whether nothing more is read: at the end, and after an error.
    has_ended: bool,
}

impl Format {
    /// Iterates over the records of a file, as in the [example](crate::formats).
    pub fn records<'a>(self, input: impl Read + Send + 'a) -> Records<'a> {
        let (reader, codec) = self.open(input, BLOCK_BYTES);
        Records::new(reader, codec)
    }
}

impl<'a> Records<'a> {
    /// Iterates over the records of a reader's blocks, which the codec decodes.
    pub(crate) fn new(reader: Reader<'a>, codec: Codec) -> Records<'a> {
        Records {
            reader,
            codec,
            block: None,
            next_part: None,
            batch: DecodedPart::default(),
            taken: 0,
            taken_invalid: 0,
            has_ended: false,
        }
    }

    /// Names the column of the FEN, if the file is a table. Call it before reading.
    pub fn fen_column(mut self, name: &str) -> Records<'a> {
        self.reader.set_fen_column(Some(name.to_owned()));
        self
    }

    /// Only the position must be readable in a line of text: other fields that cannot be read are
    /// passed over. By default a record with one is invalid.
    pub fn positions_alone(mut self) -> Records<'a> {
        self.codec = self.codec.requiring(Required::NOTHING);
        self
    }

    /// The next batch: some thousands of records, with the invalid ones between them. Skips the
    /// rest of the current batch. `None` at the end.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] after which nothing follows.
    pub fn next_batch(&mut self) -> Result<Option<&DecodedPart>, ReadError> {
        self.batch.clear();
        self.taken = 0;
        self.taken_invalid = 0;
        if self.next_part.is_none() && !self.read_block()? {
            return Ok(None);
        }
        if let Some(block) = &self.block
            && let Some(from) = self.next_part
        {
            let batch = &mut self.batch;
            self.next_part = self.codec.decode_part(block, from, BATCH, batch);
        }
        Ok(Some(&self.batch))
    }

    /// The batch that [`Records::next_batch`] or the iterator decoded last.
    pub fn batch(&self) -> &DecodedPart {
        &self.batch
    }

    /// The batch's records with castling rights and clocks, computed on demand.
    pub fn records(&mut self) -> &[Record] {
        let Some(block) = &self.block else {
            return &[];
        };
        self.codec.states(block, &mut self.batch);
        &self.batch.states
    }

    /// Reads the next block; false at the end.
    fn read_block(&mut self) -> Result<bool, ReadError> {
        if let Some(spent) = self.block.take() {
            self.reader.recycle(spent.bytes);
        }
        if !self.has_ended {
            // Do not read after an error.
            self.has_ended = true;
            self.block = self.reader.next_block()?;
            self.has_ended = self.block.is_none();
        }
        self.next_part = self.block.as_ref().map(|_| 0);
        Ok(self.block.is_some())
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Result<Record, ReadError>> {
        loop {
            let batch = &self.batch;
            let record = batch.records.get(self.taken);
            if let Some(error) = batch.invalid.get(self.taken_invalid)
                && record.is_none_or(|record| error.span.start < record.span().start)
            {
                self.taken_invalid += 1;
                return Some(Err(ReadError::Record(error.clone())));
            }
            if let Some(&record) = batch.states.get(self.taken) {
                self.taken += 1;
                return Some(Ok(record));
            }
            match self.next_batch() {
                Ok(Some(_)) => self.records(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            };
        }
    }
}

impl FusedIterator for Records<'_> {}

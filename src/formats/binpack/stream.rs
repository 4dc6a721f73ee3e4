//! Chunks in blocks.

use core::ops::Range;
use std::borrow::Cow;
use std::io::Read;

use super::super::fixed::slice;
use super::super::units::{self, Unit};
use super::super::{
    Block, Codec, Cut, Decoded, EncodeError, Fate, Fates, Fault, Open, Outcome, Place, ReadError,
    Reader, Record, RecordError, State,
};
use super::chain::{Step, walk};
use super::mark::{Chain, ScoreBits};
use super::write::OpenChunk;
use super::{CHUNK_HEADER, MAGIC, MAX_CHUNK, MIN_CHAIN, chain_length};

/// A larger chunk is cut into several, so that memory stays small.
const LARGE_CHUNK: usize = 2 << 20;

/// A stem and 65,535 moves of 30 bits, the most there can be.
const LONGEST_CHAIN: usize = MIN_CHAIN + (65_535 * 30_usize).div_ceil(8);

/// Cuts a stream into blocks of whole chunks.
///
/// Chunks of more than 2 MiB, which no writer in the field makes, are cut at the
/// ends of chains into blocks that have a chunk header of their own. Of a chunk
/// that ends too early, the block holds what is there.
#[derive(Debug)]
pub struct ChunkReader<R> {
    input: R,
    block_bytes: usize,
    offset: u64,
    /// The header of the next chunk, read to see whether the block is full.
    pending: Option<usize>,
    /// What is wrong behind the block that was read last.
    broken: Option<ReadError>,
    large: Option<Large>,
}

/// A chunk that is being cut.
#[derive(Debug)]
struct Large {
    /// Read, but not yet part of a block.
    rest: Vec<u8>,
    /// Bytes of the chunk not read yet.
    unread: usize,
    /// Bytes of the chunk that are not there.
    missing: usize,
}

impl<R: Read> ChunkReader<R> {
    /// Reads chunks until there are `block_bytes`, or a whole one.
    pub fn new(input: R, block_bytes: usize) -> ChunkReader<R> {
        ChunkReader {
            input,
            block_bytes: block_bytes.clamp(1, LARGE_CHUNK),
            offset: 0,
            pending: None,
            broken: None,
            large: None,
        }
    }

    /// Goes on in the middle of a stream.
    pub(crate) fn at(mut self, cut: Cut) -> Self {
        self.offset = cut.offset;
        self
    }

    /// The size of the next chunk, or `None` at the end. Its header stays counted
    /// as unread.
    fn next_size(&mut self) -> Result<Option<usize>, ReadError> {
        if self.pending.is_some() {
            return Ok(self.pending);
        }
        let mut header = Vec::with_capacity(CHUNK_HEADER);
        let mut limited = self.input.by_ref().take(CHUNK_HEADER as u64);
        limited.read_to_end(&mut header)?;
        let Some((magic, size)) = header.split_first_chunk() else {
            return match header.as_slice() {
                [] => Ok(None),
                _ => Err(self.broken(0, "the header of a chunk is cut off".to_owned())),
            };
        };
        if *magic != MAGIC {
            return Err(self.broken(0, "no chunk begins here: 'BINP' is missing".to_owned()));
        }
        let Ok(size) = size.try_into().map(u32::from_le_bytes) else {
            return Err(self.broken(0, "the header of a chunk is cut off".to_owned()));
        };
        if size as usize > MAX_CHUNK {
            let reason = format!("a chunk of {size} bytes, at most {MAX_CHUNK} are possible");
            return Err(self.broken(4, reason));
        }
        self.pending = Some(size as usize);
        Ok(self.pending)
    }

    fn broken(&self, behind: u64, reason: String) -> ReadError {
        ReadError::Broken {
            place: Place::Offset(self.offset + behind),
            reason,
        }
    }

    /// Adds a whole chunk, or what there is of it.
    fn read_chunk(&mut self, size: usize, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
        put_header(bytes, size);
        let mut limited = self.input.by_ref().take(size as u64);
        let read = limited.read_to_end(bytes)?;
        self.offset += (CHUNK_HEADER + read) as u64;
        self.pending = None;
        Ok(())
    }

    /// The next part of a large chunk: as many whole chains as fill a block.
    fn read_part(&mut self, mut large: Large) -> Result<Option<Block>, ReadError> {
        while large.rest.len() < LARGE_CHUNK && large.unread > 0 {
            let wanted = large.unread.min(LARGE_CHUNK);
            let mut limited = self.input.by_ref().take(wanted as u64);
            let read = limited.read_to_end(&mut large.rest)?;
            large.unread -= read;
            if read < wanted {
                large.missing = core::mem::take(&mut large.unread);
            }
        }
        let mut whole = 0;
        while whole < self.block_bytes && whole < large.rest.len() {
            match chain_length(&large.rest[whole..]) {
                Ok(length) => whole += length,
                Err(_) if large.unread > 0 && large.rest.len() - whole < LONGEST_CHAIN => break,
                // Decoding will find the same fault at the end of this block;
                // nobody knows where the next chain begins.
                Err(_) => {
                    self.skip(&mut large)?;
                    whole = large.rest.len();
                }
            }
        }
        let mut bytes = Vec::with_capacity(CHUNK_HEADER + whole);
        let last = large.unread == 0 && whole == large.rest.len();
        put_header(&mut bytes, whole + if last { large.missing } else { 0 });
        bytes.extend(large.rest.drain(..whole));
        let start = Place::Offset(self.offset.saturating_sub(CHUNK_HEADER as u64));
        self.offset += whole as u64;
        if !last {
            self.large = Some(large);
        }
        Ok(Some(Block {
            bytes,
            start,
            truncated: false,
        }))
    }

    /// Passes over what has not been read of a chunk.
    fn skip(&mut self, large: &mut Large) -> Result<(), ReadError> {
        let mut limited = self.input.by_ref().take(large.unread as u64);
        self.offset += std::io::copy(&mut limited, &mut std::io::sink())?;
        large.unread = 0;
        Ok(())
    }
}

fn put_header(bytes: &mut Vec<u8>, size: usize) {
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&(size as u32).to_le_bytes());
}

impl<R: Read + Send> Reader for ChunkReader<R> {
    fn next_block(&mut self) -> Result<Option<Block>, ReadError> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        if let Some(large) = self.large.take() {
            return self.read_part(large);
        }
        let start = Place::Offset(self.offset);
        let mut bytes = Vec::new();
        while bytes.len() < self.block_bytes {
            // Chunks before a broken one come first.
            let size = match self.next_size() {
                Err(error) if !bytes.is_empty() => {
                    self.broken = Some(error);
                    None
                }
                size => size?,
            };
            match size {
                None => break,
                Some(LARGE_CHUNK..) if !bytes.is_empty() => break,
                Some(size @ LARGE_CHUNK..) => {
                    self.pending = None;
                    self.offset += CHUNK_HEADER as u64;
                    return self.read_part(Large {
                        rest: Vec::new(),
                        unread: size,
                        missing: 0,
                    });
                }
                Some(size) => self.read_chunk(size, &mut bytes)?,
            }
        }
        Ok((!bytes.is_empty()).then_some(Block {
            bytes,
            start,
            truncated: false,
        }))
    }

    /// None within a large chunk.
    fn cut(&self) -> Option<Cut> {
        let cut = Cut {
            offset: self.offset,
            ..Cut::default()
        };
        self.large.is_none().then_some(cut)
    }
}

/// Decodes chains, and encodes them cut or marked, in the chunks they came in.
///
/// The bytes of an invalid chain are never written: the format has no place for
/// them. A chunk of which nothing is left is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkCodec;

impl Unit for ChunkCodec {
    fn drop_positions(bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        // A fault was found when decoding; what comes before it has been written.
        let _ = super::drop_positions(bytes, kept, out);
    }

    fn mark_positions(bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        let _ = super::mark_positions(bytes, kept, out);
    }

    fn states(bytes: &[u8], mut found: impl FnMut(&State)) {
        let _ = walk(bytes, |step| {
            found(&State::of_board(&step.state.board, step.position));
        });
    }
}

impl Codec for ChunkCodec {
    fn decode(&self, block: &Block, into: &mut Decoded) {
        self.decode_part(block, 0, usize::MAX, into);
    }

    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize> {
        into.clear();
        into.part = from as u32..block.bytes.len() as u32;
        for chunk in chunks(&block.bytes).filter(|chunk| chunk.end > from || chunk.start > from) {
            let mut at = chunk.start.max(from);
            while at < chunk.end {
                if into.records.len() >= records {
                    into.part.end = at as u32;
                    return Some(at);
                }
                match decode_chain(block, at, chunk.end, into) {
                    Some(length) => at += length,
                    None => break,
                }
            }
            if at == chunk.end && chunk.missing > 0 {
                let fault = Fault::Truncated {
                    needed: chunk.end - chunk.start + chunk.missing,
                    left: chunk.end - chunk.start,
                };
                invalid(block, at, chunk.end, fault, into);
            }
        }
        None
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        let chain = slice(block, &decoded.records[record].span());
        super::chain::fen(chain, units::index_in_unit(decoded, record))
            .unwrap_or_else(|| decoded.positions[record].to_string())
            .into()
    }

    fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        self.encode_part(block, decoded, fates, out, &mut Open::default())
    }

    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
        open: &mut Open,
    ) -> Result<(), EncodeError> {
        let all_kept = fates.records.iter().all(|&fate| fate == Fate::Keep)
            && decoded.invalid.is_empty()
            && fates.records.len() == decoded.records.len();
        let part = decoded.part.start as usize..decoded.part.end as usize;
        if all_kept && part == (0..block.bytes.len()) {
            out.extend_from_slice(&block.bytes);
            return Ok(());
        }
        for chunk in chunks(&block.bytes) {
            let span = chunk.start.max(part.start)..chunk.end.min(part.end);
            if span.is_empty() {
                continue;
            }
            let to = OpenChunk::go_on(open.chunk, chunk.start, out);
            if all_kept {
                out.extend_from_slice(&block.bytes[span]);
            } else {
                encode_chains(block, decoded, fates, span, out);
            }
            open.chunk = to.pause(out);
        }
        Ok(())
    }

    fn can_mark(&self) -> bool {
        true
    }

    fn prefers_mark(&self) -> bool {
        true
    }

    fn units(&self) -> Option<&'static str> {
        Some("chains")
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        units::states::<ChunkCodec>(block, decoded, found);
    }
}

/// The chains of a chunk within a block.
struct Chunk {
    start: usize,
    end: usize,
    /// Bytes that its header promises and the block lacks.
    missing: usize,
}

fn chunks(bytes: &[u8]) -> impl Iterator<Item = Chunk> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        let header = bytes.get(at..at + CHUNK_HEADER)?;
        let size = u32::from_le_bytes(*header.last_chunk()?) as usize;
        let start = at + CHUNK_HEADER;
        let end = (start + size).min(bytes.len());
        at = end;
        Some(Chunk {
            start,
            end,
            missing: start + size - end,
        })
    })
}

/// The length of the chain, or `None` if it has a fault: then the rest of the
/// chunk is lost.
fn decode_chain(block: &Block, at: usize, end: usize, into: &mut Decoded) -> Option<usize> {
    let first = into.records.len();
    let place = block.start.plus(at as u32);
    let walked = walk(&block.bytes[at..end], |step| {
        into.positions.push(step.position);
        into.records.push(record(step, place, at));
        into.scores.push(ScoreBits::of(step));
    });
    // Of a chain with a fault, nobody knows the end.
    let chain_end = walked.as_ref().map_or(end, |length| at + length);
    for record in &mut into.records[first..] {
        record.end_at(chain_end as u32);
    }
    match walked {
        Ok(length) => Some(length),
        Err((offset, fault)) => {
            invalid(block, at + offset, end, fault, into);
            None
        }
    }
}

#[inline(always)]
fn record(step: &Step, place: Place, at: usize) -> Record {
    let state = &step.state;
    let outcome = match state.board.turn().fold_wb(state.result, -state.result) {
        1 => Outcome::White,
        0 => Outcome::Draw,
        _ => Outcome::Black,
    };
    Record::new(place, at as u32..at as u32)
        .with_played(Some(state.played))
        .with_score(Some(state.score.into()))
        .with_outcome(Some(outcome))
        .with_ply(Some(state.ply.into()))
}

/// Writes what is left of the chains that begin within `span`.
fn encode_chains(
    block: &Block,
    decoded: &Decoded,
    fates: &Fates<'_>,
    span: Range<usize>,
    out: &mut Vec<u8>,
) {
    let records = &decoded.records;
    let begins_before =
        |bound: usize| records.partition_point(|record| (record.span().start as usize) < bound);
    let mut first = begins_before(span.start);
    let end = begins_before(span.end);
    while first < end {
        let chain = records[first].span();
        let in_chain = |record: &&Record| record.span().start == chain.start;
        let last = first + records[first..end].iter().take_while(in_chain).count();
        // Positions without a fate are not written.
        let fates = fates.records.get(first..).unwrap_or_default();
        let fates = &fates[..fates.len().min(last - first)];
        let has = |fate| fates.contains(&fate);
        let decoded = Chain {
            bytes: slice(block, &chain),
            records: &records[first..last],
            scores: &decoded.scores[first..last],
        };
        if fates.len() < last - first || has(Fate::Drop) {
            units::write::<ChunkCodec>(decoded.bytes, fates, out);
        } else if has(Fate::Mark) || !decoded.is_whole() {
            decoded.mark(fates, out);
        } else {
            // Bit for bit, whatever the last byte is filled up with.
            out.extend_from_slice(decoded.bytes);
        }
        first = last;
    }
}

fn invalid(block: &Block, at: usize, end: usize, fault: Fault, into: &mut Decoded) {
    let place = block.start.plus(at as u32);
    let error = RecordError::new(place, at as u32..end as u32, fault);
    into.invalid.push(error);
}

//! The layout of chunks.

use super::super::breakage::{Breakage, MAX_RECORD};

/// The first bytes of a chunk.
pub(super) const MAGIC: [u8; 4] = *b"BINP";

/// Bytes of a chunk's magic and size.
pub(crate) const CHUNK_HEADER: usize = 8;

/// Bytes of a stem: a chain's first position with its move and score.
pub(super) const STEM: usize = 32;

/// Bytes of a stem and the number of moves after it: the shortest chain.
pub(super) const MIN_CHAIN: usize = STEM + 2;

/// The number of further positions that a chain announces after its stem; `None` if it is cut off.
pub(super) fn moves(chain: &[u8]) -> Option<usize> {
    let count = chain.get(STEM..MIN_CHAIN)?;
    Some(u16::from_be_bytes([count[0], count[1]]).into())
}

/// The header of a chunk of `size` bytes, without itself.
pub(crate) fn chunk_header(size: usize) -> [u8; CHUNK_HEADER] {
    let [a, b, c, d] = MAGIC;
    let [s0, s1, s2, s3] = (size as u32).to_le_bytes();
    [a, b, c, d, s0, s1, s2, s3]
}

/// Appends the header of a chunk of `size` bytes, without itself.
pub(crate) fn put_header(bytes: &mut Vec<u8>, size: usize) {
    bytes.extend_from_slice(&chunk_header(size));
}

/// The end of the chunk that begins here, which may be after the last byte; `None` if its header
/// is not whole and sound.
fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let header = bytes.get(at..at + CHUNK_HEADER)?;
    let size = u32::from_le_bytes(*header.last_chunk()?) as usize;
    let is_sound = header.starts_with(&MAGIC) && size <= MAX_RECORD;
    is_sound.then_some(at + CHUNK_HEADER + size)
}

/// The end of the last whole chunk, or that of the first one, if there is more of it to come.
pub(super) fn whole_chunks(bytes: &[u8]) -> usize {
    let mut whole = 0;
    while let Some(end) = end(bytes, whole)
        && (whole == 0 || end <= bytes.len())
    {
        whole = end;
    }
    whole
}

/// Why no chunk begins here, if so. A header that the file's end cuts off is left to the decoder:
/// the chunks before it are sound.
pub(super) fn never_whole(bytes: &[u8]) -> Option<Breakage> {
    let broken = |offset: usize, reason: String| {
        Some(Breakage {
            offset: offset as u32,
            reason,
        })
    };
    match bytes {
        [b'B', b'I', b'N', b'P', size @ ..] if size.len() >= 4 => {
            let size = u32::from_le_bytes(*size.first_chunk()?);
            if size as usize <= MAX_RECORD {
                return None;
            }
            let reason = format!("a chunk of {size} bytes; at most {MAX_RECORD} are read at once");
            broken(MAGIC.len(), reason)
        }
        [a, b, c, d, ..] if [*a, *b, *c, *d] != MAGIC => {
            broken(0, "no chunk begins here: 'BINP' is missing".to_owned())
        }
        _ => None,
    }
}

/// The chains of a chunk within a block.
pub(super) struct Chunk {
    /// The byte of the block at which its first chain begins, after the header.
    pub start: usize,
    /// The byte after its last chain, or the end of the block.
    pub end: usize,
    /// Bytes that the header promises and the block lacks.
    pub missing: usize,
}

/// The chunks of a block; they end where no chunk begins.
pub(super) fn chunks(bytes: &[u8]) -> impl Iterator<Item = Chunk> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at + CHUNK_HEADER;
        let promised_end = end(bytes, at)?;
        at = promised_end.min(bytes.len());
        Some(Chunk {
            start,
            end: at,
            missing: promised_end - at,
        })
    })
}

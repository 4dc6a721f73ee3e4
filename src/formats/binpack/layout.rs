//! Chunks and the sizes of chains.

/// The first bytes of a chunk.
pub(super) const MAGIC: [u8; 4] = *b"BINP";

/// Bytes of a chunk's magic and size.
pub(super) const CHUNK_HEADER: usize = 8;

/// The largest chunk, which is read as a whole. Writers make 1 MiB.
pub(super) const MAX_CHUNK: usize = 16 << 20;

/// Bytes of a stem.
pub(super) const STEM: usize = 32;

/// Bytes of a stem and the number of moves after it: the shortest chain.
pub(super) const MIN_CHAIN: usize = STEM + 2;

/// The number of moves behind a stem.
pub(super) fn moves(chain: &[u8]) -> Option<usize> {
    let count = chain.get(STEM..MIN_CHAIN)?;
    Some(u16::from_be_bytes([count[0], count[1]]).into())
}

/// Begins a chunk.
pub(in crate::formats) fn put_header(bytes: &mut Vec<u8>, size: usize) {
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&(size as u32).to_le_bytes());
}

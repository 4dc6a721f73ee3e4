//! Where a file breaks off: from there on nothing can be read.

/// The most bytes that are read as a whole: of a line, a game or a chunk.
pub(super) const MAX_RECORD: usize = 16 << 20;

/// Where and why a stream cannot be read on.
#[derive(Debug)]
pub(crate) struct Breakage {
    /// The number of bytes, or of lines in a header, before the place.
    pub offset: u32,
    /// The reason, without the place.
    pub reason: String,
}

/// Refuses a record of more bytes than are read as a whole.
pub(crate) fn too_long(rest: &[u8]) -> Option<Breakage> {
    (rest.len() > MAX_RECORD).then(|| Breakage {
        offset: 0,
        reason: format!("longer than {MAX_RECORD} bytes"),
    })
}

//! The FENs of records.

use super::error::Result;
use crate::formats::{Block, Codec, DecodedPart};

/// Calls `found` with each record's number and FEN, in order, until it fails: the text of the
/// file where it holds FENs, possibly not normalised.
pub fn each_fen(
    codec: &Codec,
    block: &Block,
    decoded: &mut DecodedPart,
    mut found: impl FnMut(&DecodedPart, usize, &str) -> Result<()>,
) -> Result<()> {
    if decoded.fen(block, 0).is_none() {
        codec.states(block, decoded);
    }
    let mut written = Vec::new();
    for record in 0..decoded.records.len() {
        if let Some(fen) = decoded.fen(block, record) {
            found(decoded, record, &fen)?;
        } else {
            written.clear();
            decoded.record(record).write_fen(&mut written);
            found(decoded, record, &String::from_utf8_lossy(&written))?;
        }
    }
    Ok(())
}

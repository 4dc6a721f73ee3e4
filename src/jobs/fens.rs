//! The FENs of records.

use super::error::Result;
use crate::formats::{Block, Codec, DecodedPart};

/// Calls `found` with each record's number and FEN, in order, until it fails: the text of the
/// file where it holds FENs, possibly not normalised.
pub fn each_fen(
    codec: &Codec,
    block: &Block,
    decoded: &DecodedPart,
    mut found: impl FnMut(usize, &str) -> Result<()>,
) -> Result<()> {
    if decoded.fen(block, 0).is_some() {
        let mut records = 0..decoded.records.len();
        return records.try_for_each(|record| {
            let fen = decoded.fen(block, record).unwrap_or_default();
            found(record, &fen)
        });
    }
    // Games and chains are played through once for all positions, and one buffer is reused.
    let mut result = Ok(());
    let mut fen = Vec::new();
    codec.states(block, decoded, &mut |record, state| {
        if result.is_ok() {
            fen.clear();
            state.write_fen(&mut fen);
            result = found(record, &String::from_utf8_lossy(&fen));
        }
    });
    result
}

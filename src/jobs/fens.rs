//! The FENs of records.

use std::borrow::Cow;

use super::error::Result;
use crate::formats::{Block, Codec, Decoded};

/// Whether records hold FENs as text, possibly not normalised.
pub fn holds_fens(codec: &dyn Codec, block: &Block, decoded: &Decoded) -> bool {
    let is_text = || matches!(codec.fen(block, decoded, 0), Cow::Borrowed(_));
    !decoded.records.is_empty() && is_text()
}

/// Calls `found` with each record's number and FEN, in order, until it fails.
pub fn each_fen(
    codec: &dyn Codec,
    block: &Block,
    decoded: &Decoded,
    mut found: impl FnMut(usize, &str) -> Result<()>,
) -> Result<()> {
    if holds_fens(codec, block, decoded) {
        let mut records = 0..decoded.records.len();
        return records.try_for_each(|record| found(record, &codec.fen(block, decoded, record)));
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

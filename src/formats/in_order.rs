//! Writing independent records as they were read.

use core::ops::Range;

use super::{Action, Actions, Block, Codec, Decoded, EncodeError};

/// Writes the records that are not dropped, and the invalid ones between them if asked for.
pub(crate) fn encode(
    codec: &(impl Codec + ?Sized),
    block: &Block,
    decoded: &Decoded,
    actions: &Actions<'_>,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let format = codec.format();
    if !format.is_writable() && !actions.records.is_empty() {
        return Err(EncodeError::ReadOnly(format.name()));
    }
    if block.continued && actions.invalid {
        out.extend_from_slice(&block.bytes);
    }
    let mut invalid = decoded
        .invalid
        .iter()
        .filter(|_| actions.invalid)
        .peekable();
    let write_invalid =
        |span: &Range<u32>, out: &mut Vec<u8>| out.extend_from_slice(block.slice(span));
    for (record, action) in decoded.records.iter().zip(actions.records) {
        let span = record.span();
        while let Some(error) = invalid.next_if(|error| error.span.start < span.start) {
            write_invalid(&error.span, out);
        }
        match action {
            Action::Drop => {}
            Action::Keep => out.extend_from_slice(block.slice(&span)),
            Action::Mark => codec.mark(block.slice(&span), out)?,
        }
    }
    invalid.for_each(|error| write_invalid(&error.span, out));
    Ok(())
}

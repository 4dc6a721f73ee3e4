//! Numbers and moves in text that is written.

use swaplist::PackedMove;

/// Appends a move that is not castling, in UCI.
pub fn push_uci(out: &mut Vec<u8>, played: PackedMove) {
    for square in [played.from(), played.to()] {
        out.push(b'a' + square as u8 % 8);
        out.push(b'1' + square as u8 / 8);
    }
    out.extend(played.promotion().map(|role| role.char() as u8));
}

/// Appends a number in decimal.
pub fn push_number(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

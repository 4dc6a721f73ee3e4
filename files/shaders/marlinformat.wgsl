// A record of marlinformat, 32 bytes, with which a game of viriformat begins. The same for the CPU:
// `read` of files/src/formats/marlinformat.rs. Its words:
//
//     0, 1    the occupied squares
//     2..6    their pieces, a nibble each (lists.wgsl)
//     6       the en-passant target, 64 for none, with 0x80 if Black is to move; the clocks
//     7       White's score and result, and a byte that is not used

const RECORD_WORDS: u32 = 8u;

// A record's fields. The position is checked, and has no en-passant mark.
struct Fields {
    position: Position,
    // Rooks that have not moved.
    unmoved: vec2<u32>,
    // The en-passant target, or `NO_SQUARE`.
    ep: u32,
    is_valid: bool,
}

// The record that begins at a word of `raw`.
fn marlinformat(word: u32) -> Fields {
    let squares = vec2<u32>(raw[word], raw[word + 1u]);
    let list = vec4<u32>(raw[word + 2u], raw[word + 3u], raw[word + 4u], raw[word + 5u]);
    let turn_ep = raw[word + 6u] & 0xffu;
    let ep = turn_ep & 0x7fu;
    let result = (raw[word + 7u] >> 16u) & 0xffu;
    let read = unpack(squares, list, turn_ep >= 0x80u);
    // The third and the sixth rank.
    let is_ep_valid = (ep == NO_SQUARE) || ((ep & 0x78u) == 16u) || ((ep & 0x78u) == 40u);
    let is_valid = read.is_valid && (result <= 2u) && is_sound(read.position) && is_ep_valid;
    return Fields(read.position, read.unmoved, ep, is_valid);
}

// The mark of the en-passant target, if a pawn can capture on it.
fn ep_mark(found: Fields) -> vec2<u32> {
    if found.ep == NO_SQUARE {
        return vec2<u32>(0u);
    }
    return usable_ep(found.position, black_moves(found.position), found.ep);
}

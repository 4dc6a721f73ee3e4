// Whether SEE has a meaning in a position: each side has one king, the side to move does not attack
// the other king, and no pawn is on a last rank. Decoders refuse a record otherwise, as the CPU
// does.
//
// Twin: src/position.rs, with the same names for pieces_of, is_sound, usable_ep.

// The pieces of a side. `position.black` may have a mark on an empty square.
fn pieces_of(position: Position, is_black: bool) -> vec2<u32> {
    return occupied_bits(position) & (position.black ^ vec2<u32>(all_if(!is_black)));
}

// Whether Black is to move: whether the king to move is black.
fn black_moves(position: Position) -> bool {
    return !is_empty(position.bit0 & kings(position) & position.black);
}

// Whether SEE has a meaning in a position of at most 32 pieces.
fn is_sound(position: Position) -> bool {
    let mover = position.bit0 & kings(position);
    let theirs = kings(position) & ~position.bit0;
    return (count(mover) == 1u)
        && (count(theirs) == 1u)
        && is_empty(theirs & pieces_of(position, black_moves(position)))
        && stays_sound(position, black_moves(position));
}

// Whether SEE still has a meaning after a move in a sound position, with this side to move. Moves
// neither take kings nor add pieces, so these are not counted again.
fn stays_sound(position: Position, is_black: bool) -> bool {
    let their_king = lowest_square(kings(position) & ~position.bit0);
    let attackers = attackers_of(position, their_king, occupied_bits(position));
    let wrong = (attackers & pieces_of(position, is_black)) | (pawns(position) & LAST_RANKS);
    return is_empty(wrong);
}

// The squares from which pawns of a side attack a square.
fn pawns_attacking(square: u32, is_black: bool) -> vec2<u32> {
    let sources = masks[square & 63u].pawns;
    return select(sources.xy, sources.zw, is_black);
}

// An en-passant target as a set, empty if it is not usable: an enemy pawn could just have passed
// it, and one of ours attacks it.
fn usable_ep(position: Position, is_black: bool, ep: u32) -> vec2<u32> {
    let ours = pieces_of(position, is_black);
    let their_pawns = pawns(position) & ~ours;
    let ready = pawns_attacking(ep, is_black) & pawns(position) & ours;
    let empty = bit(ep) | bit(ep ^ 24u);
    let is_usable = ((ep >> 3u) == select(5u, 2u, is_black))
        && (bit_at(their_pawns, ep ^ 8u) == 1u)
        && is_empty(occupied_bits(position) & empty)
        && !is_empty(ready);
    return set_if(is_usable, bit(ep));
}

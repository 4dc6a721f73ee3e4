// The packed position, and sets of pieces by their codes. src/position.rs explains it.
//
// Each square has a piece code of three bits, one in each of three planes: 0 nothing, 1 pawn, 2
// knight, 3 bishop, 4 rook, 5 queen, 6 the king of the side that is not to move, 7 that of the side
// to move. The fourth plane has the black pieces, and a mark on an empty square: the en-passant
// target.
//
// Twin: src/position.rs, with the same names for occupied_bits, diagonal_sliders, straight_sliders,
// pawns, knights, kings, code_at.

// The layout in memory: two loads of 16 bytes.
struct PackedPosition {
    // bit0, bit1
    low: vec4<u32>,
    // bit2, black
    high: vec4<u32>,
}

struct Position {
    bit0: vec2<u32>,
    bit1: vec2<u32>,
    bit2: vec2<u32>,
    black: vec2<u32>,
}

const PAWN: u32 = 1u;
const KNIGHT: u32 = 2u;
const ROOK: u32 = 4u;
const QUEEN: u32 = 5u;
const KING: u32 = 6u;
const KING_TO_MOVE: u32 = 7u;

// The same with a name for each plane.
fn unpacked(packed: PackedPosition) -> Position {
    return Position(packed.low.xy, packed.low.zw, packed.high.xy, packed.high.zw);
}

fn occupied_bits(position: Position) -> vec2<u32> {
    return position.bit0 | position.bit1 | position.bit2;
}

// Bishops and queens: bit 0 set, one of bits 1 and 2.
fn diagonal_sliders(position: Position) -> vec2<u32> {
    return position.bit0 & (position.bit1 ^ position.bit2);
}

// Rooks and queens: bit 2 set, bit 1 clear.
fn straight_sliders(position: Position) -> vec2<u32> {
    return position.bit2 & ~position.bit1;
}

fn pawns(position: Position) -> vec2<u32> {
    return position.bit0 & ~position.bit1 & ~position.bit2;
}

fn knights(position: Position) -> vec2<u32> {
    return position.bit1 & ~position.bit0 & ~position.bit2;
}

fn kings(position: Position) -> vec2<u32> {
    return position.bit1 & position.bit2;
}

// The piece code on a square, 0..7.
fn code_at(position: Position, square: u32) -> u32 {
    return bit_at(position.bit0, square)
        | (bit_at(position.bit1, square) << 1u)
        | (bit_at(position.bit2, square) << 2u);
}

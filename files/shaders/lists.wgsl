// From a list of pieces, a nibble each in the order of their squares, to the planes of a position.
// On the CPU some instructions do most of this; without them it is done by `Portable` of
// files/src/formats/isa.rs.
//
// Example: White's king on e1 and pawn on e4, Black's pawn on d5 and king on e8, White to move. The
// occupied squares are 4, 28, 35 and 60. The nibbles are 5, 0, 8 and 13 (colour << 3 | type), the
// first one lowest: 0xd805.
//
//     split      the nibbles' bits, one word for each: 1001, 0000, 1001, 1100 in binary, the last
//                piece's bit first. The fourth word says which pieces are black.
//     unpack     the lowest bits of piece codes, 0111: pawns are 1, the king to move 7, the other 6
//     deposit    bit i of that goes to the i-th occupied square: e1, e4 and d5
//
// Twin: files/src/formats/pieces.rs, with the same names for unpack.
// Twin: files/src/formats/isa.rs, with the same names for split, gather, deposit.

// Bit k of each nibble at the same place of word k, for four words of eight nibbles: the
// nibbles of a word take the same places as its bits, eight by eight.
fn split(list: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(gather(list), gather(list >> vec4<u32>(1u)), gather(list >> vec4<u32>(2u)),
        gather(list >> vec4<u32>(3u)));
}

// The lowest bits of 32 nibbles, side by side.
fn gather(list: vec4<u32>) -> u32 {
    let nibbles = list & vec4<u32>(0x11111111u);
    let pairs = (nibbles | (nibbles >> vec4<u32>(3u))) & vec4<u32>(0x03030303u);
    let fours = (pairs | (pairs >> vec4<u32>(6u))) & vec4<u32>(0x000f000fu);
    let bytes = (fours | (fours >> vec4<u32>(12u))) & vec4<u32>(0xffu);
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

// How bits are spread over a set: those that move by 1, 2, 4, 8 and 16 places, in each half.
struct Spread {
    squares: vec2<u32>,
    by1: vec2<u32>,
    by2: vec2<u32>,
    by4: vec2<u32>,
    by8: vec2<u32>,
    by16: vec2<u32>,
}

// How bits are spread over these squares: the preparation of `expand` in Hacker's Delight 7-5. Bits
// move in five steps, and `deposit` takes the steps.
fn spread_over(squares: vec2<u32>) -> Spread {
    var rest = squares;
    var gaps = ~squares << vec2<u32>(1u);
    let by1 = moving(rest, gaps);
    rest = closed_up(rest, by1, 1u);
    gaps &= ~parity_below(gaps);
    let by2 = moving(rest, gaps);
    rest = closed_up(rest, by2, 2u);
    gaps &= ~parity_below(gaps);
    let by4 = moving(rest, gaps);
    rest = closed_up(rest, by4, 4u);
    gaps &= ~parity_below(gaps);
    let by8 = moving(rest, gaps);
    rest = closed_up(rest, by8, 8u);
    gaps &= ~parity_below(gaps);
    return Spread(squares, by1, by2, by4, by8, moving(rest, gaps));
}

// The bits that move in a step: those above an odd number of gaps.
fn moving(rest: vec2<u32>, gaps: vec2<u32>) -> vec2<u32> {
    return parity_below(gaps) & rest;
}

// The bits after a step in which some moved down by some places.
fn closed_up(rest: vec2<u32>, moved: vec2<u32>, places: u32) -> vec2<u32> {
    return (rest ^ moved) | (moved >> vec2<u32>(places));
}

// Bit i is the parity of bits 0 to i, in each half.
fn parity_below(bits: vec2<u32>) -> vec2<u32> {
    var x = bits;
    x ^= x << vec2<u32>(1u);
    x ^= x << vec2<u32>(2u);
    x ^= x << vec2<u32>(4u);
    x ^= x << vec2<u32>(8u);
    return x ^ (x << vec2<u32>(16u));
}

// Bit i of a mask moved to the i-th square of the set. With all 32 in the lower half, the upper
// half has no squares.
fn deposit(mask: u32, spread: Spread) -> vec2<u32> {
    let low = countOneBits(spread.squares.x);
    var bits = vec2<u32>(mask, mask >> (low & 31u));
    bits = moved_up(bits, spread.by16, 16u);
    bits = moved_up(bits, spread.by8, 8u);
    bits = moved_up(bits, spread.by4, 4u);
    bits = moved_up(bits, spread.by2, 2u);
    bits = moved_up(bits, spread.by1, 1u);
    return bits & spread.squares;
}

// The bits after a step in which those that belong at `moved` come from some places below.
fn moved_up(bits: vec2<u32>, moved: vec2<u32>, places: u32) -> vec2<u32> {
    return (bits & ~moved) | ((bits << vec2<u32>(places)) & moved);
}

// The position that a list describes. It is not checked, except that the list itself is possible.
struct Listed {
    position: Position,
    // Rooks that have not moved.
    unmoved: vec2<u32>,
    is_valid: bool,
}

// Reads a list of pieces on these squares, each colour << 3 | type: pawn 0 to king 5, and 6 for a
// rook that has not moved. A piece's code is its type plus one, and that of the king to move one
// more.
fn unpack(squares: vec2<u32>, list: vec4<u32>, black_moves: bool) -> Listed {
    let pieces = count(squares);
    let listed = select((1u << (pieces & 31u)) - 1u, 0xffffffffu, pieces >= 32u);
    let types = split(list);
    let t0 = types.x;
    let t1 = types.y;
    let t2 = types.z;
    let black = types.w & listed;
    let beyond_king = t2 & t1 & listed;
    let bad = beyond_king & t0;
    let king = t2 & ~t1 & t0 & listed;
    let mover = king & ~(black ^ all_if(black_moves));
    let spread = spread_over(squares);
    let position = Position(
        deposit((~t0 & listed & ~beyond_king) | mover, spread),
        deposit((t1 ^ t0) & listed & ~beyond_king, spread),
        deposit((t2 ^ (t1 & t0)) & listed, spread),
        deposit(black, spread),
    );
    return Listed(position, deposit(beyond_king, spread), (pieces <= 32u) && (bad == 0u));
}

// A file's own bytes, and the units in them: what decoders and encoders share. Host:
// files/src/device/layout.rs, which has an example of the whole input.
//
// A *unit* is a game or a chain; the host lists them in rows of four words. A row for the bytes
// 1,000 to 1,040 of the input, with 5 records of which the first one is number 250, won by White,
// in part 1 of the batch:
//
//     1000, 1040, 250, 0x60005 = 1 << 18 | 2 << 16 | 5
//
// Rows without a unit fill up the last workgroup of a part. They have no bytes and no records, but
// they do have the part.

// The largest number of positions in a unit; the CPU does longer ones. Lavapipe, a software driver,
// silently ends the loops of a kernel after 65,535 turns in all. An encoder has 36 turns for a
// position at most, one for each rule or for each piece of a board that it writes: 55,296 in all.
const MAX_POSITIONS: u32 = 1536u;

// No square, as an en-passant target.
const NO_SQUARE: u32 = 64u;

const LAST_RANKS: vec2<u32> = vec2<u32>(0x000000ffu, 0xff000000u);

// Two bits of an answer: the record was decoded; the move played in it captures.
const DECODED: u32 = 0x40000000u;
const CAPTURES: u32 = 0x10u;

// The bytes of files, fewer than 2^29, so that bits can be counted in 32 bits. The rows that list
// its units follow somewhere after them, so that reading a few bytes beyond the last unit stays
// within the buffer.
@group(0) @binding(2) var<storage, read> raw: array<u32>;

// A game or chain.
struct Unit {
    // Its first byte, and the byte after its last one.
    start: u32,
    end: u32,
    // The number of its first record in the batch, and how many it has.
    first: u32,
    count: u32,
    // White's result: 0 lost, 1 drawn, 2 won.
    result: u32,
    // The part of the batch that it belongs to.
    part: u32,
}

// The unit in a row. The last of a row's four words holds the number of records, which is at most
// `MAX_POSITIONS`, in its lower half, the result in the next two bits, and the part above them.
fn unit_at(index: u32) -> Unit {
    let at = params.own.z + 4u * index;
    let last = raw[at + 3u];
    return Unit(
        raw[at],
        raw[at + 1u],
        raw[at + 2u],
        last & 0xffffu,
        (last >> 16u) & 3u,
        last >> 18u,
    );
}

// The row that an invocation takes; there may be fewer rows.
fn unit_index(group: vec3<u32>, lane: u32) -> u32 {
    return ((group.y * params.own.y) + group.x) * GROUP + lane;
}

// The four bytes that begin at any byte, the first one lowest.
fn word_at(byte: u32) -> u32 {
    let at = byte >> 2u;
    let shift = (byte & 3u) * 8u;
    return (raw[at] >> shift) | ((raw[at + 1u] << 1u) << (31u - shift));
}

// A word with its bytes in the reverse order.
fn swapped(word: u32) -> u32 {
    return (((word << 8u) | (word >> 24u)) & 0x00ff00ffu)
        | (((word << 24u) | (word >> 8u)) & 0xff00ff00u);
}

// A 16-bit number with its high byte first, as the lower half of `word_at`.
fn big_endian_16(word: u32) -> u32 {
    return ((word & 0xffu) << 8u) | ((word >> 8u) & 0xffu);
}

// 32 bits from any bit on, the highest one of a byte first: enough for a chain's ply, which has
// at most 5 for the piece, 5 for the move and 20 for the score.
fn window_at(position: u32) -> u32 {
    let at = position >> 5u;
    let shift = position & 31u;
    return (swapped(raw[at]) << shift) | ((swapped(raw[at + 1u]) >> 1u) >> (31u - shift));
}

// All bits of a word if something holds, else none.
fn all_if(holds: bool) -> u32 {
    return select(0u, 0xffffffffu, holds);
}

// A set if something holds, else the empty set.
fn set_if(holds: bool, squares: vec2<u32>) -> vec2<u32> {
    return select(vec2<u32>(0u), squares, holds);
}

// The movetext of a chain: what a record's answer says of it, and the code of a score.
//
// A score is written as its difference from the negated score before, in zigzag: 10 is 20, -10 is
// 19. The code is cut into blocks of four bits, the lowest first, each after a bit that says
// whether more follow: 20 = 0x14 is 1 0100, 0 0001. The head of chains.wgsl has the whole of a
// chain.
//
// Twin: files/src/formats/binpack/bits.rs, with the same names for score_code, from_zigzag,
// to_zigzag.

// A chain begins with a stem, and two bytes with the number of moves that follow it.
const STEM_BYTES: u32 = 32u;
const MIN_CHAIN: u32 = 34u;

// In an answer: the score's code, the number of its move's bits, and of its blocks minus one.
const CODE_AT: u32 = 6u;
const MOVE_BITS_AT: u32 = 22u;
const BLOCKS_AT: u32 = 26u;

// A score has one to four blocks of five bits, each with a bit that says "more" at its top; the
// last one's is clear. These are the four bits, from the highest bit on.
const MORE: u32 = 0x84210000u;
const SCORE_BITS: u32 = 5u;
const MAX_BLOCK_START: u32 = 15u;

// The code of a score, put together of the blocks' lower four bits, the first block's lowest. The
// blocks begin at the highest of `bits`, and the last one at `block_start`, a multiple of 5.
fn score_code(bits: u32, block_start: u32) -> u32 {
    let rest = 27u - block_start;
    let blocks = (bits >> rest) << rest;
    return ((blocks >> 27u) & 15u)
        | ((blocks >> 18u) & 0xf0u)
        | ((blocks >> 9u) & 0xf00u)
        | (blocks & 0xf000u);
}

// The lower 16 bits of a number, with their sign.
fn wrapped_16(number: i32) -> i32 {
    return (number << 16u) >> 16u;
}

// Zigzag: the sign in the lowest bit, the other bits inverted if it is negative.
fn from_zigzag(code: u32) -> i32 {
    return i32(code >> 1u) ^ -i32(code & 1u);
}

fn to_zigzag(value: i32) -> u32 {
    return bitcast<u32>((value << 1u) ^ (value >> 31u)) & 0xffffu;
}

// Bits to write: the highest ones of a word, the others are zero.
struct Bits {
    word: u32,
    count: u32,
}

// A score difference as it is written: in as few blocks as it needs, the lowest four bits first.
fn score_bits(difference: i32) -> Bits {
    let code = to_zigzag(difference);
    let blocks = (firstLeadingBit(code | 1u) + 4u) >> 2u;
    let count = SCORE_BITS * blocks;
    let spread = ((code & 0xfu) << 27u)
        | ((code & 0xf0u) << 18u)
        | ((code & 0xf00u) << 9u)
        | (code & 0xf000u);
    // All blocks but the last one say "more".
    let more = MORE & ~(0xffffffffu >> (count - SCORE_BITS));
    return Bits(spread | more, count);
}

// Sets of squares: 64 bits as vec2<u32>, a1..h4 in x, a5..h8 in y, like a little-endian u64. WGSL
// has no u64. Square s is bit s: a1 is 0, b1 is 1, h8 is 63.

// Whether no square is in a set.
fn is_empty(squares: vec2<u32>) -> bool {
    return (squares.x | squares.y) == 0u;
}

// The set of one square, 0..63.
fn bit(square: u32) -> vec2<u32> {
    let low = 1u << (square & 31u);
    return select(vec2<u32>(low, 0u), vec2<u32>(0u, low), square >= 32u);
}

// 1 if a square is in a set, else 0.
fn bit_at(squares: vec2<u32>, square: u32) -> u32 {
    return (select(squares.x, squares.y, square >= 32u) >> (square & 31u)) & 1u;
}

// The difference of two 64-bit numbers.
fn minus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// The board turned by 180 degrees: square s becomes 63 - s.
fn reversed(squares: vec2<u32>) -> vec2<u32> {
    return reverseBits(squares.yx);
}

// The set of the lowest square; the empty set for the empty set.
fn lowest_bit(squares: vec2<u32>) -> vec2<u32> {
    let low = squares.x & (0u - squares.x);
    let high = squares.y & (0u - squares.y);
    return vec2<u32>(low, select(0u, high, squares.x == 0u));
}

// The lowest square of a set; a1 for the empty set, as on the CPU.
fn lowest_square(squares: vec2<u32>) -> u32 {
    let high = 32u + countTrailingZeros(squares.y);
    return select(countTrailingZeros(squares.x), high, squares.x == 0u) & 63u;
}

// The number of squares in a set.
fn count(squares: vec2<u32>) -> u32 {
    return countOneBits(squares.x) + countOneBits(squares.y);
}

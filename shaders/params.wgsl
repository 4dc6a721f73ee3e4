// What every entry point is given: the sizes that it is compiled for, the parameters of the
// dispatch, and the table of squares. Host: src/gpu/program/layout.rs.

// Invocations in a workgroup: a multiple of 32. One per move, side, or unit of a file.
override GROUP: u32 = 64u;

// Words of an answer on a record of a file: 1, or 3 with two words of facts before it.
override ANSWER_WORDS: u32 = 1u;
const FACTS_WORDS: u32 = 3u;

// A bit of an answer: its unit cannot be decoded from here on. A bit of facts: the record has a
// move.
const BROKEN: u32 = 0x20000000u;
const HAS_MOVE: u32 = 0x8000u;

// Where the other parts of the first word of facts begin (facts.wgsl), and what a move can take; 0
// is nothing.
const TAKES_AT: u32 = 16u;
const TAKES_PIECE: u32 = 1u;
const TAKES_EN_PASSANT: u32 = 2u;
const TAKES_ROOK: u32 = 3u;
const PIECES_AT: u32 = 18u;

struct Params {
    // The number of results: requests for `score`, else positions.
    count: u32,
    // Workgroups in a row of the dispatch, which is folded into two dimensions.
    groups_x: u32,
    // The chunk's number, which the host copies back with the results.
    serial: vec2<u32>,
    // Piece values by piece code, 0..7.
    values: array<vec4<i32>, 2>,
    // For `exceed`: the bound of the side to move, the bound of the opponent, and the two ends of
    // the opponent's window (see `window_of`).
    bounds: vec4<i32>,
    // For kernels of clients that share this uniform.
    own: vec4<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masks: array<SquareMasks, 64>;

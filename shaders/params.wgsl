// What every entry point is given. Host: src/gpu/program/layout.rs.

// Invocations in a workgroup: a multiple of 32. One per move, side, or unit of a file.
override GROUP: u32 = 64u;

struct Params {
    // The number of requests, or of positions.
    count: u32,
    // Workgroups in a row of the dispatch, which is folded into two dimensions.
    groups_x: u32,
    // The chunk's number, which the host copies back with the results.
    serial: vec2<u32>,
    // By piece code, 0..7.
    values: array<vec4<i32>, 2>,
    // What `exceed` is asked: the bounds of the side to move and of the opponent, and the
    // opponent's window.
    bounds: vec4<i32>,
    // Of decoding: games or chains, workgroups in a row of the dispatch, and the word of `raw`
    // where they are listed.
    units: u32,
    units_x: u32,
    units_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> masks: array<SquareMasks, 64>;

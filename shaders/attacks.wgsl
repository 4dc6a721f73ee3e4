// Attackers of one square, and lines through squares.
//
// Slider attacks along a line are o ^ (o - r), in both directions at once, as on the CPU: o are the
// pieces on the line, r is the slider. A subtraction borrows from the slider's bit up to the next
// piece, so exactly the bits between change, that piece included. A rook on d1 (square 3), with
// pieces on b1, f1 and g1:
//
//     o                  0x62     01100010     squares 6, 5 and 1
//     r                  0x08     00001000
//     o - r              0x5a     01011010
//     o ^ (o - r)        0x38     00111000     f1, e1, and d1 itself, which the mask leaves out
//
// Downwards it is the same on the board turned by 180 degrees: b1 and c1. The two differences agree
// outside of the attacks, so one `^` of both gives all of them. All four lines are reversed bit by
// bit, which is one instruction on a GPU; the CPU swaps bytes and looks up ranks.
//
// Twin: src/attacks.rs, with the same names for line_attacks, diagonal_attacks, straight_attacks.
// Twin: src/position.rs, with the same names for pawn_attackers, slider_attackers, may_recapture.

// The sets of squares that belong to one square, without that square. They are stored in pairs that
// are used together: one load of 16 bytes costs no more than one of 8.
struct SquareMasks {
    // Its file, its rank.
    straights: vec4<u32>,
    // Its diagonal, its antidiagonal.
    diagonals: vec4<u32>,
    // Where a knight and a king on it can go.
    steps: vec4<u32>,
    // Squares from which a pawn attacks this one: white pawns, black pawns.
    pawns: vec4<u32>,
}

// Attacks from `square` along a line of `mask`, which does not include it.
fn line_attacks(mask: vec2<u32>, occupied: vec2<u32>, square: u32) -> vec2<u32> {
    let blockers = mask & occupied;
    let forward = minus(blockers, bit(square));
    let backward = minus(reversed(blockers), bit(square ^ 63u));
    return (forward ^ reversed(backward)) & mask;
}

// Squares that a bishop on `square` attacks.
fn diagonal_attacks(square: u32, occupied: vec2<u32>) -> vec2<u32> {
    let lines = masks[square].diagonals;
    return line_attacks(lines.xy, occupied, square) | line_attacks(lines.zw, occupied, square);
}

// Squares that a rook on `square` attacks.
fn straight_attacks(square: u32, occupied: vec2<u32>) -> vec2<u32> {
    let lines = masks[square].straights;
    return line_attacks(lines.xy, occupied, square) | line_attacks(lines.zw, occupied, square);
}

// Squares that a bishop on `square` attacks on an empty board.
fn diagonal_lines(square: u32) -> vec2<u32> {
    let lines = masks[square].diagonals;
    return lines.xy | lines.zw;
}

// Squares that a rook on `square` attacks on an empty board.
fn straight_lines(square: u32) -> vec2<u32> {
    let lines = masks[square].straights;
    return lines.xy | lines.zw;
}

// Pawns of both sides that attack `square`.
fn pawn_attackers(position: Position, square: u32) -> vec2<u32> {
    let sources = masks[square].pawns;
    let white = sources.xy & ~position.black;
    let black = sources.zw & position.black;
    return pawns(position) & (black | white);
}

// Pieces of both sides that attack `square`; only `occupied` squares block sliders. Other
// pieces count even if not in `occupied`.
fn attackers_of(position: Position, square: u32, occupied: vec2<u32>) -> vec2<u32> {
    let steps = masks[square].steps;
    return pawn_attackers(position, square)
        | (knights(position) & steps.xy)
        | (kings(position) & steps.zw)
        | slider_attackers(position, square, occupied);
}

// Bishops, rooks and queens of both sides that attack `square`, if only `occupied` squares block.
fn slider_attackers(position: Position, square: u32, occupied: vec2<u32>) -> vec2<u32> {
    return (diagonal_sliders(position) & diagonal_attacks(square, occupied))
        | (straight_sliders(position) & straight_attacks(square, occupied));
}

// Squares strictly between two squares of a line; none if they share no line.
fn between(a: u32, b: u32) -> vec2<u32> {
    let span = minus(bit(max(a, b)), bit(min(a, b))) & ~bit(min(a, b));
    return span & shared_line(a, b);
}

// The file, rank, diagonal or antidiagonal of `a` that `b` is on, without `a`; none if there is
// none.
fn shared_line(a: u32, b: u32) -> vec2<u32> {
    let straights = masks[a].straights;
    let diagonals = masks[a].diagonals;
    return if_holds(straights.xy, b)
        | if_holds(straights.zw, b)
        | if_holds(diagonals.xy, b)
        | if_holds(diagonals.zw, b);
}

// The set if it contains a square, else the empty set.
fn if_holds(squares: vec2<u32>, square: u32) -> vec2<u32> {
    return select(vec2<u32>(0u), squares, bit_at(squares, square) == 1u);
}

// Which of one side's attackers may recapture: a king only if the other side has no guard of the
// square, pinned or not. The shader has this rule nowhere else.
fn may_recapture(position: Position, attackers: vec2<u32>, guards: vec2<u32>) -> vec2<u32> {
    return attackers & ~select(kings(position), vec2<u32>(0u), is_empty(guards));
}

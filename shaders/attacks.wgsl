// Attackers of one square. Twin: src/attacks.rs.
//
// Slider attacks along a line are o ^ (o - r), in both directions at once, as on
// the CPU; but all four lines are reversed bit by bit, which a GPU does in one
// instruction, where the CPU swaps bytes and looks ranks up.

struct SquareMasks {
    file: vec2<u32>,
    rank: vec2<u32>,
    diagonal: vec2<u32>,
    antidiagonal: vec2<u32>,
    knight: vec2<u32>,
    king: vec2<u32>,
    // Squares from which a pawn attacks this one.
    white_pawns: vec2<u32>,
    black_pawns: vec2<u32>,
}

// Attacks from `square` along a line of `mask`, which does not hold it.
fn line_attacks(mask: vec2<u32>, occupied: vec2<u32>, square: u32) -> vec2<u32> {
    let blockers = mask & occupied;
    let forward = minus(blockers, bit(square));
    let backward = minus(reversed(blockers), bit(square ^ 63u));
    return (forward ^ reversed(backward)) & mask;
}

// Squares that a bishop on `square` sees.
fn diagonal_attacks(square: u32, occupied: vec2<u32>) -> vec2<u32> {
    return line_attacks(masks[square].diagonal, occupied, square)
        | line_attacks(masks[square].antidiagonal, occupied, square);
}

// Squares that a rook on `square` sees.
fn straight_attacks(square: u32, occupied: vec2<u32>) -> vec2<u32> {
    return line_attacks(masks[square].file, occupied, square)
        | line_attacks(masks[square].rank, occupied, square);
}

// Pawns of both sides that attack `square`.
fn pawn_attackers(position: Position, square: u32) -> vec2<u32> {
    let black = masks[square].black_pawns & position.black;
    let white = masks[square].white_pawns & ~position.black;
    return pawns(position) & (black | white);
}

// Pieces of both sides that attack `square`, sliders seeing through all but
// `occupied`. A step attacker counts even where `occupied` lacks it.
fn attackers_of(position: Position, square: u32, occupied: vec2<u32>) -> vec2<u32> {
    return pawn_attackers(position, square)
        | (knights(position) & masks[square].knight)
        | (kings(position) & masks[square].king)
        | slider_attackers(position, square, occupied);
}

fn slider_attackers(position: Position, square: u32, occupied: vec2<u32>) -> vec2<u32> {
    return (diagonal_sliders(position) & diagonal_attacks(square, occupied))
        | (straight_sliders(position) & straight_attacks(square, occupied));
}

// Squares strictly between two squares of one line; none if they share no line.
fn between(a: u32, b: u32) -> vec2<u32> {
    let span = minus(bit(max(a, b)), bit(min(a, b))) & ~bit(min(a, b));
    return span & shared_line(a, b);
}

fn shared_line(a: u32, b: u32) -> vec2<u32> {
    let nowhere = vec2<u32>(0u);
    return select(nowhere, masks[a].file, bit_at(masks[a].file, b) == 1u)
        | select(nowhere, masks[a].rank, bit_at(masks[a].rank, b) == 1u)
        | select(nowhere, masks[a].diagonal, bit_at(masks[a].diagonal, b) == 1u)
        | select(nowhere, masks[a].antidiagonal, bit_at(masks[a].antidiagonal, b) == 1u);
}

// Legal noisy moves of one side: captures, en passant and promotions. Gives the moves of
// src/captures.rs, which explains them. That file finds promotions and en passant one by one; here
// the squares where they end are targets like any other, so that all lanes do the same work.
//
// Three steps, which sides.wgsl does for all lanes at a time:
//
//     generator_of    a side's pins, checkers and evasions, once for each side
//     targets_of      the squares where its noisy moves may end: perhaps some too many
//     target_at       for one of these squares the pieces that may legally go there
//
// In all of it `us` is the set of the side's pieces, and `passing` the set of its en-passant
// target, empty if there is none.
//
// Twin: src/captures.rs, with the same names for king_may_take.

const ALL_SQUARES: vec2<u32> = vec2<u32>(0xffffffffu, 0xffffffffu);
const LAST_RANKS: vec2<u32> = vec2<u32>(0x000000ffu, 0xff000000u);
const NOT_FILE_A: vec2<u32> = vec2<u32>(0xfefefefeu, 0xfefefefeu);
const NOT_FILE_H: vec2<u32> = vec2<u32>(0x7f7f7f7fu, 0x7f7f7f7fu);
const NOT_FILES_AB: vec2<u32> = vec2<u32>(0xfcfcfcfcu, 0xfcfcfcfcu);
const NOT_FILES_GH: vec2<u32> = vec2<u32>(0x3f3f3f3fu, 0x3f3f3f3fu);

// The most pawns that may capture en passant on a square.
const MAX_PASSING: u32 = 2u;

// What the legal moves of a side depend on, found once per side.
struct Generator {
    // Own pieces pinned to the king.
    pinned: vec2<u32>,
    // Where pieces may go: everywhere; in check onto the checker or in front of it; in double
    // check nowhere.
    evasions: vec2<u32>,
    in_check: bool,
}

// A target of noisy moves: its attackers, and the pieces that may legally move there.
struct Target {
    square: u32,
    // Whether a piece is captured there; false for pawn pushes and en passant.
    is_capture: bool,
    // Attackers of both sides; not computed for an empty square.
    attackers: vec2<u32>,
    // Pieces that may go there, without those that promote.
    capturers: vec2<u32>,
    // Pawns that promote there, four moves each.
    promoting: vec2<u32>,
}

// Pins, checkers and evasions of the side that has the pieces `us`.
fn generator_of(position: Position, us: vec2<u32>) -> Generator {
    let occupied = occupied_bits(position);
    let them = occupied & ~us;
    let king = king_of(position, us);
    let checkers = attackers_of(position, king, occupied) & them;
    let first = lowest_bit(checkers);
    var evasions = ALL_SQUARES;
    if !is_empty(checkers) {
        evasions = first | between(king, lowest_square(checkers));
        evasions = select(vec2<u32>(0u), evasions, is_empty(checkers ^ first));
    }
    return Generator(shields(position, us, king), evasions, !is_empty(checkers));
}

// Own pieces pinned to the king. The pieces in `left` are snipers: enemy sliders that would attack
// the king if nothing stood in between.
fn shields(position: Position, us: vec2<u32>, king: u32) -> vec2<u32> {
    let occupied = occupied_bits(position);
    let them = occupied & ~us;
    let diagonals = diagonal_lines(king) & diagonal_sliders(position);
    let straights = straight_lines(king) & straight_sliders(position);
    var left = (diagonals | straights) & them;
    var pinned = vec2<u32>(0u);
    for (var i = 0u; i < MAX_SNIPERS; i++) {
        if is_empty(left) {
            break;
        }
        let shield = between(king, lowest_square(left)) & occupied;
        if is_empty(shield ^ lowest_bit(shield)) {
            pinned |= shield & us;
        }
        left ^= lowest_bit(left);
    }
    return pinned;
}

// Candidate targets of noisy moves: enemy pieces that `us` attacks, promotion squares, and the
// en-passant target. (`steps.zw` has the squares next to the king.)
fn targets_of(position: Position, us: vec2<u32>, generator: Generator, passing: vec2<u32>) -> vec2<u32> {
    let them = occupied_bits(position) & ~us;
    let king = king_of(position, us);
    let king_captures = masks[king].steps.zw & them;
    if is_empty(generator.evasions) {
        return king_captures;
    }
    let pieces = us & ~kings(position);
    let captures = attacked_by(position, pieces) & them;
    let pushes = pushed(position, us) & ~occupied_bits(position) & LAST_RANKS;
    return ((captures | pushes) & generator.evasions) | king_captures | passing;
}

// The noisy moves to one of those targets: who attacks it, and who may legally go there.
fn target_at(
    position: Position,
    us: vec2<u32>,
    generator: Generator,
    square: u32,
    passing: vec2<u32>,
) -> Target {
    let occupied = occupied_bits(position);
    let king = king_of(position, us);
    let there = bit(square);
    let free = ~generator.pinned | shared_line(king, square);
    let allowed = us & ~kings(position) & free;
    let evades = !is_empty(generator.evasions & there);
    let is_last = !is_empty(LAST_RANKS & there);

    var found = Target(square, false, vec2<u32>(0u), vec2<u32>(0u), vec2<u32>(0u));
    if !is_empty(occupied & ~us & there) {
        found.is_capture = true;
        found.attackers = attackers_of(position, square, occupied);
        let all = select(vec2<u32>(0u), found.attackers & allowed, evades);
        found.promoting = select(vec2<u32>(0u), all & pawns(position), is_last);
        found.capturers = all & ~found.promoting;
        if king_may_take(position, us, king, square, found.attackers) {
            found.capturers |= bit(king);
        }
    }
    if is_last && evades && is_empty(occupied & there) {
        found.promoting = pusher(position, us, square) & allowed;
    }
    if !is_empty(passing & there) && !is_empty(generator.evasions) {
        found.capturers |= passing_pawns(position, us, square);
    }
    return found;
}

// Whether the king may capture on a square: it is next to the king, and no enemy guards it, not
// even through the square that the king leaves.
fn king_may_take(position: Position, us: vec2<u32>, king: u32, square: u32, attackers: vec2<u32>) -> bool {
    let them = occupied_bits(position) & ~us;
    let is_next = bit_at(masks[king].steps.zw, square) == 1u;
    if !is_next || is_empty(us & kings(position)) || !is_empty(attackers & them) {
        return false;
    }
    let without_king = occupied_bits(position) & ~bit(king);
    return is_empty(slider_attackers(position, square, without_king) & them);
}

// The pawn that promotes by a push to `square`.
fn pusher(position: Position, us: vec2<u32>, square: u32) -> vec2<u32> {
    let is_top = square >= 32u;
    let below = select(bit(square + 8u), bit(square - 8u), is_top);
    let side = select(position.black, ~position.black, is_top);
    return below & pawns(position) & us & side;
}

// Pawns that may legally capture en passant on `square`. Each is tested on the board after the
// capture, with all three squares changed: two pawns may leave the king's rank at once.
fn passing_pawns(position: Position, us: vec2<u32>, square: u32) -> vec2<u32> {
    let occupied = occupied_bits(position);
    let victim = bit(square ^ 8u);
    let them = occupied & ~us & ~victim;
    let king = king_of(position, us);
    var left = pawn_attackers(position, square) & us;
    var legal = vec2<u32>(0u);
    for (var i = 0u; i < MAX_PASSING; i++) {
        let pawn = lowest_bit(left);
        left ^= pawn;
        let after = (occupied & ~pawn & ~victim) | bit(square);
        if is_empty(attackers_of(position, king, after) & them) {
            legal |= pawn;
        }
    }
    return legal;
}

// Squares that pawns of `us` may be pushed to, ignoring other pieces.
fn pushed(position: Position, us: vec2<u32>) -> vec2<u32> {
    let own = pawns(position) & us;
    return up(own & ~position.black, 8u) | down(own & position.black, 8u);
}

// All squares that a set of pieces attacks, except those that only kings attack.
fn attacked_by(position: Position, pieces: vec2<u32>) -> vec2<u32> {
    let occupied = occupied_bits(position);
    let diagonal = diagonal_sliders(position) & pieces;
    let straight = straight_sliders(position) & pieces;
    return attacked_by_pawns(position, pieces)
        | attacked_by_knights(knights(position) & pieces)
        | rays_up(straight, ~occupied, 8u, ALL_SQUARES)
        | rays_down(straight, ~occupied, 8u, ALL_SQUARES)
        | rays_up(straight, ~occupied, 1u, NOT_FILE_A)
        | rays_down(straight, ~occupied, 1u, NOT_FILE_H)
        | rays_up(diagonal, ~occupied, 9u, NOT_FILE_A)
        | rays_down(diagonal, ~occupied, 9u, NOT_FILE_H)
        | rays_up(diagonal, ~occupied, 7u, NOT_FILE_H)
        | rays_down(diagonal, ~occupied, 7u, NOT_FILE_A);
}

// All squares that the pawns among these pieces attack.
fn attacked_by_pawns(position: Position, pieces: vec2<u32>) -> vec2<u32> {
    let white = pawns(position) & pieces & ~position.black;
    let black = pawns(position) & pieces & position.black;
    return ((up(white, 9u) | down(black, 7u)) & NOT_FILE_A)
        | ((up(white, 7u) | down(black, 9u)) & NOT_FILE_H);
}

// All squares that a set of knights attacks.
fn attacked_by_knights(knights: vec2<u32>) -> vec2<u32> {
    return ((up(knights, 17u) | down(knights, 15u)) & NOT_FILE_A)
        | ((up(knights, 15u) | down(knights, 17u)) & NOT_FILE_H)
        | ((up(knights, 10u) | down(knights, 6u)) & NOT_FILES_AB)
        | ((up(knights, 6u) | down(knights, 10u)) & NOT_FILES_GH);
}

// All squares that sliders attack in one direction, by `step` squares up: a Kogge-Stone fill in
// three doublings (CPW). `free` are the empty squares, and `mask` those that a step may end on
// without wrapping around the edge.
fn rays_up(sliders: vec2<u32>, free: vec2<u32>, step: u32, mask: vec2<u32>) -> vec2<u32> {
    var open = free & mask;
    var seen = sliders | (open & up(sliders, step));
    open &= up(open, step);
    seen |= open & up(seen, 2u * step);
    open &= up(open, 2u * step);
    seen |= open & up(seen, 4u * step);
    return up(seen, step) & mask;
}

// The same downwards.
fn rays_down(sliders: vec2<u32>, free: vec2<u32>, step: u32, mask: vec2<u32>) -> vec2<u32> {
    var open = free & mask;
    var seen = sliders | (open & down(sliders, step));
    open &= down(open, step);
    seen |= open & down(seen, 2u * step);
    open &= down(open, 2u * step);
    seen |= open & down(seen, 4u * step);
    return down(seen, step) & mask;
}

// Shifts a board to higher squares, by 1 to 36.
fn up(board: vec2<u32>, squares: u32) -> vec2<u32> {
    if squares >= 32u {
        return vec2<u32>(0u, board.x << (squares - 32u));
    }
    return vec2<u32>(board.x << squares, (board.y << squares) | (board.x >> (32u - squares)));
}

// Shifts a board to lower squares, by 1 to 36.
fn down(board: vec2<u32>, squares: u32) -> vec2<u32> {
    if squares >= 32u {
        return vec2<u32>(board.y >> (squares - 32u), 0u);
    }
    return vec2<u32>((board.x >> squares) | (board.y << (32u - squares)), board.y >> squares);
}

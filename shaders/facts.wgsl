// What rules ask about a position and the move played in it: whether the move is legal, what it
// takes, and how many pieces there are.
//
// The first word of facts of 4k3/8/8/3p4/4P3/8/8/4K3 with e4d5:
//
//     0x3918      the move, as `PackedMove`: 28 << 9 | 35 << 3
//     0x8000      HAS_MOVE
//     1 << 16     it takes a piece on its target square
//     4 << 18     four pieces: 0x11b918 in all
//
// The second word is the SEE of the move (bounds.wgsl writes it). The numbers are in params.wgsl.
//
// Twin: src/position/takes.rs, with the same names for takes.
// Twin: files/src/formats/legal.rs, with the same names for is_legal, castles_safely.

const MAX_FILES: u32 = 8u;

// The first word of facts: the move, what it takes, and the number of pieces.
fn facts(position: Position, played: u32) -> u32 {
    let pieces = count(occupied_bits(position));
    let taken = select(0u, takes(position, played), (played & HAS_MOVE) != 0u);
    return played | (taken << TAKES_AT) | (pieces << PIECES_AT);
}

// What a move takes: 0 for nothing, else a number of `TAKES_`. Castling takes the own rook. (Side 0
// is the side to move, and `KING` the lower of the kings' two codes.)
fn takes(position: Position, played: u32) -> u32 {
    let origin = (played >> 9u) & 63u;
    let destination = (played >> 3u) & 63u;
    let mover = code_at(position, origin);
    if code_at(position, destination) == 0u {
        let leaves_file = ((origin ^ destination) & 7u) != 0u;
        return select(0u, TAKES_EN_PASSANT, (mover == PAWN) && leaves_file);
    }
    if bit_at(pieces_of_side(position, 0u), destination) == 0u {
        return TAKES_PIECE;
    }
    return select(0u, TAKES_ROOK, mover >= KING);
}

// Whether a move is legal. Of a castling move it takes the right for granted, as positions hold no
// castling rights.
fn is_legal(position: Position, played: u32) -> bool {
    let origin = (played >> 9u) & 63u;
    let destination = (played >> 3u) & 63u;
    let promotion = played & 7u;
    let us = pieces_of_side(position, 0u);
    let occupied = occupied_bits(position);
    if bit_at(us, origin) == 0u {
        return false;
    }
    let taken = takes(position, played);
    if taken == TAKES_ROOK {
        return castles_safely(position, us, origin, destination) && (promotion == 0u);
    }
    let there = bit(destination);
    let is_pawn = code_at(position, origin) == PAWN;
    let promotes = is_pawn && !is_empty(LAST_RANKS & there);
    let fits = select(promotion == 0u, (promotion >= KNIGHT) && (promotion <= QUEEN), promotes);
    if !fits || (bit_at(us, destination) == 1u) {
        return false;
    }
    if taken == TAKES_EN_PASSANT {
        let passing = passing_of(position, 0u) & there;
        return !is_empty(passing) && (bit_at(passing_pawns(position, us, destination), origin) == 1u);
    }
    let attackers = attackers_of(position, destination, occupied);
    var moves_so = bit_at(attackers, origin) == 1u;
    if is_pawn && (taken != TAKES_PIECE) {
        moves_so = advances(occupied, origin, destination, bit_at(position.black, origin) == 1u);
    }
    let king = king_of(position, us);
    let kings_square = select(king, destination, king == origin);
    let after = (occupied & ~bit(origin)) | there;
    let them = occupied & ~us & ~there;
    return moves_so && is_empty(attackers_of(position, kings_square, after) & them);
}

// Whether a pawn may advance between these squares, by one square or two. `passed` is the square
// ahead of it, which a double step passes; `& 63u` keeps that on the board for any origin.
fn advances(occupied: vec2<u32>, origin: u32, destination: u32, is_black: bool) -> bool {
    let passed = select(origin + 8u, origin - 8u, is_black);
    let twice = select(origin + 16u, origin - 16u, is_black);
    let starts = (origin >> 3u) == select(1u, 6u, is_black);
    return (destination == passed)
        || ((destination == twice) && starts && (bit_at(occupied, passed & 63u) == 0u));
}

// Whether the squares between king and rook are empty, and the king passes none that is attacked.
// The rook is removed first. That makes no legal move illegal: where the rook shields the king only
// before castling, the king ends in check, and where only afterwards, it begins in check.
fn castles_safely(position: Position, us: vec2<u32>, king: u32, rook: u32) -> bool {
    let rank = king & 56u;
    let goes_right = rook > king;
    let king_to = rank | select(2u, 6u, goes_right);
    let rook_to = rank | select(3u, 5u, goes_right);
    let others = occupied_bits(position) & ~(bit(king) | bit(rook));
    let them = others & ~us;
    let walk = from_to(king, king_to);
    if (code_at(position, rook) != ROOK)
        || ((rook & 56u) != rank)
        || !is_empty((walk | from_to(rook, rook_to)) & others) {
        return false;
    }
    for (var file = 0u; file < MAX_FILES; file++) {
        let square = rank | file;
        let is_passed = bit_at(walk, square) == 1u;
        if is_passed && !is_empty(attackers_of(position, square, others) & them) {
            return false;
        }
    }
    return true;
}

// The squares of a rank from one square to another.
fn from_to(a: u32, b: u32) -> vec2<u32> {
    return between(a, b) | bit(a) | bit(b);
}

// Where pieces can move, without regard to check; the n-th of these squares; and whether en passant
// is legal. A chain of a binpack names a move by its number among these squares (chains.wgsl).
//
// Twin: files/src/formats/legal.rs, with the same names for pawn_sees, counted_ep.

// The most pawns that can capture en passant on a square.
const MAX_EP_CAPTURERS: u32 = 2u;

const THIRD_RANK: vec2<u32> = vec2<u32>(0x00ff0000u, 0u);
const SIXTH_RANK: vec2<u32> = vec2<u32>(0u, 0x0000ff00u);

// The squares that a knight, bishop, rook, queen or king sees. Without branches: neighbours move
// other pieces.
fn piece_attacks(code: u32, square: u32, occupied: vec2<u32>) -> vec2<u32> {
    let steps = masks[square].steps;
    let is_diagonal = ((code & 1u) != 0u) && (code != KING_TO_MOVE);
    let is_straight = (code == ROOK) || (code == QUEEN);
    return set_if(code == KNIGHT, steps.xy)
        | set_if(code == KING_TO_MOVE, steps.zw)
        | set_if(is_diagonal, diagonal_attacks(square, occupied))
        | set_if(is_straight, straight_attacks(square, occupied));
}

// The squares where a pawn can move, given the squares on which it may capture.
fn pawn_sees(is_black: bool, square: u32, occupied: vec2<u32>, victims: vec2<u32>) -> vec2<u32> {
    // A pawn attacks the squares from which one of the other colour attacks it.
    let captures = pawns_attacking(square, !is_black) & victims;
    let one = stepped(bit(square), is_black) & ~occupied;
    let start = select(THIRD_RANK, SIXTH_RANK, is_black);
    return captures | one | (stepped(one & start, is_black) & ~occupied);
}

// The squares one step ahead of these.
fn stepped(squares: vec2<u32>, is_black: bool) -> vec2<u32> {
    let up = vec2<u32>(squares.x << 8u, (squares.y << 8u) | (squares.x >> 24u));
    let down = vec2<u32>((squares.x >> 8u) | (squares.y << 24u), squares.y >> 8u);
    return select(up, down, is_black);
}

// The en-passant target as writers count it: only if a capture on it is legal. The packed
// position keeps it if a pawn attacks it.
fn counted_ep(board: Board) -> vec2<u32> {
    if is_empty(board.ep) {
        return vec2<u32>(0u);
    }
    let position = marked(board);
    let is_black = black_moves(position);
    let ep = lowest_square(board.ep);
    let own = pieces_of(position, is_black);
    let occupied = occupied_bits(position);
    let victim = bit(ep ^ 8u);
    let theirs = occupied & ~own & ~victim;
    let king = lowest_square(kings(position) & own);
    var ready = pawns_attacking(ep, is_black) & pawns(position) & own;
    for (var i = 0u; i < MAX_EP_CAPTURERS; i++) {
        if is_empty(ready) {
            break;
        }
        let capturer = lowest_bit(ready);
        let after = (occupied & ~(victim | capturer)) | board.ep;
        if is_empty(attackers_of(position, king, after) & theirs) {
            return board.ep;
        }
        ready &= ~capturer;
    }
    return vec2<u32>(0u);
}

// The n-th square of a set, from 0; any square if there are fewer.
fn nth(squares: vec2<u32>, n: u32) -> u32 {
    let low = countOneBits(squares.x);
    let is_high = n >= low;
    let word = select(squares.x, squares.y, is_high);
    let rest = select(n, n - low, is_high);
    var at = 0u;
    at = passed(word, at, 16u, rest);
    at = passed(word, at, 8u, rest);
    at = passed(word, at, 4u, rest);
    at = passed(word, at, 2u, rest);
    at = passed(word, at, 1u, rest);
    return at | select(0u, 32u, is_high);
}

// A step of a bisection: `at`, or `at + half` if the n-th square is not below that.
fn passed(word: u32, at: u32, half: u32, n: u32) -> u32 {
    let below = word & ((1u << (at + half)) - 1u);
    return select(at + half, at, countOneBits(below) > n);
}

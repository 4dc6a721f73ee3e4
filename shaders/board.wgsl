// A board to replay games: position, castling rights and en passant. Twin: src/formats/board.rs,
// without its clocks.

const KIND_NORMAL: u32 = 0u;
const KIND_EN_PASSANT: u32 = 1u;
const KIND_CASTLING: u32 = 2u;
const KIND_PROMOTION: u32 = 3u;

struct Board {
    // Without the en-passant mark.
    position: Position,
    // The en-passant target if a pawn can capture on it.
    ep: vec2<u32>,
    // Rooks that may castle.
    castling: vec2<u32>,
    black_moves: bool,
}

// A move as played: for castling, to the square of the own rook.
struct Played {
    origin: u32,
    destination: u32,
    // The piece code of the promotion, or 0.
    promotion: u32,
    kind: u32,
}

fn ours(board: Board) -> vec2<u32> {
    return pieces_of(board.position, board.black_moves);
}

// The packed position.
fn marked(board: Board) -> Position {
    var position = board.position;
    position.black |= board.ep;
    return position;
}

// Plays a move; false for a fault. It need not be legal, but must not capture an own piece or a
// king. Removes castling rights of rooks that moved or were captured; the caller removes those of
// a king that moved, since formats differ. Without branches: neighbours play other kinds.
fn play(board: ptr<function, Board>, played: Played) -> bool {
    let before = *board;
    let origin = bit(played.origin);
    let destination = bit(played.destination);
    let code = code_at(before.position, played.origin);
    let castles = played.kind == KIND_CASTLING;
    let takes_ep = played.kind == KIND_EN_PASSANT;
    let promotes = played.kind == KIND_PROMOTION;

    let victim = select(destination, bit(played.destination ^ 8u), takes_ep);
    let rest = lifted(before.position, origin | victim);
    let way = castled(played);
    let landing = select(destination, bit(way.x), castles);
    let rook = set_if(castles, bit(way.y));
    let standing = select(code, played.promotion, promotes);
    let after = put(put(rest, standing, landing, before.black_moves), ROOK, rook, before.black_moves);

    (*board).ep = vec2<u32>(0u);
    if (played.kind == KIND_NORMAL) && (code == PAWN) && ((played.origin ^ played.destination) == 16u) {
        let passed = (played.origin + played.destination) >> 1u;
        (*board).ep = passed_over(after, before.black_moves, passed);
    }
    (*board).castling &= ~(origin | destination);
    // The other king becomes the king to move.
    (*board).position = after;
    (*board).position.bit0 ^= kings(after);
    (*board).black_moves = !before.black_moves;

    let own = ours(before);
    let is_rook = !is_empty(own & before.castling & destination)
        && (code_at(before.position, played.destination) == ROOK);
    let may_castle = is_rook
        && (code == KING_TO_MOVE)
        && (((played.origin ^ played.destination) & 56u) == 0u)
        && is_empty(occupied_bits(rest) & (landing | rook));
    let may_step = is_empty((own | kings(before.position)) & destination);
    let is_pawn = code == PAWN;
    let fits = ((played.kind == KIND_NORMAL) && may_step)
        || (castles && may_castle)
        || (takes_ep && may_step && is_pawn && all(destination == before.ep))
        || (promotes && may_step && is_pawn && !is_empty(destination & LAST_RANKS));
    return fits && !is_empty(own & origin);
}

// Where the king and the rook go in castling.
fn castled(played: Played) -> vec2<u32> {
    let rank = played.origin & 56u;
    let files = select(vec2<u32>(2u, 3u), vec2<u32>(6u, 5u), played.destination > played.origin);
    return vec2<u32>(rank) | files;
}

fn lifted(position: Position, squares: vec2<u32>) -> Position {
    return Position(
        position.bit0 & ~squares,
        position.bit1 & ~squares,
        position.bit2 & ~squares,
        position.black & ~squares,
    );
}

// A piece of a side put on an empty square, or on none.
fn put(position: Position, code: u32, square: vec2<u32>, is_black: bool) -> Position {
    return Position(
        position.bit0 | set_if((code & 1u) != 0u, square),
        position.bit1 | set_if((code & 2u) != 0u, square),
        position.bit2 | set_if((code & 4u) != 0u, square),
        position.black | set_if(is_black, square),
    );
}

// The square that a side's pawn passed, if an enemy pawn can capture en passant on it.
fn passed_over(position: Position, is_black: bool, square: u32) -> vec2<u32> {
    let theirs = pawns(position) & ~pieces_of(position, is_black);
    let ready = pawns_attacking(square, !is_black) & theirs;
    return set_if(!is_empty(ready), bit(square));
}

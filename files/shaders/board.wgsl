// A board to replay games: position, castling rights and en passant, but no clocks.
//
// Castling rights are the squares of the rooks that may castle, and a castling move goes to the
// square of the own rook, so that Chess960 needs nothing else. `is_playable` and `play` have no
// branches: side by side, invocations play different games, and would wait for each other's
// branches.
//
// Twin: files/src/formats/board.rs, with the same names for ours, play, castled, put, passed_over.

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
    // The piece code of a promotion; anything for other kinds.
    promotion: u32,
    kind: u32,
}

// The pieces of the side to move.
fn ours(board: Board) -> vec2<u32> {
    return pieces_of(board.position, board.black_moves);
}

// The packed position: with the en-passant target, which is marked as a black piece on an empty
// square.
fn marked(board: Board) -> Position {
    var position = board.position;
    position.black |= board.ep;
    return position;
}

// Whether a move can be played. It need not be legal, but must not capture an own piece or a king.
fn is_playable(board: Board, played: Played) -> bool {
    let origin = bit(played.origin);
    let destination = bit(played.destination);
    let own = ours(board);
    let code = code_at(board.position, played.origin);
    let is_open = is_empty((own | kings(board.position)) & destination);
    let takes_ep = (code == PAWN) & all(destination == board.ep);
    let promotes = (code == PAWN) & !is_empty(destination & LAST_RANKS);
    // The square that a pawn passes becomes the en-passant target. On a piece, its mark would make
    // another piece of it.
    let passes = (played.kind == KIND_NORMAL) & is_double_step(code, played);
    let is_passable = is_empty(occupied_bits(board.position) & bit(passed_square(played)));
    let steps = is_open & (!passes | is_passable) & ((played.kind == KIND_NORMAL)
        | ((played.kind == KIND_EN_PASSANT) & takes_ep)
        | ((played.kind == KIND_PROMOTION) & promotes));

    let way = castled(played);
    let rest = occupied_bits(board.position) & ~(origin | destination);
    let castles = (played.kind == KIND_CASTLING)
        & (code == KING_TO_MOVE)
        & (code_at(board.position, played.destination) == ROOK)
        & !is_empty(own & board.castling & destination)
        & (((played.origin ^ played.destination) & 56u) == 0u)
        & is_empty(rest & (bit(way.x) | bit(way.y)));
    return (steps | castles) & !is_empty(own & origin);
}

// Plays a move that is playable. Removes castling rights of rooks that moved or were captured;
// the caller removes those of a king that moved, since formats differ.
fn play(board: ptr<function, Board>, played: Played) {
    let before = *board;
    let origin = bit(played.origin);
    let destination = bit(played.destination);
    let code = code_at(before.position, played.origin);
    let castles = played.kind == KIND_CASTLING;
    let takes_ep = played.kind == KIND_EN_PASSANT;

    let victim = select(destination, bit(played.destination ^ 8u), takes_ep);
    let rest = lifted(before.position, origin | victim);
    let way = castled(played);
    let landing = select(destination, bit(way.x), castles);
    let rook = set_if(castles, bit(way.y));
    let standing = select(code, played.promotion, played.kind == KIND_PROMOTION);
    let after = put(put(rest, standing, landing, before.black_moves), ROOK, rook, before.black_moves);

    (*board).ep = vec2<u32>(0u);
    if (played.kind == KIND_NORMAL) && is_double_step(code, played) {
        (*board).ep = passed_over(after, before.black_moves, passed_square(played));
    }
    (*board).castling &= ~(origin | destination);
    // The other king becomes the king to move.
    (*board).position = after;
    (*board).position.bit0 ^= kings(after);
    (*board).black_moves = !before.black_moves;
}

// Whether a piece with this code makes a pawn's step of two squares.
fn is_double_step(code: u32, played: Played) -> bool {
    return (code == PAWN) & ((played.origin ^ played.destination) == 16u);
}

// The square that it passes.
fn passed_square(played: Played) -> u32 {
    return (played.origin + played.destination) >> 1u;
}

// The squares where the king (x) and the rook (y) land in castling: files g and f, or c and d.
fn castled(played: Played) -> vec2<u32> {
    let rank = played.origin & 56u;
    let files = select(vec2<u32>(2u, 3u), vec2<u32>(6u, 5u), played.destination > played.origin);
    return vec2<u32>(rank) | files;
}

// A position without the pieces on these squares.
fn lifted(position: Position, squares: vec2<u32>) -> Position {
    return Position(
        position.bit0 & ~squares,
        position.bit1 & ~squares,
        position.bit2 & ~squares,
        position.black & ~squares,
    );
}

// A position with a piece of a side on one more square, which was empty; unchanged if the set is
// empty.
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

// viriformat: the board of a game, and its moves. The same for the CPU:
// files/src/formats/viriformat.rs.
//
// A *step* is the word of a record: 16 bits of the move and 16 of White's score.

// Reads the board of a game, which begins at a word of `raw`; false if it is broken.
fn first_board(word: u32, board: ptr<function, Board>) -> bool {
    let found = marlinformat(word);
    if !found.is_valid {
        return false;
    }
    let is_black = black_moves(found.position);
    *board = Board(found.position, ep_mark(found), found.unmoved, is_black);
    return true;
}

// The move in the lower 16 bits of a step; `MOVES` in files/src/formats/viriformat.rs has their
// meaning. A promotion's two bits are 0 for a knight, whose piece code is 2.
fn read_step(bits: u32) -> Played {
    let kind = (bits >> 14u) & 3u;
    return Played(bits & 63u, (bits >> 6u) & 63u, ((bits >> 12u) & 3u) + 2u, kind);
}

// Plays a step. A king that has moved may not castle, wherever it was.
fn play_step(board: ptr<function, Board>, played: Played) {
    let king_moves = code_at((*board).position, played.origin) == KING_TO_MOVE;
    let own = ours(*board);
    play(board, played);
    (*board).castling &= ~set_if(king_moves, own);
}

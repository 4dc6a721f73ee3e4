// viriformat: the moves of a game. The same for the CPU: src/formats/viriformat.rs.

// The board of a game's first record; false if it is broken.
fn first_board(word: u32, board: ptr<function, Board>) -> bool {
    let found = marlinformat(word);
    if !found.is_valid {
        return false;
    }
    let is_black = black_moves(found.position);
    *board = Board(found.position, ep_mark(found), found.unmoved, is_black);
    return true;
}

// A move in 16 bits, as `MOVES` in src/formats/viriformat.rs has it.
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

// viriformat: an invocation replays a game. Twin: src/formats/viriformat/game.rs.
//
// The host cuts games at their four zero bytes and decodes those without a move itself: they
// have no record that could say that they are broken.

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

// A move in 16 bits, as `MOVES` says.
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

@compute @workgroup_size(GROUP)
fn decode_viriformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = unit_index(group, lane);
    if index >= params.units {
        return;
    }
    let game = unit_at(index);
    if game.count == 0u {
        return;
    }
    let steps = (game.start >> 2u) + RECORD_WORDS;
    var board: Board;
    if (game.count > MAX_POSITIONS) || !first_board(game.start >> 2u, &board) {
        put_answer(game.first, BROKEN);
        return;
    }
    for (var i = 0u; i < MAX_POSITIONS; i++) {
        if i >= game.count {
            return;
        }
        let position = marked(board);
        let played = read_step(raw[steps + i]);
        // The first board is sound. A move to its own square would capture an own piece.
        let is_sound = (i == 0u) | stays_sound(board.position, board.black_moves);
        let fits = is_playable(board, played) & is_sound;
        play_step(&board, played);
        if !fits {
            put_answer(game.first + i, BROKEN);
            return;
        }
        put_record(game.first + i, position, 0u);
        put_played(game.first + i, played);
    }
}

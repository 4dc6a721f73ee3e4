// Decodes viriformat: an invocation replays a game, like `Replay` of
// files/src/formats/viriformat.rs.
//
// A game is a board of 32 bytes, a word for each move, and a word of zeros. A record is the
// position before a move, with that move.
//
//     read the board; if it is broken, so is the game from its first record on
//     for each move:
//         the position is that of the record
//         a move that cannot be played, or a position in which SEE has no meaning: broken here
//         else write the record, and play the move
//
// The host cuts games at their four zero bytes. It does not send games without a move: they have
// no record that could say that they are broken.

@compute @workgroup_size(GROUP)
fn decode_viriformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = unit_index(group, lane);
    if index >= params.own.x {
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
        let captures = capture_bit(board, played);
        play_step(&board, played);
        if !fits {
            put_answer(game.first + i, BROKEN);
            return;
        }
        put_record(game.first + i, position, captures);
        put_played(game.first + i, played);
    }
}

// Marks or drops records of viriformat: an invocation takes a game. The same for the CPU: `select`
// in files/src/formats/viriformat.rs.
//
// Marking changes scores, two bytes of a record, and leaves everything else as it is. The host has
// the bytes, so `mark_viriformat` only tells it which records to mark, by a bit for each record of
// the batch. Dropping writes each run of kept records as a game of its own, which begins with a
// board.
//
// Example: a game of 6 records has 8 words of a board, 6 steps and a zero: 15 words. The rules
// refuse the records 2 and 3, counted from 0.
//
//     mark    the game's first record is number 30 of the batch, so its records have the bits 30 to
//             35: bits 30 and 31 of the first word of marks, and 0 to 3 of the second one. Bits 0
//             and 1 of the second word are set.
//     drop    two runs of two records are left, so two games of 8 + 2 + 1 words: 22, or 88 bytes.
//             The second board is the one before record 4, with its clocks, so the game is replayed
//             to write it.

// White's score of a step, in its upper half: that of the position before the move.
fn step_score(step: u32) -> i32 {
    return bitcast<i32>(step) >> 16u;
}

// The word of `raw` where a game begins: parts begin at multiples of eight bytes, and the length of
// a game is a multiple of four.
fn first_word(game: Unit) -> u32 {
    return game.start >> 2u;
}

// The word of `raw` where its first step is.
fn steps_of(game: Unit) -> u32 {
    return first_word(game) + RECORD_WORDS;
}

// What word 6 of a game's first record (marlinformat.wgsl) says of the first position: who moves,
// the half-move clock, and the number of the move.
struct Clocks {
    is_black: bool,
    halfmoves: u32,
    fullmoves: u32,
}

fn first_clocks(game: Unit) -> Clocks {
    let word = raw[first_word(game) + 6u];
    return Clocks((word & 0x80u) != 0u, (word >> 8u) & 0xffu, word >> 16u);
}

// Half-moves since the start of the game, before the i-th move. The full-move number stops at
// 65,535, as on the CPU.
fn ply_of(first: Clocks, i: u32) -> u32 {
    let moved = i + select(0u, 1u, first.is_black);
    let fullmoves = min(first.fullmoves + (moved >> 1u), 0xffffu);
    return 2u * (max(fullmoves, 1u) - 1u) + (moved & 1u);
}

// The i-th record, after one with this `is_far_after`. Its score and its result are White's; no rule asks who wins. No score is stored
// as 32002 or -32002, since some converters turn its sign like any other. Both become 32002 for the
// side to move, like `turned_score` in files/src/formats.rs.
fn record_of(game: Unit, first: Clocks, i: u32, is_far: bool) -> Record {
    let at = answer_at(game.first + i);
    let black_moves = ((i & 1u) != 0u) != first.is_black;
    let no_score = select(VALUE_NONE, -VALUE_NONE, black_moves);
    let stored = step_score(raw[steps_of(game) + i]);
    let score = select(stored, no_score, abs(stored) == VALUE_NONE);
    let opening = step_score(raw[steps_of(game)]);
    let ply = ply_of(first, i);
    return Record(at, answers[at], ply, score, i32(game.result) - 1, opening, is_far);
}

// Decides about the records of a game, up to one that is not whole; returns the number of runs of
// kept ones.
fn decide_game(game: Unit, decided: ptr<function, Decided>) -> u32 {
    let first = first_clocks(game);
    var runs = 0u;
    var is_open = false;
    var is_far = false;
    for (var i = 0u; i < MAX_POSITIONS; i++) {
        if i >= game.count {
            break;
        }
        let record = record_of(game, first, i, is_far);
        is_far = is_far_after(record);
        if !is_whole(record.answer) {
            (*decided).is_broken = true;
            break;
        }
        let refused = decide(record, game, decided);
        runs += select(0u, 1u, !refused && !is_open);
        is_open = !refused;
    }
    return runs;
}

// Sets the bits of the records of a game that are refused. A word has the bits of 32 records, whose
// first and last ones may be those of other games.
fn put_marks(game: Unit) {
    var marks = 0u;
    for (var i = 0u; i < MAX_POSITIONS; i++) {
        if i >= game.count {
            break;
        }
        let record = game.first + i;
        let refused = is_refused(answers[answer_at(record)]);
        marks |= select(0u, 1u, refused) << (record & 31u);
        if ((record & 31u) == 31u) || (i + 1u == game.count) {
            atomicOr(&made[marks_at() + (record >> 5u)], marks);
            marks = 0u;
        }
    }
}

// Decides about a game, and marks the records that are refused.
fn mark_game(index: u32, game: Unit) {
    var decided = Decided(0u, 0u, false);
    decide_game(game, &decided);
    if decided.is_broken {
        put_result(index, UNIT_BROKEN, 0u, decided);
    } else {
        put_marks(game);
        put_result(index, UNIT_UNCHANGED, 0u, decided);
    }
}

@compute @workgroup_size(GROUP)
fn mark_viriformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    begin_counting(lane);
    let index = unit_index(group, lane);
    let has_unit = index < params.own.x;
    let game = unit_at(select(0u, index, has_unit));
    if has_unit && (game.count > 0u) {
        mark_game(index, game);
    }
    end_counting(lane, part_of(group));
}

// The most pieces in the list of a board in marlinformat, and the nibble of a rook that may castle.
const MAX_PIECES: u32 = 32u;
const UNMOVED_ROOK: u32 = 6u;

// Writes the board that a run begins with, with a score of zero, like `pack` in
// files/src/formats/marlinformat.rs.
fn write_board(start: u32, board: Board, clocks: Clocks, result: u32) {
    let occupied = occupied_bits(board.position);
    atomicStore(&made[start], occupied.x);
    atomicStore(&made[start + 1u], occupied.y);
    var rest = occupied;
    for (var list = 0u; list < 4u; list++) {
        var word = 0u;
        for (var place = 0u; place < MAX_PIECES; place += 4u) {
            if !is_empty(rest) {
                let square = lowest_square(rest);
                // A type is a code less one; both kings have the same one.
                let kind = min(code_at(board.position, square), KING) - 1u;
                let may_castle = bit_at(board.castling, square) == 1u;
                let nibble = select(kind, UNMOVED_ROOK, may_castle);
                word |= (nibble | (bit_at(board.position.black, square) << 3u)) << place;
                rest &= ~bit(square);
            }
        }
        atomicStore(&made[start + 2u + list], word);
    }
    let ep = counted_ep(board);
    let passed_over_square = select(lowest_square(ep), NO_SQUARE, is_empty(ep));
    let turn = select(0u, 0x80u, board.black_moves);
    let clock_word = (clocks.halfmoves << 8u) | (clocks.fullmoves << 16u);
    atomicStore(&made[start + 6u], passed_over_square | turn | clock_word);
    atomicStore(&made[start + 7u], result << 16u);
}

// The clocks after a move, which is about to be played on a board.
fn ticked(clocks: Clocks, board: Board, played: Played) -> Clocks {
    let is_pawn = code_at(board.position, played.origin) == PAWN;
    let hits = bit_at(occupied_bits(board.position), played.destination) == 1u;
    let counts = !is_pawn && !(hits && (played.kind != KIND_CASTLING));
    let halfmoves = select(0u, min(clocks.halfmoves + 1u, 0xffu), counts);
    // A number of 0 stands for an unknown one, and stays.
    let is_counted = board.black_moves && (clocks.fullmoves > 0u);
    let fullmoves = min(clocks.fullmoves + select(0u, 1u, is_counted), 0xffffu);
    return Clocks(!board.black_moves, halfmoves, fullmoves);
}

// Replays a game, and writes its runs of kept records from the word `start` of `made` on.
fn write_runs(game: Unit, start: u32) {
    var board: Board;
    // A game that could not be decoded does not come here.
    if !first_board(first_word(game), &board) {
        return;
    }
    var clocks = first_clocks(game);
    var at = start;
    var is_open = false;
    for (var i = 0u; i < MAX_POSITIONS; i++) {
        if i >= game.count {
            break;
        }
        let step = raw[steps_of(game) + i];
        let played = read_step(step);
        if is_refused(answers[answer_at(game.first + i)]) {
            if is_open {
                atomicStore(&made[at], 0u);
                at += 1u;
            }
            is_open = false;
        } else {
            if !is_open {
                write_board(at, board, clocks, game.result);
                at += RECORD_WORDS;
            }
            atomicStore(&made[at], step);
            at += 1u;
            is_open = true;
        }
        clocks = ticked(clocks, board, played);
        play_step(&board, played);
    }
    if is_open {
        atomicStore(&made[at], 0u);
    }
}

// Decides about a game, and writes its runs of kept records, unless all or none are kept.
fn drop_in_game(index: u32, game: Unit) {
    var decided = Decided(0u, 0u, false);
    let runs = decide_game(game, &decided);
    if decided.is_broken {
        put_result(index, UNIT_BROKEN, 0u, decided);
    } else if decided.kept == game.count {
        put_result(index, UNIT_UNCHANGED, 0u, decided);
    } else {
        // A run has a board before it and a zero after it.
        let words = decided.kept + runs * (RECORD_WORDS + 1u);
        let at = take_room(words);
        if (at >= text_end()) && (words > 0u) {
            put_result(index, UNIT_WITHOUT_ROOM, 0u, decided);
            return;
        }
        if words > 0u {
            write_runs(game, at);
        }
        put_result(index, place_of(at), words << 2u, decided);
    }
}

@compute @workgroup_size(GROUP)
fn drop_viriformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    begin_counting(lane);
    let index = unit_index(group, lane);
    let has_unit = index < params.own.x;
    let game = unit_at(select(0u, index, has_unit));
    if has_unit && (game.count > 0u) {
        drop_in_game(index, game);
    }
    end_counting(lane, part_of(group));
}

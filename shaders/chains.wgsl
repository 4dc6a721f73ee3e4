// Stockfish's binpack: an invocation walks a chain, the stem and the movetext. Twins: stem.rs,
// moves.rs, bits.rs and chain.rs of src/formats/binpack.
//
// The host guesses where chains begin from the file's own numbers of moves; a unit whose bytes
// or records do not come out even is broken.

const WHITE_CORNERS: vec2<u32> = vec2<u32>(0x81u, 0u);
const BLACK_CORNERS: vec2<u32> = vec2<u32>(0u, 0x81000000u);
const FIFTH_RANK: vec2<u32> = vec2<u32>(0u, 0xffu);
const E1: u32 = 0x10u;
const E8: u32 = 0x10000000u;

// A stem's move. The kinds but the normal one are in the opposite order: 1 promotion, 2 castling,
// 3 en passant.
fn stem_move(bits: u32) -> Played {
    let kind = (4u - (bits >> 14u)) & 3u;
    return Played((bits >> 8u) & 63u, (bits >> 2u) & 63u, (bits & 3u) + 2u, kind);
}

// The position of a stem; false if it is broken.
fn read_stem(byte: u32, board: ptr<function, Board>) -> bool {
    let squares = vec2<u32>(swapped(word_at(byte + 4u)), swapped(word_at(byte)));
    let list = vec4<u32>(
        word_at(byte + 8u),
        word_at(byte + 12u),
        word_at(byte + 16u),
        word_at(byte + 20u),
    );
    if count(squares) > 32u {
        return false;
    }
    let spread = spread_over(squares);
    let nibbles = split(list);
    let n0 = deposit(nibbles.x, spread);
    let n1 = deposit(nibbles.y, spread);
    let n2 = deposit(nibbles.z, spread);
    let n3 = deposit(nibbles.w, spread);
    // Codes up to 11 are type << 1 | colour; 12 is a pawn with the en-passant target behind it,
    // 13 and 14 a rook that may castle, 15 the black king with Black to move.
    let special = n3 & n2;
    let ep_pawn = special & ~n1 & ~n0;
    let white_rook = special & ~n1 & n0;
    let black_rook = special & n1 & ~n0;
    let black_king = special & n1 & n0;
    let plain = squares & ~special;
    let king = (plain & n3 & n1) | black_king;
    let rook = white_rook | black_rook;
    let black = (plain & n0) | (ep_pawn & FIFTH_RANK) | black_rook | black_king;
    let is_black = !is_empty(black_king);
    let mover = king & ~(black ^ vec2<u32>(all_if(is_black)));
    let position = Position(
        (plain & ~n1 & ~king) | ep_pawn | mover,
        (plain & (n2 ^ n1) & ~king) | king,
        (plain & (n3 ^ (n2 & n1)) & ~king) | king | rook,
        black,
    );
    let astray = (white_rook & ~WHITE_CORNERS) | (black_rook & ~BLACK_CORNERS);
    if !is_empty(astray) || !is_sound(position) {
        return false;
    }
    *board = Board(position, vec2<u32>(0u), rook, is_black);
    if !is_empty(ep_pawn) {
        let pawn = lowest_square(ep_pawn);
        (*board).ep = usable_ep(position, is_black, pawn ^ 8u);
        // Behind the pawn that has just moved.
        return (count(ep_pawn) == 1u) && ((pawn >> 3u) == select(4u, 3u, is_black));
    }
    return true;
}

// The corner rooks that may not castle after these squares were left or entered, whatever is on
// them: the rule of the reference code.
fn lost_castling(squares: vec2<u32>) -> vec2<u32> {
    return squares
        | set_if((squares.x & E1) != 0u, WHITE_CORNERS)
        | set_if((squares.y & E8) != 0u, BLACK_CORNERS);
}

// Plays a move of a chain.
fn play_ply(board: ptr<function, Board>, played: Played) {
    play(board, played);
    (*board).castling &= ~lost_castling(bit(played.origin) | bit(played.destination));
}

// The number of bits for a choice among some.
fn bits_for(choices: u32) -> u32 {
    return firstLeadingBit(choices - 1u) + 1u;
}

// The highest bits of a word, fewer than 32.
fn highest(word: u32, bits: u32) -> u32 {
    return (word >> 1u) >> (31u - bits);
}

// A ply as read.
struct Ply {
    played: Played,
    // The number of its move's bits, and of the bits before its score's last block.
    move_bits: u32,
    block_start: u32,
    score_code: u32,
    is_valid: bool,
}

// Reads the move played on a board, and skips its score.
fn read_ply(board: Board, ep: vec2<u32>, window: u32) -> Ply {
    let own = ours(board);
    let pieces = count(own);
    let piece_bits = bits_for(pieces);
    let piece = highest(window, piece_bits);
    let square = nth(own, piece);
    let code = code_at(board.position, square);

    let occupied = occupied_bits(board.position);
    let is_pawn = code == PAWN;
    let seen = piece_attacks(code, square, occupied) & ~own;
    let advances = pawn_sees(board.black_moves, square, occupied, (occupied & ~own) | ep);
    let targets = select(seen, advances, is_pawn);
    // One step before promotion, all targets of a pawn are on the last rank.
    let promotes = is_pawn && !is_empty(targets & LAST_RANKS);
    // After the king's steps, castling, with the a-file's rook first.
    let rooks = set_if(code == KING_TO_MOVE, board.castling & own);
    let steps = count(targets);
    let choices = (steps + count(rooks)) << select(0u, 2u, promotes);

    let number_bits = bits_for(choices);
    let number = highest(window << piece_bits, number_bits);
    let index = number >> select(0u, 2u, promotes);
    let castles = index >= steps;
    let destination = nth(select(targets, rooks, castles), select(index, index - steps, castles));
    let takes_ep = is_pawn && (bit_at(ep, destination) == 1u);
    let quiet_kind = select(KIND_NORMAL, KIND_EN_PASSANT, takes_ep);
    let kind = select(select(quiet_kind, KIND_CASTLING, castles), KIND_PROMOTION, promotes);

    let move_bits = piece_bits + number_bits;
    let score = window << move_bits;
    let block_start = countLeadingZeros(~score & MORE);
    let is_valid = (piece < pieces) & (number < choices) & (block_start <= MAX_BLOCK_START);
    let played = Played(square, destination, (number & 3u) + 2u, kind);
    return Ply(played, move_bits, block_start, score_code(score, block_start), is_valid);
}

@compute @workgroup_size(GROUP)
fn decode_binpack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = unit_index(group, lane);
    if index >= params.units {
        return;
    }
    let chain = unit_at(index);
    if chain.count == 0u {
        return;
    }
    let stem = chain.start;
    let moves = big_endian_16(word_at(stem + STEM_BYTES));
    var board: Board;
    if (chain.count > MAX_POSITIONS)
        || (moves + 1u != chain.count)
        || (chain.end < stem + MIN_CHAIN)
        || (((word_at(stem + 28u) >> 6u) & 3u) == 3u)
        || !read_stem(stem, &board) {
        put_answer(chain.first, BROKEN);
        return;
    }
    put_record(chain.first, marked(board), 0u);
    var played = stem_move(big_endian_16(word_at(stem + 24u)));
    put_played(chain.first, played);
    var at = (stem + MIN_CHAIN) * 8u;
    let end = chain.end * 8u;
    for (var i = 1u; i < MAX_POSITIONS; i++) {
        if i >= chain.count {
            break;
        }
        // A stem's move may be anything, a castling blocked, an en-passant target a piece that a
        // pawn jumped over. What else is read by its number can be played.
        var fits = true;
        if (i == 1u) || (played.kind != KIND_NORMAL) {
            fits = is_playable(board, played);
        }
        play_ply(&board, played);
        fits &= stays_sound(board.position, board.black_moves);
        let ply = read_ply(board, counted_ep(board), window_at(at));
        at += ply.move_bits + ply.block_start + SCORE_BITS;
        if !(fits & ply.is_valid & (at <= end)) {
            put_answer(chain.first + i, BROKEN);
            return;
        }
        played = ply.played;
        // A block's start is 0, 5, 10 or 15.
        let blocks = (ply.block_start * 13u) >> 6u;
        let bits = (ply.move_bits << MOVE_BITS_AT) | (blocks << BLOCKS_AT);
        put_record(chain.first + i, marked(board), (ply.score_code << CODE_AT) | bits);
        put_played(chain.first + i, played);
    }
    if ((at + 7u) >> 3u) != chain.end {
        put_answer(chain.first + chain.count - 1u, BROKEN);
    }
}

// Stockfish's binpack: an invocation walks a chain. For each record it leaves the position and, in
// its answer, how many bits its move and its score have. Later kernels add to the answer.
//
// A chain is a *stem* of 32 bytes, which is one whole position with its move and score, the number
// of moves that follow, and the *movetext*: for each further position its move and its score, in as
// few bits as the position allows. src/formats/binpack.rs has the layout. Every move is read as a
// number in a list that depends on the board, so positions have to be played through one after the
// other; different chains have nothing to do with each other.
//
// Example: from the start position 1. e4 e5 2. Nf3, with the scores 30, -20, 25, each of the side
// to move. The stem is the start position with e2e4 and 30. Then come, after the number 2, four
// bytes of movetext:
//
//     45 02 ca 80 = 0100 0 10100 00001 0110 01 01010 000000
//
//     0100          Black has 16 pieces, so 4 bits: number 4 by their squares is the pawn on e7
//     0             it has 2 moves, so 1 bit: number 0 is e5, the lower square
//     10100 00001   the score: blocks of 4 bits, the lowest first, the bit before each says "more".
//                   0100 and 0001 make 20, in zigzag 10. That is the sum of this score and the one
//                   before: 10 = 30 + (-20)
//     0110 01       of White's pieces number 6, the knight on g1; of e2, f3, h3 number 1, f3
//     01010         1010 makes 10, in zigzag 5: 5 = -20 + 25
//     000000        up to a whole byte
//
// The answer on the second record says that its move has 5 bits, and its score 2 blocks whose bits
// make 20 (`score_code`); so mark_chains.wgsl can copy and recode without walking again.
//
//     check the chain's numbers, read the stem: a board
//     for each further position:
//         play the move before; is the position sound?
//         read the piece's number, then its move's number; skip the score
//         a wrong number, a position that is not sound, or bits beyond the chain: broken here
//     a chain that does not end exactly where the next one begins is broken, too
//
// Why this way: a lane per chain keeps lanes busy for 0.98 of the time, since the host lists chains
// by falling length. A move that was read by its number needs no test: such a piece can go there.
// Tested are a stem's move, which may be anything; castling, whose way may be blocked; and en
// passant, for the reason that is given where it is tested. Promotions cannot fail that test: they
// are in it to spare a comparison. More branches would not pay, since neighbouring lanes move other
// pieces (README.md).
//
// What must hold:
//
// - A chain's length is not stored, so the host guesses where it ends: at the next bytes that look
//   like a stem, at least as far on as this number of moves needs (src/formats/binpack/cut.rs).
//   Nothing in a chain is trusted: what is wrong is marked as broken, and the CPU decodes that
//   chain and names the fault.
// - A record is written only if it is right, in the order of the chain; all after a break stay
//   without an answer. If only the chain's end is wrong, its last answer becomes BROKEN.
// - A chain has at most MAX_POSITIONS records; the CPU does longer ones.
//
// Functions of the same name in these files take the same steps:
//
// Twin: src/formats/binpack/stem.rs, with the same names for lost_castling.
// Twin: src/formats/binpack/chain.rs, with the same names for read_ply.
// Twin: src/formats/binpack/bits.rs, with the same names for bits_for.

const WHITE_CORNERS: vec2<u32> = vec2<u32>(0x81u, 0u);
const BLACK_CORNERS: vec2<u32> = vec2<u32>(0u, 0x81000000u);
const FIFTH_RANK: vec2<u32> = vec2<u32>(0u, 0xffu);
const E1: u32 = 0x10u;
const E8: u32 = 0x10000000u;

// A stem's move, from its 16 bits. The stem numbers the kinds 1 promotion, 2 castling, 3 en
// passant; `KIND_PROMOTION` is 3 and `KIND_EN_PASSANT` 1, so the number is taken from 4. The normal
// kind is 0 in both.
fn stem_move(bits: u32) -> Played {
    let kind = (4u - (bits >> 14u)) & 3u;
    return Played((bits >> 8u) & 63u, (bits >> 2u) & 63u, (bits & 3u) + 2u, kind);
}

// Reads the position of the stem at a byte into `board`; false if it is broken.
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
    // PDEP: bit i of each mask goes to the i-th occupied square.
    let spread = spread_over(squares);
    let nibbles = split(list);
    let n0 = deposit(nibbles.x, spread);
    let n1 = deposit(nibbles.y, spread);
    let n2 = deposit(nibbles.z, spread);
    let n3 = deposit(nibbles.w, spread);
    // Codes up to 11 are type << 1 | colour; 12 is a pawn that has just moved by two squares, 13
    // and 14 are rooks that may castle, 15 is the black king with Black to move.
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
    // The king of the side to move has bit 0, too.
    let mover = king & ~(black ^ vec2<u32>(all_if(is_black)));
    let position = Position(
        (plain & ~n1) | ep_pawn | mover,
        (plain & (n2 ^ n1)) | king,
        (plain & (n3 ^ (n2 & n1))) | king | rook,
        black,
    );
    let astray = (white_rook & ~WHITE_CORNERS) | (black_rook & ~BLACK_CORNERS);
    if !is_empty(astray) || !is_sound(position) {
        return false;
    }
    *board = Board(position, vec2<u32>(0u), rook, is_black);
    if !is_empty(ep_pawn) {
        let pawn = lowest_square(ep_pawn);
        // Usable: an enemy pawn could just have passed it, and one of ours attacks it. Whether a
        // capture is legal, `counted_ep` asks before each ply.
        (*board).ep = usable_ep(position, is_black, pawn ^ 8u);
        // There may be one such pawn, on its fourth rank.
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

// The number of bits for a number below `choices`. 32 if there are none: then no number is valid.
fn bits_for(choices: u32) -> u32 {
    return firstLeadingBit(choices - 1u) + 1u;
}

// The highest bits of a word, at most 31 of them. For 32, which is no choice, the result is not
// used.
fn highest_bits(word: u32, bits: u32) -> u32 {
    return (word >> 1u) >> (31u - bits);
}

// A ply as read.
struct Ply {
    played: Played,
    // The number of its move's bits.
    move_bits: u32,
    // How many bits of its score come before the last block: 0, 5, 10 or 15.
    block_start: u32,
    // The bits of all blocks of its score, without the "more" bits.
    score_code: u32,
    is_valid: bool,
}

// Reads a ply from the bits of `window`: the move played on a board, and its score. `ep` is the
// en-passant target if a capture on it is legal, else empty: writers count it so.
fn read_ply(board: Board, ep: vec2<u32>, window: u32) -> Ply {
    let own = ours(board);
    let pieces = count(own);
    let piece_bits = bits_for(pieces);
    let piece = highest_bits(window, piece_bits);
    let square = nth(own, piece);
    let code = code_at(board.position, square);

    let occupied = occupied_bits(board.position);
    let is_pawn = code == PAWN;
    let seen = piece_attacks(code, square, occupied) & ~own;
    let advances = pawn_sees(board.black_moves, square, occupied, (occupied & ~own) | ep);
    let targets = select(seen, advances, is_pawn);
    // One step before promotion, all targets of a pawn are on the last rank.
    let promotes = is_pawn && !is_empty(targets & LAST_RANKS);
    // After the king's steps, castling, with the a-file's rook first. Here only the king of the
    // side to move can move.
    let rooks = set_if(code == KING_TO_MOVE, board.castling & own);
    let steps = count(targets);
    let choices = (steps + count(rooks)) << select(0u, 2u, promotes);

    let number_bits = bits_for(choices);
    let number = highest_bits(window << piece_bits, number_bits);
    let index = number >> select(0u, 2u, promotes);
    let castles = index >= steps;
    let destination = nth(select(targets, rooks, castles), select(index, index - steps, castles));
    let takes_ep = is_pawn && (bit_at(ep, destination) == 1u);
    let quiet_kind = select(KIND_NORMAL, KIND_EN_PASSANT, takes_ep);
    let kind = select(select(quiet_kind, KIND_CASTLING, castles), KIND_PROMOTION, promotes);

    let move_bits = piece_bits + number_bits;
    let score = window << move_bits;
    // The first of its "more" bits that is 0. `MORE` has those of four blocks of 5 bits
    // (movetext.wgsl).
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
    // A row of the host: one chain (bytes.wgsl).
    let index = unit_index(group, lane);
    if index >= params.units {
        return;
    }
    let chain = unit_at(index);
    // A row without a chain, which fills up a workgroup.
    if chain.count == 0u {
        return;
    }
    let stem = chain.start;
    let moves = big_endian_16(word_at(stem + STEM_BYTES));
    var board: Board;
    // The result is the two highest bits of the stem's byte 28; 3 stands for no result: a fault.
    if (chain.count > MAX_POSITIONS)
        || (moves + 1u != chain.count)
        || (chain.end < stem + MIN_CHAIN)
        || (((word_at(stem + 28u) >> 6u) & 3u) == 3u)
        || !read_stem(stem, &board) {
        put_answer(chain.first, BROKEN);
        return;
    }
    // `marked` (board.wgsl) adds the en-passant target as a black piece on an empty square.
    put_record(chain.first, marked(board), 0u);
    var played = stem_move(big_endian_16(word_at(stem + 24u)));
    // The move played, for rules that ask for it: stored only if answers have three words.
    put_played(chain.first, played);
    var at = (stem + MIN_CHAIN) * 8u;
    let end = chain.end * 8u;
    // MAX_POSITIONS is so small that all loops of a kernel together take fewer turns than the
    // 65,535 after which Lavapipe, a software driver, silently ends them (bytes.wgsl).
    for (var i = 1u; i < MAX_POSITIONS; i++) {
        if i >= chain.count {
            break;
        }
        // A stem's move may be anything: `is_playable` tests only that an own piece moves, that it
        // takes no own piece and no king, and that the kind fits. What was read by number can be
        // played, with two exceptions: castling, as the way may be blocked; and en passant after a
        // stem's move, as that pawn may have jumped over a piece, which then stands on the
        // en-passant target and may be one that must not be taken.
        var fits = true;
        if (i == 1u) || (played.kind != KIND_NORMAL) {
            fits = is_playable(board, played);
        }
        play_ply(&board, played);
        // Kings and pieces need no new count.
        fits &= stays_sound(board.position, board.black_moves);
        let ply = read_ply(board, counted_ep(board), window_at(at));
        at += ply.move_bits + ply.block_start + SCORE_BITS;
        if !(fits & ply.is_valid & (at <= end)) {
            put_answer(chain.first + i, BROKEN);
            return;
        }
        played = ply.played;
        // A block's start is 0, 5, 10 or 15. This divides by 5: the number of blocks, minus one.
        let blocks = (ply.block_start * 13u) >> 6u;
        let bits = (ply.move_bits << MOVE_BITS_AT) | (blocks << BLOCKS_AT);
        put_record(chain.first + i, marked(board), (ply.score_code << CODE_AT) | bits);
        put_played(chain.first + i, played);
    }
    if ((at + 7u) >> 3u) != chain.end {
        put_answer(chain.first + chain.count - 1u, BROKEN);
    }
}

// Stockfish's binpack: an invocation walks a chain. For each record it leaves the position and, in
// its answer, how many bits its move and its score have. Later kernels add to the answer.
//
// A chain is a *stem* of 32 bytes, which is one whole position with its move and score, the number
// of moves that follow, and the *movetext*: for each further position its move and its score, in as
// few bits as the position allows. So a chain has one record more than this number says.
// files/src/formats/binpack.rs has the layout. Every move is read as a number in a list that
// depends on the board, so positions have to be played through one after the other; different
// chains have nothing to do with each other.
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
//                   0100 and 0001 make 20, the zigzag code of 10. And 10 is the sum of this score
//                   and the one before: 10 = 30 + (-20)
//     0110 01       of White's pieces number 6, the knight on g1; of e2, f3, h3 number 1, f3
//     01010         1010 makes 10, the zigzag code of 5: 5 = -20 + 25
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
// Two kinds of moves are tested: the stem's, which may be anything, and castling, whose way may be
// blocked. En-passant captures and promotions are tested as well, although those that were read by
// their numbers cannot fail: "not a normal move" is one comparison, and to except them would take
// another one. Branches on the kind of piece would not pay: neighbouring lanes move other pieces,
// and all would wait for each other's branches (README.md).
//
// What must hold:
//
// - A chain's length is not stored, so the host guesses where it ends: at the next bytes that look
//   like a stem, after the least length that a chain with this number of moves can have
//   (files/src/formats/binpack/cut.rs). Nothing in a chain is trusted: what is wrong is marked as
//   broken, and the CPU decodes that chain and names the fault.
// - A record is written only if it is right, in the order of the chain; all after a break stay
//   without an answer, that is 0. If only the chain's end is wrong, its last answer becomes BROKEN.
// - A chain has at most MAX_POSITIONS records; the CPU does longer ones.
//
// Functions of the same name in these files take the same steps:
//
// Twin: files/src/formats/binpack/stem.rs, with the same names for lost_castling,
// castles_in_movetext.
// Twin: files/src/formats/binpack/chain.rs, with the same names for read_ply.
// Twin: files/src/formats/binpack/bits.rs, with the same names for bits_for.

// Sets of squares are two words: bit 0 of the first is a1, bit 0 of the second a5. So the first
// rank is in the lowest byte of the first word, and the eighth in the highest byte of the second.
const WHITE_CORNERS: vec2<u32> = vec2<u32>(0x81u, 0u);
const BLACK_CORNERS: vec2<u32> = vec2<u32>(0u, 0x81000000u);
const FIFTH_RANK: vec2<u32> = vec2<u32>(0u, 0xffu);
// e1 in the first word, and e8 in the second.
const E1: u32 = 0x10u;
const E8: u32 = 0x10000000u;

// A stem's move, from its 16 bits: two for the kind, six for the origin, six for the destination,
// two for the piece that a pawn becomes (0 is a knight, whose code is 2). A stem's kinds are 0
// normal, 1 promotion, 2 castling and 3 en passant. In board.wgsl they are 0, 3, 2 and 1: the
// negative modulo 4.
fn stem_move(bits: u32) -> Played {
    let kind = (4u - (bits >> 14u)) & 3u;
    return Played((bits >> 8u) & 63u, (bits >> 2u) & 63u, (bits & 3u) + 2u, kind);
}

// Reads the position of the stem at a byte into `board`; false if it is broken: if it has more than
// 32 pieces, a castling rook outside of the corners, a pawn marked for en passant where it cannot
// be, or if SEE has no meaning in it (sound.wgsl).
fn read_stem(byte: u32, board: ptr<function, Board>) -> bool {
    // Eight bytes of occupied squares, the highest byte first, so ranks 5 to 8 come first.
    // Then 16 bytes with a nibble for each piece, in the order of the squares.
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
    // `split` (lists.wgsl) makes four masks of the nibbles, one for each of their bits. `deposit`
    // moves bit i of a mask to the i-th occupied square, as the instruction PDEP does.
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
    // `bit0`, `bit1` and `bit2` of a position have the bits of our piece codes. These are the
    // stem's types plus one, so 6 for kings; but 7 for the king of the side to move, which has bit
    // 0, too.
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
    // The mark is on the pawn that has just moved by two squares; the target is behind it.
    if !is_empty(ep_pawn) {
        let pawn = lowest_square(ep_pawn);
        // Usable: an enemy pawn could just have passed it, and one of ours attacks it. Whether a
        // capture is legal, `counted_ep` asks before each ply.
        (*board).ep = usable_ep(position, is_black, pawn ^ 8u);
        // Only one pawn may be marked, and it must stand where a step of two squares ends: on the
        // fourth rank (3) if it is White's and Black is to move, else on the fifth (4).
        return (count(ep_pawn) == 1u) && ((pawn >> 3u) == select(4u, 3u, is_black));
    }
    return true;
}

// What is taken from the rooks that may castle if a move leaves and enters these squares: the
// squares themselves, and both corners of White or Black if e1 or e8 is one of them. It does not
// matter what has moved: that is the rule of the reference code, and a reader must count as it
// does.
fn lost_castling(squares: vec2<u32>) -> vec2<u32> {
    return squares
        | set_if((squares.x & E1) != 0u, WHITE_CORNERS)
        | set_if((squares.y & E8) != 0u, BLACK_CORNERS);
}

// Whether movetext can say that the king on this square castles: only on e1 and e8. There castling
// is only long or short, and other readers take the king to be there.
fn castles_in_movetext(king: u32) -> bool {
    return (king == 4u) | (king == 60u);
}

// Plays a move of a chain. After a move that cannot be played the board has no meaning:
// `decode_binpack` finds that out, and refuses the record.
fn play_ply(board: ptr<function, Board>, played: Played) {
    play(board, played);
    (*board).castling &= ~lost_castling(bit(played.origin) | bit(played.destination));
}

// The number of bits for a number below `choices`: those of the highest one, `choices - 1`, so none
// for one choice. 32 if there are no choices, since -1 has all bits. (The twin in Rust says 0 then.
// That makes no difference: `read_ply` refuses any number among no choices.)
fn bits_for(choices: u32) -> u32 {
    return firstLeadingBit(choices - 1u) + 1u;
}

// The highest bits of a word, as a number, for 0 to 31 bits. (Two shifts, as for 0 bits one shift
// by 32 would do nothing.) Without choices `bits` is 32. Then the result has no meaning, and
// `read_ply` refuses it, as no number is below 0 choices.
fn highest_bits(word: u32, bits: u32) -> u32 {
    return (word >> 1u) >> (31u - bits);
}

// A ply as read.
struct Ply {
    played: Played,
    // The number of its move's bits.
    move_bits: u32,
    // How many bits of its score come before the last block: 0, 5, 10 or 15. 32 if the score has no
    // last block.
    block_start: u32,
    // The bits of all blocks of its score, without the "more" bits: at most 16.
    score_code: u32,
    // Whether the numbers are below the numbers of choices, the score has a last block, and a king
    // that castles is on e1 or e8. Else nothing here has a meaning.
    is_valid: bool,
}

// Reads a ply from the bits of `window`: the move played on a board, and its score. `ep` is the
// en-passant target if a capture on it is legal, else empty: writers count it so.
//
// Numbers that are too high are not tested at once, as that would take branches: `nth` (reach.wgsl)
// gives some square for them, all goes on, and `is_valid` says so at the end. (The twin in Rust
// also updates score, ply and result. Here mark_chains.wgsl finds them later.)
fn read_ply(board: Board, ep: vec2<u32>, window: u32) -> Ply {
    let own = ours(board);
    let pieces = count(own);
    let piece_bits = bits_for(pieces);
    let piece = highest_bits(window, piece_bits);
    let square = nth(own, piece);
    let code = code_at(board.position, square);

    let occupied = occupied_bits(board.position);
    let is_pawn = code == PAWN;
    // What a piece other than a pawn can go to, and what a pawn can; `targets` is one of them.
    let seen = piece_attacks(code, square, occupied) & ~own;
    let advances = pawn_sees(board.black_moves, square, occupied, (occupied & ~own) | ep);
    let targets = select(seen, advances, is_pawn);
    // One step before promotion, all targets of a pawn are on the last rank.
    let promotes = is_pawn && !is_empty(targets & LAST_RANKS);
    // After the king's steps come the rooks that it may castle with, the a-file's first. `own` has
    // only the king of the side to move, whose code is KING_TO_MOVE.
    let rooks = set_if(code == KING_TO_MOVE, board.castling & own);
    let steps = count(targets);
    // A pawn that promotes has four numbers for each target. The lowest two bits are the piece.
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
    // The place of its first "more" bit that is 0. `MORE` has those of four blocks of 5 bits
    // (movetext.wgsl).
    let block_start = countLeadingZeros(~score & MORE);
    let is_valid = (piece < pieces) & (number < choices) & (!castles | castles_in_movetext(square))
        & (block_start <= MAX_BLOCK_START);
    // The promotion has a meaning only if the kind is a promotion.
    let played = Played(square, destination, (number & 3u) + 2u, kind);
    return Ply(played, move_bits, block_start, score_code(score, block_start), is_valid);
}

// Decodes a chain in each invocation: the steps are in the head. Writes the positions of its
// records, their answers and, if facts are wanted, their moves (decode.wgsl).
@compute @workgroup_size(GROUP)
fn decode_binpack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // The host has listed the chains in rows of four words, and an invocation takes the row of this
    // number. `unit_at` unpacks it: where the chain is in `raw`, which are its records, and who won
    // (bytes.wgsl).
    let index = unit_index(group, lane);
    if index >= params.own.x {
        return;
    }
    let chain = unit_at(index);
    // A row without a chain. The host adds such rows until the rows of one part of the batch fill
    // whole workgroups.
    if chain.count == 0u {
        return;
    }
    let stem = chain.start;
    let moves = big_endian_16(word_at(stem + STEM_BYTES));
    var board: Board;
    // `chain.count` is the number of records as the host has read it, from the same two bytes. The
    // result is the two highest bits of the stem's byte 28; 3 stands for no result: a fault.
    if (chain.count > MAX_POSITIONS)
        || (moves + 1u != chain.count)
        || (chain.end < stem + MIN_CHAIN)
        || (((word_at(stem + 28u) >> 6u) & 3u) == 3u)
        || !read_stem(stem, &board) {
        put_answer(chain.first, BROKEN);
        return;
    }
    var played = stem_move(big_endian_16(word_at(stem + 24u)));
    // The position and its answer, which says whether the move captures. No bits of the movetext
    // are this record's: its move and score are in the stem. `marked` (board.wgsl) adds the
    // en-passant target as a black piece on an empty square.
    put_record(chain.first, marked(board), capture_bit(board, played));
    // The move played, for rules that ask for it: stored only if answers have three words
    // (decode.wgsl).
    put_played(chain.first, played);
    // The bit that is read next, and the bit after the chain. Both are counted from the start of
    // `raw` (bytes.wgsl), the buffer that holds the bytes of all chains.
    var at = (stem + MIN_CHAIN) * 8u;
    let end = chain.end * 8u;
    // `chain.count` would be enough as a bound, as it was tested. But in the shaders every loop has
    // a constant as its bound: so one sees at once that no input can hang a device (README.md).
    // MAX_POSITIONS is as small as it is because of Lavapipe, a software driver, which ends the
    // loops of a kernel after 65,535 turns in all (bytes.wgsl).
    for (var i = 1u; i < MAX_POSITIONS; i++) {
        if i >= chain.count {
            break;
        }
        // `played` is the move of the record before: for i = 1 the stem's, which may be anything.
        // `is_playable` (board.wgsl) tests only that an own piece moves, that it takes no own piece
        // and no king, that no pawn passes over a piece, and that the kind fits. A move that was
        // read by its number passes that test, but for castling, whose way may be blocked.
        var fits = true;
        if (i == 1u) || (played.kind != KIND_NORMAL) {
            fits = is_playable(board, played);
        }
        play_ply(&board, played);
        // `stays_sound` (sound.wgsl) tests that the king of the side that has moved is not
        // attacked, and that no pawn is on a last rank. `is_sound` has also counted the kings and
        // pieces of the stem's position. No move changes the number of kings or adds a piece, so
        // that is not done again.
        fits &= stays_sound(board.position, board.black_moves);
        // The next 32 bits; a ply has at most 30. After the chain's end they are any bytes, which
        // the test of `at` finds.
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
        let code = ply.score_code << CODE_AT;
        put_record(chain.first + i, marked(board), code | bits | capture_bit(board, played));
        put_played(chain.first + i, played);
    }
    // The last bits are padded to a byte, and the next chain begins after that.
    if ((at + 7u) >> 3u) != chain.end {
        put_answer(chain.first + chain.count - 1u, BROKEN);
    }
}

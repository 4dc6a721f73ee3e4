// Encoding: decides which records a filter keeps, and makes room for the bytes of its output.
// Shared by the kernels that encode. mark_chains.wgsl marks records of chains. rewrite_games.wgsl
// has two kernels for games: one marks records, the other one leaves them out, and so splits a
// game. Host: files/src/device/output.rs.
//
// The kernel `exceed` (bounds.wgsl) has left an answer on each record. An invocation takes a unit,
// a game or a chain, and goes over its records twice. First it decides which of them are kept,
// counts them, and adds up how long the unit becomes. Then it takes room in `made` by one addition
// to a shared cursor, and writes the unit's bytes there. (Marking a game changes two bytes of a
// record, and the host has all others. So that kernel writes no text, but a bit for each record.)
//
// Example: a chain of three records with the scores 30, -20 and 25; the moves of the last two have
// 5 and 6 bits. The rules drop positions in check, and the second one is in check. (A filter either
// leaves out what rules drop, or marks it. Here it marks: the record stays, with the score 32002,
// which trainers skip.)
//
//     rule     QUANTITY_IN_CHECK, at least 0, at most 0, the reason's number
//     decide   records 0 and 2: `reason` says KEPT; kept = 2
//              record 1: the quantity is 1 > 0; its answer gets the bit REFUSED, and `sum` grows by
//              the number of the reason, plus one
//     length   a marked chain keeps all its records, since the positions after one are reached by
//              its move (to leave a record out, the CPU cuts the chain in two, binpack/select.rs):
//              record 1 stays, with the score 32002, and the score after it is coded anew. 11 bits
//              of moves, and twice 4 blocks of 5 bits for scores. What is coded is the sum of each
//              score and the one before, 32002 + 30 and 25 + 32002. That makes 51 bits, 2 words
//     room     the cursor was 100 and becomes 102: the text is at `text_at` + 100
//     result   of the chain's row: 101 (the place, plus one), 7 bytes, (sum << 16) ^ kept
//
// Other chains have taken other places meanwhile: units land in any order, and each row says where.
// The host puts them into the file's order.
//
// Counts are added to `made`, too, by part and kind. Here a *part* of the batch is a whole block of
// a file, of which a batch has several. (In files/src/formats/spec.rs a part is a part of one
// block.) Each workgroup adds up the kinds of its records in its own memory, and at its end adds
// these sums to those of its part.
//
// Why this way: one addition per unit needs no pass over all lengths before anything is written.
// The host gives `made` room for what it expects; a unit for which there is none says so, and the
// CPU does that part.
//
// What must hold:
//
// - All units of a workgroup are of one part of the batch; the host fills up the rest with rows
//   without a unit, which name their part, too.
// - Every lane of a workgroup takes part in counting, also one without a unit: there are barriers.
// - The host clears the cursor, the counts and the results. A row of results that stays 0 was not
//   written. So a place of text is stored plus one. Where there is no text, because the unit is
//   broken, keeps its bytes or is without room, there is one of the three highest numbers instead,
//   which no place reaches.
// - The host clears the marks, too: units that share a word set their bits by `atomicOr`.
// - `sum` and `kept` are compared with the counts by the host: a kernel that did not finish, or
//   counted wrongly, is noticed.
//
// `made` has, in words:
//
// | from | to | holds |
// |---|---|---|
// | 0 | 1 | the cursor: how many words of text are taken |
// | 1 | `results_at` | for each part of the batch the numbers of its records, of `KINDS` kinds |
// | `results_at` | `marks_at` | for each row of a unit three words, see `put_result` |
// | `marks_at` | `text_at` | a bit for each record of the batch, if games are marked; else nothing |
// | `text_at` | `text_end` | text; nothing, if games are marked |
//
// The table begins at the word `params.own.w` of `raw` (bytes.wgsl), the input that the host has
// sent. It has `results_at`, `marks_at`, `text_at`, `text_end`, the number of rules, and a reason.
// In a usual filter that is `KEPT`. An inverted filter keeps what rules drop, and drops all other
// records: then it is the reason that these get. Then come the rules, four words each: the number
// of a quantity, the lowest and the highest number that are kept, and the number of the reason.
//
// Functions of the same name in these files take the same steps:
//
// Twin: files/src/filter/rules.rs, with the same names for takes.

@group(0) @binding(3) var<storage, read_write> answers: array<u32>;
// Atomic as a whole, as the cursor and the counts have to be.
@group(0) @binding(4) var<storage, read_write> made: array<atomic<u32>>;

// Two bits of an answer: the position was judged; the filter does not keep the record.
const ANSWERED: u32 = 0x80000000u;
const REFUSED: u32 = 0x10000000u;

// In place of a reason, for records that no rule drops. No rule has this number.
const KEPT: u32 = 31u;
// The kinds by which a part's records are counted: with a score or without, by White's result, and
// by the reason why they are dropped (or `KEPT`). That makes 2 * 4 * 32 numbers for each part;
// `decide` has the index. A result has two bits; 3, unknown, does not occur here.
const REASONS: u32 = 32u;
const RESULTS: u32 = 4u;
const KINDS: u32 = 256u;
// The first word after the cursor.
const COUNTS_AT: u32 = 1u;

// What a trainer skips: no score.
const VALUE_NONE: i32 = 32002;

// The words of a row of results, which says what became of a unit. The first word is the place of
// its text, in words from `text_at` on, plus one; or 0, if nothing was written; or one of three
// numbers:
//
// - broken: a record was not decoded or not judged. The CPU does all units of this part;
// - unchanged: all records are kept, or marks tell which ones are not. So the host has the unit's
//   bytes already;
// - without room: there was none for its text. The CPU does all units of this part.
const RESULT_WORDS: u32 = 3u;
const UNIT_BROKEN: u32 = 0xffffffffu;
const UNIT_UNCHANGED: u32 = 0xfffffffeu;
const UNIT_WITHOUT_ROOM: u32 = 0xfffffffdu;
// A bit of a row's second word, the number of bytes: the score in the chain's stem becomes
// `VALUE_NONE`. The text of a chain does not have the stem, so the host writes that.
const STEM_MARKED: u32 = 0x80000000u;

// An entry of the table that the host has written: see the head.
fn table(entry: u32) -> u32 {
    return raw[params.own.w + entry];
}

// The word of `made` where the rows of results begin.
fn results_at() -> u32 {
    return table(0u);
}

// The word of `made` where the marks begin.
fn marks_at() -> u32 {
    return table(1u);
}

// The word of `made` where the text begins.
fn text_at() -> u32 {
    return table(2u);
}

// The word after the last one of `made` that may have text.
fn text_end() -> u32 {
    return table(3u);
}

// The rules of a filter. A rule compares a quantity of a record with two numbers, and drops the
// record if the quantity is below the first one or above the second one. The host does not give a
// filter with more rules than this to a device (files/src/device/recipe.rs). They begin after the
// table's first six entries.
const MAX_RULES: u32 = 20u;
const RULES_AT: u32 = 6u;
const RULE_WORDS: u32 = 4u;

// The numbers of the variants of `Quantity` in files/src/filter/rules.rs, which a test compares.
const QUANTITY_PLY: u32 = 0u;
const QUANTITY_PIECES: u32 = 1u;
const QUANTITY_UNSCORED: u32 = 2u;
const QUANTITY_SCORE_SIZE: u32 = 3u;
const QUANTITY_IN_CHECK: u32 = 4u;
const QUANTITY_CAPTURE: u32 = 5u;
const QUANTITY_PROMOTION: u32 = 6u;
const QUANTITY_CASTLING: u32 = 7u;
const QUANTITY_SOUND_CAPTURE: u32 = 8u;
const QUANTITY_PLAYED_SEE: u32 = 9u;
const QUANTITY_INCORRECTNESS: u32 = 10u;
const QUANTITY_SEE: u32 = 11u;
const QUANTITY_THREAT: u32 = 12u;
const QUANTITY_DOUBLE_THREAT: u32 = 13u;
const QUANTITY_PLACEHOLDER: u32 = 14u;
const QUANTITY_DECIDED_ZERO: u32 = 15u;
const QUANTITY_OPENING_SCORE: u32 = 16u;

// A record as rules see it.
struct Record {
    // The index of its answer's last word in `answers`, and that word: its bits 0 to 3 say whether
    // the side to move is in check and which bounds are exceeded; see `ANSWERED`, `CAPTURES`, and
    // README.md.
    at: u32,
    answer: u32,
    // Half-moves since the start of the game.
    ply: u32,
    // A score, and the result from the same side's view (the side to move's in a chain, White's in
    // a game): -1 lost, 0 drawn, 1 won.
    score: i32,
    result: i32,
    // The score of the first record of the unit, from either side's view.
    opening: i32,
    // Whether the score before it was far from 0: see `is_far_after`. False in the first record of
    // a unit.
    is_far: bool,
}

// If a rule needs facts, the host asks for answers of `FACTS_WORDS` = 3 words: the move and what it
// takes; its SEE; and the word at `record.at`. Else an answer is only that last word. This function
// returns the first word, the next one the second.
fn facts_of(record: Record) -> u32 {
    return answers[record.at + 1u - FACTS_WORDS];
}

// The SEE of the move played in a record.
fn played_see(record: Record) -> i32 {
    return bitcast<i32>(answers[record.at + 2u - FACTS_WORDS]);
}

// What the move played in a record takes: a number of `TAKES_` in params.wgsl, or 0.
fn takes(record: Record) -> u32 {
    return (facts_of(record) >> TAKES_AT) & 3u;
}

// Whether a record has the score that stands for none, with either sign.
fn is_unscored(record: Record) -> bool {
    return abs(record.score) == VALUE_NONE;
}

// A score further from 0 than this is far.
const FAR: i32 = 100;

// Whether a record has a score of 0 in a decided game, after one far from 0. The same rule with an
// example: files/src/filter/decided.rs.
fn is_decided_zero(record: Record) -> bool {
    return record.is_far && (record.score == 0) && (record.result != 0);
}

// `is_far` of the next record of the unit. A record that has no score, or such a zero, does not
// count.
fn is_far_after(record: Record) -> bool {
    if is_unscored(record) || is_decided_zero(record) {
        return record.is_far;
    }
    return abs(record.score) > FAR;
}

// By how much the score is wrong about the result: for a draw its distance from 0; else by how much
// it favours the side that lost.
fn incorrectness(record: Record) -> i32 {
    if record.result == 0 {
        return abs(record.score);
    }
    return max(-record.score * record.result, 0);
}

// The quantity of a record that a rule compares: a `Quantity` of files/src/filter/rules.rs, by its
// number.
fn quantity(number: u32, record: Record) -> i32 {
    switch number {
        case QUANTITY_PLY: {
            return i32(record.ply);
        }
        case QUANTITY_PIECES: {
            return i32((facts_of(record) >> PIECES_AT) & 63u);
        }
        case QUANTITY_UNSCORED: {
            return select(0, 1, is_unscored(record));
        }
        case QUANTITY_SCORE_SIZE: {
            return abs(record.score);
        }
        case QUANTITY_IN_CHECK: {
            return i32(record.answer & 1u);
        }
        case QUANTITY_CAPTURE: {
            // 2: a piece, 1: en passant, 0: neither. A rule that lets at most 0 pass drops both,
            // one that lets at most 1 pass drops only captures of pieces.
            let taken = takes(record);
            return select(select(0, 1, taken == TAKES_EN_PASSANT), 2, taken == TAKES_PIECE);
        }
        case QUANTITY_PROMOTION: {
            // The lowest three bits of a move are the piece that a pawn becomes.
            return select(0, 1, (facts_of(record) & 7u) != 0u);
        }
        case QUANTITY_CASTLING: {
            // A castling move goes to the square of the own rook.
            return select(0, 1, takes(record) == TAKES_ROOK);
        }
        case QUANTITY_SOUND_CAPTURE: {
            // The rule of the data that SFNNv9 was trained on (`SEE_GE0` in
            // files/src/filter/rules/played.rs). It drops captures with a SEE of 0 or more, and
            // those of records with a score of 0 whatever their SEE is.
            let is_sound = (record.score == 0) || (played_see(record) >= 0);
            return select(0, 1, (takes(record) == TAKES_PIECE) && is_sound);
        }
        case QUANTITY_PLAYED_SEE: {
            return played_see(record);
        }
        case QUANTITY_INCORRECTNESS: {
            return incorrectness(record);
        }
        case QUANTITY_SEE: {
            // Not the SEE: whether its bound is exceeded.
            return i32((record.answer >> 1u) & 1u);
        }
        case QUANTITY_THREAT: {
            return i32((record.answer >> 2u) & 1u);
        }
        case QUANTITY_DOUBLE_THREAT: {
            return i32((record.answer >> 3u) & 1u);
        }
        case QUANTITY_PLACEHOLDER: {
            // The decoder has left the bit that says whether the move captures. Bit 0 is "in check".
            let may_be = (record.answer & (CAPTURES | 1u)) != 0u;
            return select(0, 1, may_be && (record.score == 0));
        }
        case QUANTITY_DECIDED_ZERO: {
            return select(0, 1, is_decided_zero(record));
        }
        case QUANTITY_OPENING_SCORE: {
            return abs(record.opening);
        }
        default: {
            // Never reached: tests/see/shared.rs tests that each quantity has a case here.
            return 0;
        }
    }
}

// Why a record is dropped: the reason of the first rule that drops it; `KEPT` if none does. In an
// inverted filter the other way round.
fn reason(record: Record) -> u32 {
    let rules = table(4u);
    let inverted_reason = table(5u);
    var found = KEPT;
    for (var rule = 0u; rule < MAX_RULES; rule++) {
        if rule >= rules {
            break;
        }
        let at = RULES_AT + RULE_WORDS * rule;
        let compared = quantity(table(at), record);
        let low = bitcast<i32>(table(at + 1u));
        let high = bitcast<i32>(table(at + 2u));
        if (compared < low) || (compared > high) {
            found = table(at + 3u);
            break;
        }
    }
    if inverted_reason == KEPT {
        return found;
    }
    // An inverted filter keeps what rules drop.
    return select(KEPT, inverted_reason, found == KEPT);
}

// The numbers of records of each kind that a workgroup's units have. All of them are of one part.
var<workgroup> counted: array<atomic<u32>, KINDS>;

// Whether a record was decoded, by decode_games.wgsl or chains.wgsl, and judged, by `exceed`: its
// answer has the bits ANSWERED and DECODED (bytes.wgsl), and not BROKEN (params.wgsl).
fn is_whole(answer: u32) -> bool {
    let all = ANSWERED | DECODED;
    return (answer & (all | BROKEN)) == all;
}

// What was decided about a unit's records.
struct Decided {
    // How many are kept.
    kept: u32,
    // The sum of the reasons of the others, each plus one: the host compares it with the counts.
    sum: u32,
    // Whether a record was not decoded or not judged.
    is_broken: bool,
}

// Decides about a record of a unit, and returns whether the filter refuses it. Counts it in
// `counted` and in `decided`. If it is refused, its answer gets the bit REFUSED, by which the
// second pass over the unit's records knows it.
fn decide(record: Record, unit: Unit, decided: ptr<function, Decided>) -> bool {
    let why = reason(record);
    let refused = why != KEPT;
    // 0 with a score, 4 without, plus White's result: 0 lost, 1 drawn, 2 won (bytes.wgsl).
    let kind = select(0u, RESULTS, is_unscored(record)) + unit.result;
    atomicAdd(&counted[kind * REASONS + why], 1u);
    (*decided).kept += select(1u, 0u, refused);
    (*decided).sum += select(0u, why + 1u, refused);
    if refused {
        answers[record.at] = record.answer | REFUSED;
    }
    return refused;
}

// Whether `decide` has refused a record, by its answer.
fn is_refused(answer: u32) -> bool {
    return (answer & REFUSED) != 0u;
}

// The index in `answers` of the last word of a record's answer. An answer has `ANSWER_WORDS` words,
// which the host sets when it compiles the shader (params.wgsl): 1, or 3 if there are facts, which
// are the two words before the last one.
fn answer_at(record: u32) -> u32 {
    return ANSWER_WORDS * record + ANSWER_WORDS - 1u;
}

// Takes room for this many words of text: returns where it begins, or `text_end` if there is none.
// A chain of one record has no movetext and asks for 0 words: it needs no room, but may be given
// `text_end`, too. So callers take `text_end` for "no room" only if they have asked for words.
//
// The cursor grows also if there is no room. It does not wrap: for one record at most 10 words are
// taken, for a game of one record: 8 of a board, 1 of a move with its score, and a zero at the end.
// A batch has some millions of records.
fn take_room(words: u32) -> u32 {
    let room = text_end() - text_at();
    let at = atomicAdd(&made[0], words);
    let fits = (at <= room) && (words <= room - at);
    return select(text_end(), text_at() + at, fits);
}

// Writes a unit's row of results: where its text begins, or what became of it; the number of its
// bytes; what was decided.
fn put_result(index: u32, place: u32, bytes: u32, decided: Decided) {
    let at = results_at() + RESULT_WORDS * index;
    atomicStore(&made[at], place);
    atomicStore(&made[at + 1u], bytes);
    // A unit has at most 1536 records (`MAX_POSITIONS` in bytes.wgsl; the CPU does longer ones),
    // each with a reason below 31. So both the sum and the number of kept records fit in 16 bits,
    // and `^` is the same as `|`.
    atomicStore(&made[at + 2u], (decided.sum << 16u) ^ decided.kept);
}

// How a row of results names the word of `made` where text begins.
fn place_of(at: u32) -> u32 {
    return at - text_at() + 1u;
}

// The part of the batch to which a workgroup's units belong: that of the first one. Rows without a
// unit name their part, too.
fn part_of(group: vec3<u32>) -> u32 {
    let first = unit_index(group, 0u);
    // A dispatch has rows of `params.own.y` workgroups, and the last row may have workgroups
    // without any unit. These count nothing, so it does not matter which part they name.
    return unit_at(min(first, params.own.x - 1u)).part;
}

// Empties the workgroup's counts, before the first record is decided. All invocations must call it:
// they share the work, and wait for each other.
fn begin_counting(lane: u32) {
    for (var kind = lane; kind < KINDS; kind += GROUP) {
        atomicStore(&counted[kind], 0u);
    }
    workgroupBarrier();
}

// Adds the workgroup's counts to those of its part, after its last record was decided. All
// invocations must call it.
fn end_counting(lane: u32, part: u32) {
    workgroupBarrier();
    for (var kind = lane; kind < KINDS; kind += GROUP) {
        let number = atomicLoad(&counted[kind]);
        if number > 0u {
            atomicAdd(&made[COUNTS_AT + KINDS * part + kind], number);
        }
    }
}

// A workgroup finds the best noisy moves of GROUP sides of positions.
//
// Its invocations first take a side each and list the targets of its noisy moves, then a target
// each and list its capturers, then a move each and score it. So lanes stay busy even if positions
// differ much. Entry points: verdict.wgsl, bounds.wgsl. Host: src/gpu/program.rs. The same result:
// src/verdict.rs; the same stages on the CPU: src/simd/stages.rs.
//
// All files are joined to one shader. These names come from others:
//
//     params.wgsl     GROUP       the number of lanes of a workgroup
//                     params      what the host passes: count (of positions), groups_x, bounds
//     exchange.wgsl   INFINITE    a number above every SEE
//                     see_within  plays the exchange of one move, within a window
//     score.wgsl      CAPTURE_BITS, CAPTURE_MASK
//                                 the 15 bits of a move, from the top: origin (6), target square
//                                 (6), promotion (3)
//     position.wgsl   KNIGHT      a piece code; bishop, rook and queen have the next three
//     captures.wgsl   Generator, Target, and the functions that make them
//     settled.wgsl    Settled, settled_captures
//
// A *side* is one colour of one position, numbered SIDES * position + 0 for the side to move and +
// 1 for its opponent, as if it were to move. *Noisy* moves are captures, en passant and promotions.
// A *lane* is an invocation of the workgroup, which has GROUP of them: so in arrays with an entry
// per side, lane n looks after entry n.
//
// Example, with GROUP = 64 and SIDES = 2, so 32 positions. In the workgroup's position 2 Black has
// a pawn on c5 and White, to move, a bishop on d4 that nothing guards:
//
//     8  . . . . k . . .
//     7  . . . . . . . .
//     6  . . . . . . . .
//     5  . . p . . . . .
//     4  . . . B . . . .
//     3  . . . . . . . .
//     2  . . . . . . . .
//     1  . . . . K . . .
//
//        a b c d e f g h
//
// 1. Lanes 4 and 5 take the two sides. Lane 5 finds that Black attacks d4, square 27, and lists it:
//    `targets` gets 5 << 6 | 27. Lane 4 lists c5: 4 << 6 | 34.
// 2. Any lane takes an entry. Nobody guards d4, so the value of capturing it is known: 325, kept at
//    once in `best_see[5]`, with the move in `best_move[5]`. If it were not known, each capturer
//    would be listed: `moves` would get 5 << 15 | 34 << 9 | 27 << 3 for c5 takes d4.
// 3. Any lane would take that entry, and score it by the exchange. `atomicMax` keeps the best.
//
// Since 325 is above 0, and it is the opponent that wins it, the square d4 is noted: bit 27 of
// `won[4]` is set. `won[4]` has the squares 0 to 31 of that position, `won[5]` has 32 to 63.
//
//     clear everything
//     each lane: its side's pins, evasions, checks; the set of its targets
//     until no target waits:
//         each lane lists its targets while there is room
//         each lane takes listed targets: keeps the value of its captures if it is known;
//             skips them if they cannot matter; else lists its moves while there is room,
//             and all lanes score the list whenever it is full
//     score what is left in the list of moves
//
// Why this way: an invocation per side, without lists and barriers, took three times as long on an
// H100 (README.md). Positions have from no targets to more than ten, so most lanes would wait for a
// few.
//
// What must hold:
//
// - Every barrier is reached by all lanes, or by none: a loop with a barrier ends by a count that
//   all lanes have read together (`agreed`), never by a lane's own.
// - The result does not depend on the order in which lanes get there. The best SEE is a maximum,
//   and the best move the smallest one with that SEE. So moves are compared only when all SEEs of a
//   list are in, and the best move is forgotten when a higher SEE comes.
// - No input can hang a device: every loop counts up to a constant, also if the input is not a
//   legal position. The constants are at least as high as what any board needs, so no loop ends
//   before its work is done.
// - A lane beyond the last position looks at the last one, to reach the same barriers as the
//   others, and lists nothing.

// 1: only the side to move. 2: also the opponent, as if it were to move.
override SIDES: u32 = 1u;

// 0, for verdict.wgsl: find the best SEE and the best move. 1, for bounds.wgsl: only find out
// whether a side's best SEE exceeds its bound; the best move is not kept.
override BOUNDED: u32 = 0u;

// Entries of a full list per invocation: how many turns the lanes take over a full list. The host
// sets it (`Options::list`).
override LIST_TURNS: u32 = 4u;
// The capacity of each list. Entries that do not fit wait until the list is done.
override LIST: u32 = LIST_TURNS * GROUP;
// No best move yet: above every move, so that the minimum with it is the move.
const NO_MOVE: u32 = 0xffffffffu;
// No SEE yet: below every SEE.
const LOWEST: i32 = -INFINITE;

// Squares in a set.
const MAX_SQUARES: u32 = 64u;
// Knight, bishop, rook, queen.
const MAX_PROMOTIONS: u32 = 4u;
// Turns of the lanes over a full list. The same as LIST_TURNS, but a test demands that every loop
// counts up to a constant with MAX_ in its name, so that no input can hang a device
// (tests/see/shaders.rs).
override MAX_LIST_TURNS: u32 = LIST_TURNS;
// The most rounds of listing targets and taking them. At the worst all squares of GROUP sides are
// targets, which fill GROUP * 64 / LIST lists; one more round is for a last list that is not full.
override MAX_TARGET_TURNS: u32 = GROUP * MAX_SQUARES / LIST + 1u;
// The most rounds of listing moves and scoring them, until those of the GROUP targets of a turn are
// done. A target has at most 64 capturers with 4 moves each. Each time a full list is scored, at
// least LIST - 3 of its moves are done. Up to three entries may be scored in vain: a pawn's four
// promotions are listed together, and if only one, two or three of them fit, all four are listed
// again (list_promoting). Three more rounds: one for a last list that is not full, one as the list
// may begin with moves of earlier targets, and one that finds that nothing waits.
override MAX_MOVE_TURNS: u32 = GROUP * MAX_SQUARES * MAX_PROMOTIONS / (LIST - MAX_PROMOTIONS + 1u) + 3u;

// One entry per side. `evasions` is where pieces other than the king may go: everywhere; in check
// onto the checker or in front of it; in double check nowhere. `noisy` is the number of noisy
// moves: it is part of the verdict, and 0 says that there is no best move.
var<workgroup> pinned: array<vec2<u32>, GROUP>;
var<workgroup> evasions: array<vec2<u32>, GROUP>;
var<workgroup> in_check: array<u32, GROUP>;
var<workgroup> noisy: array<atomic<u32>, GROUP>;
var<workgroup> best_see: array<atomic<i32>, GROUP>;
var<workgroup> best_move: array<atomic<u32>, GROUP>;
// The squares where the opponent wins: 64 bits for each position, so two words, one in the entry of
// each of its sides. The entry of the side to move has the squares 0 to 31, that of the opponent
// has 32 to 63. With SIDES = 1 no squares are noted, but an array cannot be empty, so it has one
// word. With SIDES = 2 its last word is not used.
override WON: u32 = (SIDES - 1u) * GROUP + 1u;
var<workgroup> won: array<atomic<u32>, WON>;

// side << 6 | square
var<workgroup> targets: array<u32, LIST>;
var<workgroup> target_count: atomic<u32>;
// side << CAPTURE_BITS | move
var<workgroup> moves: array<u32, LIST>;
var<workgroup> move_count: atomic<u32>;
// The SEE of each listed move, while the list is scored.
var<workgroup> sees: array<i32, LIST>;
// A count that all lanes read together.
var<workgroup> agreed: u32;

// Finds the best moves of GROUP sides, from position `first` on. The entry points call it, and then
// write answers from `best_see`, `best_move`, `noisy`, `in_check` and `won`.
fn work_off_sides(first: u32, lane: u32) {
    clear(lane);
    workgroupBarrier();
    // The targets of this lane's side that are not listed yet.
    var waiting = prepare(first, lane);
    for (var turn = 0u; turn < MAX_TARGET_TURNS; turn++) {
        waiting = list_targets(lane, waiting);
        let wanted = agree_on_targets(lane);
        work_off_targets(first, lane, min(wanted, LIST));
        if wanted <= LIST {
            break;
        }
    }
    score_moves(first, lane, agree_on_moves(lane));
}

// The first of a workgroup's positions. Workgroups are numbered row by row: a dispatch is folded
// into two dimensions, `groups_x` in a row, since a device limits each dimension.
fn first_of(group: vec3<u32>) -> u32 {
    let positions_here = GROUP / SIDES;
    return (group.y * params.groups_x + group.x) * positions_here;
}

// Empties a lane's entries, and the lists.
fn clear(lane: u32) {
    atomicStore(&noisy[lane], 0u);
    atomicStore(&best_see[lane], LOWEST);
    atomicStore(&best_move[lane], NO_MOVE);
    if SIDES == 2u {
        atomicStore(&won[lane], 0u);
    }
    if lane == 0u {
        atomicStore(&target_count, 0u);
        atomicStore(&move_count, 0u);
    }
}

// The pieces of a side: of the side to move, or of the opponent.
fn pieces_of_side(position: Position, side: u32) -> vec2<u32> {
    // The king to move has code 7, the other one 6: bit 0 tells them apart.
    let black_moves = !is_empty(kings(position) & position.bit0 & position.black);
    let black = black_moves != (side % SIDES == 1u);
    return occupied_bits(position) & select(~position.black, position.black, black);
}

// The en-passant target: an empty square with the bit for black. Nothing if there is none, or for
// the opponent: only the side to move may capture there.
fn passing_of(position: Position, side: u32) -> vec2<u32> {
    let marked = lowest_bit(position.black & ~occupied_bits(position));
    return select(marked, vec2<u32>(0u), side % SIDES == 1u);
}

// The position of a side. A side beyond the last position gets the last one.
fn position_of(first: u32, side: u32) -> Position {
    return unpacked(positions[min(first + side / SIDES, params.count - 1u)]);
}

// The first stage: finds a side's pins, evasions and checks, and returns its targets.
fn prepare(first: u32, lane: u32) -> vec2<u32> {
    let position = position_of(first, lane);
    let us = pieces_of_side(position, lane);
    let generator = generator_of(position, us);
    pinned[lane] = generator.pinned;
    evasions[lane] = generator.evasions;
    in_check[lane] = select(0u, 1u, generator.in_check);
    // The opponent's lane reads below whether the side to move is in check.
    workgroupBarrier();
    let found = targets_of(position, us, generator, passing_of(position, lane));
    // A side in check cannot pass, so there is no threat. (An opponent in check, which no legal
    // position has, is treated like any side in check.)
    let mover_in_check = in_check[lane - lane % SIDES] == 1u;
    let cannot_pass = (lane % SIDES == 1u) && mover_in_check;
    let is_beyond = first + lane / SIDES >= params.count;
    return select(found, vec2<u32>(0u), cannot_pass || is_beyond);
}

// Lists targets while there is room; returns those that wait.
fn list_targets(lane: u32, waiting: vec2<u32>) -> vec2<u32> {
    var left = waiting;
    for (var i = 0u; i < MAX_SQUARES; i++) {
        if is_empty(left) {
            break;
        }
        let slot = atomicAdd(&target_count, 1u);
        if slot >= LIST {
            break;
        }
        targets[slot] = (lane << 6u) | lowest_square(left);
        left ^= lowest_bit(left);
    }
    return left;
}

// The number of listed targets, the same for all lanes; above LIST if the list is full and some
// lane has targets left. (Each such lane has counted one target that did not fit, and stopped.)
// Empties the list's count.
fn agree_on_targets(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        agreed = atomicExchange(&target_count, 0u);
    }
    return workgroupUniformLoad(&agreed);
}

// The same for moves: above LIST if one did not fit, else the number of listed moves.
fn agree_on_moves(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        agreed = atomicExchange(&move_count, 0u);
    }
    return workgroupUniformLoad(&agreed);
}

// The second stage, for all listed targets: as many turns as the list has entries per lane.
fn work_off_targets(first: u32, lane: u32, listed: u32) {
    for (var turn = 0u; turn < MAX_LIST_TURNS; turn++) {
        if turn * GROUP >= listed {
            break;
        }
        work_off_target(first, lane, turn * GROUP + lane, listed);
    }
}

// Takes one target per lane, or none if `index` is beyond the list: keeps the value of its
// captures, or lists them as moves. Scores the list of moves whenever it is full. A lane without a
// target goes on with an empty one: no capturers and no promoting pawns, so nothing is listed, and
// nothing known.
fn work_off_target(first: u32, lane: u32, index: u32, listed: u32) {
    var side = 0u;
    // The fields (captures.wgsl): square; is_capture: whether a piece stands there, so false for
    // pushes and en passant; attackers: of both sides, found only where a piece stands; capturers:
    // pieces that may capture there, also en passant, without those that promote; promoting: pawns
    // that promote there, by a push or a capture. En-passant captures are never settled, since
    // is_capture is false.
    var found = Target(0u, false, vec2<u32>(0u), vec2<u32>(0u), vec2<u32>(0u));
    // The fields (settled.wgsl): all: whether all captures that do not promote have one known
    // value; value: that value; bound: no capture that does not promote is worth more than this,
    // which is the victim's value, or INFINITE if is_capture is false or there are no capturers.
    var known = Settled(false, 0, 0);
    if index < listed {
        side = targets[index] >> 6u;
        let position = position_of(first, side);
        // The last field, `in_check`, is not looked at by target_at: `evasions` holds what follows
        // from it.
        let generator = Generator(pinned[side], evasions[side], false);
        let us = pieces_of_side(position, side);
        let square = targets[index] & 63u;
        found = target_at(position, us, generator, square, passing_of(position, side));
        known = settled_captures(position, us, found);
        atomicAdd(&noisy[side], count(found.capturers) + MAX_PROMOTIONS * count(found.promoting));
    }
    keep_settled(lane, side, found, known);
    // Of the plain captures, those of `capturers` (they do not promote), none is worth more than
    // `known.bound`. They are not listed as moves in three cases:
    // - their value is known: it was kept above;
    // - the side's best SEE is above `known.bound`, and they cannot add a square to `won`
    //   (adds_no_win). A capture adds one if the opponent makes it and its SEE is above 0. At a
    //   best SEE equal to `known.bound` they are listed, since one may be as good and the smaller
    //   move;
    // - they cannot change an answer about bounds (is_moot).
    // Promotions have values of their own, and stay.
    let adds_no_win = (side % SIDES == 0u) || (known.bound <= 0);
    if known.all || ((known.bound < atomicLoad(&best_see[side])) && adds_no_win) || is_moot(side, known.bound) {
        found.capturers = vec2<u32>(0u);
    }
    // Moves of several targets gather in one list, which is scored here only when it is full. What
    // is in it after the last turn stays for the next targets, or for the end of `work_off_sides`.
    for (var turn = 0u; turn < MAX_MOVE_TURNS; turn++) {
        // `capturers` is without the pawns in `promoting`: no pawn is listed both with a promotion
        // and without one.
        found = list_moves(side, found);
        workgroupBarrier();
        if lane == 0u {
            agreed = atomicLoad(&move_count);
        }
        let wanted = workgroupUniformLoad(&agreed);
        if wanted <= LIST {
            break;
        }
        score_moves(first, lane, agree_on_moves(lane));
    }
}

// The window of a side, from x to y: an exchange is played only until it is known where in it the
// SEE is. Inside it a SEE is exact. A value at or below its lower end says only that the SEE is no
// higher than that end, one at or above its upper end only that the SEE is no lower.
//
// To find out whether a SEE exceeds a bound b, the window from b to b + 1 suffices. If wins on two
// squares are asked about, it must also be known of each SEE of the opponent whether it is above 0.
// So then the opponent's window holds 0 and 1 as well: with a bound of 100 it is 0 to 101. The host
// computes that window (`bound_params` in src/gpu/program/layout.rs). In params.bounds, x is the
// bound of the side to move, y the opponent's (which only bounds.wgsl reads), z and w are the two
// ends of the opponent's window. A bound that is not set is INFINITE there: nothing exceeds it, and
// x + 1 does not overflow.
fn window_of(side: u32) -> vec2<i32> {
    if BOUNDED == 0u {
        return vec2<i32>(-INFINITE, INFINITE);
    }
    let own = vec2<i32>(params.bounds.x, params.bounds.x + 1);
    return select(own, params.bounds.zw, side % SIDES == 1u);
}

// Whether captures worth at most `most` cannot change an answer about bounds: none is above the
// lower end of the window, or the side to move has exceeded its bound already. (An opponent that
// has exceeded its bound goes on, since wins on other squares may count.) False for verdicts, which
// ask for exact values.
fn is_moot(side: u32, most: i32) -> bool {
    if BOUNDED == 0u {
        return false;
    }
    let window = window_of(side);
    let is_known = (side % SIDES == 0u) && (atomicLoad(&best_see[side]) >= window.y);
    return is_known || (most <= window.x);
}

// Keeps the best settled capture of each side: the highest SEE, then the smallest move with it.
// Called by all lanes at once, also by those without a target. Each lane works on two entries of
// the arrays per side. In the entry of `side`, which its target belongs to, it adds what is known
// of the target. In the entry `lane`, mostly that of another side, it clears the best move if some
// lane has raised the SEE there.
fn keep_settled(lane: u32, side: u32, found: Target, known: Settled) {
    let before = atomicLoad(&best_see[lane]);
    workgroupBarrier();
    if known.all {
        atomicMax(&best_see[side], known.value);
        note_win(side, found.square, known.value);
    }
    // For bounds no best move is kept.
    if BOUNDED == 1u {
        return;
    }
    workgroupBarrier();
    forget_beaten(lane, before);
    workgroupBarrier();
    if known.all && (known.value == atomicLoad(&best_see[side])) {
        // `value` is of the plain captures alone, all of one value: the smallest move is that of
        // the lowest capturer. Promotions are scored later, as moves.
        let smallest = packed(0u, lowest_square(found.capturers), found.square, 0u);
        atomicMin(&best_move[side], smallest);
    }
}

// Clears the best move of this lane's entry if its SEE is no longer the best: it was `before`, and
// has been raised since.
fn forget_beaten(lane: u32, before: i32) {
    if atomicLoad(&best_see[lane]) > before {
        atomicStore(&best_move[lane], NO_MOVE);
    }
}

// Lists moves while there is room; returns the target with those that wait.
fn list_moves(side: u32, found: Target) -> Target {
    var left = found;
    left.capturers = list_plain(side, found.square, found.capturers);
    left.promoting = list_promoting(side, found.square, found.promoting);
    return left;
}

// Lists one move for each of these pieces, without a promotion; returns those that wait.
fn list_plain(side: u32, square: u32, waiting: vec2<u32>) -> vec2<u32> {
    var left = waiting;
    for (var i = 0u; i < MAX_SQUARES; i++) {
        if is_empty(left) {
            break;
        }
        let slot = atomicAdd(&move_count, 1u);
        if slot >= LIST {
            break;
        }
        moves[slot] = packed(side, lowest_square(left), square, 0u);
        left ^= lowest_bit(left);
    }
    return left;
}

// Lists the four promotions of each pawn; returns the pawns that wait.
fn list_promoting(side: u32, square: u32, waiting: vec2<u32>) -> vec2<u32> {
    var left = waiting;
    for (var i = 0u; i < MAX_SQUARES; i++) {
        if is_empty(left) {
            break;
        }
        let slot = atomicAdd(&move_count, MAX_PROMOTIONS);
        for (var p = 0u; p < MAX_PROMOTIONS; p++) {
            if slot + p < LIST {
                moves[slot + p] = packed(side, lowest_square(left), square, KNIGHT + p);
            }
        }
        // Not all four fit: the pawn waits, and all four are listed anew once the list is scored.
        // The count is above LIST now, so it will be. Those that did fit are scored twice, which
        // changes neither a highest SEE nor a smallest move.
        if slot + MAX_PROMOTIONS > LIST {
            break;
        }
        left ^= lowest_bit(left);
    }
    return left;
}

// An entry of the list of moves. With `side` 0 it is the move alone.
fn packed(side: u32, origin: u32, square: u32, promotion: u32) -> u32 {
    return (side << CAPTURE_BITS) | (origin << 9u) | (square << 3u) | promotion;
}

// The third stage: scores the list of moves and keeps the best of each side: the highest SEE, then
// the smallest move with it. `wanted` is what `agree_on_moves` has returned: if some moves did not
// fit, it is above LIST.
fn score_moves(first: u32, lane: u32, wanted: u32) {
    let listed = min(wanted, LIST);
    let before = atomicLoad(&best_see[lane]);
    workgroupBarrier();
    score_listed(first, lane, listed);
    workgroupBarrier();
    if BOUNDED == 1u {
        return;
    }
    forget_beaten(lane, before);
    workgroupBarrier();
    keep_smallest(lane, listed);
    workgroupBarrier();
}

// Scores the listed moves, and keeps the highest SEE of each side.
fn score_listed(first: u32, lane: u32, listed: u32) {
    for (var turn = 0u; turn < MAX_LIST_TURNS; turn++) {
        let i = turn * GROUP + lane;
        if i >= listed {
            break;
        }
        let side = moves[i] >> CAPTURE_BITS;
        let value = see_within(position_of(first, side), moves[i] & CAPTURE_MASK, window_of(side));
        sees[i] = value;
        atomicMax(&best_see[side], value);
        note_win(side, (moves[i] >> 3u) & 63u, value);
    }
}

// Notes the square of a move of the opponent if it wins. The value tells that only if the window
// holds 0 and 1, as it does whenever wins on two squares are asked about. If they are not, the
// window may be 100 to 101: then a value of 100 may stand for a SEE below 0, and `won` is wrong.
// That does no harm: the host (`read_bounds` in src/gpu/program/answers.rs) drops that answer.
fn note_win(side: u32, square: u32, value: i32) {
    if (side % SIDES == 1u) && (value > 0) {
        atomicOr(&won[(side & ~1u) + (square >> 5u)], 1u << (square & 31u));
    }
}

// Of the listed moves whose SEE is their side's best, keeps the smallest.
fn keep_smallest(lane: u32, listed: u32) {
    for (var turn = 0u; turn < MAX_LIST_TURNS; turn++) {
        let i = turn * GROUP + lane;
        if i >= listed {
            break;
        }
        let side = moves[i] >> CAPTURE_BITS;
        if sees[i] == atomicLoad(&best_see[side]) {
            atomicMin(&best_move[side], moves[i] & CAPTURE_MASK);
        }
    }
}

// Entry point `exceed`: which bounds on SEE each position exceeds. The same result: `exceeds` in
// src/verdict.rs, and src/simd/bounds.rs, which decides most positions in another way. Host:
// src/gpu/program/answers.rs.
//
// The work is that of sides.wgsl, with BOUNDED = 1: exchanges have a window of 1 around the bound,
// what cannot exceed it is skipped, and no best move is kept. This file turns a position's two
// sides into one word:
//
//     4k3/8/8/2p5/3B4/8/8/4K3, White to move, bounds of 0 on both sides and on two squares
//     sides 4 and 5: best_see[4] is 100, best_see[5] is 325, won[4] has bit 27
//     White's bishop takes c5: 100 > 0                         ANSWER_SEE
//     Black's pawn takes d4, if it were to move: 325 > 0       ANSWER_THREAT
//     the opponent wins on one square, not on two              no ANSWER_DOUBLE_THREAT
//
// Both captures need no exchange, so their values are exact. A value that an exchange finds is
// exact only within the window: above it, it says no more than that the bound is exceeded.
//
// With ANSWER_WORDS = 3 the positions are records of a file that a decoder has put there. Then two
// words of facts stand before the answer (facts.wgsl), and a record whose played move is illegal is
// marked as broken: the CPU decodes its game or chain again, and names the fault.

// One word per position, with two words of facts before it if they are asked for. A decoder may
// have left bits in it.
const ANSWERED: u32 = 0x80000000u;
const ANSWER_IN_CHECK: u32 = 1u;
const ANSWER_SEE: u32 = 2u;
const ANSWER_THREAT: u32 = 4u;
const ANSWER_DOUBLE_THREAT: u32 = 8u;

@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

@compute @workgroup_size(GROUP)
fn exceed(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = first_of(group);
    work_off_sides(first, lane);
    if (lane < GROUP / SIDES) && (first + lane < params.count) {
        let word = ANSWER_WORDS * (first + lane);
        answers[word + ANSWER_WORDS - 1u] |= answer(SIDES * lane);
        if ANSWER_WORDS == FACTS_WORDS {
            put_facts(word, unpacked(positions[first + lane]));
        }
    }
}

// Writes the facts: to the played move, which a decoder left there, what it takes and the number of
// pieces; then its SEE. An illegal move marks the record as broken.
fn put_facts(word: u32, position: Position) {
    let played = answers[word];
    answers[word] = facts(position, played);
    if (played & HAS_MOVE) == 0u {
        return;
    }
    answers[word + 1u] = bitcast<u32>(see(position, played & CAPTURE_MASK));
    if !is_legal(position, played) {
        answers[word + 2u] |= BROKEN;
    }
}

// The answer on the position whose side to move has the number `own`.
fn answer(own: u32) -> u32 {
    let other = own + SIDES - 1u;
    var word = ANSWERED;
    if in_check[own] == 1u {
        word |= ANSWER_IN_CHECK;
    }
    if atomicLoad(&best_see[own]) > params.bounds.x {
        word |= ANSWER_SEE;
    }
    if SIDES == 1u {
        return word;
    }
    if atomicLoad(&best_see[other]) > params.bounds.y {
        word |= ANSWER_THREAT;
    }
    if count(vec2<u32>(atomicLoad(&won[own]), atomicLoad(&won[other]))) > 1u {
        word |= ANSWER_DOUBLE_THREAT;
    }
    return word;
}

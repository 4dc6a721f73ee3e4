// Entry point: which bounds on SEE each position exceeds. Twin by result: `exceeds` in
// src/verdict.rs.

// A word a position, with facts before it if they are asked for. A decoder may have added to it.
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

// Behind the move that the decoder left. A game with an illegal one is the CPU's.
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

// The answer on the position of this side, which is to move.
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

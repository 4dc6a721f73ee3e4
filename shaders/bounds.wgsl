// Entry point: which bounds on SEE each position exceeds. Twin by result: `exceeds` in
// src/verdict.rs.

// A word a position, to which a decoder may have added before.
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
        answers[first + lane] |= answer(SIDES * lane);
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

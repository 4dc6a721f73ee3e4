// Entry point `judge`: verdicts on positions, the same as by src/verdict.rs. Host:
// src/gpu/program/answers.rs.
//
// sides.wgsl finds the best noisy move of each side; here it is written. Of 4k3/8/8/3p4/4P3/8/8/4K3
// with White to move, and with the opponent's threat:
//
//     0xb0010001    written, a best move, a threat that wins on 1 square, 1 noisy move
//     100           the best SEE
//     0x46e03918    d5e4 as the threat, above e4d5 as the best move
//     100           the threat's SEE

// A verdict is four words (src/verdict/record.rs): flags, on how many squares the threat wins, and
// the number of noisy moves; the best SEE; the best move and the threat's, 16 bits each; the
// threat's SEE. The flag WRITTEN distinguishes it from words that the host cleared.
const VERDICT_WRITTEN: u32 = 0x80000000u;
const VERDICT_IN_CHECK: u32 = 0x40000000u;
const VERDICT_HAS_BEST: u32 = 0x20000000u;
const VERDICT_HAS_THREAT: u32 = 0x10000000u;
const VERDICT_THREATS_SHIFT: u32 = 16u;

@group(0) @binding(4) var<storage, read_write> verdicts: array<vec4<u32>>;

@compute @workgroup_size(GROUP)
fn judge(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = first_of(group);
    work_off_sides(first, lane);
    write(first, lane);
}

// Writes the verdict on the position with this number in the workgroup, if there is one.
fn write(first: u32, lane: u32) {
    if (lane >= GROUP / SIDES) || (first + lane >= params.count) {
        return;
    }
    let own = SIDES * lane;
    let other = own + SIDES - 1u;
    let own_moves = atomicLoad(&noisy[own]);
    let has_threat = (SIDES == 2u) && (atomicLoad(&noisy[other]) != 0u);
    var verdict = vec4<u32>(VERDICT_WRITTEN | own_moves, 0u, 0u, 0u);
    if in_check[own] == 1u {
        verdict.x |= VERDICT_IN_CHECK;
    }
    if own_moves != 0u {
        verdict.x |= VERDICT_HAS_BEST;
        verdict.y = bitcast<u32>(atomicLoad(&best_see[own]));
        verdict.z = atomicLoad(&best_move[own]);
    }
    if has_threat {
        let squares = vec2<u32>(atomicLoad(&won[own]), atomicLoad(&won[other]));
        verdict.x |= VERDICT_HAS_THREAT | (count(squares) << VERDICT_THREATS_SHIFT);
        verdict.z |= atomicLoad(&best_move[other]) << 16u;
        verdict.w = bitcast<u32>(atomicLoad(&best_see[other]));
    }
    verdicts[first + lane] = verdict;
}

// Entry point `score`: one invocation scores one move. Host: src/gpu/program.rs.
//
// Where all scores fit in 16 bits, two share a word: then the invocations of a workgroup put their
// halves into its memory, and half of them write a word each. A score of 100 is written as 0x8064,
// -225 as 0x7f1f: the lower 16 bits with the sign bit flipped.

// How many scores share a word: 2 if every score fits in 16 bits, else 1.
override SCORES_A_WORD: u32 = 1u;

// A request: a move in the lower bits, above them the index of its position in the chunk.
const CAPTURE_BITS: u32 = 15u;
const CAPTURE_MASK: u32 = 32767u;

// Scores have their sign bit flipped: a word, or half, that was cleared and not written reads
// as the smallest number of its size, which is never a SEE.
const POISON: u32 = 0x80000000u;

@group(0) @binding(2) var<storage, read> positions: array<PackedPosition>;
@group(0) @binding(3) var<storage, read> requests: array<u32>;
@group(0) @binding(4) var<storage, read_write> scores: array<u32>;

// Halves of the words that invocations write in pairs.
var<workgroup> halves: array<u32, GROUP>;

@compute @workgroup_size(GROUP)
fn score(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = (group.y * params.groups_x + group.x) * GROUP;
    let index = first + lane;
    var word = 0u;
    if index < params.count {
        let request = requests[index];
        let position = unpacked(positions[request >> CAPTURE_BITS]);
        let value = see(position, request & CAPTURE_MASK);
        word = written(value);
    }
    if SCORES_A_WORD == 1u {
        if index < params.count {
            scores[index] = word;
        }
        return;
    }
    halves[lane] = word;
    workgroupBarrier();
    let left = 2u * lane;
    if (left < GROUP) && (first + left < params.count) {
        scores[(first + left) >> 1u] = halves[left] | (halves[left + 1u] << 16u);
    }
}

// A score in its written form; one that does not fit becomes "not written".
fn written(value: i32) -> u32 {
    let word = bitcast<u32>(value) ^ POISON;
    if SCORES_A_WORD == 1u {
        return word;
    }
    let half = (bitcast<u32>(value) & 0xffffu) ^ (POISON >> 16u);
    return select(0u, half, abs(value) < 32768);
}

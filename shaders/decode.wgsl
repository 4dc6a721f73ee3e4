// Decoding of a file's own bytes: what all decoders share. A module of its own, without `score`
// and `judge`; each file of it names its twin. Host: src/gpu.

// An answer: a record that was decoded, with what its decoder adds, or one at which a unit is
// broken. The rest of a broken unit has no answers; the CPU decodes it again and names the fault.
const DECODED: u32 = 0x40000000u;

// The largest number of positions in a unit; the CPU decodes longer ones. Some drivers end a
// loop after 65,535 turns.
const MAX_POSITIONS: u32 = 32768u;

// No square, as an en-passant target.
const NO_SQUARE: u32 = 64u;

const LAST_RANKS: vec2<u32> = vec2<u32>(0x000000ffu, 0xff000000u);

// The bytes of the file, fewer than 2^29, with eight zeros or more after them; then the units,
// those with the most records first, so that neighbours end together.
@group(0) @binding(2) var<storage, read> raw: array<u32>;
@group(0) @binding(3) var<storage, read_write> decoded: array<PackedPosition>;
// Cleared by the host.
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

// A unit of several records: bytes and records from their starts to their ends.
struct Unit {
    start: u32,
    end: u32,
    first: u32,
    count: u32,
}

fn unit_at(index: u32) -> Unit {
    let at = params.units_at + 4u * index;
    return Unit(raw[at], raw[at + 1u], raw[at + 2u], raw[at + 3u]);
}

fn unit_index(group: vec3<u32>, lane: u32) -> u32 {
    return ((group.y * params.units_x) + group.x) * GROUP + lane;
}

fn put_answer(record: u32, answer: u32) {
    answers[ANSWER_WORDS * record + ANSWER_WORDS - 1u] = answer;
}

// Writes a record's position, and its answer with what its decoder adds. A verdict does not tell
// the number of pieces.
fn put_record(record: u32, position: Position, more: u32) {
    decoded[record] = PackedPosition(
        vec4<u32>(position.bit0, position.bit1),
        vec4<u32>(position.bit2, position.black),
    );
    var answer = DECODED | more;
    if ANSWER_WORDS == VERDICT_WORDS {
        answer |= count(position.bit0 | position.bit1 | position.bit2);
    }
    put_answer(record, answer);
}

// Writes a record's move, if facts are asked for; the bits are those of `Capture`.
fn put_played(record: u32, played: Played) {
    if ANSWER_WORDS == FACTS_WORDS {
        let promotion = select(0u, played.promotion, played.kind == KIND_PROMOTION);
        let squares = (played.origin << 9u) | (played.destination << 3u);
        answers[FACTS_WORDS * record] = HAS_MOVE | squares | promotion;
    }
}

// Four bytes from any byte on.
fn word_at(byte: u32) -> u32 {
    let at = byte >> 2u;
    let shift = (byte & 3u) * 8u;
    return (raw[at] >> shift) | ((raw[at + 1u] << 1u) << (31u - shift));
}

// The other order of bytes.
fn swapped(word: u32) -> u32 {
    return (((word << 8u) | (word >> 24u)) & 0x00ff00ffu)
        | (((word << 24u) | (word >> 8u)) & 0xff00ff00u);
}

// All bits of a word if it holds, else none.
fn all_if(holds: bool) -> u32 {
    return select(0u, 0xffffffffu, holds);
}

// A set if it holds, else the empty set.
fn set_if(holds: bool, squares: vec2<u32>) -> vec2<u32> {
    return select(vec2<u32>(0u), squares, holds);
}

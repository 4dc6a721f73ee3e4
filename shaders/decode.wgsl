// Decoding: the positions of a file's records, and a first word of each record's answer. What the
// kernels that decode share. Host: src/device.rs.
//
// An answer says that its record was decoded, with what its decoder adds, or that its unit is
// broken there. The rest of a broken unit has no answers; the CPU decodes it again and names the
// fault.

@group(0) @binding(3) var<storage, read_write> decoded: array<PackedPosition>;
// Cleared by the host.
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

fn put_answer(record: u32, answer: u32) {
    answers[ANSWER_WORDS * record + ANSWER_WORDS - 1u] = answer;
}

// Writes a record's position, and its answer with what its decoder adds.
fn put_record(record: u32, position: Position, more: u32) {
    decoded[record] = PackedPosition(
        vec4<u32>(position.bit0, position.bit1),
        vec4<u32>(position.bit2, position.black),
    );
    put_answer(record, DECODED | more);
}

// Writes a record's move, if facts are asked for; the bits are those of `Capture`.
fn put_played(record: u32, played: Played) {
    if ANSWER_WORDS == FACTS_WORDS {
        let promotion = select(0u, played.promotion, played.kind == KIND_PROMOTION);
        let squares = (played.origin << 9u) | (played.destination << 3u);
        answers[FACTS_WORDS * record] = HAS_MOVE | squares | promotion;
    }
}

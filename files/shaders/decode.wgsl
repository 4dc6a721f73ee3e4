// What the kernels that decode share: their bindings, and what they leave of a record. Host:
// files/src/device.rs.
//
// For each record a decoder writes its position, and the answer that says that it was decoded, with
// what the decoder adds for the encoder. If facts are wanted, it also writes the played move. In a
// unit that is broken, the first record that cannot be decoded has an answer that says so, and the
// records after it have none: the host has cleared the answers. The CPU decodes such a unit again,
// and names the fault.

@group(0) @binding(3) var<storage, read_write> decoded: array<PackedPosition>;
// Cleared by the host.
@group(0) @binding(4) var<storage, read_write> answers: array<u32>;

// Writes the answer on a record.
fn put_answer(record: u32, answer: u32) {
    answers[ANSWER_WORDS * record + ANSWER_WORDS - 1u] = answer;
}

// `CAPTURES` if the move played on a board captures, en passant too; else 0. The same for the CPU:
// `RecordFields::captures` in files/src/formats/record.rs. The move need not be playable: a pawn
// that goes to an empty square of another file counts as en passant.
fn capture_bit(board: Board, played: Played) -> u32 {
    let is_occupied = bit_at(occupied_bits(board.position), played.destination) == 1u;
    let takes_piece = is_occupied && (bit_at(ours(board), played.destination) == 0u);
    let leaves_file = ((played.origin ^ played.destination) & 7u) != 0u;
    let is_pawn = code_at(board.position, played.origin) == PAWN;
    let takes_ep = !is_occupied && is_pawn && leaves_file;
    return select(0u, CAPTURES, takes_piece || takes_ep);
}

// Writes a record's position, and its answer: that it was decoded, and the bits `more`, of which
// `capture_bit` is one.
fn put_record(record: u32, position: Position, more: u32) {
    decoded[record] = PackedPosition(
        vec4<u32>(position.bit0, position.bit1),
        vec4<u32>(position.bit2, position.black),
    );
    put_answer(record, DECODED | more);
}

// Writes the move played in a record, if facts are wanted. The bits are those of
// `PackedMove`.
fn put_played(record: u32, played: Played) {
    if ANSWER_WORDS == FACTS_WORDS {
        let promotion = select(0u, played.promotion, played.kind == KIND_PROMOTION);
        let squares = (played.origin << 9u) | (played.destination << 3u);
        answers[FACTS_WORDS * record] = HAS_MOVE | squares | promotion;
    }
}

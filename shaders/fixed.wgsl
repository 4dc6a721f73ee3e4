// Formats of 32-byte records: an invocation decodes one. Twins: `unpack` of
// src/formats/bulletformat.rs and src/formats/marlinformat.rs.

const RECORD_WORDS: u32 = 8u;

// A record's fields. The position is checked, and has no en-passant mark.
struct Fields {
    position: Position,
    unmoved: vec2<u32>,
    ep: u32,
    is_valid: bool,
}

// The fields that both formats have in common; `word` is the record's first.
fn fields(word: u32, with_unmoved: bool, black_moves: bool, result: u32, ep: u32) -> Fields {
    let squares = vec2<u32>(raw[word], raw[word + 1u]);
    let list = vec4<u32>(raw[word + 2u], raw[word + 3u], raw[word + 4u], raw[word + 5u]);
    let read = unpack(squares, list, with_unmoved, black_moves);
    let is_valid = read.is_valid && ((result & 0xffu) <= 2u) && is_sound(read.position);
    return Fields(read.position, read.unmoved, ep, is_valid);
}

fn bulletformat(word: u32) -> Fields {
    return fields(word, false, false, raw[word + 6u] >> 16u, NO_SQUARE);
}

fn marlinformat(word: u32) -> Fields {
    let turn_ep = raw[word + 6u] & 0xffu;
    let ep = turn_ep & 0x7fu;
    var found = fields(word, true, turn_ep >= 0x80u, raw[word + 7u] >> 16u, ep);
    // The third and the sixth rank.
    found.is_valid = found.is_valid && ((ep == NO_SQUARE) || ((ep & 0x78u) == 16u) || ((ep & 0x78u) == 40u));
    return found;
}

// The mark of the en-passant target, if a pawn can capture on it.
fn ep_mark(found: Fields) -> vec2<u32> {
    if found.ep == NO_SQUARE {
        return vec2<u32>(0u);
    }
    return usable_ep(found.position, black_moves(found.position), found.ep);
}

fn put_fields(record: u32, found: Fields) {
    if !found.is_valid {
        put_answer(record, BROKEN);
        return;
    }
    var position = found.position;
    position.black |= ep_mark(found);
    put_record(record, position, 0u);
}

@compute @workgroup_size(GROUP)
fn decode_bulletformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let record = unit_index(group, lane);
    if record < params.units {
        put_fields(record, bulletformat(record * RECORD_WORDS));
    }
}

@compute @workgroup_size(GROUP)
fn decode_marlinformat(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let record = unit_index(group, lane);
    if record < params.units {
        put_fields(record, marlinformat(record * RECORD_WORDS));
    }
}

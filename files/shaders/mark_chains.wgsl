// Marks records in a binpack: an invocation takes a chain. Marked records get the score
// `VALUE_NONE`, and the chain stays whole, as by `mark_positions` in
// files/src/formats/binpack/select.rs.
//
// Nothing is decoded again: the decoder has left in each answer how many bits the record's move and
// score have, and the score's code. Scores are coded as differences, each from the negated one
// before, so the score after a marked one is coded anew, too; all other bits are copied.
//
//     for each record: decide; add up the bits that its move and its score will have
//     nothing marked: the host has the chain's bytes already
//     take room for these bits, in whole words
//     for each record after the first: copy its move; copy its score, or write it anew
//
// The text that it writes is the movetext; the host has the stem and puts it before that. The first
// record's score is in the stem, so a bit of the results says that it is marked. encode.wgsl has an
// example.

// The score that a record will have, and whether that is another one than before.
struct Score {
    value: i32,
    is_new: bool,
}

// The score of a record after it was decided whether the filter refuses it.
fn marked_score(old: i32, refused: bool) -> Score {
    let value = select(old, VALUE_NONE, refused);
    return Score(value, value != old);
}

// The number of bits of a record's move.
fn bits_of_move(answer: u32) -> u32 {
    return (answer >> MOVE_BITS_AT) & 15u;
}

// The number of bits of a record's score as it is in the file.
fn bits_of_score(answer: u32) -> u32 {
    return SCORE_BITS * (((answer >> BLOCKS_AT) & 3u) + 1u);
}

// The score of a record, by its code and the score of the record before.
fn next_score(answer: u32, before: i32) -> i32 {
    return wrapped_16(from_zigzag((answer >> CODE_AT) & 0xffffu) - before);
}

// The first record, as the stem has it.
fn stem_record(chain: Unit) -> Record {
    let ply_result = big_endian_16(word_at(chain.start + 28u));
    let at = answer_at(chain.first);
    let score = from_zigzag(big_endian_16(word_at(chain.start + 26u)));
    let result = from_zigzag(ply_result >> 14u);
    return Record(at, answers[at], ply_result & 0x3fffu, score, result, score, false);
}

// Goes on to the next record of a chain.
fn next_record(record: ptr<function, Record>) {
    (*record).is_far = is_far_after(*record);
    (*record).at += ANSWER_WORDS;
    (*record).answer = answers[(*record).at];
    (*record).ply = min((*record).ply + 1u, 0xffffu);
    (*record).score = next_score((*record).answer, (*record).score);
    (*record).result = -(*record).result;
}

// Decides about all records; returns the number of bits that the movetext will have.
fn decide_chain(chain: Unit, decided: ptr<function, Decided>) -> u32 {
    var record = stem_record(chain);
    var before = Score(0, false);
    var bits = 0u;
    for (var i = 0u; i < MAX_POSITIONS; i++) {
        if i >= chain.count {
            break;
        }
        if i > 0u {
            next_record(&record);
        }
        if !is_whole(record.answer) {
            (*decided).is_broken = true;
            break;
        }
        let refused = decide(record, chain, decided);
        let score = marked_score(record.score, refused);
        if i > 0u {
            let coded = score_bits(wrapped_16(score.value + before.value)).count;
            let changes = score.is_new || before.is_new;
            bits += bits_of_move(record.answer);
            bits += select(bits_of_score(record.answer), coded, changes);
        }
        before = score;
    }
    return bits;
}

// Writes the movetext, with marks, from the word `start` of `made` on.
fn write_movetext(chain: Unit, start: u32) {
    var record = stem_record(chain);
    var before = marked_score(record.score, is_refused(record.answer));
    var text = (chain.start + MIN_CHAIN) * 8u;
    // The word that is being written, and how many of its highest bits are.
    var at = start;
    var word = 0u;
    var filled = 0u;
    for (var i = 1u; i < MAX_POSITIONS; i++) {
        if i >= chain.count {
            break;
        }
        next_record(&record);
        let move_bits = bits_of_move(record.answer);
        let all_bits = move_bits + bits_of_score(record.answer);
        let window = window_at(text);
        text += all_bits;
        let score = marked_score(record.score, is_refused(record.answer));
        let coded = score_bits(wrapped_16(score.value + before.value));
        let changes = score.is_new || before.is_new;
        before = score;
        // A ply has 5 to 30 bits, 0 to 10 of them for its move: so these shifts are in range.
        let kept_bits = select(all_bits, move_bits, changes);
        let kept = window & ~(0xffffffffu >> kept_bits);
        let count = select(all_bits, move_bits + coded.count, changes);
        let bits = kept | select(0u, coded.word >> move_bits, changes);
        word |= bits >> filled;
        if filled + count >= 32u {
            atomicStore(&made[at], swapped(word));
            at += 1u;
            word = (bits << 1u) << (31u - filled);
        }
        filled = (filled + count) & 31u;
    }
    if filled > 0u {
        atomicStore(&made[at], swapped(word));
    }
}

// Decides about a chain, writes its text if it needs one, and its row of results.
fn mark_chain(index: u32, chain: Unit) {
    var decided = Decided(0u, 0u, false);
    let bits = decide_chain(chain, &decided);
    if decided.is_broken {
        put_result(index, UNIT_BROKEN, 0u, decided);
    } else if decided.kept == chain.count {
        put_result(index, UNIT_UNCHANGED, 0u, decided);
    } else {
        let at = take_room((bits + 31u) >> 5u);
        if at >= text_end() && bits > 0u {
            put_result(index, UNIT_WITHOUT_ROOM, 0u, decided);
            return;
        }
        write_movetext(chain, at);
        let stem = select(0u, STEM_MARKED, is_refused(answers[answer_at(chain.first)]));
        put_result(index, place_of(at), ((bits + 7u) >> 3u) | stem, decided);
    }
}

@compute @workgroup_size(GROUP)
fn mark_binpack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    begin_counting(lane);
    let index = unit_index(group, lane);
    let has_unit = index < params.own.x;
    let chain = unit_at(select(0u, index, has_unit));
    if has_unit && (chain.count > 0u) {
        mark_chain(index, chain);
    }
    end_counting(lane, part_of(group));
}

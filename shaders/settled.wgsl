// What captures of one man are worth without an exchange: nobody can answer them, or
// nobody the answer. Then they win the victim, or lose the capturer for it if the
// other side likes. That is most captures. Twin: Target::settled in src/simd/noisy.rs.

struct Settled {
    // Whether all of a target's captures, promotions aside, are worth the same, and known.
    all: bool,
    value: i32,
    // What none of them is worth more than.
    bound: i32,
}

fn settled_captures(position: Position, us: vec2<u32>, found: Target) -> Settled {
    if !found.is_capture || is_empty(found.capturers) {
        return Settled(false, 0, INFINITE);
    }
    let victim = of_code(code_at(position, found.square));
    let them = occupied_bits(position) & ~us;
    // Sliders that may join: nearest behind the attackers.
    let behind = occupied_bits(position) & ~found.attackers;
    let joining = slider_attackers(position, found.square, behind) & behind;
    if is_empty((found.attackers | joining) & them) {
        return Settled(true, victim, victim);
    }
    let own = found.attackers & us;
    let is_alone = is_empty((own ^ lowest_bit(own)) | joining);
    if !(is_alone && is_answer_plain(found.square)) {
        return Settled(false, 0, victim);
    }
    let capturer = of_code(code_at(position, lowest_square(found.capturers)));
    return Settled(true, victim - max(capturer, 0), victim);
}

// Whether any defender may capture, and just captures.
fn is_answer_plain(square: u32) -> bool {
    let promotes = (INSIDE_PROMOTION == INSIDE_PROMOTION_QUEEN) && ((square < 8u) || (square >= 56u));
    return (PINS == PINS_NONE) && !promotes;
}

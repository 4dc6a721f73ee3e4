// Captures whose value needs no exchange, as for most. If nobody can recapture, the capture
// wins its victim. If nobody can answer the recapture, it also loses the capturer if the other
// side chooses. Twin: src/exchange/settled.rs.

struct Settled {
    // Whether all captures of a target, without promotions, have one known value.
    all: bool,
    value: i32,
    // An upper bound on their values.
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
    let answers = found.attackers & them;
    if is_empty(answers | (joining & them)) {
        return Settled(true, victim, victim);
    }
    let own = found.attackers & us;
    let is_alone = is_empty((own ^ lowest_bit(own)) | joining);
    let is_answered = !is_empty(may_recapture(position, answers, vec2<u32>(0u)));
    if !(is_alone && is_answered && is_answer_plain(found.square)) {
        return Settled(false, 0, victim);
    }
    let capturer = of_code(code_at(position, lowest_square(found.capturers)));
    return Settled(true, victim - max(capturer, 0), victim);
}

// Whether any defender may recapture, and just captures.
fn is_answer_plain(square: u32) -> bool {
    let promotes = (INSIDE_PROMOTION == INSIDE_PROMOTION_QUEEN) && ((square < 8u) || (square >= 56u));
    return (PINS == PINS_NONE) && !promotes;
}

// Captures whose value is known without playing the exchange, as it is for most captures.
//
// If nobody can recapture, the capture wins its victim. If somebody can, but nothing can take back,
// it also loses the capturer, unless the other side would rather not take it.
// src/exchange/settled.rs explains the rule with examples; src/simd/stages.rs and src/simd/score.rs
// have it too (`settle`). Change all four together.
//
// Twin: src/exchange/settled.rs, with the same names for is_plain_recapture.

// What is known of the captures of a target, without promotions.
struct Settled {
    // Whether all of them have one known value.
    all: bool,
    // That value.
    value: i32,
    // None of them is worth more.
    bound: i32,
}

// What is known of the captures of a target by the side that has the pieces `us`.
fn settled_captures(position: Position, us: vec2<u32>, found: Target) -> Settled {
    if !found.is_capture || is_empty(found.capturers) {
        return Settled(false, 0, INFINITE);
    }
    let victim = of_code(code_at(position, found.square));
    let them = occupied_bits(position) & ~us;
    // Sliders that may join: nearest behind the attackers.
    let behind = occupied_bits(position) & ~found.attackers;
    let joining = slider_attackers(position, found.square, behind) & behind;
    let recapturers = found.attackers & them;
    if is_empty(recapturers | (joining & them)) {
        return Settled(true, victim, victim);
    }
    let own = found.attackers & us;
    let has_no_supporters = is_empty((own ^ lowest_bit(own)) | joining);
    let is_recaptured = !is_empty(may_recapture(position, recapturers, vec2<u32>(0u)));
    if !(has_no_supporters && is_recaptured && is_plain_recapture(found.square)) {
        return Settled(false, 0, victim);
    }
    let capturer = of_code(code_at(position, lowest_square(found.capturers)));
    return Settled(true, victim - max(capturer, 0), victim);
}

// Whether every recapturer may capture on a square, and a recapture is no more than a capture: no
// pin can bar it, and no pawn becomes a queen by it.
fn is_plain_recapture(square: u32) -> bool {
    let promotes = (INSIDE_PROMOTION == INSIDE_PROMOTION_QUEEN) && ((square < 8u) || (square >= 56u));
    return (PINS == PINS_NONE) && !promotes;
}

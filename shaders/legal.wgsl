// Captures in an exchange that are strictly legal, for the profile `legal`: no side leaves its own
// king attacked, by a pinned piece or otherwise, on the board of each ply.
//
// The enemy pieces that could attack the king if nothing stood between are found once for all
// capturers of a side (`threats_to`). For each capturer it is then enough to look whether one of
// them reaches the king on the board after the capture (`exposes`).
//
// Twin: src/exchange/legal.rs, with the same names for legal_capturer, threats_to, exposes.

// Each iteration clears one attacker, and there are 64 squares.
const MAX_ATTACKERS: u32 = 64u;

// The least valuable of `all` that may capture without leaving its king attacked.
fn legal_capturer(position: Position, exchange: Exchange, all: vec2<u32>) -> Capturer {
    let king = king_of(position, exchange.side);
    let threats = threats_to(position, exchange, king);
    var own = all;
    for (var i = 0u; i < MAX_ATTACKERS; i++) {
        if is_empty(own) {
            break;
        }
        let capturer = least_valuable(position, own);
        if may_capture(position, exchange, capturer, king, threats) {
            return capturer;
        }
        own ^= capturer.bit;
    }
    return nobody();
}

// Whether this capturer may capture: a king if the square has no guard, any other piece if none of
// the `threats` attacks its king after it.
fn may_capture(
    position: Position,
    exchange: Exchange,
    capturer: Capturer,
    king: u32,
    threats: vec2<u32>,
) -> bool {
    if capturer.code >= KING {
        let guards = guards_against(position, exchange, capturer);
        return !is_empty(may_recapture(position, capturer.bit, guards));
    }
    if is_empty(threats) {
        return true;
    }
    return !exposes(position, exchange, capturer, king, threats);
}

// Enemy pieces, without the one on the target, that attack the king, or would attack it if the
// squares between were empty.
fn threats_to(position: Position, exchange: Exchange, king: u32) -> vec2<u32> {
    let diagonals = diagonal_lines(king);
    let straights = straight_lines(king);
    let all = pawn_attackers(position, king)
        | (knights(position) & masks[king].steps.xy)
        | (diagonal_sliders(position) & diagonals)
        | (straight_sliders(position) & straights);
    return all & exchange.occupied & ~exchange.side;
}

// Whether a threat attacks the king after the capture.
fn exposes(
    position: Position,
    exchange: Exchange,
    capturer: Capturer,
    king: u32,
    threats: vec2<u32>,
) -> bool {
    let occupied = (exchange.occupied ^ capturer.bit) | bit(exchange.square);
    let steps = pawns(position) | knights(position);
    let hits = steps | slider_attackers(position, king, occupied);
    return !is_empty(hits & threats);
}

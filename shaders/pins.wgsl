// Stockfish's pin rules, sf8 and sf: pinned pieces may not recapture while their pinners stand. The
// head of src/exchange/pins.rs explains both.
//
// A *sniper* is an enemy slider on a line with the king. If exactly one piece stands between, and
// it is the king's own, that piece is a *blocker*, and the sniper its *pinner*.
//
// Twin: src/exchange/pins.rs, with the same names for barred.

// Each turn of a loop clears a sniper, and at most 27 squares are on the lines of one square.
const MAX_SNIPERS: u32 = 28u;

struct Pinned {
    blockers: vec2<u32>,
    pinners: vec2<u32>,
}

// The pieces of `own` that may not recapture.
fn barred(position: Position, exchange: Exchange, own: vec2<u32>) -> vec2<u32> {
    let king = king_of(position, exchange.side);
    let diagonals = diagonal_lines(king);
    let straights = straight_lines(king);
    if is_empty(own & (diagonals | straights)) {
        return vec2<u32>(0u); // a pinned piece is on a line with its king
    }
    // On the board before the move.
    let enemies = occupied_bits(position) & ~exchange.side;
    let sliders = (diagonals & diagonal_sliders(position)) | (straights & straight_sliders(position));
    let pinned = blockers(position, exchange.side, king, sliders & enemies);
    let any_stands = !is_empty(pinned.pinners & exchange.occupied);
    let all_stand = is_empty(pinned.pinners & ~exchange.occupied);
    let in_force = select(all_stand, any_stands, PINS == PINS_SF);
    return select(vec2<u32>(0u), pinned.blockers & own, in_force);
}

// Own pieces that alone stand between the king and a sniper, and those snipers.
fn blockers(position: Position, side: vec2<u32>, king: u32, snipers: vec2<u32>) -> Pinned {
    // sf ignores other snipers in between: two on one line both pin.
    let transparent = select(vec2<u32>(0u), snipers, PINS == PINS_SF);
    let occupied = occupied_bits(position) & ~transparent;
    var pinned = Pinned(vec2<u32>(0u), vec2<u32>(0u));
    var left = snipers;
    for (var i = 0u; i < MAX_SNIPERS; i++) {
        if is_empty(left) {
            break;
        }
        let sniper = lowest_bit(left);
        let standing = between(king, lowest_square(left)) & occupied;
        let single = is_empty(standing ^ lowest_bit(standing));
        if single && !is_empty(standing & side) {
            pinned.blockers |= standing;
            pinned.pinners |= sniper;
        }
        left ^= sniper;
    }
    return pinned;
}

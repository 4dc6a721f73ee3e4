// The exchange itself: the exact SEE of one move. src/exchange.rs explains it, with an example. A
// Rust `Option` is a struct here whose first field says whether there is a value.
//
// Twin: src/exchange.rs, with the same names for see, see_within, play_first, recapture,
// next_capturer, guards_against, least_valuable, remove, king_of.
// Twin: src/values.rs, with the same names for of_code.

// The rules are constants of the pipeline, so that a rule not in use costs nothing. Numbered
// like the Rust enums.
override PINS: u32 = 0u;
override EN_PASSANT: u32 = 0u;
override FIRST_PROMOTION: u32 = 0u;
override INSIDE_PROMOTION: u32 = 0u;

const PINS_NONE: u32 = 0u;
const PINS_SF8: u32 = 1u;
const PINS_SF: u32 = 2u;
const PINS_LEGAL: u32 = 3u;
const EN_PASSANT_ZERO: u32 = 1u;
const FIRST_PROMOTION_FULL: u32 = 0u;
const FIRST_PROMOTION_ZERO: u32 = 2u;
const INSIDE_PROMOTION_QUEEN: u32 = 1u;

// Above every balance.
const INFINITE: i32 = 16777216;

// Each recapture clears one of at most 63 occupied squares, so an exchange always ends before
// this bound.
const MAX_RECAPTURES: u32 = 64u;

struct Exchange {
    // Pieces that have not moved, without the one on the target.
    occupied: vec2<u32>,
    // Pieces of both sides that attack the target now.
    attackers: vec2<u32>,
    // Squares of the side about to recapture: black's bits, or their complement.
    side: vec2<u32>,
    square: u32,
    // Piece code of the piece on the target.
    standing: u32,
}

// The state after the first move; if settled, `gain` is the value.
struct FirstMove {
    settled: bool,
    gain: i32,
    exchange: Exchange,
}

struct Recapture {
    happens: bool,
    win: i32,
}

// A capturer: its square as a bit, and its piece code. Without a bit there is none.
struct Capturer {
    bit: vec2<u32>,
    code: u32,
}

fn of_code(code: u32) -> i32 {
    return params.values[(code >> 2u) & 1u][code & 3u];
}

// The value of a move.
fn see(position: Position, capture: u32) -> i32 {
    return see_within(position, capture, vec2<i32>(-INFINITE, INFINITE));
}

// The value of a move if it is within the window that is asked for. If it is below the window, this
// is at most the lower end; if it is above, at least the upper end. The window and the balance are
// carried forward, seen from the side about to recapture.
fn see_within(position: Position, capture: u32, asked: vec2<i32>) -> i32 {
    let first = play_first(position, capture);
    if first.settled {
        return first.gain;
    }
    var exchange = first.exchange;
    var alpha = -asked.y;
    var beta = -asked.x;
    var balance = -first.gain;
    var sign = -1;
    for (var ply = 0u; ply < MAX_RECAPTURES; ply++) {
        alpha = max(alpha, balance);
        if alpha >= beta {
            return sign * beta;
        }
        let victim = recapture(position, &exchange);
        if !victim.happens {
            break;
        }
        balance = -(balance + victim.win);
        let window = vec2<i32>(-beta, -alpha);
        alpha = window.x;
        beta = window.y;
        sign = -sign;
    }
    return sign * alpha;
}

// Plays the first move.
fn play_first(position: Position, capture: u32) -> FirstMove {
    let origin = (capture >> 9u) & 63u;
    let square = (capture >> 3u) & 63u;
    let mover = code_at(position, origin);
    let victim = code_at(position, square);
    let mover_is_black = bit_at(position.black, origin) == 1u;

    var gain = of_code(victim);
    var standing = mover;
    var occupied = occupied_bits(position) & ~bit(origin) & ~bit(square);
    if (victim != 0u) && ((bit_at(position.black, square) == 1u) == mover_is_black) {
        return settled(0); // castling: the king takes its own rook
    }
    if mover >= KING {
        return settled(gain); // a king that moves first is never recaptured
    }
    if mover == PAWN {
        if (victim == 0u) && (((origin ^ square) & 7u) != 0u) {
            if EN_PASSANT == EN_PASSANT_ZERO {
                return settled(0);
            }
            gain = of_code(PAWN);
            occupied &= ~bit(square ^ 8u);
        }
        let promotion = capture & 7u;
        if promotion != 0u {
            if FIRST_PROMOTION == FIRST_PROMOTION_ZERO {
                return settled(0);
            }
            if FIRST_PROMOTION == FIRST_PROMOTION_FULL {
                gain += of_code(promotion) - of_code(PAWN);
                standing = promotion;
            }
        }
    }
    let attackers = attackers_of(position, square, occupied) & occupied;
    let side = select(position.black, ~position.black, mover_is_black);
    return FirstMove(false, gain, Exchange(occupied, attackers, side, square, standing));
}

fn settled(value: i32) -> FirstMove {
    let nobody = vec2<u32>(0u);
    return FirstMove(true, value, Exchange(nobody, nobody, nobody, 0u, 0u));
}

// Recaptures if possible: returns what is won, and switches sides.
fn recapture(position: Position, exchange: ptr<function, Exchange>) -> Recapture {
    let capturer = next_capturer(position, *exchange);
    if is_empty(capturer.bit) {
        return Recapture(false, 0);
    }
    var win = of_code((*exchange).standing);
    (*exchange).standing = capturer.code;
    let rank = (*exchange).square >> 3u;
    if (INSIDE_PROMOTION == INSIDE_PROMOTION_QUEEN)
        && (capturer.code == PAWN)
        && ((rank == 0u) || (rank == 7u)) {
        win += of_code(QUEEN) - of_code(PAWN);
        (*exchange).standing = QUEEN;
    }
    remove(position, exchange, capturer);
    (*exchange).side = ~(*exchange).side;
    return Recapture(true, win);
}

fn nobody() -> Capturer {
    return Capturer(vec2<u32>(0u), 0u);
}

// The least valuable attacker that the rules allow.
fn next_capturer(position: Position, exchange: Exchange) -> Capturer {
    var own = exchange.attackers & exchange.side;
    if is_empty(own) {
        return nobody();
    }
    if PINS == PINS_LEGAL {
        return legal_capturer(position, exchange, own);
    }
    if PINS != PINS_NONE {
        own &= ~barred(position, exchange, own);
        if is_empty(own) {
            return nobody();
        }
    }
    var capturer = least_valuable(position, own);
    let guards = guards_against(position, exchange, capturer);
    capturer.bit = may_recapture(position, capturer.bit, guards);
    return capturer;
}

// Pieces of the other side that could recapture a king.
fn guards_against(position: Position, exchange: Exchange, king: Capturer) -> vec2<u32> {
    var guards = exchange.attackers;
    if PINS == PINS_LEGAL {
        // Also through the king's square.
        let occupied = exchange.occupied ^ king.bit;
        guards |= slider_attackers(position, exchange.square, occupied) & occupied;
    }
    return guards & ~exchange.side;
}

// The least valuable piece, by type, then by square. The smallest code is found bit by bit,
// from the highest plane down.
fn least_valuable(position: Position, own: vec2<u32>) -> Capturer {
    var least = Capturer(own, 0u);
    least = without_plane(least, position.bit2);
    least = without_plane(least, position.bit1);
    least = without_plane(least, position.bit0);
    return Capturer(lowest_bit(least.bit), least.code);
}

// The squares of a set outside of a plane, or all if there are none.
fn without_plane(least: Capturer, plane: vec2<u32>) -> Capturer {
    let without = least.bit & ~plane;
    let all_inside = is_empty(without);
    return Capturer(
        select(without, least.bit, all_inside),
        (least.code << 1u) | select(0u, 1u, all_inside),
    );
}

// Removes the capturer from its square; sliders behind it join.
fn remove(position: Position, exchange: ptr<function, Exchange>, capturer: Capturer) {
    let occupied = (*exchange).occupied ^ capturer.bit;
    let square = (*exchange).square;
    var attackers = (*exchange).attackers;
    if ((capturer.code & 1u) != 0u) && (capturer.code != KING_TO_MOVE) {
        // pawn, bishop or queen
        attackers |= diagonal_attacks(square, occupied) & diagonal_sliders(position);
    }
    if (capturer.code == ROOK) || (capturer.code == QUEEN) {
        attackers |= straight_attacks(square, occupied) & straight_sliders(position);
    }
    (*exchange).occupied = occupied;
    (*exchange).attackers = attackers & occupied;
}

// The square of a side's king.
fn king_of(position: Position, side: vec2<u32>) -> u32 {
    return lowest_square(kings(position) & side);
}

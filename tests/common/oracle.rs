//! The naive SEE: recursive, on a shakmaty board, written from the rules in another style than
//! the product, so that it does not share its mistakes.

use shakmaty::{Board, Chess, Color, Move, Piece, Position as _, Role, Square};
use swaplist::{EnPassant, FirstPromotion, Pins, RecapturePromotion, Rules};

const ORDER: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// The exact SEE of a legal move.
pub fn see(chess: &Chess, m: Move, rules: &Rules) -> i32 {
    if matches!(m, Move::Castle { .. }) {
        return 0;
    }
    if m.is_en_passant() && rules.en_passant == EnPassant::Zero {
        return 0;
    }
    if m.is_promotion() && rules.first_promotion == FirstPromotion::Zero {
        return 0;
    }
    let worth = |role| rules.values.of(role);
    let mut gain = m.capture().map_or(0, worth);
    let mut standing = m.role();
    if let (Some(role), FirstPromotion::Full) = (m.promotion(), rules.first_promotion) {
        gain += worth(role) - worth(Role::Pawn);
        standing = role;
    }
    if m.role() == Role::King {
        return gain;
    }
    if rules.pins == Pins::Legal {
        let after = chess
            .clone()
            .play(m)
            .expect("the oracle is given legal moves");
        gain - best_legal(&after, m.to(), worth(standing), rules)
    } else {
        let mut board = chess.board().clone();
        board.discard_piece_at(m.from().expect("no drops"));
        if m.is_en_passant() {
            let victim = Square::from_coords(m.to().file(), m.from().unwrap().rank());
            board.discard_piece_at(victim);
        }
        let color = chess.turn();
        board.set_piece_at(
            m.to(),
            Piece {
                color,
                role: standing,
            },
        );
        gain - best(&board, chess.board(), !color, m.to(), rules)
    }
}

/// The most that `side` gains by recapturing on `square`, or 0 by stopping.
fn best(board: &Board, before: &Board, side: Color, square: Square, rules: &Rules) -> i32 {
    let barred = barred(board, before, side, square, rules.pins);
    let attackers = board.attacks_to(square, side, board.occupied());
    let Some((role, from)) = ORDER.into_iter().find_map(|role| {
        let candidates = attackers & board.by_role(role);
        let from = candidates.into_iter().find(|from| !barred.contains(from))?;
        Some((role, from))
    }) else {
        return 0;
    };
    let victim = rules
        .values
        .of(board.role_at(square).expect("something stands there"));
    let guarded = board.attacks_to(square, !side, board.occupied()).any();
    if !may_recapture(role, guarded) {
        return 0;
    }
    if role == Role::King {
        return victim.max(0); // no slider joins behind a king
    }
    let mut after = board.clone();
    after.discard_piece_at(from);
    let (standing, bonus) = promoted(role, square, rules);
    after.set_piece_at(
        square,
        Piece {
            color: side,
            role: standing,
        },
    );
    (victim + bonus - best(&after, before, !side, square, rules)).max(0)
}

/// A king may only recapture what the other side does not guard.
fn may_recapture(role: Role, guarded: bool) -> bool {
    role != Role::King || !guarded
}

fn promoted(role: Role, square: Square, rules: &Rules) -> (Role, i32) {
    let queens = rules.recapture_promotion == RecapturePromotion::Queen;
    let last = square.rank() == shakmaty::Rank::First || square.rank() == shakmaty::Rank::Eighth;
    if queens && last && role == Role::Pawn {
        (
            Role::Queen,
            rules.values.of(Role::Queen) - rules.values.of(Role::Pawn),
        )
    } else {
        (role, 0)
    }
}

/// Squares of `side`'s pieces that may not recapture under Stockfish's pin rules.
fn barred(board: &Board, before: &Board, side: Color, square: Square, pins: Pins) -> Vec<Square> {
    if pins == Pins::None {
        return Vec::new();
    }
    let mut blockers = Vec::new();
    let mut pinners = Vec::new();
    let king = before.king_of(side).expect("one king a side");
    for step in [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ] {
        let met = walk(before, king, step);
        let is_sniper = |&(_, piece): &(Square, Piece)| {
            let along = if step.0 == 0 || step.1 == 0 {
                Role::Rook
            } else {
                Role::Bishop
            };
            piece.color != side && (piece.role == along || piece.role == Role::Queen)
        };
        for (i, sniper) in met.iter().enumerate().filter(|(_, met)| is_sniper(met)) {
            let transparent = |met: &&(Square, Piece)| pins == Pins::Sf && is_sniper(met);
            let between: Vec<_> = met[..i].iter().filter(|met| !transparent(met)).collect();
            if let [(blocker, piece)] = between[..]
                && piece.color == side
            {
                blockers.push(*blocker);
                pinners.push(sniper.0);
            }
        }
    }
    let stands = |pinner: &Square| *pinner != square && board.piece_at(*pinner).is_some();
    let in_force = match pins {
        Pins::Sf8 => pinners.iter().all(stands),
        _ => pinners.iter().any(stands),
    };
    if in_force { blockers } else { Vec::new() }
}

/// The pieces on the ray from a square, nearest first.
fn walk(board: &Board, from: Square, (files, ranks): (i32, i32)) -> Vec<(Square, Piece)> {
    let mut met = Vec::new();
    let mut file = i32::from(from.file());
    let mut rank = i32::from(from.rank());
    loop {
        (file, rank) = (file + files, rank + ranks);
        if !(0..8).contains(&file) || !(0..8).contains(&rank) {
            return met;
        }
        let square = Square::new((rank * 8 + file).cast_unsigned());
        if let Some(piece) = board.piece_at(square) {
            met.push((square, piece));
        }
    }
}

/// The same over shakmaty's legal moves, one by one.
fn best_legal(chess: &Chess, square: Square, victim: i32, rules: &Rules) -> i32 {
    let queen_or_none = |m: &Move| matches!(m.promotion(), None | Some(Role::Queen));
    let capture = chess
        .legal_moves()
        .into_iter()
        .filter(|m| m.to() == square && m.is_capture() && !m.is_en_passant() && queen_or_none(m))
        .filter(|m| may_recapture(m.role(), false)) // a legal move's target is not guarded
        .min_by_key(|m| (m.role(), m.from()));
    let Some(capture) = capture else { return 0 };
    let (standing, bonus) = promoted(capture.role(), square, rules);
    let after = chess.clone().play(capture).expect("a legal move");
    let worth = rules.values.of(standing);
    (victim + bonus - best_legal(&after, square, worth, rules)).max(0)
}

/// All legal noisy moves: captures, en passant, promotions.
pub fn noisy(chess: &Chess) -> Vec<Move> {
    let mut moves: Vec<_> = chess
        .legal_moves()
        .into_iter()
        .filter(|m| m.is_conversion())
        .collect();
    moves.sort_by_key(|m| (m.from(), m.to(), m.promotion()));
    moves
}

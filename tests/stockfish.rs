//! Profiles `sf8` and `sf` against Stockfish's own loops, carried over line by
//! line from its `Position::see_ge` (GPL-3.0): a third implementation, whose form
//! nobody here chose.

mod common;

use common::{boards, oracle, real};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};
use swaplist::{Capture, PieceValues, Position, Profile, Rules};

const VALUES: PieceValues = PieceValues::STOCKFISH;

fn value(role: Option<Role>) -> i32 {
    role.map_or(0, |role| VALUES.of(role))
}

fn diagonal(board: &Board) -> Bitboard {
    board.bishops() | board.queens()
}

fn straight(board: &Board) -> Bitboard {
    board.rooks() | board.queens()
}

fn attackers_to(board: &Board, to: Square, occupied: Bitboard) -> Bitboard {
    let pawns = |color| attacks::pawn_attacks(color, to) & board.pawns();
    pawns(Color::White) & board.by_color(Color::Black)
        | pawns(Color::Black) & board.by_color(Color::White)
        | attacks::knight_attacks(to) & board.knights()
        | attacks::rook_attacks(to, occupied) & straight(board)
        | attacks::bishop_attacks(to, occupied) & diagonal(board)
        | attacks::king_attacks(to) & board.kings()
}

/// `blockersForKing[c]` and `pinners[~c]`.
fn slider_blockers(board: &Board, color: Color, current: bool) -> (Bitboard, Bitboard) {
    let king = board.king_of(color).unwrap();
    let snipers = (attacks::rook_attacks(king, Bitboard::EMPTY) & straight(board)
        | attacks::bishop_attacks(king, Bitboard::EMPTY) & diagonal(board))
        & board.by_color(!color);
    let mut occupancy = board.occupied();
    if current {
        occupancy ^= snipers;
    }
    let (mut blockers, mut pinners) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for sniper in snipers {
        let between = attacks::between(king, sniper) & occupancy;
        if (between.any() || !current) && !between.more_than_one() {
            blockers |= between;
            if (between & board.by_color(color)).any() {
                pinners.add(sniper);
            }
        }
    }
    (blockers, pinners)
}

/// Takes the least valuable attacker off the board; x-rays behind it join.
fn take_least(
    board: &Board,
    to: Square,
    of: Bitboard,
    occupied: &mut Bitboard,
    attackers: &mut Bitboard,
) -> Role {
    for role in Role::ALL {
        if let Some(from) = (of & board.by_role(role)).first() {
            if role == Role::King {
                return role;
            }
            occupied.toggle(from);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                *attackers |= attacks::bishop_attacks(to, *occupied) & diagonal(board);
            }
            if matches!(role, Role::Rook | Role::Queen) {
                *attackers |= attacks::rook_attacks(to, *occupied) & straight(board);
            }
            return role;
        }
    }
    unreachable!("there is an attacker")
}

/// Stockfish since 2019.
fn see_ge_current(chess: &Chess, m: Move, threshold: i32) -> bool {
    let Move::Normal {
        role,
        from,
        capture,
        to,
        promotion: None,
    } = m
    else {
        return 0 >= threshold;
    };
    let board = chess.board();
    let mut swap = value(capture) - threshold;
    if swap < 0 {
        return false;
    }
    swap = value(Some(role)) - swap;
    if swap <= 0 {
        return true;
    }
    let mut occupied = board.occupied() ^ Bitboard::from(from) ^ Bitboard::from(to);
    let mut stm = chess.turn();
    let mut attackers = attackers_to(board, to, occupied);
    let mut res = true;
    loop {
        stm = !stm;
        attackers &= occupied;
        let mut stm_attackers = attackers & board.by_color(stm);
        if stm_attackers.is_empty() {
            break;
        }
        let (blockers, pinners) = slider_blockers(board, stm, true);
        if (pinners & occupied).any() {
            stm_attackers &= !blockers;
            if stm_attackers.is_empty() {
                break;
            }
        }
        res = !res;
        let role = take_least(board, to, stm_attackers, &mut occupied, &mut attackers);
        if role == Role::King {
            return res ^ (attackers & !board.by_color(stm)).any();
        }
        swap = value(Some(role)) - swap;
        if swap < i32::from(res) {
            break;
        }
    }
    res
}

/// Stockfish 8.
fn see_ge_8(chess: &Chess, m: Move, threshold: i32) -> bool {
    let (role, from, to) = match m {
        Move::Castle { .. } => return 0 >= threshold,
        _ => (m.role(), m.from().unwrap(), m.to()),
    };
    let board = chess.board();
    let mut occupied = Bitboard::EMPTY;
    if m.is_en_passant() {
        occupied.add(Square::from_coords(to.file(), from.rank()));
    }
    let mut balance = value(m.capture());
    if balance < threshold {
        return false;
    }
    if role == Role::King {
        return true;
    }
    balance -= value(Some(role));
    if balance >= threshold {
        return true;
    }
    let mut relative_stm = true;
    let mut stm = !chess.turn();
    occupied ^= board.occupied() ^ Bitboard::from(from) ^ Bitboard::from(to);
    let mut attackers = attackers_to(board, to, occupied) & occupied;
    loop {
        let mut stm_attackers = attackers & board.by_color(stm);
        let (blockers, pinners) = slider_blockers(board, stm, false);
        if (pinners & !occupied).is_empty() {
            stm_attackers &= !blockers;
        }
        if stm_attackers.is_empty() {
            return relative_stm;
        }
        let victim = take_least(board, to, stm_attackers, &mut occupied, &mut attackers);
        attackers &= occupied;
        if victim == Role::King {
            return relative_stm == (attackers & board.by_color(!stm)).any();
        }
        let worth = value(Some(victim));
        balance += if relative_stm { worth } else { -worth };
        relative_stm = !relative_stm;
        if relative_stm == (balance >= threshold) {
            return relative_stm;
        }
        stm = !stm;
    }
}

/// All legal moves: quiet ones, castling and promotions too.
fn agrees(chess: &Chess) -> usize {
    let position = Position::try_from(chess).unwrap();
    let moves = chess.legal_moves();
    for &m in &moves {
        let capture = Capture::from_move(m).unwrap();
        for (profile, see_ge) in [
            (Profile::Sf, see_ge_current as fn(&Chess, Move, i32) -> bool),
            (Profile::Sf8, see_ge_8),
        ] {
            let rules = Rules::new(profile, VALUES);
            let see = rules.see(&position, capture);
            for threshold in [see, see + 1, see - 57, see + 57, 0, 1, -208, 208, 781] {
                assert_eq!(
                    see_ge(chess, m, threshold),
                    see >= threshold,
                    "{position} {m} {profile} at {threshold}, see {see}"
                );
            }
        }
    }
    moves.len()
}

#[test]
fn sf_and_sf8_are_stockfishs_own_loops() {
    let games: usize = boards::playouts(21).take(6_000).map(|c| agrees(&c)).sum();
    let dense: usize = boards::dense(21).take(12_000).map(|c| agrees(&c)).sum();
    let piled: usize = boards::piled(21).take(3_000).map(|c| agrees(&c)).sum();
    assert!(games > 100_000 && dense > 100_000 && piled > 20_000);
}

#[test]
#[ignore = "needs ../shared/data"]
fn real_data_agrees_with_stockfishs_loops() {
    let moves = real::total(agrees);
    println!("{moves} legal moves under 2 profiles");
    assert!(moves > 3_000_000, "{moves}");
}

/// The two loops are told apart: both pin rules are at work.
#[test]
fn the_two_loops_differ() {
    let differ = |chess: Chess| {
        let moves = oracle::noisy(&chess).into_iter();
        let normal = moves.filter(|m| !m.is_promotion() && !m.is_en_passant());
        normal
            .filter(|&m| see_ge_current(&chess, m, 1) != see_ge_8(&chess, m, 1))
            .count()
    };
    let differing: usize = boards::dense(22).take(60_000).map(differ).sum();
    assert!(differing > 20, "{differing}");
}

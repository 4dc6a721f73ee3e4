//! SEE with known mistakes, one at a time; correct without any.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    EarlyBreak,
    FirstVictimAgain,
    RecursesOnOrigin,
    HugeKing,
    StaticPins,
    SixteenGains,
    MoverStays,
    PawnsTurned,
    EnPassantVictimStays,
    EnPassantVictimIsNothing,
    PromotionTwice,
    PromotedIsPawn,
    CastlingTakes,
    IndexForType,
    OppositeXRaysMissed,
}
use Mistake::*;

/// Chess Programming Wiki's values.
const fn worth(role: Role) -> i32 {
    [0, 100, 325, 325, 500, 1000, 0][role as usize]
}

struct Line<'a> {
    chess: &'a Chess,
    mistake: Option<Mistake>,
    square: Square,
    occupied: Bitboard,
}

/// The value under `swap` and CPW's piece values.
pub fn see(chess: &Chess, m: Move, mistake: Option<Mistake>) -> i32 {
    let made = |one| mistake == Some(one);
    if let Move::Castle { .. } = m {
        return if made(CastlingTakes) { 500 } else { 0 };
    }
    let (mut gain, mut standing) = (m.capture().map_or(0, worth), m.role());
    if m.is_en_passant() && made(EnPassantVictimIsNothing) {
        gain = 0;
    }
    if made(IndexForType) && m.is_capture() {
        let index = m.capture().unwrap() as u32 + 1; // a table from 0 asked from 1
        gain = Role::try_from(index).map_or(0, worth);
    }
    if let Some(role) = m.promotion() {
        let times = if made(PromotionTwice) { 2 } else { 1 };
        gain += times * (worth(role) - 100);
        standing = if made(PromotedIsPawn) {
            Role::Pawn
        } else {
            role
        };
    }
    if m.role() == Role::King {
        return gain;
    }
    let mover = m.from().unwrap();
    let mut occupied = chess.board().occupied().without(mover).without(m.to());
    if m.is_en_passant() && !made(EnPassantVictimStays) {
        occupied.discard(Square::from_coords(m.to().file(), mover.rank()));
    }
    if made(MoverStays) {
        occupied.add(mover);
    }
    let mut line = Line {
        chess,
        mistake,
        square: m.to(),
        occupied,
    };
    let gains = line.gains(gain, standing, m.capture());
    fold(gains, mistake)
}

impl Line<'_> {
    /// The swap list with its speculative last entry.
    fn gains(&mut self, gain: i32, mut standing: Role, first: Option<Role>) -> Vec<i32> {
        let made = |mistake: Option<Mistake>, one| mistake == Some(one);
        let mut side = !self.chess.turn();
        let mut gains = vec![gain];
        loop {
            let victim = match (made(self.mistake, FirstVictimAgain), first) {
                (true, Some(first)) => first,
                _ => standing,
            };
            let huge = made(self.mistake, HugeKing) && victim == Role::King;
            let win = if huge { 20_000 } else { worth(victim) };
            gains.push(win - gains[gains.len() - 1]);
            let Some((role, from)) = self.capturer(side) else {
                return gains;
            };
            self.occupied.discard(from);
            standing = role;
            side = !side;
            if made(self.mistake, RecursesOnOrigin) {
                self.square = from;
            }
        }
    }

    fn capturer(&self, side: Color) -> Option<(Role, Square)> {
        let board = self.chess.board();
        let own = self.attackers(side) & !self.pinned(side);
        let role = Role::ALL
            .into_iter()
            .find(|&role| (own & board.by_role(role)).any())?;
        let guarded = self.attackers(!side).any();
        if role == Role::King && guarded && self.mistake != Some(HugeKing) {
            return None;
        }
        Some((role, (own & board.by_role(role)).first()?))
    }

    fn attackers(&self, side: Color) -> Bitboard {
        let board = self.chess.board();
        let pawns_of = if self.mistake == Some(PawnsTurned) {
            side
        } else {
            !side
        };
        let steps = attacks::pawn_attacks(pawns_of, self.square) & board.pawns()
            | attacks::knight_attacks(self.square) & board.knights()
            | attacks::king_attacks(self.square) & board.kings();
        // Own sliders could see through the squares that the other side left; not here.
        let seen = if self.mistake == Some(OppositeXRaysMissed) {
            self.occupied | board.by_color(!side)
        } else {
            self.occupied
        };
        let sliders = attacks::bishop_attacks(self.square, seen)
            & (board.bishops() | board.queens())
            | attacks::rook_attacks(self.square, seen) & (board.rooks() | board.queens());
        (steps | sliders) & board.by_color(side) & self.occupied
    }

    /// Pins of the board before the move, for the whole exchange.
    fn pinned(&self, side: Color) -> Bitboard {
        if self.mistake != Some(StaticPins) {
            return Bitboard::EMPTY;
        }
        let board = self.chess.board();
        let king = board.king_of(side).unwrap();
        let snipers = (attacks::bishop_attacks(king, Bitboard::EMPTY)
            & (board.bishops() | board.queens())
            | attacks::rook_attacks(king, Bitboard::EMPTY) & (board.rooks() | board.queens()))
            & board.by_color(!side);
        snipers
            .into_iter()
            .map(|sniper| attacks::between(king, sniper) & board.occupied())
            .filter(|between| between.count() == 1)
            .fold(Bitboard::EMPTY, |pinned, between| pinned | between)
    }
}

/// From the swap list to the value, by CPW's rule.
fn fold(mut gains: Vec<i32>, mistake: Option<Mistake>) -> i32 {
    if mistake == Some(SixteenGains) {
        gains.truncate(16);
    }
    if mistake == Some(EarlyBreak) {
        let cut = (1..gains.len()).find(|&d| (-gains[d - 1]).max(gains[d]) < 0);
        gains.truncate(cut.map_or(gains.len(), |d| d + 1));
    }
    gains.pop(); // the speculative one
    for d in (1..gains.len()).rev() {
        gains[d - 1] = -(-gains[d - 1]).max(gains[d]);
    }
    gains[0]
}

/// A comparison that is wrong for equal sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    AtVictim,
    InLoopStrict,
    InLoopLoose,
}

/// Stockfish's threshold loop, with an optional mistake.
pub fn see_ge(chess: &Chess, m: Move, threshold: i32, tie: Option<Tie>) -> bool {
    let mut swap = m.capture().map_or(0, worth) - threshold;
    if swap < i32::from(tie == Some(Tie::AtVictim)) {
        return false;
    }
    swap = worth(m.role()) - swap;
    if swap <= 0 {
        return true;
    }
    let mover = m.from().unwrap();
    let mut line = Line {
        chess,
        mistake: None,
        square: m.to(),
        occupied: chess.board().occupied().without(mover).without(m.to()),
    };
    let mut side = chess.turn();
    let mut result = 1;
    loop {
        side = !side;
        let Some((role, from)) = line.capturer_in_check_of_rule(side) else {
            return result == 1;
        };
        result ^= 1;
        if role == Role::King {
            let guarded = line.attackers(!side).any();
            return (result ^ i32::from(guarded)) == 1;
        }
        swap = worth(role) - swap;
        let lost = match tie {
            Some(Tie::InLoopStrict) => 1,
            Some(Tie::InLoopLoose) => 0,
            _ => result,
        };
        if swap < lost {
            return result == 1;
        }
        line.occupied.discard(from);
    }
}

impl Line<'_> {
    /// The least valuable attacker, including a guarded king.
    fn capturer_in_check_of_rule(&self, side: Color) -> Option<(Role, Square)> {
        let own = self.attackers(side);
        let by_role = |role| own & self.chess.board().by_role(role);
        let role = Role::ALL.into_iter().find(|&role| by_role(role).any())?;
        Some((role, by_role(role).first()?))
    }
}

/// The truth: minimax over all legal captures on the square.
pub fn minimax(chess: &Chess, m: Move) -> i32 {
    let gain = m.capture().map_or(0, worth);
    let after = chess.clone().play(m).unwrap();
    gain - best_reply(&after, m.to())
}

fn best_reply(chess: &Chess, square: Square) -> i32 {
    chess
        .legal_moves()
        .into_iter()
        .filter(|m| m.to() == square && m.is_capture())
        .map(|m| minimax(chess, m))
        .max()
        .map_or(0, |best| best.max(0))
}

/// Whether each side has at most sixteen pieces, with possible promotions.
pub fn material_is_legal(board: &Board) -> bool {
    Color::ALL.into_iter().all(|color| {
        let count = |role| (board.by_color(color) & board.by_role(role)).count();
        let promoted = [
            (Role::Knight, 2),
            (Role::Bishop, 2),
            (Role::Rook, 2),
            (Role::Queen, 1),
        ]
        .map(|(role, first)| count(role).saturating_sub(first));
        board.by_color(color).count() <= 16
            && promoted.iter().sum::<usize>() + count(Role::Pawn) <= 8
    })
}

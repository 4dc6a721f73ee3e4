//! From the captures of an exchange to its value.

use shakmaty::{Color, Role};

use super::engine::{Captures, FaultyEngine};
use super::faults::Fault;
use super::scene::Scene;
use swaplist::PieceValues;

/// What a king is worth to engines that give it a value.
const HUGE: i32 = 1_000_000;

impl FaultyEngine {
    /// The value of a scene's move with these piece values.
    pub(crate) fn value(&self, scene: &Scene, values: &PieceValues) -> i32 {
        self.fold(&self.captures(scene), values)
    }

    /// The value of an exchange.
    pub(crate) fn fold(&self, captures: &Captures, values: &PieceValues) -> i32 {
        let table = self.table(values);
        let mut wins: Vec<i32> = captures.wins.iter().map(|win| win.under(table)).collect();
        if self.has(Fault::SpeculativeGain) && captures.wins.len() > 1 {
            wins.push(captures.speculative.under(table));
        }
        wins.truncate(self.most_captures(captures.wins.len(), wins.len()));
        let worth = |role: Role| table[role as usize - 1];
        let mut value = self.settle(captures, &wins, worth(captures.mover), &table);
        if self.has(Fault::MoverAlwaysLost) && captures.mover != Role::King {
            value = wins[0] - worth(captures.mover);
        }
        let side = match captures.turn {
            Color::Black => Fault::BlackSigns,
            Color::White => Fault::WhiteSigns,
        };
        let is_wrong_sign = self.has(Fault::AllSigns) != self.has(side);
        if is_wrong_sign {
            value = -value;
        }
        if self.has(Fault::Absolute) {
            value = value.abs();
        }
        if self.has(Fault::NeverNegative) {
            value = value.max(0);
        }
        if self.has(Fault::StrictThreshold) {
            value -= 1; // the highest threshold that it says is reached
        }
        value
    }

    fn table(&self, values: &PieceValues) -> [i32; 6] {
        let [mut pawn, mut knight, mut bishop, mut rook, mut queen] = values.to_array();
        if self.has(Fault::ShiftedTable) {
            return [0, pawn, knight, bishop, rook, 0];
        }
        let [old_pawn, old_knight, _, old_rook, _] = values.to_array();
        if self.has(Fault::QueenAsRook) {
            queen = old_rook;
        }
        if self.has(Fault::RookAsKnight) {
            rook = old_knight;
        }
        if self.has(Fault::BishopAsPawn) {
            bishop = old_pawn;
        }
        if self.has(Fault::KnightAsPawn) {
            knight = old_pawn;
        }
        if self.has(Fault::PawnAsKnight) {
            pawn = old_knight;
        }
        let king = if self.has(Fault::HugeKing) { HUGE } else { 0 };
        [pawn, knight, bishop, rook, queen, king]
    }

    /// How many captures the engine sees, the first move's included, of `real` ones and those that
    /// it makes up.
    fn most_captures(&self, real: usize, all: usize) -> usize {
        let limits = [
            (Fault::NoRecaptures, 1),
            (Fault::OneRecapture, 2),
            (Fault::TwoRecaptures, 3),
            (Fault::ThreeRecaptures, 4),
            (Fault::FourRecaptures, 5),
            (Fault::FiveRecaptures, 6),
            (Fault::SixRecaptures, 7),
            (Fault::LastIgnored, real.saturating_sub(1).max(1)),
        ];
        let found = limits.iter().filter(|(fault, _)| self.has(*fault));
        found.map(|(_, limit)| *limit).fold(all, usize::min)
    }

    /// The value that the sides' choices lead to. `wins` are what the captures win.
    fn settle(&self, captures: &Captures, wins: &[i32], mover: i32, table: &[i32; 6]) -> i32 {
        let gain = wins[0];
        if self.has(Fault::GoodCaptureShortcut) && gain >= mover && gain > 0 {
            return gain;
        }
        if self.has(Fault::DefendedByCheaper) && !captures.is_guarded_by_pawn {
            return gain;
        }
        if self.has(Fault::DefendedIsLost) && captures.attackers[1] > 0 {
            return gain - mover;
        }
        if self.has(Fault::CountsAttackers) && wins.len() > 1 {
            let [own, enemy] = captures.attackers;
            return if own >= enemy { gain } else { gain - mover };
        }
        if self.has(Fault::GreedyStop) {
            return greedy(wins);
        }
        if self.has(Fault::EarlyBreak) {
            return early_break(captures, wins, table);
        }
        gain - self.rest(wins, 1)
    }

    /// What the side about to make capture `ply` wins from then on.
    fn rest(&self, wins: &[i32], ply: usize) -> i32 {
        let Some(win) = wins.get(ply) else { return 0 };
        let later = self.rest(wins, ply + 1);
        let played = if self.has(Fault::NotNegated) {
            win + later
        } else {
            win - later
        };
        let is_mover_side = ply.is_multiple_of(2);
        let may_stop = !(self.has(Fault::NoStopping)
            || is_mover_side && self.has(Fault::MoverCannotStop)
            || !is_mover_side && self.has(Fault::OpponentCannotStop));
        if may_stop { played.max(0) } else { played }
    }
}

/// The balance where a side first stops because a capture would leave it behind.
fn greedy(wins: &[i32]) -> i32 {
    let mut balance = wins[0];
    for (ply, win) in wins.iter().enumerate().skip(1) {
        let sign = if ply.is_multiple_of(2) { 1 } else { -1 };
        let next = balance + sign * win;
        if sign * next < 0 {
            break;
        }
        balance = next;
    }
    balance
}

/// The loop of CPW's page with its pruning, which "does not influence the result".
fn early_break(captures: &Captures, wins: &[i32], table: &[i32; 6]) -> i32 {
    let mut gains = vec![wins[0]];
    let speculative = captures.speculative.under(*table);
    for win in wins[1..].iter().chain([&speculative]) {
        let last = gains[gains.len() - 1];
        let gain = win - last;
        gains.push(gain);
        if gain.max(-last) < 0 {
            break;
        }
    }
    gains.pop(); // the speculative one, or that at which the loop ended
    while gains.len() > 1 {
        let last = gains.pop().unwrap_or(0);
        let before = gains.len() - 1;
        gains[before] = -(-gains[before]).max(last);
    }
    gains[0]
}

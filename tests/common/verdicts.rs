//! Verdicts by the oracle and shakmaty's legal moves.

use std::collections::HashSet;

use shakmaty::{Chess, EnPassantMode, Position as _, Square};
use swaplist::backend::Backend;
use swaplist::{Best, PackedMove, Position, Rules, Sides, Verdict};

use super::{answers, oracle};

/// The verdict, with the opponent's threat.
pub fn verdict(chess: &Chess, rules: &Rules) -> Verdict {
    let passed = passed(chess);
    let threat = passed.as_ref().map(|chess| best(chess, rules));
    let (noisy, best) = best(chess, rules);
    let threats = passed.map_or(0, |chess| squares_won(&chess, rules));
    Verdict::new(chess.is_check(), noisy, best)
        .with_threat(threat.and_then(|(_, threat)| threat), threats)
}

/// On how many squares a noisy move has a SEE above 0.
fn squares_won(chess: &Chess, rules: &Rules) -> u32 {
    let mut moves = oracle::noisy(chess);
    moves.retain(|&m| oracle::see(chess, m, rules) > 0);
    let squares: HashSet<Square> = moves.iter().map(|m| m.to()).collect();
    squares.len() as u32
}

/// The opponent to move, unless the side to move is in check and cannot pass.
fn passed(chess: &Chess) -> Option<Chess> {
    if chess.is_check() {
        return None;
    }
    let mut setup = chess.to_setup(EnPassantMode::Legal);
    setup.swap_turn();
    setup.ep_square = None;
    Some(swaplist::position::chess_from_setup(setup).expect("passing leaves no check"))
}

/// The number of noisy moves; the highest value with its smallest move.
fn best(chess: &Chess, rules: &Rules) -> (u32, Option<Best>) {
    let moves = oracle::noisy(chess);
    let scored = moves.iter().map(|&m| Best {
        see: oracle::see(chess, m, rules),
        capture: PackedMove::from_move(m).expect("no drops"),
    });
    let best = scored.max_by_key(|best| (best.see, core::cmp::Reverse(best.capture)));
    (moves.len() as u32, best)
}

/// Positions with the oracle's verdicts.
pub struct Judgement {
    positions: Vec<Position>,
    expected: Vec<(Rules, Vec<Verdict>)>,
}

impl Judgement {
    pub fn new(positions: impl Iterator<Item = Chess>, rules: &[Rules]) -> Judgement {
        let chess: Vec<_> = positions.collect();
        let judge = |rules: &Rules| {
            let verdicts = chess.iter().map(|chess| verdict(chess, rules));
            (*rules, verdicts.collect())
        };
        Judgement {
            positions: super::boards::packed(chess.iter().cloned()),
            expected: rules.iter().map(judge).collect(),
        }
    }

    /// Compares a backend's verdicts, with and without the threat; returns the number.
    pub fn check(&self, backend: &dyn Backend) -> usize {
        self.check_each(backend, &[Sides::ToMove, Sides::Both])
    }

    /// The same with the threat only: half the pipelines for a GPU to compile.
    pub fn check_with_threat(&self, backend: &dyn Backend) -> usize {
        self.check_each(backend, &[Sides::Both])
    }

    fn check_each(&self, backend: &dyn Backend, asked: &[Sides]) -> usize {
        let name = backend.name();
        for (rules, expected) in &self.expected {
            for &sides in asked {
                let verdicts = answers::verdicts(backend, &self.positions, rules, sides).unwrap();
                assert_eq!(verdicts.len(), expected.len());
                let pairs = verdicts.into_iter().zip(expected);
                for ((verdict, expected), position) in pairs.zip(&self.positions) {
                    let expected = if sides == Sides::Both {
                        *expected
                    } else {
                        expected.with_threat(None, 0)
                    };
                    assert_eq!(verdict, expected, "{name}: '{position}' under {rules}");
                }
            }
        }
        let compared = asked.len() * self.positions.len() * self.expected.len();
        eprintln!("{name}: {compared} verdicts equal the oracle's");
        compared
    }
}

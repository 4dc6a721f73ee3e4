//! Exchanges as rows and decisions.

use shakmaty::{Color, Rank, Role};

use crate::notation::{is_castling, name};
use crate::{Barred, Capture, PieceOn, Position, Profile, RecapturePromotion, Rules, Trace};

/// A move with its names and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoredMove {
    /// The move.
    pub capture: Capture,
    /// In UCI; castling by the king's squares, except in Chess960.
    pub uci: String,
    /// In SAN, without the check sign.
    pub san: String,
    /// The SEE.
    pub see: i32,
}

/// The exchange after a move, as long as anyone can capture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange {
    /// The move.
    pub first: ScoredMove,
    /// The swap list.
    pub trace: Trace,
    /// The swap list row by row: the move, the recaptures and, unless the first move settles
    /// the value, the side that cannot capture at the end.
    pub steps: Vec<Step>,
    /// Why there is no recapture, if there is none.
    pub settled: Option<&'static str>,
    /// The move's value under each profile, with these piece values.
    pub profiles: [(Profile, i32); 4],
}

/// One row of a swap list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The side.
    pub color: Color,
    /// The moving piece on its origin square; `None` in the last, speculative row.
    pub piece: Option<PieceOn>,
    /// What a promoting pawn becomes.
    pub becomes: Option<Role>,
    /// The row as text: `Black knight d7 x knight`.
    pub words: String,
    /// The value that it wins.
    pub wins: i32,
    /// The best-case gain: what it wins, minus the gain of the row before.
    pub gain: i32,
    /// The gain if both sides play best from here on; in the first row the SEE, `None` in the
    /// speculative one. A side captures only if this is more than minus the
    /// [`gain`](Step::gain) of the row before, which it has if it stops.
    pub best: Option<i32>,
    /// Barred attackers that would have captured first, with reasons.
    pub passed_over: Vec<Barred>,
}

impl Exchange {
    pub(super) fn new(position: &Position, first: ScoredMove, rules: &Rules) -> Exchange {
        let trace = rules.trace(position, first.capture);
        Exchange {
            steps: steps(position, first.capture, &trace, rules),
            settled: settled(position, first.capture, &trace),
            profiles: Profile::ALL.map(|profile| {
                let rules = Rules::new(profile, rules.values);
                (profile, rules.see(position, first.capture))
            }),
            first,
            trace,
        }
    }
}

fn steps(position: &Position, capture: Capture, trace: &Trace, rules: &Rules) -> Vec<Step> {
    let mut steps = vec![first_step(position, capture, trace.gain)];
    let queens = rules.recapture_promotion == RecapturePromotion::Queen
        && matches!(capture.to().rank(), Rank::First | Rank::Eighth);
    for recapture in &trace.recaptures {
        let PieceOn { role, square } = recapture.piece;
        let becomes = (queens && role == Role::Pawn).then_some(Role::Queen);
        let words = format!(
            "{} {square} x {}{}",
            piece(role),
            piece(recapture.victim),
            promoted(becomes)
        );
        let piece = Some(recapture.piece);
        push(&mut steps, trace, piece, becomes, &words, recapture.gain);
    }
    if let Some(gain) = trace.speculative {
        push(&mut steps, trace, None, None, "cannot capture", gain);
    }
    // CPW's `gain[d-1] = -max(-gain[d-1], gain[d])`, from the last capture on.
    let mut answer: Option<i32> = None;
    for step in steps[..=trace.recaptures.len()].iter_mut().rev() {
        let best = answer.map_or(step.gain, |answer| step.gain.min(-answer));
        step.best = Some(best);
        answer = Some(best);
    }
    steps
}

fn promoted(becomes: Option<Role>) -> String {
    becomes.map_or(String::new(), |to| format!(" = {}", piece(to)))
}

/// Appends a row after the first.
fn push(
    steps: &mut Vec<Step>,
    trace: &Trace,
    piece: Option<PieceOn>,
    becomes: Option<Role>,
    words: &str,
    gain: i32,
) {
    let ply = steps.len() - 1;
    let before = &steps[ply];
    let color = !before.color;
    steps.push(Step {
        color,
        piece,
        becomes,
        words: format!("{} {words}", name(color)),
        wins: gain + before.gain,
        gain,
        best: None,
        passed_over: trace.passed_over(ply).copied().collect(),
    });
}

fn first_step(position: &Position, capture: Capture, gain: i32) -> Step {
    let color = position.turn();
    let (from, to) = (capture.from(), capture.to());
    let mover = position.piece_at(from).map(|piece| piece.role);
    let what = if is_castling(position, capture) {
        " castles".to_owned()
    } else if let Some(victim) = position.piece_at(to) {
        format!(" x {}", piece(victim.role))
    } else if mover == Some(Role::Pawn) && from.file() != to.file() {
        " x pawn, en passant".to_owned()
    } else {
        format!(" to {to}")
    };
    let becomes = capture.promotion();
    Step {
        color,
        piece: mover.map(|role| PieceOn { role, square: from }),
        becomes,
        words: format!(
            "{} {} {from}{what}{}",
            name(color),
            mover.map_or("", piece),
            promoted(becomes)
        ),
        wins: gain,
        gain,
        best: None,
        passed_over: Vec::new(),
    }
}

fn settled(position: &Position, capture: Capture, trace: &Trace) -> Option<&'static str> {
    let mover = position.piece_at(capture.from());
    if !trace.recaptures.is_empty() {
        None
    } else if trace.speculative.is_some() {
        Some("Nobody may recapture")
    } else if is_castling(position, capture) {
        Some("Castling captures nothing and starts no exchange: it is 0")
    } else if mover.is_some_and(|piece| piece.role == Role::King) {
        Some("A king that moves legally is never recaptured")
    } else {
        Some("These rules settle the value with the first move")
    }
}

fn piece(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

//! An exchange as rows and decisions.

use shakmaty::Role;

use super::{Decision, Exchange, ScoredMove, Step};
use crate::notation::{is_castling, name};
use crate::{Capture, PieceOn, Position, Profile, Rules, Trace};

pub(super) fn exchange(position: &Position, first: ScoredMove, rules: &Rules) -> Exchange {
    let trace = rules.trace(position, first.capture);
    Exchange {
        steps: steps(position, first.capture, &trace),
        decisions: decisions(position, &trace),
        settled: settled(position, first.capture, &trace),
        profiles: Profile::ALL.map(|profile| {
            let rules = Rules::new(profile, rules.values);
            (profile, rules.see(position, first.capture))
        }),
        first,
        trace,
    }
}

fn steps(position: &Position, capture: Capture, trace: &Trace) -> Vec<Step> {
    let mut steps = vec![first_step(position, capture, trace.gain)];
    for recapture in &trace.recaptures {
        let (square, role) = (recapture.from, recapture.capturer);
        let words = format!("{} {square} x {}", piece(role), piece(recapture.victim));
        let piece = Some(PieceOn { role, square });
        push(&mut steps, trace, piece, &words, recapture.gain);
    }
    if let Some(gain) = trace.speculative {
        push(&mut steps, trace, None, "cannot capture", gain);
    }
    steps
}

/// Appends a row behind the first.
fn push(steps: &mut Vec<Step>, trace: &Trace, piece: Option<PieceOn>, words: &str, gain: i32) {
    let ply = steps.len() - 1;
    let before = &steps[ply];
    let color = !before.color;
    steps.push(Step {
        color,
        piece,
        words: format!("{} {words}", name(color)),
        wins: gain + before.gain,
        gain,
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
    let promotion = capture.promotion();
    let promotion = promotion.map_or(String::new(), |to| format!(" = {}", piece(to)));
    Step {
        color,
        piece: mover.map(|role| PieceOn { role, square: from }),
        words: format!(
            "{} {} {from}{what}{promotion}",
            name(color),
            mover.map_or("", piece)
        ),
        wins: gain,
        gain,
        passed_over: Vec::new(),
    }
}

/// CPW's `gain[d-1] = -max(-gain[d-1], gain[d])`, from the last recapture on.
fn decisions(position: &Position, trace: &Trace) -> Vec<Decision> {
    let gains = core::iter::once(trace.gain)
        .chain(trace.recaptures.iter().map(|recapture| recapture.gain))
        .collect::<Vec<_>>();
    let (turn, mut go_on) = (position.turn(), gains[gains.len() - 1]);
    let decide = |step: usize| {
        let decision = Decision {
            step,
            color: if step.is_multiple_of(2) { turn } else { !turn },
            stop: -gains[step - 1],
            go_on,
        };
        go_on = decision.value();
        decision
    };
    (1..gains.len()).rev().map(decide).collect()
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

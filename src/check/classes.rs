//! In what an engine deviates from rules.

use std::collections::BTreeMap;

use shakmaty::{Bitboard, Role, attacks};

use super::answers::Answer;
use super::claim::Claim;
use super::on_all_threads;
use super::values::see;
use crate::{PackedMove, Pins, Position, Rules, Trace};

/// A class of answers in which some disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Deviation {
    /// Its name, such as "en passant" or "x-rays are missing".
    pub class: &'static str,
    /// How many of its answers disagree.
    pub disagree: usize,
    /// How many answers it has: for "... are missing" and the like those that it makes a
    /// difference to.
    pub answers: usize,
}

/// The classes of answers that disagree with the rules, the largest first. Each answer is in one
/// class.
pub fn deviations(answers: &[Answer], rules: &Rules) -> Vec<Deviation> {
    let mut counts_by_class: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (class, agrees) in on_all_threads(answers, |answer| look(rules, answer)) {
        let [disagree, all] = counts_by_class.entry(class).or_default();
        *disagree += usize::from(!agrees);
        *all += 1;
    }
    let counts = counts_by_class
        .into_iter()
        .filter(|(_, [disagree, _])| *disagree > 0);
    let deviation = |(class, [disagree, answers]): (_, [usize; 2])| Deviation {
        class,
        disagree,
        answers,
    };
    let mut found: Vec<Deviation> = counts.map(deviation).collect();
    found.sort_by_key(|class| core::cmp::Reverse(class.disagree));
    found
}

/// The class in which [`deviations`] counts an answer.
pub fn class_of(answer: &Answer, rules: &Rules) -> &'static str {
    look(rules, answer).0
}

/// An answer's class, and whether it agrees.
fn look(rules: &Rules, answer: &Answer) -> (&'static str, bool) {
    let position = &answer.position;
    let capture = answer.capture;
    let trace = rules.trace(position, capture);
    let gains: Vec<i32> = trace.gains().collect();
    let agrees = answer.said.is(trace.value);
    let differs = |other: i32| answer.said.is(other) != agrees;
    let is_pawn = position.pawns() >> (capture.from() as u32) & 1 != 0;
    let is_straight = capture.from().file() == capture.to().file();
    let is_quiet = position.code_at(capture.to() as u32) == 0;
    let king = trace
        .recaptures
        .iter()
        .position(|by| by.piece.role == Role::King);
    let promotes = Bitboard::BACKRANKS.contains(capture.to())
        && trace
            .recaptures
            .iter()
            .any(|by| by.piece.role == Role::Pawn);
    let class = if is_pawn && is_quiet && !is_straight {
        "en passant"
    } else if without_x_rays(position, capture, &trace)
        .is_some_and(|bare| differs(rules.see(&bare, capture)))
    {
        "x-rays are missing"
    } else if capture.promotion().is_some() {
        "promotions"
    } else if promotes {
        "promotions in recaptures"
    } else if king.is_some_and(|king| differs(see(gains[..=king].iter().copied()))) {
        "the king does not recapture"
    } else if Pins::ALL
        .iter()
        .any(|&pins| differs(Rules { pins, ..*rules }.see(position, capture)))
    {
        "pins"
    } else if differs(trace.gain) {
        "recaptures are missing"
    } else if !agrees && answer.said == Claim::Value(-trace.value) {
        "wrong signs"
    } else if is_quiet {
        "moves without a capture"
    } else {
        "other captures"
    };
    (class, agrees)
}

/// The position without the pieces that only recapture through others, if there are any.
fn without_x_rays(position: &Position, played: PackedMove, trace: &Trace) -> Option<Position> {
    let mut setup = position.to_setup();
    let occupied = setup.board.occupied().without(played.from());
    let mut found = false;
    for by in &trace.recaptures {
        let between = attacks::between(by.piece.square, played.to());
        if (between & (occupied | played.from())).any() {
            setup.board.discard_piece_at(by.piece.square);
            found = true;
        }
    }
    Position::try_from(&setup).ok().filter(|_| found)
}

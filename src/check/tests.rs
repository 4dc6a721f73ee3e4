//! Fitting piece values, compared with the exchange itself.

use shakmaty::Position as _;

use super::fit::{Fit, steps};
use super::line::{Line, Table, wins};
use super::sweep::{Sweep, moved, stretch};
use super::*;
use crate::{Capture, Position};

/// Captures of the shipped sample, and some rare moves.
fn sample() -> Vec<Answer> {
    let rare = [
        "7k/2p5/8/3pP3/8/8/6B1/7K w - d6 0 1",
        "1r2k3/P1P5/8/8/8/8/8/R3K2R w KQ - 0 1",
        "3r3k/2P1P3/1B6/8/8/8/6p1/3R2KB w - - 0 1",
        "3r3k/4P3/1q6/8/7b/8/3p2K1/2R4R b - - 0 1",
    ];
    let fens = include_str!("../../data/sample.fen").lines();
    let mut all = Vec::new();
    for fen in fens.take(200).chain(rare) {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        let position = Position::try_from(fen.as_setup()).unwrap();
        let chess = crate::position::chess_from_setup(fen.into_setup()).unwrap();
        let moves = chess.legal_moves().into_iter();
        for capture in moves
            .filter(|m| m.is_conversion())
            .filter_map(Capture::from_move)
        {
            let (said, line) = (Said::Value(0), 0);
            all.push(Answer {
                position,
                capture,
                said,
                line,
            });
        }
    }
    all
}

/// For any values, also unordered or negative, under all options.
#[test]
fn a_line_has_the_exact_see() {
    let tables = [
        [100, 325, 325, 500, 1000],
        [109, 403, 435, 679, 1242],
        [900, 20, 3000, 1, 17],
        [-30, 7, -800, 30_000, 0],
    ];
    let answers = sample();
    let mut beyond_one = 0;
    for rules in candidates(PieceValues::CPW) {
        for answer in &answers {
            let (position, capture) = (answer.position, answer.capture);
            let line = Line::new(&rules, &position, capture);
            beyond_one += usize::from(line.captures().count() > 1);
            for table in tables {
                let wins = wins(table);
                let see = line.see(|capture| wins[capture]);
                let values = PieceValues::new(table).unwrap();
                let rules = Rules { values, ..rules };
                assert_eq!(
                    see,
                    rules.see(&position, capture),
                    "{rules}, {position} {capture}"
                );
            }
        }
    }
    assert!(beyond_one > 10_000, "{beyond_one}");
}

fn asked() -> Vec<Answer> {
    let own = Rules::from(PieceValues::new([109, 403, 435, 679, 1242]).unwrap());
    let ask = |(i, answer): (i32, Answer)| {
        let see = own.see(&answer.position, answer.capture);
        let threshold = see + i % 3 - 1;
        let holds = see >= threshold;
        let said = match i % 2 {
            0 => Said::Value(see),
            _ => Said::AtLeast { threshold, holds },
        };
        Answer { said, ..answer }
    };
    (0..).zip(sample()).map(ask).collect()
}

fn agreed(answers: &[Answer], table: Table) -> usize {
    let rules = Rules::from(PieceValues::new(table).unwrap());
    let agreed = answers.iter().filter(|answer| answer.agrees(&rules));
    agreed.count()
}

#[test]
fn a_sweep_counts_what_agrees_at_every_step() {
    let answers = asked();
    let fit = Fit::new(&Rules::SWAP, &answers);
    let steps = steps(5);
    assert_eq!(steps.len(), 121);
    for table in [[109, 403, 435, 679, 1242], [10, 20, 1000, 400, 5]] {
        for step in steps.iter().step_by(7).chain([&[3, -2, 1, 0, 5]]) {
            let sweep = Sweep::new(&fit.groups, &table, step);
            let ends = [*sweep.steps.start(), *sweep.steps.end()];
            let near = [-300, -105, -2, -1, 0, 1, 2, 97, 250];
            let within = near.into_iter().filter(|t| sweep.steps.contains(t));
            for t in within.chain(ends) {
                let counted = sweep.agreed[t.abs_diff(ends[0]) as usize];
                let there = moved(&table, step, t);
                let agreed = agreed(&answers, there);
                assert_eq!(usize::try_from(counted), Ok(agreed), "{there:?}");
            }
        }
    }
}

/// A stretch ends where the first answer turns.
#[test]
fn a_stretch_ends_where_an_answer_turns() {
    let mut answers = asked();
    answers.retain(|answer| matches!(answer.said, Said::AtLeast { .. }));
    answers.truncate(60);
    let table = [109, 403, 435, 679, 1242];
    let tight = Fit::new(&Rules::SWAP, &answers).tight(&table);
    for step in steps(5) {
        let [back, forth] = stretch(&tight, &table, &step);
        let all = Sweep::new(&[], &table, &step).steps;
        for (t, end, on) in [(back, all.start(), -1), (forth, all.end(), 1)] {
            assert_eq!(agreed(&answers, moved(&table, &step, t)), 60);
            let past = moved(&table, &step, if t == *end { 0 } else { t + on });
            assert_eq!(agreed(&answers, past) < 60, t != *end, "{step:?} {t}");
        }
    }
}

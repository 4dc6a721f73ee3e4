//! The benchmark's positions and the CPU's part of it.

use std::cell::RefCell;

use serde_json::json;
use swaplist::backend::{Backend as _, Cpu, Question};
use swaplist::{Position, Sides, Verdict, noisy_moves};
use swaplist_files::formats::Format;

use crate::gpu::{self, Work};
use crate::{Answer, Failure, number, taken};

thread_local!(static POSITIONS: RefCell<Vec<Position>> = RefCell::default());

fn with_sample<T>(run: impl FnOnce(&[Position]) -> T) -> Answer<T> {
    POSITIONS.with_borrow(|positions| {
        if positions.is_empty() {
            return Err(Failure(
                json!({ "field": "", "error": "no sample was read" }),
            ));
        }
        Ok(run(positions))
    })
}

/// Takes a binpack whose positions are repeated; returns their number.
#[unsafe(no_mangle)]
pub extern "C" fn read_sample() -> i32 {
    number(|| {
        let bytes = taken();
        let positions: Vec<Position> = Format::Binpack
            .records(&bytes[..])
            .map(|entry| Ok(entry?.position))
            .collect::<Answer<_>>()?;
        POSITIONS.set(positions);
        POSITIONS.with_borrow(|positions| Ok(positions.len()))
    })
}

/// Puts a question together: it repeats the sample from the position `first` on, until there are
/// `count` positions to be judged or, unless `scores` is 0, moves to be scored. Returns how many there
/// are.
#[unsafe(no_mangle)]
pub extern "C" fn fill(first: usize, count: usize, scores: u32) -> i32 {
    number(|| {
        with_sample(|sample| {
            let endless = sample.iter().copied().cycle().skip(first % sample.len());
            gpu::with(|work| {
                if scores == 0 {
                    work.positions.clear();
                    work.positions.extend(endless.take(count));
                    return work.positions.len();
                }
                work.batch.clear();
                for position in endless {
                    if work.batch.len() >= count {
                        break;
                    }
                    work.batch.push(position, noisy_moves(&position));
                }
                work.batch.len()
            })
        })
    })
}

/// Sets the rules of the CPU's work.
#[unsafe(no_mangle)]
pub extern "C" fn cpu_rules() -> i32 {
    number(|| {
        let asked: crate::rules::RulesOf = crate::asked()?;
        let rules = asked.rules()?;
        gpu::with(|work| work.rules = rules);
        Ok(0)
    })
}

/// Answers the question that [`fill`] has put together on the CPU, on this thread. Returns the number
/// of answers.
#[unsafe(no_mangle)]
pub extern "C" fn run_on_cpu(scores: u32) -> i32 {
    number(|| {
        Ok(gpu::with(|work| {
            let cpu = Cpu::new();
            let question = if scores == 0 {
                Question::Verdicts {
                    positions: &work.positions,
                    sides: Sides::ToMove,
                }
            } else {
                Question::Scores(&work.batch)
            };
            // The CPU never fails to answer.
            let _ = cpu.answer(&question, &work.rules, &mut work.answers);
            question.answers()
        }))
    })
}

/// Compares all answers with the CPU's. If some differ, that is an error with their number and the
/// first of them.
#[unsafe(no_mangle)]
pub extern "C" fn compare(first: usize, scores: u32) -> i32 {
    number(|| {
        let compared = with_sample(|sample| {
            gpu::with(|work| {
                if scores == 0 {
                    verdicts(work, sample, first)
                } else {
                    scored(work)
                }
            })
        })?;
        let (differing, example) = compared;
        if let Some(example) = example {
            return Err(Failure(json!({
                "field": "",
                "error": format!("{differing} answers differ from the CPU's, such as {example}"),
            })));
        }
        Ok(0)
    })
}

/// Compares verdicts with those on each position of the sample by itself. Returns how many differ,
/// and the first position with a wrong one.
fn verdicts(work: &Work, sample: &[Position], first: usize) -> (usize, Option<String>) {
    let of_sample: Vec<Verdict> = sample
        .iter()
        .map(|p| work.rules.verdict(p, Sides::ToMove))
        .collect();
    let expected = of_sample.iter().cycle().skip(first % sample.len());
    let all = work
        .positions
        .iter()
        .zip(&work.answers.verdicts)
        .zip(expected);
    let mut differing = all.filter(|((_, found), expected)| found != expected);
    let example = differing
        .next()
        .map(|((position, ..), _)| position.to_string());
    let missing = work.positions.len() - work.answers.verdicts.len().min(work.positions.len());
    let count = usize::from(example.is_some()) + differing.count() + missing;
    (
        count,
        example.or_else(|| (missing > 0).then(|| "a missing one".to_owned())),
    )
}

/// Compares scores with the SEE of each move by itself. Returns how many differ, and the first move
/// with a wrong one.
fn scored(work: &Work) -> (usize, Option<String>) {
    let mut found = work.answers.scores.iter();
    let mut differing = 0;
    let mut example = None;
    for (position, captures) in work.batch.iter() {
        for &capture in captures {
            if found.next() != Some(&work.rules.see(position, capture)) {
                differing += 1;
                example.get_or_insert_with(|| format!("{capture} in {position}"));
            }
        }
    }
    (differing, example)
}

//! Answers on many positions, by the vector code of the calling thread.

use core::mem::MaybeUninit;
use engine::backend::{Answers, Backend as _, Cpu, Question};
use engine::{Batch, Bounds, BoundsExceeded, Rules, Sides};

use crate::types::{Move, Position, Status, Verdict};

/// Positions at a time: enough to hide the cost of starting, few enough for a near cache.
const BLOCK: usize = 4096;

/// Winning moves are loud.
const QUIET: Bounds = Bounds {
    see: Some(0),
    threat: None,
    double_threat: false,
};

fn is_quiet(exceeds: BoundsExceeded) -> bool {
    !exceeds.in_check() && !exceeds.see()
}

/// Asks about block by block, and writes an answer for each position.
fn each_block<T>(
    rules: &Rules,
    positions: &[Position],
    out: &mut [MaybeUninit<T>],
    question: impl for<'a> Fn(&'a [engine::Position]) -> Question<'a>,
    write: impl Fn(&Answers, &mut [MaybeUninit<T>]),
) -> Result<(), Status> {
    let cpu = Cpu::new().on_calling_thread();
    let mut answers = Answers::default();
    let mut copied = Vec::new();
    for (positions, out) in positions.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        // C's arrays are rarely aligned to a position's 32 bytes.
        let block = bytemuck::try_cast_slice(positions).unwrap_or_else(|_| {
            copied.clear();
            copied.extend(positions.iter().map(|position| position.get()));
            &copied
        });
        cpu.answer(&question(block), rules, &mut answers)
            .map_err(|_| Status::Panic)?; // a CPU does not fail
        write(&answers, out);
    }
    Ok(())
}

pub(crate) fn verdicts(
    rules: &Rules,
    positions: &[Position],
    sides: Sides,
    out: &mut [MaybeUninit<Verdict>],
) -> Result<(), Status> {
    each_block(
        rules,
        positions,
        out,
        |positions| Question::Verdicts { positions, sides },
        |answers, out| {
            for (out, verdict) in out.iter_mut().zip(&answers.verdicts) {
                out.write(verdict.into());
            }
        },
    )
}

pub(crate) fn quiet(
    rules: &Rules,
    positions: &[Position],
    out: &mut [MaybeUninit<bool>],
) -> Result<(), Status> {
    each_block(
        rules,
        positions,
        out,
        |positions| Question::Bounds {
            positions,
            bounds: QUIET,
        },
        |answers, out| {
            for (out, exceeds) in out.iter_mut().zip(&answers.exceeds) {
                out.write(is_quiet(*exceeds));
            }
        },
    )
}

/// Scores a move of each position; `answer` makes the answer of a SEE.
pub(crate) fn scores<T>(
    rules: &Rules,
    positions: &[Position],
    moves: &[Move],
    out: &mut [MaybeUninit<T>],
    answer: impl Fn(i32) -> T,
) -> Result<(), Status> {
    for played in moves {
        played.check()?;
    }
    let cpu = Cpu::new().on_calling_thread();
    let mut answers = Answers::default();
    let mut batch = Batch::new();
    let blocks = positions.chunks(BLOCK).zip(moves.chunks(BLOCK));
    for ((positions, moves), out) in blocks.zip(out.chunks_mut(BLOCK)) {
        batch.clear();
        for (position, played) in positions.iter().zip(moves) {
            batch.push(position.get(), [played.capture()]);
        }
        cpu.answer(&Question::Scores(&batch), rules, &mut answers)
            .map_err(|_| Status::Panic)?; // a CPU does not fail
        for (out, &see) in out.iter_mut().zip(&answers.scores) {
            out.write(answer(see));
        }
    }
    Ok(())
}

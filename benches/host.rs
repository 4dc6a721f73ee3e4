//! What a question about positions in memory costs the host of a device, without a device: positions
//! are copied into upload memory, and answers read, chunk by chunk. Beside it stands the copy alone:
//! less is not possible. All times are user and system time on one thread: that is what the threads
//! of a machine divide. (For files: `files/tests/device/on_gpu/host_share.rs`.)
//!
//! `cargo bench --bench host`

#![allow(missing_docs)]

#[path = "../tests/common/cpu_time.rs"]
mod cpu_time;

use core::ops::Range;

use swaplist::backend::{Answers, Cpu, Question};
use swaplist::gpu::program::{Plan, Shape};
use swaplist::{Bounds, Position, Rules, Sides};

use cpu_time::timed;

const ROUNDS: usize = 7;

/// Set by a device in words that it has written.
const WRITTEN: u32 = 1 << 31;

/// Positions in memory: more than any cache holds.
const POSITIONS: usize = 1 << 22;
/// Positions of a chunk, and the number of chunks in flight, as on a GPU.
const CHUNK: usize = 1 << 17;
const SLOTS: usize = 8;
/// How often all positions are asked about in a round.
const REPEATS: usize = 16;

/// Measures questions about positions in memory.
#[allow(clippy::cast_precision_loss)] // shown rounded
fn main() {
    let sample = include_str!("../data/sample.fen");
    let sample: Vec<Position> = sample.lines().filter_map(|fen| fen.parse().ok()).collect();
    let positions: Vec<Position> = sample.iter().copied().cycle().take(POSITIONS).collect();
    let about_bounds = Question::Bounds {
        positions: &positions,
        bounds: Bounds {
            see: Some(0),
            ..Bounds::default()
        },
    };
    let about_verdicts = Question::Verdicts {
        positions: &positions,
        sides: Sides::ToMove,
    };
    for (name, question) in [("bounds", about_bounds), ("verdicts", about_verdicts)] {
        let right = Cpu::new().ask(&question, &Rules::SWAP);
        // What a device writes: the memory of verdicts, or a word with the bits of bounds.
        let of_bounds = right
            .exceeds
            .iter()
            .map(|bits| WRITTEN | u32::from(bits.to_bits()));
        let verdicts: &[u32] = bytemuck::cast_slice(&right.verdicts);
        let words: Vec<u32> = of_bounds.chain(verdicts.iter().copied()).collect();
        let words_a_chunk = CHUNK * words.len() / POSITIONS;
        // With room for `CHUNK` positions.
        let plan = Plan::new(question, &Rules::SWAP, &Shape::default());
        let mut upload = vec![vec![0_u8; CHUNK * size_of::<Position>()]; SLOTS];
        let mut answers = Answers::default();
        answers.fit(&question);
        let mut least = [f64::MAX; 2];
        for _ in 0..ROUNDS {
            for (reads, least) in [false, true].into_iter().zip(&mut least) {
                let spent = timed(|| {
                    for _ in 0..REPEATS {
                        ask(&plan, &mut upload, reads, |chunk, rows| {
                            let words = &words[chunk * words_a_chunk..][..words_a_chunk];
                            let bytes = bytemuck::cast_slice(words);
                            let read = plan.read(rows, bytes, &mut answers);
                            read.expect("possible answers");
                        });
                    }
                });
                let all = (REPEATS * POSITIONS) as f64;
                *least = least.min(spent.iter().sum::<f64>() * 1e9 / all);
            }
        }
        assert!(answers == right, "the answers read are the CPU's");
        let [copy, whole] = least;
        println!(
            "{name} from memory: {whole:.1} ns per position, of which the copy alone takes {copy:.1}"
        );
    }
}

/// Copies all chunks of a question into upload memory, one slot after another. If `reads`, calls
/// `read` after each one, with its number and those of its answers.
fn ask(
    plan: &Plan<'_>,
    upload: &mut [Vec<u8>],
    reads: bool,
    mut read: impl FnMut(usize, Range<usize>),
) {
    let (mut next, mut number) = (0, 0);
    while let Some(chunk) = plan.dispatch(next, CHUNK) {
        next = chunk.rows.end;
        let bytes: &[u8] = bytemuck::cast_slice(chunk.positions);
        upload[number % SLOTS][..bytes.len()].copy_from_slice(bytes);
        if reads {
            read(number, chunk.rows);
        }
        number += 1;
    }
}

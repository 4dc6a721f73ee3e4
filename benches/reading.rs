//! What the host does for a GPU, without one: a chunk's positions and requests into memory, and its
//! answers from bytes, on one thread.
//!
//! `cargo bench --bench reading [-- WORD]`. The bytes are those that a GPU would write.

#![allow(missing_docs)]

use std::time::Duration;

use bytemuck::Zeroable as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use swaplist::backend::{Answers, Cpu, Question};
use swaplist::gpu::program::{Plan, Shape};
use swaplist::{Batch, Bounds, Position, Rules, Sides, noisy_moves};

const SAMPLE: &str = include_str!("../data/sample.fen");
/// A chunk.
const COUNT: usize = 1 << 17;
/// Set in words that were written, and flipped in scores.
const WRITTEN: u32 = 1 << 31;

fn positions() -> Vec<Position> {
    let sample: Vec<Position> = SAMPLE.lines().filter_map(|fen| fen.parse().ok()).collect();
    sample.iter().copied().cycle().take(COUNT).collect()
}

/// Reads answers, and compares them with the CPU's once.
fn read(criterion: &mut Criterion, name: &str, question: &Question<'_>, words: &[u32]) {
    let plan = Plan::new(*question, &Rules::SWAP, &Shape::default());
    let mut answers = Answers::default();
    let mut read = || {
        let bytes = bytemuck::cast_slice(words);
        let read = plan.read(0..question.answers(), bytes, &mut answers);
        read.expect("possible answers");
    };
    read();
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(question.answers() as u64));
    group.bench_function(name, |bencher| bencher.iter(&mut read));
    assert!(
        answers == Cpu::new().ask(question, &Rules::SWAP),
        "the answers read are the CPU's"
    );
}

fn reading(criterion: &mut Criterion) {
    let positions = positions();
    let cpu = Cpu::new();
    for (name, sides) in [
        ("verdicts", Sides::ToMove),
        ("verdicts with threats", Sides::Both),
    ] {
        let question = Question::Verdicts {
            positions: &positions,
            sides,
        };
        let verdicts = cpu.ask(&question, &Rules::SWAP).verdicts;
        read(criterion, name, &question, bytemuck::cast_slice(&verdicts));
    }
    let about_bounds = Question::Bounds {
        positions: &positions,
        bounds: Bounds {
            see: Some(0),
            ..Bounds::default()
        },
    };
    let exceeds = cpu.ask(&about_bounds, &Rules::SWAP).exceeds;
    let words: Vec<u32> = exceeds
        .iter()
        .map(|exceeds| WRITTEN | u32::from(exceeds.to_bits()))
        .collect();
    read(criterion, "bounds", &about_bounds, &words);

    let batch = batch(&positions);
    let about_scores = Question::Scores(&batch);
    let scores = cpu.ask(&about_scores, &Rules::SWAP).scores;
    let mut halves: Vec<u16> = scores
        .iter()
        .map(|&score| (score as i16).cast_unsigned() ^ (WRITTEN >> 16) as u16)
        .collect();
    if halves.len() % 2 == 1 {
        halves.push(0); // a whole word
    }
    read(
        criterion,
        "scores",
        &about_scores,
        bytemuck::cast_slice(&halves),
    );
}

fn batch(positions: &[Position]) -> Batch {
    let mut batch = Batch::new();
    for position in positions {
        batch.push(*position, noisy_moves(position));
    }
    batch
}

fn writing(criterion: &mut Criterion) {
    let batch = batch(&positions());
    // With room for as many moves as positions, `COUNT`.
    let plan = Plan::new(Question::Scores(&batch), &Rules::SWAP, &Shape::default());
    let chunk = plan.dispatch(0, COUNT).expect("there are moves");
    let mut requests = vec![[0; 4]; chunk.requests().len()];
    let mut uploaded = vec![Position::zeroed(); COUNT];
    let mut group = criterion.benchmark_group("write");
    group.throughput(Throughput::Elements(requests.len() as u64));
    group.bench_function("requests", |bencher| {
        bencher.iter(|| {
            // As wgpu writes into mapped memory.
            let mut words = requests.iter_mut();
            chunk.requests().for_each(|request| {
                *words.next().expect("a word for each request") = request;
            });
        });
    });
    let all = batch.positions();
    let positions = &all[..COUNT.min(all.len())];
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("positions", |bencher| {
        bencher.iter(|| uploaded[..positions.len()].copy_from_slice(positions));
    });
}

fn all(criterion: &mut Criterion) {
    reading(criterion);
    writing(criterion);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = all
}
criterion_main!(benches);

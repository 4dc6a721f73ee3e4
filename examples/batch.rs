//! A batch on the best backend: a real GPU if there is one, else all cores.
//!
//! `cargo run --release --example batch -- positions.fen`

use std::error::Error;

use swaplist::{BackendChoice, Batch, Evaluator, Position, Rules, noisy_moves};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "data/sample.fen".to_owned());
    let mut batch = Batch::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let position: Position = line.parse()?;
        batch.push(position, noisy_moves(&position));
    }

    let evaluator = Evaluator::new(&BackendChoice::Auto);
    let scores = evaluator.scores(&batch, &Rules::SWAP);

    let winning = scores.iter().filter(|&&see| see > 0).count();
    println!(
        "{}: {} captures, {winning} of them winning",
        evaluator.name(),
        scores.len()
    );
    Ok(())
}

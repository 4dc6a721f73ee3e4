//! The comparison: all answers to a block of positions, under each rule set.

use std::fmt::Debug;

use anyhow::{Context as _, Result};
use swaplist::backend::{Answers, Backend, Question};
use swaplist::formats::{Block, Codec, Decoded};
use swaplist::{Batch, Best, Capture, Position, Rules, Trace, Verdict, noisy_moves};

#[derive(Default)]
pub struct Comparison {
    pub backends: Vec<Box<dyn Backend>>,
    pub rules: Vec<Rules>,
    pub positions: u64,
    pub moves: u64,
    /// Records that were skipped.
    pub invalid: u64,
    pub differences: u64,
    /// The first differences.
    pub first: Vec<String>,
}

const SHOWN: usize = 10;

impl Comparison {
    pub fn block(&mut self, codec: &dyn Codec, block: &Block, decoded: &Decoded) -> Result<()> {
        let mut batch = Batch::new();
        // For each move, the index of its position.
        let mut owners = Vec::new();
        for (record, position) in decoded.positions.iter().enumerate() {
            let mut moves = noisy_moves(position);
            for &named in decoded.named_moves(record).unwrap_or_default() {
                if !moves.contains(&named) {
                    moves.push(named);
                }
            }
            owners.resize(owners.len() + moves.len(), record);
            batch.push(*position, moves);
        }
        self.positions += batch.positions().len() as u64;
        self.moves += batch.len() as u64;
        let place = |record: usize| {
            let fen = codec.fen(block, decoded, record);
            format!("{}: '{fen}'", decoded.records[record].place())
        };
        for rules in self.rules.clone() {
            let of_move = |i| format!("{} {}, {rules}", place(owners[i]), batch.captures()[i]);
            let of_position = |i| format!("{}, {rules}, verdict", place(i));
            self.scalar(&rules, &batch, &of_move, &of_position)?;
        }
        Ok(())
    }

    /// Compares the scalar scores and verdicts, with threats, with all others.
    fn scalar(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        of_move: &dyn Fn(usize) -> String,
        of_position: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let see = |position: &Position, capture| rules.see(position, capture);
        let threshold = |position: &Position, capture| {
            let see = rules.see(position, capture);
            match [see, see + 1].map(|bound| rules.see_ge(position, capture, bound)) {
                [true, false] => see,
                [false, _] => see - 1,
                [true, true] => see + 1,
            }
        };
        let traced = |position: &Position, capture| rules.trace(position, capture).value;
        let swap_list = |position: &Position, capture| minimax(&rules.trace(position, capture));
        let scores = each_move(batch, &see);
        self.compare("see_ge", &scores, &each_move(batch, &threshold), of_move);
        self.compare("trace", &scores, &each_move(batch, &traced), of_move);
        self.compare("swap list", &scores, &each_move(batch, &swap_list), of_move);

        let positions = batch.positions();
        let verdict = |position| rules.verdict(position, true);
        let verdicts: Vec<Verdict> = positions.iter().map(verdict).collect();
        let of_scores = |(position, verdict): (&Position, &Verdict)| {
            let noisy = noisy_moves(position);
            let better =
                |best, &capture: &_| Best::or_better(best, see(position, capture), capture);
            Verdict {
                best: noisy.iter().fold(None, better),
                noisy: noisy.len() as u32,
                ..*verdict
            }
        };
        let best: Vec<Verdict> = positions.iter().zip(&verdicts).map(of_scores).collect();
        self.compare("best score", &verdicts, &best, of_position);

        for backend in std::mem::take(&mut self.backends) {
            let name = backend.name();
            // Values that no backend returns, so that missing answers are found.
            let (question, mut found) = (Question::Scores(batch), Answers::default());
            found.fit(&question);
            found.scores.fill(i32::MIN);
            let done = backend.answer(&question, rules, &mut found);
            done.with_context(|| name.clone())?;
            self.compare(&name, &scores, &found.scores, of_move);
            let question = Question::Verdicts {
                positions,
                with_threat: true,
            };
            found.fit(&question);
            found.verdicts.fill(Verdict {
                noisy: u32::MAX,
                ..Verdict::default()
            });
            let done = backend.answer(&question, rules, &mut found);
            done.with_context(|| name.clone())?;
            self.compare(&name, &verdicts, &found.verdicts, of_position);
            self.backends.push(backend);
        }
        Ok(())
    }

    fn compare<T: PartialEq + Debug>(
        &mut self,
        name: &str,
        expected: &[T],
        found: &[T],
        place: &dyn Fn(usize) -> String,
    ) {
        assert_eq!(expected.len(), found.len(), "one answer each");
        for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
            if expected != found {
                self.differences += 1;
                if self.first.len() < SHOWN {
                    let place = place(i);
                    self.first
                        .push(format!("{place}: {expected:?}, {name} {found:?}"));
                }
            }
        }
    }
}

fn each_move(batch: &Batch, value: &dyn Fn(&Position, Capture) -> i32) -> Vec<i32> {
    let mut values = Vec::with_capacity(batch.len());
    for (position, moves) in batch.iter() {
        values.extend(moves.iter().map(|&capture| value(position, capture)));
    }
    values
}

/// The minimax of the swap list, by CPW's rule.
fn minimax(trace: &Trace) -> i32 {
    let gains = trace.gains().rev();
    let value = gains.reduce(|later, gain| -later.max(-gain));
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::liar::Liar;
    use swaplist::backend::Cpu;
    use swaplist::formats::Format;

    fn compared(other: Option<Box<dyn Backend>>) -> Comparison {
        let line = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1\n";
        let text = line.repeat(300);
        let cpu: Box<dyn Backend> = Box::new(Cpu::new());
        let mut comparison = Comparison {
            backends: [cpu].into_iter().chain(other).collect(),
            rules: vec![Rules::SWAP],
            ..Comparison::default()
        };
        let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = Decoded::default();
        codec.decode(&block, &mut decoded);
        comparison.block(&*codec, &block, &decoded).unwrap();
        comparison
    }

    #[test]
    fn a_single_wrong_score_is_found() {
        assert_eq!(compared(None).differences, 0);
        let found = compared(Some(Box::new(Liar(Some(1000)))));
        assert_eq!(found.differences, 3); // of 2,700 scores and 300 verdicts
        assert!(found.first[0].contains("e5d6, profile swap"));
        assert!(
            found.first[0].ends_with(": 100, liar 101"),
            "{}",
            found.first[0]
        );
    }

    #[test]
    fn scores_that_were_not_written_are_found() {
        // 2,700 scores and 300 verdicts
        assert_eq!(compared(Some(Box::new(Liar(None)))).differences, 3_000);
    }
}

//! The comparison itself, and what it says in the end.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use swaplist::backend::Backend;
use swaplist::formats::{Block, Codec, Decoded};
use swaplist::{Batch, Best, Capture, Position, Rules, Trace, Verdict, noisy_moves};

use crate::cli::options::rules_json;
use crate::cli::summary::grouped;

pub struct Check {
    /// The CPU's paths, so many, then the GPUs.
    pub backends: Vec<Box<dyn Backend>>,
    pub cpus: usize,
    /// Whether GPUs were looked for.
    pub gpus_wanted: bool,
    pub rules: Vec<Rules>,
    pub found: Found,
}

/// What came out so far.
#[derive(Default)]
pub struct Found {
    pub positions: u64,
    moves: u64,
    pub invalid: u64,
    pub differences: u64,
    /// The first of them.
    shown: Vec<String>,
}

impl Found {
    const SHOWN: usize = 10;

    fn differs(&mut self, message: impl FnOnce() -> String) {
        self.differences += 1;
        if self.shown.len() < Found::SHOWN {
            self.shown.push(message());
        }
    }

    /// The first differences, a line each.
    pub fn list(&self) -> String {
        let mut text = String::new();
        for difference in &self.shown {
            let _ = writeln!(text, "    {difference}");
        }
        text
    }
}

impl Check {
    pub fn block(&mut self, codec: &dyn Codec, block: &Block, decoded: &Decoded) -> Result<()> {
        let mut batch = Batch::new();
        for (record, position) in decoded.positions.iter().enumerate() {
            let mut moves = noisy_moves(position);
            for &named in decoded.named_moves(record).unwrap_or_default() {
                if !moves.contains(&named) {
                    moves.push(named);
                }
            }
            batch.push(*position, moves);
        }
        self.found.positions += batch.positions().len() as u64;
        self.found.moves += batch.len() as u64;
        let place = |record: usize| {
            let fen = codec.fen(block, decoded, record);
            format!("{}: '{fen}'", decoded.records[record].place())
        };
        for rules in self.rules.clone() {
            self.rules(&rules, &batch, &place)?;
        }
        Ok(())
    }

    fn rules(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        place: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let see = |(position, moves): (&Position, &[Capture])| -> Vec<i32> {
            moves
                .iter()
                .map(|&capture| rules.see(position, capture))
                .collect()
        };
        let scalar: Vec<i32> = batch.iter().flat_map(see).collect();
        let verdict = |position: &Position| rules.verdict(position, true);
        let verdicts: Vec<Verdict> = batch.positions().iter().map(verdict).collect();
        self.threshold_and_trace(rules, batch, &scalar, place);
        self.best_of_scores(rules, batch, &scalar, &verdicts, place);
        for i in 0..self.backends.len() {
            self.scores(i, rules, batch, &scalar, place)?;
            self.verdicts(i, rules, batch, &verdicts, place)?;
        }
        Ok(())
    }

    /// A backend's scores against the scalar ones.
    fn scores(
        &mut self,
        backend: usize,
        rules: &Rules,
        batch: &Batch,
        scalar: &[i32],
        place: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let backend = &*self.backends[backend];
        let mut scores = vec![i32::MIN; batch.len()];
        backend
            .score(batch, rules, &mut scores)
            .with_context(|| backend.name())?;
        for record in 0..batch.positions().len() {
            for i in batch.range(record) {
                if scores[i] != scalar[i] {
                    self.found.differs(|| {
                        let (capture, name) = (batch.captures()[i], backend.name());
                        let (place, scalar, other) = (place(record), scalar[i], scores[i]);
                        format!("{place} {capture}, {rules}: {scalar}, {name} {other}")
                    });
                }
            }
        }
        Ok(())
    }

    /// A backend's verdicts, threats too, against the scalar ones.
    fn verdicts(
        &mut self,
        backend: usize,
        rules: &Rules,
        batch: &Batch,
        scalar: &[Verdict],
        place: &dyn Fn(usize) -> String,
    ) -> Result<()> {
        let backend = &*self.backends[backend];
        let nothing = Verdict {
            noisy: u32::MAX,
            ..Verdict::default()
        };
        let mut verdicts = vec![nothing; scalar.len()];
        backend
            .judge(batch.positions(), rules, true, &mut verdicts)
            .with_context(|| backend.name())?;
        for (record, (scalar, other)) in scalar.iter().zip(&verdicts).enumerate() {
            if scalar != other {
                self.found.differs(|| {
                    let (place, name) = (place(record), backend.name());
                    format!("{place}, {rules}: verdict {scalar:?}, {name} {other:?}")
                });
            }
        }
        Ok(())
    }

    /// The threshold form at the value and one above; the swap list's minimax.
    fn threshold_and_trace(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        scalar: &[i32],
        place: &dyn Fn(usize) -> String,
    ) {
        for (record, (position, moves)) in batch.iter().enumerate() {
            for (&capture, &see) in moves.iter().zip(&scalar[batch.range(record)]) {
                let at = rules.see_ge(position, capture, see);
                let above = rules.see_ge(position, capture, see + 1);
                if !at || above {
                    self.found.differs(|| {
                        let place = place(record);
                        format!(
                            "{place} {capture}, {rules}: {see}, but see_ge is {at} at it and {above} above"
                        )
                    });
                }
                let trace = rules.trace(position, capture);
                let minimax = minimax(&trace);
                if minimax != see || trace.value != see {
                    self.found.differs(|| {
                        let place = place(record);
                        format!("{place} {capture}, {rules}: {see}, its swap list {minimax}")
                    });
                }
            }
        }
    }

    /// The scalar verdicts against the best of the scalar scores.
    fn best_of_scores(
        &mut self,
        rules: &Rules,
        batch: &Batch,
        scalar: &[i32],
        verdicts: &[Verdict],
        place: &dyn Fn(usize) -> String,
    ) {
        for (record, ((position, moves), verdict)) in batch.iter().zip(verdicts).enumerate() {
            let noisy = noisy_moves(position).len();
            let scored = moves.iter().zip(&scalar[batch.range(record)]).take(noisy);
            let best = scored.fold(None, |best, (&capture, &see)| {
                Best::or_better(best, see, capture)
            });
            if verdict.best != best || verdict.noisy as usize != noisy {
                self.found.differs(|| {
                    let place = place(record);
                    format!("{place}, {rules}: verdict {verdict:?}, but {noisy} noisy moves, best {best:?}")
                });
            }
        }
    }

    fn names(&self, range: core::ops::RangeTo<usize>) -> Vec<String> {
        self.backends[range].iter().map(|cpu| cpu.name()).collect()
    }

    fn adapters(&self) -> Vec<String> {
        self.backends[self.cpus..]
            .iter()
            .map(|gpu| gpu.name())
            .collect()
    }

    pub fn to_json(&self, input: &str, elapsed: Duration) -> Value {
        let found = &self.found;
        let rules: Vec<Value> = self.rules.iter().map(rules_json).collect();
        json!({
            "command": "verify",
            "input": input,
            "records": found.positions,
            "moves": found.moves,
            "invalid": found.invalid,
            "cpus": self.names(..self.cpus),
            "gpus": self.adapters(),
            "rules": rules,
            "differences": found.differences,
            "first_differences": found.shown,
            "seconds": elapsed.as_secs_f64(),
        })
    }

    pub fn to_text(&self, input: &str, elapsed: Duration) -> String {
        let found = &self.found;
        let (positions, moves) = (grouped(found.positions), grouped(found.moves));
        let mut text = format!("swaplist verify {input}\n");
        let _ = writeln!(
            text,
            "  records   {positions}, {moves} moves under each rule set"
        );
        if found.invalid > 0 {
            let _ = writeln!(text, "  invalid   {}, passed over", grouped(found.invalid));
        }
        for rules in &self.rules {
            let _ = writeln!(text, "  rules     {rules}");
        }
        text.push_str("  CPU       scores, verdicts, see_ge at value and value + 1, minimax of the swap list\n");
        for name in self.names(..self.cpus) {
            let _ = writeln!(text, "            {name}");
        }
        for name in self.adapters() {
            let _ = writeln!(text, "  GPU       {name}");
        }
        if self.cpus == self.backends.len() {
            let why = if self.gpus_wanted {
                "no adapter found"
            } else {
                "not asked for"
            };
            let _ = writeln!(text, "  GPU       {why}: none was compared");
        }
        let _ = writeln!(text, "  time      {:.2} s", elapsed.as_secs_f64());
        if found.differences == 0 {
            text.push_str("  result    all equal\n");
        } else {
            let _ = writeln!(
                text,
                "  result    {} differences, the first:",
                grouped(found.differences)
            );
            text.push_str(&found.list());
        }
        text
    }
}

/// The value that the swap list gives, by CPW's rule.
fn minimax(trace: &Trace) -> i32 {
    let gains =
        core::iter::once(trace.gain).chain(trace.recaptures.iter().map(|recapture| recapture.gain));
    let gains: Vec<i32> = gains.collect();
    let value = gains
        .iter()
        .copied()
        .rev()
        .reduce(|later, gain| -later.max(-gain));
    value.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use swaplist::backend::{BackendError, Cpu};
    use swaplist::formats::Format;

    /// Right, but for one score in a thousand.
    struct Wrong;

    impl Backend for Wrong {
        fn name(&self) -> String {
            "wrong".to_owned()
        }

        fn score(
            &self,
            batch: &Batch,
            rules: &Rules,
            scores: &mut [i32],
        ) -> Result<(), BackendError> {
            Cpu::new().score(batch, rules, scores)?;
            scores
                .iter_mut()
                .step_by(1000)
                .for_each(|score| *score += 1);
            Ok(())
        }
    }

    /// Says that it has scored, and has not.
    struct Silent;

    impl Backend for Silent {
        fn name(&self) -> String {
            "silent".to_owned()
        }

        fn score(&self, _: &Batch, _: &Rules, _: &mut [i32]) -> Result<(), BackendError> {
            Ok(())
        }
    }

    fn found(gpu: Option<Box<dyn Backend>>) -> Found {
        let line = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1\n";
        let text = line.repeat(300);
        let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new())];
        backends.extend(gpu);
        let mut check = Check {
            backends,
            cpus: 1,
            gpus_wanted: true,
            rules: vec![Rules::SWAP],
            found: Found::default(),
        };
        let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = Decoded::default();
        codec.decode(&block, &mut decoded);
        check.block(&*codec, &block, &decoded).unwrap();
        check.found
    }

    #[test]
    fn a_single_wrong_score_is_found() {
        assert_eq!(found(None).differences, 0);
        let found = found(Some(Box::new(Wrong)));
        assert_eq!(found.differences, 3); // of 2,700 scores and 300 verdicts
        assert!(found.shown[0].contains("e5d6, profile swap"));
        assert!(
            found.shown[0].ends_with(": 100, wrong 101"),
            "{}",
            found.shown[0]
        );
    }

    #[test]
    fn scores_that_were_not_written_are_found() {
        // 2,700 scores and 300 verdicts
        assert_eq!(found(Some(Box::new(Silent))).differences, 3_000);
    }
}

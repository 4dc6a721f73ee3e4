//! Times stages alternately and prints each one's best time: other load on the machine affects
//! all of them alike.

use std::hint::black_box;
use std::time::Instant;

/// A pass over all items, with its expected sum.
pub struct Stage<'a> {
    pub name: String,
    /// The number of items per pass.
    pub items: usize,
    pub unit: &'static str,
    pub expected: i64,
    pub pass: Box<dyn Fn() -> i64 + 'a>,
    /// The sum of the answers that a pass left in memory, computed outside of the timing.
    pub sum: Option<Box<dyn Fn() -> i64 + 'a>>,
}

impl<'a> Stage<'a> {
    pub fn new(
        name: impl Into<String>,
        (items, unit): (usize, &'static str),
        expected: i64,
        pass: impl Fn() -> i64 + 'a,
    ) -> Stage<'a> {
        Stage {
            name: name.into(),
            items,
            unit,
            expected,
            pass: Box::new(pass),
            sum: None,
        }
    }

    /// Nanoseconds per item; panics on a wrong sum.
    #[allow(clippy::cast_precision_loss)] // small counts
    fn time(&self) -> f64 {
        let start = Instant::now();
        let sum = black_box((self.pass)());
        let elapsed = start.elapsed();
        let sum = self.sum.as_ref().map_or(sum, |sum| sum());
        assert_eq!(sum, self.expected, "{}", self.name);
        elapsed.as_secs_f64() * 1e9 / self.items as f64
    }
}

/// Prints stages relative to the first one, called `base`; only those whose names contain one
/// of the comma-separated words in `SWAPLIST_STAGES`, if set.
pub fn print(title: &str, base: &str, rounds: usize, stages: &[Stage<'_>]) {
    let words = std::env::var("SWAPLIST_STAGES").unwrap_or_default();
    let wanted = |name: &str| words.split(',').any(|word| name.contains(word));
    let chosen = |(i, stage): &(usize, &Stage<'_>)| *i == 0 || wanted(&stage.name);
    let stages = stages.iter().enumerate().filter(chosen);
    let stages: Vec<_> = stages.map(|(_, stage)| stage).collect();
    let mut best = vec![f64::INFINITY; stages.len()];
    for _ in 0..rounds {
        for (best, stage) in best.iter_mut().zip(&stages) {
            *best = best.min(stage.time());
        }
    }
    println!("{title}\n{:<36} {:>9} {base:>7}", "stage", "ns");
    for (stage, ns) in stages.iter().zip(&best) {
        let ratio = ns / best[0];
        println!(
            "{:<36} {ns:>9.2} {ratio:>7.3}  a {}",
            stage.name, stage.unit
        );
    }
}

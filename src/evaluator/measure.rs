//! Measures a GPU on the work at hand, and decides.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use super::auto::{Auto, Candidate, Progress, WARM_UP, per_second};
use super::decision::{Names, Pick, Rates};
use super::work::Work;
use super::{Evaluator, Given, Plan, Shared};
use crate::backend::{Backend, BackendError};

/// Positions that the GPU is measured with at most.
const MOST_MEASURED: usize = 1 << 20;

impl Evaluator {
    /// Notes what the CPU did. Once a GPU is open, measures it and decides, while the
    /// caller's other threads wait.
    pub(super) fn consider<W: Work>(&self, auto: &Auto, piece: &W, time: Duration, at_once: usize) {
        let mut progress = auto.lock();
        let time = time / u32::try_from(self.callers.unwrap_or(1)).unwrap_or(u32::MAX);
        let Some(opened) = auto.next(&mut progress, piece, time) else {
            return;
        };
        let decided = opened.and_then(|found| match found {
            None => Ok(Plan::Cpu),
            Some(candidate) => self.decide(candidate, &progress, piece, at_once),
        });
        let plan = decided.unwrap_or_else(|error| {
            self.fall_back(&error);
            Plan::Cpu
        });
        // It was open, and nobody else has the lock.
        let _ = self.plan.set(plan);
    }

    fn decide<W: Work>(
        &self,
        (gpu, name): Candidate,
        progress: &Progress,
        piece: &W,
        at_once: usize,
    ) -> Result<Plan, BackendError> {
        let shared = Shared::new(gpu);
        let given = self.given::<W>(at_once);
        let mut rates = Rates {
            cpu: progress.cpu_rate::<W>(),
            gpu: gpu_rate(&*shared.gpu, piece, given)?,
            both: None,
        };
        if rates.are_close() && self.callers != Some(1) {
            let guess = rates.gpu + rates.cpu;
            rates.both = Some(self.rate_of_both(&shared, piece, given, guess)?);
        }
        let names = Names {
            gpu: &name,
            threads: self.callers.unwrap_or_else(|| self.cpu.threads()),
            unit: W::UNIT,
        };
        self.say_choice(rates.sentence(&names));
        Ok(match rates.pick() {
            Pick::Cpu => Plan::Cpu,
            Pick::Gpu => Plan::Gpu(shared.gpu),
            Pick::Both => Plan::Both(shared),
        })
    }

    /// What a GPU will be given, by whom: what was said to be, or else as it is now.
    fn given<W: Work>(&self, at_once: usize) -> Given {
        let now = Given {
            threads: self.callers.unwrap_or(1),
            positions: at_once,
        };
        let expected = *self.expected();
        let given = expected.filter(|_| W::IS_EXPECTED).unwrap_or(now);
        Given {
            positions: given.positions.clamp(1, MOST_MEASURED),
            ..given
        }
    }

    fn rate_of_both<W: Work>(
        &self,
        shared: &Shared,
        piece: &W,
        given: Given,
        guess: f64,
    ) -> Result<f64, BackendError> {
        let most = match self.callers {
            Some(_) => given.positions,
            None => MOST_MEASURED,
        };
        let sample = piece.sample(sample_size(guess, piece, most));
        rate(given.threads, sample.results(), |outputs| {
            self.on_both(shared, &sample, outputs, 0);
            Ok(())
        })
    }

    fn say_choice(&self, choice: String) {
        if !self.quiet {
            (self.announce)(&choice);
        }
        self.lock().choice = Some(choice);
    }
}

/// The GPU's rate with as much as it will be given at once, from as many threads.
fn gpu_rate<W: Work>(gpu: &dyn Backend, piece: &W, given: Given) -> Result<f64, BackendError> {
    let on = |sample: &W::Owned, outputs: &mut [_]| sample.on(gpu, outputs, 0).map(drop);
    let few = piece.sample(piece.positions().min(1 << 14));
    let guess = rough_rate(|outputs| on(&few, outputs), few.results())?;
    let sample = piece.sample(sample_size(guess, piece, given.positions));
    rate(given.threads, sample.results(), |outputs| {
        on(&sample, outputs)
    })
}

/// How long one measurement begins new rounds.
const WINDOW: Duration = Duration::from_millis(80);

/// The results a second of something that so many threads do, over and over, each
/// with results of its own. They all do it once before.
fn rate<T: Clone + Default>(
    threads: usize,
    results: usize,
    work: impl Fn(&mut [T]) -> Result<(), BackendError> + Sync,
) -> Result<f64, BackendError> {
    rounds(threads, results, Duration::ZERO, &work)?;
    let begin = Instant::now();
    let done = rounds(threads, results, WINDOW, &work)?;
    Ok(per_second(done, begin.elapsed()))
}

/// How many results came of rounds begun within a window, one at least.
fn rounds<T: Clone + Default>(
    threads: usize,
    results: usize,
    window: Duration,
    work: &(impl Fn(&mut [T]) -> Result<(), BackendError> + Sync),
) -> Result<usize, BackendError> {
    let begin = Instant::now();
    let go_round = || {
        let mut outputs = vec![T::default(); results];
        let mut done = 0;
        loop {
            work(&mut outputs)?;
            done += results;
            if begin.elapsed() >= window {
                return Ok(done);
            }
        }
    };
    thread::scope(|scope| {
        let mut others = Vec::new();
        for _ in 1..threads {
            // Where no thread is to be had, fewer will do.
            others.extend(thread::Builder::new().spawn_scoped(scope, go_round));
        }
        let mut done = go_round();
        for thread in others {
            let panicked = |_| Err(BackendError::Device("a thread panicked".to_owned()));
            let results = thread.join().unwrap_or_else(panicked);
            done = done.and_then(|done| Ok(done + results?));
        }
        done
    })
}

/// The results a second of one round, after another.
fn rough_rate<T: Clone + Default>(
    work: impl Fn(&mut [T]) -> Result<(), BackendError>,
    results: usize,
) -> Result<f64, BackendError> {
    let mut outputs = vec![T::default(); results];
    work(&mut outputs)?;
    let begin = Instant::now();
    work(&mut outputs)?;
    Ok(per_second(results, begin.elapsed()))
}

/// The positions that take about half a window at a rate, within reason.
fn sample_size<W: Work>(rate: f64, work: &W, most: usize) -> usize {
    #[allow(clippy::cast_sign_loss)] // a rate is not negative
    let wanted = (rate * WINDOW.as_secs_f64() / 2.0) as usize;
    let results = work.results().max(1);
    (wanted.saturating_mul(work.positions()) / results).clamp(WARM_UP.min(most), most)
}

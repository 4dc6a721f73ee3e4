//! Measures a GPU on the work at hand, and decides.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use super::auto::{Auto, Candidate, Progress, WARM_UP, per_second};
use super::decision::{Names, Pick, Rates};
use super::work::Work;
use super::{Evaluator, Plan, Shared};
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
        let mut rates = Rates {
            cpu: progress.cpu_rate::<W>(),
            gpu: self.gpu_rate(&*shared.gpu, piece, at_once)?,
            both: None,
        };
        if rates.are_close() && self.callers != Some(1) {
            rates.both = Some(self.rate_of_both(&shared, piece, rates.gpu + rates.cpu)?);
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

    /// The GPU's rate with as much as it will be given at once, from as many threads.
    fn gpu_rate<W: Work>(
        &self,
        gpu: &dyn Backend,
        piece: &W,
        at_once: usize,
    ) -> Result<f64, BackendError> {
        let once = |sample: &W::Owned, threads| {
            rate(threads, sample.results(), |outputs| sample.on(gpu, outputs))
        };
        let few = piece.sample(piece.positions().min(1 << 14));
        let guess = rough_rate(|outputs| few.on(gpu, outputs), few.results())?;
        let size = sample_size(guess, piece, at_once.min(MOST_MEASURED));
        once(&piece.sample(size), self.callers.unwrap_or(1))
    }

    fn rate_of_both<W: Work>(
        &self,
        shared: &Shared,
        piece: &W,
        guess: f64,
    ) -> Result<f64, BackendError> {
        let most = match self.callers {
            Some(_) => piece.positions(),
            None => MOST_MEASURED,
        };
        let sample = piece.sample(sample_size(guess, piece, most));
        let threads = self.callers.unwrap_or(1);
        rate(threads, sample.results(), |outputs| {
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

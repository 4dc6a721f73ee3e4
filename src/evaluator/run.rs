//! Does the work: on the CPU, on a GPU, or on both.

use core::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::auto::Auto;
use super::work::Work;
use super::{Evaluator, Plan, Shared};
use crate::backend::Backend;

/// Positions that are done in one go while it is open by what, or where several
/// backends share the work.
pub(super) const PIECE: usize = 1 << 16;

/// Threads that bring the GPU its pieces of shared work: one is filled or read while
/// the device is at work on another.
const FEEDERS: usize = 3;

impl Evaluator {
    pub(super) fn evaluate<W: Work>(&self, work: &W) -> Vec<W::Output> {
        let mut outputs = vec![W::Output::default(); work.results()];
        self.evaluate_into(work, &mut outputs);
        outputs
    }

    pub(super) fn evaluate_into<W: Work>(&self, work: &W, outputs: &mut [W::Output]) {
        let (mut done, mut rest) = (0, &mut *outputs);
        while let (Some(auto), true) = (self.undecided(), done < work.positions()) {
            let positions = done..work.positions().min(done + PIECE);
            done = positions.end;
            let (own, others) = rest.split_at_mut(work.results_of(&positions));
            rest = others;
            whole_or_part(work, positions, |piece| {
                let begin = Instant::now();
                self.on_cpu(piece, own);
                self.consider(auto, piece, begin.elapsed(), work.positions());
            });
        }
        if done < work.positions() {
            whole_or_part(work, done..work.positions(), |work| {
                self.by_plan(work, rest);
            });
        }
        self.lock().scored += W::scored(outputs);
    }

    fn by_plan<W: Work>(&self, work: &W, outputs: &mut [W::Output]) {
        match self.plan.get() {
            None | Some(Plan::Cpu) => self.on_cpu(work, outputs),
            Some(Plan::Gpu(gpu)) => self.on_gpu(&**gpu, work, outputs, self.audit),
            Some(Plan::Both(shared)) => self.on_both(shared, work, outputs, self.audit),
        }
    }

    fn on_cpu<W: Work>(&self, work: &W, outputs: &mut [W::Output]) {
        match self.callers {
            None => work.on_all_cores(&self.cpu, outputs),
            Some(_) => work.on_this_thread(&self.cpu, outputs),
        }
    }

    /// On the CPU if the GPU fails, now or before.
    fn on_gpu<W: Work>(
        &self,
        gpu: &dyn Backend,
        work: &W,
        outputs: &mut [W::Output],
        audit: usize,
    ) {
        let audited = if self.has_fallen_back() {
            None
        } else {
            let audited = work.on(gpu, outputs, audit);
            audited.inspect_err(|error| self.fall_back(error)).ok()
        };
        match audited {
            Some(audited) => self.lock().audited += audited,
            None => self.on_cpu(work, outputs),
        }
    }

    /// Whoever is free takes what comes next.
    pub(super) fn on_both<W: Work>(
        &self,
        shared: &Shared,
        work: &W,
        outputs: &mut [W::Output],
        audit: usize,
    ) {
        let gpu = &*shared.gpu;
        let Some(callers) = self.callers else {
            return self.share_out(gpu, work, outputs, audit);
        };
        // Half of the threads that bring work may wait for the GPU.
        let seats = callers.div_ceil(2);
        if shared.served.fetch_add(1, Ordering::Relaxed) < seats {
            self.on_gpu(gpu, work, outputs, audit);
        } else {
            self.on_cpu(work, outputs);
        }
        shared.served.fetch_sub(1, Ordering::Relaxed);
    }

    /// Cuts the work into pieces, which the GPU and the CPU take one by one.
    fn share_out<W: Work>(
        &self,
        gpu: &dyn Backend,
        work: &W,
        outputs: &mut [W::Output],
        audit: usize,
    ) {
        let mut pieces = Vec::new();
        let mut rest = outputs;
        for start in (0..work.positions()).step_by(PIECE) {
            let positions = start..work.positions().min(start + PIECE);
            let (own, others) = rest.split_at_mut(work.results_of(&positions));
            rest = others;
            pieces.push((positions, own));
        }
        let left = Mutex::new(pieces.into_iter());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let feed = || {
            while let Some((positions, own)) = next() {
                whole_or_part(work, positions, |piece| self.on_gpu(gpu, piece, own, audit));
            }
        };
        thread::scope(|scope| {
            for _ in 0..FEEDERS {
                // Where no thread is to be had, the CPU does it all.
                let _ = thread::Builder::new().spawn_scoped(scope, feed);
            }
            while let Some((positions, own)) = next() {
                whole_or_part(work, positions, |piece| self.on_cpu(piece, own));
            }
        });
    }

    fn undecided(&self) -> Option<&Auto> {
        self.auto.as_ref().filter(|_| self.plan.get().is_none())
    }
}

/// Does something with a part of the work, which is not cut where it is all of it.
fn whole_or_part<W: Work>(work: &W, positions: Range<usize>, then: impl FnOnce(&W)) {
    if positions.len() == work.positions() {
        then(work);
    } else {
        then(&work.part(positions));
    }
}

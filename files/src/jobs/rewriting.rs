//! The way of a block through a device that filters files; see [`crate::device`].
//!
//! The threads of a run (`pool.rs`) offer blocks to the device and go on with other work. Whatever
//! the device gives back, any thread takes up again ([`Rewriting::take_up`]): a part that is done
//! becomes the block's output, a part for which there was no room is offered once more, and a block
//! that the device cannot do is filtered by the CPU.

use std::sync::Arc;
use std::thread::Scope;

use super::block_output::{BlockOutput, Made};
use super::run_context::RunContext;
use super::tally::Tally;
use crate::device::{
    DevicePart, Feed, FilteredPart, FinishedPart, Recipe, ReturnedPart, file_filter,
};
use crate::formats::{Block, are_numbered};
use crate::stages::{Stage, during};
use swaplist::Evaluator;
use swaplist::backend::{Backend, BackendError};

/// Records of a game or chain that count as one of the audit's samples: it is filtered whole.
const RECORDS_A_SAMPLE: usize = 32;

/// A job's feed of a device.
pub(super) struct Rewriting<'a, M> {
    context: &'a RunContext<M>,
    evaluator: &'a Evaluator,
    recipe: &'a Recipe,
    feed: Feed<'a>,
}

/// Compiles a device's kernels for a recipe, while the evaluator is about to try the device.
pub(super) fn prepare(
    recipe: Recipe,
) -> impl FnOnce(&Arc<dyn Backend>) -> Result<bool, BackendError> + Send + 'static {
    move |gpu| {
        let Some(filter) = file_filter(gpu) else {
            return Ok(false);
        };
        filter.prepare(&recipe).map(|()| true)
    }
}

/// What became of a block.
pub(super) enum Outcome<M> {
    /// It is done, and this memory may be used for another block.
    Done(Box<BlockOutput<M>>, Vec<u8>),
    /// The device has it, and gives it back later.
    OnDevice,
    /// The CPU has to work on it.
    ForCpu(Block),
}

impl<'a, M: Made> Rewriting<'a, M> {
    /// Begins to use a device; `None` if no device can do this job, or if the evaluator neither has
    /// nor tries one that can. What the device gives back is handed to `give_back`.
    pub fn begin(
        context: &'a RunContext<M>,
        evaluator: &'a Evaluator,
        give_back: impl Fn(ReturnedPart) + Send + Sync + 'a,
    ) -> Option<Rewriting<'a, M>> {
        // A browser has no device that filters files. With this the compiler leaves out the code.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        let recipe = context.task.recipe()?;
        let device = file_filter(evaluator.device()?)?;
        Some(Rewriting {
            context,
            evaluator,
            recipe,
            feed: Feed::new(device, recipe, give_back),
        })
    }

    /// Starts the thread that waits for the device; it calls `panicked` after a panic. If it cannot
    /// be started, nobody can wait for the device, and the whole job is the CPU's: parts that were
    /// offered come back with this error, and so does each one that is offered later.
    pub fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        panicked: impl FnOnce() + Send + 'scope,
    ) {
        let failed = |error: &BackendError| self.evaluator.fail(error);
        if let Err(error) = self.feed.start(scope, failed, panicked) {
            let error = BackendError::Threads(error.to_string());
            failed(&error);
            self.feed.fail(error);
            self.feed.close();
        }
    }

    pub fn feed(&self) -> &Feed<'a> {
        &self.feed
    }

    /// Offers a block to the device, unless the device cannot do it: then the CPU has to.
    pub fn offer(&self, number: u64, block: Block) -> Outcome<M> {
        let cut = during(Stage::Cut, || self.context.codec.cut(&block));
        let cut = cut.filter(|cut| !self.recipe.needs_numbers() || are_numbered(&block, cut));
        let Some(cut) = cut else {
            return Outcome::ForCpu(block);
        };
        match DevicePart::new(number, block, cut) {
            Ok(part) => self.offer_part(part),
            Err(block) => Outcome::ForCpu(block),
        }
    }

    fn offer_part(&self, part: DevicePart) -> Outcome<M> {
        match self.feed.offer(part) {
            None => Outcome::OnDevice,
            Some(part) => Outcome::ForCpu(part.block),
        }
    }

    /// Takes up what the device has given back. Output takes the place of what is in the buffer that
    /// `buffer` gives.
    pub fn take_up(&self, part: ReturnedPart, buffer: impl FnOnce() -> Vec<u8>) -> Outcome<M> {
        match part {
            ReturnedPart::Finished(finished) => {
                during(Stage::Finish, || self.finish(finished, buffer()))
            }
            ReturnedPart::ToOffer(part) => self.offer_part(part),
        }
    }

    /// Finishes a part that the device is done with.
    fn finish(&self, finished: FinishedPart, buffer: Vec<u8>) -> Outcome<M> {
        let (mut part, made) = self.feed.output(finished, buffer);
        let audited = made.and_then(|made| {
            let Some(made) = made else { return Ok(None) };
            self.audit(&part, &made)
                .map(|audited| Some((made, audited)))
        });
        match audited {
            Ok(Some((made, audited))) => {
                let records = part.cut.records() as u64;
                self.evaluator.note_filtered(records, audited);
                let mut done = BlockOutput {
                    tally: Tally::from_kinds(&made.counts),
                    ..BlockOutput::default()
                };
                self.context.task.complete_tally(&mut done.tally);
                done.tally.bytes = part.block.bytes.len() as u64;
                done.data = made.into_bytes(&mut part.block, &part.cut);
                Outcome::Done(Box::new(done), part.block.bytes)
            }
            Ok(None) => Outcome::ForCpu(part.block),
            Err(error) => {
                self.evaluator.fail(&error);
                Outcome::ForCpu(part.block)
            }
        }
    }

    /// Filters some of the part's games or chains on the CPU, and compares the output of the device
    /// with it. Returns the number of records compared.
    fn audit(&self, part: &DevicePart, made: &FilteredPart) -> Result<u64, BackendError> {
        let units = part.cut.units.len();
        let samples = self.evaluator.samples().div_ceil(RECORDS_A_SAMPLE);
        let mut audited = 0;
        for unit in (0..units)
            .step_by(units.div_ceil(samples.max(1)).max(1))
            .take(samples)
        {
            let block = part.cut.block_of(&part.block, unit);
            let span = &part.cut.units[unit].bytes;
            let here = self.context.task.audit_unit(&self.context.codec, &block);
            let on_device = made.unit(&part.block, &part.cut, unit);
            if here != Some((on_device, made.decisions[unit])) {
                let place = part.block.start.plus(span.start);
                let what = format!("the output of the game or chain at {place}");
                return Err(BackendError::Wrong(what));
            }
            audited += u64::from(part.cut.units[unit].records);
        }
        Ok(audited)
    }
}

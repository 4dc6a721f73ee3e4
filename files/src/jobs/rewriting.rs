//! The way of a block through a device that filters files; see [`crate::device`].

use super::block_output::BlockOutput;
use super::run_context::RunContext;
use super::tally::Tally;
use super::trial::Trial;
use crate::device::{DevicePart, Feed, FilteredPart, FinishedPart, Offer, Recipe, file_filter};
use crate::formats::{Block, are_numbered};
use swaplist::Evaluator;
use swaplist::backend::BackendError;

/// Records of a game or chain that count as one of the audit's samples: it is filtered whole.
const RECORDS_A_SAMPLE: usize = 32;

/// A job's feed of a device.
pub(super) struct Rewriting<'a> {
    context: &'a RunContext,
    evaluator: &'a Evaluator,
    recipe: &'a Recipe,
    feed: Feed<'a>,
}

/// What became of a block.
pub(super) enum Outcome {
    /// It is done, and this memory may be used for another block.
    Done(u64, Box<BlockOutput>, Vec<u8>),
    /// The CPU has to work on it.
    ForCpu(u64, Block),
}

impl<'a> Rewriting<'a> {
    /// Begins it, if the job is one that a device can do, and the evaluator has such a device, or
    /// one to compare with the CPU. `wake` is called when there may be something to do.
    pub fn begin(
        context: &'a RunContext,
        evaluator: &'a Evaluator,
        trial: &Trial,
        wake: impl Fn() + Send + Sync + 'a,
    ) -> Option<Rewriting<'a>> {
        // A browser has no device that filters files. To say so leaves this code out of the page.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        let recipe = context.task.recipe()?;
        let device = evaluator.live_gpu().and_then(file_filter).or_else(|| {
            let recipe = recipe.clone();
            let candidate = evaluator.candidate(trial.elapsed(), move |gpu| {
                let Some(filter) = file_filter(gpu) else {
                    return Ok(false);
                };
                filter.prepare(&recipe).map(|()| true)
            })?;
            trial.hand_over().then(|| file_filter(candidate))?
        })?;
        Some(Rewriting {
            context,
            evaluator,
            recipe,
            feed: Feed::new(device, recipe, wake),
        })
    }

    /// Compiles the device's kernels, then waits for batches until the feed is closed.
    pub fn wait_for_device(&self) {
        if let Err(error) = self.feed.prepare() {
            self.evaluator.fail(&error);
        }
        self.feed.wait_for_batches();
    }

    /// Leaves the whole job to the CPU, as nobody can wait for the device. Parts that were offered
    /// come back with this error, and so does each one that is offered later.
    pub fn give_up(&self, error: &BackendError) {
        self.evaluator.fail(error);
        self.feed.fail(error.clone());
        self.feed.close();
    }

    pub fn feed(&self) -> &Feed<'a> {
        &self.feed
    }

    /// Cuts a block for the device; gives it back if the CPU has to work on it.
    pub fn cut(&self, number: u64, block: Block) -> Result<DevicePart, Block> {
        let cut = self.context.codec.cut(&block);
        let has_numbers = |cut: &_| !self.recipe.needs_numbers() || are_numbered(&block, cut);
        match cut.filter(has_numbers) {
            Some(cut) => DevicePart::new(number, block, cut),
            None => Err(block),
        }
    }

    /// Offers a part to the device. Gives it back if there is no room for it now; the block, if
    /// there never will be.
    pub fn offer(&self, part: DevicePart) -> Result<Option<DevicePart>, (u64, Block)> {
        match self.feed.offer(part) {
            Offer::Taken => Ok(None),
            Offer::Later(part) => Ok(Some(part)),
            Offer::TooLarge(part) => Err((part.number, part.block)),
        }
    }

    /// Finishes a part that the device is done with. The output takes the place of what is in
    /// `buffer`.
    pub fn finish(&self, finished: FinishedPart, buffer: Vec<u8>) -> Outcome {
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
                    tally: Tally::of_kinds(&made.counts),
                    ..BlockOutput::default()
                };
                self.context.task.note_kept(&mut done.tally);
                done.tally.bytes = part.block.bytes.len() as u64;
                done.data = made.into_bytes(&mut part.block, &part.cut);
                Outcome::Done(part.number, Box::new(done), part.block.bytes)
            }
            Ok(None) => Outcome::ForCpu(part.number, part.block),
            Err(error) => {
                self.evaluator.fail(&error);
                Outcome::ForCpu(part.number, part.block)
            }
        }
    }

    /// Filters some games or chains here, and compares. Returns the number of their records.
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
            let here = self.context.task.filter_unit(&self.context.codec, &block);
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

//! Hands parts of a file to a device, and takes back what it made of them.
//!
//! A part goes from hand to hand as follows. Any number of threads use a [`Feed`] at once, and none
//! of them waits here:
//!
//! ```text
//! offer               a part joins the batch that is being filled, and its bytes are copied; a
//!                     batch without room for another part of that size is full.
//!                     If all batches are full or in flight, or enough threads copy, the part is
//!                     parked: it is given back to be offered again when that has changed
//! submit_ready        a batch that is full, with all its parts copied, goes to the device
//! wait_for_batches    one thread waits for the oldest batch in flight, then gives its parts back
//! output              a part's bytes are put together; after its last part the batch is free again
//! ```
//!
//! - At most [`MAX_WRITERS`] threads copy at once: upload memory is the device's own, and more
//!   writers make it slower (one thread wrote 7 to 10 GB/s into an H100's, four 20, eight 14).
//! - A batch has no more records than the device does in some 60 ms, by what the batches before it
//!   took (`src/gpu/program/pace.rs`). The first one has a single part. A part is never divided.
//! - [`Feed::flush_if_idle`] submits a batch that is not full when the device has nothing to do,
//!   such as at the end of a file.
//! - What comes out of the feed is given back by a callback, to whoever has threads to take it up.
//!
//! # Errors
//!
//! The first error ends the use of the device: all parts in the feed are finished with that error,
//! and so is each part that is offered later. Their blocks are unharmed, so the CPU filters them.
//!
//! # What must hold
//!
//! - A part that was taken is given back exactly once, whatever fails and whichever thread notices:
//!   the job waits for it. A part that a thread is copying belongs to that thread:
//!   [`FeedState::fail`] leaves it alone, and [`Feed::note_copied`] finishes it.
//! - While parts are parked, something is under way that looks after them when it ends: a copy, or a
//!   batch that is full.
//! - No lock is held while bytes are copied, while a batch is submitted, awaited or read, or while
//!   parts are given back. Only the buffers of a new batch are made under the lock, at most three
//!   times.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Scope};
use std::time::Instant;

use super::layout::{BatchLayout, BatchSize, PlacedPart, RowOrder};
use super::output::{DeviceOutput, FilteredPart, filtered_part};
use super::{DeviceBatch, FileFilter, Recipe, Region, Room};
use crate::formats::{Block, Cut};
use crate::stages::{LaneKind, Stage, Stages, during, note_batch};
use parking_lot::{Condvar, Mutex, MutexGuard};
use swaplist::backend::BackendError;
use swaplist::gpu::program::{MAX_WRITERS, Pace};

/// The most batches: one is filled, one computed, one read.
const MAX_BATCHES: usize = 3;

/// A block that a device is to filter, with the units that it was cut into.
pub(crate) struct DevicePart {
    /// The block's number in the file, from 0.
    pub number: u64,
    pub block: Block,
    /// The units of the block.
    pub cut: Cut,
    /// Which unit is in which row.
    order: RowOrder,
}

impl DevicePart {
    /// A part of this block, whose number in the file is `number`. Gives the block back if a device
    /// cannot take it: it has no unit, or one that is too long.
    pub fn new(number: u64, block: Block, cut: Cut) -> Result<DevicePart, Block> {
        match RowOrder::from_cut(&cut) {
            Some(order) => Ok(DevicePart {
                number,
                block,
                cut,
                order,
            }),
            None => Err(block),
        }
    }

    /// The bytes to upload: those of the block from its first unit to its last one, with the bytes
    /// between units.
    fn bytes(&self) -> &[u8] {
        let start = self.start() as usize;
        let end = self
            .cut
            .units
            .last()
            .map_or(start, |unit| unit.bytes.end as usize);
        &self.block.bytes[start..end]
    }

    /// Where its first unit begins in the block.
    fn start(&self) -> u32 {
        self.cut.units.first().map_or(0, |unit| unit.bytes.start)
    }

    /// What it takes in a batch.
    fn size(&self, room: &Room) -> BatchSize {
        BatchSize {
            bytes: self.bytes().len().next_multiple_of(8),
            rows: self.order.rows(room.workgroup),
            records: self.cut.records(),
            parts: 1,
        }
    }
}

/// What the feed gives back.
pub(crate) enum ReturnedPart {
    /// The device is done with it: see [`Feed::output`].
    Finished(FinishedPart),
    /// There was no room for it, and now there may be: it has to be offered again.
    ToOffer(DevicePart),
}

impl ReturnedPart {
    /// The number of its block.
    pub const fn number(&self) -> u64 {
        match self {
            ReturnedPart::Finished(finished) => finished.part.number,
            ReturnedPart::ToOffer(part) => part.number,
        }
    }
}

/// A part that the device is done with, or has failed at.
pub(crate) struct FinishedPart {
    part: DevicePart,
    /// The batch that has its output, and where it is there; or the device's error.
    batch: Result<(Arc<SubmittedBatch>, PlacedPart), BackendError>,
}

/// A batch that is being filled.
struct OpenBatch {
    /// Identifies it: its index in [`FeedState::open`] changes when others are submitted.
    id: u64,
    batch: Arc<dyn DeviceBatch>,
    /// How much it holds, also of parts that are being copied.
    size: BatchSize,
    /// The parts whose bytes are copied.
    parts: Vec<(DevicePart, PlacedPart)>,
    /// The number of parts that are being copied.
    copying: usize,
    /// Whether it takes no more parts.
    is_full: bool,
}

impl OpenBatch {
    fn has_room(&self, part: BatchSize, room: &Room, most_records: usize) -> bool {
        !self.is_full && self.could_take(part, room, most_records)
    }

    /// Whether it holds no more than fits, and than these records, with another part. A single part
    /// may have more.
    fn could_take(&self, part: BatchSize, room: &Room, most_records: usize) -> bool {
        let all = self.size.plus(part);
        let is_in_time = all.parts == 1 || all.records <= most_records;
        is_in_time && all.fits(room)
    }

    /// Whether it can be submitted.
    fn is_ready(&self) -> bool {
        self.is_full && self.copying == 0
    }
}

/// A batch on the device, or one whose parts are being read.
struct SubmittedBatch {
    batch: Arc<dyn DeviceBatch>,
    layout: BatchLayout,
    submitted: Instant,
    /// The parts, until the device is done with them.
    parts: Mutex<Vec<(DevicePart, PlacedPart)>>,
    /// The number of parts that are not read yet.
    unread: AtomicUsize,
}

/// Where all batches and parts of a feed are. A part is parked, in an open batch (or with the thread
/// that copies it), in a batch that is being submitted or is in flight, or on its way back.
#[derive(Default)]
struct FeedState {
    /// How many records a batch may have; one with a single part may have more.
    pace: Pace,
    /// Batches that are being filled. At most one of them is not full.
    open: Vec<OpenBatch>,
    /// The id of the last batch that was opened.
    last_id: u64,
    /// Batches whose parts have all been read.
    free: Vec<Arc<dyn DeviceBatch>>,
    /// The number of batches made so far, at most [`MAX_BATCHES`].
    batch_count: usize,
    /// The number of batches that are being submitted.
    submitting: usize,
    /// Batches on the device, the oldest first.
    in_flight: VecDeque<Arc<SubmittedBatch>>,
    /// The number of threads that copy.
    writers: usize,
    /// Parts for which there was no room, the oldest first.
    parked: VecDeque<DevicePart>,
    /// Parts to be given back, as soon as the lock is free.
    returned: Vec<ReturnedPart>,
    /// The first error: the device is not used any more.
    error: Option<BackendError>,
    is_closed: bool,
}

impl FeedState {
    /// Finishes a part with an error.
    fn finish(&mut self, part: DevicePart, error: &BackendError) {
        self.returned.push(ReturnedPart::Finished(FinishedPart {
            part,
            batch: Err(error.clone()),
        }));
    }

    /// Whether a batch may have room for a part.
    fn may_take(&self) -> bool {
        self.open.iter().any(|open| !open.is_full)
            || !self.free.is_empty()
            || self.batch_count < MAX_BATCHES
    }

    /// Gives back as many parked parts as may be copied now.
    fn unpark(&mut self) {
        let free_writers = MAX_WRITERS.saturating_sub(self.writers);
        if self.may_take() {
            let count = free_writers.min(self.parked.len());
            let parts = self.parked.drain(..count).map(ReturnedPart::ToOffer);
            self.returned.extend(parts);
        }
    }

    /// Takes a batch that is full and copied out of those that are being filled. The caller submits
    /// it.
    fn take_ready(&mut self) -> Option<OpenBatch> {
        // A device that has failed gets nothing more; parts that are being copied to these batches
        // are finished by their threads.
        if self.error.is_some() {
            return None;
        }
        let ready = self.open.iter().position(OpenBatch::is_ready)?;
        self.submitting += 1;
        Some(self.open.remove(ready))
    }

    /// Finishes all parts that are in the feed with an error, except those that a thread is
    /// copying: that thread does.
    fn fail(&mut self, error: BackendError) {
        let mut failed = Vec::from(core::mem::take(&mut self.parked));
        for open in self.open.drain(..) {
            failed.extend(open.parts.into_iter().map(|(part, _)| part));
        }
        for submitted in self.in_flight.drain(..) {
            failed.extend(submitted.take_parts().into_iter().map(|(part, _)| part));
        }
        for part in failed {
            self.finish(part, &error);
        }
        self.error.get_or_insert(error);
    }
}

impl SubmittedBatch {
    /// The parts, the first time; after that none.
    fn take_parts(&self) -> Vec<(DevicePart, PlacedPart)> {
        core::mem::take(&mut self.parts.lock())
    }
}

/// Feeds a device with the parts of a file; see the head of `device/feed.rs`.
pub(crate) struct Feed<'a> {
    device: Arc<dyn FileFilter>,
    recipe: &'a Recipe,
    room: Room,
    state: Mutex<FeedState>,
    /// Signals that a batch is in flight, or that the feed is closed.
    submitted: Condvar,
    /// Takes a part back. Called without a lock.
    give_back: Box<dyn Fn(ReturnedPart) + Send + Sync + 'a>,
}

impl<'a> Feed<'a> {
    /// A feed of this device. Any thread calls `give_back` with a part that comes back.
    pub fn new(
        device: Arc<dyn FileFilter>,
        recipe: &'a Recipe,
        give_back: impl Fn(ReturnedPart) + Send + Sync + 'a,
    ) -> Feed<'a> {
        Feed {
            recipe,
            room: device.room(),
            device,
            state: Mutex::default(),
            submitted: Condvar::default(),
            give_back: Box::new(give_back),
        }
    }

    /// The most records of a batch.
    pub const fn batch_records(&self) -> u64 {
        self.room.records as u64
    }

    /// Takes a part, which is given back later; returns it if it does not fit an empty batch. If the
    /// device has failed, the part is finished at once, with the error.
    pub fn offer(&self, part: DevicePart) -> Option<DevicePart> {
        let size = part.size(&self.room);
        if !size.fits(&self.room) {
            return Some(part);
        }
        let mut state = self.state.lock();
        if state.error.is_none() {
            self.make_room(&mut state, size);
        }
        if let Some(error) = state.error.clone() {
            state.finish(part, &error);
            self.unlock(state);
            return None;
        }
        let most_records = state.pace.records();
        let may_write = state.writers < MAX_WRITERS;
        let mut open_batches = state.open.iter_mut();
        let Some(open) =
            open_batches.find(|open| may_write && open.has_room(size, &self.room, most_records))
        else {
            state.parked.push_back(part);
            self.unlock(state);
            self.submit_ready();
            return None;
        };
        let place = PlacedPart::after(open.size, size);
        open.size = open.size.plus(size);
        open.copying += 1;
        // Parts of a file are of like size, so another one like this is what will come.
        open.is_full = !open.could_take(size, &self.room, most_records);
        let id = open.id;
        let batch = Arc::clone(&open.batch);
        state.writers += 1;
        self.unlock(state);

        let result = during(Stage::Fill, || Feed::copy(&*batch, &part, &place));
        self.note_copied(id, part, place, result);
        self.submit_ready();
        None
    }

    /// Sees to it that an open batch has room for a part of this size, if there can be one.
    fn make_room(&self, state: &mut FeedState, size: BatchSize) {
        let most_records = state.pace.records();
        if state
            .open
            .iter()
            .any(|open| open.has_room(size, &self.room, most_records))
        {
            return;
        }
        for open in &mut state.open {
            open.is_full = true;
        }
        if let Err(error) = self.open_batch(state) {
            state.fail(error);
        }
    }

    /// Begins to fill another batch, if there is a free one or one more can be made.
    fn open_batch(&self, state: &mut FeedState) -> Result<(), BackendError> {
        let batch = match state.free.pop() {
            Some(batch) => batch,
            None if state.batch_count < MAX_BATCHES => {
                state.batch_count += 1;
                self.device.batch()?.into()
            }
            None => return Ok(()),
        };
        state.last_id += 1;
        let id = state.last_id;
        state.open.push(OpenBatch {
            id,
            batch,
            size: BatchSize::default(),
            parts: Vec::new(),
            copying: 0,
            is_full: false,
        });
        Ok(())
    }

    /// Copies a part's bytes and rows to its place in a batch.
    fn copy(
        batch: &dyn DeviceBatch,
        part: &DevicePart,
        place: &PlacedPart,
    ) -> Result<(), BackendError> {
        let rows = part.order.words(&part.cut, place, part.start());
        batch.put(Region::Bytes, place.bytes.start, part.bytes())?;
        let rows_at = place.rows.start * size_of_val(&rows[0]);
        batch.put(Region::Rows, rows_at, bytemuck::cast_slice(&rows))
    }

    /// Adds a part to its batch after its bytes were copied, with `result`; or finishes it with an
    /// error if that failed, or if the device has failed meanwhile.
    fn note_copied(
        &self,
        id: u64,
        part: DevicePart,
        place: PlacedPart,
        result: Result<(), BackendError>,
    ) {
        let mut state = self.state.lock();
        state.writers -= 1;
        if let Err(error) = result {
            state.fail(error);
        }
        if let Some(error) = state.error.clone() {
            state.finish(part, &error);
        } else if let Some(open) = state.open.iter_mut().find(|open| open.id == id) {
            open.copying -= 1;
            open.parts.push((part, place));
            state.unpark();
        }
        self.unlock(state);
    }

    /// Submits all batches that are full and copied.
    fn submit_ready(&self) {
        loop {
            let Some(open) = self.state.lock().take_ready() else {
                return;
            };
            self.submit(open);
        }
    }

    /// Submits a batch that `take_ready` has taken.
    fn submit(&self, open: OpenBatch) {
        let layout = BatchLayout::new(open.size, self.recipe, &self.room);
        let table = self.recipe.table(&layout);
        let result = during(Stage::Fill, || {
            open.batch
                .put(Region::Table, 0, bytemuck::cast_slice(&table))
                .and_then(|()| open.batch.submit(self.recipe, &layout))
        });
        let submitted = SubmittedBatch {
            batch: open.batch,
            layout,
            submitted: Instant::now(),
            unread: open.parts.len().into(),
            parts: Mutex::new(open.parts),
        };
        let mut state = self.state.lock();
        state.submitting -= 1;
        state.in_flight.push_back(Arc::new(submitted));
        // Another thread may have had an error while this batch was in no list.
        match result.err().or(state.error.clone()) {
            Some(error) => state.fail(error),
            None => {
                self.submitted.notify_one();
            }
        }
        self.unlock(state);
    }

    /// Submits a batch that is not full, if the device has nothing to do. A thread calls it before
    /// it sleeps.
    pub fn flush_if_idle(&self) {
        {
            let mut state = self.state.lock();
            if state.submitting > 0 || !state.in_flight.is_empty() {
                return;
            }
            for open in &mut state.open {
                open.is_full |= open.size.parts > 0;
            }
        }
        self.submit_ready();
    }

    /// Starts the thread that compiles the kernels, so that the first batch need not wait for them,
    /// and then waits for batches until the feed is closed. `failed` is called if a kernel cannot be
    /// compiled, `panicked` after a panic; then the feed is closed.
    pub fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        failed: impl FnOnce(&BackendError) + Send + 'scope,
        panicked: impl FnOnce() + Send + 'scope,
    ) -> io::Result<()> {
        let recording = Stages::for_this_thread();
        let waiting = thread::Builder::new().name("swaplist device".to_owned());
        let started = waiting.spawn_scoped(scope, move || {
            let waited = catch_unwind(AssertUnwindSafe(|| {
                // On threads that are no part of the run.
                if let Err(error) = self.device.prepare(self.recipe) {
                    failed(&error);
                }
                let _lane = recording
                    .as_ref()
                    .map(|recording| recording.begin_lane("device".to_owned(), LaneKind::Waiter));
                self.wait_for_batches();
            }));
            if waited.is_err() {
                self.close();
                panicked();
            }
        });
        started.map(drop)
    }

    /// Waits for batches in flight, one after another, until the feed is closed.
    fn wait_for_batches(&self) {
        while let Some(batch) = self.oldest_in_flight() {
            let result = during(Stage::Wait, || batch.batch.wait());
            if let Some(times) = batch.batch.times() {
                note_batch(batch.layout.size.records as u64, &times);
            }
            let mut state = self.state.lock();
            match result {
                Ok(()) => {
                    let records = batch.layout.size.records;
                    state
                        .pace
                        .note_end(records, batch.submitted, Instant::now());
                    // If the feed has failed meanwhile, the batch is gone, and has no parts.
                    state.in_flight.retain(|other| !Arc::ptr_eq(other, &batch));
                    for (part, place) in batch.take_parts() {
                        state.returned.push(ReturnedPart::Finished(FinishedPart {
                            part,
                            batch: Ok((Arc::clone(&batch), place)),
                        }));
                    }
                }
                Err(error) => state.fail(error),
            }
            self.unlock(state);
        }
    }

    /// Waits for a batch to be in flight; `None` once the feed is closed.
    fn oldest_in_flight(&self) -> Option<Arc<SubmittedBatch>> {
        let mut state = self.state.lock();
        while !state.is_closed {
            if let Some(batch) = state.in_flight.front() {
                return Some(Arc::clone(batch));
            }
            self.submitted.wait(&mut state);
        }
        None
    }

    /// Gives parts back that are on their way, without the lock.
    fn unlock(&self, mut state: MutexGuard<'_, FeedState>) {
        let returned = core::mem::take(&mut state.returned);
        drop(state);
        returned.into_iter().for_each(&self.give_back);
    }

    /// Puts together what the device made of a part, in place of what is in `buffer`; returns the
    /// part with it. `None` if the CPU has to filter the part. After the last part of a batch the
    /// batch is free.
    pub fn output(
        &self,
        finished: FinishedPart,
        buffer: Vec<u8>,
    ) -> (DevicePart, Result<Option<FilteredPart>, BackendError>) {
        let FinishedPart { part, batch } = finished;
        let (submitted, place) = match batch {
            Ok(batch) => batch,
            Err(error) => return (part, Err(error)),
        };
        let device = &*submitted.batch;
        let output = DeviceOutput {
            batch: device,
            recipe: self.recipe,
            layout: &submitted.layout,
            place: &place,
        };
        let filtered = filtered_part(&output, &part.order, &part.block, &part.cut, buffer);
        // Whoever reads the last part sees the reads of all others as done.
        if submitted.unread.fetch_sub(1, Ordering::AcqRel) == 1 {
            let reset = device.reset();
            let mut state = self.state.lock();
            match reset {
                Ok(()) => {
                    state.free.push(Arc::clone(&submitted.batch));
                    state.unpark();
                }
                Err(error) => state.fail(error),
            }
            self.unlock(state);
        }
        (part, filtered)
    }

    /// Ends the use of the device with an error: all parts are finished with it, also those that
    /// are offered later.
    pub fn fail(&self, error: BackendError) {
        let mut state = self.state.lock();
        state.fail(error);
        self.unlock(state);
    }

    /// Ends the thread that waits for batches, after the one that it waits for.
    pub fn close(&self) {
        self.state.lock().is_closed = true;
        self.submitted.notify_all();
    }

    pub fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }
}

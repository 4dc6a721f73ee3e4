//! Hands parts of a file to a device, and takes back what it made of them.
//!
//! Any number of threads use a [`Feed`] at once:
//!
//! - [`Feed::offer`] copies a part into the batch that is being filled. At most [`WRITERS`] threads
//!   copy at once: upload memory is the device's own, and more writers make it slower (one thread
//!   wrote 7 to 10 GB/s into an H100's, four 20, eight 14).
//! - A batch that has no room for another part like its last one is submitted, by the thread that
//!   copied last. [`Feed::flush_if_idle`] submits one that is not full when the device has nothing
//!   to do.
//! - One thread runs [`Feed::wait_for_batches`]. It waits for the oldest batch in flight; its parts
//!   then lie ready for [`Feed::take_finished`].
//! - Whoever is done with the last part of a batch makes the batch free again.
//!
//! No thread waits for its own part. Those that wait for anything wait elsewhere, and are woken by a
//! callback.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::layout::{BatchSize, Layout, PlacedPart, RowOrder};
use super::output::{DeviceOutput, Rewritten, rewritten};
use super::{DeviceBatch, FileFilter, Recipe, Region, Room};
use crate::backend::BackendError;
use crate::formats::{Block, Cut};

/// The most threads that write into upload memory at once.
const WRITERS: usize = 4;

/// The most batches: one is filled, one computed, one read.
const BATCHES: usize = 3;

/// A block that a device is to filter.
pub(crate) struct Part {
    /// Its number in the file.
    pub number: u64,
    pub block: Block,
    pub cut: Cut,
    order: RowOrder,
}

impl Part {
    /// The block back, if a device cannot take it.
    pub fn new(number: u64, block: Block, cut: Cut) -> Result<Part, Block> {
        match RowOrder::of(&cut) {
            Some(order) => Ok(Part {
                number,
                block,
                cut,
                order,
            }),
            None => Err(block),
        }
    }

    /// The bytes of its units in the block, with what is between them.
    fn bytes(&self) -> &[u8] {
        let start = self.start() as usize;
        let end = self
            .cut
            .units
            .last()
            .map_or(start, |unit| unit.bytes.end as usize);
        &self.block.bytes[start..end]
    }

    fn start(&self) -> u32 {
        self.cut.units.first().map_or(0, |unit| unit.bytes.start)
    }

    fn size(&self, room: &Room) -> BatchSize {
        BatchSize {
            bytes: self.bytes().len().next_multiple_of(8),
            rows: self.order.rows(room.workgroup),
            records: self.cut.records(),
            parts: 1,
        }
    }
}

/// What became of an offer.
pub(crate) enum Offer {
    Taken,
    /// All batches are full or in flight: try again later.
    Later(Part),
    /// It will never fit.
    TooLarge(Part),
}

/// A part that a device is done with, or has failed at.
pub(crate) struct FinishedPart {
    pub part: Part,
    batch: Result<(Arc<SubmittedBatch>, PlacedPart), BackendError>,
}

/// A batch that is being filled.
struct OpenBatch {
    /// Tells it from others, also after some of them were submitted.
    id: u64,
    batch: Arc<dyn DeviceBatch>,
    size: BatchSize,
    /// Parts that are copied.
    parts: Vec<(Part, PlacedPart)>,
    /// The number of parts that are being copied.
    copying: usize,
    /// Whether it takes no more parts.
    is_full: bool,
}

impl OpenBatch {
    fn has_room(&self, part: BatchSize, room: &Room) -> bool {
        !self.is_full && self.size.plus(part).fits(room)
    }

    fn is_ready(&self) -> bool {
        self.is_full && self.copying == 0
    }
}

/// A batch on the device, or one whose parts are being read.
struct SubmittedBatch {
    batch: Arc<dyn DeviceBatch>,
    layout: Layout,
    /// The parts, until the device is done with them.
    parts: Mutex<Vec<(Part, PlacedPart)>>,
    /// The number of parts that are not read yet.
    unread: AtomicUsize,
}

#[derive(Default)]
struct State {
    open: Vec<OpenBatch>,
    next_id: u64,
    free: Vec<Arc<dyn DeviceBatch>>,
    /// Batches made so far.
    made: usize,
    /// Batches that are being submitted.
    submitting: usize,
    in_flight: VecDeque<Arc<SubmittedBatch>>,
    finished: VecDeque<FinishedPart>,
    /// Parts that were taken, and not taken back.
    outstanding: usize,
    error: Option<BackendError>,
    is_closed: bool,
}

impl State {
    fn finish(&mut self, part: Part, error: &BackendError) {
        self.finished.push_back(FinishedPart {
            part,
            batch: Err(error.clone()),
        });
    }

    /// Takes a batch that nobody copies to any more out of those that are being filled.
    fn take_ready(&mut self) -> Option<OpenBatch> {
        let ready = self.open.iter().position(OpenBatch::is_ready)?;
        self.submitting += 1;
        Some(self.open.remove(ready))
    }

    /// Gives all parts back that are in the feed but not being copied, with an error.
    fn fail(&mut self, error: BackendError) {
        for open in &mut self.open {
            open.is_full = true;
            let parts = core::mem::take(&mut open.parts);
            let failed = parts.into_iter().map(|(part, _)| FinishedPart {
                part,
                batch: Err(error.clone()),
            });
            self.finished.extend(failed);
        }
        while let Some(submitted) = self.in_flight.pop_front() {
            for (part, _) in submitted.take_parts() {
                self.finish(part, &error);
            }
        }
        self.error.get_or_insert(error);
    }
}

impl SubmittedBatch {
    fn take_parts(&self) -> Vec<(Part, PlacedPart)> {
        core::mem::take(&mut lock(&self.parts))
    }
}

/// See the [module](self).
pub(crate) struct Feed<'a> {
    device: &'a dyn FileFilter,
    recipe: &'a Recipe,
    room: Room,
    state: Mutex<State>,
    /// Signals that a batch is in flight, or that the feed is closed.
    submitted: Condvar,
    writers: Writers,
    /// Called without a lock when there may be something to do.
    wake: Box<dyn Fn() + Send + Sync + 'a>,
}

impl<'a> Feed<'a> {
    pub fn new(
        device: &'a dyn FileFilter,
        recipe: &'a Recipe,
        wake: impl Fn() + Send + Sync + 'a,
    ) -> Feed<'a> {
        Feed {
            device,
            recipe,
            room: device.room(),
            state: Mutex::default(),
            submitted: Condvar::new(),
            writers: Writers::new(WRITERS),
            wake: Box::new(wake),
        }
    }

    /// Compiles the kernels, so that the first batch need not wait for them.
    pub fn prepare(&self) -> Result<(), BackendError> {
        self.device.prepare(self.recipe)
    }

    /// The most records of a batch.
    pub const fn batch_records(&self) -> u64 {
        self.room.records as u64
    }

    /// Takes a part, if a batch has room for it. If the device has failed, the part is finished at
    /// once, with the error.
    pub fn offer(&self, part: Part) -> Offer {
        let size = part.size(&self.room);
        if !size.fits(&self.room) {
            return Offer::TooLarge(part);
        }
        let mut state = self.lock();
        if !state
            .open
            .iter()
            .any(|open| open.has_room(size, &self.room))
        {
            for open in &mut state.open {
                open.is_full = true;
            }
            if let Err(error) = self.open_batch(&mut state) {
                state.fail(error);
            }
        }
        if let Some(error) = state.error.clone() {
            state.outstanding += 1;
            state.finish(part, &error);
            drop(state);
            (self.wake)();
            return Offer::Taken;
        }
        let open = state
            .open
            .iter_mut()
            .find(|open| open.has_room(size, &self.room));
        let Some(open) = open else {
            drop(state);
            self.submit_ready();
            return Offer::Later(part);
        };
        let place = PlacedPart::after(open.size, size);
        open.size = open.size.plus(size);
        open.copying += 1;
        open.is_full = !open.size.plus(size).fits(&self.room);
        let id = open.id;
        let batch = Arc::clone(&open.batch);
        state.outstanding += 1;
        drop(state);

        let copied = self.copy(&*batch, &part, &place);
        self.note_copied(id, part, place, copied);
        self.submit_ready();
        Offer::Taken
    }

    /// Begins to fill another batch, if there is a free one or one more can be made.
    fn open_batch(&self, state: &mut State) -> Result<(), BackendError> {
        let batch = match state.free.pop() {
            Some(batch) => batch,
            None if state.made < BATCHES => {
                state.made += 1;
                self.device.batch()?.into()
            }
            None => return Ok(()),
        };
        state.next_id += 1;
        let id = state.next_id;
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

    fn copy(
        &self,
        batch: &dyn DeviceBatch,
        part: &Part,
        place: &PlacedPart,
    ) -> Result<(), BackendError> {
        let rows = part.order.words(&part.cut, place, part.start());
        let _writer = self.writers.enter();
        batch.put(Region::Bytes, place.bytes.start, part.bytes())?;
        let rows_at = place.rows.start * size_of_val(&rows[0]);
        batch.put(Region::Rows, rows_at, bytemuck::cast_slice(&rows))
    }

    /// Adds a part to its batch, or gives it back if the device has failed meanwhile.
    fn note_copied(
        &self,
        id: u64,
        part: Part,
        place: PlacedPart,
        copied: Result<(), BackendError>,
    ) {
        let mut state = self.lock();
        if let Err(error) = copied {
            state.fail(error);
        }
        let error = state.error.clone();
        if let Some(open) = state.open.iter_mut().find(|open| open.id == id) {
            open.copying -= 1;
            if error.is_none() {
                open.parts.push((part, place));
                return;
            }
        }
        if let Some(error) = error {
            state.finish(part, &error);
            drop(state);
            (self.wake)();
        }
    }

    /// Submits what is full and copied.
    fn submit_ready(&self) {
        loop {
            let Some(open) = self.lock().take_ready() else {
                return;
            };
            self.submit(open);
        }
    }

    fn submit(&self, open: OpenBatch) {
        let layout = Layout::new(open.size, self.recipe, &self.room);
        let table = self.recipe.table(&layout);
        let begun = open
            .batch
            .put(Region::Table, 0, bytemuck::cast_slice(&table))
            .and_then(|()| open.batch.submit(self.recipe, &layout));
        let submitted = SubmittedBatch {
            batch: open.batch,
            layout,
            unread: open.parts.len().into(),
            parts: Mutex::new(open.parts),
        };
        let mut state = self.lock();
        state.submitting -= 1;
        state.in_flight.push_back(Arc::new(submitted));
        if let Some(error) = begun.err().or(state.error.clone()) {
            state.fail(error);
            drop(state);
            (self.wake)();
        } else {
            self.submitted.notify_one();
        }
    }

    /// Submits a batch that is not full, if the device has nothing to do. Call it before waiting.
    pub fn flush_if_idle(&self) {
        {
            let mut state = self.lock();
            if state.submitting > 0 || !state.in_flight.is_empty() {
                return;
            }
            for open in &mut state.open {
                open.is_full |= open.size.parts > 0;
            }
        }
        self.submit_ready();
    }

    /// Waits for batches in flight, one after another, until the feed is closed.
    pub fn wait_for_batches(&self) {
        loop {
            let nothing = |state: &mut State| state.in_flight.is_empty() && !state.is_closed;
            let state = self.submitted.wait_while(self.lock(), nothing);
            let state = state.unwrap_or_else(PoisonError::into_inner);
            if state.is_closed {
                return;
            }
            let Some(batch) = state.in_flight.front().cloned() else {
                continue;
            };
            drop(state);
            let waited = batch.batch.wait();
            let mut state = self.lock();
            match waited {
                Ok(()) => {
                    // Unless it failed meanwhile.
                    state.in_flight.retain(|other| !Arc::ptr_eq(other, &batch));
                    let done = batch.take_parts().into_iter();
                    let done = done.map(|(part, place)| FinishedPart {
                        part,
                        batch: Ok((Arc::clone(&batch), place)),
                    });
                    state.finished.extend(done);
                }
                Err(error) => state.fail(error),
            }
            drop(state);
            (self.wake)();
        }
    }

    /// Whether a part is ready to be finished.
    pub fn has_finished(&self) -> bool {
        !self.lock().finished.is_empty()
    }

    /// Whether a part may find room.
    pub fn may_take(&self) -> bool {
        let state = self.lock();
        let is_open = state.open.iter().any(|open| !open.is_full);
        is_open || !state.free.is_empty() || state.made < BATCHES || state.error.is_some()
    }

    /// Whether there are no parts in it.
    pub fn is_empty(&self) -> bool {
        self.lock().outstanding == 0
    }

    /// Takes a part back that the device is done with.
    pub fn take_finished(&self) -> Option<FinishedPart> {
        let mut state = self.lock();
        let finished = state.finished.pop_front()?;
        state.outstanding -= 1;
        Some(finished)
    }

    /// What the device made of a part, and the part. Makes the batch free after its last part.
    /// `None` if the CPU has to work on it.
    pub fn output(
        &self,
        finished: FinishedPart,
        buffer: Vec<u8>,
    ) -> (Part, Result<Option<Rewritten>, BackendError>) {
        let FinishedPart { part, batch } = finished;
        let (submitted, place) = match batch {
            Ok(batch) => batch,
            Err(error) => return (part, Err(error)),
        };
        let rows = part.order.row_of_unit();
        let device = &*submitted.batch;
        let output = DeviceOutput {
            batch: device,
            recipe: self.recipe,
            layout: &submitted.layout,
            place: &place,
        };
        let made = rewritten(&output, &rows, &part.block, &part.cut, buffer);
        if submitted.unread.fetch_sub(1, Ordering::AcqRel) == 1 {
            let reset = device.reset();
            let mut state = self.lock();
            match reset {
                Ok(()) => state.free.push(Arc::clone(&submitted.batch)),
                Err(error) => state.fail(error),
            }
            drop(state);
            (self.wake)();
        }
        (part, made)
    }

    /// Ends [`Feed::wait_for_batches`], once the batch is done that it waits for.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.submitted.notify_all();
    }

    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Lets a number of threads in at once.
struct Writers {
    free: Mutex<usize>,
    left: Condvar,
}

struct Writer<'a>(&'a Writers);

impl Writers {
    fn new(most: usize) -> Writers {
        Writers {
            free: Mutex::new(most),
            left: Condvar::new(),
        }
    }

    fn enter(&self) -> Writer<'_> {
        let free = self.left.wait_while(lock(&self.free), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Writer(self)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.left.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Batches of files on a device: buffers, and the three kernels that follow one another.
//!
//! ```text
//!                  raw --------------------------------+
//!                   |                                  |
//!                   v                                  v
//! upload -> params, raw -> decode -> positions -> judge -> answers -> encode -> made -> readback
//!                            |                                ^
//!                            +--- first words of answers -----+
//! ```
//!
//! `positions` and `answers` stay on the device, in buffers that all batches share
//! (`gpu/buffers.rs`): a queue works on one batch after another. What the host writes or reads,
//! each batch has for itself, so that one is filled and one is read while another one is computed.
//! With batches of two million records the upload memory of a batch has 14 MiB, and its output 28.
//!
//! The traits that are implemented here, and in which order their methods are called, are in
//! `device/batch.rs`.

use core::mem::offset_of;
use core::ops::Range;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use swaplist::Position;
use swaplist::backend::BackendError;
use swaplist::gpu::program::{Dispatch, Params};
use swaplist::gpu::{Context, Gpu, Program, Submitted};
use wgpu::BufferUsages as Usage;

use super::layout::SLACK;
use super::program;
use super::{BatchLayout, DeviceBatch, FileFilter, Recipe, Region, Room};
use crate::ordered::{self, Limits, Stopped};
use crate::stages::{self, BatchTimes};

mod buffers;
mod kernels;
mod times;

use buffers::FileBuffers;
use kernels::{DECODING, ENCODING};
use times::StepTimer;

const WORD: u64 = size_of::<u32>() as u64;
const PARAMS_SIZE: u64 = size_of::<Params>() as u64;
/// Offset of the regions in upload memory, in bytes, after the parameters.
const REGIONS_AT: u64 = 256;
/// Offset of the output in the memory that is read back, in bytes, after the batch's number.
const OUTPUT_AT: u64 = 16;
/// Bytes of a row of a unit.
const ROW_SIZE: usize = 16;
/// Bytes reserved for the encoder's table: it has 6 words and 4 for each of at most 20 rules, 344
/// bytes.
const TABLE_SIZE: usize = 512;

/// The most records of a file that are filtered at a time, within the device's limits: fewer on a
/// device that takes longer than 60 ms for so many, but at least one block of the file. With three
/// batches that is 126 MiB on the host and 214 MiB on the device.
const BATCH_RECORDS: usize = 1 << 21;

/// A GPU that filters files.
pub struct GpuFilter {
    gpu: Gpu,
    /// The buffers that batches share, as long as there is such a batch.
    shared: Mutex<Weak<FileBuffers>>,
}

impl GpuFilter {
    /// Filters on this GPU.
    pub fn new(gpu: Gpu) -> GpuFilter {
        GpuFilter {
            gpu,
            shared: Mutex::default(),
        }
    }

    /// The buffers that batches share, made if no batch has them now.
    fn shared_buffers(&self, context: &Context, room: &Room) -> Arc<FileBuffers> {
        let mut buffers = self.shared.lock();
        buffers.upgrade().unwrap_or_else(|| {
            let shared = Arc::new(FileBuffers::new(context, room));
            *buffers = Arc::downgrade(&shared);
            shared
        })
    }
}

/// The room of a device that has failed: no part fits.
const NO_ROOM: Room = Room {
    bytes: 0,
    rows: 0,
    records: 0,
    parts: 0,
    output_words: 0,
    workgroup: 1,
};

impl FileFilter for GpuFilter {
    fn room(&self) -> Room {
        self.gpu
            .with_context(|context| Ok(room(context)))
            .unwrap_or(NO_ROOM)
    }

    /// Compiles the three kernels at once, each on a thread: one after another takes twice as long.
    fn prepare(&self, recipe: &Recipe) -> Result<(), BackendError> {
        self.gpu.with_context(|context| {
            let programs = Programs::new(context)?;
            let pipelines: [PipelineOf; 3] =
                [Programs::judge, Programs::encoder, Programs::decoder];
            let compiled = ordered::run(
                Limits::new(pipelines.len()),
                pipelines.into_iter().map(Ok),
                || (),
                |pipeline_of: PipelineOf, ()| pipeline_of(&programs, context, recipe),
                |_| Ok(ControlFlow::Continue(())),
            );
            compiled.map_err(|stopped| match stopped {
                Stopped::Error(error) => error,
                Stopped::Panicked => BackendError::Device("a thread panicked".to_owned()),
                Stopped::Threads(_, error) => BackendError::Threads(error.to_string()),
            })
        })
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        self.gpu.with_context(|context| {
            let room = room(context);
            let programs = Programs::new(context)?;
            let batch = context.guarded(|| {
                let shared = self.shared_buffers(context, &room);
                Ok(FileBatch::new(context, programs, shared, room))
            })?;
            Ok(Box::new(batch) as Box<dyn DeviceBatch>)
        })
    }
}

type PipelineResult = Result<wgpu::ComputePipeline, BackendError>;
type PipelineOf = fn(&Programs, &Context, &Recipe) -> PipelineResult;

/// The three shaders that a file passes through.
#[derive(Clone)]
struct Programs {
    decoders: Arc<Program>,
    kernels: Arc<Program>,
    encoders: Arc<Program>,
}

impl Programs {
    /// Parsed the first time.
    fn new(context: &Context) -> Result<Programs, BackendError> {
        Ok(Programs {
            decoders: context.program(&program::decoder(), &DECODING)?,
            kernels: Arc::clone(&context.kernels),
            encoders: context.program(&program::encoder(), &ENCODING)?,
        })
    }

    /// The pipeline of a recipe's decoder.
    fn decoder(&self, context: &Context, recipe: &Recipe) -> PipelineResult {
        let entry = recipe.decoding(&context.shape);
        self.decoders.pipeline(&context.device, entry)
    }

    /// The pipeline that judges a recipe's positions.
    fn judge(&self, context: &Context, recipe: &Recipe) -> PipelineResult {
        let entry = recipe.judging(&context.shape).entry();
        self.kernels.pipeline(&context.device, entry)
    }

    /// The pipeline of a recipe's encoder.
    fn encoder(&self, context: &Context, recipe: &Recipe) -> PipelineResult {
        let entry = recipe.encoding(&context.shape);
        self.encoders.pipeline(&context.device, entry)
    }
}

/// What a batch holds on this device.
///
/// Per record there are 5 bytes of input: viriformat, the longer of the two formats, has 4.6. A
/// unit of 8 records on average has a row, and there are rows to spare for 64 parts, each of which
/// fills up its last workgroup. The output has 14 bytes per record: dropping records makes each run
/// of kept ones a game of its own, with a board of 32 bytes. A part that needs more output is the
/// CPU's.
fn room(context: &Context) -> Room {
    let limits = context.device.limits();
    let largest = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    let records = BATCH_RECORDS.min(largest as usize / size_of::<Position>());
    let workgroup = context.shape.workgroup as usize;
    let parts = 64;
    Room {
        bytes: (records * 5).next_multiple_of(1 << 12),
        rows: (records / 8).next_multiple_of(workgroup) + parts * workgroup,
        records,
        parts,
        output_words: (records * 14 / 4).max(1 << 16),
        workgroup,
    }
}

/// The buffers of a batch.
struct FileBatch {
    context: Arc<Context>,
    programs: Programs,
    /// Positions and answers.
    shared: Arc<FileBuffers>,
    /// Written by the host while mapped: the parameters, then the regions, see `region_at`.
    staging: wgpu::Buffer,
    params: wgpu::Buffer,
    /// The input: bytes of files, rows of units, the encoder's table.
    raw: wgpu::Buffer,
    /// The output, see `files/shaders/encode.wgsl`.
    made: wgpu::Buffer,
    /// A copy of the output, read by the host.
    readback: wgpu::Buffer,
    /// The buffers of the decoder.
    decoding: wgpu::BindGroup,
    /// The buffers of the kernel that judges.
    judging: wgpu::BindGroup,
    /// The buffers of the encoder.
    encoding: wgpu::BindGroup,
    room: Room,
    /// The number of the last submission of these buffers. It travels to the device and back, so
    /// that the output of an earlier batch is detected.
    serial: AtomicU64,
    /// The submission that nobody waits for yet.
    in_flight: Mutex<Option<InFlight>>,
    /// Times the steps of batches, if somebody records the run and the device has a clock.
    timer: OnceLock<Option<StepTimer>>,
    /// How long the steps of the last batch took, if they were timed.
    times: Mutex<Option<BatchTimes>>,
}

/// A batch that was submitted.
struct InFlight {
    submitted: Submitted,
    is_timed: bool,
}

impl FileBatch {
    /// Makes the buffers, the staging one mapped. Call it under error scopes.
    fn new(
        context: &Arc<Context>,
        programs: Programs,
        shared: Arc<FileBuffers>,
        room: Room,
    ) -> FileBatch {
        let on_device = |label, size, usage| {
            context.buffer(label, size, usage | Usage::COPY_DST | Usage::COPY_SRC)
        };
        let input_size = (padded(room.bytes) + ROW_SIZE * room.rows + TABLE_SIZE) as u64;
        let output_size = room.output_words as u64 * WORD;
        let staging = context.buffer(
            "file staging",
            REGIONS_AT + input_size,
            Usage::MAP_WRITE | Usage::COPY_SRC,
        );
        let params = on_device("file params", PARAMS_SIZE, Usage::UNIFORM);
        let raw = on_device("file raw", input_size, Usage::STORAGE);
        let made = on_device("file made", output_size, Usage::STORAGE);
        let readback = context.buffer(
            "file readback",
            OUTPUT_AT + output_size,
            Usage::MAP_READ | Usage::COPY_DST,
        );
        let whole = wgpu::Buffer::as_entire_binding;
        let masks = &context.masks;
        // In the order of `DECODING`, `BINDINGS` and `ENCODING`. There are no requests: any buffer
        // will do in their place, such as `raw`.
        let decoding = [&params, masks, &raw, &shared.positions, &shared.answers].map(whole);
        let judging = [&params, masks, &shared.positions, &raw, &shared.answers].map(whole);
        let encoding = [&params, masks, &raw, &shared.answers, &made].map(whole);
        FileBatch {
            decoding: programs.decoders.bind(&context.device, decoding),
            judging: programs.kernels.bind(&context.device, judging),
            encoding: programs.encoders.bind(&context.device, encoding),
            context: Arc::clone(context),
            programs,
            shared,
            staging,
            params,
            raw,
            made,
            readback,
            room,
            serial: AtomicU64::new(0),
            in_flight: Mutex::default(),
            timer: OnceLock::new(),
            times: Mutex::default(),
        }
    }

    /// The byte of the upload memory where a region begins.
    fn region_at(&self, region: Region) -> usize {
        let rows = REGIONS_AT as usize + padded(self.room.bytes);
        match region {
            Region::Bytes => REGIONS_AT as usize,
            Region::Rows => rows,
            Region::Table => rows + ROW_SIZE * self.room.rows,
        }
    }

    /// Writes bytes into the upload memory from the byte `at` on, and zeros up to a whole word.
    fn write(&self, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        let length = bytes.len().next_multiple_of(4);
        let range = at as u64..(at + length) as u64;
        let mut mapped = self.staging.get_mapped_range_mut(range)?;
        mapped.slice(..bytes.len()).copy_from_slice(bytes);
        if length > bytes.len() {
            let zeros = [0; 4];
            mapped
                .slice(bytes.len()..)
                .copy_from_slice(&zeros[..length - bytes.len()]);
        }
        Ok(())
    }

    /// Runs calls on the device, and returns the first error that they raise, or what the device
    /// itself reported. A driver's panic is an error, too.
    fn guarded<T>(
        &self,
        calls: impl FnOnce() -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let calls =
            || catch_unwind(AssertUnwindSafe(calls)).unwrap_or_else(|_| Err(driver_failed()));
        self.context.explained(self.context.guarded(calls))
    }

    /// Writes the parameters, and submits the commands: copy the input to the device, run the three
    /// kernels, copy the output back, map both buffers.
    fn start(&self, recipe: &Recipe, layout: &BatchLayout) -> Result<InFlight, BackendError> {
        let context = &self.context;
        let decoder = self.programs.decoder(context, recipe)?;
        let judge = self.programs.judge(context, recipe)?;
        let encoder = self.programs.encoder(context, recipe)?;

        let judging = recipe.judging(&context.shape);
        let judging = judging.in_place(layout.size.records as u32);
        let groups_of_units = context.shape.groups(layout.size.rows as u32);
        let params = self.params(&judging, layout, groups_of_units.0);
        self.write(0, bytemuck::bytes_of(&params))?;
        self.staging.unmap();

        let timer = self.timer();
        let mut commands = context.commands();
        let encoder_of_commands = &mut commands.encoder;
        let mark = |number: u32, encoder: &mut wgpu::CommandEncoder| {
            if let Some(timer) = timer {
                timer.mark(encoder, number);
            }
        };
        mark(0, encoder_of_commands);
        self.upload(layout, encoder_of_commands);
        mark(1, encoder_of_commands);
        // What a kernel does not write is detected.
        let text_at = u64::from(layout.text_at) * WORD;
        encoder_of_commands.clear_buffer(&self.shared.answers, 0, Some(judging.result_size));
        encoder_of_commands.clear_buffer(&self.made, 0, Some(text_at));

        let kernels = [
            (&decoder, &self.decoding, groups_of_units),
            (&judge, &self.judging, judging.groups),
            (&encoder, &self.encoding, groups_of_units),
        ];
        for (number, (pipeline, bindings, groups)) in (2..).zip(kernels) {
            let mut pass =
                encoder_of_commands.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
            drop(pass);
            mark(number, encoder_of_commands);
        }

        let read_back = self.download(layout, encoder_of_commands);
        mark(5, encoder_of_commands);
        if let Some(timer) = timer {
            timer.collect(&mut commands);
        }
        commands.map(&self.readback, wgpu::MapMode::Read, read_back);
        commands.map(&self.staging, wgpu::MapMode::Write, self.staging.size());
        Ok(InFlight {
            submitted: commands.submit(),
            is_timed: timer.is_some(),
        })
    }

    /// What times the steps, if this thread is recorded.
    fn timer(&self) -> Option<&StepTimer> {
        stages::is_recorded()
            .then(|| {
                self.timer
                    .get_or_init(|| StepTimer::new(&self.context))
                    .as_ref()
            })
            .flatten()
    }

    /// The parameters of all three kernels: those of the dispatch that judges, with a new number of
    /// the submission. The last one is the workgroups in a row of the dispatches over units.
    fn params(&self, judging: &Dispatch<'_>, layout: &BatchLayout, unit_groups_x: u32) -> Params {
        let serial = self.serial.fetch_add(1, Ordering::AcqRel) + 1;
        Params {
            serial: bytemuck::cast(serial.to_le_bytes()),
            // As `files/shaders/bytes.wgsl` reads them: the number of rows of units, workgroups in
            // a row of the dispatch, and the words of the input where the rows and the table begin.
            own: [
                layout.size.rows as u32,
                unit_groups_x,
                layout.units_at,
                layout.table,
            ],
            ..judging.params
        }
    }

    /// Copies the parameters and all regions from the upload memory to the device. There each
    /// region begins where the layout says, right after the one before; in the upload memory each
    /// has its largest size.
    fn upload(&self, layout: &BatchLayout, commands: &mut wgpu::CommandEncoder) {
        let mut copy = |from: usize, to: &wgpu::Buffer, at: u64, size: u64| {
            commands.copy_buffer_to_buffer(&self.staging, from as u64, to, at, size);
        };
        // With the bytes after the last part, which mean nothing.
        let raw_size = u64::from(layout.units_at) * WORD;
        let rows_size = (ROW_SIZE * layout.size.rows) as u64;
        let table_at = u64::from(layout.table) * WORD;
        copy(0, &self.params, 0, PARAMS_SIZE);
        copy(self.region_at(Region::Bytes), &self.raw, 0, raw_size);
        copy(self.region_at(Region::Rows), &self.raw, raw_size, rows_size);
        copy(
            self.region_at(Region::Table),
            &self.raw,
            table_at,
            TABLE_SIZE as u64,
        );
    }

    /// Copies the output and the number of the submission back. Returns the number of bytes to map.
    fn download(&self, layout: &BatchLayout, commands: &mut wgpu::CommandEncoder) -> u64 {
        let output_size = u64::from(layout.text_end) * WORD;
        let serial_at = offset_of!(Params, serial) as u64;
        commands.copy_buffer_to_buffer(&self.made, 0, &self.readback, OUTPUT_AT, output_size);
        commands.copy_buffer_to_buffer(&self.params, serial_at, &self.readback, 0, 2 * WORD);
        OUTPUT_AT + output_size
    }

    /// Waits for the end of a submission and for two buffers to be mapped, and looks whether the
    /// output is that of the last one.
    fn finish(&self, submitted: &Submitted) -> Result<(), BackendError> {
        let context = &self.context;
        if let Err(error) = context.finish(submitted) {
            if error == BackendError::Timeout {
                // Dropping a queue waits for its work, which may never end: so it is never dropped.
                core::mem::forget(Arc::clone(context));
            }
            return Err(error);
        }
        let bytes = self.readback.get_mapped_range(..8)?;
        let serial: u64 = bytemuck::pod_read_unaligned(&bytes);
        if serial != self.serial.load(Ordering::Acquire) {
            let stale = "they are another batch's".to_owned();
            return Err(BackendError::Wrong(stale));
        }
        Ok(())
    }
}

/// The error of a driver that has panicked.
fn driver_failed() -> BackendError {
    BackendError::Lost("waiting for it failed".to_owned())
}

impl DeviceBatch for FileBatch {
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        let at = self.region_at(region) + at;
        self.context.explained(self.write(at, bytes))
    }

    fn submit(&self, recipe: &Recipe, layout: &BatchLayout) -> Result<(), BackendError> {
        let in_flight = self.guarded(|| self.start(recipe, layout))?;
        *self.in_flight.lock() = Some(in_flight);
        Ok(())
    }

    fn wait(&self) -> Result<(), BackendError> {
        let Some(in_flight) = self.in_flight.lock().take() else {
            let what = "a batch was awaited that was not submitted".to_owned();
            return Err(BackendError::Device(what));
        };
        self.guarded(|| {
            self.finish(&in_flight.submitted)?;
            let timer = self.timer.get().and_then(Option::as_ref);
            let timer = timer.filter(|_| in_flight.is_timed);
            *self.times.lock() = timer.map(StepTimer::read).transpose()?;
            Ok(())
        })
    }

    fn times(&self) -> Option<BatchTimes> {
        *self.times.lock()
    }

    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError> {
        // Mapped ranges begin at a multiple of eight bytes.
        let begin = words.start & !1;
        let bytes = OUTPUT_AT + begin as u64 * WORD..OUTPUT_AT + words.end as u64 * WORD;
        let mapped = self.readback.get_mapped_range(bytes)?;
        let all: &[u32] = bytemuck::try_cast_slice(&mapped)
            .map_err(|_| BackendError::Wrong("readback is not aligned".to_owned()))?;
        read(&all[words.start - begin..]);
        Ok(())
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.readback.unmap();
        Ok(())
    }
}

/// The size in upload memory of a region that holds this many bytes of files: with [`SLACK`] after
/// them, in whole steps of 256.
const fn padded(bytes: usize) -> usize {
    (bytes + SLACK).next_multiple_of(256)
}

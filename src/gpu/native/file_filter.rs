//! Batches of files on a device: buffers, and the three kernels that follow one another.
//!
//! The positions and answers between the kernels stay on the device, in buffers that all batches
//! share: a queue works on one batch after another. What the host writes or reads, each batch has
//! for itself, so that one is filled and one is read while another one is computed.

use core::mem::offset_of;
use core::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::BufferUsages as Usage;

use super::Gpu;
use super::engine::Engine;
use super::errors::guarded;
use super::file_buffers::FileBuffers;
use crate::backend::BackendError;
use crate::device::{DeviceBatch, FileFilter, Layout, Recipe, Region, Room, padded};
use crate::gpu::program::{
    Kernel, PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, Params, RESULTS_AT, SERIAL_AT, WORD, asked,
};

/// Bytes of a row of a unit.
const ROW: usize = 16;
/// Bytes of the encoder's table, or more.
const TABLE: usize = 512;

impl FileFilter for Gpu {
    fn room(&self) -> Room {
        self.with_engine(|engine| Ok(room(engine)))
            .unwrap_or(Room::NOTHING)
    }

    /// All kernels at once, each on a thread: compiling them one after another takes twice as long.
    fn prepare(&self, recipe: &Recipe) -> Result<(), BackendError> {
        self.with_engine(|engine| {
            let compile = |stage: fn(&Engine, &Recipe) -> Compiled| {
                let failed = |_| Err(failed());
                let compile = || stage(engine, recipe).map(drop);
                catch_unwind(AssertUnwindSafe(compile)).unwrap_or_else(failed)
            };
            std::thread::scope(|scope| {
                let judge = scope.spawn(|| compile(judge_of));
                let encoder = scope.spawn(|| compile(encoder_of));
                let compiled = [compile(decoder_of), join(judge), join(encoder)];
                compiled.into_iter().collect()
            })
        })
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        self.with_engine(|engine| {
            let batch = guarded(&engine.context.device, || Ok(Batch::new(engine)))?;
            Ok(Box::new(batch) as Box<dyn DeviceBatch>)
        })
    }
}

type Compiled = Result<wgpu::ComputePipeline, BackendError>;

fn decoder_of(engine: &Engine, recipe: &Recipe) -> Compiled {
    let context = &engine.context;
    let decoders = &engine.pipelines.decoders;
    let entry = recipe.decoder.entry(recipe.judging, context.grid);
    decoders.pipeline(&context.device, entry)
}

fn judge_of(engine: &Engine, recipe: &Recipe) -> Compiled {
    let context = &engine.context;
    let kernels = &engine.pipelines.kernels;
    let entry = recipe.judging.entry(&recipe.rules, context.grid);
    kernels.pipeline(&context.device, entry)
}

fn encoder_of(engine: &Engine, recipe: &Recipe) -> Compiled {
    let context = &engine.context;
    let encoders = &engine.pipelines.encoders;
    let entry = recipe.encoder.entry(recipe.judging, context.grid);
    encoders.pipeline(&context.device, entry)
}

fn join(
    thread: std::thread::ScopedJoinHandle<'_, Result<(), BackendError>>,
) -> Result<(), BackendError> {
    thread.join().unwrap_or_else(|_| Err(failed()))
}

/// What a batch holds on this device.
///
/// The bytes are those of two million records of viriformat, the longest ones. Dropping some of
/// them makes each run of kept records a game of its own, with a board of 32 bytes, so the output
/// has room for more.
fn room(engine: &Engine) -> Room {
    let limits = &engine.context.limits;
    let most = limits.binding.min(limits.buffer) / POSITION_SIZE;
    let records = engine.batch_records.min(most as usize);
    let bytes = (records * 5).next_multiple_of(1 << 12);
    let workgroup = engine.context.grid.workgroup as usize;
    Room {
        bytes,
        rows: (records / 8).next_multiple_of(workgroup) + 64 * workgroup,
        records,
        parts: 64,
        made: (records * 14 / 4).max(1 << 16),
        workgroup,
    }
}

/// The buffers of a batch.
struct Batch {
    engine: Arc<Engine>,
    shared: Arc<FileBuffers>,
    /// Written by the host while mapped.
    staging: wgpu::Buffer,
    params: wgpu::Buffer,
    raw: wgpu::Buffer,
    made: wgpu::Buffer,
    /// Read by the host.
    readback: wgpu::Buffer,
    decoding: wgpu::BindGroup,
    judging: wgpu::BindGroup,
    encoding: wgpu::BindGroup,
    room: Room,
    /// The number of the last batch. It travels to the device and back, so that the output of an
    /// earlier batch is detected.
    serial: AtomicU64,
    in_flight: Mutex<Option<InFlight>>,
}

/// A submission, and what its end is told by.
struct InFlight {
    submission: wgpu::SubmissionIndex,
    mapped: Receiver<Result<(), wgpu::BufferAsyncError>>,
}

impl Batch {
    /// Call it under error scopes.
    fn new(engine: &Arc<Engine>) -> Batch {
        let context = &engine.context;
        let room = room(engine);
        let shared = engine.shared_file_buffers(|| FileBuffers::new(context, &room));
        let on_device = |label, size, usage| {
            context.buffer(label, size, usage | Usage::COPY_DST | Usage::COPY_SRC)
        };
        let input = (padded(room.bytes) + ROW * room.rows + TABLE) as u64;
        let made = room.made as u64 * WORD;
        let staging = context.buffer(
            "file staging",
            POSITIONS_AT + input,
            Usage::MAP_WRITE | Usage::COPY_SRC,
        );
        let params = on_device("file params", PARAMS_SIZE, Usage::UNIFORM);
        let raw = on_device("file raw", input, Usage::STORAGE);
        let output = on_device("file made", made, Usage::STORAGE);
        let readback = context.buffer(
            "file readback",
            RESULTS_AT + made,
            Usage::MAP_READ | Usage::COPY_DST,
        );
        let pipelines = &engine.pipelines;
        let whole = wgpu::Buffer::as_entire_binding;
        let masks = &pipelines.masks;
        let decoding = [&params, masks, &raw, &shared.positions, &shared.answers].map(whole);
        let judging = [&params, masks, &shared.positions, &raw, &shared.answers].map(whole);
        let encoding = [&params, masks, &raw, &shared.answers, &output].map(whole);
        Batch {
            decoding: pipelines.decoders.bind(&context.device, decoding),
            judging: pipelines.kernels.bind(&context.device, judging),
            encoding: pipelines.encoders.bind(&context.device, encoding),
            engine: Arc::clone(engine),
            shared,
            staging,
            params,
            raw,
            made: output,
            readback,
            room,
            serial: AtomicU64::new(0),
            in_flight: Mutex::default(),
        }
    }

    /// Where a region begins in the upload memory.
    fn region(&self, region: Region) -> usize {
        let rows = POSITIONS_AT as usize + padded(self.room.bytes);
        match region {
            Region::Bytes => POSITIONS_AT as usize,
            Region::Rows => rows,
            Region::Table => rows + ROW * self.room.rows,
        }
    }

    fn write(&self, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        let length = bytes.len().next_multiple_of(4);
        let range = at as u64..(at + length) as u64;
        let mut staged = self.staging.get_mapped_range_mut(range)?;
        staged.slice(..bytes.len()).copy_from_slice(bytes);
        if length > bytes.len() {
            let zeros = [0; 4];
            staged
                .slice(bytes.len()..)
                .copy_from_slice(&zeros[..length - bytes.len()]);
        }
        Ok(())
    }

    fn guarded<T>(
        &self,
        calls: impl FnOnce() -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let context = &self.engine.context;
        let calls = || catch_unwind(AssertUnwindSafe(calls)).unwrap_or_else(|_| Err(failed()));
        context.explained(guarded(&context.device, calls))
    }

    fn start(&self, recipe: &Recipe, layout: &Layout) -> Result<InFlight, BackendError> {
        let context = &self.engine.context;
        let device = &context.device;
        let grid = context.grid;
        let decoder = decoder_of(&self.engine, recipe)?;
        let judge = judge_of(&self.engine, recipe)?;
        let encoder = encoder_of(&self.engine, recipe)?;

        let serial = self.serial.fetch_add(1, Ordering::AcqRel) + 1;
        let size = layout.size;
        let judged = grid.of(recipe.judging, size.records as u32);
        let units = grid.of_units(size.rows as u32);
        let params = Params {
            count: size.records as u32,
            groups_x: judged.0,
            serial: bytemuck::cast(serial.to_le_bytes()),
            values: recipe.rules.values,
            bounds: asked(recipe.bounds),
            units: size.rows as u32,
            units_x: units.0,
            units_at: layout.units_at,
            table: layout.table,
        };
        self.write(0, bytemuck::bytes_of(&params))?;
        self.staging.unmap();

        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut commands = device.create_command_encoder(&descriptor);
        let mut upload = |from: usize, to: &wgpu::Buffer, at: u64, bytes: u64| {
            commands.copy_buffer_to_buffer(&self.staging, from as u64, to, at, bytes);
        };
        let raw_bytes = layout.raw_bytes() as u64;
        upload(0, &self.params, 0, PARAMS_SIZE);
        upload(self.region(Region::Bytes), &self.raw, 0, raw_bytes);
        let rows = layout.rows_bytes() as u64;
        upload(self.region(Region::Rows), &self.raw, raw_bytes, rows);
        let table = u64::from(layout.table) * WORD;
        upload(self.region(Region::Table), &self.raw, table, TABLE as u64);
        // What a kernel does not write is detected.
        let answers = recipe.judging.bytes(size.records);
        let text_at = u64::from(layout.text_at) * WORD;
        commands.clear_buffer(&self.shared.answers, 0, Some(answers));
        commands.clear_buffer(&self.made, 0, Some(text_at));

        let mut pass = commands.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let mut dispatch = |pipeline, bindings, (x, y): (u32, u32)| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(x, y, 1);
        };
        dispatch(&decoder, &self.decoding, units);
        dispatch(&judge, &self.judging, judged);
        dispatch(&encoder, &self.encoding, units);
        drop(pass);

        let made = u64::from(layout.text_end) * WORD;
        commands.copy_buffer_to_buffer(&self.made, 0, &self.readback, RESULTS_AT, made);
        let serial = offset_of!(Params, serial) as u64;
        commands.copy_buffer_to_buffer(&self.params, serial, &self.readback, SERIAL_AT, 2 * WORD);
        let (sender, mapped) = mpsc::channel();
        let told = sender.clone();
        let read = RESULTS_AT + made;
        commands.map_buffer_on_submit(&self.readback, wgpu::MapMode::Read, ..read, move |result| {
            // After an error nobody receives it.
            let _ = told.send(result);
        });
        commands.map_buffer_on_submit(&self.staging, wgpu::MapMode::Write, .., move |result| {
            let _ = sender.send(result);
        });
        Ok(InFlight {
            submission: context.queue.submit([commands.finish()]),
            mapped,
        })
    }

    /// After a timeout. Dropping a queue waits for its work, which may never end: so it is never
    /// dropped.
    fn abandoned(&self) -> BackendError {
        core::mem::forget(Arc::clone(&self.engine));
        BackendError::Timeout
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<InFlight>> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the device and for two buffers to be mapped.
    fn finish(&self, in_flight: InFlight) -> Result<(), BackendError> {
        let context = &self.engine.context;
        let end = wgpu::PollType::Wait {
            submission_index: Some(in_flight.submission),
            timeout: Some(context.timeout),
        };
        // wgpu panics when the driver fails.
        match catch_unwind(AssertUnwindSafe(|| context.device.poll(end))) {
            Ok(Ok(_)) => {}
            Ok(Err(wgpu::PollError::Timeout)) => return Err(self.abandoned()),
            Ok(Err(error)) => return Err(BackendError::Device(error.to_string())),
            Err(_) => return Err(failed()),
        }
        for _ in 0..2 {
            match in_flight.mapped.recv_timeout(context.timeout) {
                Ok(Ok(())) => {}
                Err(RecvTimeoutError::Timeout) => return Err(self.abandoned()),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                    let what = "its memory could not be read".to_owned();
                    return Err(BackendError::Lost(what));
                }
            }
        }
        let bytes = self.readback.get_mapped_range(SERIAL_AT..SERIAL_AT + 8)?;
        let serial: u64 = bytemuck::pod_read_unaligned(&bytes);
        if serial != self.serial.load(Ordering::Acquire) {
            let stale = "they are another batch's".to_owned();
            return Err(BackendError::Wrong(stale));
        }
        Ok(())
    }
}

fn failed() -> BackendError {
    BackendError::Lost("waiting for it failed".to_owned())
}

impl DeviceBatch for Batch {
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        let at = self.region(region) + at;
        self.engine.context.explained(self.write(at, bytes))
    }

    fn submit(&self, recipe: &Recipe, layout: &Layout) -> Result<(), BackendError> {
        let in_flight = self.guarded(|| self.start(recipe, layout))?;
        *self.lock() = Some(in_flight);
        Ok(())
    }

    fn wait(&self) -> Result<(), BackendError> {
        let Some(in_flight) = self.lock().take() else {
            let what = "a batch was awaited that was not submitted".to_owned();
            return Err(BackendError::Device(what));
        };
        self.guarded(|| self.finish(in_flight))
    }

    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError> {
        // Mapped ranges begin at a multiple of eight bytes.
        let begin = words.start & !1;
        let bytes = RESULTS_AT + begin as u64 * WORD..RESULTS_AT + words.end as u64 * WORD;
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

const _: () = assert!(matches!(
    Kernel::Exceed {
        with_threat: false,
        with_facts: true
    }
    .bytes(1),
    12
));

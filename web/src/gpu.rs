//! The GPU's program for the page's driver, which knows no more than buffers.

use std::cell::RefCell;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use swaplist::attacks::MASKS;
use swaplist::backend::{Answers, Question};
use swaplist::gpu::program::{Access, BINDINGS, DeviceLimits, Dispatch, Pace, Plan, SHADER, Shape};
use swaplist::{Batch, Position, Rules, Sides};

use crate::rules::RulesOf;
use crate::{Answer, bytes, number, object, taken};

/// The work of one call: what is asked, what was answered.
#[derive(Default)]
pub struct Work {
    pub batch: Batch,
    pub positions: Vec<Position>,
    pub rules: Rules,
    pub answers: Answers,
    with_threat: bool,
    scores_moves: bool,
    shape: Option<Shape>,
    /// The number of the first answer of the next dispatch.
    next: usize,
    serial: u64,
    sent: Sent,
}

/// What the driver uploads and dispatches for a chunk, as it reads it.
#[derive(Default)]
struct Sent {
    params: Vec<u8>,
    requests: Vec<u8>,
    numbers: [u32; 10],
}

thread_local!(static WORK: RefCell<Work> = RefCell::default());

pub fn with<T>(run: impl FnOnce(&mut Work) -> T) -> T {
    WORK.with_borrow_mut(run)
}

impl Work {
    fn ready(&self) -> Answer<Shape> {
        self.shape.ok_or_else(|| "no device was opened".into())
    }

    /// What is asked.
    pub fn question(&self) -> Question<'_> {
        if self.scores_moves {
            Question::Scores(&self.batch)
        } else {
            Question::Verdicts {
                positions: &self.positions,
                sides: if self.with_threat {
                    Sides::Both
                } else {
                    Sides::ToMove
                },
            }
        }
    }

    fn plan(&self) -> Answer<Plan<'_>> {
        let shape = self.ready()?;
        Ok(Plan::new(self.question(), &self.rules, &shape))
    }
}

/// A dispatch as the driver reads it.
fn sent(mut dispatch: Dispatch<'_>, serial: u64) -> Sent {
    dispatch.params.serial = bytemuck::cast(serial.to_le_bytes());
    let mut sent = Sent {
        params: bytemuck::bytes_of(&dispatch.params).to_vec(),
        requests: dispatch.requests().flatten().collect(),
        numbers: [0; 10],
    };
    sent.numbers = [
        address(sent.params.as_ptr()),
        sent.params.len() as u32,
        address(dispatch.positions.as_ptr()),
        size_of_val(dispatch.positions) as u32,
        address(sent.requests.as_ptr()),
        sent.requests.len() as u32,
        dispatch.groups.0,
        dispatch.groups.1,
        dispatch.result_size as u32,
        dispatch.rows.len() as u32,
    ];
    sent
}

/// Pointers have 32 bits here.
fn address<T>(pointer: *const T) -> u32 {
    pointer.addr() as u32
}

/// The shader's text.
#[unsafe(no_mangle)]
pub extern "C" fn shader() -> i32 {
    bytes(|| Ok(BARE.to_vec()))
}

/// The shader without comments and indentation, which are not loaded.
static BARE: [u8; bare().1] = {
    let (bytes, _) = bare();
    let mut all = [0; bare().1];
    let mut i = 0;
    while i < all.len() {
        all[i] = bytes[i];
        i += 1;
    }
    all
};

#[allow(clippy::large_stack_arrays)] // When compiled.
const fn bare() -> ([u8; SHADER.len()], usize) {
    let text = SHADER.as_bytes();
    let mut bytes = [0; SHADER.len()];
    let mut len = 0;
    let mut i = 0;
    while i < text.len() {
        let begins = len == 0 || bytes[len - 1] == b'\n';
        if text[i] == b'/' && text[i + 1] == b'/' {
            while text[i] != b'\n' {
                i += 1;
            }
        } else if begins && matches!(text[i], b' ' | b'\n') {
            i += 1;
        } else {
            bytes[len] = text[i];
            len += 1;
            i += 1;
        }
    }
    (bytes, len)
}

/// The table of masks.
#[unsafe(no_mangle)]
pub extern "C" fn masks() -> i32 {
    bytes(|| Ok(bytemuck::cast_slice(&MASKS).to_vec()))
}

/// Where the number of a dispatch and its results are in the memory that is read back, in bytes,
/// after two timestamps.
const SERIAL_AT: u64 = 16;
const RESULTS_AT: u64 = 32;

/// A device's limits, in WebGPU's names, and the chunk wished for.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeviceOf {
    max_buffer_size: u64,
    max_storage_buffer_binding_size: u64,
    min_storage_buffer_offset_alignment: u32,
    max_compute_workgroups_per_dimension: u32,
    max_compute_invocations_per_workgroup: u32,
    max_compute_workgroup_storage_size: u32,
    chunk: usize,
}

/// What to bind, and how many bytes each buffer has.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Layout {
    bindings: Vec<BindingSize>,
    #[cfg_attr(test, ts(type = "number"))]
    positions: u64,
    #[cfg_attr(test, ts(type = "number"))]
    requests: u64,
    #[cfg_attr(test, ts(type = "number"))]
    results: u64,
    #[cfg_attr(test, ts(type = "number"))]
    serial_at: u64,
    #[cfg_attr(test, ts(type = "number"))]
    results_at: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BindingSize {
    #[cfg_attr(test, ts(type = "'uniform' | 'read-only-storage' | 'storage'"))]
    #[serde(rename = "type")]
    access: &'static str,
    #[cfg_attr(test, ts(type = "number"))]
    least: u64,
}

/// Fits chunks to a device; tells bindings and sizes of buffers.
#[unsafe(no_mangle)]
pub extern "C" fn fit_device() -> i32 {
    object(|device: DeviceOf| {
        let limits = DeviceLimits {
            buffer: device.max_buffer_size,
            binding: device.max_storage_buffer_binding_size,
            alignment: device.min_storage_buffer_offset_alignment,
            workgroups: device.max_compute_workgroups_per_dimension,
            invocations: device.max_compute_invocations_per_workgroup,
            workgroup_memory: device.max_compute_workgroup_storage_size,
        };
        let shape = Shape::default().fitted(&limits, device.chunk)?;
        with(|work| work.shape = Some(shape));
        let [_, _, positions, requests, results] = shape.sizes();
        let bindings = BINDINGS.iter().map(|binding| {
            let access = match binding.access {
                Access::Uniform => "uniform",
                Access::Read => "read-only-storage",
                Access::Write => "storage",
            };
            BindingSize {
                access,
                least: binding.least,
            }
        });
        Ok(Layout {
            bindings: bindings.collect(),
            positions,
            requests,
            results,
            serial_at: SERIAL_AT,
            results_at: RESULTS_AT,
        })
    })
}

/// How many positions the first dispatch may have.
#[unsafe(no_mangle)]
pub extern "C" fn first_dispatch() -> i32 {
    number(|| Ok(Pace::default().records()))
}

/// How many positions the next dispatch may have, at most `most`, if the first one took this long.
#[unsafe(no_mangle)]
pub extern "C" fn next_dispatch(milliseconds: f64, most: usize) -> i32 {
    number(|| {
        let mut pace = Pace::default();
        let took = Duration::try_from_secs_f64(milliseconds / 1000.0)?;
        pace.note(pace.records(), took);
        Ok(pace.records().min(most))
    })
}

#[derive(Deserialize)]
struct AskedOf {
    rules: RulesOf,
    scores: bool,
    with_threat: bool,
}

/// Begins work on the positions or the batch; tells the pipeline that it needs.
#[unsafe(no_mangle)]
pub extern "C" fn begin_work() -> i32 {
    object(|asked: AskedOf| {
        let rules = asked.rules.rules()?;
        with(|work| {
            work.rules = rules;
            work.scores_moves = asked.scores;
            work.with_threat = asked.with_threat;
            work.next = 0;
            let entry = work.plan()?.entry();
            let constants = entry
                .constants
                .into_iter()
                .map(|(name, value)| (name.to_owned(), Value::from(value)));
            Ok(json!({
                "entry": entry.name,
                "constants": Value::Object(constants.collect()),
            }))
        })
    })
}

/// Takes positions to judge.
#[unsafe(no_mangle)]
pub extern "C" fn take_positions() -> i32 {
    number(|| {
        let bytes = taken();
        with(|work| {
            work.positions.clear();
            let whole = bytes.chunks_exact(size_of::<Position>());
            work.positions
                .extend(whole.map(bytemuck::pod_read_unaligned::<Position>));
            Ok(work.positions.len())
        })
    })
}

/// Prepares the next chunk; returns its answers, 0 at the end.
#[unsafe(no_mangle)]
pub extern "C" fn next_chunk() -> i32 {
    number(|| {
        with(|work| {
            let Some(dispatch) = work.plan()?.dispatch(work.next, usize::MAX) else {
                return Ok(0);
            };
            let rows = dispatch.rows.clone();
            let sent = sent(dispatch, work.serial);
            work.serial += 1;
            work.next = rows.end;
            work.sent = sent;
            Ok(rows.len())
        })
    })
}

/// Ten numbers: address and length of parameters, positions and requests; workgroups in both
/// dimensions; bytes of the results; answers.
#[unsafe(no_mangle)]
pub extern "C" fn chunk_numbers() -> *const u32 {
    with(|work| work.sent.numbers.as_ptr())
}

/// Reads the results of `count` answers from `first` on, and refuses what was not written or is
/// impossible.
#[unsafe(no_mangle)]
pub extern "C" fn read_results(first: usize, count: usize) -> i32 {
    number(|| {
        let bytes = taken();
        with(|work| {
            let mut answers = std::mem::take(&mut work.answers);
            let rows = first..first.saturating_add(count);
            let read = work
                .plan()
                .and_then(|plan| Ok(plan.read(rows, &bytes, &mut answers)?));
            work.answers = answers;
            read?;
            Ok(count)
        })
    })
}

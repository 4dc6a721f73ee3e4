//! What filtering files on a device costs the host, without a device.
//!
//! The device's answers are recorded once, on any adapter, and given back at once. The rest is
//! reading, cutting, handing over, putting together and writing, from file to file in memory. The
//! CPU's way is measured in turns with it. All times are user and system time on one thread: that is
//! what the threads of a machine divide. On a software adapter the recording takes a minute.

#[path = "../../../../tests/common/cpu_time.rs"]
mod cpu_time;

use core::ops::Range;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use swaplist::backend::{Answers, Backend, BackendError, Cpu, Question};
use swaplist::gpu::{Gpu, GpuOptions};
use swaplist::{Evaluator, Rules};
use swaplist_files::device::{
    BatchLayout, DeviceBatch, FileFilter, GpuFilter, Recipe, Region, Room,
};
use swaplist_files::filter::Preset;
use swaplist_files::jobs::{Input, Job, Mode, Options};

use crate::device_tests::WithFileFilter;
use cpu_time::timed;

/// Records of the files that are measured, or somewhat more: 16 batches. So most blocks are read
/// into memory of earlier ones, as in a long file.
const RECORDS: u64 = 1 << 25;
const ROUNDS: usize = 7;

/// Records that are filtered in each round, the files over and over. Times are known to a hundredth
/// of a second, so this makes the host's share exact to 0.05 ns.
const RECORDS_ON_DEVICE: u64 = 200_000_000;
const RECORDS_ON_CPU: u64 = 40_000_000;

/// Outputs by what was uploaded.
type Tape = Mutex<HashMap<u64, Arc<Vec<u32>>>>;

/// The memory of a batch, by region.
type Memory = Vec<Mutex<Vec<u8>>>;

/// Memory of batches that are gone. It serves the batches of the next run, as a GPU's memory would,
/// which is mapped once a process: making and clearing it is no part of the host's share.
type FreeMemory = Mutex<Vec<Memory>>;

/// A device that is recorded, or the recording.
struct Recorder {
    gpu: Option<Arc<GpuFilter>>,
    room: Room,
    tape: Arc<Tape>,
    free: Arc<FreeMemory>,
}

struct RecordedBatch {
    device: Option<Box<dyn DeviceBatch>>,
    tape: Arc<Tape>,
    upload: Mutex<Upload>,
    memory: Memory,
    free: Arc<FreeMemory>,
}

impl Drop for RecordedBatch {
    fn drop(&mut self) {
        let memory = core::mem::take(&mut self.memory);
        self.free.lock().unwrap().push(memory);
    }
}

#[derive(Default)]
struct Upload {
    hash: u64,
    layout: Option<BatchLayout>,
    output: Arc<Vec<u32>>,
}

impl Backend for Recorder {
    fn name(&self) -> String {
        "recorded".to_owned()
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        Cpu::new().answer(question, rules, answers)
    }
}

impl FileFilter for Recorder {
    fn room(&self) -> Room {
        self.room
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        let device = self.gpu.as_ref().map(|gpu| gpu.batch()).transpose()?;
        let sizes = [self.room.bytes + 256, self.room.rows * 16, 4096];
        let free = self.free.lock().unwrap().pop();
        let memory = free.unwrap_or_else(|| sizes.map(|size| Mutex::new(vec![0; size])).into());
        Ok(Box::new(RecordedBatch {
            device,
            tape: Arc::clone(&self.tape),
            upload: Mutex::default(),
            memory,
            free: Arc::clone(&self.free),
        }))
    }
}

impl DeviceBatch for RecordedBatch {
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        self.memory[region as usize].lock().unwrap()[at..at + bytes.len()].copy_from_slice(bytes);
        // Rows tell where everything is; the files are the same in each round.
        if region == Region::Rows {
            let mut hasher = DefaultHasher::new();
            (at, &bytes[..256.min(bytes.len())], bytes.len()).hash(&mut hasher);
            self.upload.lock().unwrap().hash ^= hasher.finish();
        }
        match &self.device {
            Some(device) => device.put(region, at, bytes),
            None => Ok(()),
        }
    }

    fn submit(&self, recipe: &Recipe, layout: &BatchLayout) -> Result<(), BackendError> {
        let mut upload = self.upload.lock().unwrap();
        upload.layout = Some(*layout);
        if let Some(device) = &self.device {
            return device.submit(recipe, layout);
        }
        let tape = self.tape.lock().unwrap();
        upload.output = Arc::clone(tape.get(&upload.hash).expect("it was recorded"));
        Ok(())
    }

    fn wait(&self) -> Result<(), BackendError> {
        let Some(device) = &self.device else {
            return Ok(());
        };
        device.wait()?;
        let mut upload = self.upload.lock().unwrap();
        let end = upload.layout.map_or(0, |layout| layout.text_end as usize);
        let mut output = Vec::new();
        device.read(0..end, &mut |words| output.extend_from_slice(words))?;
        upload.output = Arc::new(output);
        let recorded = Arc::clone(&upload.output);
        self.tape.lock().unwrap().insert(upload.hash, recorded);
        Ok(())
    }

    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError> {
        let output = Arc::clone(&self.upload.lock().unwrap().output);
        read(&output[words]);
        Ok(())
    }

    fn reset(&self) -> Result<(), BackendError> {
        *self.upload.lock().unwrap() = Upload::default();
        match &self.device {
            Some(device) => device.reset(),
            None => Ok(()),
        }
    }
}

fn run(file: &Path, output: &Path, mode: Option<Mode>, evaluator: &Evaluator) -> u64 {
    let options = Options {
        mode,
        threads: Some(1),
        replace: true,
        ..Options::default()
    };
    let job = Job::new(Input::open(Some(file)).unwrap(), options)
        .and_then(|job| job.write_to(Some(output)))
        .unwrap();
    let summary = job.filter(&Preset::Quiet.filter(), evaluator).unwrap();
    assert_eq!(evaluator.report().fallback, None);
    summary.tally.records
}

/// The file over and over, in memory.
fn repeated(file: &Path, folder: &Path) -> PathBuf {
    let bytes = std::fs::read(file).expect("the file can be read");
    let job = Job::new(Input::open(Some(file)).unwrap(), Options::default()).unwrap();
    let records = job
        .count(&Rules::SWAP, &Evaluator::cpu())
        .unwrap()
        .tally
        .records;
    let name = file.file_name().unwrap_or_default();
    let path = folder.join(name);
    let many = RECORDS.div_ceil(records) as usize;
    std::fs::write(&path, bytes.repeat(many)).expect("there is room");
    path
}

#[allow(clippy::cast_precision_loss)] // shown rounded
fn measure(file: &Path, mode: Option<Mode>, gpu: &Arc<GpuFilter>) {
    let folder = tempfile::tempdir_in("/dev/shm").expect("memory-backed files");
    let file = repeated(file, folder.path());
    let tape = Arc::new(Tape::default());
    let recorder = |gpu: Option<Arc<GpuFilter>>, room| {
        let tape = Arc::clone(&tape);
        let free = Arc::default();
        let device = Recorder {
            gpu,
            room,
            tape,
            free,
        };
        let backend = WithFileFilter::new(Arc::new(device));
        Evaluator::with_backend(Some(Arc::new(backend))).callers(1)
    };
    let recording = recorder(Some(Arc::clone(gpu)), gpu.room());
    let records = run(&file, &folder.path().join("recorded"), mode, &recording);
    assert!(
        recording.report().decoded == records,
        "the device filters all of it"
    );
    let [replayed, cpu] = [recorder(None, gpu.room()), Evaluator::cpu().callers(1)];
    let mut least = [[f64::MAX; 2]; 2];
    for _ in 0..ROUNDS {
        let ways = [(&replayed, RECORDS_ON_DEVICE), (&cpu, RECORDS_ON_CPU)];
        for ((evaluator, records), least) in ways.into_iter().zip(&mut least) {
            // Outputs are removed after the time is taken: to free their memory is no part of the
            // host's share.
            let outputs = tempfile::tempdir_in("/dev/shm").expect("memory-backed files");
            let mut done = 0;
            let spent = timed(|| {
                for number in 0.. {
                    if done >= records {
                        break;
                    }
                    let output = outputs.path().join(format!("{number}"));
                    done += run(&file, &output, mode, evaluator);
                }
            });
            let spent = spent.map(|seconds| seconds * 1e9 / done as f64);
            if spent[0] + spent[1] < least[0] + least[1] {
                *least = spent;
            }
        }
    }
    let [host, alone] = least;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name} {}: host's share {:.1} ns per record (user {:.1}, system {:.1}); CPU alone {:.1} \
         (user {:.1}, system {:.1})",
        mode.map_or("as usual".to_owned(), |mode| format!("{mode:?}")),
        host[0] + host[1],
        host[0],
        host[1],
        alone[0] + alone[1],
        alone[0],
        alone[1],
    );
}

/// Measures the files that `HOST_SHARE_FILES` names, binpacks or viriformat with blanks between
/// them; by default the sample.
#[test]
#[ignore = "measures for docs/performance.md, best with --release"]
fn the_hosts_share_is_measured() {
    let given = std::env::var("HOST_SHARE_FILES").unwrap_or_default();
    let mut files: Vec<PathBuf> = given.split_whitespace().map(PathBuf::from).collect();
    if files.is_empty() {
        files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sample.binpack").into());
    }
    let patient = GpuOptions {
        timeout: core::time::Duration::from_mins(10),
        ..GpuOptions::default()
    };
    // A real one, or any.
    let name = std::env::var("GPU").unwrap_or("llvmpipe".to_owned());
    let gpu = Gpu::open(Some(&name), &patient).unwrap();
    println!("recorded on {}", gpu.name());
    let filter = Arc::new(GpuFilter::new(gpu));
    for file in &files {
        let is_binpack = file
            .extension()
            .is_some_and(|extension| extension == "binpack");
        let modes = if is_binpack {
            vec![None]
        } else {
            vec![Some(Mode::Mark), Some(Mode::Drop)]
        };
        for mode in modes {
            measure(file, mode, &filter);
        }
    }
}

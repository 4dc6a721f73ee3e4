//! The backend of a call. A GPU is opened when it is first used, and shared by all calls of a
//! process.

use std::any::Any;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist::gpu::{Gpu, GpuOptions, adapters};
use swaplist::{Announcement, BackendChoice, Evaluator, Rules};

use crate::arguments::named_arguments;

/// How long a call with "auto" works on the CPU before it opens a GPU, as in the command.
const PATIENCE: Duration = Duration::from_millis(300);

/// The devices that were opened so far. Only whoever holds the GIL locks them, so that no fork
/// finds them locked.
static DEVICES: Mutex<Vec<Arc<Device>>> = Mutex::new(Vec::new());

/// A GPU. After a failure it is not used again in this process.
struct Device {
    /// The process that opened it: a forked child must open its own.
    process: u32,
    choice: BackendChoice,
    gpu: OnceLock<Result<Gpu, BackendError>>,
    failure: OnceLock<String>,
    is_announced: AtomicBool,
}

impl Device {
    /// The device of this process for a choice.
    fn for_choice(choice: &BackendChoice) -> Arc<Device> {
        let process = process::id();
        let mut devices = DEVICES.lock();
        let opened = devices
            .iter()
            .find(|device| device.process == process && device.choice == *choice);
        if let Some(device) = opened {
            return Arc::clone(device);
        }
        let device = Arc::new(Device {
            process,
            choice: choice.clone(),
            gpu: OnceLock::new(),
            failure: OnceLock::new(),
            is_announced: AtomicBool::new(false),
        });
        devices.push(Arc::clone(&device));
        device
    }

    /// Opens the device, or waits for the thread that does.
    fn open(&self) -> Result<&Gpu, BackendError> {
        if let Some(why) = self.failure.get() {
            return Err(BackendError::Device(why.clone()));
        }
        let name = match &self.choice {
            BackendChoice::Gpu(name) => name.as_deref(),
            _ => None,
        };
        self.gpu
            .get_or_init(|| Gpu::open(name, &GpuOptions::default()))
            .as_ref()
            .map_err(BackendError::clone)
    }
}

impl Backend for Device {
    fn name(&self) -> String {
        self.open()
            .map_or_else(|error| error.to_string(), Backend::name)
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        self.open()?.answer(question, rules, answers)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        self.open().ok()?.as_any()
    }
}

/// The backend of a call, and what it announces.
pub struct Opened {
    /// Answers questions on the backend.
    pub evaluator: Evaluator,
    notes: Arc<Mutex<Vec<String>>>,
}

impl Opened {
    /// Opens a backend for calls on so many threads.
    pub fn new(py: Python<'_>, choice: &BackendChoice, threads: usize) -> PyResult<Opened> {
        let notes = Arc::default();
        let evaluator = match choice {
            BackendChoice::Cpu => Evaluator::cpu(),
            BackendChoice::Auto => {
                let device = Device::for_choice(choice);
                let shared = Arc::clone(&device);
                let evaluator = Evaluator::auto_with(
                    move || match shared.open() {
                        Ok(_) => Ok(Some(shared.clone() as Arc<dyn Backend>)),
                        Err(BackendError::NoAdapter(_)) => Ok(None),
                        Err(error) => Err(error),
                    },
                    PATIENCE,
                );
                announced(evaluator, &device, &notes)
            }
            BackendChoice::Gpu(named) => {
                let device = Device::for_choice(choice);
                let opened = py.detach(|| device.open().map(drop));
                // A name that no GPU has is the caller's mistake. After any other failure the CPU
                // answers, and a warning says so.
                if let (Err(error @ BackendError::NoAdapter(_)), Some(_)) = (opened, named) {
                    return Err(PyValueError::new_err(format!("backend: {error}")));
                }
                let evaluator = Evaluator::with_backend(Some(device.clone()));
                announced(evaluator, &device, &notes)
            }
        };
        Ok(Opened {
            evaluator: evaluator.callers(threads),
            notes,
        })
    }

    /// Warns of what was announced since the last call.
    pub fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let notes = std::mem::take(&mut *self.notes.lock());
        notes.iter().try_for_each(|note| warn(py, note))
    }
}

named_arguments! {
    BackendChoice, "\"auto\", \"cpu\", \"gpu\" or \"gpu:NAME\"";
}

/// Keeps a device's failure for all calls, and announces it in one of them.
fn announced(
    evaluator: Evaluator,
    device: &Arc<Device>,
    notes: &Arc<Mutex<Vec<String>>>,
) -> Evaluator {
    let device = Arc::clone(device);
    let notes = Arc::clone(notes);
    evaluator.announce(move |announcement| {
        let Announcement::Fallback(why) = announcement else {
            return;
        };
        let _ = device.failure.set(why.clone());
        if !device.is_announced.swap(true, Ordering::Relaxed) {
            notes.lock().push(announcement.to_string());
        }
    })
}

/// Warns at the line that called the function of the package.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    /// The first frame is that of the package's function, written in Python.
    const CALLER: i32 = 2;
    let text = std::ffi::CString::new(text.replace('\0', " "))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, CALLER)
}

/// See the package's `devices`.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let mut devices = Vec::new();
    for adapter in py.detach(adapters) {
        let device = PyDict::new(py);
        device.set_item("name", adapter.name)?;
        device.set_item("interface", adapter.backend)?;
        device.set_item("type", adapter.device_type)?;
        device.set_item("driver", adapter.driver)?;
        device.set_item("driver_version", adapter.driver_info)?;
        device.set_item("software", adapter.software)?;
        device.set_item("largest_buffer", adapter.max_buffer_size)?;
        devices.push(device);
    }
    Ok(devices)
}

/// Makes this process's GPUs fail from now on, for tests.
#[cfg(debug_assertions)]
#[pyfunction]
pub fn lose_devices() {
    for device in DEVICES.lock().iter() {
        let _ = device.failure.set("lost for a test".to_owned());
    }
}

/// Closes this process's GPUs, before Python ends. A GPU of a parent process is only memory here,
/// without the driver's threads: closing it would wait for them for ever.
#[pyfunction]
pub fn close_devices(py: Python<'_>) {
    let devices = std::mem::take(&mut *DEVICES.lock());
    py.detach(|| {
        for device in devices {
            if device.process == process::id() {
                drop(device);
            } else {
                std::mem::forget(device);
            }
        }
    });
}

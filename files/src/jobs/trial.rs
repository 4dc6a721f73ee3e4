//! Whether a device or the CPU filters a file faster, found by letting each do a part of it.
//!
//! The CPU begins, on all threads. Meanwhile a GPU is opened and its kernels are compiled. Then the
//! GPU takes over, and after its first batch the records are counted that are done in the time of
//! two more batches, from file to file. The faster of the two goes on. Nothing is done twice, and
//! the output is the same.

use std::time::{Duration, Instant};

use swaplist::Evaluator;
use swaplist::locks::Mutex;

/// Records by which the CPU is measured, or more.
const MEASURED: u64 = 1 << 18;

pub(super) struct Trial {
    started: Instant,
    counted: Mutex<Counted>,
}

/// Records done by either.
#[derive(Default)]
struct Counted {
    on_cpu: u64,
    /// Records a second, once the device has taken over.
    cpu_rate: Option<f64>,
    /// Records done by the device and those left to the CPU meanwhile.
    with_device: u64,
    /// When the device was done with its first batch, and the records by then.
    measured_from: Option<(Instant, u64)>,
}

impl Trial {
    pub fn begin() -> Trial {
        Trial {
            started: Instant::now(),
            counted: Mutex::default(),
        }
    }

    /// How long the job has run.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Notes records that the CPU has done alone.
    pub fn note_cpu(&self, records: u64) {
        self.counted.lock().on_cpu += records;
    }

    /// Lets the device take over, if the CPU has done enough to know its rate.
    pub fn hand_over(&self) -> bool {
        let mut counted = self.counted.lock();
        let is_measured = counted.on_cpu >= MEASURED;
        if is_measured {
            let rate = per_second(counted.on_cpu, self.started.elapsed());
            counted.cpu_rate.get_or_insert(rate);
        }
        is_measured
    }

    /// Notes records that are done while the device has the job, and decides once that is enough,
    /// given how many records a batch holds, and the number of the CPU's threads.
    pub fn note_device(&self, records: u64, batch: u64, threads: usize, evaluator: &Evaluator) {
        let mut counted = self.counted.lock();
        let Some(cpu_rate) = counted.cpu_rate else {
            return;
        };
        counted.with_device += records;
        let all = counted.with_device;
        match counted.measured_from {
            None if all >= batch => counted.measured_from = Some((Instant::now(), all)),
            Some((from, before)) if all - before >= 2 * batch => {
                let rate = per_second(all - before, from.elapsed());
                counted.cpu_rate = None;
                drop(counted);
                evaluator.choose(threads, rate, cpu_rate);
            }
            _ => {}
        }
    }
}

#[allow(clippy::cast_precision_loss)] // compared and shown rounded
fn per_second(records: u64, time: Duration) -> f64 {
    records as f64 / time.as_secs_f64().max(1e-9)
}

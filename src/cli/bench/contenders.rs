//! What is measured: the CPU by each of its paths, and every GPU adapter.

use std::time::Duration;

use anyhow::{Result, bail};
use swaplist::backend::{Backend, Cpu};
use swaplist::{Choice, CpuPath};

use super::Args;

/// One thing that computes.
pub struct Contender {
    pub name: String,
    /// Shorter, for a column or a line.
    pub title: String,
    pub backend: Box<dyn Backend>,
    pub gpu: Option<Adapter>,
}

/// What only an adapter has.
pub struct Adapter {
    /// The same on one thread, which tells how long its kernels took.
    pub kernels: Kernels,
    /// Brings positions to the device and does nothing else.
    pub upload: Box<dyn Upload>,
    /// The CPU in disguise.
    pub software: bool,
}

pub struct Kernels {
    pub backend: Box<dyn Backend>,
    /// For the last batch, where the device can tell.
    pub time: Box<dyn Fn() -> Option<Duration>>,
}

/// How long it takes to bring so many positions to a device.
pub trait Upload {
    /// Out of the memory that the bus reads: the bus alone.
    fn copy(&self, positions: usize) -> Result<Duration>;

    /// Out of ordinary memory, as the backend does.
    fn fill_and_copy(&self, positions: &[swaplist::Position]) -> Result<Duration>;
}

impl Contender {
    pub fn is_software(&self) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.software)
    }
}

/// The CPU on one thread by every path it has, on all threads by the fastest, or
/// by the one asked for; and the GPUs.
pub fn all(args: &Args, threads: usize) -> Result<Vec<Contender>> {
    let mut contenders = Vec::new();
    if !args.no_cpu {
        contenders.extend(cpus(args, threads)?);
    }
    contenders.extend(gpus(args)?);
    if contenders.is_empty() {
        bail!("without the CPU there is nothing to measure here; leave out --no-cpu");
    }
    Ok(contenders)
}

fn cpus(args: &Args, threads: usize) -> Result<Vec<Contender>> {
    let cpu = |threads, path| -> Result<Contender> {
        let cpu = Cpu::with_threads(threads)?.with_path(path)?;
        let title = match threads {
            1 => path.to_string(),
            threads => format!("{threads} threads"),
        };
        Ok(Contender {
            name: cpu.name(),
            title,
            backend: Box::new(cpu),
            gpu: None,
        })
    };
    let fastest = args.backend.cpu_path();
    let mut contenders = Vec::new();
    for path in CpuPath::ALL {
        if path == fastest || args.backend.cpu.is_none() && path.is_available() {
            contenders.push(cpu(1, path)?);
        }
    }
    if threads > 1 {
        contenders.push(cpu(threads, fastest)?);
    }
    Ok(contenders)
}

#[cfg(feature = "gpu")]
fn gpus(args: &Args) -> Result<Vec<Contender>> {
    use swaplist::gpu::adapters;
    let choice = &args.backend.backend;
    let wanted = match choice {
        Choice::Cpu => return Ok(Vec::new()),
        Choice::Gpu(Some(name)) => name.to_lowercase(),
        Choice::Gpu(None) | Choice::Auto => String::new(),
    };
    let mut names: Vec<String> = adapters().into_iter().map(|adapter| adapter.name).collect();
    names.retain(|name| name.to_lowercase().contains(&wanted));
    names.dedup();
    if names.is_empty() && matches!(choice, Choice::Gpu(_)) {
        bail!("no such GPU adapter found; swaplist devices lists those there are");
    }
    names.iter().map(|name| device::open(name, args)).collect()
}

#[cfg(not(feature = "gpu"))]
fn gpus(args: &Args) -> Result<Vec<Contender>> {
    match args.backend.backend {
        Choice::Gpu(_) => bail!("built without the feature gpu"),
        Choice::Auto | Choice::Cpu => Ok(Vec::new()),
    }
}

#[cfg(feature = "gpu")]
mod device {
    use std::sync::{Arc, Mutex, PoisonError};
    use std::time::Duration;

    use anyhow::Result;
    use swaplist::Position;
    use swaplist::gpu::{self, Gpu, Options};

    use super::{Adapter, Args, Contender, Kernels, Upload};

    pub fn open(name: &str, args: &Args) -> Result<Contender> {
        let options = options(args);
        let gpu = Gpu::open_with(Some(name), &options)?;
        Ok(Contender {
            name: gpu.adapter().to_string(),
            title: title(name, gpu.adapter().software),
            gpu: Some(Adapter {
                software: gpu.adapter().software,
                kernels: kernels(name, &options)?,
                upload: Box::new(Mutex::new(gpu::Upload::open(Some(name), &options)?)),
            }),
            backend: Box::new(gpu),
        })
    }

    fn title(name: &str, software: bool) -> String {
        let name = name.split(" (").next().unwrap_or_default();
        if software {
            format!("{name:.8}, software")
        } else {
            let name = name.strip_prefix("NVIDIA ").unwrap_or(name);
            format!("{name:.20}")
        }
    }

    fn options(args: &Args) -> Options {
        let mut options = Options::new();
        if let Some(chunk) = args.gpu_chunk {
            options = options.chunk(chunk);
        }
        if let Some(lanes) = args.gpu_lanes {
            options = options.workers(lanes as usize);
        }
        if let Some(invocations) = args.gpu_workgroup {
            options = options.workgroup(invocations);
        }
        if let Some(entries) = args.gpu_list {
            options = options.list(entries);
        }
        options
    }

    /// One thread, so that no chunk's time holds the waiting for another's.
    fn kernels(name: &str, options: &Options) -> Result<Kernels> {
        let options = options.clone().timestamps(true).workers(1);
        let gpu = Arc::new(Gpu::open_with(Some(name), &options)?);
        Ok(Kernels {
            backend: Box::new(Arc::clone(&gpu)),
            time: Box::new(move || gpu.kernel_time()),
        })
    }

    impl Upload for Mutex<gpu::Upload> {
        fn copy(&self, positions: usize) -> Result<Duration> {
            let mut upload = self.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(upload.copy(positions)?)
        }

        fn fill_and_copy(&self, positions: &[Position]) -> Result<Duration> {
            let mut upload = self.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(upload.copy(positions.len())?)
        }
    }
}

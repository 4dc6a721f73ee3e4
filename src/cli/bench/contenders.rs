//! What is measured: CPU paths, GPU adapters and floors.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, bail};
use swaplist::Rules;
use swaplist::backend::{Backend, Cpu};

use super::args::Args;
use super::measure::{Job, Kind, mean, median};
use crate::cli::devices;

/// Something whose time is measured on batches.
pub struct Contender {
    pub name: String,
    pub kind: Kind,
    /// The adapter and its driver.
    pub adapter: Option<String>,
    /// The name of its floor, which it cannot beat.
    pub floor: Option<String>,
    pub run: Box<Run>,
}

/// Returns the mean time of n calls.
type Run = dyn FnMut(&mut Job<'_>, u32) -> Result<Duration>;

impl Contender {
    fn new(
        name: String,
        kind: Kind,
        run: impl FnMut(&mut Job<'_>, u32) -> Result<Duration> + 'static,
    ) -> Contender {
        Contender {
            name,
            kind,
            adapter: None,
            floor: (kind == Kind::Cpu).then(|| "memcpy".to_owned()),
            run: Box::new(run),
        }
    }

    /// The time, and the first wrong answer.
    pub fn measure(&mut self, job: &mut Job<'_>, limit: Duration) -> Result<(f64, Option<String>)> {
        let mut wrong = None;
        let seconds = median(limit, |repeat| {
            job.poison();
            let time = (self.run)(job, repeat)?;
            if self.kind != Kind::Floor && wrong.is_none() {
                wrong = job.wrong();
            }
            Ok(time)
        })?;
        Ok((seconds, wrong))
    }

    /// A whole call on the CPU, from memory to memory.
    pub fn cpu(cpu: impl Backend + 'static, rules: Rules) -> Contender {
        Contender::new(cpu.name(), Kind::Cpu, move |job, repeat| {
            mean(repeat, || Ok(job.run(&cpu, &rules)?))
        })
    }
}

/// A memcpy; the CPU on one thread by every path, and on all threads by the fastest or the one
/// asked for; the GPUs.
pub fn all(args: &Args, rules: Rules, threads: usize) -> Result<Vec<Contender>> {
    let (backend, mut contenders) = (&args.backend, vec![memcpy()]);
    if !args.no_cpu {
        let paths = devices::cpu_paths(backend.cpu);
        let all = (threads > 1).then_some((threads, backend.cpu_path()));
        for (threads, path) in paths.map(|path| (1, path)).chain(all) {
            let cpu = Cpu::with_threads(threads)?.with_path(path)?;
            contenders.push(Contender::cpu(cpu, rules));
        }
    }
    #[cfg(feature = "gpu")]
    for name in devices::gpu_names(&backend.backend)? {
        contenders.extend(device::open(
            &name,
            &args.gpu_options.clone().unwrap_or_default(),
            rules,
        )?);
    }
    #[cfg(not(feature = "gpu"))]
    if let Some(name) = devices::gpu_names(&backend.backend)?.first() {
        bail!("{name}: {}", devices::NO_GPU);
    }
    if contenders.len() == 1 {
        bail!("without the CPU there is nothing to measure here; leave out --no-cpu");
    }
    Ok(contenders)
}

/// Copies the batch in memory on one thread.
fn memcpy() -> Contender {
    let mut to: Vec<u8> = Vec::new();
    Contender::new("memcpy".to_owned(), Kind::Floor, move |job, repeat| {
        let [positions, moves] = job.bytes();
        to.resize(positions.len() + moves.len(), 1);
        let (first, second) = to.split_at_mut(positions.len());
        mean(repeat, || {
            black_box(&mut *first).copy_from_slice(black_box(positions));
            black_box(&mut *second).copy_from_slice(black_box(moves));
            Ok(())
        })
    })
}

#[cfg(feature = "gpu")]
mod device {
    use anyhow::Context as _;
    use swaplist::gpu::{Gpu, Options, Upload};

    use crate::cli::bench::contenders::{Contender, Kind, Result, Rules, mean};

    /// A GPU's whole call, its kernels alone if it has timestamps, and the upload alone.
    pub fn open(adapter: &str, options: &Options, rules: Rules) -> Result<Vec<Contender>> {
        let gpu = Gpu::open_with(Some(adapter), options)?;
        let about = gpu.adapter().clone();
        let name = short(adapter, about.software);
        let copy = format!("{name}: copy to it");
        let kind = if about.software {
            Kind::Software
        } else {
            Kind::Gpu
        };
        let mut contenders = vec![Contender {
            floor: Some(copy.clone()),
            ..Contender::new(name.clone(), kind, move |job, repeat| {
                mean(repeat, || Ok(job.run(&gpu, &rules)?))
            })
        }];
        // One worker, so that no chunk's time includes waiting for another's.
        let timing = options.clone().timestamps(true).workers(1);
        let timing = Gpu::open_with(Some(adapter), &timing)?;
        if timing.adapter().timestamps {
            let name = format!("{name}: kernels alone");
            contenders.push(Contender::new(name, Kind::Kernels, move |job, _| {
                job.run(&timing, &rules)?;
                timing.kernel_time().context("no timestamps were written")
            }));
        }
        let mut upload = Upload::open(Some(adapter), options)?;
        contenders.push(Contender::new(copy, Kind::Floor, move |job, _| {
            let [positions, moves] = job.bytes();
            // A move takes two bytes in memory, four on the device.
            let bytes = positions.len() + 2 * moves.len();
            Ok(upload.copy(bytes.div_ceil(size_of::<swaplist::Position>()))?)
        }));
        for contender in &mut contenders {
            contender.adapter = Some(about.to_string());
        }
        Ok(contenders)
    }

    /// An adapter's name, shortened for tables.
    fn short(name: &str, software: bool) -> String {
        let name = name.split(" (").next().unwrap_or_default();
        let name = name.strip_prefix("NVIDIA ").unwrap_or(name);
        format!("{name:.20}{}", if software { " (software)" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::Data;
    use super::super::measure::Part;
    use super::*;
    use crate::cli::liar::Liar;
    use swaplist::backend::Cpu;

    #[test]
    fn wrong_answers_are_told() {
        let data = Data::load(None, None, &Rules::SWAP).unwrap();
        let wrong = |part, mut contender: Contender| {
            let mut job = Job::new(part, 20_000, &data);
            contender.measure(&mut job, Duration::ZERO).unwrap().1
        };
        for part in [Part::Scores, Part::Verdicts] {
            assert_eq!(wrong(part, Contender::cpu(Cpu::new(), Rules::SWAP)), None);
            assert!(wrong(part, Contender::cpu(Liar(Some(100)), Rules::SWAP)).is_some());
            assert!(wrong(part, Contender::cpu(Liar(None), Rules::SWAP)).is_some());
        }
    }
}

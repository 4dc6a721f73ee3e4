//! Scores and verdicts on the first GPU adapter: from host memory and back, and from
//! positions that are on the device already.
//!
//! ```text
//! cargo bench --bench gpu
//! GPU_TESTS=NAME cargo bench --bench gpu     # the adapter whose name contains it
//! ```
//!
//! A software adapter takes the smallest batch only: its figures say nothing about
//! any GPU. What was timed last is compared with the CPU's.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use swaplist::backend::{Backend, Cpu};
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};
use swaplist::gpu::{Gpu, Options};
use swaplist::{Batch, Position, Rules, Verdict, noisy_moves};

const SAMPLE: &str = include_str!("../data/sample.fen");

/// So many positions of games, over and over.
fn positions(count: usize) -> Vec<Position> {
    let parse = |line: &str| line.parse().expect("the sample holds positions");
    let sample: Vec<Position> = SAMPLE.lines().map(parse).collect();
    sample.into_iter().cycle().take(count).collect()
}

fn sizes(software: bool) -> &'static [usize] {
    const ALL: [usize; 4] = [1 << 14, 1 << 17, 1 << 20, 1 << 22];
    if software { &ALL[..1] } else { &ALL }
}

/// The adapter under test; nothing, out loud, where there is none.
fn open() -> Option<Gpu> {
    let name = std::env::var("GPU_TESTS").ok();
    match Gpu::open_with(name.as_deref(), &Options::new().timestamps(true)) {
        Ok(gpu) => {
            println!("adapter: {}", gpu.name());
            Some(gpu)
        }
        Err(error) => {
            println!("NOTHING IS MEASURED: {error}");
            None
        }
    }
}

fn scores(c: &mut Criterion) {
    let Some(gpu) = open() else { return };
    let mut group = c.benchmark_group("score, host to host, moves");
    for &count in sizes(gpu.adapter().software) {
        let mut batch = Batch::new();
        for position in positions(count) {
            batch.push(position, noisy_moves(&position));
        }
        let mut expected = vec![0; batch.len()];
        Cpu::new().score_all(&batch, &Rules::SWAP, &mut expected);
        let mut scores = vec![0; batch.len()];
        group.throughput(Throughput::Elements(batch.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| {
                gpu.score(&batch, &Rules::SWAP, black_box(&mut scores))
                    .expect("scores");
            });
        });
        assert!(scores == expected, "the GPU's scores are not the CPU's");
        println!("kernels alone: {:?} a batch", gpu.kernel_time());
    }
}

fn verdicts(c: &mut Criterion) {
    let Some(gpu) = open() else { return };
    for with_threat in [false, true] {
        let threat = if with_threat { ", with threat" } else { "" };
        let mut group = c.benchmark_group(format!("judge{threat}, host to host, positions"));
        for &count in sizes(gpu.adapter().software) {
            let positions = positions(count);
            let expected = on_cpu(&positions, with_threat);
            let mut verdicts = vec![Verdict::default(); count];
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::from_parameter(count), |b| {
                b.iter(|| {
                    let verdicts = black_box(&mut verdicts);
                    gpu.judge(&positions, &Rules::SWAP, with_threat, verdicts)
                        .expect("verdicts");
                });
            });
            assert!(verdicts == expected, "the GPU's verdicts are not the CPU's");
            println!("kernels alone: {:?} a batch", gpu.kernel_time());
        }
    }
}

fn on_cpu(positions: &[Position], with_threat: bool) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::default(); positions.len()];
    Cpu::new().judge_all(positions, &Rules::SWAP, with_threat, &mut verdicts);
    verdicts
}

/// The best adapter as wgpu has it, with its largest buffers.
fn own_device() -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let adapter = wgpu::Instance::new(instance).request_adapter(&options);
    let adapter = pollster::block_on(adapter).ok()?;
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).ok()
}

fn verdicts_on_the_device(c: &mut Criterion) {
    let Some((device, queue)) = own_device() else {
        println!("NOTHING IS MEASURED ON THE DEVICE: there is none");
        return;
    };
    let gpu = Gpu::from_device(device.clone(), queue.clone(), &Options::new());
    let gpu = gpu.expect("the device takes the shader");
    println!("adapter: {}", gpu.name());
    let mut group = c.benchmark_group("judge, on the device, positions");
    for &count in sizes(gpu.adapter().software) {
        let positions = positions(count);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 32 * count as u64,
            usage: Usage::STORAGE | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&positions));
        let judge = |records| {
            let judged = gpu.judge_buffer(&buffer, count, &Rules::SWAP, false, records);
            let records = judged.expect("the device judges");
            let waited = device.poll(wgpu::PollType::wait_indefinitely());
            waited.expect("the device answers");
            records
        };
        let records = judge(None);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| judge(Some(records.clone())));
        });
        let mut verdicts = vec![Verdict::default(); count];
        gpu.read_verdicts(&records, &mut verdicts)
            .expect("the verdicts are written");
        let expected = on_cpu(&positions, false);
        assert!(verdicts == expected, "the GPU's verdicts are not the CPU's");
    }
}

criterion_group! {
    name = gpu;
    config = Criterion::default().sample_size(20);
    targets = scores, verdicts, verdicts_on_the_device
}
criterion_main!(gpu);

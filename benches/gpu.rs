//! Scores and verdicts on wgpu's best adapter, from host memory and on the device, and the copy to
//! it, which is the floor of what starts in host memory.
//!
//! `cargo bench --bench gpu`. The executable that `cargo bench --bench gpu --no-run` names runs
//! with `--bench` on machines without Rust. A software adapter gets the smallest batch only: its
//! figures say nothing about GPUs.

#![allow(missing_docs)]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use swaplist::backend::{Answers, Backend as _, Cpu, Question};
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};
use swaplist::gpu::{Gpu, GpuOptions};
use swaplist::{Batch, Position, Rules, Sides, Verdict, noisy_moves};

const SAMPLE: &str = include_str!("../data/sample.fen");
const SIZES: [usize; 4] = [1 << 14, 1 << 17, 1 << 20, 1 << 22];

/// The best adapter, with its largest buffers.
fn own_device() -> Option<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    let request = wgpu::Instance::new(instance).request_adapter(&options);
    let adapter = pollster::block_on(request).ok()?;
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).ok()
}

fn gpu(criterion: &mut Criterion) {
    let Some((device, queue)) = own_device() else {
        println!("NOTHING IS MEASURED: there is no adapter");
        return;
    };
    let gpu = Gpu::from_device(device.clone(), queue.clone(), &GpuOptions::default())
        .expect("the device takes the shader");
    println!("{}", gpu.adapter());
    let parse = |line: &str| line.parse().expect("the sample holds positions");
    let sample: Vec<Position> = SAMPLE.lines().map(parse).collect();
    let sizes = if gpu.adapter().software {
        1
    } else {
        SIZES.len()
    };
    let mut group = criterion.benchmark_group("gpu");
    for &count in &SIZES[..sizes] {
        let positions: Vec<_> = sample.iter().copied().cycle().take(count).collect();
        let question = Question::Verdicts {
            positions: &positions,
            sides: Sides::ToMove,
        };
        let expected = Cpu::new().ask(&question, &Rules::SWAP).verdicts;
        group.throughput(Throughput::Elements(count as u64));

        let wait = || {
            let waited = device.poll(wgpu::PollType::wait_indefinitely());
            waited.expect("the device answers");
        };
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 32 * count as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let staging = buffer(Usage::COPY_SRC | Usage::MAP_WRITE);
        let on_device = buffer(Usage::STORAGE | Usage::COPY_DST);
        staging.map_async(wgpu::MapMode::Write, .., |mapped| mapped.expect("memory"));
        wait();
        let mut mapped = staging.get_mapped_range_mut(..).expect("it is mapped");
        mapped.copy_from_slice(bytemuck::cast_slice(&positions));
        drop(mapped);
        staging.unmap();
        // What the next bench reads shows that the copy was made.
        let copy = || {
            let mut commands =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            commands.copy_buffer_to_buffer(&staging, 0, &on_device, 0, None);
            queue.submit([commands.finish()]);
            wait();
        };
        copy();
        group.bench_function(BenchmarkId::new("copy to the device", count), |bencher| {
            bencher.iter(copy);
        });

        let judge = |records| {
            let judged = gpu.judge_buffer(&on_device, count, &Rules::SWAP, Sides::ToMove, records);
            wait();
            judged.expect("the device judges")
        };
        let records = judge(None);
        let poison = Verdict::new(true, u16::MAX.into(), None);
        let mut verdicts = vec![poison; count];
        group.bench_function(
            BenchmarkId::new("verdicts on the device", count),
            |bencher| {
                bencher.iter(|| judge(Some(records.clone())));
                verdicts.fill(poison);
                let read = gpu.read_verdicts(&records, &mut verdicts);
                read.expect("the verdicts are written");
                assert!(verdicts == expected);
            },
        );
        group.bench_function(BenchmarkId::new("verdicts from memory", count), |bencher| {
            let mut answers = Answers::default();
            bencher.iter(|| {
                let judged = gpu.answer(&question, &Rules::SWAP, &mut answers);
                judged.expect("the device judges");
            });
            assert!(answers.verdicts == expected);
        });

        let mut batch = Batch::new();
        for position in &positions {
            batch.push(*position, noisy_moves(position));
        }
        let about_scores = Question::Scores(&batch);
        let expected_scores = Cpu::new().ask(&about_scores, &Rules::SWAP).scores;
        group.throughput(Throughput::Elements(batch.len() as u64));
        group.bench_function(BenchmarkId::new("scores from memory", count), |bencher| {
            let mut answers = Answers::default();
            bencher.iter(|| {
                let done = gpu.answer(&about_scores, &Rules::SWAP, &mut answers);
                done.expect("the device scores");
            });
            assert!(answers.scores == expected_scores);
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = gpu
}
criterion_main!(benches);

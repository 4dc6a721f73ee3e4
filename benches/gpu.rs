//! Verdicts on positions already on the device, on wgpu's best adapter, including the wait for
//! each call. `swaplist bench` measures work that starts in host memory.
//!
//! `cargo bench --bench gpu`. A software adapter gets the smallest batch only: its figures say
//! nothing about GPUs.

#![allow(missing_docs, clippy::cast_possible_wrap)] // small counts

mod table;

use swaplist::backend::Cpu;
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};
use swaplist::gpu::{Gpu, Options};
use swaplist::{Position, Rules, Verdict};
use table::Stage;

const SAMPLE: &str = include_str!("../data/sample.fen");
const SIZES: [usize; 4] = [1 << 14, 1 << 17, 1 << 20, 1 << 22];

/// The best adapter, with its largest buffers.
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

/// The number of verdicts that equal the CPU's.
fn right(gpu: &Gpu, records: &wgpu::Buffer, positions: &[Position]) -> i64 {
    let mut expected = vec![Verdict::default(); positions.len()];
    Cpu::new().judge_all(positions, &Rules::SWAP, false, &mut expected);
    let mut verdicts = vec![Verdict::default(); positions.len()];
    let read = gpu.read_verdicts(records, &mut verdicts);
    read.expect("the verdicts are written");
    verdicts
        .iter()
        .zip(&expected)
        .filter(|(verdict, expected)| verdict == expected)
        .count() as i64
}

fn main() {
    let Some((device, queue)) = own_device() else {
        println!("NOTHING IS MEASURED: there is no adapter");
        return;
    };
    let gpu = Gpu::from_device(device.clone(), queue.clone(), &Options::new());
    let gpu = gpu.expect("the device takes the shader");
    let parse = |line: &str| line.parse().expect("the sample holds positions");
    let sample: Vec<Position> = SAMPLE.lines().map(parse).collect();
    for &count in &SIZES[..if gpu.adapter().software {
        1
    } else {
        SIZES.len()
    }] {
        let positions: Vec<_> = sample.iter().copied().cycle().take(count).collect();
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 32 * count as u64,
            usage: Usage::STORAGE | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&positions));
        let judge = |records| {
            let judged = gpu.judge_buffer(&buffer, count, &Rules::SWAP, false, records);
            let waited = device.poll(wgpu::PollType::wait_indefinitely());
            waited.expect("the device answers");
            judged.expect("the device judges")
        };
        let records = judge(None);
        let mut stage = Stage::new(
            "judge, on the device",
            (count, "position"),
            count as i64,
            || {
                judge(Some(records.clone()));
                0
            },
        );
        stage.sum = Some(Box::new(|| right(&gpu, &records, &positions)));
        table::print(
            &format!("{}, {count} positions", gpu.adapter()),
            "this",
            20,
            &[stage],
        );
    }
}

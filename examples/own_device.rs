//! Scores and verdicts on the program's own wgpu device, shared with its other work. Positions
//! already on the device are judged there, and the verdicts stay there.
//!
//! ```text
//! cargo run --example own_device
//! ```

use std::error::Error;

use swaplist::backend::{Backend, Question};
use swaplist::gpu::{Gpu, GpuOptions, wgpu};
use swaplist::{Batch, Position, Rules, Sides, Verdict, noisy_moves};

fn main() -> Result<(), Box<dyn Error>> {
    // Any device will do; it needs no features, and four storage buffers per stage.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..wgpu::DeviceDescriptor::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;

    let gpu = Gpu::from_device(device.clone(), queue.clone(), &GpuOptions::default())?;
    println!("on {}", gpu.name());

    let position: Position = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1".parse()?;
    let moves = noisy_moves(&position);
    let mut batch = Batch::new();
    batch.push(position, moves.iter().copied());
    let scores = gpu.answers(&Question::Scores(&batch), &Rules::SWAP)?.scores;
    for (capture, score) in moves.iter().zip(&scores) {
        println!("{capture} {score}");
    }
    assert_eq!(scores.len(), moves.len());
    assert!(scores.contains(&-225), "CPW's second example, d3e5");

    judge_on_the_device(&device, &queue, &gpu, &position)?;

    // The program can still use the device.
    drop(gpu);
    let mine = buffer(&device, 16, wgpu::BufferUsages::COPY_DST);
    queue.write_buffer(&mine, 0, &[1; 16]);
    queue.submit([]);
    Ok(())
}

/// Judges positions that the program's own work has left on the device.
fn judge_on_the_device(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    gpu: &Gpu,
    position: &Position,
) -> Result<(), Box<dyn Error>> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let positions = buffer(device, 32 * 1000, usage);
    let bytes = bytemuck::bytes_of(position).repeat(1000);
    queue.write_buffer(&positions, 0, &bytes);

    // Submitted, not waited for: the program's own kernel could read the records next.
    let records = gpu.judge_buffer(&positions, 1000, &Rules::SWAP, Sides::Both, None)?;

    // Read back here for printing.
    let mut verdicts = vec![Verdict::default(); 1000];
    gpu.read_verdicts(&records, &mut verdicts)?;
    println!("on the device: {:?}", verdicts[0]);
    assert_eq!(
        verdicts,
        vec![Rules::SWAP.verdict(position, Sides::Both); 1000]
    );
    Ok(())
}

fn buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

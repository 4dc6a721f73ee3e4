//! Opens the adapter under test, and compares its results.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::rules::bounds;
use super::{adapter, answers};
use swaplist::backend::{Backend, BackendError, Cpu};
use swaplist::gpu::program::SHADER;
use swaplist::gpu::{Gpu, GpuOptions, wgpu};
use swaplist::{Batch, Bounds, Position, Rules, Sides};

/// Opens the adapter under test.
pub fn open(options: &GpuOptions) -> Gpu {
    let gpu = try_open(options).unwrap_or_else(|error| panic!("{error}"));
    eprintln!("adapter: {}", gpu.name());
    gpu
}

/// The same for all tests of a binary, with the usual options: each opened one compiles every kernel
/// that it runs.
pub fn usual() -> Arc<Gpu> {
    static USUAL: OnceLock<Arc<Gpu>> = OnceLock::new();
    Arc::clone(USUAL.get_or_init(|| Arc::new(open(&patient()))))
}

pub fn try_open(options: &GpuOptions) -> Result<Gpu, BackendError> {
    Gpu::open(Some(&adapter::name()), options)
}

/// A timeout for much work on a software adapter on a busy machine.
pub fn patient() -> GpuOptions {
    with(|_| ())
}

/// The same with other settings.
pub fn with(set: impl FnOnce(&mut GpuOptions)) -> GpuOptions {
    let mut options = GpuOptions {
        timeout: Duration::from_mins(10),
        ..GpuOptions::default()
    };
    set(&mut options);
    options
}

/// The same with another text in place of the shader that answers questions.
pub fn with_shader(text: String) -> GpuOptions {
    with(|options| options.replaced = vec![(SHADER.to_owned(), text)])
}

/// The test's own device, on the adapter under test.
pub fn own_device() -> (wgpu::Device, wgpu::Queue) {
    let options = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let instance = wgpu::Instance::new(options);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let name = adapter::name().to_lowercase();
    let is_named = |adapter: &wgpu::Adapter| adapter.get_info().name.to_lowercase().contains(&name);
    let adapter = adapters.into_iter().find(is_named).unwrap();
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits::downlevel_defaults(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// Scores a batch on both and compares bit for bit; returns the number of scores.
pub fn equals_cpu(gpu: &Gpu, batch: &Batch, rules: &Rules) -> usize {
    let scores = answers::scores(gpu, batch, rules).unwrap();
    let expected = answers::scores(&Cpu::new(), batch, rules).unwrap();
    answers::assert_scores("GPU", rules, batch, &scores, &expected);
    batch.len()
}

/// Bounds between which values lie, and on them.
pub const BOUNDS: [Bounds; 5] = [
    bounds(Some(0), None, false),
    bounds(Some(-150), Some(99), true),
    bounds(None, None, true),
    bounds(Some(100), Some(-100), true),
    bounds(None, Some(0), false),
];

/// Compares the bounds exceeded with the CPU's.
fn exceeds_like_cpu(gpu: &Gpu, positions: &[Position], rules: &Rules, bounds: Bounds) {
    let answers = answers::exceeds(gpu, positions, rules, bounds).unwrap();
    let expected = answers::exceeds(&Cpu::new(), positions, rules, bounds).unwrap();
    assert_eq!(answers.len(), expected.len());
    for ((position, answer), expected) in positions.iter().zip(answers).zip(expected) {
        let planes = position.planes();
        assert_eq!(
            answer, expected,
            "{planes:x?} {rules} {bounds:?}, left GPU, right CPU"
        );
    }
}

/// Judges positions on both, with and without the threat and by bounds, and compares bit for
/// bit.
pub fn judges_like_cpu(gpu: &Gpu, positions: &[Position], rules: &Rules) {
    for bounds in BOUNDS {
        exceeds_like_cpu(gpu, positions, rules, bounds);
    }
    for sides in [Sides::ToMove, Sides::Both] {
        verdicts_like_cpu(gpu, positions, rules, sides);
    }
}

/// The same with half of the kernels: verdicts with the threat and bounds without, or the reverse.
/// How work is cut depends on nothing else of a kernel.
pub fn judges_some_like_cpu(gpu: &Gpu, positions: &[Position], rules: &Rules, sides: Sides) {
    let bounds = BOUNDS[usize::from(sides == Sides::ToMove)];
    exceeds_like_cpu(gpu, positions, rules, bounds);
    verdicts_like_cpu(gpu, positions, rules, sides);
}

pub fn verdicts_like_cpu(gpu: &Gpu, positions: &[Position], rules: &Rules, sides: Sides) {
    let verdicts = answers::verdicts(gpu, positions, rules, sides).unwrap();
    let expected = answers::verdicts(&Cpu::new(), positions, rules, sides).unwrap();
    assert_eq!(verdicts.len(), expected.len());
    for ((position, verdict), expected) in positions.iter().zip(verdicts).zip(expected) {
        let planes = position.planes();
        assert_eq!(
            verdict, expected,
            "{planes:x?} {rules}, left GPU, right CPU"
        );
    }
}

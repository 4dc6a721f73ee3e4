//! Compiled shaders: one pipeline for each combination of rules in use, and for each decoder.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgpu::BufferUsages as Usage;

use super::context::Context;
use super::errors::guarded;
use super::options::Options;
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{
    self, Access, BINDINGS, Binding, DECODING, Decoder, Kernel, Variant, Workload,
};

/// The pipelines that a chunk passes through.
pub(super) struct Passes {
    pub decoder: Option<wgpu::ComputePipeline>,
    pub kernel: wgpu::ComputePipeline,
}

pub(super) struct Pipelines {
    kernels: Program,
    decoders: Program,
    /// The CPU's table of square masks, on the device.
    pub masks: wgpu::Buffer,
    compiled: Mutex<Compiled>,
}

#[derive(Default)]
struct Compiled {
    kernels: HashMap<Variant, wgpu::ComputePipeline>,
    decoders: HashMap<Decoder, wgpu::ComputePipeline>,
}

impl Pipelines {
    pub fn new(context: &Context, options: &Options) -> Result<Pipelines, BackendError> {
        let device = &context.device;
        guarded(device, || {
            Ok(Pipelines {
                kernels: Program::new(device, &options.shader, &BINDINGS),
                decoders: Program::new(device, &options.decoder, &DECODING),
                masks: context.filled("masks", program::masks(), Usage::STORAGE)?,
                compiled: Mutex::default(),
            })
        })
    }

    /// The pipelines of some work under these rules, compiled on first use.
    pub fn passes<W: Workload>(
        &self,
        context: &Context,
        work: &W,
        rules: &Rules,
    ) -> Result<Passes, BackendError> {
        let decoder = work.decoder().map(|decoder| self.decoder(context, decoder));
        Ok(Passes {
            decoder: decoder.transpose()?,
            kernel: self.of(context, work.kernel(), rules)?,
        })
    }

    /// The pipeline of a kernel for these rules.
    pub fn of(
        &self,
        context: &Context,
        kernel: Kernel,
        rules: &Rules,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let variant = Variant::new(kernel, rules);
        let compiled = &mut self.lock().kernels;
        compiled_once(compiled, variant, context, || {
            let constants = variant.constants(context.grid.shape);
            (self.kernels).compile(&context.device, kernel.entry_point(), &constants)
        })
    }

    fn decoder(
        &self,
        context: &Context,
        decoder: Decoder,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let compiled = &mut self.lock().decoders;
        compiled_once(compiled, decoder, context, || {
            let constants = decoder.constants(context.grid.shape);
            (self.decoders).compile(&context.device, decoder.entry_point(), &constants)
        })
    }

    /// Binds buffers, or parts of them, in the order of [`BINDINGS`].
    pub fn bind(
        &self,
        device: &wgpu::Device,
        buffers: [wgpu::BindingResource<'_>; BINDINGS.len()],
    ) -> wgpu::BindGroup {
        self.kernels.bind(device, buffers)
    }

    /// Binds buffers in the order of [`DECODING`].
    pub fn bind_decoding(
        &self,
        device: &wgpu::Device,
        buffers: [wgpu::BindingResource<'_>; DECODING.len()],
    ) -> wgpu::BindGroup {
        self.decoders.bind(device, buffers)
    }

    fn lock(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compiled_once<K: Copy + Eq + Hash>(
    compiled: &mut HashMap<K, wgpu::ComputePipeline>,
    key: K,
    context: &Context,
    compile: impl FnOnce() -> wgpu::ComputePipeline,
) -> Result<wgpu::ComputePipeline, BackendError> {
    if let Some(pipeline) = compiled.get(&key) {
        return Ok(pipeline.clone());
    }
    let pipeline = guarded(&context.device, || Ok(compile()))?;
    compiled.insert(key, pipeline.clone());
    Ok(pipeline)
}

/// A shader and the layout of its only bind group.
struct Program {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
}

impl Program {
    /// Call it under error scopes.
    fn new(device: &wgpu::Device, source: &str, bindings: &[Binding]) -> Program {
        let group_layout = group_layout(device, bindings);
        Program {
            module: device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("swaplist"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            }),
            layout: device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("swaplist"),
                bind_group_layouts: &[Some(&group_layout)],
                immediate_size: 0,
            }),
            group_layout,
        }
    }

    fn compile(
        &self,
        device: &wgpu::Device,
        entry_point: &str,
        constants: &[(&str, f64)],
    ) -> wgpu::ComputePipeline {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&self.layout),
            module: &self.module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    }

    fn bind<const N: usize>(
        &self,
        device: &wgpu::Device,
        buffers: [wgpu::BindingResource<'_>; N],
    ) -> wgpu::BindGroup {
        let mut numbers = 0..;
        let entries = buffers.map(|resource| wgpu::BindGroupEntry {
            binding: numbers.next().unwrap_or_default(),
            resource,
        });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("swaplist"),
            layout: &self.group_layout,
            entries: &entries,
        })
    }
}

fn group_layout(device: &wgpu::Device, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let entry = |(number, binding): (u32, &Binding)| wgpu::BindGroupLayoutEntry {
        binding: number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding.access {
                Access::Uniform => wgpu::BufferBindingType::Uniform,
                Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                Access::Write => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(binding.least),
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("swaplist"),
        entries: &entries,
    })
}

//! Compiled shaders: one pipeline for each combination of rules in use.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wgpu::BufferUsages as Usage;

use super::context::Context;
use super::errors::guarded;
use crate::Rules;
use crate::backend::BackendError;
use crate::gpu::program::{self, Access, BINDINGS, Binding, Kernel, Variant};

pub(super) struct Pipelines {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    /// The CPU's table of square masks, on the device.
    pub masks: wgpu::Buffer,
    compiled: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
}

impl Pipelines {
    pub fn new(context: &Context, source: &str) -> Result<Pipelines, BackendError> {
        let device = &context.device;
        guarded(device, || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("swaplist"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let group_layout = group_layout(device);
            let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("swaplist"),
                bind_group_layouts: &[Some(&group_layout)],
                immediate_size: 0,
            });
            Ok(Pipelines {
                masks: context.filled("masks", program::masks(), Usage::STORAGE)?,
                module,
                group_layout,
                layout,
                compiled: Mutex::default(),
            })
        })
    }

    /// The pipeline of a kernel for these rules, compiled on first use.
    pub fn of(
        &self,
        context: &Context,
        kernel: Kernel,
        rules: &Rules,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let variant = Variant::new(kernel, rules);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = compiled.get(&variant) {
            return Ok(pipeline.clone());
        }
        let pipeline = guarded(&context.device, || Ok(self.compile(context, variant)))?;
        compiled.insert(variant, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, context: &Context, variant: Variant) -> wgpu::ComputePipeline {
        let entry_point = variant.kernel.entry_point();
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: Some(entry_point),
            layout: Some(&self.layout),
            module: &self.module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &variant.constants(context.grid.shape),
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        };
        context.device.create_compute_pipeline(&descriptor)
    }

    /// Binds buffers, or parts of them, in the order of [`BINDINGS`].
    pub fn bind(
        &self,
        device: &wgpu::Device,
        buffers: [wgpu::BindingResource<'_>; BINDINGS.len()],
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

fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
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
    let entries: Vec<_> = (0..).zip(&BINDINGS).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("swaplist"),
        entries: &entries,
    })
}

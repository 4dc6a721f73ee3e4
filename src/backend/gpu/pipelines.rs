//! The compiled shader: one pipeline for each combination of rules in use.

use std::collections::HashMap;

use super::errors::guarded;
use super::shader::{self, Kernel, Params, Shape, binding};
use super::verdicts::VerdictRecord;
use crate::Rules;
use crate::attacks::{MASKS, SquareMasks};
use crate::backend::BackendError;

pub(super) struct Pipelines {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    shape: Shape,
    compiled: HashMap<shader::Options, wgpu::ComputePipeline>,
}

impl Pipelines {
    pub fn new(
        device: &wgpu::Device,
        source: &str,
        shape: Shape,
    ) -> Result<Pipelines, BackendError> {
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
                module,
                group_layout,
                layout,
                shape,
                compiled: HashMap::new(),
            })
        })
    }

    /// The pipeline of a kernel for these rules, compiled when first asked for.
    pub fn of(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
        rules: &Rules,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let options = shader::options_of(kernel, rules);
        if let Some(pipeline) = self.compiled.get(&options) {
            return Ok(pipeline.clone());
        }
        let pipeline = guarded(device, || Ok(self.compile(device, options)))?;
        self.compiled.insert(options, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, device: &wgpu::Device, options: shader::Options) -> wgpu::ComputePipeline {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(options.0.entry_point()),
            layout: Some(&self.layout),
            module: &self.module,
            entry_point: Some(options.0.entry_point()),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &shader::overrides(options, self.shape),
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    }

    /// Binds buffers, or parts of them, to the numbers in [`binding`].
    pub fn bind(
        &self,
        device: &wgpu::Device,
        buffers: [(u32, wgpu::BindingResource<'_>); 5],
    ) -> wgpu::BindGroup {
        let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("swaplist"),
            layout: &self.group_layout,
            entries: &buffers.map(entry),
        })
    }
}

fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let read = wgpu::BufferBindingType::Storage { read_only: true };
    let write = wgpu::BufferBindingType::Storage { read_only: false };
    let entry = |binding, ty, size: usize| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: wgpu::BufferSize::new(size as u64),
        },
        count: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("swaplist"),
        entries: &[
            entry(
                binding::PARAMS,
                wgpu::BufferBindingType::Uniform,
                size_of::<Params>(),
            ),
            entry(binding::MASKS, read, size_of::<[SquareMasks; 64]>()),
            entry(binding::POSITIONS, read, size_of::<crate::Position>()),
            entry(binding::REQUESTS, read, size_of::<u32>()),
            entry(binding::RESULTS, write, size_of::<VerdictRecord>()),
        ],
    })
}

/// The CPU's table of masks, on the device.
pub(super) fn masks(device: &wgpu::Device) -> Result<wgpu::Buffer, BackendError> {
    let bytes = bytemuck::cast_slice(&MASKS);
    guarded(device, || {
        filled(device, "masks", bytes, wgpu::BufferUsages::STORAGE)
    })
}

/// A buffer with these bytes. wgpu's own way panics where the device is lost.
pub(super) fn filled(
    device: &wgpu::Device,
    label: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, BackendError> {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..)?.copy_from_slice(bytes);
    buffer.unmap();
    Ok(buffer)
}

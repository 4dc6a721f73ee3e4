//! The compiled shader: one pipeline for each combination of rules in use.

use std::collections::HashMap;

use super::errors::guarded;
use super::shader::{self, Params, binding};
use crate::Rules;
use crate::attacks::{MASKS, SquareMasks};
use crate::backend::BackendError;

pub(super) struct Pipelines {
    module: wgpu::ShaderModule,
    pub group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    compiled: HashMap<shader::Options, wgpu::ComputePipeline>,
}

impl Pipelines {
    pub fn new(device: &wgpu::Device, source: &str) -> Result<Pipelines, BackendError> {
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
                compiled: HashMap::new(),
            })
        })
    }

    /// The pipeline for these rules, compiled when first asked for.
    pub fn of(
        &mut self,
        device: &wgpu::Device,
        rules: &Rules,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let options = shader::options_of(rules);
        if let Some(pipeline) = self.compiled.get(&options) {
            return Ok(pipeline.clone());
        }
        let pipeline = guarded(device, || Ok(self.compile(device, options)))?;
        self.compiled.insert(options, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, device: &wgpu::Device, options: shader::Options) -> wgpu::ComputePipeline {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("score"),
            layout: Some(&self.layout),
            module: &self.module,
            entry_point: Some(shader::ENTRY_POINT),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &shader::overrides(options),
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
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
            entry(binding::SCORES, write, size_of::<u32>()),
        ],
    })
}

/// The CPU's table of masks, on the device.
pub(super) fn masks(device: &wgpu::Device) -> Result<wgpu::Buffer, BackendError> {
    guarded(device, || {
        let bytes: &[u8] = bytemuck::cast_slice(&MASKS);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("masks"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: true,
        });
        buffer.get_mapped_range_mut(..)?.copy_from_slice(bytes);
        buffer.unmap();
        Ok(buffer)
    })
}

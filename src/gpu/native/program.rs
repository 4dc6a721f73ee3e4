//! Compiled shaders: one pipeline for each combination of kernel, rules and sizes in use.
//!
//! A pipeline is compiled when it is first needed, and kept. Compiling took 0.2 s for a decoder and
//! 0.5 s for a kernel that judges, the first time on an H100, and 0.005 s from the driver's cache
//! after that.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::errors::guarded;
use crate::backend::BackendError;
use crate::gpu::program::{Access, Binding, Entry};
use crate::locks::Mutex;

/// A shader, the layout of its only bind group, and the pipelines compiled so far.
pub struct Program {
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    compiled: Mutex<Vec<(Entry, wgpu::ComputePipeline)>>,
}

fn layout_entry((number, binding): (u32, &Binding)) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
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
    }
}

impl Program {
    /// Parses the source, WGSL with these bindings in its group 0. Call it under error scopes.
    pub(super) fn new(device: &wgpu::Device, source: &str, bindings: &[Binding]) -> Program {
        let entries: Vec<_> = (0..).zip(bindings).map(layout_entry).collect();
        let group_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("swaplist"),
            entries: &entries,
        });
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
            compiled: Mutex::default(),
        }
    }

    /// The pipeline of an entry point with its constants, compiled on first use. Other threads that
    /// need one of this shader wait meanwhile.
    ///
    /// # Errors
    ///
    /// A [`BackendError`] if the device cannot compile it.
    pub fn pipeline(
        &self,
        device: &wgpu::Device,
        entry: Entry,
    ) -> Result<wgpu::ComputePipeline, BackendError> {
        let mut compiled = self.compiled.lock();
        if let Some((_, pipeline)) = compiled.iter().find(|(known, _)| *known == entry) {
            return Ok(pipeline.clone());
        }
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: Some(entry.name),
            layout: Some(&self.layout),
            module: &self.module,
            entry_point: Some(entry.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &entry.constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        };
        // A compiler may panic. The device is still there.
        let pipeline = catch_unwind(AssertUnwindSafe(|| {
            guarded(device, || Ok(device.create_compute_pipeline(&descriptor)))
        }))
        .unwrap_or_else(|_| {
            let what = "its driver panicked while it compiled a kernel".to_owned();
            Err(BackendError::Device(what))
        })?;
        compiled.push((entry, pipeline.clone()));
        Ok(pipeline)
    }

    /// Binds buffers, or parts of them, in the order of the shader's bindings.
    pub fn bind<const N: usize>(
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

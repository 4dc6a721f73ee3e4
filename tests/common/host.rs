//! A host with nothing but `gpu::program`, like a web page: its own device and buffers, one
//! chunk after the other.

use swaplist::gpu::program::{Access, Binding, DeviceLimits, Entry, Shape};
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};

use super::gpu;

pub struct Host {
    device: wgpu::Device,
    queue: wgpu::Queue,
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    bindings: [Binding; 5],
    pub shape: Shape,
}

impl Host {
    /// With a shader and its bindings, and room for so many positions.
    pub fn open(shader: &str, bindings: [Binding; 5], chunk: usize) -> Host {
        let (device, queue) = gpu::own_device();
        let limits = limits(&device.limits());
        let module = wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(shader.into()),
        };
        Host {
            module: device.create_shader_module(module),
            group_layout: group_layout(&device, &bindings),
            device,
            queue,
            bindings,
            shape: Shape::default().fitted(&limits, chunk).unwrap(),
        }
    }

    pub fn pipeline(&self, entry: &Entry) -> wgpu::ComputePipeline {
        let layout = wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&self.group_layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        };
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&self.device.create_pipeline_layout(&layout)),
            module: &self.module,
            entry_point: Some(entry.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &entry.constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        };
        self.device.create_compute_pipeline(&descriptor)
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: usage | Usage::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A buffer for a binding, with this content.
    fn filled(&self, binding: &Binding, bytes: &[u8]) -> wgpu::Buffer {
        let usage = match binding.access {
            Access::Uniform => Usage::UNIFORM,
            Access::Read => Usage::STORAGE,
            Access::Write => Usage::STORAGE | Usage::COPY_SRC,
        };
        let buffer = self.buffer(binding.least.max(bytes.len() as u64), usage);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }

    /// Runs a pipeline on buffers of these contents; returns what then is in those that it
    /// writes.
    pub fn dispatch(
        &self,
        pipeline: &wgpu::ComputePipeline,
        contents: [&[u8]; 5],
        groups: (u32, u32),
    ) -> Vec<Vec<u8>> {
        let filled = self.bindings.iter().zip(contents);
        let buffers: Vec<_> = filled
            .map(|(binding, bytes)| self.filled(binding, bytes))
            .collect();
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.group_layout,
            entries: &entries,
        });
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups.0, groups.1, 1);
        drop(pass);
        let all = self.bindings.iter().zip(&buffers).zip(contents);
        let written = all.filter(|((binding, _), _)| binding.access == Access::Write);
        let readbacks: Vec<_> = written
            .map(|((_, buffer), content)| {
                let size = content.len() as u64;
                let readback = self.buffer(size, Usage::MAP_READ);
                encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, size);
                readback
            })
            .collect();
        self.queue.submit([encoder.finish()]);
        for readback in &readbacks {
            readback.map_async(wgpu::MapMode::Read, .., Result::unwrap);
        }
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).unwrap();
        let bytes = |readback: &wgpu::Buffer| readback.get_mapped_range(..).unwrap().to_vec();
        readbacks.iter().map(bytes).collect()
    }
}

/// Information that a web page has about its device, too.
fn limits(found: &wgpu::Limits) -> DeviceLimits {
    DeviceLimits {
        buffer: found.max_buffer_size,
        binding: found.max_storage_buffer_binding_size,
        alignment: found.min_storage_buffer_offset_alignment,
        workgroups: found.max_compute_workgroups_per_dimension,
        invocations: found.max_compute_invocations_per_workgroup,
        workgroup_memory: found.max_compute_workgroup_storage_size,
    }
}

fn group_layout(device: &wgpu::Device, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let entry = |(number, binding): (u32, &Binding)| wgpu::BindGroupLayoutEntry {
        binding: number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding.access {
                Access::Uniform => wgpu::BufferBindingType::Uniform,
                access => wgpu::BufferBindingType::Storage {
                    read_only: access == Access::Read,
                },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = (0..).zip(bindings).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

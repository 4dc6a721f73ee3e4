//! A host with nothing but `gpu::program`, like a web page: its own device and buffers, one
//! chunk after the other.

use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::program::{
    self, Access, BINDINGS, Capacity, Grid, Judging, Limits, SHADER, Scoring, Shape, Variant,
    Workload,
};
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};
use swaplist::{Batch, PieceValues, Position, Profile, Rules, Verdict, noisy_moves};

use crate::common::{boards, gpu, verdicts};

struct Host {
    device: wgpu::Device,
    queue: wgpu::Queue,
    module: wgpu::ShaderModule,
    group_layout: wgpu::BindGroupLayout,
    grid: Grid,
    capacity: Capacity,
}

impl Host {
    fn open() -> Option<Host> {
        gpu::open(&gpu::patient())?;
        let (device, queue) = gpu::own_device();
        let limits = limits(&device.limits());
        Shape::USUAL.check(&limits).unwrap();
        let grid = Grid {
            shape: Shape::USUAL,
            max_workgroups: limits.workgroups,
        };
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        Some(Host {
            capacity: grid.capacity(1000, &limits),
            group_layout: group_layout(&device),
            device,
            queue,
            module,
            grid,
        })
    }

    fn pipeline(&self, variant: Variant) -> wgpu::ComputePipeline {
        let layout = wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&self.group_layout)],
            ..wgpu::PipelineLayoutDescriptor::default()
        };
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&self.device.create_pipeline_layout(&layout)),
            module: &self.module,
            entry_point: Some(variant.kernel.entry_point()),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &variant.constants(self.grid.shape),
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

    /// A buffer for each binding, filled from the chunk; new ones are zeroed.
    fn buffers(&self, contents: [&[u8]; 4], results: u64) -> Vec<wgpu::Buffer> {
        let filled = BINDINGS.iter().zip(contents).map(|(binding, bytes)| {
            let usage = match binding.access {
                Access::Uniform => Usage::UNIFORM,
                Access::Read | Access::Write => Usage::STORAGE,
            };
            let buffer = self.buffer(binding.least.max(bytes.len() as u64), usage);
            self.queue.write_buffer(&buffer, 0, bytes);
            buffer
        });
        let mut buffers: Vec<_> = filled.collect();
        let usage = Usage::STORAGE | Usage::COPY_SRC;
        buffers.push(self.buffer(BINDINGS[4].least.max(results), usage));
        buffers
    }

    fn run<W: Workload>(
        &self,
        work: &W,
        rules: &Rules,
        mut answers: &mut [W::Answer],
    ) -> Result<usize, BackendError> {
        let pipeline = self.pipeline(Variant::new(work.kernel(), rules));
        let (mut last, mut chunks) = (None, 0);
        while let Some(chunk) = work.chunk_after(last.as_ref(), self.capacity) {
            let (own, rest) = answers.split_at_mut(W::answers(&chunk));
            let (params, groups) = work.params(&chunk, rules, self.grid, 0);
            let requests: Vec<_> = work.requests(&chunk).flatten().collect();
            let contents = [
                bytemuck::bytes_of(&params),
                program::masks(),
                work.upload(&chunk),
                &requests,
            ];
            let bytes = self.dispatch(&pipeline, contents, groups, work.size(own.len()));
            work.read(&bytes, own)?;
            (answers, last, chunks) = (rest, Some(chunk), chunks + 1);
        }
        Ok(chunks)
    }

    fn dispatch(
        &self,
        pipeline: &wgpu::ComputePipeline,
        contents: [&[u8]; 4],
        groups: (u32, u32),
        size: u64,
    ) -> Vec<u8> {
        let buffers = self.buffers(contents, size);
        let entries = (0..).zip(&buffers);
        let entries = entries.map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        });
        let entries: Vec<_> = entries.collect();
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
        let readback = self.buffer(size, Usage::MAP_READ);
        encoder.copy_buffer_to_buffer(&buffers[4], 0, &readback, 0, size);
        self.queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., Result::unwrap);
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).unwrap();
        readback.get_mapped_range(..).unwrap().to_vec()
    }
}

/// Information that a web page has about its device, too.
fn limits(found: &wgpu::Limits) -> Limits {
    Limits {
        buffer: found.max_buffer_size,
        binding: found.max_storage_buffer_binding_size,
        alignment: found.min_storage_buffer_offset_alignment,
        workgroups: found.max_compute_workgroups_per_dimension,
        invocations: found.max_compute_invocations_per_workgroup,
        workgroup_memory: found.max_compute_workgroup_storage_size,
    }
}

fn group_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |(number, binding): (u32, &program::Binding)| wgpu::BindGroupLayoutEntry {
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
    let entries: Vec<_> = (0..).zip(&BINDINGS).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

#[test]
fn the_program_is_all_that_a_host_needs() {
    let Some(host) = Host::open() else {
        return;
    };
    let mut positions = boards::packed(boards::playouts(61).take(2500));
    positions.extend(boards::packed(boards::dense(61).take(1000)));
    let mut batch = Batch::new();
    for position in &positions {
        batch.push(*position, noisy_moves(position));
    }
    for profile in Profile::ALL {
        let rules = Rules::new(profile, PieceValues::CPW);
        for with_threat in [false, true] {
            let judging = Judging {
                positions: &positions,
                with_threat,
            };
            let mut judged = vec![Verdict::default(); positions.len()];
            assert_eq!(host.run(&judging, &rules, &mut judged), Ok(4), "chunks");
            let expected = verdicts::judge(&Cpu::new(), &positions, &rules, with_threat);
            assert!(judged == expected, "{rules}, {with_threat}");
        }
        let large = Rules::new(profile, PieceValues::new([30_000; 5]).unwrap());
        for rules in [rules, large] {
            let mut scores = vec![i32::MAX; batch.len()];
            let chunks = host.run(&Scoring::new(&batch, &rules), &rules, &mut scores);
            assert!(chunks.unwrap() > 3);
            let mut expected = vec![0; batch.len()];
            Cpu::new().score_all(&batch, &rules, &mut expected);
            assert!(scores == expected, "{rules}");
        }
    }
}

/// A result that was not written is detected here, too.
#[test]
fn what_a_host_did_not_dispatch_is_wrong() {
    let positions: [Position; 3] = [bytemuck::Zeroable::zeroed(); 3];
    let judging = Judging {
        positions: &positions,
        with_threat: true,
    };
    let mut verdicts = [Verdict::default(); 3];
    let zeros = vec![[0_u32; 4]; 3];
    let read = judging.read(bytemuck::cast_slice(&zeros), &mut verdicts);
    assert!(matches!(read, Err(BackendError::Wrong(_))), "{read:?}");
}

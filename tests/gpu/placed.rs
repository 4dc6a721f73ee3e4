//! Positions already on the device, and verdicts that stay there.

use crate::common::{answers, boards, gpu};
use swaplist::backend::{Answers, BackendError, Cpu, Question};
use swaplist::gpu::program::{Plan, SHADER, Shape};
use swaplist::gpu::wgpu::{self, BufferUsages as Usage};
use swaplist::gpu::{Gpu, GpuOptions};
use swaplist::{PieceValues, Position, Profile, Rules, Sides, Verdict};

/// A backend on the test's own device.
fn open(options: &GpuOptions) -> (wgpu::Device, wgpu::Queue, Gpu) {
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(device.clone(), queue.clone(), options).unwrap();
    (device, queue, gpu)
}

fn buffer(device: &wgpu::Device, size: usize, usage: Usage) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size as u64,
        usage,
        mapped_at_creation: false,
    })
}

fn uploaded(device: &wgpu::Device, queue: &wgpu::Queue, positions: &[Position]) -> wgpu::Buffer {
    let buffer = buffer(
        device,
        32 * positions.len(),
        Usage::STORAGE | Usage::COPY_DST,
    );
    queue.write_buffer(&buffer, 0, bytemuck::cast_slice(positions));
    buffer
}

fn read(gpu: &Gpu, buffer: &wgpu::Buffer, count: usize) -> Vec<Verdict> {
    let nonsense = Verdict::new(true, u16::MAX.into(), None);
    let mut verdicts = vec![nonsense; count];
    gpu.read_verdicts(buffer, &mut verdicts).unwrap();
    verdicts
}

#[test]
fn positions_on_the_device_are_judged_like_any() {
    let positions = boards::packed(boards::dense(21).take(5000));
    // Few workgroups: several dispatches, each with a part of the buffers, whatever the rules.
    for (groups, profiles) in [
        (1, &[Profile::Sf8][..]),
        (3, &[Profile::Sf]),
        (u32::MAX, &[Profile::Swap, Profile::Legal]),
    ] {
        let (device, queue, gpu) = open(&gpu::with(|of| of.max_workgroups = groups));
        let placed = uploaded(&device, &queue, &positions);
        for &profile in profiles {
            let rules = Rules::new(profile, PieceValues::CPW);
            for sides in [Sides::ToMove, Sides::Both] {
                let expected = answers::verdicts(&Cpu::new(), &positions, &rules, sides).unwrap();
                for count in [0, 1, 31, 65, 1000, 5000] {
                    let judged = gpu
                        .judge_buffer(&placed, count, &rules, sides, None)
                        .unwrap();
                    assert_eq!(read(&gpu, &judged, count), expected[..count], "{count}");
                }
            }
        }
    }
}

/// More than a device of unknown speed gets at a time.
#[test]
fn many_positions_are_judged_in_turns() {
    let count = 40_003;
    let positions = boards::packed(boards::dense(26).take(1000));
    let positions: Vec<_> = positions.into_iter().cycle().take(count).collect();
    let (device, queue, gpu) = open(&gpu::patient());
    let placed = uploaded(&device, &queue, &positions);
    let expected = answers::verdicts(&Cpu::new(), &positions, &Rules::SWAP, Sides::ToMove).unwrap();
    for _ in 0..2 {
        let judged = gpu
            .judge_buffer(&placed, count, &Rules::SWAP, Sides::ToMove, None)
            .unwrap();
        assert!(read(&gpu, &judged, count) == expected);
    }
}

#[test]
fn verdicts_go_into_a_buffer_of_the_callers_for_work_of_the_callers() {
    let (device, queue, gpu) = open(&GpuOptions::default());
    let positions = boards::packed(boards::playouts(22).take(1000));
    let placed = uploaded(&device, &queue, &positions);
    let usage = Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC;
    let mine = buffer(&device, 16 * 1001, usage);
    queue.write_buffer(&mine, 16_000, &[7; 16]);
    let given_back = gpu
        .judge_buffer(&placed, 1000, &Rules::SWAP, Sides::Both, Some(mine.clone()))
        .unwrap();
    assert_eq!(given_back, mine);

    // The caller's own copy, submitted afterwards, without the backend.
    let readback = buffer(&device, 16 * 1001, Usage::MAP_READ | Usage::COPY_DST);
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(&mine, 0, &readback, 0, None);
    queue.submit([encoder.finish()]);
    readback.map_async(wgpu::MapMode::Read, .., Result::unwrap);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = readback.get_mapped_range(..).unwrap();
    let expected = answers::verdicts(&Cpu::new(), &positions, &Rules::SWAP, Sides::Both).unwrap();
    let question = Question::Verdicts {
        positions: &positions,
        sides: Sides::Both,
    };
    let mut answers = Answers::default();
    Plan::new(question, &Rules::SWAP, &Shape::default())
        .read(0..1000, &bytes, &mut answers)
        .unwrap();
    assert_eq!(answers.verdicts, expected);
    assert_eq!(bytes[16_000..], [7; 16], "what lies behind is left alone");
}

#[test]
fn unfit_buffers_are_refused_and_nothing_is_spent() {
    let (device, queue, gpu) = open(&GpuOptions::default());
    let positions = boards::packed(boards::playouts(23).take(10));
    let placed = uploaded(&device, &queue, &positions);
    let judge = |positions: &wgpu::Buffer, count, verdicts| {
        gpu.judge_buffer(positions, count, &Rules::SWAP, Sides::Both, verdicts)
    };
    let unbound = buffer(&device, 320, Usage::COPY_DST);
    let small = buffer(&device, 159, Usage::STORAGE | Usage::COPY_DST);
    let uncleared = buffer(&device, 160, Usage::STORAGE);
    let unread_buffer = buffer(&device, 160, Usage::STORAGE | Usage::COPY_DST);
    for refused in [
        judge(&placed, 11, None),
        judge(&placed, usize::MAX, None),
        judge(&unbound, 10, None),
        judge(&placed, 10, Some(small)),
        judge(&placed, 10, Some(uncleared)),
    ] {
        assert!(matches!(refused, Err(BackendError::Device(_))));
    }
    let unread = judge(&placed, 10, Some(unread_buffer)).unwrap();
    let mut read = [Verdict::default(); 10];
    let refused = gpu.read_verdicts(&unread, &mut read);
    assert!(matches!(refused, Err(BackendError::Device(_))));
    let judged = judge(&placed, 10, None).unwrap();
    let mut too_many = [Verdict::default(); 11];
    let refused_length = gpu.read_verdicts(&judged, &mut too_many);
    assert!(matches!(refused_length, Err(BackendError::Device(_))));
    gpu::verdicts_like_cpu(&gpu, &positions, &Rules::SWAP, Sides::Both);
}

#[test]
fn records_that_are_not_written_are_wrong() {
    let writes = "verdicts[first + lane] = verdict;";
    assert_eq!(SHADER.matches(writes).count(), 1);
    let idle = SHADER.replace(writes, "if first == 0u { verdicts[lane] = verdict; }");
    let (device, queue, gpu) = open(&gpu::with_shader(idle));
    let positions = boards::packed(boards::playouts(24).take(100));
    let placed = uploaded(&device, &queue, &positions);
    let judged = gpu
        .judge_buffer(&placed, 100, &Rules::SWAP, Sides::ToMove, None)
        .unwrap();
    let mut verdicts = [Verdict::default(); 100];
    assert!(gpu.read_verdicts(&judged, &mut verdicts[..64]).is_ok());
    let read = gpu.read_verdicts(&judged, &mut verdicts);
    assert!(matches!(read, Err(BackendError::Wrong(_))), "{read:?}");
}

#[test]
fn a_lost_device_is_told() {
    let (device, queue, gpu) = open(&GpuOptions::default());
    let positions = boards::packed(boards::playouts(25).take(10));
    let placed = uploaded(&device, &queue, &positions);
    device.destroy();
    let judged = gpu.judge_buffer(&placed, 10, &Rules::SWAP, Sides::ToMove, None);
    let read = judged.and_then(|judged| gpu.read_verdicts(&judged, &mut [Verdict::default(); 10]));
    assert!(matches!(read, Err(BackendError::Lost(_))), "{read:?}");
}

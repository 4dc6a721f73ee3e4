//! Whatever a device does ends in an error: never a panic, a hang or a wrong score.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::{answers, boards, gpu};
use swaplist::backend::{Backend as _, BackendError};
use swaplist::gpu::program::{Entry, SHADER};
use swaplist::gpu::{Gpu, GpuOptions, adapters, wgpu};
use swaplist::{Batch, Choice, Evaluator, PieceValues, Profile, Rules, Sides};

fn batch(positions: usize) -> Batch {
    boards::batch(&boards::packed(boards::playouts(6).take(positions)))
}

fn judge(gpu: &Gpu, batch: &Batch) -> Result<(), BackendError> {
    let positions = batch.positions();
    answers::verdicts(gpu, positions, &Rules::SWAP, Sides::Both).map(drop)
}

fn score(gpu: &Gpu, batch: &Batch) -> Result<(), BackendError> {
    answers::scores(gpu, batch, &Rules::SWAP).map(drop)
}

#[test]
fn a_device_of_the_users_own() {
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(device, queue, &gpu::patient()).unwrap();
    for &profile in Profile::ALL {
        gpu::equals_cpu(&gpu, &batch(1000), &Rules::new(profile, PieceValues::CPW));
    }
}

/// Another thread of the user may see the end of a chunk first.
#[test]
fn a_device_that_someone_else_polls_too() {
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(device.clone(), queue, &gpu::with(|of| of.chunk = 64)).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let deadline = Instant::now() + Duration::from_mins(1);
                while !done.load(Ordering::Relaxed) && Instant::now() < deadline {
                    device.poll(wgpu::PollType::Poll).unwrap();
                }
            });
        }
        for _ in 0..5 {
            gpu::equals_cpu(&gpu, &batch(1000), &Rules::SWAP);
        }
        done.store(true, Ordering::Relaxed);
    });
}

type Ask = fn(&Gpu, &Batch) -> Result<(), BackendError>;

#[test]
fn a_destroyed_device_is_an_error_at_every_moment() {
    let (destroyed, its_queue) = gpu::own_device();
    destroyed.destroy();
    let opened = Gpu::from_device(destroyed, its_queue, &GpuOptions::default());
    let error = opened.and_then(|gpu| score(&gpu, &batch(100)));
    assert!(matches!(error, Err(BackendError::Lost(_))), "{error:?}");

    for (batches, chunk) in [(0, 1 << 18), (1, 1 << 18), (1, 100)] {
        for (ask, other) in [(score as Ask, judge as Ask), (judge, score)] {
            let (device, queue) = gpu::own_device();
            let options = gpu::with(|of| of.chunk = chunk);
            let gpu = Gpu::from_device(device.clone(), queue, &options).unwrap();
            for _ in 0..batches {
                assert_eq!(ask(&gpu, &batch(1000)), Ok(()));
            }
            device.destroy();
            let first = ask(&gpu, &batch(1000));
            assert!(matches!(first, Err(BackendError::Lost(_))), "{first:?}");
            assert_eq!(ask(&gpu, &batch(1)), first, "it stays spent");
            assert_eq!(other(&gpu, &batch(1)), first, "for all questions");
        }
    }
}

/// wgpu panics if a device is to compile what belongs to another instance. That is told as what it
/// is, and the device answers on.
#[test]
fn a_panic_of_a_compiler_is_an_error_of_its_own() {
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(device, queue, &gpu::patient()).unwrap();
    let (stranger, _queue) = gpu::own_device();
    let result = gpu.with_context(|context| {
        let entry = Entry {
            name: "judge",
            constants: Vec::new(),
        };
        Ok(context.kernels.pipeline(&stranger, entry).map(drop))
    });
    let what = "its driver panicked while it compiled a kernel".to_owned();
    assert_eq!(result, Ok(Err(BackendError::Device(what))));
    gpu::equals_cpu(&gpu, &batch(100), &Rules::SWAP);
}

/// All callers get the error, also those waiting for a worker.
#[test]
fn a_device_destroyed_under_the_hands_of_many_is_an_error_for_all() {
    for slots in [1, 12] {
        destroy_under_the_hands_of_many(slots);
    }
}

fn destroy_under_the_hands_of_many(slots: usize) {
    let (device, queue) = gpu::own_device();
    let options = gpu::with(|of| (of.chunk, of.workers, of.slots) = (64, Some(2), slots));
    let gpu = Gpu::from_device(device.clone(), queue, &options).unwrap();
    let batch = batch(500);
    let expected = Evaluator::cpu().scores(&batch, &Rules::SWAP);
    let errors: Vec<_> = std::thread::scope(|scope| {
        let work = || {
            let deadline = Instant::now() + Duration::from_mins(1);
            while Instant::now() < deadline {
                match answers::scores(&gpu, &batch, &Rules::SWAP) {
                    Ok(scores) => assert_eq!(scores, expected),
                    Err(error) => return Some(error),
                }
                if let Err(error) = judge(&gpu, &batch) {
                    return Some(error);
                }
            }
            None
        };
        let threads: Vec<_> = (0..5).map(|_| scope.spawn(work)).collect();
        std::thread::sleep(Duration::from_millis(300));
        device.destroy();
        threads
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect()
    });
    for error in errors {
        let error = error.unwrap();
        assert!(matches!(error, Some(BackendError::Lost(_))), "{error:?}");
    }
}

/// The first error closes the device for all: also for those who wait for a slot, or for the
/// end of a chunk of theirs.
#[test]
fn one_error_is_that_of_all_callers() {
    let writes = "verdicts[first + lane] = verdict;";
    assert_eq!(SHADER.matches(writes).count(), 1);
    let idle = SHADER.replace(writes, "if first == 0u { verdicts[lane] = verdict; }");
    let wrong = BackendError::Wrong("a verdict was not written".to_owned());
    let idle = vec![(SHADER.to_owned(), idle)];
    for (replaced, timeout, error) in [
        (idle, Duration::from_mins(10), wrong),
        (Vec::new(), Duration::ZERO, BackendError::Timeout),
    ] {
        for (slots, workers) in [(1, 1), (1, 4), (3, 1), (12, 8)] {
            let gpu = gpu::open(&gpu::with(|of| {
                (of.chunk, of.slots, of.workers) = (1000, slots, Some(workers));
                (of.replaced, of.timeout) = (replaced.clone(), timeout);
            }));
            let batch = batch(5000);
            let errors: Vec<_> = std::thread::scope(|scope| {
                let ask = || {
                    let mut tries = core::iter::repeat_with(|| judge(&gpu, &batch)).take(100);
                    tries.find_map(Result::err)
                };
                let threads: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .collect()
            });
            for found in errors {
                assert_eq!(
                    found,
                    Some(error.clone()),
                    "{slots} slots, {workers} workers"
                );
            }
        }
    }
}

/// Run by the test below in a process with little memory.
#[test]
#[ignore = "needs the limit that the next test gives it"]
fn child_without_memory() {
    std::env::var("SWAPLIST_TEST_CHILD").expect("is run by the next test");
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(
        device.clone(),
        queue.clone(),
        &gpu::with(|of| of.chunk = 1000),
    )
    .unwrap();
    let mut hog = Vec::new();
    loop {
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        hog.push(device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("hog"),
            size: 16 << 20,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        }));
        if pollster::block_on(scope.pop()).is_some() {
            break;
        }
        assert!(hog.len() < 1000, "memory has no end");
    }
    let refused = Gpu::from_device(device, queue, &gpu::with(|of| of.chunk = 16 << 20));
    let error = refused.map(|gpu| gpu.name()).unwrap_err();
    assert!(matches!(error, BackendError::OutOfMemory(_)), "{error:?}");
    println!("child: {error}");
    gpu::equals_cpu(&gpu, &batch(100), &Rules::SWAP);
    println!("child: the smaller one still works");
}

#[test]
#[cfg(target_os = "linux")]
fn out_of_memory_is_told_as_such() {
    if !gpu::open(&GpuOptions::default()).adapter().software {
        eprintln!("NOT TESTED: only a software adapter's memory can be limited");
        return;
    }
    let output = child(
        "child_without_memory",
        "ulimit -v 6000000; exec \"$0\" \"$@\"",
    );
    assert!(output.contains("child: GPU out of memory: "), "{output}");
    assert!(output.contains("still works"), "{output}");
}

#[test]
fn a_buffer_beyond_the_limits_is_never_asked_for() {
    let gpu = gpu::open(&gpu::with(|of| of.chunk = 1 << 24));
    gpu::equals_cpu(&gpu, &batch(1000), &Rules::SWAP);
    gpu::judges_some_like_cpu(&gpu, batch(1000).positions(), &Rules::SWAP, Sides::Both);
}

#[test]
fn a_timeout_is_an_error_and_nothing_hangs_after_it() {
    let gpu = gpu::open(&gpu::with(|of| of.timeout = Duration::ZERO));
    let batch = batch(20_000);
    let before = Instant::now();
    // A device may be done before a busy machine lets this thread look.
    let mut tries = core::iter::repeat_with(|| score(&gpu, &batch)).take(100);
    let first = tries.find(Result::is_err);
    assert_eq!(first, Some(Err(BackendError::Timeout)));
    assert_eq!(score(&gpu, &batch), Err(BackendError::Timeout), "it stays");
    drop(gpu);
    assert!(before.elapsed() < Duration::from_secs(20));
}

#[test]
fn adapters_are_found_by_name() {
    let gpu = gpu::open(&GpuOptions::default());
    let all = adapters();
    assert!(all.iter().any(|found| found.name == gpu.adapter().name));
    for adapter in &all {
        eprintln!("{adapter:?}");
        let shouted = adapter.name.to_uppercase();
        assert!(
            Gpu::open(Some(&shouted), &GpuOptions::default()).is_ok(),
            "{shouted}"
        );
    }
    let software = all.iter().skip_while(|adapter| !adapter.software);
    assert!(software.into_iter().all(|adapter| adapter.software), "last");
    let missing = Gpu::open(Some("no such adapter"), &GpuOptions::default()).map(|gpu| gpu.name());
    assert!(
        matches!(missing, Err(BackendError::NoAdapter(_))),
        "{missing:?}"
    );
}

/// Run by the test below in a process whose drivers are bogus.
#[test]
#[ignore = "needs the environment that the next test gives it"]
fn child_without_drivers() {
    std::env::var("SWAPLIST_TEST_CHILD").expect("is run by the next test");
    assert_eq!(adapters(), []);
    for opened in [
        Gpu::open(None, &GpuOptions::default()),
        Gpu::open(Some("llvmpipe"), &GpuOptions::default()),
    ] {
        let error = opened.map(|gpu| gpu.name()).unwrap_err();
        assert!(matches!(error, BackendError::NoAdapter(_)), "{error:?}");
        let told = error.to_string();
        for needed in [
            "libvulkan1",
            "nvidia_icd.json",
            "NVIDIA_DRIVER_CAPABILITIES=graphics",
            "WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1",
        ] {
            assert!(told.contains(needed), "{told}");
        }
        println!("child: {error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_drivers_there_is_no_adapter() {
    let bogus = "VK_DRIVER_FILES=/nonexistent.json VK_ICD_FILENAMES=/nonexistent.json";
    let output = child(
        "child_without_drivers",
        &format!("{bogus} exec \"$0\" \"$@\""),
    );
    assert_eq!(
        output
            .matches("child: no GPU adapter: none found; ")
            .count(),
        2,
        "{output}"
    );
}

/// Runs one ignored test of this file through a shell; returns its output.
#[cfg(target_os = "linux")]
fn child(test: &str, script: &str) -> String {
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("on_gpu::failures::{test}")])
        .args(["--ignored", "--nocapture"])
        .env("SWAPLIST_TEST_CHILD", "1")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout).into_owned();
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{output}\n{errors}");
    output
}

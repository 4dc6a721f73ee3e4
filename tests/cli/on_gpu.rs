//! Commands on the adapter under test.

#![cfg(feature = "gpu")]

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::adapter;
use crate::run::{Folder, fens, lines};

/// The adapter under test, for `--backend`.
pub fn backend() -> String {
    format!("gpu:{}", adapter::name())
}

/// Blocks from one thread and from several, on the CPU and on the adapter.
#[test]
fn a_gpu_writes_what_the_cpu_writes() {
    let folder = Folder::new();
    let gpu = backend();
    let some = fens(51, 2_000);
    folder.write("in", lines(&some).repeat(20));
    for command in [["filter", "-q"], ["verdict", "-q"], ["score", "-q"]] {
        let run = |backend, threads| {
            let args = ["in", "--backend", backend, "--threads", threads];
            let ran = folder.run(&[&command[..], &args[..]].concat());
            assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
            ran.stdout
        };
        let expected = run("cpu", "2");
        for threads in ["1", "3", "4"] {
            assert!(run(&gpu, threads) == expected, "{command:?} {threads}");
        }
    }
}

#[test]
fn the_summary_names_what_did_it() {
    let folder = Folder::new();
    let input = lines(&fens(52, 100));
    let names = |backend| {
        let args = ["filter", "--backend", backend, "--json"];
        let ran = folder.run_with(&args, input.as_bytes());
        let summary: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        summary["backend"].as_str().unwrap().to_owned()
    };
    assert!(names("cpu").starts_with("CPU, "));
    let name = names(&backend());
    assert!(!name.contains("CPU, "), "{name}");
    let ran = folder.run_with(
        &["filter", "--backend", "gpu:no such GPU"],
        input.as_bytes(),
    );
    let told = "none is named 'no such GPU'";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert!(ran.stderr.contains("the CPU takes over"), "{}", ran.stderr);
    assert_eq!(ran.status, Some(0));
}

/// A GPU that is asked for or required is a real one, in all commands. With a software adapter
/// only, that is an error that tells how to ask for it, or the CPU takes over, aloud.
#[test]
fn a_software_adapter_is_no_gpu_unless_it_is_named() {
    let all = swaplist::gpu::adapters();
    let Some(software) = all.iter().find(|adapter| adapter.software) else {
        eprintln!("NOT TESTED: there is no software adapter");
        return;
    };
    let folder = Folder::new();
    let named = format!("gpu:{}", software.name);
    folder.write("in", lines(&fens(54, 9)));
    for command in ["filter", "score", "verdict", "count", "verify", "bench"] {
        let mut args = vec![command, "in", "--require-gpu", "--backend"];
        if command == "bench" {
            args.splice(2..2, ["--questions", "--no-cpu", "--sizes", "9"]);
        }
        let ran = folder.run(&[&args[..], &[&named]].concat());
        assert_eq!(ran.status, Some(0), "{command}: {}", ran.stderr);
        if all.iter().any(|adapter| !adapter.software) {
            eprintln!("NOT TESTED: without a real GPU");
            continue;
        }
        for backend in ["gpu", "auto", "gpu:"] {
            let refused = folder.run(&[&args[..], &[backend]].concat());
            let told = if backend == "gpu:" {
                "unknown backend 'gpu:'"
            } else {
                "must be asked for by name: 'gpu:"
            };
            let error = &refused.stderr;
            assert_eq!(refused.status, Some(2), "{command} {backend}: {error}");
            assert!(error.contains(told), "{command} {backend}: {error}");
        }
    }
    if all.iter().all(|adapter| adapter.software) {
        let ran = folder.run(&["filter", "in", "-q", "--backend", "gpu"]);
        assert_eq!(ran.status, Some(0));
        assert!(ran.stderr.contains("the CPU takes over"), "{}", ran.stderr);
    }
}

#[test]
fn devices_have_numbers_in_json_and_units_in_text() {
    let folder = Folder::new();
    let ran = folder.run(&["devices", "--json"]);
    let devices: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let gpu = &devices["gpus"][0];
    for key in ["largest_buffer", "largest_binding", "workgroups"] {
        assert!(gpu[key].as_u64().unwrap() > 1000, "{gpu}");
    }
    let text = String::from_utf8(folder.run(&["devices"]).stdout).unwrap();
    assert!(text.contains(" MiB\n") && text.contains(" a dimension\n"));
}

/// No GPU is searched for when there is little work: its drivers are not loaded.
#[cfg(target_os = "linux")]
#[test]
fn little_work_is_not_worth_a_gpu() {
    let folder = Folder::new();
    let input = lines(&fens(53, 2_000)).repeat(15);
    let loads_drivers = |backend| {
        let args = ["filter", "--backend", backend, "-q", "--invert"];
        let mut child = folder.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        // The first blocks are done, and more may come.
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap();
        drop((stdin, stdout));
        child.kill().unwrap();
        child.wait().unwrap();
        maps.contains("libvulkan")
    };
    assert!(!loads_drivers("auto"));
    assert!(loads_drivers(&backend()), "the test above can fail");
}

use std::collections::BTreeSet;

use serde_json::Value;

use crate::run::Folder;

fn json(args: &[&str]) -> Value {
    let ran = Folder::new().run(args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// A short bench.
fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["bench", "--patience", "5"][..], more].concat()
}

/// The names of what was measured of these kinds.
fn names(json: &Value, kinds: &[&str]) -> Vec<String> {
    let figures = figures(json, "scores", kinds);
    let mut names: Vec<String> = figures
        .iter()
        .map(|of| of["name"].as_str().unwrap().to_owned())
        .collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// The figures of a part, of these kinds.
fn figures<'a>(json: &'a Value, part: &str, kinds: &[&str]) -> Vec<&'a Value> {
    let all = json["figures"].as_array().unwrap().iter();
    all.filter(|one| one["part"] == part && kinds.contains(&one["kind"].as_str().unwrap()))
        .collect()
}

#[test]
fn every_figure_of_a_bench_has_its_size_and_no_wrong_result() {
    let json = json(&quick(&[
        "--backend",
        "cpu",
        "--sizes",
        "1000,64,4096",
        "--json",
    ]));
    let paths = names(&json, &["cpu"]);
    for part in ["scores", "verdicts"] {
        let cpus = figures(&json, part, &["cpu"]);
        assert_eq!(cpus.len(), 3 * paths.len(), "{part}");
        for (i, figure) in cpus.iter().enumerate() {
            assert_eq!(figure["positions"], [64, 1000, 4096][i / paths.len()]);
            assert_eq!(figure["name"], paths[i % paths.len()]);
            assert_eq!(figure["wrong"], false);
            let [answers, seconds, rate] =
                ["answers", "seconds", "per_second"].map(|key| figure[key].as_f64().unwrap());
            assert!(seconds > 0.0 && (rate * seconds / answers - 1.0).abs() < 1e-6);
        }
    }
    assert_eq!(json["rules"]["profile"], "swap");
}

#[cfg(feature = "gpu")]
#[test]
fn on_gpu_software_is_measured_and_makes_no_headline() {
    let gpu = crate::on_gpu::backend();
    let args = quick(&["--backend", &gpu, "--no-cpu", "--sizes", "100,3000"]);
    let knobs = "chunk=1000,workers=2,workgroup=32,list=2";
    let json = json(&[&args[..], &["--gpu-options", knobs, "--json"]].concat());
    let gpus = names(&json, &["gpu", "software"]);
    assert!(!gpus.is_empty());
    assert!(names(&json, &["cpu"]).is_empty());
    for part in ["scores", "verdicts"] {
        let all = figures(&json, part, &["gpu", "software"]);
        assert_eq!(all.len(), 2 * gpus.len(), "{part}");
        for figure in all {
            assert!(figure["seconds"].as_f64().unwrap() > 0.0);
            assert_eq!(figure["wrong"], false);
        }
    }
    let ran = Folder::new().run(&args);
    let software = !names(&json, &["software"]).is_empty();
    assert_eq!(ran.text().contains("SOFTWARE ADAPTER"), software);
    let real = !names(&json, &["gpu"]).is_empty();
    assert_eq!(ran.text().contains("  *"), real, "{}", ran.text());
}

#[test]
fn a_bench_takes_a_file_of_positions() {
    let folder = Folder::new();
    folder.write("in", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n");
    let args = ["in", "--questions", "--backend", "cpu", "--sizes", "100"];
    let ran = folder.run(&quick(&args));
    for line in [
        "1 positions with 1 noisy moves",
        "\nscores, one a move\n",
        "\nverdicts, one a position on all its noisy moves\n",
        "  *",
    ] {
        assert!(ran.text().contains(line), "{}", ran.text());
    }
    assert_eq!(folder.files(), ["in"]);
}

/// A file that takes a debug build long enough.
fn binpack() -> Vec<u8> {
    include_bytes!("../../data/sample.binpack").repeat(120)
}

#[test]
fn a_file_is_filtered_by_all_threads_and_by_fewer() {
    let folder = Folder::new();
    folder.write("games.binpack", binpack());
    let args = [
        "bench",
        "games.binpack",
        "--backend",
        "cpu",
        "--threads",
        "2",
    ];
    let args = [&args[..], &["--runs", "2", "--report", "page.html"]].concat();
    let ran = folder.run(&[&args[..], &["--json"]].concat());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    // Copies and outputs have no name.
    assert_eq!(folder.files(), ["games.binpack", "page.html"]);
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let figures = json["figures"].as_array().unwrap();
    let names: Vec<&str> = figures
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["CPU, 1 thread", "CPU, 2 threads"]);

    let filtered = folder.run(&["filter", "games.binpack", "-o", "quiet.binpack", "--json"]);
    let summary: Value = serde_json::from_slice(&filtered.stdout).unwrap();
    for key in ["records", "kept"] {
        assert_eq!(json[key], summary[key], "{key}");
    }
    assert_eq!(json["written"], folder.read("quiet.binpack").len());
    for figure in figures {
        assert_eq!(figure["wrong"], false);
        assert_eq!(figure["seconds"].as_array().unwrap().len(), 2);
        let number = |key: &str| figure[key].as_f64().unwrap();
        assert!(number("least") <= number("median"));
        let rate = json["records"].as_f64().unwrap() / number("median");
        assert!((number("records_per_second") / rate - 1.0).abs() < 1e-6);
        let stages = figure["stages"].as_object().unwrap();
        for stage in ["read", "decode", "judge", "encode", "write"] {
            assert!(stages[stage].as_f64().unwrap() > 0.0, "{stage}");
        }
        // What threads did and waited for is all their time.
        let sum: f64 = stages.values().map(|time| time.as_f64().unwrap()).sum();
        let all = number("recording") * number("median") * number("threads");
        let share = sum * 1e-9 * json["records"].as_f64().unwrap() / all;
        assert!((0.9..=1.0).contains(&share), "{share}");
    }
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    for part in ["CPU, 2 threads", "thread 2", "<svg ", "judge"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn an_interrupted_bench_leaves_nothing() {
    let folder = Folder::new();
    folder.write("games.binpack", binpack());
    let args = [
        "bench",
        "games.binpack",
        "--report",
        "page.html",
        "--runs",
        "1000",
    ];
    let bench = folder.command(&args).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    crate::interrupt::interrupt(&bench);
    let ended = bench.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    assert_eq!(folder.files(), ["games.binpack"]);
}

#[test]
fn what_cannot_be_benched_is_refused() {
    let folder = Folder::new();
    folder.write("quiet", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    folder.write("broken", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\nno position\n");
    for (args, message) in [
        (
            &["quiet", "--questions"][..],
            "no position with a noisy move",
        ),
        (&["broken", "--questions"], "line 2"),
        (&["missing", "--questions"], "missing"),
        (&["missing"], "missing"),
        (&["."], "not a file"),
        (&["-"], "read once only"),
        (&["broken"], "line 2"),
        (&["quiet"], "too small to measure"),
        (&["quiet", "--sizes", "9"], "add --questions"),
        (&["quiet", "--no-cpu"], "add --questions"),
        (&["--report", "page.html"], "name a file"),
        (&["--preset", "calm"], "name a file"),
        (
            &["quiet", "--questions", "--mode", "drop"],
            "leave out --questions",
        ),
        (&["quiet", "--runs", "0"], "from 1 to 1000"),
        (&["quiet", "--scratch", "no folder"], "no folder"),
        (&["quiet", "--report", "broken"], "--force"),
        (&["--sizes", "0"], "from 1 to 16777216"),
        (&["--sizes", "16777217"], "from 1 to 16777216"),
        (&["--no-cpu"], "leave out --no-cpu"),
        #[cfg(feature = "gpu")]
        (&["--gpu-options", "rows=2"], "expected chunk=N, workers=N"),
        #[cfg(feature = "gpu")]
        (&["--gpu-options", "workers=x"], "expected chunk=N"),
    ] {
        let ran = folder.run(&[&["bench", "--backend", "cpu"][..], args].concat());
        assert_eq!(ran.status, Some(2), "{args:?}");
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn devices_tell_what_auto_takes() {
    let json = json(&["devices", "--json"]);
    assert!(json["cpu"]["threads"].as_u64().unwrap() > 0);
    let real = json["gpus"]
        .as_array()
        .unwrap()
        .iter()
        .find(|gpu| gpu["software"] == false);
    let expected = real.map_or("cpu", |gpu| gpu["name"].as_str().unwrap());
    assert_eq!(json["auto"]["backend"], expected);
}

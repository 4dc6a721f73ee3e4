use std::time::Duration;

use serde_json::Value;

use crate::run::Folder;

fn json(args: &[&str]) -> Value {
    let ran = Folder::new().run(args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// A bench that is over soon.
fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let args = ["bench", "--runs", "1", "--patience", "5"];
    args.iter().chain(more).copied().collect()
}

#[test]
fn every_figure_of_a_bench_has_its_size_its_floor_and_no_wrong_result() {
    let json = json(&quick(&[
        "--backend",
        "cpu",
        "--sizes",
        "1000,1,4k",
        "--parts",
        "scores,verdicts",
        "--json",
    ]));
    let contenders = json["contenders"].as_array().unwrap();
    assert!(
        contenders
            .iter()
            .all(|contender| contender["kind"] == "cpu")
    );
    for part in ["scores", "verdicts"] {
        let figures = json[part]["figures"].as_array().unwrap();
        assert_eq!(figures.len(), 3 * contenders.len(), "{part}");
        for (figure, size) in figures.iter().zip([1, 1000, 4096].iter().cycle()) {
            assert_eq!(figure["batch"], *size);
            assert_eq!(figure["wrong"], Value::Null);
            assert_eq!(figure["floor"], "memcpy");
            let [seconds, floor, ratio] = ["seconds", "floor_seconds", "times_floor"]
                .map(|key| figure[key].as_f64().unwrap());
            assert!(seconds > 0.0 && floor > 0.0);
            assert!((ratio - seconds / floor).abs() < 1e-6 * ratio, "{figure}");
        }
        assert_eq!(json[part]["devices"], Value::Array(Vec::new()));
    }
    assert_eq!(json["rules"]["profile"], "swap");
    assert_eq!(json["files"], Value::Array(Vec::new()));
}

#[test]
fn a_gpu_has_its_kernels_and_the_copy_to_it_as_its_floor() {
    if std::env::var("GPU_TESTS").is_ok_and(|value| value == "off") {
        eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
        return;
    }
    let json = json(&quick(&[
        "--backend",
        "gpu",
        "--no-cpu",
        "--sizes",
        "100,3000",
        "--parts",
        "scores,verdicts",
        "--gpu-chunk",
        "1000",
        "--gpu-lanes",
        "2",
        "--gpu-workgroup",
        "32",
        "--gpu-list",
        "2",
        "--gpu-peak",
        "1e12",
        "--gpu-ops",
        "500,2000",
        "--json",
    ]));
    let contenders = json["contenders"].as_array().unwrap();
    assert!(
        contenders
            .iter()
            .all(|contender| contender["kind"] == "gpu")
    );
    for part in ["scores", "verdicts"] {
        let figures = json[part]["figures"].as_array().unwrap();
        assert_eq!(figures.len(), 2 * contenders.len());
        for figure in figures {
            assert_eq!(figure["floor"], "copy to device");
            assert_eq!(figure["wrong"], Value::Null);
            let [copy, filled] =
                ["floor_seconds", "upload_seconds"].map(|key| figure[key].as_f64().unwrap());
            assert!(copy > 0.0 && filled > 0.0);
        }
        let devices = json[part]["devices"].as_array().unwrap();
        assert_eq!(devices.len(), contenders.len());
        for device in devices {
            // There was no CPU to win against.
            assert_eq!(device["wins_from"], Value::Null);
            assert!(device["of_copy"].as_f64().unwrap() > 0.0);
            let kernels = figures
                .iter()
                .any(|figure| figure["kernel_seconds"].is_f64());
            assert_eq!(
                device["of_peak"].as_f64().is_some_and(|peak| peak > 0.0),
                kernels
            );
        }
    }
}

#[test]
fn what_is_software_is_called_so() {
    if std::env::var("GPU_TESTS").is_ok_and(|value| value == "off") {
        eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
        return;
    }
    let ran = Folder::new().run(&quick(&["--sizes", "64", "--parts", "verdicts"]));
    let software = ran.text().contains(", software)");
    assert_eq!(ran.text().contains("SOFTWARE ADAPTER"), software);
    assert_eq!(
        ran.text().contains("but is software and says nothing"),
        software
    );
}

#[test]
fn a_bench_takes_a_file_of_positions() {
    let folder = Folder::new();
    folder.write("in", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n");
    let ran = folder.run(&quick(&[
        "in",
        "--backend",
        "cpu",
        "--sizes",
        "100",
        "--parts",
        "scores",
    ]));
    assert!(
        ran.text().contains("1 positions with 1 noisy moves"),
        "{}",
        ran.text()
    );
    assert!(ran.text().contains("fastest at 100: CPU"), "{}", ran.text());
    assert_eq!(folder.files(), ["in"]);
}

/// Of a binary file: each stage with those before it, and the command itself.
#[test]
fn stages_from_a_file_have_their_floors() {
    let folder = Folder::new();
    let scored = |fen: &String| format!("{fen} | 0 | 0.5\n");
    let lines: Vec<String> = crate::run::fens(3, 500).iter().map(scored).collect();
    folder.write("in.txt", lines.concat());
    let args = [
        "convert",
        "in.txt",
        "--from",
        "text",
        "-o",
        "in.data",
        "--to",
        "bulletformat",
    ];
    folder.run(&args).text();
    let args = quick(&[
        "in.data",
        "--from",
        "bulletformat",
        "--parts",
        "files",
        "--json",
    ]);
    let json: Value = serde_json::from_str(folder.run(&args).text()).unwrap();
    let [file] = json["files"].as_array().unwrap().as_slice() else {
        panic!("{}", json["files"])
    };
    assert_eq!(file["format"], "bulletformat");
    let (bytes, records) = (file["bytes"].as_u64(), file["records"].as_u64());
    assert_eq!(bytes, records.map(|records| 32 * records));
    let stages = file["stages"].as_array().unwrap();
    let names: Vec<_> = stages
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    for name in [
        "page-cache read",
        "memcpy",
        "and judged",
        "copy of the file",
    ] {
        assert!(names.contains(&name), "{names:?}");
    }
    for stage in stages {
        assert!(stage["seconds"].as_f64().unwrap() > 0.0);
        match stage["floor"].as_str() {
            Some(floor) => assert!(names.contains(&floor), "{floor}"),
            None => assert_eq!(stage["times_floor"], Value::Null),
        }
    }
    assert!(
        names.last().unwrap().starts_with("filter to a file"),
        "{names:?}"
    );
    assert_eq!(json.get("scores"), None);
}

#[test]
fn a_page_and_json_can_be_written_beside_the_text() {
    let folder = Folder::new();
    let args = quick(&[
        "--backend",
        "cpu",
        "--sizes",
        "10,100",
        "--parts",
        "scores,verdicts",
        "--plot",
        "bench.html",
        "--json=bench.json",
    ]);
    let ran = folder.run(&args);
    assert!(
        ran.text().contains("verdicts (one a position"),
        "{}",
        ran.text()
    );
    let json: Value = serde_json::from_slice(&folder.read("bench.json")).unwrap();
    assert_eq!(json["command"], "bench");
    let page = String::from_utf8(folder.read("bench.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<svg").count(), 2);
    assert_eq!(page.matches("</svg>").count(), 2);
    // Complete in itself.
    for part in ["<script", "<link", "src=", "href="] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(folder.files(), ["bench.html", "bench.json"]);

    let again = folder.run(&args);
    assert!(again.error().contains("exists, --force replaces it"));
    let forced: Vec<_> = args.iter().copied().chain(["--force"]).collect();
    folder.run(&forced).text();
}

#[test]
fn what_cannot_be_benched_is_refused() {
    let folder = Folder::new();
    folder.write("quiet", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    folder.write("broken", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\nno position\n");
    for (args, message) in [
        (&["bench", "quiet"][..], "no position with a noisy move"),
        (&["bench", "broken"], "line 2"),
        (&["bench", "--sizes", "0"], "from 1 to 16M"),
        (&["bench", "--sizes", "99999M"], "from 1 to 16M"),
        (&["bench", "--sizes", "1", "--full"], "cannot be used with"),
        (&["bench", "--patience", "0"], "above 0"),
        (&["bench", "--parts", "moves"], "possible values"),
        (&["bench", "--gpu-lanes", "0"], "--gpu-lanes"),
        (&["bench", "--gpu-peak", "1e12"], "--gpu-ops"),
        (&["bench", "--gpu-peak=-1", "--gpu-ops", "1,2"], "above 0"),
        (
            &["bench", "--gpu-peak", "1e12", "--gpu-ops", "1"],
            "two numbers",
        ),
        (
            &["bench", "--no-cpu", "--backend", "cpu"],
            "leave out --no-cpu",
        ),
        (&["bench", "missing"], "missing"),
        (&["bench", "--plot", "no/such.html"], "no folder"),
        (
            &["bench", "quiet", "--plot", "quiet", "--force"],
            "used twice",
        ),
        (&["bench", "--json", "--plot", "-"], "used twice"),
        (&["bench", "--json=a", "--plot", "a"], "used twice"),
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.status, Some(2), "{args:?}");
        assert!(ran.stderr.contains(message), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(folder.files(), ["broken", "quiet"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_page_behind() {
    let folder = Folder::new();
    let args = ["bench", "--backend", "cpu", "--full", "--plot", "page.html"];
    let mut child = folder.command(&args).spawn().unwrap();
    let started = std::time::Instant::now();
    while folder.files().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.files(), [""; 0]);
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

/// Also where no GPU would have been asked.
#[test]
fn wrong_settings_of_a_gpu_are_refused_at_once() {
    for (option, value, expected) in [
        ("--gpu-workgroup", "31", "a whole number from 32 to 1024"),
        ("--gpu-workgroup", "65", "a multiple of 32"),
        ("--gpu-workgroup", "2048", "a whole number from 32 to 1024"),
        ("--gpu-list", "0", "a whole number from 1 to 64"),
        ("--gpu-list", "65", "a whole number from 1 to 64"),
        ("--gpu-lanes", "65", "a whole number from 1 to 64"),
        ("--gpu-lanes", "x", "a whole number from 1 to 64"),
        ("--gpu-chunk", "17M", "a number from 1 to 16M"),
    ] {
        let ran = Folder::new().run(&["bench", "--backend", "cpu", option, value]);
        assert_eq!(ran.status, Some(2), "{option} {value}");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert!(ran.stderr.contains(option), "{}", ran.stderr);
    }
}

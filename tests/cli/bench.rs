use std::time::Duration;

use serde_json::Value;

use crate::run::Folder;

fn json(args: &[&str]) -> Value {
    let ran = Folder::new().run(args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// A short bench.
fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let args = ["bench", "--patience", "5"];
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
    let contenders = names(&json["contenders"], |kind| kind == "cpu");
    assert!(!contenders.is_empty());
    assert_eq!(names(&json["contenders"], |kind| kind != "cpu"), ["memcpy"]);
    for part in ["scores", "verdicts"] {
        let figures = measured(&json, part, |kind| kind == "cpu");
        assert_eq!(figures.len(), 3 * contenders.len(), "{part}");
        for (i, figure) in figures.iter().enumerate() {
            assert_eq!(figure["batch"], [1, 1000, 4096][i / contenders.len()]);
            assert_eq!(figure["name"], contenders[i % contenders.len()]);
            assert_eq!(figure["wrong"], Value::Null);
            assert_eq!(figure["floor"], "memcpy");
            let [seconds, floor, ratio] = ["seconds", "floor_seconds", "times_floor"]
                .map(|key| figure[key].as_f64().unwrap());
            assert!(seconds > 0.0 && floor > 0.0);
            assert!((ratio - seconds / floor).abs() < 1e-6 * ratio, "{figure}");
        }
        let floors = measured(&json, part, |kind| kind != "cpu");
        assert_eq!(floors.len(), 3);
    }
    assert_eq!(json["rules"]["profile"], "swap");
    assert!(measured(&json, "files", |_| true).is_empty());
}

/// The names of the contenders of these kinds.
fn names(contenders: &Value, kinds: impl Fn(&str) -> bool) -> Vec<String> {
    let contenders = contenders.as_array().unwrap().iter();
    contenders
        .filter(|one| kinds(one["kind"].as_str().unwrap()))
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The measurements of a part, of these kinds.
fn measured<'a>(json: &'a Value, part: &str, kinds: impl Fn(&str) -> bool) -> Vec<&'a Value> {
    let all = json["measurements"].as_array().unwrap().iter();
    all.filter(|one| one["part"] == part && kinds(one["kind"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_gpu_has_its_kernels_and_the_copy_to_it_as_its_floor() {
    if std::env::var("GPU_TESTS").is_ok_and(|value| value == "off") {
        eprintln!("GPU_TESTS=off: nothing was tested on a GPU");
        return;
    }
    let devices = json(&["devices", "--json"]);
    let devices = devices["gpus"].as_array().unwrap().iter();
    let timed = devices.filter(|gpu| gpu["timestamps"] == "yes").count();
    let json = json(&quick(&[
        "--backend",
        "gpu",
        "--no-cpu",
        "--sizes",
        "100,3000",
        "--parts",
        "scores,verdicts",
        "--gpu-options",
        "chunk=1000,workers=2,workgroup=32,list=2",
        "--json",
    ]));
    let is_gpu = |kind: &str| kind == "gpu" || kind == "software";
    let gpus = names(&json["contenders"], is_gpu);
    assert!(!gpus.is_empty());
    assert!(names(&json["contenders"], |kind| kind == "cpu").is_empty());
    for part in ["scores", "verdicts"] {
        let figures = measured(&json, part, is_gpu);
        assert_eq!(figures.len(), 2 * gpus.len());
        for figure in figures {
            let name = figure["name"].as_str().unwrap();
            assert_eq!(figure["floor"], format!("{name}: copy to it"));
            assert_eq!(figure["wrong"], Value::Null);
            assert!(figure["floor_seconds"].as_f64().unwrap() > 0.0);
        }
        let kernels = measured(&json, part, |kind| kind == "kernels");
        assert_eq!(kernels.len(), 2 * timed, "{part}");
        for kernels in kernels {
            assert!(kernels["seconds"].as_f64().unwrap() > 0.0);
            assert_eq!(kernels["wrong"], Value::Null);
        }
        // There was no CPU to compare with.
        let findings = json["findings"][part].to_string();
        assert!(!findings.contains("wins"), "{findings}");
        let of_copy = findings.matches("of what the copy to it allows").count();
        assert_eq!(of_copy, gpus.len(), "{findings}");
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
    // It makes no headline, even alone.
    let alone = ["--sizes", "64", "--parts", "verdicts", "--backend", "gpu"];
    let ran = Folder::new().run(&quick(&[&alone[..], &["--no-cpu"]].concat()));
    let mut fastest = ran.text().lines().filter(|line| line.contains("fastest"));
    assert!(
        fastest.all(|line| !line.contains("software")),
        "{}",
        ran.text()
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

/// For a binary file: each stage includes those before it; the command itself comes last.
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
    let stages = measured(&json, "files", |_| true);
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
    for stage in &stages {
        assert_eq!(stage["format"], "bulletformat");
        let (bytes, records) = (stage["bytes"].as_u64(), stage["batch"].as_u64());
        assert_eq!(bytes, records.map(|records| 32 * records));
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
    assert!(measured(&json, "scores", |_| true).is_empty());
}

#[test]
fn a_page_and_json_can_be_written_beside_the_text() {
    let folder = Folder::new();
    let args = quick(&[
        "--backend",
        "cpu",
        "--sizes",
        "16,64,4k",
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
    // Every figure is a point of a plot; the axes have short names.
    let figures = json["measurements"].as_array().unwrap().len();
    assert_eq!(page.matches("<circle").count(), figures);
    assert!(page.contains("\n4k\n"), "{page}");
    // Each line has a color and dashes of its own.
    let styles: Vec<_> = page
        .match_indices("<i style")
        .map(|(at, _)| {
            let style = &page[at..];
            &style[..style.find("</i>").unwrap()]
        })
        .collect();
    let plot = &styles[..styles.len() / 2];
    assert!(plot.len() >= 3);
    for (i, style) in plot.iter().enumerate() {
        assert!(!plot[..i].contains(style), "{style}");
    }
    // Self-contained.
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

/// Even if no GPU would be used.
#[cfg(feature = "gpu")]
#[test]
fn wrong_settings_of_a_gpu_are_refused_at_once() {
    for (setting, expected) in [
        ("workgroup=31", "a whole number from 32 to 1024"),
        ("workgroup=65", "a multiple of 32"),
        ("workgroup=2048", "a whole number from 32 to 1024"),
        ("list=0", "a whole number from 1 to 64"),
        ("list=65", "a whole number from 1 to 64"),
        ("workers=0", "a whole number from 1 to 64"),
        ("workers=65", "a whole number from 1 to 64"),
        ("workers=x", "a whole number from 1 to 64"),
        ("chunk=17M", "a whole number from 1 to 16777216"),
        ("workers=2,rows=2", "expected chunk=N, workers=N"),
    ] {
        let ran = Folder::new().run(&["bench", "--backend", "cpu", "--gpu-options", setting]);
        assert_eq!(ran.status, Some(2), "{setting}");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert!(ran.stderr.contains("--gpu-options"), "{}", ran.stderr);
    }
}

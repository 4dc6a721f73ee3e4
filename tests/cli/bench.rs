use serde_json::Value;

use crate::run::Folder;

fn json(args: &[&str]) -> Value {
    let ran = Folder::new().run(args);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn every_figure_of_a_bench_has_its_size_and_no_wrong_result() {
    let json = json(&[
        "bench",
        "--backend",
        "cpu",
        "--sizes",
        "1000,1,4k",
        "--runs",
        "1",
        "--json",
    ]);
    let contenders = json["contenders"].as_array().unwrap().len();
    for part in ["scores", "verdicts"] {
        let figures = json[part].as_array().unwrap();
        assert_eq!(figures.len(), 3 * contenders, "{part}");
        for (figure, size) in figures.iter().zip([1, 1000, 4096].iter().cycle()) {
            assert_eq!(figure["batch"], *size);
            assert_eq!(figure["wrong"], Value::Null);
            assert!(figure["seconds"].as_f64().unwrap() > 0.0);
        }
    }
    assert_eq!(json["rules"]["profile"], "swap");
}

#[test]
fn a_bench_takes_a_file_of_positions() {
    let folder = Folder::new();
    folder.write("in", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n");
    let ran = folder.run(&[
        "bench",
        "in",
        "--backend",
        "cpu",
        "--sizes",
        "100",
        "--runs",
        "1",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.text().contains("1 positions with 1 noisy moves"),
        "{}",
        ran.text()
    );
    assert!(ran.text().contains("fastest at 100: CPU"), "{}", ran.text());
}

#[test]
fn what_cannot_be_benched_is_refused() {
    let folder = Folder::new();
    folder.write("quiet", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    for (args, message) in [
        (&["bench", "quiet"][..], "no position with a noisy move"),
        (&["bench", "--sizes", "0"], "from 1 to 16M"),
        (&["bench", "--sizes", "99999M"], "from 1 to 16M"),
        (&["bench", "--patience", "0"], "above 0"),
        (&["bench", "missing"], "missing"),
    ] {
        let ran = folder.run(args);
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

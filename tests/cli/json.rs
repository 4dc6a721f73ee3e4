//! A JSON summary is alone on standard output, unless data goes there.

use serde_json::Value;

use crate::run::{Folder, Ran, fens, lines};

#[track_caller]
fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in.fen", lines(&fens(31, 50)));
    folder.write("answers", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100\n");
    folder
}

fn run(folder: &Folder, line: &str) -> Ran {
    let args: Vec<&str> = line.split(' ').collect();
    folder.run(&args)
}

#[test]
fn a_summary_goes_to_standard_output_when_data_does_not() {
    let folder = folder();
    for line in [
        "filter in.fen -o out --json",
        "filter in.fen -o out --json -q",
        "filter in.fen --out-dir many --json",
        "filter in.fen -o out --rejects no --stats stats --report page --json",
        "convert in.fen -o out.plain --json",
        "score in.fen -o out --json",
        "verdict in.fen -o out --json",
    ] {
        let ran = run(&folder, &format!("{line} --force"));
        assert_eq!(ran.status, Some(0), "{line}: {}", ran.stderr);
        assert_eq!(parsed(&ran.stdout)["records"], 50, "{line}");
        assert!(!ran.stderr.contains('{'), "{line}: {}", ran.stderr);
    }
    let ran = run(&folder, "filter in.fen -o out --force");
    assert_eq!(ran.text(), "", "as text it stays on standard error");
}

#[test]
fn a_summary_gives_way_to_data() {
    let folder = folder();
    for line in [
        "filter in.fen --json",
        "filter in.fen -o - --json",
        #[cfg(target_os = "linux")]
        "filter in.fen -o /dev/stdout --json",
        "filter in.fen -o out --rejects - --json",
        "filter in.fen -o out --stats - --json",
        "filter in.fen --out-dir many --stats - --json",
        "convert in.fen --to plain --json",
        "score in.fen --json",
        "verdict in.fen --to jsonl --json",
    ] {
        let ran = run(&folder, &format!("{line} --force"));
        assert_eq!(ran.status, Some(0), "{line}: {}", ran.stderr);
        let json = ran.stderr.find("{\n").unwrap_or_else(|| panic!("{line}"));
        assert_eq!(parsed(&ran.stderr.as_bytes()[json..])["records"], 50);
        assert!(!ran.stdout.is_empty(), "{line}");
        let is_data = line.contains("stats") || !ran.text().contains("\"command\"");
        assert!(is_data, "{line}: {}", ran.text());
    }
}

#[test]
fn whatever_has_no_data_gives_its_json_on_standard_output() {
    let folder = folder();
    for line in [
        "count in.fen --json",
        "count in.fen --json --stats stats --report page",
        "validate in.fen --json",
        "check answers --json",
        "verify in.fen --backend cpu --json",
        "explain 4k3/8/8/3p4/4P3/8/8/4K3 w - - --json",
        "devices --json",
        "bench in.fen --sizes 16 --patience 0.01 --backend cpu --json",
    ] {
        let ran = run(&folder, line);
        assert_eq!(ran.status, Some(0), "{line}: {}", ran.stderr);
        assert!(parsed(&ran.stdout).is_object(), "{line}");
    }
}

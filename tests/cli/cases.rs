//! What the command prints. Each file of `cases/` has prose and commands (`$`, continued by `>`),
//! run by a shell in a folder of their own, with their exit status (`?`) unless it is 0, and their
//! output; `[..]` stands for any text in a line. To write the outputs anew:
//! `SNAPSHOTS=overwrite cargo test --test cli -- cases`.

#![cfg(unix)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

use snapbox::{Assert, Data};

use crate::run::Folder;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cli/cases");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data");

#[test]
fn each_case_prints_what_its_file_says() {
    thread::scope(|scope| {
        for file in fs::read_dir(CASES).unwrap() {
            scope.spawn(move || compare(&file.unwrap().path()));
        }
    });
}

/// Apart from the others: an emulator needs memory of its own. Stacks are so large that the second
/// one does not fit, with much left: with less, a thread that has just begun could find no memory
/// for what the system keeps of it, and abort the process.
#[test]
fn threads_that_cannot_be_started() {
    let command = "exec 2>&1; ulimit -v 400000
        RUST_MIN_STACK=300000000 swaplist filter $DATA/sample.fen --backend cpu --threads 512";
    let error = "? 2\nswaplist: error: cannot start 512 worker threads: Resource temporarily \
                 unavailable; ask for fewer with --threads N\n";
    assert_eq!(run(&Folder::new(), command), error);
}

fn compare(file: &Path) {
    let case = fs::read_to_string(file).unwrap();
    let expected = Data::read_from(file, None).raw();
    Assert::new()
        .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
        .eq(rerun(&case), expected);
}

/// The case with what its commands print now.
fn rerun(case: &str) -> String {
    let folder = Folder::new();
    let mut lines = case.lines().peekable();
    let mut text = String::new();
    let mut is_output = false;
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else {
            is_output &= line != "```";
            if !is_output {
                writeln!(text, "{line}").unwrap();
            }
            continue;
        };
        writeln!(text, "{line}").unwrap();
        let mut command = format!("exec 2>&1\n{first}");
        while let Some(more) = lines.next_if(|line| line.starts_with('>')) {
            writeln!(text, "{more}").unwrap();
            write!(command, "\n{}", more.strip_prefix("> ").unwrap_or("")).unwrap();
        }
        let is_shown = |line: &&str| *line != "```" && !line.starts_with("$ ");
        let patterns: Vec<_> = (lines.clone().take_while(is_shown))
            .filter_map(|line| Some((line, line.split_once("[..]")?)))
            .collect();
        for line in run(&folder, &command).lines() {
            let fits = |(_, (before, after)): &&(&str, (&str, &str))| {
                line.starts_with(before) && line.ends_with(after)
            };
            let pattern = patterns.iter().find(fits).map(|(pattern, _)| *pattern);
            writeln!(text, "{}", pattern.unwrap_or(line)).unwrap();
        }
        is_output = true;
    }
    text
}

fn run(folder: &Folder, command: &str) -> String {
    let swaplist = Path::new(env!("CARGO_BIN_EXE_swaplist")).parent().unwrap();
    let path = env::var("PATH").unwrap();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path(""))
        .env("PATH", format!("{}:{path}", swaplist.display()))
        .envs([("LC_ALL", "C"), ("DATA", DATA)])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let status = match output.status.code() {
        Some(0) => String::new(),
        code => format!("? {}\n", code.expect("killed by a signal")),
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    let newline = if printed.is_empty() || printed.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    status + &printed + newline
}

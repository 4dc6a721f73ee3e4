//! Shaders with one thing broken, as files `*.diff` name them: a line of words, in brackets what
//! shows it, a text that the shader holds once (`-`) and what replaces it (`+`).
//!
//! A broken shader may take the driver with it, for its whole process. So each test goes through its
//! mutants in processes of their own.

use std::ops::Range;
use std::process::Command;
use std::{env, fmt, thread};

/// A shader with one text replaced.
pub struct Mutant {
    /// What is broken.
    pub what: &'static str,
    /// What shows it.
    pub shown_by: &'static str,
    from: String,
    to: String,
}

impl Mutant {
    /// The shader with this mutant.
    pub fn of(&self, shader: &str) -> String {
        replaced(shader, &self.from, &self.to)
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: '{}' as '{}'", self.what, self.from, self.to)
    }
}

/// The environment variables by which a test tells its child with which mutant to begin, and before
/// which to end.
const FIRST: &str = "SWAPLIST_FIRST_MUTANT";
const END: &str = "SWAPLIST_END_OF_MUTANTS";
/// The exit status of a test that failed, not of a process that a driver ended.
const FAILED: Option<i32> = Some(101);

/// The mutants of a file, for a test that runs in a child. The test itself, given by its whole
/// name, gets none: here it has run in children, until each mutant was found out.
pub fn mutants(test: &str, file: &'static str) -> Option<impl Iterator<Item = Mutant>> {
    let all: Vec<_> = file.split("\n\n").map(parsed).collect();
    let number = |name| env::var(name).ok().map(|number| number.parse().unwrap());
    let (Some(first), Some(end)) = (number(FIRST), number(END)) else {
        // A shader is compiled by one thread, and one test may have most of the mutants.
        let middle = all.len().div_ceil(2);
        thread::scope(|scope| {
            for part in [0..middle, middle..all.len()] {
                scope.spawn(move || run_in_children(test, part));
            }
        });
        return None;
    };
    let numbered = all.into_iter().enumerate().take(end).skip(first);
    Some(numbered.map(|(number, mutant)| {
        println!("mutant {number}");
        mutant
    }))
}

/// A child goes on until a mutant is not found out. As the driver may have been lost before, the
/// next child begins with this mutant. It fails if its first one is not found out.
fn run_in_children(test: &str, part: Range<usize>) {
    let mut first = part.start;
    while first < part.end {
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--ignored", "--nocapture"])
            .arg(test)
            .env(FIRST, first.to_string())
            .env(END, part.end.to_string())
            // A software adapter of Mesa's takes half the time if it only translates.
            .env("GALLIVM_PERF", "nopt")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        let errors = String::from_utf8_lossy(&child.stderr);
        eprintln!("{errors}");
        let mut lines = output.lines().rev();
        let last: usize = lines
            .find_map(|line| line.strip_prefix("mutant "))
            .unwrap_or_else(|| panic!("'{test}' has run no mutant: {output}"))
            .parse()
            .unwrap();
        if child.status.success() {
            assert_eq!(last + 1, part.end, "{output}");
            return;
        }
        first = last.max(first + 1);
        if last < first {
            assert_ne!(child.status.code(), FAILED, "{output}");
            eprintln!("mutant {last} is found out: {}", child.status);
        }
    }
}

fn parsed(entry: &'static str) -> Mutant {
    let (words, diff) = entry.split_once('\n').unwrap();
    let (what, shown_by) = words.split_once(" (").unwrap_or((words, ""));
    let text = |sign: char| {
        let lines = diff.lines().filter_map(|line| line.strip_prefix(sign));
        lines.collect::<Vec<_>>().join("\n")
    };
    Mutant {
        what: what.trim_start_matches(['#', ' ']),
        shown_by: shown_by.trim_end_matches(')'),
        from: text('-'),
        to: text('+'),
    }
}

/// The shader with one text replaced, which must occur exactly once.
pub fn replaced(shader: &str, from: &str, to: &str) -> String {
    assert_eq!(shader.matches(from).count(), 1, "{from}");
    shader.replace(from, to)
}

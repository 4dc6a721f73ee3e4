//! Shaders with one thing broken: each must be detected, or the comparisons of the other tests
//! could not fail. What is broken is in files `*.diff`: a line of words, in brackets what shows it,
//! a text that the shader holds once (`-`) and what replaces it (`+`).

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;

#[path = "."]
mod on_gpu {
    use std::fmt;

    mod bounds;
    mod decoding;
    mod facts;
    mod scores;
    mod verdicts;

    struct Mutant {
        what: &'static str,
        shown_by: &'static str,
        from: String,
        to: String,
    }

    impl Mutant {
        fn of(&self, shader: &str) -> String {
            replaced(shader, &self.from, &self.to)
        }
    }

    impl fmt::Display for Mutant {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}: '{}' as '{}'", self.what, self.from, self.to)
        }
    }

    fn mutants(file: &'static str) -> impl Iterator<Item = Mutant> {
        file.split("\n\n").map(|entry| {
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
        })
    }

    /// The shader with one text replaced, which must occur exactly once.
    fn replaced(shader: &str, from: &str, to: &str) -> String {
        assert_eq!(shader.matches(from).count(), 1, "{from}");
        shader.replace(from, to)
    }
}

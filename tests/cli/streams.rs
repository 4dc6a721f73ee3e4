//! Readers that go away, inputs that change, and outputs far larger than the input.

use std::io::{BufRead as _, BufReader};

use crate::run::{Folder, fens, lines};

const FEN: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(5, 50_000)));
    let mut child = folder.command(&["score", "in"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "fen\tmove\tsee\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
}

/// The reader of one output has closed it, but the other would silently be incomplete.
#[test]
fn a_reader_who_leaves_one_of_two_outputs_is_an_error() {
    let folder = Folder::new();
    folder.write("in", lines(&vec![FEN; 100_000]));
    for (args, status) in [
        (&["filter", "in", "-o", "out", "--rejects", "-"][..], 2),
        (&["filter", "in", "--rejects", "out", "--max-see", "900"], 2),
        (&["filter", "in", "--max-see", "900"], 0),
    ] {
        let mut child = folder.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(status), "{args:?} {stderr}");
        assert_eq!(stderr.contains("cannot write"), status == 2, "{stderr}");
        assert_eq!(folder.files(), ["in"], "{args:?}");
    }
}

/// The position with the most legal moves: the output is far larger than the input.
pub const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

#[test]
fn much_output_is_whole_and_in_order_on_any_number_of_threads() {
    let folder = Folder::new();
    // Distinguished by the move number.
    let fens: Vec<_> = (1..=4_000)
        .map(|number| format!("{} {number}", MOST_MOVES.strip_suffix(" 1").unwrap()))
        .collect();
    folder.write("in", lines(&fens));
    let score = |threads| {
        let args = "score in --moves all --backend cpu -q --threads";
        folder.run_line(&format!("{args} {threads}"))
    };
    let one = score("1");
    let mut rows = one.text().lines().skip(1);
    for fen in &fens {
        assert!(rows.by_ref().take(218).all(|row| row.starts_with(fen)));
    }
    assert_eq!(rows.next(), None);
    assert!(one.stdout == score("4").stdout);
}

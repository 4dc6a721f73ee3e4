//! The output of a conversion does not depend on the number of threads, on which the size of a
//! block depends.

use std::fmt::Write as _;
use std::io::{self, Cursor, Read};

use swaplist::Choice;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Options};

use crate::written::Written;

/// A file in a format of text, long enough for many blocks.
fn file(format: Format) -> String {
    const GAMES: usize = 40_000;
    let mut text = String::new();
    if format == Format::Csv {
        text.push_str("fen,score,result\n");
    }
    for number in 0..GAMES {
        // Games of one to three moves, so that nothing repeats with a power of two.
        let moves = number % 3 + 1;
        let fen = format!("7k/8/8/8/8/8/8/K7 w - - 0 {}", number % 50 + 1);
        match format {
            Format::Pgn => {
                let played = ["e4", "e5", "Nf3"][..moves].join(" {[%eval 0.2]} ");
                writeln!(text, "{played} 1-0\n")
            }
            Format::Plain => writeln!(
                text,
                "fen {fen}\nmove a1a2\nscore {moves}\nply {}\nresult 0\ne",
                number % 50 * 2
            ),
            Format::Csv => writeln!(text, "{fen},{moves},1-0"),
            Format::Jsonl => {
                let line = r#"{"cp":7,"line":"a1a2"}"#;
                writeln!(
                    text,
                    r#"{{"fen":"{fen}","evals":[{{"pvs":[{line}],"knodes":1,"depth":{moves}}}]}}"#
                )
            }
            _ => writeln!(text, "{fen} | {moves} | 1.0"),
        }
        .unwrap();
    }
    text
}

/// Converts a file; `None` if the format cannot be converted so.
fn convert(file: &str, from: Format, to: Format, threads: usize) -> Option<Vec<u8>> {
    let written = Written::default();
    let options = Options {
        from: Some(from),
        to: Some(to),
        threads: Some(threads),
        skip_invalid: true,
        score: (to != from).then_some(20),
        ..Options::default()
    };
    let input = Input::reader("in", Cursor::new(file.to_owned())).unwrap();
    let job = Job::new(input, options).unwrap();
    job.write_into("memory", written.clone()).convert().ok()?;
    Some(written.bytes())
}

/// Also of chunks, which are as long as a binpack's usually are.
#[test]
fn the_output_is_the_same_for_any_number_of_threads() {
    let texts = [
        Format::Pgn,
        Format::Plain,
        Format::Text,
        Format::Csv,
        Format::Jsonl,
    ];
    let mut converted = Vec::new();
    for from in texts {
        let file = file(from);
        for &to in Format::ALL {
            // Without output, the records lack what the format needs.
            let converted_by_one = convert(&file, from, to, 1);
            let Some(one) = converted_by_one.filter(|one| !one.is_empty()) else {
                continue;
            };
            for threads in [2, 16, 64] {
                let other = convert(&file, from, to, threads).unwrap();
                assert!(one == other, "{from:?} {to:?} {threads}");
            }
            converted.push((from, to));
        }
    }
    for pair in [
        (Format::Pgn, Format::Binpack),
        (Format::Pgn, Format::Plain),
        (Format::Plain, Format::Binpack),
        (Format::Plain, Format::Viriformat),
        (Format::Text, Format::Bulletformat),
        (Format::Csv, Format::Text),
        (Format::Jsonl, Format::Text),
    ] {
        assert!(converted.contains(&pair), "{pair:?}: {converted:?}");
    }
}

/// A stream that ends with an error of its own.
struct Torn;

impl Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("unplugged"))
    }
}

#[test]
fn what_comes_before_an_error_of_the_stream_is_written() {
    let file = file(Format::Plain);
    for to in [Format::Binpack, Format::Viriformat, Format::Text] {
        let whole = convert(&file, Format::Plain, to, 1).unwrap();
        let written = Written::default();
        let options = Options {
            from: Some(Format::Plain),
            to: Some(to),
            threads: Some(1),
            score: Some(20),
            ..Options::default()
        };
        let torn = Cursor::new(file.clone()).chain(Torn);
        let job = Job::new(Input::reader("in", torn).unwrap(), options).unwrap();
        let error = job.write_into("memory", written.clone()).convert();
        assert_eq!(error.unwrap_err().to_string(), "in: cannot read: unplugged");
        // All but the block in which the stream ended.
        let length = written.bytes().len();
        assert!(
            length > whole.len() / 2,
            "{to:?}: {length} of {}",
            whole.len()
        );
    }
}

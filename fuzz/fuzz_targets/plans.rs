//! Lines of any lengths, valid or not, as a file of any text format, or records of any size, by any
//! number of threads: the same counts, messages and output as by one thread, and nothing lost.
#![no_main]

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use swaplist::Choice;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Options, Summary};

/// A line or record, so many times.
type Piece = (u8, u8, u16);

fuzz_target!(|input: (u8, u8, u8, Vec<Piece>)| {
    let (format, to, threads, pieces) = input;
    let format = Format::ALL[usize::from(format) % Format::ALL.len()];
    let to = Format::ALL[usize::from(to) % Format::ALL.len()];
    let file = file(format, &pieces);
    let threads = usize::from(threads) % 64 + 1;
    let [one, many] = [1, threads].map(|threads| convert(&file, format, to, threads));
    match (one, many) {
        (Ok((one, bytes)), Ok((many, other))) => {
            assert_eq!(one.tally.records, many.tally.records);
            assert_eq!(one.tally.invalid, many.tally.invalid);
            assert_eq!(one.tally.invalid_bytes, many.tally.invalid_bytes);
            assert_eq!(one.tally.messages, many.tally.messages);
            assert_eq!(one.tally.bytes, file.len() as u64);
            assert!(bytes == other, "{format:?} {to:?} {threads}");
        }
        (one, many) => assert_eq!(one.err(), many.err()),
    }
});

/// A file of pieces, at most a few megabytes.
fn file(format: Format, pieces: &[Piece]) -> Vec<u8> {
    const MOST: usize = 4 << 20;
    const FEN: &[u8] = b"8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    let mut file = Vec::new();
    if format == Format::Csv {
        file.extend_from_slice(b"fen,n\n");
    }
    for &(kind, length, times) in pieces {
        let filling = vec![b'x'; length.into()];
        let piece: Vec<u8> = match kind % 8 {
            0 => [FEN, b"\n"].concat(),
            1 => [&filling, &b"\n"[..]].concat(),
            2 => [b"fen ", FEN, b"\nscore 0\nply 0\nresult 0\ne\n"].concat(),
            3 => b"e\n".to_vec(),
            4 => [b"{\"fen\":\"", FEN, b"\"}\n"].concat(),
            5 => [&b"Nf3 Nf6 Ng1 Ng8 {"[..], &filling, b"} "].concat(),
            6 => b"1-0\n\n".to_vec(),
            _ => vec![length; usize::from(length) + 1],
        };
        for _ in 0..times {
            if file.len() < MOST {
                file.extend_from_slice(&piece);
            }
        }
    }
    file
}

/// Converts a file, or says why not.
fn convert(
    file: &[u8],
    from: Format,
    to: Format,
    threads: usize,
) -> Result<(Summary, Vec<u8>), String> {
    let written = Written::default();
    let options = Options {
        from: Some(from),
        to: Some(to),
        threads: Some(threads),
        skip_invalid: true,
        ..Options::default()
    };
    let input =
        Input::reader("in", Cursor::new(file.to_vec())).map_err(|error| error.to_string())?;
    let job = Job::new(input, options).map_err(|error| error.to_string())?;
    let converted = job.write_into("out", written.clone()).convert();
    let summary = converted.map_err(|error| error.to_string())?;
    let bytes = written.0.lock().unwrap();
    Ok((summary, bytes.clone()))
}

/// Collects the output.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut all = self.0.lock().unwrap();
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

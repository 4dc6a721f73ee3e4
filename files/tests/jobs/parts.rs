//! A file in parts gives what it gives as a whole.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use swaplist::{Choice, Evaluator};
use swaplist_files::filter::Filter;
use swaplist_files::formats::Format;
use swaplist_files::formats::compressed::Compression;
use swaplist_files::jobs::{ErrorKind, Input, Job, Mode, Options, Part, Tally};

use crate::records::written_formats;
use crate::written::{Written, filter};
use crate::{SAMPLE, games, job, quiet};

/// Files with faults, and sizes of their parts.
fn files() -> Vec<(Format, Vec<u8>, Vec<u64>)> {
    let lines: Vec<&str> = SAMPLE.lines().take(900).collect();
    let text = format!("{}\n", lines.join("\n"));
    let rows = text.replace('\n', "\";\"a \"\"b\"\", c\"\r\n7;\"");
    let table = format!("id;Fen\r\n7;\"{rows}\n{}7;\n7", rows.replace("8/8", "9/9"));
    let long = format!("{text}{}\n{text}", "x".repeat(2 << 20));
    let moves = "1. e4 {+0.31/18 1.2s} e5 2. Nf3\n\nNc6 3. Bb5 a6 4. Bxc6 {[%eval 0.2]} dxc6";
    let game = |i: usize| {
        let result = ["1-0", "0-1", "nonsense 1-0", "*", "", "1/2-1/2"][i % 6];
        format!("[Event \"{i}\"]\n[Result \"1-0\"]\n\n{moves} {result}\n\n")
    };
    let faulty_text = format!("\u{feff}{text}\n\nnonsense\n{text}\r\n{text}4k3/8 w");
    let jsonl = include_str!("../../../tests/data/tricky.jsonl");
    let faulty_jsonl = format!("{jsonl}{{nonsense\n{jsonl}{{\"fen\"");
    let mut all = vec![
        (
            Format::Text,
            faulty_text.into_bytes(),
            vec![2_000, 9_999, 60_000],
        ),
        (Format::Text, long.into_bytes(), vec![2_160_000]),
        (
            Format::Pgn,
            (0..99).map(game).collect::<String>().into(),
            vec![1_000, 4_000],
        ),
        (Format::Csv, table.into_bytes(), vec![2_000, 60_000]),
        (
            Format::Jsonl,
            faulty_jsonl.into_bytes(),
            vec![40_000, 90_000],
        ),
    ];
    // Text and binpacks have files of their own here.
    let others =
        written_formats().filter(|format| ![Format::Text, Format::Binpack].contains(format));
    for format in others {
        let bad = if format == Format::Viriformat {
            20_052
        } else {
            40_003
        };
        let mut file = games(format);
        file.truncate(70_001);
        file[bad..bad + 40].fill(0xff);
        all.push((format, file, vec![4_000, 30_000, u64::MAX]));
    }
    let chunk = games(Format::Binpack);
    let mut bad = chunk.clone();
    bad[9_000..9_100].fill(0xff);
    let mut empty = chunk[..8].to_vec();
    empty[4..].fill(0);
    let size = chunk.len() as u64;
    let cut_off = &chunk[..8_000];
    let binpack = [
        &chunk, &chunk, &bad, &empty, &chunk, &empty, &chunk, cut_off,
    ]
    .concat();
    all.push((Format::Binpack, binpack, vec![size, 2 * size + 9]));
    all
}

/// Compressed in several frames or members, which end within records.
fn in_frames(kind: Compression, file: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in file.chunks(1_999) {
        if kind == Compression::Zstd {
            let mut writer = zstd::Encoder::new(&mut bytes, 1).unwrap();
            writer.include_checksum(true).unwrap();
            writer.write_all(piece).unwrap();
            writer.finish().unwrap();
        } else {
            let level = flate2::Compression::new(1);
            let mut writer = flate2::write::GzEncoder::new(&mut bytes, level);
            writer.write_all(piece).unwrap();
            writer.finish().unwrap();
        }
    }
    bytes
}

/// What a filter writes, keeps out and counts.
type Filtered = (Vec<u8>, Vec<u8>, Tally);

fn run(input: Input, filter: &Filter, options: &Options) -> Result<Filtered, String> {
    let folder = tempfile::tempdir().unwrap();
    let rejects = folder.path().join("rejects");
    let written = Written::default();
    let mut job = Job::new(input, options.clone())
        .unwrap()
        .write_into("memory", written.clone());
    let has_rejects = options.to.is_none() && options.from != Some(Format::Pgn);
    if has_rejects {
        job = job.rejects_to(&rejects).unwrap();
    }
    let summary = job
        .filter(filter, &Evaluator::cpu())
        .map_err(|error| error.to_string())?;
    let rejected = fs::read(rejects).unwrap_or_default();
    Ok((written.bytes(), rejected, summary.tally))
}

/// The same of all parts together, or the first error.
fn run_parts(
    path: &Path,
    bytes: u64,
    filter: &Filter,
    options: &Options,
) -> Result<Filtered, String> {
    let parts = Part::cut(path, options.from, bytes).unwrap().unwrap();
    let length = fs::metadata(path).unwrap().len();
    assert!(parts.len() as u64 >= length.div_ceil(bytes));
    let mut all = Filtered::default();
    for part in &parts {
        let (written, rejected, tally) = run(Input::part(path, part).unwrap(), filter, options)?;
        all.0.extend(written);
        all.1.extend(rejected);
        all.2 += tally;
    }
    Ok(all)
}

#[test]
fn parts_are_together_what_the_file_is() {
    let folder = tempfile::tempdir().unwrap();
    // What is drawn depends on the place in the file.
    let chosen = filter("preset=none max_see=50 keep_fraction=0.7 seed=5");
    let kinds = [None, Some(Compression::Zstd), Some(Compression::Gzip)];
    let each = |file| kinds.map(|kind| (file, kind));
    for (number, ((format, file, sizes), kind)) in files().iter().flat_map(each).enumerate() {
        let path = folder.path().join(format!("{number}.x"));
        let packed = kind.map(|kind| in_frames(kind, file));
        fs::write(&path, packed.as_ref().unwrap_or(file)).unwrap();
        let format = *format;
        let base = Options {
            from: Some(format),
            threads: Some(2),
            skip_invalid: true,
            ..Options::default()
        };
        let drop = Some(Mode::Drop);
        let mark = Some(Mode::Mark);
        let mut ways = vec![
            Options {
                to: Some(Format::Text),
                ..base.clone()
            },
            Options {
                skip_invalid: false,
                ..base.clone()
            },
        ];
        if format.spec().is_writable {
            ways.push(Options {
                mode: drop,
                counts: true,
                ..base.clone()
            });
        }
        if format.spec().can_mark {
            ways.push(Options {
                mode: mark,
                ..base.clone()
            });
        }
        for options in ways {
            let whole = run(Input::open(Some(&path)).unwrap(), &chosen, &options);
            for &bytes in sizes {
                // A compressed file is not cut if it is one part.
                if kind.is_some() && !(4_000..u64::MAX).contains(&bytes) {
                    continue;
                }
                let parts = run_parts(&path, bytes, &chosen, &options);
                let shown = |all: &Result<Filtered, String>| {
                    all.as_ref()
                        .map(|(_, _, tally)| format!("{tally:?}"))
                        .map_err(Clone::clone)
                };
                assert_eq!(
                    shown(&parts),
                    shown(&whole),
                    "{format:?} {kind:?} {bytes} {options:?}"
                );
                assert!(
                    parts.map(|all| (all.0, all.1)) == whole.clone().map(|all| (all.0, all.1)),
                    "{format:?} {kind:?} {bytes} {options:?}"
                );
            }
            match whole {
                Ok((written, _, tally)) => {
                    assert!(
                        tally.kept > 9 && tally.invalid > 0 && !written.is_empty(),
                        "{format:?} {tally:?}"
                    );
                }
                Err(error) => assert!(!options.skip_invalid && !error.is_empty(), "{error}"),
            }
        }
    }
}

#[test]
fn what_cannot_be_done_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.plain");
    fs::write(&path, games(Format::Plain)).unwrap();
    let parts = Part::cut(&path, None, 100_000).unwrap().unwrap();
    let limit = Some(5);
    let to = Some(Format::Viriformat);
    let base = Options::default;
    for (options, why) in [
        (
            Options { limit, ..base() },
            "a limit counts from the file's start",
        ),
        (
            Options { to, ..base() },
            "games of viriformat may go on in the next part",
        ),
    ] {
        let error = run(Input::part(&path, &parts[1]).unwrap(), &quiet(), &options).unwrap_err();
        assert!(error.ends_with(&format!("in parts: {why}")), "{error}");
    }
    let chunks = folder.path().join("in.binpack");
    fs::write(&chunks, games(Format::Binpack)).unwrap();
    for (path, format, bytes, start) in [
        (&path, Format::Plain, 60, "in.plain, line 1"),
        (&path, Format::Sfbin, 39, "in.plain, byte 0"),
        (&path, Format::Text, 0, "in.plain, line 1"),
        (&chunks, Format::Binpack, 9_999, "in.binpack, byte 0"),
    ] {
        let error = Part::cut(path, Some(format), bytes)
            .unwrap_err()
            .to_string();
        let why = format!("{start}: too long for a part of {bytes} bytes; make the parts larger");
        assert!(error.ends_with(&why), "{error}");
    }
    let packed = folder.path().join("in.fen.zst");
    fs::write(&packed, zstd::encode_all(SAMPLE.as_bytes(), 1).unwrap()).unwrap();
    assert_eq!(Part::cut(&packed, None, 9_999), Ok(None));
    for &kind in Compression::ALL {
        let mut cut_off = in_frames(kind, SAMPLE.as_bytes());
        cut_off.truncate(cut_off.len() - 9);
        fs::write(&packed, cut_off).unwrap();
        let whole = run(Input::open(Some(&packed)).unwrap(), &quiet(), &base()).unwrap_err();
        let error = run_parts(&packed, 9_999, &quiet(), &base()).unwrap_err();
        assert!(error == whole && error.contains("it is cut off"), "{error}");
    }
}

/// It is an error of the last part, as of the file.
#[test]
fn what_is_not_a_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.binpack");
    let chunk = games(Format::Binpack);
    fs::write(&path, [&chunk, &chunk, &b"BINX"[..]].concat()).unwrap();
    let parts = Part::cut(&path, None, 30_000).unwrap().unwrap();
    let [whole, part] = [Input::open(Some(&path)), Input::part(&path, &parts[1])].map(|input| {
        let validated = job(input.unwrap()).validate().unwrap();
        validated.table().json["broken"].clone()
    });
    assert_eq!(part, whole);
    assert!(
        whole.as_str().unwrap().starts_with("byte 43802: "),
        "{whole}"
    );
}

#[test]
fn a_file_that_changes_while_its_parts_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.plain");
    fs::write(&path, games(Format::Plain)).unwrap();
    let parts = Part::cut(&path, None, 100_000).unwrap().unwrap();
    let second = Input::part(&path, &parts[1]).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(110_000).unwrap();
    let shorter = job(second).validate().unwrap_err().to_string();
    assert!(
        shorter.contains("got shorter while it was read, to 110000 bytes"),
        "{shorter}"
    );
    // The same length, but another time.
    let later_parts = Part::cut(&path, None, 50_000).unwrap().unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(9))
        .unwrap();
    let error = Input::part(&path, &later_parts[1]).err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Refused);
    assert!(
        error
            .to_string()
            .contains("was changed while its parts were read"),
        "{error}"
    );
}

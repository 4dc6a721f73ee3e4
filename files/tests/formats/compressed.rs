//! Compressed streams: several frames, truncated anywhere, any byte changed.

#![allow(missing_docs)]

use std::io::{self, Read, Write as _};
use std::path::Path;

use swaplist::Choice;
use swaplist_files::formats::Format;
use swaplist_files::formats::compressed::{Compression, decompressed};

use super::Trickle;
use super::common::boards::Random;

fn compress(kind: Compression, content: &[u8]) -> Vec<u8> {
    compress_at(kind, kind.default_level(), content)
}

fn compress_at(kind: Compression, level: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = kind.compress_at(level, &mut bytes).unwrap();
    writer.write_all(content).unwrap();
    writer.end().unwrap();
    writer.end().expect("it has ended");
    drop(writer);
    bytes
}

fn read(bytes: &[u8], named: Option<Compression>) -> io::Result<Vec<u8>> {
    let (mut reader, _) = decompressed(io::Cursor::new(bytes.to_vec()), named)?;
    let mut content = Vec::new();
    reader.read_to_end(&mut content)?;
    Ok(content)
}

/// Data that compresses badly, so that there is something to truncate.
fn content(length: usize) -> Vec<u8> {
    let mut random = Random(1);
    (0..length).map(|_| random.next() as u8).collect()
}

#[test]
fn what_is_written_is_read_again_whatever_its_size() {
    for &kind in Compression::ALL {
        for length in [0, 1, 1000, (1 << 18) - 1, 1 << 18, 3_000_000] {
            let content = content(length);
            let bytes = compress(kind, &content);
            let (_, found) = decompressed(io::Cursor::new(bytes.clone()), None).unwrap();
            assert_eq!(found, Some(kind));
            assert!(
                read(&bytes, Some(kind)).unwrap() == content,
                "{kind} {length}"
            );
            assert!(read(&bytes, None).unwrap() == content, "{kind} {length}");
        }
    }
}

#[test]
fn frames_and_members_follow_each_other_in_small_reads() {
    for &kind in Compression::ALL {
        let mut bytes = compress(kind, b"one ");
        bytes.extend(compress(kind, b""));
        bytes.extend(compress(kind, b"two"));
        if kind == Compression::Gzip {
            // Padding, as after a file on a tape.
            bytes.extend([0; 512]);
        }
        let (mut reader, found) = decompressed(Trickle::of(bytes), None).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), found), ("one two", Some(kind)));
    }
}

#[test]
fn plain_bytes_stay_as_they_are() {
    for bytes in [&b""[..], b"\x28", b"\x1f\x8b", b"BINP", b"8/8/4k3 w"] {
        assert_eq!(read(bytes, None).unwrap(), bytes);
    }
}

#[test]
fn a_stream_cut_off_anywhere_is_an_error() {
    for &kind in Compression::ALL {
        let first = compress(kind, &content(300));
        let mut bytes = first.clone();
        bytes.extend(compress(kind, &content(100)));
        // Without a byte there is nothing that was cut off: the file is empty.
        assert!(read(&[], Some(kind)).unwrap().is_empty());
        for length in 1..bytes.len() {
            // Between two frames nothing is missing.
            if length == first.len() {
                continue;
            }
            let error = read(&bytes[..length], Some(kind)).unwrap_err().to_string();
            let expected = match length {
                1..4 => "is cut off",
                _ => " data, after ",
            };
            assert!(error.contains(expected), "{kind} {length}: {error}");
        }
    }
}

#[test]
fn a_changed_byte_is_an_error_or_does_not_matter() {
    for &kind in Compression::ALL {
        let content = content(200);
        let bytes = compress(kind, &content);
        let mut errors = 0;
        for at in 0..bytes.len() {
            for change in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                match read(&changed, Some(kind)) {
                    Ok(read) => assert!(read == content, "{kind} {at}"),
                    Err(_) => errors += 1,
                }
            }
        }
        assert!(errors > bytes.len() * 2, "{kind}: {errors}");
    }
}

#[test]
fn bytes_after_the_end_are_told_from_a_cut() {
    for &kind in Compression::ALL {
        for more in [&b"x"[..], b"garbage after"] {
            let bytes = [&compress(kind, b"content"), more].concat();
            let error = read(&bytes, None).unwrap_err().to_string();
            assert!(!error.contains("cut off"), "{error}");
        }
    }
}

/// The window of a frame header: exponent 31 - 10 in its upper five bits.
#[test]
fn a_window_of_two_gigabytes_is_refused() {
    let bytes = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3][..], &[1, 0, 0]].concat();
    let error = read(&bytes, None).unwrap_err().to_string();
    assert!(error.contains("window is above 128 MiB"), "{error}");
}

#[test]
fn the_error_reaches_whoever_reads_records() {
    let mut bytes = compress(
        Compression::Zstd,
        "8/8/4k3/8/8/4K3/8/8 w - -\n".repeat(999).as_bytes(),
    );
    bytes.truncate(bytes.len() - 3);
    let (input, _) = decompressed(io::Cursor::new(bytes), None).unwrap();
    let (mut reader, _) = Format::Text.open(input, 1000);
    let error = loop {
        match reader.next_block() {
            Ok(block) => assert!(block.is_some(), "taken for the end"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.ends_with("it is cut off; get the file again"),
        "{error}"
    );
}

#[test]
fn a_stream_that_nobody_reads_on_lets_its_thread_end() {
    struct Endless(std::sync::mpsc::Sender<()>);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(7);
            Ok(buffer.len())
        }
    }
    impl Drop for Endless {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (sender, ended) = std::sync::mpsc::channel();
    let head = compress(Compression::Zstd, &content(1 << 22));
    let (mut reader, _) = decompressed(io::Cursor::new(head).chain(Endless(sender)), None).unwrap();
    reader.read_exact(&mut [0; 100]).unwrap();
    drop(reader);
    ended
        .recv_timeout(std::time::Duration::from_secs(20))
        .unwrap();
}

#[test]
fn levels_are_told_apart_and_clamped() {
    let text = b"4k3/8/8/8/8/8/8/4K3 w - - 0 1\n".repeat(300);
    let content: Vec<u8> = text
        .iter()
        .zip(content(9300))
        .map(|(a, b)| a ^ (b & 3))
        .collect();
    for &kind in Compression::ALL {
        let size = |level| {
            let bytes = compress_at(kind, level, &content);
            assert!(read(&bytes, None).unwrap() == content);
            bytes.len()
        };
        let levels = kind.levels();
        let least = size(*levels.start());
        let most = size(*levels.end());
        assert!(most < least, "{kind}: {most} {least}");
        assert_eq!((size(0), size(99)), (least, most), "{kind}");
        let default = compress(kind, &content).len();
        assert_eq!(size(kind.default_level()), default, "{kind}");
    }
}

#[test]
fn extensions_are_known() {
    for (name, rest, kind) in [
        ("games.pgn.ZST", "games.pgn", Some(Compression::Zstd)),
        ("a.txt.gz", "a.txt", Some(Compression::Gzip)),
        ("a.binpack", "a.binpack", None),
    ] {
        let found = Compression::split(Path::new(name));
        assert_eq!(found, (Path::new(rest), kind));
    }
}

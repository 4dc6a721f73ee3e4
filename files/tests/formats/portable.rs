//! The zstd decoder of machines without C, which is built for this machine by the tests alone.

use std::io::{self, Read as _, Write as _};

#[path = "../../src/formats/compressed/portable.rs"]
mod decoder;

use decoder::decoder;

// Its messages, which in the crate are those of all compressed files.
const OTHER_BYTES: &str = "other bytes";
const LARGE_WINDOW: &str = "a large window";

fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    decoder(io::Cursor::new(bytes.to_vec()))?.read_to_end(&mut all)?;
    Ok(all)
}

fn frame(content: &[u8], level: i32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), level).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// 600,000 bytes of some order.
fn content() -> Vec<u8> {
    (0..100_000_u32)
        .flat_map(|i| format!("{:6}", i.wrapping_mul(i) % 9973).into_bytes())
        .collect()
}

#[test]
fn frames_are_read_one_after_the_other() {
    let content = content();
    let mut packed = frame(&content, 3);
    packed.extend([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]); // skippable
    packed.extend(frame(b"", 3));
    packed.extend(frame(&content, 19));
    assert!(read(&packed).unwrap() == content.repeat(2));
}

#[test]
fn what_is_cut_off_or_damaged_is_an_error() {
    let packed = frame(&content(), 3);
    for end in [5, 100, packed.len() / 2, packed.len() - 1] {
        let error = read(&packed[..end]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}: {error}");
    }
    let mut damaged = packed.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(read(&damaged).unwrap_err().to_string().contains("checksum"));
    damaged = packed;
    damaged.extend(b"other");
    let error = read(&damaged).unwrap_err().to_string();
    assert_eq!(error, OTHER_BYTES);
}

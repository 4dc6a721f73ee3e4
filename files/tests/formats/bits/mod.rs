//! Bits that are written without the room for them: `files/src/formats/binpack/bits.rs` beside
//! small stand-ins for what it uses, as those who call it have room.

/// Errors of reading, of which none occurs.
pub enum Fault {
    ScoreCode,
}

pub struct Invalid;

impl Invalid {
    pub fn new(_: Fault, _: &str) -> Invalid {
        Invalid
    }
}

mod binpack;

use binpack::bits::{BitCode, BitWriter};

/// Twelve times 10 bits: 15 bytes.
fn written(room: usize) -> Vec<u8> {
    let mut bytes = vec![0; room];
    let mut writer = BitWriter::default();
    for bits in 0..12 {
        let code = BitCode { bits, count: 10 };
        writer.put(&mut bytes, code);
    }
    bytes.truncate(writer.bytes());
    bytes
}

#[test]
fn bits_are_written_where_there_is_room() {
    let bits = written(15 + BitWriter::SLACK);
    let text: Vec<_> = bits.iter().map(|byte| format!("{byte:08b}")).collect();
    let codes: Vec<_> = (0..12).map(|bits| format!("{bits:010b}")).collect();
    assert_eq!(text.concat(), codes.concat());
}

/// Nothing is left out in silence.
#[test]
fn without_room_they_are_a_bug_and_nothing_is_left_out() {
    for room in [0, 7, 8, 14, 20] {
        let attempt = std::panic::catch_unwind(|| written(room));
        assert!(attempt.is_err(), "{room}");
    }
}

use serde_json::Value;

use crate::games::{epd, write};
use crate::run::{Folder, lines};

fn kinds(folder: &Folder, args: &[&str]) -> Vec<(String, u64, String)> {
    let ran = folder.run(&[&["validate", "--json"], args].concat());
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    let json: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["sound"], false);
    let faults = json["faults"].as_array().unwrap().iter();
    faults
        .map(|fault| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let count = fault["count"].as_u64().unwrap();
            (
                text(&fault["kind"]),
                count,
                text(&fault["first"][0]["place"]),
            )
        })
        .collect()
}

#[test]
fn sound_files_of_all_formats() {
    let folder = Folder::new();
    for format in ["binpack", "viriformat", "marlinformat", "bulletformat"] {
        let name = format!("data.{format}");
        write(&folder, &name, format, &epd(1, 10));
        for quiet in [&[][..], &["-q"]] {
            let ran = folder.run(&[&["validate", &name, "--from", format], quiet].concat());
            assert!(
                ran.text().ends_with("all records are sound\n"),
                "{}",
                ran.text()
            );
        }
    }
}

#[test]
fn odd_positions_are_found_by_kind() {
    let folder = Folder::new();
    folder.write(
        "in",
        lines(&[
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
            "4k3/8/8/8/8/8/QQQQQQQQ/QQQQKQQQ b - - 0 1",
            "no position",
        ]),
    );
    let expected = [
        ("castling right without king and rook in place", 1, "line 2"),
        ("en-passant square behind no pawn", 1, "line 3"),
        ("more material than there can be", 1, "line 4"),
        ("too few fields", 1, "line 5"),
    ];
    let found = kinds(&folder, &["in"]);
    for (kind, count, place) in expected {
        let fault = (kind.to_owned(), count, place.to_owned());
        assert!(found.contains(&fault), "{found:?}");
    }
}

#[test]
fn an_illegal_move_in_a_game() {
    let folder = Folder::new();
    write(&folder, "data.viriformat", "viriformat", &epd(2, 3));
    let mut bytes = folder.read("data.viriformat");
    // a2a5: a pawn that goes three squares can be replayed and is not legal.
    bytes[32..34].copy_from_slice(&(8_u16 | 32 << 6).to_le_bytes());
    folder.write("data.viriformat", &bytes);
    let found = kinds(&folder, &["data.viriformat"]);
    let illegal = found
        .iter()
        .find(|(kind, ..)| kind == "illegal played move");
    assert_eq!(illegal.unwrap().2, "byte 32", "{found:?}");
}

#[test]
fn a_binpack_that_breaks_off() {
    let folder = Folder::new();
    write(&folder, "data", "binpack", &epd(3, 3));
    let mut bytes = folder.read("data");
    let length = bytes.len();
    bytes.extend_from_slice(b"what is this");
    folder.write("data", bytes);
    let ran = folder.run(&["validate", "data"]);
    assert_eq!(ran.status, Some(1));
    let text = String::from_utf8(ran.stdout).unwrap();
    let broken = format!("broken      byte {length}: no chunk begins here");
    assert!(text.contains(&broken), "{text}");
}

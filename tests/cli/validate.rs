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
    // a2a5: a pawn move of three squares can be replayed but is not legal.
    bytes[32..34].copy_from_slice(&(8_u16 | 32 << 6).to_le_bytes());
    folder.write("data.viriformat", &bytes);
    let found = kinds(&folder, &["data.viriformat"]);
    let illegal = found
        .iter()
        .find(|(kind, ..)| kind == "illegal played move");
    assert_eq!(illegal.unwrap().2, "byte 32", "{found:?}");
}

/// A position whose move cannot be played is no record, for whoever counts.
#[test]
fn a_game_that_breaks_off_has_the_same_records_everywhere() {
    let folder = Folder::new();
    write(&folder, "data.viriformat", "viriformat", &epd(3, 4));
    let bytes = folder.read("data.viriformat");
    let records = count_of(&folder, "data.viriformat");
    for at in [32, 36] {
        let mut broken = bytes.clone();
        broken[at..at + 2].copy_from_slice(&(32_u16 | 56 << 6).to_le_bytes()); // a5a8
        folder.write("broken.viriformat", &broken);
        let left = count_of(&folder, "broken.viriformat");
        assert!(left < records);
        for (command, lines) in [("verdict", left + 1), ("convert", left)] {
            let mut args = vec![command, "broken.viriformat", "--skip-invalid", "-q"];
            args.extend((command == "convert").then_some("--to=text"));
            let ran = folder.run(&args);
            let text = String::from_utf8(ran.stdout).unwrap();
            assert_eq!(text.lines().count() as u64, lines, "{command}");
        }
        for rule in ["any", "no-castling"] {
            let filter = [
                "filter",
                "broken.viriformat",
                "-o",
                "out.viriformat",
                "--force",
            ];
            let rules = [
                "--preset",
                "none",
                "--played",
                rule,
                "--skip-invalid",
                "--json",
            ];
            let ran = folder.run(&[&filter[..], &rules].concat());
            let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
            assert_eq!(
                (json["invalid"].as_u64(), json["records"].as_u64()),
                (Some(1), Some(left))
            );
            assert_eq!(count_of(&folder, "out.viriformat"), left);
        }
        let plain = [
            "convert",
            "broken.viriformat",
            "-o",
            "out.plain",
            "--force",
            "--skip-invalid",
        ];
        assert_eq!(folder.run(&plain).status, Some(1));
        assert_eq!(folder.run(&["validate", "out.plain"]).status, Some(0));
        let score = ["score", "broken.viriformat", "--skip-invalid", "-q"];
        assert_eq!(folder.run(&score).status, Some(1));
    }
}

/// How many records a validation counts.
fn count_of(folder: &Folder, name: &str) -> u64 {
    let ran = folder.run(&["validate", name, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    json["records"].as_u64().unwrap()
}

/// Other commands accept a move that can be made, as the help says.
#[test]
fn a_chain_s_last_move_is_looked_at_here_alone() {
    let folder = Folder::new();
    let legal = "4k3/8/8/8/8/8/4r3/R3K3 w - - 0 9 sm e1e2; ce 5; c9 \"1-0\";\n";
    write(&folder, "in.binpack", "binpack", legal);
    assert_eq!(folder.run(&["validate", "in.binpack"]).status, Some(0));
    // Ra1-a8, which leaves the king in check.
    let mut bytes = folder.read("in.binpack");
    let played = 8 + 24;
    bytes[played..played + 2].copy_from_slice(&(56_u16 << 2).to_be_bytes());
    folder.write("in.binpack", bytes);
    let illegal = ("illegal played move".to_owned(), 1, "byte 8".to_owned());
    assert_eq!(kinds(&folder, &["in.binpack"]), [illegal]);
    let convert = ["convert", "in.binpack", "-o", "out.fen", "--json"];
    let ran = folder.run(&convert);
    assert!(ran.text().contains("\"invalid\": 0"), "{ran:?}");
    let help = folder.run(&["validate", "--help"]);
    let words: Vec<_> = help.text().split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("played moves that can be made but are not legal")
    );
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

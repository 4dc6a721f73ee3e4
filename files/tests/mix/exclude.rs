//! Leaving out the positions of other files.

use std::collections::HashSet;

use swaplist_files::formats::{Format, Record};
use swaplist_files::mix::{Identity, MixOptions, Order};

use crate::{Folder, encoded, notes, numbered, sample, written_formats};

/// What a format holds of a position, by shakmaty's setup and not by the code under test.
fn name(record: &Record, format: Format) -> String {
    if format == Format::Bulletformat {
        let board = encoded(format, std::slice::from_ref(record));
        return format!("{:?}", &board[..24]);
    }
    let fen = record.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    fields[..4].join(" ")
}

fn records(format: Format, bytes: &[u8]) -> Vec<Record> {
    format.records(bytes).map(Result::unwrap).collect()
}

#[test]
fn no_position_of_an_excluded_file_is_left() {
    let folder = Folder::new();
    let all = sample();
    folder.write("in.binpack", encoded(Format::Binpack, &all));
    let held_out = &all[3_000..4_000];
    for format in written_formats() {
        let expected: HashSet<String> =
            held_out.iter().map(|record| name(record, format)).collect();
        let old = folder.write(
            &format!("old.{}", format.spec().extensions[0]),
            encoded(format, held_out),
        );
        for order in [Order::Shuffle, Order::Interleaved] {
            for dedupe in [None, Some(Identity::Position)] {
                let options = MixOptions {
                    order: order.clone(),
                    dedupe,
                    exclude: vec![old.clone()],
                    ..MixOptions::default()
                };
                let summary = folder.mix(&["in.binpack"], "out.binpack", &options);
                let left = records(Format::Binpack, &folder.read("out.binpack"));
                let is_excluded = |record: &Record| expected.contains(&name(record, format));
                assert!(!left.iter().any(is_excluded), "{format:?}");
                let input = &summary.inputs[0];
                assert!(input.excluded >= 1_000, "{format:?}: {}", input.excluded);
                let gone = input.excluded + input.duplicates;
                assert_eq!(left.len() as u64 + gone, all.len() as u64);
                assert!(left.len() > 5_000);
            }
        }
    }
}

/// What stays is what neither the file nor a mirrored board of it holds, and nothing else goes.
#[test]
fn only_the_excluded_positions_go() {
    let folder = Folder::new();
    let white = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let lines = [
        white,
        "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 5 9",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
        "4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 1",
    ];
    folder.write("in.fen", lines.join("\n") + "\n");
    let left = |name: &str| {
        let options = MixOptions {
            exclude: vec![folder.path(name)],
            ..MixOptions::default()
        };
        folder.mix(&["in.fen"], "out.fen", &options);
        let text = String::from_utf8(folder.read("out.fen")).unwrap();
        let at = |line: &str| lines.iter().position(|other| *other == line).unwrap();
        text.lines().map(at).collect::<Vec<_>>()
    };
    folder.write("old.fen", format!("{white}\n"));
    assert_eq!(left("old.fen"), [1, 2, 3, 4]);
    // Bulletformat knows neither castling rights nor who moves.
    let board = records(Format::Text, format!("{white} | 0 | 0.5\n").as_bytes());
    folder.write("old.data", encoded(Format::Bulletformat, &board));
    assert_eq!(left("old.data"), [3, 4]);
}

#[test]
fn what_is_told_of_excluded_files() {
    let folder = Folder::new();
    folder.write("in.data", numbered(0, 10));
    folder.write("old.data", numbered(0, 3));
    let empty = folder.write("empty.data", "");
    let options = MixOptions {
        exclude: vec![folder.path("old.data"), empty.clone()],
        ..MixOptions::default()
    };
    let summary = folder.mix(&["in.data"], "out.data", &options);
    let text = summary.table().to_string();
    assert!(text.contains("old.data, bulletformat, 3 records"), "{text}");
    assert!(
        text.contains("excluded    10 (100.0 %) of those kept"),
        "{text}"
    );
    let json = summary.table().json;
    assert_eq!(json["excluded"], 10);
    assert_eq!(json["exclude"][0]["records"], 3);
    assert_eq!(json["inputs"][0]["excluded"], 10);
    assert!(folder.read("out.data").is_empty());
    let told = notes(
        &[folder.path("in.data")],
        &folder.path("other.data"),
        &options,
    );
    let empty_note = format!("{}: it holds no position to leave out", empty.display());
    assert!(told.contains(&empty_note), "{told:?}");
}

#[test]
fn what_cannot_be_excluded() {
    let folder = Folder::new();
    folder.write("in.data", numbered(0, 10));
    folder.write("many.data", numbered(0, 600_000));
    let refused = |name: &str, memory| {
        let options = MixOptions {
            exclude: vec![folder.path(name)],
            memory,
            ..MixOptions::default()
        };
        let error = folder.try_mix(&["in.data"], "out.data", &options);
        error.unwrap_err().to_string()
    };
    assert!(refused("none.data", None).contains("cannot open"));
    // An output must not replace it.
    folder.write("out.data", numbered(0, 1));
    assert!(refused("out.data", None).contains("is used twice"));
    let needed = refused("many.data", Some(16_000_000));
    assert!(needed.contains("allow at least 19.2 MB"), "{needed}");
    let options = MixOptions {
        exclude: vec![folder.path("many.data")],
        memory: Some(19_200_000),
        ..MixOptions::default()
    };
    folder.try_mix(&["in.data"], "out.data", &options).unwrap();
}

//! Duplicates.

use std::collections::{HashMap, HashSet};

use shakmaty::Color;
use swaplist::Choice;
use swaplist_files::formats::{Format, Record};
use swaplist_files::jobs;
use swaplist_files::mix::{Identity, Keep, MixOptions, Order};

use crate::{Folder, encoded, keeping_all, numbered, numbers, sample, written_formats};

/// What tells positions apart in a format, by shakmaty's setup and not by the code under test.
fn name(record: &Record, by: Identity, format: Format) -> String {
    let fen = record.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    match by {
        Identity::Placement => fields[0].to_owned(),
        Identity::Position if format == Format::Bulletformat => fields[0].to_owned(),
        Identity::Position => fields[..4].join(" "),
    }
}

fn records(format: Format, bytes: &[u8]) -> Vec<Record> {
    format.records(bytes).map(Result::unwrap).collect()
}

#[test]
fn one_of_each_position_is_left() {
    let folder = Folder::new();
    let all = sample();
    let a = &all[..8_000];
    let b = &all[4_000..];
    for format in written_formats() {
        folder.write("a", encoded(format, a));
        folder.write("b", encoded(format, b));
        let read = [
            records(format, &folder.read("a")),
            records(format, &folder.read("b")),
        ]
        .concat();
        for by in [Identity::Position, Identity::Placement] {
            let distinct: HashSet<String> =
                read.iter().map(|record| name(record, by, format)).collect();
            for (order, single) in [
                (Order::Shuffle, false),
                (Order::Shuffle, true),
                (Order::Interleaved, false),
            ] {
                let options = MixOptions {
                    job: jobs::Options {
                        from: Some(format),
                        to: Some(format),
                        ..jobs::Options::default()
                    },
                    order,
                    dedupe: Some(by),
                    records: single,
                    ..MixOptions::default()
                };
                let summary = folder.mix(&["a", "b"], "out", &options);
                let out = records(format, &folder.read("out"));
                let names: Vec<String> =
                    out.iter().map(|record| name(record, by, format)).collect();
                let kept: HashSet<String> = names.iter().cloned().collect();
                assert_eq!(names.len(), kept.len(), "{format:?}, {by:?}: twice");
                assert!(kept == distinct, "{format:?}, {by:?}: missing");
                let gone: u64 = summary.inputs.iter().map(|input| input.duplicates).sum();
                assert_eq!(gone as usize, read.len() - distinct.len());
                assert!(summary.inputs[1].duplicates >= 4_000, "{format:?}");
            }
        }
    }
}

/// What can become of duplicates: the first is left, or one by these seeds.
fn choices() -> Vec<(Keep, u64)> {
    let random = (1..=6).map(|seed| (Keep::Random, seed));
    core::iter::once((Keep::First, 0)).chain(random).collect()
}

/// The first stays, with its score, or any.
#[test]
fn the_first_or_a_random_one() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 1_000));
    folder.write("b.data", numbered(1_000, 1_000));
    let mut seen = HashSet::new();
    for (keep, seed) in choices() {
        let options = MixOptions {
            dedupe: Some(Identity::Position),
            dedupe_keep: keep,
            seed: Some(seed),
            ..MixOptions::default()
        };
        let summary = folder.mix(&["a.data", "b.data"], "out.data", &options);
        let left = numbers(&folder.read("out.data"));
        assert_eq!(left.len(), 1, "all have one position");
        let gone: u64 = summary.inputs.iter().map(|input| input.duplicates).sum();
        assert_eq!(gone, 1_999);
        if keep == Keep::First {
            assert_eq!(left, [0]);
        }
        seen.insert(left[0]);
    }
    assert!(seen.len() > 3, "{seen:?}");
}

/// The seed that a summary tells repeats the run, also if none was given.
#[test]
fn the_seed_of_the_summary_repeats_the_run() {
    let folder = Folder::new();
    let all = sample();
    folder.write("a.binpack", encoded(Format::Binpack, &all[..8_000]));
    folder.write("b.binpack", encoded(Format::Binpack, &all[4_000..]));
    for &keep in Keep::ALL {
        for order in [Order::Shuffle, Order::Interleaved] {
            let options = MixOptions {
                order,
                dedupe: Some(Identity::Placement),
                dedupe_keep: keep,
                ..MixOptions::default()
            };
            let summary = folder.mix(&["a.binpack", "b.binpack"], "one.binpack", &options);
            let again = MixOptions {
                seed: summary.seed,
                ..options.clone()
            };
            folder.mix(&["a.binpack", "b.binpack"], "two.binpack", &again);
            assert!(folder.read("one.binpack") == folder.read("two.binpack"));
            let draws = keep == Keep::Random || options.order == Order::Shuffle;
            assert_eq!(summary.seed, draws.then_some(0));
        }
    }
}

/// Each of a few duplicates is as likely to stay as any other.
#[test]
fn the_draw_is_fair() {
    let folder = Folder::new();
    folder.write("in.data", numbered(0, 4));
    let mut counts = HashMap::new();
    for seed in 0..400 {
        let options = MixOptions {
            dedupe: Some(Identity::Position),
            dedupe_keep: Keep::Random,
            seed: Some(seed),
            ..MixOptions::default()
        };
        folder.mix(&["in.data"], "out.data", &options);
        *counts
            .entry(numbers(&folder.read("out.data"))[0])
            .or_insert(0) += 1;
    }
    // 100 expected, with a standard deviation of 9.
    assert!(
        counts.values().all(|count| (60..140).contains(count)),
        "{counts:?}"
    );
}

/// Castling rights, the side to move and a legal en-passant capture tell positions apart.
#[test]
fn what_a_position_is() {
    let folder = Folder::new();
    let lines = [
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 5 9",   // a right less
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",  // the other side
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 7 30", // the first
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", // no en passant
        "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", // nobody could capture
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",
        "4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1", // the capture would leave the king in check
    ];
    folder.write("in.fen", lines.join("\n") + "\n");
    let run = |by| {
        let options = MixOptions {
            dedupe: Some(by),
            ..MixOptions::default()
        };
        folder.mix(&["in.fen"], "out.fen", &options);
        let text = String::from_utf8(folder.read("out.fen")).unwrap();
        let left = text
            .lines()
            .map(|line| lines.iter().position(|other| *other == line).unwrap());
        left.collect::<Vec<_>>()
    };
    assert_eq!(run(Identity::Position), [0, 1, 2, 4, 5, 6, 8]);
    assert_eq!(run(Identity::Placement), [0, 4, 6, 8]);
}

/// Positions of several formats meet: in bulletformat, seen by the side to move.
#[test]
fn duplicates_across_formats() {
    let folder = Folder::new();
    let all = sample();
    folder.write("a.binpack", encoded(Format::Binpack, &all));
    folder.write("b.data", encoded(Format::Bulletformat, &all));
    let options = MixOptions {
        dedupe: Some(Identity::Position),
        order: Order::Shuffle,
        filter: Some(keeping_all()),
        ..MixOptions::default()
    };
    let summary = folder.mix(&["a.binpack", "b.data"], "out.data", &options);
    assert_eq!(summary.inputs[1].duplicates, all.len() as u64);
    assert!(
        all.iter()
            .any(|record| record.position.turn() == Color::Black)
    );
}

/// The filter comes first: of what it keeps one is left, whatever it drops.
#[test]
fn duplicates_of_what_is_filtered() {
    let folder = Folder::new();
    folder.write("in.data", numbered(0, 100)); // scores 0 to 99
    let filter = swaplist_files::filter::Preset::None.filter();
    let mut settings = swaplist_files::filter::Settings::default();
    settings.set("max_score", "50").unwrap();
    settings.set("invert", "true").unwrap();
    let options = MixOptions {
        dedupe: Some(Identity::Position),
        filter: Some(filter.changed(&settings).unwrap()),
        ..MixOptions::default()
    };
    folder.mix(&["in.data"], "out.data", &options);
    assert_eq!(numbers(&folder.read("out.data")), [51]);
}

/// A trainer can use only a record with a score, so that one stays, wherever it is.
#[test]
fn a_record_with_a_score_stays() {
    let folder = Folder::new();
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let other = "4k3/8/8/3p4/4P3/8/8/3K4 w - - 0 1";
    folder.write("plain.fen", format!("{fen}\n{other}\n{fen}\n"));
    folder.write(
        "scored.fen",
        format!("{fen} | 30 | 1.0\n{fen} | 31 | 1.0\n"),
    );
    let mut seen = HashSet::new();
    for (keep, seed) in choices() {
        let options = MixOptions {
            dedupe: Some(Identity::Position),
            dedupe_keep: keep,
            seed: Some(seed),
            ..MixOptions::default()
        };
        folder.mix(&["plain.fen", "scored.fen"], "out.fen", &options);
        let text = String::from_utf8(folder.read("out.fen")).unwrap();
        let scored: Vec<&str> = text.lines().filter(|line| line.contains('|')).collect();
        assert_eq!((text.lines().count(), scored.len()), (2, 1), "{text}");
        if keep == Keep::First {
            assert!(scored[0].contains("| 30 |"), "the first of them");
        }
        seen.insert(scored[0].to_owned());
    }
    assert_eq!(seen.len(), 2, "any of them by the seed");
}

//! Splits: no position, or no game, is on two sides.

use std::collections::HashSet;

use swaplist_files::formats::{Format, Record};
use swaplist_files::jobs;
use swaplist_files::mix::{Identity, MixOptions, Order, SplitBy};

use crate::{Folder, encoded, keeping_all, multiset, sample, written_formats};

/// A position as the side to move sees it, without castling and en passant.
fn seen(record: &Record) -> [u64; 4] {
    let [a, b, c, black] = record.position.planes();
    let occupied = a | b | c;
    if record.position.turn().is_white() {
        [a, b, c, black & occupied]
    } else {
        [a, b, c, occupied & !black].map(u64::swap_bytes)
    }
}

fn records(format: Format, bytes: &[u8]) -> Vec<Record> {
    format.records(bytes).map(Result::unwrap).collect()
}

/// What was held out stays held out when data are added, and when more is held out.
#[test]
fn a_split_is_stable() {
    let folder = Folder::new();
    let all = sample();
    folder.write("a.plain", encoded(Format::Plain, &all[..6_000]));
    folder.write("b.binpack", encoded(Format::Binpack, &all[4_000..]));
    let sides = |inputs: &[&str], order, split: [f64; 2]| {
        let options = MixOptions {
            order,
            split: split.to_vec(),
            seed: Some(5),
            ..MixOptions::default()
        };
        folder.mix(inputs, "out.viriformat", &options);
        [1, 2].map(|number| {
            let bytes = folder.read(&format!("out-{number}.viriformat"));
            let found = records(Format::Viriformat, &bytes);
            found.iter().map(seen).collect::<HashSet<_>>()
        })
    };
    let [_, held_out] = sides(&["a.plain"], Order::Shuffle, [95.0, 5.0]);
    assert!(held_out.len() > 100);
    for order in [Order::Shuffle, Order::Interleaved] {
        for split in [[95.0, 5.0], [90.0, 10.0]] {
            let [train, all_held_out] = sides(&["b.binpack", "a.plain"], order.clone(), split);
            assert!(held_out.is_disjoint(&train));
            assert!(held_out.is_subset(&all_held_out));
        }
    }
}

#[test]
fn no_position_is_on_two_sides() {
    let folder = Folder::new();
    let all = sample();
    folder.write("in.binpack", encoded(Format::Binpack, &all));
    folder.write("in.plain", encoded(Format::Plain, &all[3_000..7_000]));
    for to in written_formats() {
        for (order, single) in [(Order::Shuffle, false), (Order::Interleaved, true)] {
            let options = MixOptions {
                job: jobs::Options {
                    to: Some(to),
                    ..jobs::Options::default()
                },
                order,
                records: single,
                split: vec![80.0, 15.0, 5.0],
                ..MixOptions::default()
            };
            let inputs = ["in.binpack", "in.plain"];
            let summary = folder.mix(&inputs, "out", &options);
            let whole = MixOptions {
                split: Vec::new(),
                ..options.clone()
            };
            folder.mix(&inputs, "whole", &whole);
            let mut sides = Vec::new();
            let mut union = Vec::new();
            for (number, output) in (1..).zip(&summary.outputs) {
                let bytes = folder.read(&format!("out-{number}"));
                let found = records(to, &bytes);
                assert_eq!(output.records, found.len() as u64);
                sides.push(found.iter().map(seen).collect::<HashSet<_>>());
                union.extend(bytes);
            }
            assert!(
                multiset(to, &union) == multiset(to, &folder.read("whole")),
                "{to:?}"
            );
            for [one, other] in [[0, 1], [0, 2], [1, 2]] {
                assert!(sides[one].is_disjoint(&sides[other]), "{to:?}");
            }
            let count = |number: usize| summary.outputs[number].records;
            let written = count(0) + count(1) + count(2);
            assert!((written * 76 / 100..written * 84 / 100).contains(&count(0)));
            assert!((written * 3 / 100..written * 7 / 100).contains(&count(2)));
        }
    }
}

/// The number of the game in the sample, by the place of each record.
fn games(all: &[Record]) -> Vec<usize> {
    let mut game = 0;
    let mut games = Vec::new();
    for (i, record) in all.iter().enumerate() {
        if i > 0 && record.fields.ply() < all[i - 1].fields.ply() {
            game += 1;
        }
        games.push(game);
    }
    games
}

/// Also where a game is cut into several chains, by a filter or at the end of a chunk.
#[test]
fn no_game_is_on_two_sides() {
    let folder = Folder::new();
    let mut all = sample();
    let of_record = games(&all);
    // Scores tell which game a record is of.
    for (record, game) in all.iter_mut().zip(&of_record) {
        let score = i32::try_from(*game).unwrap();
        record.fields = record.fields.with_score(Some(score));
    }
    let third: Vec<Record> = all.iter().copied().step_by(3).collect();
    let many: Vec<Record> = std::iter::repeat_n(&all, 50).flatten().copied().collect();
    for (records, name) in [(&all, "whole"), (&third, "gaps"), (&many, "many")] {
        for from in [
            Format::Binpack,
            Format::Viriformat,
            Format::Sfbin,
            Format::Plain,
            Format::Marlinformat,
        ] {
            // More than a block, and chunks that end within a game.
            if name == "many" && ![Format::Binpack, Format::Sfbin].contains(&from) {
                continue;
            }
            folder.write("in", encoded(from, records));
            for to in [Format::Binpack, Format::Bulletformat, Format::Plain] {
                if to != Format::Bulletformat && from == Format::Marlinformat {
                    continue; // it has no moves
                }
                let options = MixOptions {
                    job: jobs::Options {
                        from: Some(from),
                        to: Some(to),
                        ..jobs::Options::default()
                    },
                    order: Order::Shuffle,
                    split: vec![70.0, 30.0],
                    split_by: SplitBy::Game,
                    filter: Some(keeping_all()),
                    ..MixOptions::default()
                };
                let summary = folder.mix(&["in"], "out", &options);
                let side = |number: u32| -> HashSet<i32> {
                    let bytes = folder.read(&format!("out-{number}"));
                    let scores = self::records(to, &bytes).into_iter();
                    scores
                        .map(|record| record.fields.score().unwrap().abs())
                        .collect()
                };
                let one = side(1);
                let other = side(2);
                assert!(one.is_disjoint(&other), "{name}, {from:?} to {to:?}");
                assert!(!other.is_empty(), "{name}, {from:?} to {to:?}");
                let count: u64 = summary.outputs.iter().map(|output| output.records).sum();
                assert_eq!(count, records.len() as u64);
            }
        }
    }
}

/// Both at once: by game, and each position once.
#[test]
fn by_game_and_without_duplicates() {
    let folder = Folder::new();
    folder.write("in.binpack", encoded(Format::Binpack, &sample()));
    let options = MixOptions {
        dedupe: Some(Identity::Position),
        split: vec![70.0, 30.0],
        split_by: SplitBy::Game,
        ..MixOptions::default()
    };
    folder.mix(&["in.binpack"], "out.data", &options);
    let side = |name: &str| -> HashSet<[u64; 4]> {
        records(Format::Bulletformat, &folder.read(name))
            .iter()
            .map(seen)
            .collect()
    };
    assert!(side("out-1.data").is_disjoint(&side("out-2.data")));
}

/// Names of the parts.
#[test]
fn names_of_the_outputs() {
    let folder = Folder::new();
    folder.write("in.binpack", encoded(Format::Binpack, &sample()));
    let options = MixOptions {
        split: vec![1.0, 1.0],
        ..MixOptions::default()
    };
    folder.mix(&["in.binpack"], "out.binpack.zst", &options);
    let files = folder.files();
    assert_eq!(
        files,
        ["in.binpack", "out-1.binpack.zst", "out-2.binpack.zst"]
    );
}

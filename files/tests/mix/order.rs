//! Orders: all records are there, a shuffle is uniform, interleaving is even.

#![allow(clippy::cast_precision_loss)]

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};
use swaplist::Choice;
use swaplist_files::formats::{Format, Record};
use swaplist_files::jobs;
use swaplist_files::mix::{MixOptions, Order};

use crate::{
    Folder, encoded, keeping_all, multiset, numbered, numbers, placeless, sample, shuffle,
    written_formats,
};

/// The inputs are in all formats that hold what the output needs.
#[test]
fn all_records_are_in_the_output_once() {
    let folder = Folder::new();
    let records = &sample()[..2_500];
    let third = records.len() / 3;
    for to in written_formats() {
        for from in written_formats() {
            let holds = |field| from.holds(field);
            let needed = swaplist_files::formats::Field::Played;
            let needs_moves = to.spec().units.is_some() || to == Format::Plain;
            if needs_moves && !holds(needed) {
                continue;
            }
            if needs_moves && from == Format::Text {
                continue; // text is written without moves
            }
            folder.write("a", encoded(from, &records[..third]));
            folder.write("b", encoded(from, &records[third..]));
            let joined = {
                let options = MixOptions {
                    job: jobs::Options {
                        from: Some(from),
                        to: Some(to),
                        ..jobs::Options::default()
                    },
                    filter: Some(keeping_all()),
                    ..MixOptions::default()
                };
                folder.mix(&["a"], "one", &options);
                folder.mix(&["b"], "two", &options);
                [folder.read("one"), folder.read("two")].concat()
            };
            for order in [
                Order::Shuffle,
                Order::Interleaved,
                Order::Weighted(vec![2.0, 1.0]),
            ] {
                for single in [false, true] {
                    let options = MixOptions {
                        job: jobs::Options {
                            from: Some(from),
                            to: Some(to),
                            ..jobs::Options::default()
                        },
                        order: order.clone(),
                        records: single,
                        filter: Some(keeping_all()),
                        ..MixOptions::default()
                    };
                    let summary = folder.mix(&["a", "b"], "out", &options);
                    let out = folder.read("out");
                    assert_eq!(summary.outputs[0].records, records.len() as u64);
                    assert_eq!(summary.outputs[0].bytes, out.len() as u64);
                    let name = format!("{from:?} to {to:?}, {order:?}, single {single}");
                    assert!(multiset(to, &out) == multiset(to, &joined), "{name}");
                }
            }
        }
    }
}

/// Whether a record's score may be none, by shakmaty and not by the code under test: it is 0, and
/// the side to move is in check, or a capture was played.
fn may_be_placeholder(record: &Record) -> bool {
    let fen: Fen = record.to_string().parse().unwrap();
    let chess: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
    let played = record.fields.played().unwrap();
    let is_capture = chess
        .capture_moves()
        .iter()
        .any(|capture| (capture.from(), capture.to()) == (Some(played.from()), played.to()));
    record.fields.score() == Some(0) && (chess.is_check() || is_capture)
}

/// The same records as `convert` makes. Those whose score may be none are left out by default where
/// the output holds scores and no played moves.
#[test]
fn one_input_in_its_order_is_a_conversion() {
    let folder = Folder::new();
    let all = sample();
    let is_scored = |record: &&Record| !may_be_placeholder(record);
    let scored: Vec<Record> = all.iter().filter(is_scored).copied().collect();
    assert!(scored.len() < all.len());
    for from in [Format::Binpack, Format::Sfbin, Format::Plain] {
        folder.write("in", encoded(from, &all));
        for to in written_formats() {
            let loses_moves = [Format::Bulletformat, Format::Marlinformat, Format::Text];
            let by_default = if loses_moves.contains(&to) {
                &scored
            } else {
                &all
            };
            for (filter, expected) in [(Some(keeping_all()), &all), (None, by_default)] {
                let options = MixOptions {
                    job: jobs::Options {
                        from: Some(from),
                        to: Some(to),
                        ..jobs::Options::default()
                    },
                    filter,
                    ..MixOptions::default()
                };
                let summary = folder.mix(&["in"], "out", &options);
                let out = folder.read("out");
                assert!(out == encoded(to, expected), "{from:?} to {to:?}");
                let reasons = summary.inputs[0].tally.reasons();
                let dropped: u64 = reasons.iter().map(|(_, count)| count).sum();
                assert_eq!(dropped as usize, all.len() - expected.len());
            }
        }
    }
}

/// The correlation of two series.
fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let x = mean(|pair| pair.0);
    let y = mean(|pair| pair.1);
    let [mut xy, mut xx, mut yy] = [0.0; 3];
    for pair in pairs {
        xy += (pair.0 - x) * (pair.1 - y);
        xx += (pair.0 - x).powi(2);
        yy += (pair.1 - y).powi(2);
    }
    xy / (xx * yy).sqrt()
}

/// Three files of different length. The standard deviation of r is 0.001 for a million records.
#[test]
fn places_before_and_after_a_shuffle_are_not_correlated() {
    let folder = Folder::new();
    let lengths = [500_000, 300_000, 200_000];
    let mut first = 0;
    for (name, length) in ["a.data", "b.data", "c.data"].into_iter().zip(lengths) {
        folder.write(name, numbered(first, length));
        first += length;
    }
    for seed in [0, 1] {
        folder.mix(&["a.data", "b.data", "c.data"], "out.data", &shuffle(seed));
        let out = numbers(&folder.read("out.data"));
        let mut sorted = out.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..first));
        let places: Vec<_> = out
            .iter()
            .zip(0..first)
            .map(|(a, b)| (f64::from(*a), f64::from(b)))
            .collect();
        let of_places = correlation(&places);
        assert!(of_places.abs() < 0.005, "places: {of_places}");
        let next: Vec<_> = out
            .windows(2)
            .map(|two| (f64::from(two[0]), f64::from(two[1])))
            .collect();
        let of_neighbours = correlation(&next);
        assert!(of_neighbours.abs() < 0.005, "neighbours: {of_neighbours}");
        // Two given records are neighbours in the same order with a chance of 1 in a million.
        let together = out.windows(2).filter(|two| two[1] == two[0] + 1).count();
        assert!(together <= 8, "{together} pairs stayed together");
        let near = out
            .windows(2)
            .filter(|two| two[0].abs_diff(two[1]) <= 1000)
            .count();
        assert!((1750..2250).contains(&near), "{near} neighbours were near");
        // Each hundredth has its share of each file.
        for hundredth in out.chunks(10_000) {
            let of_first = hundredth.iter().filter(|number| **number < 500_000).count();
            assert!((4_750..5_250).contains(&of_first), "{of_first}");
        }
    }
    let zero = folder.read("out.data");
    folder.mix(&["a.data", "b.data", "c.data"], "out.data", &shuffle(0));
    assert!(zero != folder.read("out.data"), "the seed decides");
}

/// Of few records, every order comes as often as any other.
#[test]
fn every_order_is_equally_likely() {
    let folder = Folder::new();
    folder.write("in.data", numbered(0, 3));
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..600 {
        folder.mix(&["in.data"], "out.data", &shuffle(seed));
        *counts.entry(numbers(&folder.read("out.data"))).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    // 100 expected, with a standard deviation of 9.
    assert!(
        counts.values().all(|count| (60..140).contains(count)),
        "{counts:?}"
    );
}

/// The same bytes for any number of threads, and any memory: the least makes many files.
#[test]
fn the_seed_alone_decides() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 900_000));
    folder.write("b.data", numbered(900_000, 400_000));
    let records = sample();
    for format in [Format::Binpack, Format::Plain, Format::Sfbin] {
        folder.write(
            format!("c.{}", format.name()).as_str(),
            encoded(format, &records),
        );
    }
    for (inputs, out) in [
        (&["a.data", "b.data"][..], "out.data"),
        (&["c.binpack", "c.plain"], "out.viriformat"),
        (&["c.binpack", "c.sfbin"], "out.binpack"),
        (&["c.sfbin", "c.plain"], "out.txt"),
    ] {
        for order in [Order::Shuffle, Order::Interleaved] {
            let mut expected = None;
            for (threads, memory) in [(1, 16 << 20), (2, 1 << 30), (5, 32 << 20)] {
                let options = MixOptions {
                    job: jobs::Options {
                        threads: Some(threads),
                        ..jobs::Options::default()
                    },
                    order: order.clone(),
                    seed: Some(7),
                    memory: Some(memory),
                    ..MixOptions::default()
                };
                folder.mix(inputs, out, &options);
                let bytes = folder.read(out);
                let first_bytes = expected.get_or_insert_with(|| bytes.clone());
                assert!(bytes == *first_bytes, "{out}, {order:?}, {threads} threads");
            }
        }
    }
}

/// A seed keeps its meaning from version to version and on every system.
#[test]
fn the_order_of_a_seed_is_known() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 6));
    folder.write("b.data", numbered(6, 4));
    folder.mix(&["a.data", "b.data"], "out.data", &shuffle(1));
    let out = numbers(&folder.read("out.data"));
    assert_eq!(out, [7, 4, 5, 8, 9, 2, 3, 0, 6, 1]);
}

/// Each input is spread evenly, in its own order.
#[test]
fn interleaving_is_in_proportion_to_size() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 60_000));
    folder.write("b.data", numbered(60_000, 30_000));
    folder.write("c.data", numbered(90_000, 10_000));
    folder.mix(
        &["a.data", "b.data", "c.data"],
        "out.data",
        &MixOptions::default(),
    );
    let out = numbers(&folder.read("out.data"));
    for range in [0..60_000, 60_000..90_000, 90_000..100_000] {
        let own = out.iter().copied().filter(|number| range.contains(number));
        assert!(own.eq(range.clone()));
    }
    for ten in out.chunks(10) {
        let count = |range: std::ops::Range<u32>| ten.iter().filter(|n| range.contains(n)).count();
        assert_eq!([count(0..60_000), count(60_000..90_000)], [6, 3], "{ten:?}");
    }
}

/// By weight, an input may end early, and the others go on.
#[test]
fn interleaving_by_weight() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 30_000));
    folder.write("b.data", numbered(30_000, 30_000));
    let options = MixOptions {
        order: Order::Weighted(vec![3.0, 1.0]),
        ..MixOptions::default()
    };
    folder.mix(&["a.data", "b.data"], "out.data", &options);
    let out = numbers(&folder.read("out.data"));
    assert_eq!(out.len(), 60_000);
    for four in out[..40_000].chunks(4) {
        assert_eq!(
            four.iter().filter(|number| **number < 30_000).count(),
            3,
            "{four:?}"
        );
    }
    assert!(out[40_000..].iter().all(|number| *number >= 30_000));
}

/// Compressed inputs are as long as their content, and outputs may be compressed.
#[test]
fn compressed_files() {
    let folder = Folder::new();
    let a = numbered(0, 40_000);
    let b = numbered(40_000, 20_000);
    folder.write("a.data.zst", zstd::encode_all(&a[..], 1).unwrap());
    folder.write("b.data", &b);
    folder.write("a.data", &a);
    for order in [Order::Interleaved, Order::Shuffle] {
        let options = MixOptions {
            order,
            ..MixOptions::default()
        };
        folder.mix(&["a.data", "b.data"], "plain.data", &options);
        folder.mix(&["a.data.zst", "b.data"], "out.data.zst", &options);
        let out = zstd::decode_all(&folder.read("out.data.zst")[..]).unwrap();
        assert!(out == folder.read("plain.data"));
    }
}

/// The first records of the order, and a sample.
#[test]
fn limits_and_samples() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 100_000));
    folder.write("b.binpack", encoded(Format::Binpack, &sample()));
    for order in [Order::Shuffle, Order::Interleaved] {
        let all = MixOptions {
            order,
            ..MixOptions::default()
        };
        folder.mix(&["a.data"], "all.data", &all);
        let limit = MixOptions {
            job: jobs::Options {
                limit: Some(1_234),
                ..all.job.clone()
            },
            ..all.clone()
        };
        folder.mix(&["a.data"], "some.data", &limit);
        assert!(folder.read("some.data") == folder.read("all.data")[..1_234 * 32]);
        let sample = MixOptions {
            sample: Some(0.1),
            ..all.clone()
        };
        folder.mix(&["a.data"], "some.data", &sample);
        let some = numbers(&folder.read("some.data"));
        assert!((9_500..10_500).contains(&some.len()), "{}", some.len());
        let split = MixOptions {
            job: jobs::Options {
                limit: Some(500),
                ..all.job.clone()
            },
            split: vec![3.0, 1.0],
            ..all.clone()
        };
        let divided = folder.mix(&["b.binpack"], "part.txt", &split);
        let of_parts = divided.outputs.iter().map(|output| output.records);
        assert_eq!(of_parts.sum::<u64>(), 500);
    }
}

/// The last game or chain is cut where the limit is reached.
#[test]
fn a_limit_within_a_game() {
    let folder = Folder::new();
    folder.write("in.binpack", encoded(Format::Binpack, &sample()));
    for to in [Format::Binpack, Format::Viriformat] {
        for order in [Order::Shuffle, Order::Interleaved] {
            let name = |what: &str| format!("{what}.{}", to.name());
            let all = MixOptions {
                order,
                ..MixOptions::default()
            };
            folder.mix(&["in.binpack"], &name("all"), &all);
            let records = |what: &str| -> Vec<Record> {
                let bytes = folder.read(&name(what));
                to.records(&bytes[..]).map(Result::unwrap).collect()
            };
            let whole = records("all");
            for wanted in [1, 2, 3, 50, 1_000, 1_234] {
                let limit = MixOptions {
                    job: jobs::Options {
                        limit: Some(wanted),
                        ..all.job.clone()
                    },
                    ..all.clone()
                };
                let summary = folder.mix(&["in.binpack"], &name("some"), &limit);
                assert_eq!(summary.outputs[0].records, wanted, "{to:?}");
                let some = records("some");
                assert_eq!(some.len(), wanted as usize, "{to:?}");
                for (one, other) in some.iter().zip(&whole) {
                    assert_eq!(placeless(*one), placeless(*other), "{to:?}");
                }
            }
        }
    }
}

/// Each input has a unit of its own; rules look at what comes of it.
#[test]
fn scores_of_an_input_in_another_unit() {
    let folder = Folder::new();
    let records = &sample()[..1_000];
    let scores = |format: Format, bytes: &[u8]| -> Vec<i32> {
        let records = format.records(bytes).map(Result::unwrap);
        let mut scores: Vec<i32> = records
            .map(|record| record.fields.score().unwrap())
            .collect();
        scores.sort_unstable();
        scores
    };
    let scaled = |record: &Record, factor: f64| {
        let score = f64::from(record.fields.score().unwrap());
        (score * factor).round() as i32
    };
    for format in [Format::Binpack, Format::Viriformat, Format::Bulletformat] {
        folder.write("a", encoded(format, records));
        folder.write("b", encoded(format, records));
        for (order, single) in [(Order::Shuffle, false), (Order::Interleaved, true)] {
            let options = MixOptions {
                job: jobs::Options {
                    from: Some(format),
                    to: Some(format),
                    ..jobs::Options::default()
                },
                order,
                records: single,
                scales: vec![None, Some("2.5".parse().unwrap())],
                ..MixOptions::default()
            };
            let summary = folder.mix(&["a", "b"], "out", &options);
            let of_inputs = summary.inputs.iter().map(|input| input.scale);
            assert!(of_inputs.eq(options.scales.iter().copied()));
            let both = [1.0, 2.5];
            let expected = both
                .iter()
                .flat_map(|factor| records.iter().map(|record| scaled(record, *factor)));
            let mut expected: Vec<i32> = expected.collect();
            expected.sort_unstable();
            assert_eq!(scores(format, &folder.read("out")), expected, "{format:?}");

            let near = swaplist_files::filter::Settings {
                preset: Some(swaplist_files::filter::Preset::None),
                max_score: Some(Some(100)),
                ..Default::default()
            };
            let options = MixOptions {
                filter: Some(near.filter().unwrap()),
                ..options
            };
            folder.mix(&["a", "b"], "out", &options);
            expected.retain(|score| score.abs() <= 100);
            assert_eq!(scores(format, &folder.read("out")), expected, "{format:?}");
        }
    }
    let options = MixOptions {
        job: jobs::Options {
            from: Some(Format::Bulletformat),
            ..jobs::Options::default()
        },
        scales: vec![None],
        ..MixOptions::default()
    };
    let error = folder.try_mix(&["a", "b"], "out", &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there must be a scale, or none, for each input"
    );
}

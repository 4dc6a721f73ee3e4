//! What is refused, and what is told.

use swaplist::Evaluator;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{self, Cancel, ErrorKind, Event};
use swaplist_files::mix::{Identity, Mix, MixOptions, Order, Pass, SplitBy};

use crate::{Folder, encoded, notes, numbered, sample, shuffle};

#[test]
fn options_that_contradict_each_other() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 10));
    folder.write("b.data", numbered(0, 10));
    let with = |change: fn(&mut MixOptions)| {
        let mut options = MixOptions::default();
        change(&mut options);
        let result = folder.try_mix(&["a.data", "b.data"], "out.data", &options);
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Refused, "{error}");
        error.to_string()
    };
    for (change, message) in [
        (
            (|options| options.split = vec![1.0]) as fn(&mut MixOptions),
            "a split needs 2 to 200 shares, all above 0, such as 95:5",
        ),
        (
            |options| options.split = vec![1.0, 0.0],
            "a split needs 2 to 200 shares",
        ),
        (
            |options| options.split = vec![1.0, f64::NAN],
            "a split needs 2 to 200 shares",
        ),
        (
            |options| options.split = vec![1e308, 1e308],
            "the shares of a split are too large to add up",
        ),
        (
            |options| options.job.limit = Some(0),
            "a limit is a whole number, 1 or more",
        ),
        (
            |options| options.job.counts = true,
            "options of other jobs than a mix",
        ),
        (
            |options| options.job.scale = Some("2".parse().unwrap()),
            "options of other jobs than a mix",
        ),
        (
            |options| options.sample = Some(0.0),
            "a sample is a share above 0",
        ),
        (
            |options| options.sample = Some(1.5),
            "a sample is a share above 0",
        ),
        (
            |options| options.memory = Some(1000),
            "at least 16.0 MB of memory are needed",
        ),
        (
            |options| options.order = Order::Weighted(vec![1.0]),
            "there must be a weight above 0 for each input",
        ),
        (
            |options| options.order = Order::Weighted(vec![1.0, -1.0]),
            "there must be a weight above 0 for each input",
        ),
        (
            |options| {
                options.split = vec![1.0, 1.0];
                options.split_by = SplitBy::Game;
            },
            "bulletformat does not tell which records are of one game",
        ),
    ] {
        let error = with(change);
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(folder.files(), ["a.data", "b.data"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 10));
    folder.write("out.data", "old");
    let inputs = [folder.path("a.data")];
    let out = |path: &str| {
        Mix::new(&inputs, MixOptions::default())
            .unwrap()
            .write_to(Some(&folder.path(path)))
            .and_then(|mix| mix.run(&Evaluator::cpu()))
            .unwrap_err()
    };
    assert_eq!(*out("out.data").kind(), ErrorKind::Exists);
    assert!(out("a.data").to_string().contains("is used twice"));
    assert!(
        out("none/out.data")
            .to_string()
            .contains("there is no folder")
    );
    let kind = out("out.binpack").kind().clone();
    assert!(matches!(kind, ErrorKind::Refused), "{kind:?}");
    folder.write("a.binpack", encoded(Format::Binpack, &sample()));
    let two = folder.try_mix(
        &["a.data", "a.binpack"],
        "out.unknown",
        &MixOptions::default(),
    );
    assert_eq!(*two.unwrap_err().kind(), ErrorKind::Unnamed);
    assert_eq!(folder.read("out.data"), b"old");
}

/// Also where nobody sees it at once: in the second input, and in both passes.
#[test]
fn invalid_records() {
    let folder = Folder::new();
    let mut bad = numbered(0, 50_000);
    bad[32 * 40_000 + 26] = 7; // a result
    folder.write("a.data", numbered(0, 50_000));
    folder.write("b.data", bad);
    for (order, dedupe) in [
        (Order::Shuffle, None),
        (Order::Interleaved, None),
        (Order::Interleaved, Some(Identity::Position)),
    ] {
        let mut options = MixOptions {
            order,
            dedupe,
            ..MixOptions::default()
        };
        let result = folder.try_mix(&["a.data", "b.data"], "out.data", &options);
        let error = result.unwrap_err().to_string();
        assert!(error.contains("b.data, byte 1280000: "), "{error}");
        assert_eq!(folder.files(), ["a.data", "b.data"]);
        options.job.skip_invalid = true;
        let summary = folder.mix(&["a.data", "b.data"], "out.data", &options);
        assert!(!summary.is_sound());
        let records = if dedupe.is_some() { 1 } else { 99_999 };
        assert_eq!(summary.outputs[0].records, records);
        std::fs::remove_file(folder.path("out.data")).unwrap();
    }
}

#[test]
fn what_is_told() {
    let folder = Folder::new();
    let a = folder.write("a.binpack", encoded(Format::Binpack, &sample()));
    let empty = folder.write("empty.plain", "");
    let out = folder.path("out.data");
    let told = notes(&[a.clone(), empty, a], &out, &MixOptions::default()).join("\n");
    for part in [
        "a.binpack: not carried over to bulletformat: side to move, castling rights",
        "is the same file as",
        "its records are taken twice",
        "empty.plain: the input is empty",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let options = MixOptions {
        job: jobs::Options {
            replace: true,
            ..jobs::Options::default()
        },
        records: true,
        ..shuffle(1)
    };
    let told_of_records = notes(
        &[folder.path("a.binpack")],
        &folder.path("out.binpack"),
        &options,
    )
    .join("\n");
    let part = "much smaller with whole chains";
    assert!(told_of_records.contains(part), "{told_of_records}");
}

/// Each file is compared with all others at once, not with one after the other: that would take a
/// thousand times as long for 32 times as many files.
#[test]
fn thousands_of_files_take_no_longer_than_their_bytes() {
    let folder = Folder::new();
    let time = |files: u32| {
        let name = |number| format!("{files}-{number}.bulletformat");
        let inputs: Vec<_> = (0..files)
            .map(|number| folder.write(&name(number), numbered(number, 1)))
            .collect();
        let options = MixOptions {
            job: jobs::Options {
                from: Some(Format::Bulletformat),
                ..jobs::Options::default()
            },
            ..shuffle(1)
        };
        let out = folder.path(&format!("{files}.data"));
        let started = std::time::Instant::now();
        notes(&inputs, &out, &options);
        started.elapsed()
    };
    let few = time(125);
    let many = time(4_000);
    assert!(
        many < few * 150,
        "{few:?} for 125 files, {many:?} for 4,000"
    );
}

/// The same file under another name, as a link of either kind.
#[test]
#[cfg(unix)]
fn links_to_an_input() {
    let folder = Folder::new();
    let a = folder.write("a.data", numbered(0, 10));
    let hard = folder.path("hard.data");
    std::fs::hard_link(&a, &hard).unwrap();
    let soft = folder.path("soft.data");
    std::os::unix::fs::symlink(&a, &soft).unwrap();
    let copy = folder.write("copy.data", numbered(0, 10));
    let options = MixOptions {
        job: jobs::Options {
            replace: true,
            ..jobs::Options::default()
        },
        ..MixOptions::default()
    };
    let told = |second| notes(&[a.clone(), second], &folder.path("out.data"), &options).join("\n");
    for (link, name) in [(hard, "hard.data"), (soft, "soft.data")] {
        let told = told(link);
        let note = format!("{name} is the same file as {}: its records", a.display());
        assert!(told.contains(&note), "{told}");
    }
    let told_of_copy = told(copy);
    assert!(!told_of_copy.contains("is the same file"), "{told_of_copy}");
}

/// Each output that ends empty is named, also the only one.
#[test]
fn empty_outputs_are_told() {
    let folder = Folder::new();
    let a = folder.write("a.data", numbered(0, 1_000));
    let told = |options: MixOptions| {
        let options = MixOptions {
            job: jobs::Options {
                replace: true,
                ..options.job.clone()
            },
            ..options
        };
        let all = notes(std::slice::from_ref(&a), &folder.path("out.data"), &options);
        let empty = all.into_iter().filter(|note| note.contains("no record"));
        empty.collect::<Vec<_>>()
    };
    let note = |name: &str| {
        let path = folder.path(name);
        format!("no record is left for '{}'", path.display())
    };
    assert!(told(MixOptions::default()).is_empty());
    for order in [Order::Shuffle, Order::Interleaved] {
        let sampled = MixOptions {
            order: order.clone(),
            sample: Some(1e-9),
            ..MixOptions::default()
        };
        assert_eq!(told(sampled.clone()), [note("out.data")]);
        let split = MixOptions {
            order: order.clone(),
            split: vec![1e-9, 1.0],
            ..MixOptions::default()
        };
        assert_eq!(told(split), [note("out-1.data")]);
        let split_of_sample = MixOptions {
            split: vec![1.0, 1.0],
            ..sampled
        };
        let both = [note("out-1.data"), note("out-2.data")];
        assert_eq!(told(split_of_sample), both);
    }
}

#[test]
fn a_cancelled_mix_leaves_nothing() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 200_000));
    for order in [Order::Shuffle, Order::Interleaved] {
        let by = Cancel::default();
        let options = MixOptions {
            order,
            job: jobs::Options {
                cancel: by.clone(),
                ..jobs::Options::default()
            },
            ..MixOptions::default()
        };
        let mix = Mix::new([folder.path("a.data")], options)
            .unwrap()
            .write_to(Some(&folder.path("out.data")))
            .unwrap()
            .watch(move |_| {
                by.cancel();
                std::ops::ControlFlow::Continue(())
            });
        let error = mix.run(&Evaluator::cpu()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Cancelled);
        assert_eq!(folder.files(), ["a.data"]);
    }
}

/// Each pass tells how far it is, up to its end; also the one that measures compressed files, and the
/// comparison of duplicates.
#[test]
fn progress_of_all_passes() {
    let folder = Folder::new();
    let bytes = numbered(0, 100_000);
    folder.write("a.data", &bytes);
    folder.write("b.data.zst", zstd::encode_all(&bytes[..], 1).unwrap());
    let passes_of = |order: Order, dedupe| {
        let options = MixOptions {
            job: jobs::Options {
                replace: true,
                ..jobs::Options::default()
            },
            order,
            dedupe,
            ..MixOptions::default()
        };
        let mut passes: Vec<(Pass, u64, u64)> = Vec::new();
        let inputs = ["a.data", "b.data.zst"].map(|name| folder.path(name));
        let mix = Mix::new(inputs, options).unwrap().watch(|event| {
            if let Event::Progress {
                pass: Some(pass),
                bytes,
                of,
                ..
            } = event
            {
                assert!(bytes <= of, "{pass:?}: {bytes} of {of}");
                match passes.last_mut() {
                    Some(last) if last.0 == pass => *last = (pass, bytes, of),
                    _ => passes.push((pass, bytes, of)),
                }
            }
            std::ops::ControlFlow::Continue(())
        });
        mix.write_to(Some(&folder.path("out.data")))
            .and_then(|mix| mix.run(&Evaluator::cpu()))
            .unwrap();
        passes
    };
    let ended = |passes: Vec<(Pass, u64, u64)>| -> Vec<Pass> {
        passes
            .into_iter()
            .map(|(pass, bytes, of)| {
                // What is merged is read some blocks ahead.
                assert!(
                    pass == Pass::Interleave || bytes == of,
                    "{pass:?}: {bytes} of {of}"
                );
                pass
            })
            .collect()
    };
    assert_eq!(
        ended(passes_of(Order::Shuffle, Some(Identity::Position))),
        [Pass::Duplicates, Pass::Compare, Pass::Deal, Pass::Write]
    );
    assert_eq!(
        ended(passes_of(Order::Interleaved, None)),
        [Pass::Measure, Pass::Interleave]
    );
}

/// What is lost on the way is counted, as a conversion does, and an invalid record names its file.
#[test]
fn losses_are_counted() {
    let folder = Folder::new();
    let lost = "4k3/8/8/8/8/8/8/4K3 w K - 0 1 | 5 | 0.5\n"; // no rook on h1
    folder.write("a.fen", lost.repeat(3));
    folder.write("b.fen", format!("{lost}nonsense\n"));
    let options = MixOptions {
        job: jobs::Options {
            skip_invalid: true,
            ..jobs::Options::default()
        },
        ..MixOptions::default()
    };
    let inputs = ["a.fen", "b.fen"];
    let summary = folder.mix(&inputs, "out.marlinformat", &options);
    let text = summary.table().to_string();
    let castling = "castling    4 records with a castling right whose rook or king is not in place, which is dropped";
    assert!(text.contains(castling), "{text}");
    assert!(text.contains("b.fen, line 2: "), "{text}");
    let json = summary.table().json;
    assert_eq!(json["lost_castling_rights"], 4);
    assert_eq!(
        (&json["invalid"], &json["invalid_records"]),
        (&1.into(), &0.into())
    );
    // Copied as they are.
    let copied = folder.mix(&inputs, "out.fen", &options);
    assert_eq!(copied.table().json["lost_castling_rights"], 0);
    assert!(folder.read("out.fen").starts_with(lost.as_bytes()));
    let deduped = MixOptions {
        dedupe: Some(Identity::Position),
        ..options
    };
    let without_duplicates = folder.mix(&inputs, "out.fen", &deduped);
    assert_eq!(without_duplicates.table().json["lost_castling_rights"], 0);
    assert_eq!(folder.read("out.fen"), lost.as_bytes());
}

/// Records without a score, and what became of them.
#[test]
fn unscored_records_are_counted() {
    let folder = Folder::new();
    let mut records = sample();
    for record in records.iter_mut().step_by(4) {
        record.fields = record.fields.with_score(Some(32_002));
    }
    folder.write("in.binpack", encoded(Format::Binpack, &records));
    let unscored = records.len().div_ceil(4);
    let summary = folder.mix(&["in.binpack"], "out.plain", &MixOptions::default());
    let of_input = &summary.table().json["inputs"][0]["unscored"];
    assert_eq!(of_input["records"], unscored);
    assert_eq!(of_input["became"], "written as 32002");
    let text = summary.table().to_string();
    assert!(
        text.contains("unscored    2,836 (25.0 %), written as 32002"),
        "{text}"
    );
    let drop = MixOptions {
        job: jobs::Options {
            drop_unscored: true,
            ..jobs::Options::default()
        },
        ..MixOptions::default()
    };
    let dropping = folder.mix(&["in.binpack"], "out.plain", &drop);
    assert_eq!(
        dropping.outputs[0].records as usize,
        records.len() - unscored
    );
    assert!(dropping.table().to_string().contains("(25.0 %), dropped"));
}

/// A side file is none of the outputs, also where a split names them, and is written with them.
#[test]
fn side_files() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 1_000));
    let mix = |side: &str, replace| {
        let options = MixOptions {
            job: jobs::Options {
                replace,
                ..jobs::Options::default()
            },
            split: vec![1.0, 1.0],
            ..MixOptions::default()
        };
        Mix::new([folder.path("a.data")], options)?
            .write_to(Some(&folder.path("out.data")))?
            .beside(&folder.path(side), |summary| summary.table().to_string())?
            .run(&Evaluator::cpu())
    };
    for side in ["out-1.data", "out-2.data", "a.data"] {
        let error = mix(side, true).unwrap_err().to_string();
        assert!(error.contains("is used twice"), "{error}");
        assert_eq!(folder.files(), ["a.data"]);
    }
    mix("side", false).unwrap();
    assert_eq!(
        folder.files(),
        ["a.data", "out-1.data", "out-2.data", "side"]
    );
    assert!(folder.read("side").starts_with(b"swaplist mix\n"));
}

/// What a killed run left is named, and so are percentages that do not add up.
#[test]
fn what_else_is_told() {
    let folder = Folder::new();
    let a = folder.write("a.data", numbered(0, 1_000));
    // Names hold which system made them; elsewhere than on Linux none is known.
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let left = format!(".swaplist-{}-abc.part", boot.get(..8).unwrap_or_default());
    folder.write(&left, "");
    let notes_of = |options: &MixOptions| {
        notes(std::slice::from_ref(&a), &folder.path("out.data"), options).join("\n")
    };
    let told = notes_of(&MixOptions {
        split: vec![95.0, 10.0],
        ..MixOptions::default()
    });
    if cfg!(target_os = "linux") {
        let left = format!("{left}' was left by a run that was killed and can be deleted");
        assert!(told.contains(&left), "{told}");
    }
    let shares = "the shares of the split add up to 105: they are taken as 90.5 %, 9.5 %";
    assert!(told.contains(shares), "{told}");
    for split in [vec![95.0, 5.0], vec![0.8, 0.1, 0.1], vec![9.0, 1.0]] {
        let of_even_shares = notes_of(&MixOptions {
            job: jobs::Options {
                replace: true,
                ..jobs::Options::default()
            },
            split,
            ..MixOptions::default()
        });
        assert!(!of_even_shares.contains("shares"), "{of_even_shares}");
    }
}

/// A file of a petabyte, most of which is not there, fits on no disk: that is said before anything is
/// read, and nothing is begun.
#[test]
#[cfg(target_os = "linux")]
fn no_room() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 100_000));
    let path = folder.path("a.data");
    let file = std::fs::File::options().append(true).open(path).unwrap();
    if file.set_len(1 << 50).is_err() && file.set_len(15 << 40).is_err() {
        eprintln!("left out: the file system has no files as long");
        return;
    }
    let shuffled = shuffle(1);
    let plain = MixOptions::default();
    let dedupe = Some(Identity::Position);
    let filter = Some(swaplist_files::filter::Filter::default());
    for (name, options, is_refused) in [
        ("interleaved", plain.clone(), true),
        ("shuffled", shuffled.clone(), true),
        (
            "without duplicates",
            MixOptions {
                dedupe,
                ..plain.clone()
            },
            true, // as the fingerprints are many
        ),
        (
            "filtered",
            MixOptions {
                filter,
                ..shuffled.clone()
            },
            false, // few may be left
        ),
        (
            "in another folder",
            MixOptions {
                temp: Some(std::env::temp_dir()),
                ..shuffled.clone()
            },
            true,
        ),
        (
            "a part",
            MixOptions {
                job: jobs::Options {
                    limit: Some(10),
                    ..plain.job.clone()
                },
                ..plain
            },
            false,
        ),
    ] {
        let notes = std::sync::Mutex::new(Vec::new());
        let watch = |event: Event<'_>| match event {
            Event::Note(text) => {
                notes.lock().unwrap().push(text.to_owned());
                std::ops::ControlFlow::Continue(())
            }
            Event::Progress { .. } => std::ops::ControlFlow::Break(()),
            _ => std::ops::ControlFlow::Continue(()),
        };
        let mix = Mix::new([folder.path("a.data")], options)
            .unwrap()
            .watch(watch)
            .write_to(Some(&folder.path("out.data")))
            .unwrap();
        let error = mix.run(&Evaluator::cpu()).map(drop).err();
        let text = error.map_or_else(String::new, |error| error.to_string());
        let is_told = text.contains("are needed; make room, choose another folder");
        assert_eq!(is_told, is_refused, "{name}: {text}");
        if name == "filtered" {
            let text_of_notes = notes.lock().unwrap().join("\n");
            assert!(text_of_notes.contains("are needed"), "{text_of_notes}");
        }
        let out = folder.path("out.data");
        let _ = std::fs::remove_file(out);
        assert_eq!(folder.files(), ["a.data"], "{name}");
    }
}

/// Chains are copied, so their output is as large as the input. Of those that are taken apart, and
/// of a compressed input, less is certain.
#[test]
#[cfg(target_os = "linux")]
fn no_room_for_chains() {
    let folder = Folder::new();
    let input = folder.write("a.binpack", encoded(Format::Binpack, &sample()));
    let file = std::fs::File::options().append(true).open(&input).unwrap();
    if file.set_len(1 << 50).is_err() && file.set_len(15 << 40).is_err() {
        eprintln!("left out: the file system has no files as long");
        return;
    }
    let refusal = |options: MixOptions, out: &str| {
        let watch = |event: Event<'_>| match event {
            Event::Progress { .. } => std::ops::ControlFlow::Break(()),
            _ => std::ops::ControlFlow::Continue(()),
        };
        let mix = Mix::new([&input], options).unwrap().watch(watch);
        let mix = mix.write_to(Some(&folder.path(out))).unwrap();
        mix.run(&Evaluator::cpu()).map(drop).unwrap_err()
    };
    let records = MixOptions {
        records: true,
        ..MixOptions::default()
    };
    for options in [MixOptions::default(), shuffle(1), records] {
        let error = refusal(options.clone(), "out.binpack").to_string();
        assert!(error.contains("and at least"), "{options:?}: {error}");
        // The output may be of any size.
        let compressed = refusal(options.clone(), "out.binpack.zst");
        let is_shuffled = options.order == Order::Shuffle;
        let refused = matches!(compressed.kind(), ErrorKind::Refused);
        assert_eq!(refused, is_shuffled, "{options:?}: {compressed}");
    }
}

/// Each output needs its share of the room, where it is.
#[test]
#[cfg(target_os = "linux")]
fn room_by_output() {
    let [large, small] = [
        Folder::new(),
        Folder(tempfile::tempdir_in("/dev/shm").unwrap()),
    ];
    let free = fs4::available_space(small.path("")).unwrap();
    if fs4::available_space(large.path("")).unwrap() < free.saturating_mul(2) {
        eprintln!("left out: the folder for temporary files has no more room than /dev/shm");
        return;
    }
    large.write("a.data", numbered(0, 100_000));
    let input = large.path("a.data");
    let file = std::fs::File::options().append(true).open(&input).unwrap();
    // Half as much again as fits in the small folder.
    file.set_len((free + free / 2) / 32 * 32).unwrap();
    for (split, is_refused) in [(vec![1.0, 99.0], false), (vec![99.0, 1.0], true)] {
        let options = MixOptions {
            split,
            ..MixOptions::default()
        };
        let watch = |event: Event<'_>| match event {
            Event::Progress { .. } => std::ops::ControlFlow::Break(()),
            _ => std::ops::ControlFlow::Continue(()),
        };
        let mix = Mix::new([&input], options).unwrap().watch(watch);
        let outputs = [small.path("held.data"), large.path("rest.data")];
        let error = mix.write_each(outputs).unwrap().run(&Evaluator::cpu());
        let text = error.map(drop).unwrap_err().to_string();
        assert_eq!(text.contains("are needed; make room"), is_refused, "{text}");
    }
}

/// A named column is that of the tables among the inputs.
#[test]
fn a_column_is_named_for_tables_alone() {
    let folder = Folder::new();
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    folder.write("a.csv", format!("id,position\n7,{fen}\n"));
    folder.write("b.fen", "4k3/8/8/3p4/4P3/8/8/3K4 w - - 0 1\n");
    let options = MixOptions {
        job: jobs::Options {
            fen_column: Some("position".to_owned()),
            to: Some(Format::Text),
            ..jobs::Options::default()
        },
        ..MixOptions::default()
    };
    let summary = folder.mix(&["a.csv", "b.fen"], "out.fen", &options);
    assert_eq!(summary.outputs[0].records, 2);
    let only_text = [folder.path("b.fen")];
    let error = Mix::new(only_text, options).err().expect("no table");
    assert!(error.to_string().contains("no input is a table"), "{error}");
}

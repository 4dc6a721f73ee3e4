//! What is refused, and what is told.

use swaplist::Evaluator;
use swaplist::formats::Format;
use swaplist::jobs::{Cancel, ErrorKind};
use swaplist::mix::{Identity, Mix, Options, Order, SplitBy};

use crate::{Folder, encoded, notes, numbered, sample, shuffle};

#[test]
fn options_that_contradict_each_other() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 10));
    folder.write("b.data", numbered(0, 10));
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        let error = folder.try_mix(&["a.data", "b.data"], "out.data", &options);
        let error = error.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Refused, "{error}");
        error.to_string()
    };
    for (change, message) in [
        (
            (|options| options.split = vec![1.0]) as fn(&mut Options),
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
        let mix = Mix::new(&inputs, Options::default()).unwrap();
        let mix = mix.write_to(Some(&folder.path(path)));
        mix.and_then(|mix| mix.run(&Evaluator::cpu())).unwrap_err()
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
    let two = folder.try_mix(&["a.data", "a.binpack"], "out.unknown", &Options::default());
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
        let mut options = Options {
            order,
            dedupe,
            ..Options::default()
        };
        let error = folder.try_mix(&["a.data", "b.data"], "out.data", &options);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("b.data, byte 1280000: "), "{error}");
        assert_eq!(folder.files(), ["a.data", "b.data"]);
        options.skip_invalid = true;
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
    let told = notes(&[a.clone(), empty, a], &out, &Options::default()).join("\n");
    for part in [
        "a.binpack: not carried over to bulletformat: side to move, castling rights",
        "is the same file as",
        "its records are taken twice",
        "empty.plain: the input is empty",
        "the output will weigh about 726 KB",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let options = Options {
        records: true,
        replace: true,
        ..shuffle(1)
    };
    let told = notes(
        &[folder.path("a.binpack")],
        &folder.path("out.binpack"),
        &options,
    )
    .join("\n");
    assert!(
        told.contains("the output will weigh about 386 KB"),
        "{told}"
    );
    assert!(told.contains("much smaller with whole chains"), "{told}");
}

#[test]
fn a_cancelled_mix_leaves_nothing() {
    let folder = Folder::new();
    folder.write("a.data", numbered(0, 200_000));
    for order in [Order::Shuffle, Order::Interleaved] {
        let options = Options {
            order,
            ..Options::default()
        };
        let cancel = Cancel::default();
        let mix = Mix::new([folder.path("a.data")], options).unwrap();
        let mix = mix.cancelled_by(&cancel);
        let mix = mix.write_to(Some(&folder.path("out.data"))).unwrap();
        let by = cancel.clone();
        let mix = mix.watch(move |_| {
            by.cancel();
            std::ops::ControlFlow::Continue(())
        });
        let error = mix.run(&Evaluator::cpu()).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Cancelled);
        assert_eq!(folder.files(), ["a.data"]);
    }
}

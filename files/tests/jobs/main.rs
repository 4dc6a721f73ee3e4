//! Jobs as library calls.

#[path = "../../../tests/common/fake.rs"]
mod fake;
#[path = "../common/records.rs"]
mod records;
// For `ordered`, which tests the executor from within.
#[allow(dead_code)]
#[path = "../../src/stages.rs"]
mod stages;
#[path = "../common/written.rs"]
mod written;

mod data;
mod errors;
mod evaluator;
mod index;
mod ordered;
mod pace;
mod parts;
mod pool;
mod scale;
mod threads;

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use swaplist::{BackendChoice, Evaluator, Rules, Sides};
use swaplist_files::filter::Filter;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Cancel, ErrorKind, Event, Input, Job, Mode, Moves, Options, Rows};

use written::{Written, games};

const SAMPLE: &str = include_str!("../../../data/sample.fen");

fn sample<'a>() -> Job<'a> {
    sample_with(Options::default())
}

fn sample_with<'a>(options: Options) -> Job<'a> {
    let input = Input::reader("sample", SAMPLE.as_bytes()).unwrap();
    let options = Options {
        threads: Some(2),
        ..options
    };
    Job::new(input, options).unwrap()
}

fn job<'a>(input: Input) -> Job<'a> {
    Job::new(input, Options::default()).unwrap()
}

fn quiet() -> Filter {
    Filter::default()
}

/// A file may grow while it is read, but not shrink.
#[test]
fn a_file_that_changes_while_it_is_read() {
    const LINE: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.fen");
    for (lines, shrinks) in [
        (5_000, true),
        (9_999, true),
        (10_000, false),
        (10_001, false),
    ] {
        std::fs::write(&path, LINE.repeat(10_000)).unwrap();
        let input = Input::open(Some(&path)).unwrap();
        std::fs::write(&path, LINE.repeat(lines)).unwrap();
        match job(input).validate() {
            Ok(summary) => {
                assert_eq!((summary.tally.records as usize, shrinks), (lines, false));
            }
            Err(error) => {
                let bytes = lines * LINE.len();
                let why = format!("got shorter while it was read, to {bytes} bytes");
                assert!(shrinks && error.to_string().contains(&why), "{error}");
            }
        }
    }
}

/// Also where a GPU is missing. The other process is this test again.
#[test]
fn the_library_prints_nothing() {
    const CHILD: &str = "SWAPLIST_TEST_PRINTS_NOTHING";
    if std::env::var_os(CHILD).is_some() {
        let evaluator = Evaluator::new(&BackendChoice::Gpu(Some("of no such name".to_owned())));
        let job = sample().write_into("memory", Written::default());
        job.filter(&quiet(), &evaluator).unwrap();
        assert!(evaluator.report().fallback.is_some());
        let (sender, said) = std::sync::mpsc::channel();
        let _told = evaluator.announce(move |line| sender.send(line.to_string()).unwrap());
        assert!(said.try_recv().unwrap().contains("the CPU takes over"));
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["the_library_prints_nothing", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .env("NODEVICE_SELECT", "1") // Mesa would complain
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert_eq!(String::from_utf8(child.stderr).unwrap(), "");
}

#[test]
fn from_a_reader_to_a_writer() {
    let written = Written::default();
    let job = sample().write_into("memory", written.clone());
    let summary = job.filter(&quiet(), &Evaluator::cpu()).unwrap();
    // One call per position, without a pipeline.
    let kept: String = SAMPLE
        .split_inclusive('\n')
        .filter(|line| {
            let verdict = Rules::SWAP.verdict(&line.trim_end().parse().unwrap(), Sides::ToMove);
            !verdict.in_check() && verdict.best().is_none_or(|best| best.see <= 0)
        })
        .collect();
    assert!(written.bytes() == kept.as_bytes());
    assert_eq!(summary.tally.kept, kept.lines().count() as u64);
    assert_eq!(summary.tally.written, kept.len() as u64);
    assert_eq!(summary.table().json["kept"], summary.tally.kept);
    assert_eq!(summary.formats, Some([Format::Text; 2]));
}

#[test]
fn a_limit_ends_early_and_rejects_are_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let rest = folder.path().join("rest");
    let job = sample_with(Options {
        limit: Some(10),
        ..Options::default()
    })
    .write_to(Some(&kept))
    .and_then(|job| job.rejects_to(&rest))
    .unwrap();
    let summary = job.filter(&quiet(), &Evaluator::cpu()).unwrap();
    assert_eq!(summary.tally.kept, 10);
    let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().count();
    assert_eq!(lines(&kept), 10);
    assert_eq!(lines(&kept) + lines(&rest), summary.tally.records as usize);
}

#[test]
fn all_jobs_run() {
    let rules = Rules::SWAP;
    let cpu = Evaluator::cpu();
    let records = SAMPLE.lines().count() as u64;
    let counted = sample().count(&rules, &cpu).unwrap();
    let [counts, _] = *counted.tally.counts.clone().unwrap();
    assert_eq!(counts.positions, records);
    assert!(counted.table().json["seconds"].is_f64());
    let validated = sample().validate().unwrap();
    assert!(validated.is_sound());
    assert!(validated.table().json["seconds"].is_f64());
    let job = sample_with(Options {
        to: Some(Format::Sfbin),
        score: Some(7),
        ..Options::default()
    })
    .write_into("memory", Written::default());
    let error = job.convert().unwrap_err();
    // Text of plain FENs has no results.
    assert!(matches!(
        error.kind(),
        ErrorKind::Invalid {
            is_unscored: false,
            ..
        }
    ));
    for rows in [Rows::Tsv, Rows::Jsonl] {
        let written = Written::default();
        let judged = sample()
            .write_into("memory", written.clone())
            .verdict(rows, &rules, &cpu)
            .unwrap();
        assert_eq!(judged.tally.records, records);
        let lines = String::from_utf8(written.bytes()).unwrap().lines().count() as u64;
        assert_eq!(lines, records + u64::from(rows == Rows::Tsv));
        let scored = sample()
            .write_into("memory", Written::default())
            .score(Moves::Noisy, rows, &rules, &cpu)
            .unwrap();
        assert_eq!(scored.tally.moves, counts.noisy_moves);
    }
}

#[test]
fn cancelled_by_who_looks_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.bf");
    let notes = Mutex::new(Vec::new());
    // Breaks off at the first block.
    let impatient = |event: Event<'_>| match event {
        Event::Note(text) => {
            notes.lock().unwrap().push(text.to_owned());
            ControlFlow::Continue(())
        }
        Event::Progress { bytes, .. } => {
            assert!(bytes > 0);
            ControlFlow::Break(())
        }
        _ => panic!("{event:?}"),
    };
    let scored = SAMPLE.replace('\n', " | 5 | 0.5\n");
    let input = Input::reader("scored", std::io::Cursor::new(scored)).unwrap();
    let to = |to| Options {
        to: Some(to),
        ..Options::default()
    };
    let job = Job::new(input, to(Format::Bulletformat))
        .unwrap()
        .watch(impatient)
        .write_to(Some(&path))
        .unwrap();
    let error = job.convert().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Cancelled);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let texts = notes.lock().unwrap();
    assert!(
        texts[0].starts_with("not carried over to bulletformat: side to move"),
        "{texts:?}"
    );
}

#[test]
fn cancelled_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let cancel = Cancel::default();
    let cancelled = || {
        sample_with(Options {
            cancel: cancel.clone(),
            ..Options::default()
        })
    };
    let job = cancelled().write_to(Some(&path)).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    cancel.cancel();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let error = job.filter(&quiet(), &Evaluator::cpu()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Cancelled);
    let again = cancelled().write_to(Some(&path));
    assert_eq!(
        again.err().map(|error| error.kind().clone()),
        Some(ErrorKind::Cancelled)
    );
}

/// Error messages name no option of the command.
#[test]
fn errors_have_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.binpack");
    let kind = |error: swaplist_files::jobs::Error| {
        assert!(!error.to_string().contains("--"), "{error}");
        error.kind().clone()
    };
    let cpu = Evaluator::cpu();
    let refused = sample().write_to(Some(&path)).unwrap();
    let misnamed = refused.filter(&quiet(), &cpu).unwrap_err();
    assert_eq!(kind(misnamed), ErrorKind::Misnamed(Format::Binpack));
    let marked = sample_with(Options {
        mode: Some(Mode::Mark),
        ..Options::default()
    });
    let unmarkable = marked.filter(&quiet(), &cpu).unwrap_err();
    assert_eq!(kind(unmarkable), ErrorKind::Refused);
    std::fs::write(&path, "").unwrap();
    let exists = sample().write_to(Some(&path)).err().unwrap();
    assert_eq!(kind(exists), ErrorKind::Exists);
    let level = sample_with(Options {
        replace: true,
        level: Some(3),
        ..Options::default()
    })
    .write_to(Some(&path))
    .err()
    .unwrap();
    assert_eq!(kind(level), ErrorKind::Level);
    let input = Input::reader("bad", &b"4k3/8/8/8/8/8/8/4K3 w - -\nnonsense\n"[..]).unwrap();
    let invalid = job(input).filter(&quiet(), &cpu).unwrap_err();
    assert!(
        invalid.to_string().starts_with("bad, line 2: "),
        "{invalid}"
    );
    let units = None;
    let is_unscored = false;
    let is_of_castling = false;
    let is_broken = true;
    let expected = ErrorKind::Invalid {
        is_unscored,
        is_of_castling,
        is_broken,
        units,
    };
    assert_eq!(kind(invalid), expected);
    let missing = Input::open(Some(Path::new("no such file"))).err().unwrap();
    assert_eq!(kind(missing), ErrorKind::Io(std::io::ErrorKind::NotFound));
}

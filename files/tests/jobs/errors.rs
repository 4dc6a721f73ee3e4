//! Errors are data: the file, the place and the kind are told apart from the message.

use std::path::Path;

use swaplist::Evaluator;
use swaplist_files::filter::Preset;
use swaplist_files::formats::{Field, Format, Place};
use swaplist_files::jobs::{Error, ErrorKind, Input, Job, Options};

const SOUND: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";

/// The error of a filter over these bytes of a file called `in`.
fn error_of(bytes: &[u8], from: Format, preset: Preset) -> Error {
    let input = Input::reader("in", std::io::Cursor::new(bytes.to_vec())).unwrap();
    let options = Options {
        from: Some(from),
        ..Options::default()
    };
    let filter = preset.filter();
    let ran = Job::new(input, options).and_then(|job| job.filter(&filter, &Evaluator::cpu()));
    ran.unwrap_err()
}

#[test]
fn no_job_has_a_limit_of_0() {
    let input = Input::reader("in", std::io::Cursor::new(SOUND)).unwrap();
    let options = Options {
        limit: Some(0),
        ..Options::default()
    };
    let error = Job::new(input, options).map(drop).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("1 or more"), "{error}");
}

#[test]
fn an_invalid_record_has_a_file_and_a_place() {
    let error = error_of(
        format!("{SOUND}{SOUND}8/8 w\n").as_bytes(),
        Format::Text,
        Preset::Quiet,
    );
    assert!(matches!(
        error.kind(),
        ErrorKind::Invalid {
            is_broken: true,
            ..
        }
    ));
    assert_eq!(error.file(), Some("in"));
    assert_eq!(error.place(), Some(Place::Line(3)));
    let text = error.to_string();
    assert!(text.starts_with("in, line 3: too few fields"), "{text}");
    // A name that begins like the message of another is no name in it.
    assert_ne!(error.file(), Some("i"));
}

#[test]
fn damage_has_a_file_and_a_place() {
    let chunk = [&b"BINP\xff\xff\xff\xff"[..], &[0; 64]].concat();
    let error = error_of(&chunk, Format::Binpack, Preset::Quiet);
    assert_eq!(*error.kind(), ErrorKind::Broken);
    assert_eq!(error.file(), Some("in"));
    assert_eq!(error.place(), Some(Place::Offset(4)));
    let text = error.to_string();
    assert!(text.starts_with("in, byte 4: "), "{text}");
}

#[test]
fn a_field_that_a_record_lacks_has_a_place_and_one_that_a_format_lacks_has_none() {
    for (bytes, format, place, begins) in [
        (
            SOUND.as_bytes(),
            Format::Text,
            Some(Place::Line(1)),
            "in, line 1: the filter asks for the played move",
        ),
        (
            &[],
            Format::Bulletformat,
            None,
            "in: the filter asks for the played move",
        ),
    ] {
        let error = error_of(bytes, format, Preset::PlayedCalm);
        assert_eq!(*error.kind(), ErrorKind::Missing(Field::Played));
        assert_eq!((error.file(), error.place()), (Some("in"), place));
        assert!(error.to_string().starts_with(begins), "{error}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_has_no_place() {
    let error = Input::open(Some(Path::new("no such file"))).err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Io(std::io::ErrorKind::NotFound));
    assert_eq!(error.file(), Some("no such file"));
    assert_eq!(error.place(), None);
    // Without the number of the system, which `std` adds.
    let text = error.to_string();
    assert!(text.starts_with("cannot open 'no such file': "), "{text}");
    assert!(!text.contains("os error"), "{text}");
}

#[test]
fn a_request_that_is_refused_is_about_no_file() {
    let options = Options {
        from: Some(Format::Text),
        ..Options::default()
    };
    let input = Input::reader("in", SOUND.as_bytes()).unwrap();
    let cancel = options.cancel.clone();
    let job = Job::new(input, options).unwrap();
    cancel.cancel();
    let error = job.validate().unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Cancelled);
    assert_eq!((error.file(), error.place()), (None, None));
    assert_eq!(error.to_string(), "cancelled");
}

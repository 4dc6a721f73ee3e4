//! Mistakes of a device that filters files are noticed, and nothing of them is left in the output.

use core::ops::Range;
use std::io::Cursor;
use std::sync::{Arc, Mutex};

use swaplist::backend::{Answers, Backend, BackendError, Question};
use swaplist::gpu::Gpu;
use swaplist::{Evaluator, Rules};
use swaplist_files::device::{
    BatchLayout, DeviceBatch, FileFilter, GpuFilter, Recipe, Region, Room,
};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Error, ErrorKind, Input, Job, Mode, Options};

use crate::device_tests::WithFileFilter;
use crate::tests::common::coded;
use crate::tests::common::gpu;
use crate::tests::common::written::{Written, filter};

/// Changes a word of a device's output, given its number and what it is.
type Spoil = fn(usize, &BatchLayout, u32) -> u32;

/// A GPU with a mistake.
struct Spoiled {
    gpu: Arc<Gpu>,
    filter: GpuFilter,
    spoil: Spoil,
    /// It says that a batch has no more words of output than these.
    most_output: usize,
}

impl Spoiled {
    fn new(spoil: Spoil) -> Spoiled {
        let gpu = gpu::usual();
        Spoiled {
            filter: GpuFilter::new(Gpu::clone(&gpu)),
            gpu,
            spoil,
            most_output: usize::MAX,
        }
    }

    fn backend(self) -> Arc<dyn Backend> {
        Arc::new(WithFileFilter::new(Arc::new(self)))
    }
}

impl Backend for Spoiled {
    fn name(&self) -> String {
        "spoiled".to_owned()
    }

    fn answer(
        &self,
        question: &Question<'_>,
        rules: &Rules,
        answers: &mut Answers,
    ) -> Result<(), BackendError> {
        self.gpu.answer(question, rules, answers)
    }
}

impl FileFilter for Spoiled {
    fn room(&self) -> Room {
        let room = self.filter.room();
        Room {
            output_words: room.output_words.min(self.most_output),
            ..room
        }
    }

    fn batch(&self) -> Result<Box<dyn DeviceBatch>, BackendError> {
        Ok(Box::new(SpoiledBatch {
            batch: self.filter.batch()?,
            layout: Mutex::default(),
            spoil: self.spoil,
        }))
    }
}

struct SpoiledBatch {
    batch: Box<dyn DeviceBatch>,
    layout: Mutex<Option<BatchLayout>>,
    spoil: Spoil,
}

impl DeviceBatch for SpoiledBatch {
    fn put(&self, region: Region, at: usize, bytes: &[u8]) -> Result<(), BackendError> {
        self.batch.put(region, at, bytes)
    }

    fn submit(&self, recipe: &Recipe, layout: &BatchLayout) -> Result<(), BackendError> {
        *self.layout.lock().unwrap() = Some(*layout);
        self.batch.submit(recipe, layout)
    }

    fn wait(&self) -> Result<(), BackendError> {
        self.batch.wait()
    }

    fn read(&self, words: Range<usize>, read: &mut dyn FnMut(&[u32])) -> Result<(), BackendError> {
        let layout = self.layout.lock().unwrap().unwrap();
        self.batch.read(words.clone(), &mut |found| {
            let changed: Vec<u32> = words
                .clone()
                .zip(found)
                .map(|(number, word)| (self.spoil)(number, &layout, *word))
                .collect();
            read(&changed);
        })
    }

    fn reset(&self) -> Result<(), BackendError> {
        self.batch.reset()
    }
}

/// The number of a word in a row of results, if it is in the first row.
fn in_first_row(number: usize, layout: &BatchLayout) -> Option<usize> {
    let place = number.checked_sub(layout.results_at as usize)?;
    (place < 3).then_some(place)
}

/// Mistakes that any device may make.
const MISTAKES: [(&str, Spoil); 5] = [
    ("more records than there can be", |number, layout, word| {
        let is_count = (1..layout.results_at as usize).contains(&number);
        if is_count { u32::MAX } else { word }
    }),
    ("nothing was written", |number, layout, word| {
        if in_first_row(number, layout) == Some(0) {
            0
        } else {
            word
        }
    }),
    ("another decision", |number, layout, word| {
        if in_first_row(number, layout) == Some(2) {
            word ^ 1
        } else {
            word
        }
    }),
    ("a record too many", |number, layout, word| {
        let is_count = (1..layout.results_at as usize).contains(&number);
        if is_count && word > 9 { word + 1 } else { word }
    }),
    ("a reason taken for another one", |number, layout, word| {
        // Two kinds of the same result trade a record.
        match (1..layout.results_at as usize).contains(&number) {
            true if word > 100 => word - 1,
            true if number % 32 == 3 => word + 1,
            _ => word,
        }
    }),
];

/// Mistakes of a device that writes text.
const MISTAKES_IN_TEXT: [(&str, Spoil); 5] = [
    ("text that is somewhere else", |number, layout, word| {
        if in_first_row(number, layout) == Some(0) {
            word + 1
        } else {
            word
        }
    }),
    ("an impossible place", |number, layout, word| {
        if in_first_row(number, layout) == Some(0) {
            word + (1 << 24)
        } else {
            word
        }
    }),
    ("a game that is too long", |number, layout, word| {
        if in_first_row(number, layout) == Some(1) {
            word + 4
        } else {
            word
        }
    }),
    ("a wrong move", |number, layout, word| {
        if number >= layout.text_at as usize && number % 9 == 0 {
            word ^ 1
        } else {
            word
        }
    }),
    ("a unit that is not changed", |number, layout, word| {
        if in_first_row(number, layout) == Some(0) {
            u32::MAX - 1
        } else {
            word
        }
    }),
];

/// Mistakes of a device that says which records are marked.
const MISTAKES_IN_MARKS: [(&str, Spoil); 4] = [
    ("text in place of marks", |number, layout, word| {
        if in_first_row(number, layout) == Some(0) {
            1
        } else {
            word
        }
    }),
    ("another mark", |number, layout, word| {
        if number == layout.marks_at as usize {
            word ^ 8
        } else {
            word
        }
    }),
    ("no mark", |number, layout, word| {
        let is_mark = (layout.marks_at..layout.text_at).contains(&(number as u32));
        if is_mark { 0 } else { word }
    }),
    ("marks of the records before", |number, layout, word| {
        let is_mark = (layout.marks_at..layout.text_at).contains(&(number as u32));
        // As many as there are, so only the audit can tell.
        if is_mark { word.rotate_left(1) } else { word }
    }),
];

fn run(format: Format, mode: Mode, evaluator: &Evaluator) -> Vec<u8> {
    try_run(format, mode, evaluator).unwrap()
}

fn try_run(format: Format, mode: Mode, evaluator: &Evaluator) -> Result<Vec<u8>, Error> {
    let file = coded::file(format, 7, 60);
    let written = Written::default();
    let options = Options {
        from: Some(format),
        mode: Some(mode),
        threads: Some(2),
        ..Options::default()
    };
    let job = Job::new(Input::reader("file", Cursor::new(file)).unwrap(), options)
        .unwrap()
        .write_into("memory", written.clone());
    let quiet = filter("preset=none max_see=0 keep_checks=false");
    job.filter(&quiet, evaluator)?;
    Ok(written.bytes())
}

/// A panic of the host's code around a device ends the job with an error; nobody waits for ever.
#[test]
fn a_panic_beside_a_device_ends_the_job() {
    let device = Spoiled::new(|_, _, _| panic!("on purpose"));
    let evaluator = Evaluator::with_backend(Some(device.backend()));
    let error = try_run(Format::Binpack, Mode::Mark, &evaluator).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Internal, "{error}");
}

/// A device says that each game has all text of the batch. That is refused before the host makes
/// room for all of them.
#[test]
fn texts_that_overlap_are_refused() {
    let device = Spoiled::new(|number, layout, word| {
        let is_result = (layout.results_at..layout.marks_at).contains(&(number as u32));
        match number.wrapping_sub(layout.results_at as usize) % 3 {
            0 if is_result => 1,
            1 if is_result => 4 * (layout.text_end - layout.text_at),
            _ => word,
        }
    });
    let evaluator = Evaluator::with_backend(Some(device.backend()));
    let right = run(Format::Viriformat, Mode::Drop, &Evaluator::cpu());
    assert!(run(Format::Viriformat, Mode::Drop, &evaluator) == right);
    let fallback = evaluator.report().fallback.unwrap();
    assert!(fallback.contains("overlap"), "{fallback}");
}

/// Counts, results and marks need room, too: a part for which there is none never goes to the
/// device.
#[test]
fn a_part_without_room_for_its_counts_is_the_cpus() {
    let mut device = Spoiled::new(|_, _, word| word);
    device.most_output = 300;
    let evaluator = Evaluator::with_backend(Some(device.backend()));
    let right = run(Format::Viriformat, Mode::Mark, &Evaluator::cpu());
    assert!(run(Format::Viriformat, Mode::Mark, &evaluator) == right);
    let report = evaluator.report();
    assert_eq!((report.decoded, report.fallback), (0, None));
}

#[test]
fn mistakes_are_noticed() {
    for (format, mode) in [
        (Format::Binpack, Mode::Mark),
        (Format::Viriformat, Mode::Mark),
        (Format::Viriformat, Mode::Drop),
    ] {
        let right = run(format, mode, &Evaluator::cpu());
        let with = |spoil| {
            let device = Spoiled::new(spoil);
            // All games and chains are audited.
            Evaluator::with_backend(Some(device.backend())).audit(1 << 20)
        };
        let sound = with(|_, _, word| word);
        assert!(run(format, mode, &sound) == right);
        let report = sound.report();
        assert_eq!(report.fallback, None);
        assert!(report.decoded > 1000 && report.audited == report.decoded);
        let of_output = match (format, mode) {
            (Format::Viriformat, Mode::Mark) => &MISTAKES_IN_MARKS[..],
            _ => &MISTAKES_IN_TEXT[..],
        };
        for &(what, spoil) in MISTAKES.iter().chain(of_output) {
            let spoiled = with(spoil);
            assert!(
                run(format, mode, &spoiled) == right,
                "{format:?} {mode:?}: {what}"
            );
            let of_spoiled = spoiled.report();
            assert!(of_spoiled.fallback.is_some(), "{format:?} {mode:?}: {what}");
            assert_eq!(of_spoiled.decoded, 0, "{what}");
        }
    }
}

//! What broken encoders make of files.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use swaplist::backend::Backend;
use swaplist::{Choice, Evaluator};
use swaplist_files::device::encoder;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Mode, Options};

use crate::tests::common::coded;
use crate::tests::common::games::encoded;
use crate::tests::common::mutant::mutants;
use crate::tests::common::written::{Written, filter};
use crate::tests::common::{gpu, odd};

/// How a file is filtered: what shows a mutant.
const WAYS: [(&str, Format, Mode); 5] = [
    ("marked chains", Format::Binpack, Mode::Mark),
    ("marked games", Format::Viriformat, Mode::Mark),
    ("kept games", Format::Viriformat, Mode::Drop),
    ("rules of chains", Format::Binpack, Mode::Mark),
    ("rules of games", Format::Viriformat, Mode::Drop),
];

/// Filters that ask for everything that a device can compare.
const RULES: &[&str] = &[
    "preset=quiet",
    "preset=calm max_pieces=20 min_pieces=4",
    "preset=see-ge0 drop_unscored=true",
    "preset=none played=no-captures max_see=900",
    "preset=none played=empty-target,no-promotions max_see=900",
    "preset=quiet played=no-castling min_ply=12",
    "preset=none max_see=900 max_eval_incorrectness=300 max_score=9000",
    "preset=none max_see=900 max_opening_eval=20",
    "preset=none min_played_see=-100 max_played_see=50 keep_checks=false",
    "preset=quiet invert=true",
    "preset=none max_see=900 keep_placeholders=false",
    "preset=none max_see=900 drop_decided_zeros=true",
];

fn file(format: Format) -> Vec<u8> {
    let files = (0..4).map(|seed| coded::file(format, seed, 40));
    let mut file: Vec<u8> = files.chain(odd::targets(format)).flatten().collect();
    let mut games: Vec<u8> = (4..6)
        .flat_map(|seed| encoded(Format::Viriformat, &coded::games(format, seed, 40)))
        .collect();
    put_scores(&mut games);
    if format == Format::Binpack {
        games = to_binpack(games);
    }
    file.extend(games);
    file.extend(coded::minimised(format, 6, 20));
    file
}

/// Scores of which the differences to 32002 need one to four blocks, just so or nearly, and 0.
const SCORES: [i16; 8] = [
    0, -32_002, -31_995, -31_994, -31_874, -31_875, -29_954, -29_955,
];

/// Gives two of three positions of viriformat such scores.
fn put_scores(file: &mut [u8]) {
    let mut at = 32;
    while at < file.len() {
        if file[at..at + 4] == [0; 4] {
            // The next game's board.
            at += 32;
        } else if at % 3 > 0 {
            let score = SCORES[at / 4 % SCORES.len()];
            file[at + 2..at + 4].copy_from_slice(&score.to_le_bytes());
        }
        at += 4;
    }
}

fn to_binpack(games: Vec<u8>) -> Vec<u8> {
    let written = Written::default();
    let options = Options {
        from: Some(Format::Viriformat),
        to: Some(Format::Binpack),
        skip_invalid: true,
        ..Options::default()
    };
    let job = Job::new(Input::reader("games", Cursor::new(games)).unwrap(), options).unwrap();
    let summary = job.write_into("memory", written.clone()).convert().unwrap();
    assert!(summary.tally.records > 1000);
    written.bytes()
}

/// The output and summary; what a GPU filters is not audited, so that comparisons find mistakes.
///
/// The device does all of it, unless it fails.
fn run(
    file: &[u8],
    format: Format,
    mode: Mode,
    rules: &str,
    gpu: Option<Arc<dyn Backend>>,
) -> (Vec<u8>, String) {
    let is_on_gpu = gpu.is_some();
    let evaluator = Evaluator::with_backend(gpu).audit(0);
    let written = Written::default();
    let input = Input::reader("file", Cursor::new(file.to_vec())).unwrap();
    let options = Options {
        from: Some(format),
        mode: Some(mode),
        threads: Some(2),
        skip_invalid: true,
        ..Options::default()
    };
    let job = Job::new(input, options)
        .unwrap()
        .write_into("memory", written.clone());
    let summary = job.filter(&filter(rules), &evaluator).unwrap();
    let report = evaluator.report();
    let on_cpu = report.fallback.is_some();
    let by_device = if is_on_gpu { summary.tally.records } else { 0 };
    assert!(on_cpu || report.decoded == by_device, "{format:?} {rules}");
    let tally = format!(
        "{on_cpu} {:?} {:?} {:?}",
        summary.tally.dropped,
        summary.tally.outcomes,
        (
            summary.tally.kept,
            summary.tally.records_written,
            summary.tally.unscored,
            summary.tally.kept_outcomes
        )
    );
    (written.bytes(), tally)
}

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_outputs_differ() {
    let test = "device_tests::on_gpu::mutants::wrong_outputs_differ";
    let Some(mutants) = mutants(test, include_str!("encoding.diff")) else {
        return;
    };
    let files: HashMap<&str, Vec<u8>> = [Format::Binpack, Format::Viriformat]
        .map(|format| (format.name(), file(format)))
        .into();
    let mut right = HashMap::new();
    for mutant in mutants {
        // A device of its own: the mutant may take it.
        let gpu: Arc<dyn Backend> = Arc::new(gpu::open(&gpu::with(|of| {
            of.replaced = vec![(encoder(), mutant.of(&encoder()))];
        })));
        let (way, rule) = mutant
            .shown_by
            .split_once(": ")
            .unwrap_or((mutant.shown_by, ""));
        let &(_, format, mode) = WAYS.iter().find(|found| found.0 == way).unwrap();
        // Each filter compiles the shader anew: one with the rule that shows the mutant comes first.
        let mut all = if way.starts_with("rules") {
            RULES.to_vec()
        } else {
            RULES[..1].to_vec()
        };
        all.sort_by_key(|rules| !rules.contains(rule));
        let file = &files[format.name()];
        let shown = all.iter().position(|rules| {
            let here = right
                .entry((format.name(), mode == Mode::Mark, *rules))
                .or_insert_with(|| run(file, format, mode, rules, None));
            run(file, format, mode, rules, Some(Arc::clone(&gpu))) != *here
        });
        let nth = shown.unwrap_or_else(|| panic!("{mutant} is not found out"));
        eprintln!("{mutant}: found by filter {}, {}", nth + 1, all[nth]);
    }
}

#[test]
fn the_encoder_itself_has_no_differences() {
    let gpu: Arc<dyn Backend> = Arc::new(gpu::open(&gpu::patient()));
    for (_, format, mode) in WAYS {
        let file = file(format);
        for rules in RULES {
            let here = run(&file, format, mode, rules, None);
            let there = run(&file, format, mode, rules, Some(Arc::clone(&gpu)));
            assert!(there == here, "{format:?} {rules}");
        }
    }
}

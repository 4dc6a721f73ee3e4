//! Scores that are brought into another unit.

use std::io::Cursor;

use swaplist::Evaluator;
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::{Format, Record, Scale};
use swaplist_files::jobs::{Input, Job, Mode, Options, Summary};

use crate::games;
use crate::written::Written;

fn scale(factor: &str) -> Scale {
    factor.parse().unwrap()
}

fn job<'a>(file: &[u8], options: Options, written: &Written) -> Job<'a> {
    let input = Input::reader("in", Cursor::new(file.to_vec())).unwrap();
    Job::new(input, options)
        .unwrap()
        .write_into("out", written.clone())
}

fn converted(file: &[u8], options: Options) -> (Vec<u8>, Summary) {
    let written = Written::default();
    let summary = job(file, options, &written).convert().unwrap();
    (written.bytes(), summary)
}

fn filtered(file: &[u8], filter: &Filter, options: Options) -> (Vec<u8>, Summary) {
    let written = Written::default();
    let summary = job(file, options, &written)
        .filter(filter, &Evaluator::cpu())
        .unwrap();
    (written.bytes(), summary)
}

fn records(format: Format, file: &[u8]) -> Vec<Record> {
    format.records(file).map(Result::unwrap).collect()
}

fn all() -> Filter {
    Preset::None.filter()
}

/// Lines of text with a score of White, who moves in every second one.
fn lines(scores: &[i32]) -> String {
    let line = |(i, score): (usize, &i32)| {
        let turn = if i % 2 == 0 { 'w' } else { 'b' };
        format!("4k3/8/8/8/8/8/8/4K2R {turn} - - 0 1 | {score} | 0.5\n")
    };
    scores.iter().enumerate().map(line).collect()
}

fn scores_of(text: &[u8]) -> Vec<i32> {
    let text = core::str::from_utf8(text).unwrap();
    let score = |line: &str| line.split('|').nth(1).unwrap().trim().parse().unwrap();
    text.lines().map(score).collect()
}

fn scaled(scores: &[i32], factor: &str) -> (Vec<i32>, u64) {
    let options = Options {
        from: Some(Format::Text),
        to: Some(Format::Text),
        scale: Some(scale(factor)),
        ..Options::default()
    };
    let (bytes, summary) = converted(lines(scores).as_bytes(), options);
    let clipped = summary.tally.clipped_scores;
    assert_eq!(summary.table().json["clipped_scores"], clipped);
    (scores_of(&bytes), clipped)
}

#[test]
fn products_are_rounded_alike_for_both_sides() {
    let scores = [100, 100, -100, -100, 3, 3, -3, -3, 0, 0];
    let halves = [50, 50, -50, -50, 2, 2, -2, -2, 0, 0];
    assert_eq!(scaled(&scores, "0.5"), (halves.to_vec(), 0));
    let pawns = [378, 378, -378, -378, 11, 11, -11, -11, 0, 0];
    assert_eq!(scaled(&scores, "3.78"), (pawns.to_vec(), 0));
}

/// In minimised data 0 is no score.
#[test]
fn only_0_becomes_0() {
    let scores = [1, -1, -4, 5, 0, 0];
    assert_eq!(scaled(&scores, "0.1"), (vec![1, -1, -1, 1, 0, 0], 0));
    assert_eq!(scaled(&scores, "0.001"), (vec![1, -1, -1, 1, 0, 0], 0));
}

#[test]
fn products_are_clipped_below_mates_and_mates_stay() {
    let scores = [15_499, 15_500, -15_500, 30_999, 30_998, -30_999];
    let twice = [30_998, 30_999, -30_999, 30_999, 30_999, -30_999];
    assert_eq!(scaled(&scores, "2"), (twice.to_vec(), 5));
    assert_eq!(scaled(&scores, "1"), (scores.to_vec(), 0));
    let mates = [31_000, 31_000, -31_000, 31_999, 32_000, -32_000, 32_767];
    assert_eq!(scaled(&mates, "2"), (mates.to_vec(), 0));
    assert_eq!(scaled(&mates, "0.1"), (mates.to_vec(), 0));
    // Above 16 bits is no mate, as text may have it.
    assert_eq!(
        scaled(&[100_000, -32_768], "0.1"),
        (vec![10_000, -3_277], 0)
    );
    assert_eq!(
        scaled(&[2_000_000_000, 9], "1000"),
        (vec![30_999, 9_000], 1)
    );
}

#[test]
fn factors_that_are_none() {
    for text in ["0", "-1", "nan", "inf", "0.0009", "1001", "x", ""] {
        let error = text.parse::<Scale>().unwrap_err().to_string();
        let expected = "is not a factor, expected a number from 0.001 to 1000 such as 0.5";
        assert_eq!(error, format!("'{text}' {expected}"));
    }
    assert!(Scale::new(f64::NAN).is_none());
}

/// Fails unless the records of two files differ in nothing but their scores, of which the first
/// file has half.
fn assert_halved(format: Format, halved: &[u8], plain: &[u8]) {
    let theirs = records(format, plain);
    let ours = records(format, halved);
    assert_eq!(ours.len(), theirs.len());
    let without_score = |record: &Record| {
        let Record { fields, .. } = *record;
        let told = (fields.played(), fields.outcome(), fields.ply());
        (record.to_string(), told)
    };
    let mut changed = 0;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let half = f64::from(theirs.fields.score().unwrap()) / 2.0;
        assert_eq!(ours.fields.score(), Some(half.round() as i32));
        assert_eq!(without_score(ours), without_score(theirs));
        changed += usize::from(ours.fields.score() != theirs.fields.score());
    }
    assert!(changed > 100);
}

#[test]
fn only_scores_change() {
    for from in [
        Format::Binpack,
        Format::Viriformat,
        Format::Plain,
        Format::Sfbin,
    ] {
        let file = games(from);
        for to in [from, Format::Binpack, Format::Bulletformat, Format::Text] {
            let options = Options {
                from: Some(from),
                to: Some(to),
                ..Options::default()
            };
            let (plain, of_plain) = converted(&file, options.clone());
            let halved = Options {
                scale: Some(scale("0.5")),
                ..options
            };
            let (bytes, summary) = converted(&file, halved.clone());
            let written = summary.tally.records_written;
            assert_eq!(written, of_plain.tally.records_written);
            assert_halved(to, &bytes, &plain);
            assert_halved(to, &filtered(&file, &all(), halved).0, &plain);
        }
    }
}

/// A filter in the format itself, whose records it otherwise copies.
#[test]
fn rules_see_the_product() {
    let file = games(Format::Binpack);
    let few = Settings {
        preset: Some(Preset::None),
        max_score: Some(Some(50)),
        ..Settings::default()
    };
    let of_half = Settings {
        max_score: Some(Some(101)),
        ..few.clone()
    };
    let options = |factor: &str, mode| Options {
        from: Some(Format::Binpack),
        mode: Some(mode),
        scale: (!factor.is_empty()).then(|| scale(factor)),
        ..Options::default()
    };
    let few = few.filter().unwrap();
    let of_half = of_half.filter().unwrap();
    for mode in [Mode::Drop, Mode::Mark] {
        let (bytes, summary) = filtered(&file, &few, options("0.4999", mode));
        let plain = filtered(&file, &of_half, options("", mode)).1;
        assert!(summary.tally.kept > 0 && summary.tally.kept < summary.tally.records);
        // Half of 101 is 50.49.
        assert_eq!(summary.tally.kept, plain.tally.kept);
        let written = records(Format::Binpack, &bytes);
        assert_eq!(written.len() as u64, summary.tally.records_written);
        let unscored = written
            .iter()
            .filter(|record| record.fields.is_unscored())
            .count();
        assert_eq!(
            unscored as u64,
            summary.tally.records_written - summary.tally.kept
        );
    }
}

#[test]
fn what_has_no_score_or_cannot_be_written_anew_is_refused() {
    let to_itself = |from| Options {
        from: Some(from),
        to: Some(from),
        scale: Some(scale("2")),
        ..Options::default()
    };
    let csv = b"fen\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n";
    let jsonl = br#"{"fen":"4k3/8/8/8/8/8/8/4K3 w - -","evals":[]}"#;
    for (from, file, message) in [
        (Format::Csv, &csv[..], "csv holds no score"),
        (
            Format::Jsonl,
            &jsonl[..],
            "records of jsonl can only be copied",
        ),
    ] {
        let written = Written::default();
        let error = job(file, to_itself(from), &written).convert().unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        let filter = job(file, to_itself(from), &written).filter(&all(), &Evaluator::cpu());
        assert!(filter.unwrap_err().to_string().contains(message));
    }
}

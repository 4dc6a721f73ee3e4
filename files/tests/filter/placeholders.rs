//! Scores of 0 that are none: those of minimised data, and those that nnue-pytorch's loader guesses.

use swaplist::{Choice, Position};
use swaplist_files::filter::{Filter, Preset, Reason, Settings};
use swaplist_files::formats::{Format, Outcome, Place, RecordFields};

use crate::common::boards::Random;
use crate::common::coded;
use crate::common::data;
use crate::common::games::{Sample, encoded};
use crate::{CASTLING, CHECK, EN_PASSANT, LOSING, PROMOTION, QUIET, change, reason, record, rules};

fn scored(fen: &str, played: &str, score: i32) -> (Position, RecordFields) {
    let (position, record) = record(fen, played);
    (position, record.with_score(Some(score)))
}

#[test]
fn a_placeholder_is_0_at_a_capture_or_a_check() {
    let filter = rules("keep_placeholders=false");
    assert_eq!(filter.needs().next(), None);
    for (fen, played, is_placeholder) in [
        (LOSING, "d1d5", true),
        (EN_PASSANT, "e5d6", true),
        (CHECK, "e1e2", true),
        (PROMOTION, "a7b8q", true),
        (QUIET, "e2e4", false),
        (EN_PASSANT, "e5e6", false),
        (PROMOTION, "a7a8q", false),
        (CASTLING, "e1g1", false),
    ] {
        let expected = is_placeholder.then_some("placeholder");
        let zero = scored(fen, played, 0);
        assert_eq!(reason(&filter, &zero), expected, "{fen} {played}");
        for score in [1, -1, 32_002] {
            assert_eq!(reason(&filter, &scored(fen, played, score)), None);
        }
        let (position, fields) = zero;
        let unscored = (position, fields.with_score(None));
        assert_eq!(reason(&filter, &unscored), None);
        // Without a played move nobody can have minimised the data, not even in check.
        let unplayed = (position, fields.with_played(None));
        assert_eq!(reason(&filter, &unplayed), None);
        assert_eq!(reason(&rules("max_see=9000"), &zero), None);
        let kept = change(&filter, "keep_placeholders=true");
        assert_eq!(reason(&kept, &zero), None);
    }
}

#[test]
fn the_presets_of_quiet_positions_drop_placeholders() {
    let losing = scored(LOSING, "d1d5", 0);
    for (preset, expected) in [
        (Preset::Quiet, Some("placeholder")),
        (Preset::Calm, Some("placeholder")),
        (Preset::Still, Some("placeholder")),
        (Preset::PlayedCalm, Some("played_capture")),
        (Preset::SeeGe0, Some("played_see_ge0")),
        (Preset::Bullet, Some("played_capture")),
        (Preset::Viriformat, Some("played_capture")),
        (Preset::NnuePytorch, Some("played_capture")),
        (Preset::None, None),
    ] {
        assert_eq!(reason(&preset.filter(), &losing), expected, "{preset}");
    }
    // Other rules come first.
    let quiet = Preset::Quiet.filter();
    assert_eq!(reason(&quiet, &scored(CHECK, "e1e2", 0)), Some("in_check"));
    let checks = change(&quiet, "keep_checks=true");
    assert_eq!(
        reason(&checks, &scored(CHECK, "e1e2", 0)),
        Some("placeholder")
    );
    let both = change(&quiet, "keep_placeholders=true");
    assert_eq!(reason(&both, &losing), None);
    let inverted = change(&quiet, "invert=true");
    assert_eq!(reason(&inverted, &losing), None);
}

/// The reasons of records of one game, by score, for a result of White's.
fn of_game(scores: &[i32], outcome: Option<Outcome>) -> Vec<Option<&'static str>> {
    let (position, fields) = record(QUIET, "e2e4");
    let fields = fields.with_outcome(outcome);
    let of_score = |&score: &i32| fields.with_score((score != i32::MIN).then_some(score));
    let records: Vec<RecordFields> = scores.iter().map(of_score).collect();
    reasons(
        &rules("drop_decided_zeros=true"),
        &vec![position; scores.len()],
        &records,
    )
}

fn reasons(
    filter: &Filter,
    positions: &[Position],
    records: &[RecordFields],
) -> Vec<Option<&'static str>> {
    let exceeds = |positions: &[Position]| {
        let exceeds = |position| filter.see_rules().exceeds(position, filter.bounds());
        positions.iter().map(exceeds).collect()
    };
    let all = filter.judge_all(positions, records, exceeds).unwrap();
    all.into_iter()
        .map(|reason| reason.map(Reason::name))
        .collect()
}

#[test]
fn zeros_of_decided_games_are_those_after_a_score_far_from_0() {
    let won = Some(Outcome::White);
    let zero = Some("decided_zero");
    for (scores, outcome, expected) in [
        (&[20, 0][..], won, &[None, None][..]),
        (&[100, 0], won, &[None, None]),
        (&[101, 0], won, &[None, zero]),
        (&[-101, 0], Some(Outcome::Black), &[None, zero]),
        (&[101, 0], Some(Outcome::Draw), &[None, None]),
        (&[101, 0], None, &[None, None]),
        (&[0, 0], won, &[None, None]),
        // A zero that is skipped does not count, and neither does no score.
        (&[130, 0, 0, 0], won, &[None, zero, zero, zero]),
        (
            &[130, 32_002, -32_002, i32::MIN, 0],
            won,
            &[None, None, None, None, zero],
        ),
        (&[130, 40, 0, 130, 0], won, &[None, None, None, None, zero]),
        (&[32_002, 0], won, &[None, None]),
    ] {
        assert_eq!(of_game(scores, outcome), expected, "{scores:?} {outcome:?}");
    }
}

#[test]
fn zeros_of_decided_games_begin_anew_with_each_game() {
    let (position, fields) = record(QUIET, "e2e4");
    // Games are told by their bytes; a position of a game may have a place of its own.
    let in_game = |game: u32, score: i32| {
        RecordFields::new(Place::Offset(score.unsigned_abs().into()), game..game + 1)
            .with_played(fields.played())
            .with_outcome(Some(Outcome::White))
            .with_score(Some(score))
    };
    let records = [
        in_game(1, 500),
        in_game(1, 0),
        in_game(2, 0),
        in_game(2, 500),
        in_game(2, 0),
    ];
    let zero = Some("decided_zero");
    let filter = rules("drop_decided_zeros=true");
    let found = reasons(&filter, &[position; 5], &records);
    assert_eq!(found, [None, zero, None, None, zero]);
    // Records that another rule drops count, too.
    let filter = rules("drop_decided_zeros=true max_score=400");
    let found = reasons(&filter, &[position; 5], &records);
    let score = Some("score");
    assert_eq!(found, [score, zero, None, score, zero]);
    // The preset has it, and a record alone is the first of its game.
    let preset = Preset::NnuePytorch.filter();
    let found = reasons(&preset, &[position; 5], &records);
    assert_eq!(found, [None, zero, None, None, zero]);
    let alone = preset.judge(&position, &records[1]).unwrap();
    assert_eq!(alone, None);
}

/// What a filter of these settings keeps of a file, and how many records it drops for a reason.
fn filtered(format: Format, file: &[u8], settings: &Settings, why: &str) -> [u64; 3] {
    of_file(format, file, settings, why).unwrap()
}

/// The same, or the error.
pub fn of_file(
    format: Format,
    file: &[u8],
    settings: &Settings,
    why: &str,
) -> Result<[u64; 3], String> {
    use std::io::Cursor;
    use swaplist::Evaluator;
    use swaplist_files::jobs::{Input, Job, Options};
    let input = Input::reader("file", Cursor::new(file.to_vec())).unwrap();
    let options = Options {
        from: Some(format),
        ..Options::default()
    };
    let job = Job::new(input, options).unwrap();
    let job = job.write_into("memory", std::io::sink());
    let filter = settings.filter().unwrap();
    let summary = job.filter(&filter, &Evaluator::cpu());
    let tally = summary.map_err(|error| error.to_string())?.tally;
    let dropped = Reason::ALL.iter().zip(tally.dropped);
    let of_reason = dropped.filter(|(reason, _)| reason.name() == why);
    let scored = tally.kept - tally.unscored;
    let of_reason = of_reason.map(|(_, count)| count).sum();
    Ok([tally.kept, scored, of_reason])
}

/// The same by the records of games, one by one.
fn placeholders_kept_by_quiet(games: &[Vec<Sample>]) -> u64 {
    use shakmaty::Position as _;
    let quiet = change(&Preset::Quiet.filter(), "keep_placeholders=true");
    let is_kept = |sample: &&Sample| {
        let position = sample.position();
        let fields = RecordFields::new(Place::Line(1), 0..1);
        quiet.judge(&position, &fields).unwrap().is_none()
    };
    let samples = games.iter().flatten().filter(is_kept);
    let is_zero = |sample: &&Sample| sample.score == 0 && sample.played.is_capture();
    samples
        .filter(is_zero)
        .inspect(|sample| assert!(!sample.chess.is_check()))
        .count() as u64
}

#[test]
fn quiet_loses_the_placeholders_of_minimised_games() {
    let keeping = Settings {
        keep_placeholders: Some(true),
        ..Settings::default()
    };
    for format in [
        Format::Binpack,
        Format::Viriformat,
        Format::Plain,
        Format::Sfbin,
    ] {
        let games = coded::minimised_games(format, &mut Random(3), 90);
        let file = encoded(format, &games);
        let [all, _, none] = filtered(format, &file, &keeping, "placeholder");
        let [left, _, dropped] = filtered(format, &file, &Settings::default(), "placeholder");
        assert_eq!([none, all - left], [0, dropped], "{format:?}");
        assert_eq!(dropped, placeholders_kept_by_quiet(&games), "{format:?}");
        assert!(dropped > 10, "{format:?}: {dropped}");
    }
}

/// 76,706 of the 76,944 played captures of these records have the score 0: all that take the piece
/// on their target square. Of 238 en-passant captures 8 have.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_quiet_loses_the_placeholders_of_a_minimised_binpack() {
    let bytes = data::bytes("formats/sf_small.binpack");
    let keeping = Settings {
        keep_placeholders: Some(true),
        ..Settings::default()
    };
    let [_, scored, _] = filtered(Format::Binpack, &bytes, &keeping, "placeholder");
    assert_eq!(scored, 305_179);
    // Two of them take en passant.
    let quiet = Settings::default();
    let [_, left, dropped] = filtered(Format::Binpack, &bytes, &quiet, "placeholder");
    assert_eq!([dropped, left], [20_171 + 2, 305_179 - 20_171 - 2]);
    let decided = Settings {
        preset: Some(Preset::None),
        drop_decided_zeros: Some(true),
        ..Settings::default()
    };
    // The loader of nnue-pytorch skips 47,091: it also looks at the end of the chain before.
    let [_, _, zeros] = filtered(Format::Binpack, &bytes, &decided, "decided_zero");
    assert_eq!(zeros, 47_090);
}

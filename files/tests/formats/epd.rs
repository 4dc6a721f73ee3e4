//! EPD as test suites have it: what is not needed is passed over, what is needed is named.

use std::fmt::Write as _;

use swaplist::{Choice, Evaluator, Rules};
use swaplist_files::filter::Preset;
use swaplist_files::formats::{DecodedPart, Field, Format, Required};
use swaplist_files::jobs::{Input, Job, Moves, Options, Rows, Summary};

const FEN: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - -";

/// Suites whose lines have unknown operations, or odd forms.
const SUITES: [&str; 10] = [
    // Mates to be found, with the time that it took.
    "FEN bm #1; ep; 00:00;\n",
    "FEN 00:00;\n",
    "FEN \"a comment; or two\"; bm #1;\n",
    "FEN bm #-12; Ac 3; 12:05:59; \"a note\"; 5%\n",
    // Counts of moves.
    "FEN 0 1 ;D1 20 ;D2 400 ;D3 8902\n",
    "FEN 0 1; D1 20; D10 69352859712417;\n",
    "FEN;D1 6;D2 24\n",
    // Of a cloud's database.
    "FEN ; cdb eval: 95, ply: 3;\n",
    "FEN cdb eval: 95;\n",
    "FEN bm e4d5; id \"WAC.001; a\"; c0 \"x\"; acd 12; pv e4d5 Kd7; am Ke2; noop;\n",
];

type Ran = Result<Summary, swaplist_files::jobs::Error>;

fn job(text: &str) -> Job<'static> {
    let input = Input::reader("suite", std::io::Cursor::new(text.to_owned())).unwrap();
    Job::new(input, Options::default()).unwrap()
}

fn filter(text: &str, preset: Preset) -> Ran {
    job(text).filter(&preset.filter(), &Evaluator::cpu())
}

fn score(text: &str) -> Ran {
    job(text).score(Moves::Noisy, Rows::Tsv, &Rules::SWAP, &Evaluator::cpu())
}

#[test]
fn suites_are_read_by_all_jobs() {
    let text: String = SUITES
        .map(|line| line.replace("FEN", FEN))
        .concat()
        .repeat(500);
    let lines = text.lines().count() as u64;
    let cpu = Evaluator::cpu();
    for ran in [
        filter(&text, Preset::Quiet),
        job(&text).count(&Rules::SWAP, &cpu),
        job(&text).verdict(Rows::Tsv, &Rules::SWAP, &cpu),
        job(&text).validate(),
        score(&text),
    ] {
        let tally = ran.unwrap().tally;
        assert_eq!((tally.records, tally.invalid, tally.unread), (lines, 0, 0));
    }
    // Their operations are no played moves and no results.
    let plain = Options {
        to: Some(Format::Plain),
        skip_invalid: true,
        ..Options::default()
    };
    let input = Input::reader("suite", std::io::Cursor::new(text)).unwrap();
    let converted = Job::new(input, plain).unwrap().convert().unwrap();
    assert_eq!(converted.tally.records + converted.tally.invalid, lines);
}

#[test]
fn an_operation_that_cannot_be_read_is_named_where_it_is_needed() {
    for (operation, field, reason) in [
        ("ce +M5;", Field::Score, "'+M5' is not a score"),
        ("sm Ke5;", Field::Played, "illegal move 'Ke5'"),
        ("sm Kxx;", Field::Played, "'Kxx' is not a move"),
        ("[0.7]", Field::Result, "'0.7' is not a result"),
        ("hmvc many;", Field::Clocks, "'many' is not a number"),
        ("fmvn -3;", Field::Clocks, "'-3' is not a number"),
    ] {
        let text = format!("{FEN} bm e4d5;\n{FEN} bm e4d5; {operation} id \"a\";\n");
        let (mut reader, plain_codec) = Format::Text.open(text.as_bytes(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = DecodedPart::default();
        let others = Field::ALL.iter().copied().filter(|other| *other != field);
        let needs_others = plain_codec.requiring(Required::MOVES.and(others));
        needs_others.decode(&block, &mut decoded);
        assert_eq!(
            (decoded.records.len(), &*decoded.invalid),
            (2, &[][..]),
            "{operation}"
        );
        let needs_field = needs_others.requiring(Required::NOTHING.and([field]));
        needs_field.decode(&block, &mut decoded);
        assert_eq!((decoded.records.len(), decoded.invalid.len()), (1, 1));
        let error = decoded.invalid[0].to_string();
        assert!(error.starts_with(&format!("line 2: {reason}")), "{error}");
        // Whoever does not say otherwise requires all.
        let errors = Format::Text
            .records(text.as_bytes())
            .filter_map(Result::err);
        assert_eq!(errors.count(), 1);
    }
}

#[test]
fn jobs_name_what_they_need_and_count_what_they_pass_over() {
    let first = format!("{FEN} 0 30 sm Kd2; ce 5; c9 \"1-0\";");
    let text = format!("{first}\n{FEN} 0 30 ce +M5; sm Ke5; c9 \"1-0\";\n");
    let quiet = filter(&text, Preset::Quiet).unwrap();
    assert_eq!((quiet.tally.records, quiet.tally.unread), (2, 2));
    let shown = quiet.table().to_string();
    assert!(
        shown.contains("2 not needed and passed over, such as line 2: '+M5'"),
        "{shown}"
    );
    let bullet = filter(&text, Preset::NnuePytorch).unwrap_err().to_string();
    assert!(bullet.contains("line 2: '+M5' is not a score"), "{bullet}");
    for (to, reason) in [
        (Format::Plain, "'+M5' is not a score"),
        (Format::Bulletformat, "'+M5' is not a score"),
        (Format::Viriformat, "'+M5' is not a score"),
    ] {
        let input = Input::reader("suite", std::io::Cursor::new(text.clone())).unwrap();
        let options = Options {
            to: Some(to),
            ..Options::default()
        };
        let error = Job::new(input, options)
            .unwrap()
            .convert()
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
    let faults = job(&text).validate().unwrap();
    assert!(!faults.is_sound());
    assert!(faults.table().to_string().contains("'+M5' is not a score"));
}

#[test]
fn what_is_passed_over_counts_beside_records_that_cannot_be_written() {
    // Bulletformat needs a score and a result, and has no moves.
    let sound = format!("{FEN} 0 30 sm Kxx; ce 5; c9 \"1-0\";\n");
    let unscored = format!("{FEN} 0 30 sm Ke5; c9 \"1-0\";\n");
    let text = [&*sound, &unscored, &sound].concat();
    let input = Input::reader("suite", std::io::Cursor::new(text)).unwrap();
    let options = Options {
        to: Some(Format::Bulletformat),
        skip_invalid: true,
        ..Options::default()
    };
    let summary = Job::new(input, options).unwrap().convert().unwrap();
    assert_eq!((summary.tally.records, summary.tally.invalid), (2, 1));
    assert_eq!(summary.tally.unread, 2);
    assert!(summary.table().to_string().contains("line 1: 'Kxx'"));
}

#[test]
fn moves_after_the_fen_are_needed_for_scores_only() {
    let unneeded = format!("{FEN};exd5\n{FEN};exf5 exd5\n{FEN};e4e6\n{FEN};hello\n");
    assert_eq!(filter(&unneeded, Preset::Quiet).unwrap().tally.records, 4);
    for line in ["exf5 exd5", "hello", "D", "D1x 20", "d1 20", "+5", "00:00"] {
        let error = score(&format!("{FEN};exd5\n{FEN};{line}\n"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 2: "), "{error}");
    }
    // What is named must not move to another line when one is left out.
    let text = format!("{FEN};hello\n{FEN}\n{FEN};exd5\n{FEN};oops\n{FEN};Ke2 Kd2\n");
    let (mut reader, codec) = Format::Text.open(text.as_bytes(), 1 << 20);
    let block = reader.next_block().unwrap().unwrap();
    let mut decoded = DecodedPart::default();
    codec.decode(&block, &mut decoded);
    assert_eq!((decoded.records.len(), decoded.invalid.len()), (3, 2));
    let named = [0, 1, 2].map(|record| decoded.named_moves(record).map_or(0, <[_]>::len));
    assert_eq!(named, [0, 1, 2]);
}

/// The clocks of a line, as they are written.
fn clocks(line: &str) -> (String, Option<u32>) {
    let record = Format::Text
        .records(line.as_bytes())
        .next()
        .unwrap()
        .unwrap();
    let fen = record.to_string();
    let words: Vec<&str> = fen.split(' ').skip(4).collect();
    (words.join(" "), record.fields.ply())
}

#[test]
fn clocks_are_read_from_operations() {
    let black = "rnb2rk1/pp2nppp/4p3/q1ppP3/3P2Q1/P1P5/2PB1PPP/R3KBNR b KQ -";
    for (line, expected, ply) in [
        (format!("{FEN} hmvc 5; fmvn 9;"), "5 9", Some(16)),
        (
            format!("{FEN} bm e4d5; fmvn 9; hmvc 5; id \"x\";"),
            "5 9",
            Some(16),
        ),
        (format!("{FEN}; hmvc 5; fmvn 9;"), "5 9", Some(16)),
        (format!("{black} hmvc 0; fmvn 9;"), "0 9", Some(17)),
        (format!("{FEN} hmvc 5;"), "5 1", None),
        (format!("{FEN} fmvn 9;"), "0 9", Some(16)),
        // Those of the FEN itself.
        (format!("{FEN} 5 9 hmvc 5; fmvn 9;"), "5 9", Some(16)),
        (format!("{FEN} 5 fmvn 9;"), "5 9", Some(16)),
        (format!("{FEN} 7 9 bm e4d5;"), "7 9", Some(16)),
    ] {
        assert_eq!(clocks(&line), (expected.to_owned(), ply), "{line}");
    }
    let error = Format::Text
        .records(format!("{FEN} 0 1 hmvc 5; fmvn 9;").as_bytes())
        .next()
        .unwrap()
        .unwrap_err();
    let reason = "hmvc 5 contradicts the half-move clock of the FEN, 0";
    assert!(error.to_string().contains(reason), "{error}");
    // The board, its rights and the move stay, in many lines of one block.
    let mut text = String::new();
    for number in 1..200 {
        writeln!(text, "{black} hmvc {number}; fmvn {}; sm Rd8;", number + 1).unwrap();
        writeln!(text, "{black}").unwrap();
    }
    let records: Vec<_> = Format::Text
        .records(text.as_bytes())
        .map(Result::unwrap)
        .collect();
    for (i, pair) in records.chunks(2).enumerate() {
        let given = format!("{black} {} {}", i + 1, i + 2);
        assert_eq!(pair[0].to_string(), given);
        assert_eq!(pair[0].fields.played().unwrap().to_string(), "f8d8");
        assert_eq!(pair[1].to_string(), format!("{black} 0 1"));
    }
}

#[test]
fn what_may_be_a_score_or_a_result_is_not_passed_over() {
    for line in [
        "| +M5 | 1.0",
        "bm e4d5; | 30 | 1.0",
        "17 23",
        "00:0x;",
        "00:00",
        "5;",
        "-5",
        "[1.0",
    ] {
        let text = format!("{FEN} 0 1 {line}\n");
        assert!(filter(&text, Preset::Quiet).is_err(), "{line}");
    }
}

//! Counts for training: proved against another computation, and the estimate of duplicates against
//! its stated error.

#![allow(clippy::cast_precision_loss)]

use std::collections::HashSet;

use serde_json::{Value, json};
use shakmaty::{Color, Role};
use swaplist::{Evaluator, Rules};
use swaplist_files::formats::{Format, Outcome, Record, Writer};
use swaplist_files::jobs::{Bars, Buckets, Counts, Input, Job, Options, Part, Summary, Tally};

use crate::records::{encoded, sample, written_formats};

// The library keeps it to itself.
#[allow(dead_code)]
#[path = "../../src/jobs/distinct.rs"]
mod distinct;

use distinct::Sketch;

/// Hashes of different numbers: a bijection, whose bits are well mixed.
fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

fn sketch(hashes: impl IntoIterator<Item = u64>) -> Sketch {
    let mut sketch = Sketch::default();
    hashes.into_iter().for_each(|hash| sketch.add(hash));
    sketch
}

/// At most three times the stated error for every set, on average over the sets no more than stated,
/// and neither too high nor too low as a rule.
#[test]
fn an_estimate_is_within_its_stated_error() {
    let error = Sketch::standard_error();
    assert!((0.0040..0.0042).contains(&error), "{error}");
    for (count, sets) in [
        (1, 50),
        (10, 50),
        (1_000, 50),
        (100_000, 50),
        (1_000_000, 6),
    ] {
        let off: Vec<f64> = (0..sets)
            .map(|set: u64| {
                let numbers = (0..count).map(|number| number | set << 32);
                let estimate = sketch(numbers.map(hash)).estimate();
                estimate as f64 / count as f64 - 1.0
            })
            .collect();
        let most = off.iter().fold(0.0, |most: f64, off| most.max(off.abs()));
        assert!(most < 3.0 * error, "{count}: off by {most}");
        let square = off.iter().map(|off| off * off).sum::<f64>() / sets as f64;
        assert!(square.sqrt() < 1.3 * error, "{count}: {}", square.sqrt());
        let mean = off.iter().sum::<f64>() / sets as f64;
        assert!(
            mean.abs() < 3.5 * error / (sets as f64).sqrt(),
            "{count}: {mean}"
        );
    }
    // The comparison can fail: every hash twice as if it were two.
    let twice = sketch((0..100_000).flat_map(|n| [hash(n), !hash(n)])).estimate();
    assert!((twice as f64 / 100_000.0 - 1.0).abs() > 3.0 * error);
    assert_eq!(Sketch::default().estimate(), 0);
}

/// In any order, any number of times, and however they are divided.
#[test]
fn equal_sets_have_equal_sketches() {
    let hashes: Vec<u64> = (0..50_000).map(hash).collect();
    let whole = sketch(hashes.iter().copied());
    let again = sketch(hashes.iter().rev().chain(&hashes).copied());
    assert_eq!(json!(again), json!(whole));
    for parts in [2, 3, 7] {
        let mut sum = Sketch::default();
        for part in (0..parts).rev() {
            let of_part = hashes.iter().skip(part).step_by(parts);
            sum.add_all(&sketch(of_part.copied()));
            sum.add_all(&Sketch::default());
        }
        assert_eq!(json!(sum), json!(whole));
    }
    let estimate = whole.estimate();
    let mut settled = whole;
    settled.settle();
    assert_eq!(settled.estimate(), estimate);
    assert!(json!(settled).to_string().len() < 100);
}

fn count(format: Format, bytes: &[u8], options: Options) -> Summary {
    let input = Input::reader("in", std::io::Cursor::new(bytes.to_vec())).unwrap();
    let options = Options {
        from: Some(format),
        ..options
    };
    let job = Job::new(input, options).unwrap();
    job.count(&Rules::SWAP, &Evaluator::cpu()).unwrap()
}

fn with_data() -> Options {
    Options {
        data: true,
        ..Options::default()
    }
}

/// The counts, as their JSON without what is estimated, by shakmaty's boards and the text of FENs.
fn expected(records: &[Record], lengths: Option<(&str, Vec<usize>)>) -> Value {
    let mut plies = vec![0; 401];
    let mut kings = [vec![0; 64], vec![0; 64]];
    let mut buckets = [[0; 8]; 2];
    // By score: below -2000, then 50 wide, 0 by itself, and above 2000.
    let mut outcomes = vec![[0; 3]; 83];
    let [mut placeholders, mut scored_captures, mut zero_captures] = [0; 3];
    for record in records {
        let setup = record.position.to_setup();
        if let Some(ply) = record.fields.ply() {
            plies[if ply >= 400 { 400 } else { ply as usize }] += 1;
        }
        for (squares, side) in kings.iter_mut().zip([setup.turn, !setup.turn]) {
            let king = setup.board.king_of(side).unwrap();
            let seen = if side == Color::White {
                king
            } else {
                king.flip_vertical()
            };
            squares[seen as usize] += 1;
        }
        let pieces = setup.board.occupied().count();
        buckets[0][(pieces - 2) / 4] += 1;
        buckets[1][(pieces - 1) / 4] += 1;
        let score = record.fields.score().filter(|score| score.abs() != 32_002);
        let own_king = setup.board.king_of(setup.turn).unwrap();
        let occupied = setup.board.occupied();
        let checkers = setup.board.attacks_to(own_king, !setup.turn, occupied);
        let is_capture = takes(record);
        let may_be_none = record.fields.played().is_some() && (is_capture || checkers.any());
        placeholders += u64::from(may_be_none && score == Some(0));
        scored_captures += u64::from(is_capture && score.is_some());
        zero_captures += u64::from(is_capture && score == Some(0));
        if let (Some(score), Some(outcome)) = (score, record.fields.outcome()) {
            let band = match score {
                ..-2000 => 0,
                -2000..0 => 41 - (-score + 49) / 50,
                0 => 41,
                1..=2000 => 41 + (score + 49) / 50,
                _ => 82,
            };
            let for_white = match outcome {
                Outcome::White => 0,
                Outcome::Draw => 1,
                Outcome::Black => 2,
            };
            let for_mover = if setup.turn == Color::White {
                for_white
            } else {
                2 - for_white
            };
            outcomes[usize::try_from(band).unwrap()][for_mover] += 1;
        }
    }
    let counted = |lengths: &[usize]| {
        let mut counts = vec![0; 402];
        for &length in lengths {
            counts[if length > 400 { 401 } else { length }] += 1;
        }
        counts
    };
    let lengths = lengths.map(|(of, lengths)| {
        json!({
            "of": of,
            "shortest": lengths.iter().min(),
            "longest": lengths.iter().max(),
            "counts": counted(&lengths),
        })
    });
    let band = |band: i64| -> (Option<i64>, Option<i64>) {
        match band - 41 {
            -41 => (None, Some(-2001)),
            below @ ..0 => (Some(50 * below), Some(50 * below + 49)),
            0 => (Some(0), Some(0)),
            41 => (Some(2001), None),
            above => (Some(50 * above - 49), Some(50 * above)),
        }
    };
    let result = |(number, [won, drawn, lost]): (i64, &[u64; 3])| {
        let (from, to) = band(number);
        json!({ "from": from, "to": to, "won": won, "drawn": drawn, "lost": lost })
    };
    let results: Vec<Value> = (0..).zip(&outcomes).map(result).collect();
    let [own, other] = kings;
    let [bullet, nnue_pytorch] = buckets;
    json!({
        "plies": plies,
        "kings": own,
        "other_kings": other,
        "output_buckets": { "bullet": bullet, "nnue-pytorch": nnue_pytorch },
        "results_by_score": results,
        "placeholders": {
            "positions": placeholders,
            "scored_captures": scored_captures,
            "captures_with_score_0": zero_captures,
            // The sample is not, except for some of its zeros.
            "is_minimised": false,
        },
        // All its games are of standard chess.
        "chess960": 0,
        "lengths": lengths,
    })
}

/// The lengths of viriformat's games, by their bytes: a board of 32, then 4 a move up to four zeros.
fn viriformat_lengths(mut bytes: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while !bytes.is_empty() {
        let moves = bytes[32..].chunks(4);
        let length = moves.take_while(|move_| **move_ != [0; 4]).count();
        bytes = &bytes[32 + 4 * (length + 1)..];
        lengths.push(length);
    }
    lengths
}

/// How many different positions and placements there are, by their FENs.
fn distinct(format: Format, records: &[Record]) -> [usize; 2] {
    let fens = records.iter().map(Record::to_string);
    let fields = |fen: &str, count| fen.split(' ').take(count).collect::<Vec<_>>().join(" ");
    let both: Vec<[String; 2]> = fens
        .map(|fen| {
            // Bulletformat holds the pieces alone, seen by the side to move.
            let of_position = if format == Format::Bulletformat { 1 } else { 4 };
            [fields(&fen, of_position), fields(&fen, 1)]
        })
        .collect();
    [0, 1].map(|which| {
        let all: HashSet<&String> = both.iter().map(|fen| &fen[which]).collect();
        all.len()
    })
}

fn assert_near(estimate: &Value, exact: usize, all: usize, what: &str) {
    let distinct = estimate["distinct"].as_u64().unwrap();
    let off = distinct as f64 / exact as f64 - 1.0;
    assert!(off.abs() < 4.0 * Sketch::standard_error(), "{what}: {off}");
    let duplicates = estimate["duplicates"].as_u64().unwrap();
    assert_eq!(duplicates + distinct, all as u64, "{what}");
}

#[test]
fn counts_are_those_of_another_computation() {
    let mut all_records = sample();
    // No score, and scores at the ends of bands.
    for (record, score) in all_records.iter_mut().step_by(7).zip(
        [
            32_002, 1, 50, 51, -50, -51, 2000, 2001, -2000, -2001, 0, 30_000,
        ]
        .iter()
        .cycle(),
    ) {
        record.fields = record.fields.with_score(Some(*score));
    }
    for format in written_formats() {
        let without = !format.spec().skips_unscored && !format.spec().is_text;
        let scored = |record: &&Record| !without || !record.fields.is_unscored();
        let records: Vec<Record> = all_records.iter().filter(scored).copied().collect();
        let bytes = encoded(format, &records);
        let read: Vec<Record> = format.records(&bytes[..]).map(Result::unwrap).collect();
        assert_eq!(read.len(), records.len());
        let lengths = match format {
            Format::Viriformat => Some(("games", viriformat_lengths(&bytes))),
            // The sample's games come without a gap, so each is a chain.
            Format::Binpack => Some((
                "chains",
                viriformat_lengths(&encoded(Format::Viriformat, &records)),
            )),
            _ => None,
        };
        let expected = expected(&read, lengths);
        let mut first = None;
        for threads in [1, 2, 5] {
            let options = Options {
                threads: Some(threads),
                ..with_data()
            };
            let summary = count(format, &bytes, options);
            let mut found = summary.table().json["data"].take();
            let json = found.to_string();
            assert_eq!(*first.get_or_insert_with(|| json.clone()), json);
            let duplicates = found.as_object_mut().unwrap().remove("duplicates").unwrap();
            for (key, value) in expected.as_object().unwrap() {
                assert_eq!(found[key], *value, "{format:?}: {key}");
            }
            assert_eq!(found, expected, "{format:?}");
            let [positions, placements] = distinct(format, &read);
            let near = |key: &str, exact| assert_near(&duplicates[key], exact, read.len(), key);
            near("positions", positions);
            near("placements", placements);
            assert_eq!(duplicates["compares_unlike_formats"], false);
        }
    }
}

/// The same records twice, or in two files, are no more positions.
/// The summary of several files.
fn sum(files: Vec<Summary>) -> Summary {
    let mut sum = None;
    for file in files {
        file.add_to(&mut sum);
    }
    sum.unwrap()
}

#[test]
fn duplicates_of_several_files() {
    let records = sample();
    let (head, tail) = records.split_at(5_000);
    let one =
        |records: &[Record]| count(Format::Sfbin, &encoded(Format::Sfbin, records), with_data());
    let data = |summary: &Summary| {
        summary.tally.counts.clone().unwrap()[0]
            .data
            .clone()
            .unwrap()
    };
    let whole = data(&one(&records));
    let files = vec![one(head), one(tail), one(&records)];
    let seconds: f64 = files.iter().map(|file| file.elapsed.as_secs_f64()).sum();
    let all = sum(files);
    assert!((all.elapsed.as_secs_f64() - seconds).abs() < 1e-6);
    let of_all = data(&all);
    assert_eq!(of_all.distinct_positions(), whole.distinct_positions());
    let placements = |summary: &Summary| {
        summary.table().json["data"]["duplicates"]["placements"]["distinct"].clone()
    };
    assert!(placements(&all).as_u64().unwrap() > 0);
    assert_eq!(placements(&all), placements(&one(&records)));
    assert_eq!(of_all.plies.iter().sum::<u64>(), 2 * records.len() as u64);
    let json = all.table().json;
    assert_eq!(json["files"].as_array().unwrap().len(), 3);
    let [exact, _] = distinct(Format::Sfbin, &records);
    let counted = &json["data"]["duplicates"]["positions"];
    assert_near(counted, exact, 2 * records.len(), "twice");
    assert!(
        all.table().to_string().contains("duplicates  about 5"),
        "{}",
        all.table().to_string()
    );

    // A format that turns boards around sees other positions.
    let turned = count(
        Format::Bulletformat,
        &encoded(Format::Bulletformat, &records),
        with_data(),
    );
    let mixed = sum(vec![one(&records), turned]);
    assert_eq!(
        mixed.table().json["data"]["duplicates"]["compares_unlike_formats"],
        true
    );
    assert!(
        mixed
            .table()
            .to_string()
            .contains("one position may count as two")
    );
}

/// Parts of a file, whose tallies are sent from process to process.
#[test]
fn data_of_a_file_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.viriformat");
    std::fs::write(&path, encoded(Format::Viriformat, &sample())).unwrap();
    let count = |input: Input| {
        let job = Job::new(input, with_data()).unwrap();
        job.count(&Rules::SWAP, &Evaluator::cpu()).unwrap()
    };
    let whole = count(Input::open(Some(&path)).unwrap());
    let mut sum = Tally::default();
    let parts = Part::cut(&path, None, 10_000).unwrap().unwrap();
    assert!(parts.len() > 2);
    for part in parts {
        let summary = count(Input::part(&path, &part).unwrap());
        let sent = serde_json::to_string(&summary.tally).unwrap();
        sum += serde_json::from_str::<Tally>(&sent).unwrap();
    }
    let data = |tally: &Tally| json!(tally.counts.as_ref().unwrap()[0].data);
    assert_eq!(data(&sum), data(&whole.tally));
}

/// The other counts are the same, and an empty file has none.
#[test]
fn only_if_asked_for() {
    let bytes = encoded(Format::Plain, &sample());
    let mut plain = count(Format::Plain, &bytes, Options::default())
        .table()
        .json;
    let mut data = count(Format::Plain, &bytes, with_data()).table().json;
    assert!(plain["data"].is_null());
    for json in [&mut plain, &mut data] {
        for key in ["data", "seconds"] {
            json.as_object_mut().unwrap().remove(key).unwrap();
        }
    }
    assert_eq!(plain, data);
    let empty = count(Format::Plain, b"", with_data());
    assert_eq!(
        empty.table().json["data"]["duplicates"]["positions"]["distinct"],
        0
    );
    assert!(
        empty
            .table()
            .to_string()
            .contains("duplicates  about 0.0 % of the positions")
    );
}

/// Games that are broken off count up to the fault.
#[test]
fn broken_games_are_games() {
    let mut bytes = encoded(Format::Viriformat, &sample());
    let [first, second, ..] = viriformat_lengths(&bytes)[..] else {
        panic!()
    };
    // An illegal move in the second game, a1 to h8.
    let at = 32 + 4 * (first + 1) + 32 + 4 * 10;
    bytes[at..at + 2].copy_from_slice(&(63_u16 << 6).to_le_bytes());
    let options = Options {
        skip_invalid: true,
        ..with_data()
    };
    let summary = count(Format::Viriformat, &bytes, options);
    let counts = &summary.tally.counts.as_ref().unwrap()[0];
    let data = counts.data.as_ref().unwrap();
    assert_eq!(data.lengths.iter().sum::<u64>(), counts.units);
    let all = data
        .lengths
        .iter()
        .zip(0..)
        .map(|(count, length)| count * length);
    assert_eq!(all.sum::<u64>(), counts.positions);
    assert_eq!(summary.tally.invalid, 1);
    let lost = sample().len() as u64 - counts.positions;
    assert!((1..=second as u64).contains(&lost), "{lost}");
}

/// The trainers' formulas: bullet's `MaterialCount<8>`, nnue-pytorch's `psqt_indices`.
#[test]
fn output_buckets() {
    let bars = |buckets, pieces: Vec<u64>| {
        let mut counts = Counts::default();
        counts.pieces = pieces;
        counts.bars(Bars::Buckets(buckets))
    };
    for pieces in 2..=32 {
        let one: Vec<u64> = (0..=32).map(|other| u64::from(other == pieces)).collect();
        let [bullet, nnue] = [Buckets::Bullet, Buckets::NnuePytorch].map(|buckets| {
            let bars = bars(buckets, one.clone());
            bars.iter().position(|(_, positions)| *positions == 1)
        });
        assert_eq!(bullet, Some((pieces - 2) / 4));
        assert_eq!(nnue, Some((pieces - 1) / 4));
    }
    let one_each: Vec<u64> = (0..=32).map(|pieces| u64::from(pieces >= 2)).collect();
    let of_bullet = bars(Buckets::Bullet, one_each.clone());
    assert_eq!(of_bullet[0], ("0: 2 .. 5 pieces".to_owned(), 4));
    assert_eq!(of_bullet[7], ("7: 30 .. 32 pieces".to_owned(), 3));
    let of_nnue = bars(Buckets::NnuePytorch, one_each);
    assert_eq!(of_nnue[0], ("0: 2 .. 4 pieces".to_owned(), 3));
    assert_eq!(of_nnue[7], ("7: 29 .. 32 pieces".to_owned(), 4));
}

/// Rows of the table of results: pairs of bands up to 1000, the rest together.
#[test]
fn rows_of_results() {
    let mut record = sample()[0];
    let mut file = Vec::new();
    let mut writer = Writer::new(Format::Sfbin).unwrap();
    for score in [
        -1001, -1000, -901, -900, -1, 0, 1, 100, 101, 1000, 1001, 32_000,
    ] {
        let fields = record.fields.with_score(Some(score));
        record.fields = fields.with_outcome(Some(Outcome::Draw));
        writer.push(&record, &mut file).unwrap();
    }
    writer.finish(&mut file);
    let summary = count(Format::Sfbin, &file, with_data());
    let data = summary.tally.counts.unwrap()[0].data.clone().unwrap();
    let bands = data.score_bands();
    assert_eq!(bands.len(), 23);
    let filled_bands = bands.iter().filter(|band| band.positions > 0);
    let rows: Vec<(&str, u64)> = filled_bands
        .map(|band| (band.name.as_str(), band.results[1]))
        .collect();
    assert_eq!(
        rows,
        [
            ("-1001 and below", 1),
            ("-1000 .. -901", 2),
            ("-900 .. -801", 1),
            ("-100 .. -1", 1),
            ("0", 1),
            ("1 .. 100", 2),
            ("101 .. 200", 1),
            ("901 .. 1000", 1),
            ("1001 and up", 2),
        ]
    );
    assert!((bands[11].expected - 0.5).abs() < 1e-9);
    assert_eq!(data.kings.iter().sum::<u64>(), 12);
}

/// Whether a record's move takes a piece of the other side, or is a pawn's to an empty square of
/// another file.
fn takes(record: &Record) -> bool {
    let Some(played) = record.fields.played() else {
        return false;
    };
    let board = record.position.to_setup().board;
    if let Some(color) = board.color_at(played.to()) {
        return color != record.position.turn();
    }
    let is_pawn = board.role_at(played.from()) == Some(Role::Pawn);
    is_pawn && played.from().file() != played.to().file()
}

/// The sample's records, with 0 as the score of this share of its captures, in percent.
fn minimised(percent: usize) -> Vec<Record> {
    let mut records = sample();
    let mut captures = 0;
    for record in &mut records {
        let is_capture = takes(record);
        let fields = record.fields;
        if !is_capture {
            record.fields = fields.with_score(Some(fields.score().unwrap() | 1));
            continue;
        }
        let is_zero = captures % 100 < percent;
        record.fields = fields.with_score(Some(if is_zero { 0 } else { 9 }));
        captures += 1;
    }
    assert!(captures > 1_000);
    records
}

#[test]
fn minimised_data_are_told() {
    let text = |records: &[Record]| {
        let summary = count(Format::Sfbin, &encoded(Format::Sfbin, records), with_data());
        let json = summary.table().json["data"]["placeholders"].take();
        let mut rows = summary.table().rows.into_iter();
        let row = rows.find(|(name, _)| name == "placeholders");
        (json, row.map(|(_, text)| text).unwrap_or_default())
    };
    let (json, row) = text(&minimised(100));
    assert_eq!(json["is_minimised"], true);
    assert_eq!(json["positions"], json["captures_with_score_0"]);
    assert_eq!(json["scored_captures"], json["captures_with_score_0"]);
    assert!(row.contains("minimised: "), "{row}");
    // Some are missing, as en-passant captures are in real data.
    assert_eq!(text(&minimised(99)).0["is_minimised"], true);
    let (json, row) = text(&minimised(98));
    assert_eq!(json["is_minimised"], false);
    assert!(!row.is_empty() && !row.contains("minimised"), "{row}");
    assert_eq!(text(&minimised(0)).1, "");
    // Too few to tell.
    assert_eq!(text(&minimised(100)[..500]).0["is_minimised"], false);
}

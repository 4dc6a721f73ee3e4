//! Tables: where the header and the FENs are. And text in UTF-16, compressed twice.

use std::io::{Cursor, Write as _};

use swaplist::{Evaluator, Rules};
use swaplist_files::filter::Preset;
use swaplist_files::formats::compressed::Compression;
use swaplist_files::formats::{
    Format, LabelColumns, Outcome, Record, Records, ResultValues, ScoreView,
};
use swaplist_files::jobs::{self, Input, Job, Options};

const QUIET: &str = "4k3/8/8/8/8/8/8/4K3 b - - 3 9";
const TAKES: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";

fn named(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Input, jobs::Error> {
    Input::named(name, Cursor::new(bytes.into()))
}

/// What a filter writes of a file, and how many records it read.
fn filtered(name: &str, text: &str, column: Option<&str>) -> Result<(String, u64), jobs::Error> {
    let options = Options {
        fen_column: column.map(str::to_owned),
        ..Options::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("kept");
    let job = Job::new(named(name, text)?, options)?.write_to(Some(&output))?;
    let summary = job.filter(&Preset::Quiet.filter(), &Evaluator::cpu())?;
    let kept = std::fs::read_to_string(output).unwrap();
    Ok((kept, summary.tally.records))
}

/// All records, in blocks of some size.
fn records(text: &str, block_bytes: usize) -> Result<Vec<Record>, String> {
    let (reader, codec) = Format::Csv.open(text.as_bytes(), block_bytes);
    let records = swaplist_files::formats::Records::new(reader, codec);
    records
        .map(|record| record.map_err(|error| error.to_string()))
        .collect()
}

#[test]
fn lines_before_the_header_are_kept_and_skipped() {
    for before in [
        "",
        "sep=;\n",
        "\u{feff}sep=;\r\n",
        "# of a tool; with a comment\n",
        "# one\n# two\nsep=;\n",
    ] {
        for name in ["x.csv", "x.tsv", "x"] {
            let header = format!("{before}id;fen;note\n");
            let text = format!("{header}1;{TAKES};a\n2;{QUIET};\"b;\"\n");
            let (kept, records) = filtered(name, &text, None).unwrap();
            assert_eq!(kept, format!("{header}2;{QUIET};\"b;\"\n"));
            assert_eq!(records, 2);
        }
    }
    let with_tabs = format!("sep=\t\r\nid\tfen\r\n1\t{QUIET}\r\n");
    assert_eq!(filtered("x.csv", &with_tabs, None).unwrap(), (with_tabs, 1));
    // The separator that is told counts, also one that is not tried otherwise.
    let with_bars = format!("sep=|\na,b|fen\n1,2|{QUIET}\n");
    assert_eq!(filtered("x.csv", &with_bars, None).unwrap(), (with_bars, 1));
    // In blocks of any size, with the places of the rows.
    let text = format!("# a\nsep=;\nid;fen\n1;{QUIET}\n2;{TAKES}\n");
    for block_bytes in 1..=text.len() {
        let records = records(&text, block_bytes).unwrap();
        let lines: Vec<u64> = records
            .iter()
            .map(|record| record.fields.place().number())
            .collect();
        assert_eq!(lines, [4, 5]);
    }
    let wrong = format!("# a\nid;position\n1;{QUIET}\n");
    for block_bytes in [1, 1 << 20] {
        let error = records(&wrong, block_bytes).unwrap_err();
        assert_eq!(error, "line 2: no column 'fen' in the header 'id;position'");
    }
    let long = "#\n".repeat(300) + &format!("fen,a\n{QUIET},\n");
    assert!(
        records(&long, 1 << 20)
            .unwrap_err()
            .contains("more than 255 lines")
    );
}

#[test]
fn a_table_may_begin_with_a_fen() {
    for (name, first) in [
        ("x.csv", format!("{QUIET},e2e4,120")),
        ("x.csv", format!("\"{QUIET}\",e2e4,120")),
        ("x.csv", "4k3/8/8/8/8/8/8/4K3 b - -,120".to_owned()),
        ("x.tsv", format!("{QUIET}\te2e4\t120")),
        ("x.csv", format!("sep=;\n{QUIET};e2e4;120")),
        ("x.csv", format!("# a comment\n{QUIET},e2e4")),
        // By the comma, also without a name.
        ("x", format!("{QUIET},e2e4,120")),
    ] {
        let text = format!("{first}\n{}\n", first.lines().last().unwrap());
        let (kept, records) = filtered(name, &text, None).unwrap();
        assert_eq!((kept, records), (text, 2));
    }
    let text = format!("{QUIET},1\n{TAKES},2\n");
    assert_eq!(records(&text, 1).unwrap()[1].to_string(), TAKES);
    // Lines of text stay text.
    for text in [
        format!("{QUIET}\n"),
        format!("{TAKES};e4d5\n"),
        format!("{QUIET} bm Kd7, Ke7; id \"a, b\";\n"),
    ] {
        for name in ["x.csv", "x.epd", "x"] {
            let detected = named(name, text.clone())
                .unwrap()
                .format(None, None)
                .unwrap();
            assert_eq!(detected, Format::Text, "{text}");
        }
    }
}

#[test]
fn the_column_of_the_fen_can_be_named() {
    let epd = "4k3/8/8/8/8/8/8/4K3 b - - bm Kd7; id \"x, y\";";
    let quoted = epd.replace('"', "\"\"");
    let text = format!("epd,move,Position\n\"{quoted}\",e8d7,{TAKES}\n");
    // EPD by default, if there is no FEN.
    assert_eq!(filtered("x.csv", &text, None).unwrap().0, text);
    for column in ["Position", "position"] {
        let (kept, _) = filtered("x.csv", &text, Some(column)).unwrap();
        assert_eq!(kept, "epd,move,Position\n");
    }
    assert_eq!(filtered("x.csv", &text, Some("epd")).unwrap().0, text);
    // A named column needs no name of the file.
    assert_eq!(
        filtered("x", &text.replace("epd", "board"), Some("board"))
            .unwrap()
            .1,
        1
    );
    let both = format!("epd,fen\n{QUIET},{TAKES}\n");
    assert_eq!(filtered("x.csv", &both, None).unwrap().0, "epd,fen\n");
    for (name, text, column, reason) in [
        (
            "x.csv",
            &*text,
            "board",
            "line 1: no column 'board' in the header 'epd,move,Position'",
        ),
        (
            "x.csv",
            "a,A\n",
            "a",
            "line 1: two columns 'a' in the header",
        ),
        (
            "x.plain",
            "fen 8/8/8/8/8/8/8/8 w - -\ne\n",
            "a",
            "'x.plain' is plain, which has no columns to name",
        ),
        (
            "x.jsonl",
            "{\"fen\":1}\n",
            "a",
            "'x.jsonl' is jsonl, which has no columns to name",
        ),
    ] {
        let error = filtered(name, text, Some(column)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    // Clocks of an EPD in a table.
    let with_clocks = "epd,a\n4k3/8/8/8/8/8/8/4K3 b - - hmvc 5; fmvn 9;,1\n";
    for block_bytes in [1, 1 << 20] {
        let record = records(with_clocks, block_bytes).unwrap()[0];
        assert_eq!(record.to_string(), "4k3/8/8/8/8/8/8/4K3 b - - 5 9");
        assert_eq!(record.fields.ply(), Some(17));
    }
    let by_name = Format::Csv.records(both.as_bytes()).fen_column("EPD");
    let fens: Vec<String> = by_name.map(|record| record.unwrap().to_string()).collect();
    assert_eq!(fens, [QUIET]);
}

#[test]
fn utf_16_is_named() {
    let text = format!("{QUIET}\r\n{TAKES}\r\n");
    let encoded = |text: &str, big: bool| -> Vec<u8> {
        let units = core::iter::once(0xfeff).chain(text.encode_utf16());
        let bytes = |unit: u16| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        };
        units.flat_map(bytes).collect()
    };
    for name in [
        "x.fen", "x.txt", "x.epd", "x.csv", "x.jsonl", "x.plain", "x.pgn", "x", "x.bin",
    ] {
        for big in [false, true] {
            let error = named(name, encoded(&text, big)).err().unwrap().to_string();
            assert!(
                error.contains("this is UTF-16, save it as UTF-8"),
                "{name}: {error}"
            );
        }
    }
    for short in ["", "a", "8/8"] {
        assert!(named("x.fen", encoded(short, false)).is_err());
    }
    let utf16 = encoded(&text, false);
    for format in [Format::Text, Format::Csv, Format::Jsonl, Format::Plain] {
        let errors: Vec<_> = format
            .records(&utf16[..])
            .map(|record| record.unwrap_err())
            .collect();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].to_string().contains("this is UTF-16"));
    }
    // A board may begin with the same bytes: White's a-pawn has moved.
    let fen = "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR w KQkq - 0 1 | 5 | 0.5\n";
    let mut writer = swaplist_files::formats::Writer::new(Format::Bulletformat).unwrap();
    let mut board = Vec::new();
    writer
        .push(
            &Format::Text
                .records(fen.as_bytes())
                .next()
                .unwrap()
                .unwrap(),
            &mut board,
        )
        .unwrap();
    writer.finish(&mut board);
    assert_eq!(board[..2], [0xff, 0xfe]);
    assert!(named("x.data", board).is_ok());
}

#[test]
fn what_is_compressed_twice_is_named() {
    let compressed = |kind: Compression, bytes: &[u8]| {
        let mut packed = Vec::new();
        let mut encoder = kind.compress_at(1, &mut packed).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.end().unwrap();
        drop(encoder);
        packed
    };
    let zstd = |bytes: &[u8]| compressed(Compression::Zstd, bytes);
    let gzip = |bytes: &[u8]| compressed(Compression::Gzip, bytes);
    let text = format!("{QUIET}\n");
    let plain = text.as_bytes();
    let packed = zstd(text.as_bytes());
    for (name, bytes, what) in [
        ("x.fen.gz.zst", zstd(&gzip(plain)), "gzip inside zstd"),
        ("x.fen.zst", zstd(&packed), "zstd inside zstd"),
        ("x.fen.zst.gz", gzip(&packed), "zstd inside gzip"),
        ("x.fen.gz", gzip(&gzip(plain)), "gzip inside gzip"),
    ] {
        let error = named(name, bytes.clone()).err().unwrap().to_string();
        assert_eq!(
            error,
            format!("'{name}' is {what}, compressed twice; decompress it once")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let of_open = swaplist_files::formats::open(&path)
            .err()
            .unwrap()
            .to_string();
        assert!(of_open.contains(what), "{of_open}");
    }
    let once = Job::new(named("x.fen.zst", packed).unwrap(), Options::default()).unwrap();
    assert_eq!(
        once.count(&Rules::SWAP, &Evaluator::cpu())
            .unwrap()
            .tally
            .records,
        1
    );
}

#[test]
fn a_format_that_is_not_written_is_named_first() {
    for (name, text) in [
        ("x.jsonl", format!("{{\"fen\":\"{QUIET}\"}}\n")),
        ("x.fen", format!("{QUIET}\n")),
    ] {
        let options = Options {
            to: Some(Format::Csv),
            ..Options::default()
        };
        let job = Job::new(named(name, text).unwrap(), options).unwrap();
        let error = job.convert().unwrap_err().to_string();
        assert!(
            error.starts_with("csv is not written by convert"),
            "{error}"
        );
    }
}

/// The records of a table with these columns.
fn labelled(text: &str, columns: LabelColumns) -> Records<'_> {
    let (mut reader, codec) = Format::Csv.open(text.as_bytes(), 1 << 18);
    reader.set_label_columns(columns);
    Records::new(reader, codec)
}

/// The scores and results of a table's rows, the score from the side to move's view.
fn labels(text: &str, columns: &LabelColumns) -> Vec<(Option<i32>, Option<Outcome>)> {
    labelled(text, columns.clone())
        .map(|record| {
            let record = record.unwrap();
            (record.fields.score(), record.fields.outcome())
        })
        .collect()
}

fn named_columns(score: &str, result: &str) -> LabelColumns {
    LabelColumns {
        score: Some(score.to_owned()),
        result: Some(result.to_owned()),
        ..LabelColumns::default()
    }
}

#[test]
fn columns_of_scores_and_results_can_be_named() {
    let rows = format!("{QUIET},23,0.5\n{TAKES},31,1.0\n{QUIET},#-3,1-0\n{QUIET},,*\n");
    let white = [
        (Some(-23), Some(Outcome::Draw)),
        (Some(31), Some(Outcome::White)),
        (Some(31_997), Some(Outcome::White)),
        (None, None),
    ];
    let with_header = format!("fen,Eval,Result\n{rows}");
    for (text, columns) in [
        (&with_header, named_columns("eval", "result")),
        (&with_header, named_columns("2", "3")),
        (&rows, named_columns("2", "3")),
    ] {
        assert_eq!(labels(text, &columns), white, "{columns:?}");
        let of_mover = LabelColumns {
            view: Some(ScoreView::SideToMove),
            ..columns
        };
        let mover = [
            (Some(23), Some(Outcome::Draw)),
            (Some(31), Some(Outcome::White)),
            (Some(-31_997), Some(Outcome::White)),
            (None, None),
        ];
        assert_eq!(labels(text, &of_mover), mover);
    }
    // Not named, they are not read.
    let unnamed = labels(&with_header, &LabelColumns::default());
    assert_eq!(unnamed, [(None, None); 4]);
    // The FEN in another column, with tabs and without a header.
    let last = format!("12.0\t2\t{QUIET}\n-7\t0\t{TAKES}\n");
    let columns = LabelColumns {
        view: Some(ScoreView::SideToMove),
        values: ResultValues::Two,
        ..named_columns("1", "2")
    };
    let found: Vec<_> = labelled(&last, columns)
        .fen_column("3")
        .map(|record| {
            record
                .map(|record| (record.fields.score(), record.fields.outcome()))
                .unwrap()
        })
        .collect();
    let black_won = Some(Outcome::Black);
    assert_eq!(found, [(Some(12), black_won), (Some(-7), black_won)]);
    let with_semicolons = format!("{TAKES};5;1-0\n");
    assert_eq!(
        labels(&with_semicolons, &named_columns("2", "3")),
        [(Some(5), Some(Outcome::White))]
    );
    let signs = LabelColumns {
        values: ResultValues::Signs,
        ..named_columns("2", "3")
    };
    let text = format!("{TAKES},1,-1\n{TAKES},1,0\n{TAKES},nan,1\n");
    assert_eq!(
        labels(&text, &signs),
        [
            (Some(1), Some(Outcome::Black)),
            (Some(1), Some(Outcome::Draw)),
            (None, Some(Outcome::White))
        ]
    );
}

#[test]
fn labels_that_cannot_be_read_are_named() {
    for (text, columns, reason) in [
        (
            format!("fen,a,b\n{QUIET},0.31,1.0\n"),
            named_columns("a", "b"),
            "line 2: '0.31' is not a score, a whole number of centipawns",
        ),
        (
            format!("fen,a,b\n{QUIET},31,2\n"),
            named_columns("a", "b"),
            "line 2: '2' is not a result, expected one of 1,0.5,0 (won, drawn, lost)",
        ),
        (
            format!("fen,a,b\n{QUIET},31\n"),
            named_columns("a", "b"),
            "line 2: a row of 2 fields, the result would be field 3",
        ),
        (
            format!("fen,a,b\n{QUIET},31,1\n"),
            named_columns("a", "c"),
            "line 1: no column 'c' in the header 'fen,a,b'",
        ),
        (
            format!("fen,a,A\n{QUIET},31,1\n"),
            named_columns("a", "2"),
            "line 1: two columns 'a' in the header 'fen,a,A'",
        ),
        (
            format!("{QUIET},31,1\n"),
            named_columns("eval", "3"),
            "line 1: no column 'eval': the table has no header, and its columns are 1 to 3",
        ),
    ] {
        let mut records = labelled(&text, columns);
        let error = records.find_map(Result::err).unwrap().to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn tables_with_labels_are_converted_and_filtered() {
    let text = format!("fen,score,result\n{QUIET},23,0.5\n{TAKES},31,1.0\n{QUIET},32002,0.5\n");
    let options = Options {
        to: Some(Format::Bulletformat),
        drop_unscored: true,
        labels: named_columns("score", "result"),
        ..Options::default()
    };
    let mut notes = Vec::new();
    let input = named("x.csv", text.as_str()).unwrap();
    let job = Job::new(input, options.clone()).unwrap();
    let job = job.write_into("out", std::io::sink()).watch(|event| {
        if let jobs::Event::Note(note) = event {
            notes.push(note.to_owned());
        }
        std::ops::ControlFlow::Continue(())
    });
    let summary = job.convert().unwrap();
    assert_eq!(
        (summary.tally.records_written, summary.tally.unscored),
        (2, 1)
    );
    assert!(
        notes
            .iter()
            .any(|note| note.contains("are taken as White's")),
        "{notes:?}"
    );

    let unnamed = Options {
        labels: LabelColumns::default(),
        ..options.clone()
    };
    let job = Job::new(named("x.csv", text.as_str()).unwrap(), unnamed).unwrap();
    let error = job
        .write_into("out", std::io::sink())
        .convert()
        .unwrap_err();
    let reason = "csv cannot be converted to bulletformat: it holds no score, which bulletformat \
                  needs, unless its column is named";
    assert_eq!(error.to_string(), reason);

    let mut settings = swaplist_files::filter::Settings::default();
    settings.set("max_score", "30").unwrap();
    let near_zero = Preset::None.filter().changed(&settings).unwrap();
    for (labels, kept) in [
        (options.labels.clone(), Some(1)),
        (LabelColumns::default(), None),
    ] {
        let options = Options {
            labels,
            ..Options::default()
        };
        let job = Job::new(named("x.csv", text.as_str()).unwrap(), options).unwrap();
        let job = job.write_into("out", std::io::sink());
        let filtered = job.filter(&near_zero, &Evaluator::cpu());
        if let Some(kept) = kept {
            assert_eq!(filtered.unwrap().tally.kept, kept);
        } else {
            let error = filtered.unwrap_err().to_string();
            assert!(
                error.contains("only in a column that is named for it"),
                "{error}"
            );
        }
    }
}

use swaplist::formats::Format;

use crate::games::{epd, scored, turned, write};
use crate::refused::error;
use crate::run::Folder;

/// The text at the end of a chain of conversions.
fn through(epd: &str, formats: &[&str]) -> String {
    let folder = Folder::new();
    folder.write("0", epd);
    let mut last = "0".to_owned();
    for (i, format) in formats.iter().chain(&["text"]).enumerate() {
        let next = (i + 1).to_string();
        let args = ["convert", &last, "-o", &next, "--to", format, "-q"];
        folder.run(&args).text();
        last = next;
    }
    String::from_utf8(folder.read(&last)).unwrap()
}

#[test]
fn nothing_is_lost_on_the_way_through_any_format() {
    let epd = epd(1, 25);
    let text = scored(&epd);
    for formats in [
        &["marlinformat"][..],
        &["viriformat"],
        &["binpack"],
        &["viriformat", "binpack", "viriformat", "marlinformat"],
        &["binpack", "viriformat", "binpack"],
    ] {
        assert!(through(&epd, formats) == text, "{formats:?}");
    }
    assert!(through(&epd, &[]) == epd); // the same format is copied
    assert!(through(&epd, &["bulletformat"]) == turned(&text));
    assert!(through(&epd, &["bulletformat", "marlinformat"]) == turned(&text));
}

/// For either side to move, in every format, and as other converters write it.
#[test]
fn no_score_is_the_same_score_everywhere() {
    let mut unscored = String::new();
    for line in epd(3, 5).lines() {
        let (before, behind) = line.split_once("ce ").unwrap();
        let (_, behind) = behind.split_once(';').unwrap();
        unscored += &[before, "ce 32002;", behind, "\n"].concat();
    }
    for formats in [
        &["viriformat"][..],
        &["binpack", "viriformat", "binpack"],
        &["sfbin", "plain", "viriformat"],
    ] {
        let text = through(&unscored, formats);
        let scores: Vec<_> = text.split(" | ").skip(1).step_by(2).collect();
        assert!(scores.len() > 100, "{text}");
        assert!(scores.iter().all(|&score| score == "32002"), "{text}");
        let other = text.replace(" | 32002 | ", " | -32002 | ");
        assert_eq!(through(&other, &["sfbin"]), text);
    }
}

#[test]
fn games_stay_whole() {
    let folder = Folder::new();
    let epd = epd(2, 25);
    for (format, unit) in [("viriformat", "games"), ("binpack", "chains")] {
        write(&folder, format, format, &epd);
        let ran = folder.run(&["count", format]);
        let line = format!("\n  {unit:<10}  25\n");
        assert!(ran.text().contains(&line), "{}", ran.text());
    }
    // Four bytes per position, and some for each game.
    let positions = epd.lines().count();
    let size = folder.read("viriformat").len();
    assert_eq!(size, positions * 4 + 25 * 36);
}

#[test]
fn what_cannot_be_done_is_refused_before_the_run() {
    let folder = Folder::new();
    let epd = epd(3, 1);
    write(&folder, "data", "bulletformat", &epd);
    let ran = folder.run(&["convert", "data", "-o", "out.viriformat"]);
    assert_eq!(
        ran.error(),
        "bulletformat cannot be converted to viriformat: it holds no played move, \
         which viriformat needs"
    );
    folder.write("text", scored(&epd));
    let ran = folder.run(&["convert", "text", "-o", "out.viriformat"]);
    assert!(
        ran.error()
            .ends_with("a played move, which this record lacks; --skip-invalid skips such records"),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&["convert", "text", "-o", "out"]);
    assert!(
        ran.error().starts_with("which format to write?"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.files(), ["data", "text"]);
}

#[test]
fn what_is_lost_is_said() {
    let folder = Folder::new();
    folder.write("epd", epd(4, 1));
    let ran = folder.run(&["convert", "epd", "-o", "out.bf"]);
    assert!(
        ran.stderr.starts_with(
            "swaplist: note: not carried over to bulletformat: side to move, castling rights, \
             en-passant target, clocks, played move\n"
        ),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&["convert", "out.bf", "-o", "out.txt"]);
    assert!(
        ran.stderr.contains("does not tell who moves"),
        "{}",
        ran.stderr
    );
}

#[test]
fn scores_of_engine_games_become_lines_and_records() {
    let folder = Folder::new();
    let games = "[Event \"a\"]\n\n1. e4 {book} e5 {+0.13/22 1.2s} 2. Nf3 {-M4/9 0.1s, White \
                 resigns} 0-1\n\n[Event \"b\"]\n\n1. d4 d5 1/2-1/2\n";
    folder.write("in.pgn", games);
    let ran = folder.run(&["convert", "in.pgn", "-o", "out.epd"]);
    let text = String::from_utf8(folder.read("out.epd")).unwrap();
    let ends: Vec<_> = text
        .lines()
        .map(|line| line.split_once(" 0 ").unwrap().1)
        .collect();
    assert_eq!(
        ends,
        [
            "1 | 32002 | 0.0",
            "1 | -13 | 0.0",
            "2 | -31998 | 0.0",
            "1 [0.5]",
            "1 [0.5]"
        ]
    );
    for note in [
        "note: games with scores in comments become lines FEN | score | result",
        "games without any become lines FEN [result]",
        "note: lines FEN | score | result are written; EPD is only read",
    ] {
        assert!(ran.stderr.contains(note), "{note} in {}", ran.stderr);
    }
    folder.run(&["convert", "in.pgn", "-o", "out.plain"]).text();
    let plain = String::from_utf8(folder.read("out.plain")).unwrap();
    assert!(plain.contains("score 13\n"), "{plain}");
}

#[test]
fn the_help_names_the_formats() {
    let writable = Format::ALL
        .iter()
        .filter(|format| format.is_convertible_to());
    let writable: Vec<_> = writable.map(|format| format.name()).collect();
    for (command, option, names) in [
        ("filter", "--from", Format::NAMES),
        ("filter", "--to", &writable),
        ("convert", "--from", Format::NAMES),
        ("convert", "--to", &writable),
        ("bench", "--from", Format::NAMES),
    ] {
        let help = Folder::new().run(&[command, "--help"]);
        let (_, behind) = help
            .text()
            .split_once(&format!("{option} <FORMAT>"))
            .unwrap();
        let text = behind.split("\n  ").collect::<String>();
        let text = text.split("--").next().unwrap();
        for name in names {
            assert!(
                text.contains(name),
                "{command} {option}: no {name} in {text}"
            );
        }
    }
}

/// An aborted match ends with a game without a result.
#[test]
fn records_that_lack_what_the_other_format_needs_are_passed_over_if_asked() {
    let folder = Folder::new();
    let game = |moves: &str| format!("[Event \"?\"]\n\n{moves}\n\n");
    let [first, open, last] = [
        "1. e4 {+0.13/22} e5 {-0.10/20} 1-0",
        "1. d4 {+0.13/22} d5 {-0.10/20} *",
        "1. c4 {+0.13/22} 1/2-1/2",
    ]
    .map(game);
    folder.write("games.pgn", [&*first, &open, &last].concat());
    folder.write("complete.pgn", [first, last].concat());
    for to in [
        "binpack",
        "viriformat",
        "marlinformat",
        "bulletformat",
        "sfbin",
    ] {
        let convert = |input: &str, output: &str| {
            let args = [
                "convert",
                input,
                "-o",
                output,
                "--to",
                to,
                "--skip-invalid",
                "--force",
            ];
            folder.run(&args)
        };
        let refused = folder.run(&["convert", "games.pgn", "-o", "refused.data", "--to", to]);
        let expected = format!("{to} needs a result, which this record lacks; --skip-invalid");
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
        let ran = convert("games.pgn", "out.data");
        assert_eq!(ran.status, Some(1), "{to}: {}", ran.stderr);
        assert!(ran.stderr.contains("invalid     1, "), "{}", ran.stderr);
        assert!(ran.stderr.contains("records     3\n"), "{}", ran.stderr);
        assert_eq!(convert("complete.pgn", "complete.data").status, Some(0));
        assert!(
            folder.read("out.data") == folder.read("complete.data"),
            "{to}"
        );
    }
}

#[test]
fn lines_without_a_score_are_passed_over_or_dropped() {
    let folder = Folder::new();
    let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    folder.write(
        "mixed.txt",
        format!("{fen} | 5 | 0.5\n{fen}\n{fen} | 6 | 0.5\n"),
    );
    let to = ["mixed.txt", "-o", "out.bf", "--skip-invalid", "--force"];
    let ran = folder.run(&[&["convert"], &to[..]].concat());
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert_eq!(folder.read("out.bf").len(), 64);
    let filter = ["filter", "mixed.txt", "--preset", "none", "--drop-unscored"];
    let ran = folder.run(&filter);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        format!("{fen} | 5 | 0.5\n{fen} | 6 | 0.5\n").into_bytes()
    );
    assert!(
        ran.stderr.contains("1 (33.3 %), no score"),
        "{}",
        ran.stderr
    );
}

/// Most chains have some, so skipping is not offered; what it would cost is counted.
#[test]
fn a_chain_with_an_unscored_position_is_not_lost_unsaid() {
    let folder = Folder::new();
    let epd = epd(3, 2);
    let score = epd.split_once("ce ").unwrap().1.split_once(';').unwrap().0;
    let epd = epd.replacen(&format!("ce {score};"), "ce 32002;", 1);
    write(&folder, "in.binpack", "binpack", &epd);
    let lacks = "bulletformat needs a score, which this record lacks (32002 means no score); \
                 --drop-unscored leaves such records out";
    let ran = folder.run(&["convert", "in.binpack", "-o", "out.data"]);
    let hint = format!("{lacks}, --score N gives them all one");
    assert!(error(&ran).trim_end().ends_with(&hint), "{}", ran.stderr);
    let filter = ["filter", "in.binpack", "--preset", "none", "-o", "out.data"];
    let ran = folder.run(&[&filter[..], &["--to", "bulletformat"]].concat());
    assert!(error(&ran).trim_end().ends_with(lacks), "{}", ran.stderr);
    let ran = folder.run(&["convert", "in.binpack", "-o", "out.data", "--skip-invalid"]);
    let lost = epd.lines().count() - folder.read("out.data").len() / 32;
    assert!(lost > 1);
    let line = format!(" bytes skipped, {lost} positions lost\n");
    assert!(ran.stderr.contains(&line), "{}", ran.stderr);
}

/// As `filter --mode drop` writes it in binpacks.
#[test]
fn an_en_passant_square_is_written_if_a_capture_there_is_legal() {
    let folder = Folder::new();
    folder.write(
        "in.fen",
        "5r2/p7/2p4p/4k3/2P1pP2/2K1R1PP/P7/8 b - f3 0 1 sm Kf6; ce 5; c9 \"1-0\";\n\
         rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3 sm dxe3; ce 5; c9 \"1-0\";\n",
    );
    let ran = folder.run(&["convert", "in.fen", "--to", "plain"]);
    let fens = ran.text().lines().filter(|line| line.starts_with("fen "));
    let squares: Vec<_> = fens.map(|fen| fen.split(' ').nth(4).unwrap()).collect();
    assert_eq!(squares, ["-", "e3"]);
    folder.write("in.plain", ran.text());
    for (from, to) in [("in.fen", "a.bin"), ("in.plain", "b.bin")] {
        let args = ["convert", from, "-o", to, "--to", "sfbin"];
        folder.run(&args).text();
    }
    assert!(folder.read("a.bin") == folder.read("b.bin"));
    // A game goes on where the square is not named.
    let before = "5r2/p7/2p4p/4k3/2P1p3/2K1R1PP/P4P2/8 w - - 0 1 sm f4; ce 5; c9 \"1-0\";\n";
    let after = "5r2/p7/2p4p/4k3/2P1pP2/2K1R1PP/P7/8 b - - 0 1 sm Kf6; ce 5; c9 \"1-0\";\n";
    folder.write("game.epd", [before, after].concat());
    for (name, units) in [("a.viriformat", "games"), ("a.binpack", "chains")] {
        folder.run(&["convert", "game.epd", "-o", name]).text();
        let ran = folder.run(&["count", name]);
        let line = format!("\n  {units:<10}  1\n");
        assert!(ran.text().contains(&line), "{}", ran.text());
    }
}

#[test]
fn the_share_of_unscored_records_is_of_those_written() {
    let folder = Folder::new();
    folder.write(
        "in.fen",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 5 | 0.5\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n\
         4k3/8/8/8/8/8/8/4RK2 b - - 0 1\n4k3/8/8/8/8/8/8/4RK2 b - - 0 1\n",
    );
    let ran = folder.run(&["filter", "in.fen", "-o", "out.plain", "--to", "plain"]);
    let line = "unscored    1 (50.0 %), ";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    let none = ["filter", "in.fen", "--invert", "--preset", "none"];
    let ran = folder.run(&none);
    let line = "written     0 bytes\n";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
}

#[test]
fn a_name_that_says_little_gives_way() {
    let folder = Folder::new();
    write(&folder, "games.bin", "binpack", &epd(6, 1));
    for args in [
        &["-o", "copy.bin"][..],
        &["-o", "asked.data", "--to", "binpack"],
        &["--out-dir", "folder"],
    ] {
        let ran = folder.run(&[&["filter", "games.bin"], args].concat());
        assert_eq!(ran.status, Some(0), "{args:?}: {}", ran.stderr);
    }
    let ran = folder.run(&["filter", "games.bin", "-o", "out.viriformat"]);
    assert_eq!(ran.status, Some(2));
    assert!(folder.read("copy.bin") == folder.read("asked.data"));
    assert!(folder.read("copy.bin") == folder.read("folder/games.bin"));
}

use swaplist::Choice;
use swaplist_files::formats::Format;

use crate::games::{epd, scored, turned, write};
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
        let (before, score_and_more) = line.split_once("ce ").unwrap();
        let (_, behind) = score_and_more.split_once(';').unwrap();
        unscored += &[before, "ce 32002;", behind, "\n"].concat();
    }
    for formats in [
        &["viriformat"][..],
        &["binpack", "viriformat", "binpack"],
        &["sfbin", "plain", "viriformat"],
    ] {
        let text = through(&unscored, formats);
        // Trainers would read 32002 in text as centipawns.
        let parts = |line: &str| -> Option<[String; 2]> {
            let (fen, result) = line.strip_suffix(']')?.split_once(" [")?;
            Some([fen, result].map(str::to_owned))
        };
        let unscored_lines: Option<Vec<_>> = text.lines().map(parts).collect();
        let lines = unscored_lines.unwrap_or_else(|| panic!("a line with a score: {text}"));
        assert!(lines.len() > 100, "{text}");
        for none in [32002, -32002] {
            let other = lines
                .iter()
                .map(|[fen, result]| format!("{fen} | {none} | {result}\n"));
            assert_eq!(through(&other.collect::<String>(), &["sfbin"]), text);
        }
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
fn the_help_names_the_formats() {
    let all: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    let writable: Vec<_> = Format::ALL
        .iter()
        .filter(|format| format.spec().is_convertible_to)
        .map(|format| format.name())
        .collect();
    for (command, option, names) in [
        ("filter", "--from", &all),
        ("filter", "--to", &writable),
        ("convert", "--from", &all),
        ("convert", "--to", &writable),
        ("bench", "--from", &all),
    ] {
        let help = Folder::new().run(&[command, "--help"]);
        let (_, behind) = help
            .text()
            .split_once(&format!("{option} <FORMAT>"))
            .unwrap();
        let joined = behind.split("\n  ").collect::<String>();
        let text = joined.split("--").next().unwrap();
        for name in names {
            assert!(
                text.contains(name),
                "{command} {option}: no {name} in {text}"
            );
        }
    }
}

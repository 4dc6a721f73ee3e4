//! The FEN parser compared with shakmaty's: the same positions, the same errors, but that four
//! fields are needed, with blanks between them; blanks around them are allowed.

use std::fs;

use shakmaty::{Chess, EnPassantMode, fen::Fen};
use swaplist::{Position, PositionError};
use swaplist_files::formats::Format;

use crate::common::{boards, boards::Random, data};

fn through_shakmaty(text: &[u8]) -> Result<Position, PositionError> {
    let text = text.trim_ascii();
    let fen = Fen::from_ascii(text).map_err(PositionError::Fen)?;
    let fields = text
        .split(|&byte| byte == b' ')
        .filter(|field| !field.is_empty())
        .count();
    if fields < 4 {
        return Err(PositionError::Fields(fields));
    }
    Position::try_from(fen.as_setup())
}

/// No format and no function takes White to move for granted.
#[test]
fn four_fields_are_needed() {
    const BOARD: &str = "4k3/8/8/3q4/8/8/8/3RK3";
    for (fields, end) in [(1, ""), (1, " "), (2, " b"), (3, " w -"), (1, "_w_-_-")] {
        let fen = format!("{BOARD}{end}");
        let error = format!("too few fields for a FEN ({fields}, expected");
        let [plain, pgn, text] = [
            (Format::Plain, format!("fen {fen}\ne\n")),
            (
                Format::Pgn,
                format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n"),
            ),
            (Format::Text, format!("{fen}\n")),
        ]
        .map(|(format, file)| {
            let first = format.records(file.as_bytes()).next();
            first.expect(&file).expect_err(&file).to_string()
        });
        let parsed = fen.parse::<Position>().expect_err(&fen).to_string();
        for message in [plain, pgn, text, parsed] {
            assert!(message.contains(&error), "{fen}: {message}");
        }
    }
    let board = format!("{BOARD} w - -").parse::<Position>();
    assert!(board.is_ok());
    assert_eq!(format!("{BOARD} w - - 0 1\r\n").parse(), board);
}

/// Numbers of accepted and refused texts.
#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
}

impl Tally {
    fn compare(&mut self, text: &[u8]) {
        let expected = through_shakmaty(text);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(Position::from_ascii(text), expected, "{shown:?}");
        if let Ok(text) = str::from_utf8(text) {
            assert_eq!(text.parse(), expected, "{shown:?}");
        }
        *(if expected.is_ok() {
            &mut self.accepted
        } else {
            &mut self.refused
        }) += 1;
    }
}

fn fen(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Always).to_string()
}

/// Random games and dense boards, with all fields and with some missing.
#[test]
fn usual_forms() {
    let mut tally = Tally::default();
    for chess in boards::playouts(21)
        .take(5_000)
        .chain(boards::dense(21).take(5_000))
    {
        let fen = fen(&chess);
        let fields: Vec<_> = fen.split(' ').collect();
        for count in 1..=fields.len() {
            for separator in [" ", "_", "  ", " _ "] {
                tally.compare(fields[..count].join(separator).as_bytes());
            }
        }
        tally.compare(format!(" {fen} ").as_bytes());
        tally.compare(format!("{fen} 1").as_bytes());
    }
    assert!(tally.accepted > 100_000, "{tally:?}");
    assert!(tally.refused > 10_000, "{tally:?}");
}

#[test]
fn every_field_on_its_own() {
    const BOARDS: &[&str] = &[
        "4k3/8/8/8/8/8/8/4K3",
        "r3k2r/8/8/8/8/8/8/R3K2R",
        "4k3/8/8/8/4Pp2/8/8/4K3",
        "4k3/8/8/8/4Pp2/8/8/4K3/",
        "4k3/8/8/8/4Pp2/8/8/4K3/Qq",
        "4k3/8/8/8/4Pp2/8/8/4K3[Qq]",
        "4k3/8/8/8/4Pp2/8/8/4K3[]",
        "4k3/8/8/8/4Pp2/8/8/4KQ~2",
        "4k3/8/8/8/4Pp2/8/8/44/",
        "4k3/8/8/8/4Pp2/8/8/4K11",
        "4k3/8/8/8/4Pp2/8/8/4K4",
        "4k3/8/8/8/4Pp2/8/4K3",
        "4k3/8/8/8/4Pp2/8/8/4K2/1",
        "4k3/8/8/8/4Pp2/8/8/04K3",
        "4k3/8/8/8/4Pp2/8/9/4K3",
        "4k38/8/8/8/4Pp2/8/8/4K3",
        "4k3//8/8/8/4Pp2/8/8/4K3",
        "/4k3/8/8/8/4Pp2/8/8/4K3",
        "4k3/8/8/8/4Pp2/8/8/4K3 ",
        "4k2R/8/8/8/4Pp2/8/8/4K3",
        "4k2P/8/8/8/4Pp2/8/8/4K3",
        "4k3/8/8/8/4Pp2/8/8/8",
        "4k3/8/8/8/4Pp2/8/8/4KK2",
        "QQQQkQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/4K3",
        "",
    ];
    const TURNS: &[&str] = &["w", "b", "W", "-", "wb", "x", ""];
    const CASTLING: &[&str] = &[
        "-", "KQkq", "kqKQ", "KK", "KKK", "Aa", "HAha", "HAKha", "K-", "--", "z", "I", "kq-", "",
    ];
    const EN_PASSANT: &[&str] = &[
        "-", "e3", "e6", "f3", "E3", "e9", "i3", "e", "e33", "--", "",
    ];
    const CLOCKS: &[&str] = &[
        "",
        "0 1",
        "0",
        "-1 1",
        "99999999999999999999 99999999999999999999",
        "0 0",
        "3+3 0 1",
        "0 1 +0+0",
        "3+3",
        "0 x",
        "x 0",
        "+1 1",
        "0 1\n",
        "0 1\r",
        "0\t1",
        "acd 5;",
    ];
    let mut tally = Tally::default();
    for board in BOARDS {
        for turn in TURNS {
            for castling in CASTLING {
                for ep in EN_PASSANT {
                    for clocks in CLOCKS {
                        let text = format!("{board} {turn} {castling} {ep} {clocks}");
                        tally.compare(text.as_bytes());
                    }
                }
            }
        }
    }
    assert!(tally.accepted > 1_000, "{tally:?}");
    assert!(tally.refused > 10_000, "{tally:?}");
}

/// One to three bytes changed, inserted or removed.
#[test]
fn mutations() {
    let mut random = Random(22);
    let mut tally = Tally::default();
    for chess in boards::playouts(22)
        .take(30_000)
        .chain(boards::dense(22).take(10_000))
    {
        let mut text = fen(&chess).into_bytes();
        for _ in 0..=random.below(3) {
            mutate(&mut random, &mut text);
        }
        tally.compare(&text);
    }
    assert!(tally.accepted > 1_000, "{tally:?}");
    assert!(tally.refused > 10_000, "{tally:?}");
}

fn mutate(random: &mut Random, text: &mut Vec<u8>) {
    const BYTES: &[u8] = b"pnbrqkPNBRQK012345678899//  __wb-KQkqabcdefgh+~[]\t\n\0\xff";
    let byte = BYTES[random.below(BYTES.len())];
    let at = random.below(text.len() + 1);
    match random.below(4) {
        0 => text.insert(at, byte),
        1 => text.truncate(at),
        2 if at < text.len() => drop(text.remove(at)),
        _ if at < text.len() => text[at] = byte,
        _ => {}
    }
}

/// Every line of all available FEN and EPD files, and its first four fields.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_lines() {
    let mut tally = Tally::default();
    let mut files = 0;
    for folder in ["", "rare", "edge"] {
        let entries = fs::read_dir(data::path(folder)).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            let kind = path.extension().and_then(|kind| kind.to_str());
            if matches!(kind, Some("fen" | "epd" | "sfens")) {
                files += 1;
                let bytes = fs::read(&path).unwrap();
                bytes
                    .split(|&byte| byte == b'\n')
                    .for_each(|line| compare_line(&mut tally, line));
            }
        }
    }
    println!("{files} files: {tally:?}");
    assert!(
        files >= 4 && tally.accepted > 100_000 && tally.refused > 8_000,
        "{tally:?}"
    );
}

fn compare_line(tally: &mut Tally, line: &[u8]) {
    tally.compare(line);
    let fields: Vec<_> = line.split(|&byte| byte == b' ').take(4).collect();
    tally.compare(&fields.join(&b' '));
}

//! PGN: games with everything that may stand between moves.

use std::fmt::Write as _;

use shakmaty::{Position as _, san::SanPlus};
use swaplist::{PackedMove, Position};
use swaplist_files::formats::{DecodedPart, Format, Outcome};

use super::common::boards::Random;
use super::games::{Sample, games};

pub const TAGS: &str =
    "[Event \"a \\\"[b]\\\" {c}\"]\n[White \"Ann\"]\n[Black \"Bo\"]\n[Result \"*\"]\n\n";

fn pgn(games: &[Vec<Sample>]) -> String {
    let mut random = Random(99);
    let mut text = String::new();
    for game in games {
        text += TAGS;
        for sample in game {
            let chess = &sample.chess;
            let number = chess.fullmoves();
            match random.below(4) {
                0 => write!(text, "{number}. ").unwrap(),
                1 => write!(text, "{number}...").unwrap(),
                2 => write!(text, "{number} ").unwrap(),
                _ => {}
            }
            text += &SanPlus::from_move(chess.clone(), sample.played).to_string();
            text += [
                "!? ",
                " ",
                "\n",
                " $14 ",
                " {[%eval 0.3]\n[%clk 1] Nf9 )} ",
                " (1. e4 (d4 Ke9) Qh9 0-1) ",
                " ; rest of a line 1-0\n",
                "\n% passed over e4\n",
                " {\n[White could also play d4]\n[Event \"b\"]\n} ",
                " +/= N ",
            ][random.below(10)];
        }
        text += match game[0].outcome {
            Outcome::White => "1-0\n\n",
            Outcome::Draw => "1/2-1/2\n\n",
            Outcome::Black => "0-1\n\n",
        };
    }
    text
}

/// For all records: game, position, move, outcome and ply.
pub type Held = (
    u64,
    Position,
    Option<PackedMove>,
    Option<Outcome>,
    Option<u32>,
);

pub fn read(text: &[u8], block_bytes: usize) -> (Vec<Held>, Vec<String>) {
    let (mut reader, codec) = Format::Pgn.open(text, block_bytes);
    let mut records = Vec::new();
    let mut errors = Vec::new();
    let mut decoded = DecodedPart::default();
    loop {
        match reader.next_block() {
            Ok(Some(block)) => codec.decode(&block, &mut decoded),
            Ok(None) => return (records, errors),
            Err(error) => {
                errors.push(error.to_string());
                return (records, errors);
            }
        }
        errors.extend(decoded.invalid.iter().map(ToString::to_string));
        for (record, position) in decoded.records.iter().zip(&decoded.positions) {
            let swaplist_files::formats::Place::Game(game) = record.place() else {
                panic!("{record:?}");
            };
            records.push((
                game,
                *position,
                record.played(),
                record.outcome(),
                record.ply(),
            ));
        }
    }
}

#[test]
fn main_lines_are_read_whatever_stands_between_the_moves() {
    let games = games(21, 30);
    let text = pgn(&games);
    assert_eq!(Format::detect(text.as_bytes(), None), [Format::Pgn]);
    for block_bytes in [1, 1000, 1 << 20] {
        let (records, errors) = read(text.as_bytes(), block_bytes);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(records.len(), games.iter().flatten().count());
        let numbered = (1..)
            .zip(&games)
            .flat_map(|(n, game)| game.iter().map(move |one| (n, one)));
        for (record, (number, sample)) in records.iter().zip(numbered) {
            let (game, position, played, outcome, ply) = *record;
            assert_eq!(game, number);
            assert_eq!(position, sample.position());
            assert_eq!(played, PackedMove::from_move(sample.played));
            assert_eq!(outcome, Some(sample.outcome));
            assert_eq!(ply, Some(sample.ply.into()));
        }
    }
}

#[test]
fn a_game_is_worth_its_positions_up_to_a_fault() {
    for (moves, positions, message) in [
        ("1. e4 e5 2. Ke3 Nf6 1-0", 2, "illegal move 'Ke3'"),
        (
            "1. e4 -- 1-0",
            1,
            "'--' is a null move, not a move of chess",
        ),
        ("1. e4 hello 1-0", 1, "'hello' is not a move"),
        ("1. e4 hello e5 1-0", 1, "'hello' is not a move"),
        ("1. e4 1-0 e5", 1, "a move after the result"),
        (
            "1. e4 { no end 1-0",
            1,
            "the comment 'no end 1-0' has no end",
        ),
        ("1. e4 ( e5 1-0", 1, "'(' without ')'"),
        ("1. e4 ) e5 1-0", 1, "')' without '('"),
        ("1. e4 e5 1-0 (", 2, "'(' without ')'"),
        ("1. e4 e5 2. Nf", 2, "'Nf' is not a move"),
        ("1. e4 e5 1-0 0-1", 2, "two results"),
        ("1. e4 e5 }", 2, "'}' is not a move"),
    ] {
        let text = format!("{TAGS}{moves}\n{TAGS}1. d4 *\n");
        let (records, errors) = read(text.as_bytes(), 1 << 20);
        assert_eq!(errors.len(), 1, "{moves} {errors:?}");
        let start = r#"game 1: [Event "a \"[b]\" {c}"] [White "Ann"] [Black "Bo"] "#;
        let is_told = errors[0].starts_with(start) && errors[0].contains(message);
        assert!(is_told, "{errors:?}");
        assert_eq!(records.len(), positions + 1, "{moves}");
        let (_, position, played, ..) = records.last().unwrap();
        assert_eq!(
            *position,
            Position::try_from(&shakmaty::Chess::default()).unwrap()
        );
        assert_eq!(played.unwrap().to_string(), "d2d4");
    }
}

#[test]
fn promotions_need_no_equals_sign() {
    for played in ["e8Q", "e8=Q", "exd8N+", "exd8=N"] {
        let text = format!("[FEN \"3r4/4P3/8/8/8/8/2k5/4K3 w - - 0 1\"]\n\n1. {played} *\n");
        let (records, errors) = read(text.as_bytes(), 1000);
        assert_eq!(errors, Vec::<String>::new());
        let square = if played.contains('x') { "d8n" } else { "e8q" };
        assert_eq!(records[0].2.unwrap().to_string(), format!("e7{square}"));
    }
}

#[test]
fn other_beginnings_and_variants() {
    let fen = "[FEN \"4k2r/8/8/8/8/8/8/4K3 b k - 7 30\"]\n[Variant \"From Position\"]\n\nO-O *";
    let (records, errors) = read(fen.as_bytes(), 1 << 20);
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(
        (records[0].2.unwrap().to_string().as_str(), records[0].4),
        ("e8h8", Some(59))
    );
    for (tag, message) in [
        (
            "[Variant \"Atomic\"]",
            "the variant 'Atomic' is not standard chess",
        ),
        ("[FEN \"8/8\"]", "invalid"),
        ("[FEN \"8/8/8/8/8/8/8/4K3 w - - 0 1\"]", "black has 0 kings"),
    ] {
        let (none, refusals) = read(format!("{tag}\n\n1. e4 *").as_bytes(), 1 << 20);
        assert!(none.is_empty());
        let is_told = refusals[0].starts_with("game 1: ") && refusals[0].contains(message);
        assert!(is_told, "{refusals:?}");
    }
}

#[test]
fn a_file_cut_off_anywhere_says_so() {
    let games = games(22, 2);
    let text = pgn(&games);
    let ends: Vec<_> = ["1-0", "0-1", "1/2-1/2"]
        .iter()
        .flat_map(|result| {
            text.match_indices(&format!("{result}\n\n"))
                .map(|(at, _)| at + result.len())
                .collect::<Vec<_>>()
        })
        .collect();
    for length in 1..text.len() {
        let (_, errors) = read(&text.as_bytes()[..length], 1 << 20);
        let whole = ends.iter().any(|end| (*end..=end + 2).contains(&length));
        let half = text[..length].ends_with("\n1-0") || text[..length].ends_with("\n0-1");
        // Whole lines may be a game whose result is in its tag: such games are counted.
        let tags = text[..length].rfind(TAGS.trim_end()).unwrap_or(length);
        let is_open = tags < length && !ends.iter().any(|end| (tags..length).contains(end));
        let lines = is_open && text[..length].ends_with('\n');
        assert!(
            errors.is_empty() == whole || half || lines,
            "{length} {errors:?}"
        );
    }
}

#[test]
fn games_that_never_end_are_passed_over_in_bounded_memory() {
    let (moves, whole) = (
        "Nf3 Nf6 Ng1 Ng8 ".repeat(1 << 18),
        format!("{TAGS}1. d4 *\n\n"),
    );
    let comment = "1. e4 {".to_owned() + &"a\n\n".repeat(400_000) + "} *\n\n";
    let text = format!("{whole}{TAGS}{moves}\n{whole}{TAGS}{comment}{whole}{whole}{TAGS}{moves}");
    for block_bytes in [1 << 16, 77_777, 1 << 20] {
        let (records, errors) = read(text.as_bytes(), block_bytes);
        let games: Vec<_> = records.iter().map(|record| record.0).collect();
        assert_eq!(games, [1, 3, 5, 6]);
        assert_eq!(
            errors,
            [2, 4, 7].map(|game| format!("game {game}: longer than 1048576 bytes"))
        );
    }
}

/// The longest game by the rules has 17,697 half-moves.
#[test]
fn a_game_of_more_moves_than_there_can_be_ends_there() {
    for (moves, is_fault) in [(1 << 16, false), ((1 << 16) + 1, true)] {
        let cycle = ["Nf3", "Nf6", "Ng1", "Ng8"].iter().cycle();
        let sans: Vec<&str> = cycle.take(moves).copied().collect();
        let text = format!("{TAGS}{} 1-0\n\n{TAGS}1. d4 *\n\n", sans.join(" "));
        let (records, errors) = read(text.as_bytes(), 1 << 16);
        assert_eq!(records.len(), (1 << 16) + 1);
        assert_eq!(!errors.is_empty(), is_fault, "{errors:?}");
        if is_fault {
            assert!(
                errors[0].contains("a game of more than 65536 moves"),
                "{errors:?}"
            );
        }
    }
}

#[test]
fn nothing_is_converted_to_pgn() {
    let open = |format: Format| format.open(std::io::empty(), 1).1;
    let refused = |from, to| {
        open(from)
            .converting_to(to)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(Format::Text, Format::Pgn).contains("pgn can only be read"));
    for to in [Format::Plain, Format::Viriformat, Format::Binpack] {
        assert!(open(Format::Pgn).converting_to(to).is_ok());
    }
}

/// Also where a block ends amid them.
#[test]
fn damaged_games_do_no_harm() {
    let text = pgn(&games(23, 3)).into_bytes();
    let mut random = Random(5);
    for _ in 0..1500 {
        let mut damaged = text.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(damaged.len());
            let sign = &[
                &b"("[..],
                b")",
                b"[",
                b"]",
                b"{",
                b"}",
                b";",
                b"%",
                b"$",
                b"\"",
                b"\\",
                b" ",
                b"\n",
                b"1",
                b"O",
                b"=",
                b"x",
                b"\xff",
                b"\x00",
                b"*",
                b"1-0\n\n",
                b"\n[Event \"x\"]\n",
            ][random.below(22)];
            damaged.splice(at..=at, sign.iter().copied());
        }
        let whole = read(&damaged, 1 << 20);
        for block_bytes in [100, 3000] {
            let shown = String::from_utf8_lossy(&damaged);
            assert_eq!(read(&damaged, block_bytes), whole, "{shown}");
        }
    }
}

/// Of each record: the move and the position.
pub fn moves(text: &str) -> Vec<(String, Position)> {
    let (records, errors) = read(text.as_bytes(), 1 << 20);
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    let of = |(_, position, played, ..): Held| (played.unwrap().to_string(), position);
    records.into_iter().map(of).collect()
}

#[test]
fn moves_are_read_in_any_writing() {
    const FEN: &str = "[FEN \"r3k2r/P5p1/8/3p4/4P3/5N2/8/R3K2R b KQkq - 0 1\"]\n\n";
    let [san, others @ ..] = [
        "1... O-O-O 2. exd5 g5 3. O-O g4 4. Nd4 Kd7 5. a8=Q *",
        "1... 0-0-0 2. e4xd5 g7-g5 3. 0-0 g5-g4 4. Nf3-d4 Kc8-d7 5. a7-a8=Q *",
        "1...e8c8 2.e4d5 g7g5 3.e1g1 g5g4 4.f3d4 c8d7 5.a7a8q *",
        "1... e8a8 2. e4d5 Pg7-g5 3. e1h1! g5g4 4. Nf3d4?! Kc8d7 5. a7-a8Q *",
    ]
    .map(|text| moves(&format!("{FEN}{text}")));
    assert_eq!(san[0].0, "e8a8");
    assert_eq!(san[7].0, "a7a8q");
    for other in others {
        assert_eq!(other, san);
    }
    let ep = "[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n";
    for text in [
        "exd6",
        "exd6e.p.",
        "exd6 e.p.",
        "e5xd6e.p.!",
        "e5d6",
        "exd6 e.p. {b}",
    ] {
        let text = format!("{ep}1. {text} Kd7 *");
        assert_eq!(moves(&text)[0].0, "e5d6", "{text}");
        assert_eq!(moves(&text)[1].0, "e8d7", "{text}");
    }
    for (text, message) in [
        ("0-0", "illegal move '0-0'"),
        ("e2-e5", "illegal move 'e2-e5'"),
        ("e2e5", "illegal move 'e2e5'"),
        ("0-0-0-0", "is not a move"),
        ("e2--e4", "is not a move"),
    ] {
        let (_, errors) = read(format!("[Round \"1\"]\n\n1. {text} *").as_bytes(), 1 << 20);
        assert!(errors[0].contains(message), "{text}: {errors:?}");
    }
}

#[test]
fn byte_order_marks_before_games_are_passed_over() {
    let game = format!("\u{feff}[Event \"a\"]\n{TAGS}1. e4 {{wv=0.30}} e5 1-0\n\n");
    // Also for two concatenated files.
    let text = game.repeat(2);
    assert_eq!(Format::detect(text.as_bytes(), None), [Format::Pgn]);
    for block_bytes in [1, 1 << 20] {
        let (records, errors) = read(text.as_bytes(), block_bytes);
        assert_eq!(errors, Vec::<String>::new());
        let games: Vec<_> = records.iter().map(|record| record.0).collect();
        assert_eq!(games, [1, 1, 2, 2]);
    }
}

#[test]
fn chess960_has_many_names_and_other_games_are_faults() {
    const FEN: &str = "[FEN \"r2k3r/8/8/8/8/8/8/R2K3R w HAha - 0 1\"]";
    for name in [
        "Chess960",
        "chess 960",
        "CHESS-960",
        "fischerandom",
        "Fischer Random",
        "Fischerandom Chess",
        "Freestyle",
        "Freestyle Chess",
        "chess9LX",
        "960",
        "FRC",
        "Standard",
        "",
        "?",
    ] {
        let text = format!("[Variant \"{name}\"]\n{FEN}\n\n1. O-O O-O-O *");
        let played: Vec<_> = moves(&text).into_iter().map(|(played, _)| played).collect();
        assert_eq!(played, ["d1h1", "d8a8"], "{name}");
    }
    for name in [
        "Crazyhouse",
        "Atomic",
        "Crazyhouse960",
        "Three-check",
        "Horde",
    ] {
        let text = format!("[Variant \"{name}\"]\n{FEN}\n\n1. O-O *\n\n{TAGS}1. e4 *\n");
        let (records, errors) = read(text.as_bytes(), 1 << 20);
        assert_eq!((records.len(), errors.len()), (1, 1), "{name}");
        assert!(errors[0].contains(&format!("the variant '{name}' is not standard chess")));
    }
}

#[test]
fn results_in_tags_that_contradict_the_moves_are_counted() {
    let game =
        |tag: &str, end: &str| format!("[Event \"a\"]\n[Result \"{tag}\"]\n\n1. e4 {end}\n\n");
    let games = [
        ("1-0", "1-0"),
        ("1-0", "0-1"),
        ("*", "1-0"),
        ("1-0", "*"),
        ("?", "0-1"),
        ("1/2-1/2", "1-0"),
    ]
    .map(|(tag, end)| game(tag, end));
    let text = games.concat();
    let (mut reader, codec) = Format::Pgn.open(text.as_bytes(), 1 << 20);
    let mut decoded = DecodedPart::default();
    let block = reader.next_block().unwrap().unwrap();
    for _ in 0..2 {
        codec.decode(&block, &mut decoded);
        let starts = [games[0].len() as u32, games[..5].concat().len() as u32];
        assert_eq!(decoded.notes.games.contradicted, starts);
    }
    let results = decoded
        .records
        .iter()
        .map(|record| record.outcome().unwrap());
    let won = Outcome::White;
    let lost = Outcome::Black;
    assert!(results.eq([won, lost, won, won, lost, won]));
}

/// A tag between the moves, or a line that looks like one, begins a game. The rest of the moves would
/// be played from the start position.
#[test]
fn the_rest_of_a_game_is_not_played_from_the_start() {
    let head = "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5\n";
    for line in [
        "[Annotator \"z\"]",
        "[White \"is better here\"]",
        "[ White \"is better here\" ]",
        "[White stands better]",
    ] {
        let text = format!("{head}{line}\n2. Nf3 Nc6 1-0\n\n[Event \"y\"]\n\n1. d4 1-0\n");
        let (records, errors) = read(text.as_bytes(), 1 << 20);
        assert_eq!(records.len(), 3, "{line}");
        assert!(
            errors[0].contains("the first move has the number 2"),
            "{errors:?}"
        );
        assert_eq!(errors.len(), 1);
    }
    // A position of its own may have any number.
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 9";
    let text = format!("[FEN \"{fen}\"]\n\n9. e4 Kd8 1-0\n");
    assert_eq!(read(text.as_bytes(), 1 << 20).0.len(), 2);
}

/// Text that was copied from pages, and other signs that people leave in it.
#[test]
fn blanks_of_pages_and_odd_signs_are_passed_over() {
    let plain = read(b"[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n", 1 << 20).0;
    assert_eq!(plain.len(), 4);
    for moves in [
        "1.\u{a0}e4\u{a0}e5\u{a0}2. Nf3 Nc6\u{a0}1-0",
        "\u{200e}1. e4 e5 2. Nf3\u{200b} Nc6 1-0",
        "1. e4 ...e5 2.Nf3 2...Nc6 1-0",
        "1. e4 [#] e5 2. Nf3 ... Nc6 1-0",
    ] {
        let text = format!("[Event \"x\"]\n\n{moves}\n");
        assert_eq!(
            read(text.as_bytes(), 1 << 20),
            (plain.clone(), vec![]),
            "{moves}"
        );
    }
    let spaced = "[ Event  \"x\" ]\n[ Result \"1-0\" ]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n";
    assert_eq!(read(spaced.as_bytes(), 1 << 20), (plain, vec![]));
    let passed = "1. e4 a6 2. e5 d5 3. exd6 e. p. 1-0\n";
    assert_eq!(read(passed.as_bytes(), 1 << 20).0.len(), 5);
}

#[test]
fn a_nul_and_lines_that_end_in_cr_are_named() {
    let nul = b"[Event \"x\"]\n\n1. e4 e5\0 2. Nf3 1-0\n";
    let (_, of_nul) = read(nul, 1 << 20);
    assert!(
        of_nul[0].contains("not text: a NUL at byte 22 of the game"),
        "{of_nul:?}"
    );
    let text = "[Event \"x\"]\r\r1. e4 e5 1-0\r".repeat(2);
    let (_, errors) = read(text.as_bytes(), 1 << 20);
    assert!(
        errors[0].contains("a CR inside: lines have to end in LF"),
        "{errors:?}"
    );
}

//! PGN: games with everything that may stand between moves.

use std::fmt::Write as _;

use shakmaty::{Position as _, san::SanPlus};
use swaplist::formats::{Codec as _, Conversion, Decoded, Detected, Fate, Fates, Format, Outcome};
use swaplist::{Capture, Position};

use super::common::boards::Random;
use super::games::{Sample, games};

const TAGS: &str = "[Event \"a \\\"[b]\\\" {c}\"]\n[Result \"*\"]\n\n";

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
            ][random.below(8)];
        }
        text += match game[0].outcome {
            Outcome::White => "1-0\n\n",
            Outcome::Draw => "1/2-1/2\n\n",
            Outcome::Black => "0-1\n\n",
        };
    }
    text
}

/// For all records: offset, position, move, outcome and ply.
type Held = (u64, Position, Option<Capture>, Option<Outcome>, Option<u32>);

fn read(text: &[u8], block_bytes: usize) -> (Vec<Held>, Vec<String>) {
    let (mut reader, codec) = Format::Pgn.open(text, block_bytes);
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    let mut decoded = Decoded::default();
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
            let swaplist::formats::Place::Offset(at) = record.place() else {
                panic!("{record:?}");
            };
            records.push((
                at,
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
    assert_eq!(
        Format::detect(text.as_bytes(), None),
        Detected::Format(Format::Pgn)
    );
    for block_bytes in [1, 1000, 1 << 20] {
        let (records, errors) = read(text.as_bytes(), block_bytes);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(records.len(), games.iter().flatten().count());
        for (record, sample) in records.iter().zip(games.iter().flatten()) {
            let (at, position, played, outcome, ply) = *record;
            assert_eq!(position, sample.position());
            assert_eq!(played, Capture::from_move(sample.played));
            assert_eq!(outcome, Some(sample.outcome));
            assert_eq!(ply, Some(sample.ply.into()));
            let san = SanPlus::from_move(sample.chess.clone(), sample.played).to_string();
            assert!(text[at as usize..].starts_with(&san), "{at} {san}");
        }
    }
}

#[test]
fn a_game_is_worth_its_positions_up_to_a_fault() {
    for (moves, positions, at, message) in [
        ("1. e4 e5 2. Ke3 Nf6 1-0", 2, 12, "illegal move 'Ke3'"),
        ("1. e4 hello 1-0", 1, 6, "'hello' is no move"),
        ("1. e4 1-0 e5", 1, 10, "behind the result"),
        ("1. e4 { no end 1-0", 1, 6, "a comment without an end"),
        ("1. e4 ( e5 1-0", 1, 15, "a variation without an end"),
        ("1. e4 ) e5 1-0", 1, 6, "')' without '('"),
        ("1. e4 e5 2. N", 2, 12, "is no move"),
        ("1. e4 e5", 2, 9, "as if cut off"),
    ] {
        let text = format!("{TAGS}{moves}\n{TAGS}1. d4 *\n");
        let (records, errors) = read(text.as_bytes(), 1 << 20);
        let place = format!("byte {}: ", TAGS.len() + at);
        assert_eq!(errors.len(), 1, "{moves} {errors:?}");
        assert!(
            errors[0].starts_with(&place) && errors[0].contains(message),
            "{errors:?}"
        );
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
        let (records, errors) = read(format!("{tag}\n\n1. e4 *").as_bytes(), 1 << 20);
        assert!(records.is_empty());
        assert!(
            errors[0].starts_with("byte 0: ") && errors[0].contains(message),
            "{errors:?}"
        );
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
        assert!(errors.is_empty() == whole || half, "{length} {errors:?}");
    }
}

#[test]
fn a_game_that_never_ends_is_an_error_in_bounded_memory() {
    let text = format!(
        "{TAGS}1. d4 *\n\n{TAGS}{}",
        "Nf3 Nf6 Ng1 Ng8 ".repeat(1 << 18)
    );
    let (records, errors) = read(text.as_bytes(), 1 << 16);
    assert_eq!(records.len(), 1);
    assert_eq!(
        errors,
        [format!(
            "byte {}: longer than 1048576 bytes",
            TAGS.len() + 9
        )]
    );
}

#[test]
fn nothing_is_converted_to_pgn() {
    let open = |format: Format| format.open(std::io::empty(), 1).1;
    let refused = |from, to| {
        Conversion::new(from, open(from), to)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(Format::Text, Format::Pgn).contains("pgn can only be read"));
    for to in [Format::Plain, Format::Viriformat, Format::Binpack] {
        assert!(Conversion::new(Format::Pgn, open(Format::Pgn), to).is_ok());
    }
}

/// The scores that a game's positions have, from the side to move.
fn scores(moves: &str) -> Vec<Option<i32>> {
    let text = format!("{TAGS}{moves}\n");
    let (mut reader, codec) = Format::Pgn.open(text.as_bytes(), 1 << 20);
    let mut decoded = Decoded::default();
    codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
    assert!(decoded.invalid.is_empty(), "{:?}", decoded.invalid);
    decoded
        .records
        .iter()
        .map(swaplist::formats::Record::score)
        .collect()
}

#[test]
fn evaluations_in_comments_are_scores_of_the_position_behind_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "1. e4 { [%eval 0.31] } e5 {good [%eval -1.25,22] [%clk 0:01:00]} 2. d4 *",
            vec![none, Some(-31), Some(-125)],
        ),
        (
            "{ [%eval 0.2] } 1. e4 { [%eval #4] } e5 { [%eval #-3] } 2. d4 { [%eval #-1] } d5 *",
            vec![Some(20), Some(-31_996), Some(-31_997), Some(31_999)],
        ),
        // In a variation, before any move, and not a number.
        (
            "1. e4 (1. d4 { [%eval 9] }) e5 { [%eval 12] } 2. d4 {[%eval ] [%evals 3]} d5 \
             3. c4 {[%eval 1e3]} c5 {[%eval #0]} 4. a3 {[%eval 99999]} a6 *",
            vec![none, none, Some(1200), none, none, none, none, none],
        ),
        ("1. e4 { good } e5 *", vec![None, None]),
        ("1. e4 (1. d4 { [%eval 9] }) e5 *", vec![None, None]),
        (
            "1. e4 { [%eval .5] [%eval 7] } e5 { [%eval +2] } 2. d4 { [%eval -0.005] } a6 *",
            vec![none, Some(-50), Some(200), Some(1)],
        ),
        // Of several scores the first valid one, in any comment.
        (
            "1. e4 {[%eval 0.1] [%eval 0.2]} {[%eval 0.3]} e5 {[%eval 0.4} {[%eval 0.5]} \
             (1... c5) {[%eval 0.6]} 2. d4 {[%eval 0.7} d5 *",
            vec![none, Some(-10), Some(50), none],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

/// cutechess and fastchess write the score of the position that was searched.
#[test]
fn scores_of_searches_are_of_the_position_before_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "1. e4 {book} e5 {+0.13/22 1.2s} 2. Nf3 {-0.50/9 0.049s} Nc6 {0.00/1 0s} *",
            vec![none, Some(13), Some(-50), Some(0)],
        ),
        (
            "1. f3 { +0.31/12 5s } e5 {+M3/9 1s} 2. g4 {-M2/5 0.2s} Qh4# {+M1/5 0s, Black mates} 0-1",
            vec![Some(31), Some(31_998), Some(-31_999), Some(31_999)],
        ),
        // Without a move, in a variation or after it: for no move of the main line.
        (
            "{+9.00/9 1s} 1. e4 (1. d4 {+8.00/9 1s}) {+7.00/9 1s} e5 {+0.10/9 1s} *",
            vec![none, Some(10)],
        ),
        ("1. e4 {book} e5 {book} *", vec![None, None]),
        // Both kinds: the searched score has priority, the other fills gaps.
        (
            "1. e4 {+0.20/9 1s} {[%eval 0.4]} e5 {[%eval 0.5]} 2. d4 {+0.60/9 1s} d5 *",
            vec![Some(20), Some(-40), Some(60), none],
        ),
        ("1. e4 {+0.20/9 1s} {+0.30/9 1s} e5 *", vec![Some(20), none]),
        // ChessBase's centipawns and depth.
        (
            "1. e4 {[%eval 31,18]} e5 {[%eval 0,31]} 2. d4 *",
            vec![none, Some(-31), Some(0)],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

#[test]
fn scores_of_games_reach_formats_that_need_one() {
    let text = format!(
        "{TAGS}1. e4 {{ [%eval 0.31] }} e5 {{ [%eval 0.4] }} 2. d4 1-0\n\n{TAGS}1. d4 1/2-1/2\n"
    );
    for to in [Format::Viriformat, Format::Binpack, Format::Sfbin] {
        let (mut reader, codec) = Format::Pgn.open(text.as_bytes(), 1 << 20);
        let conversion = Conversion::new(Format::Pgn, codec, to).unwrap();
        let (mut decoded, mut out) = (Decoded::default(), Vec::new());
        let block = reader.next_block().unwrap().unwrap();
        conversion.decode(&block, &mut decoded);
        let fates = Fates {
            records: &[Fate::Keep; 4],
            invalid: false,
        };
        conversion
            .encode(&block, &decoded, &fates, &mut out)
            .unwrap();
        let (mut reader, codec) = to.open(out.as_slice(), 1 << 20);
        codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
        let scores: Vec<_> = decoded.records.iter().map(|r| r.score().unwrap()).collect();
        assert_eq!(scores, [32002, -31, 40, 32002], "{to:?}");
    }
}

#[test]
fn damaged_games_do_no_harm() {
    let text = pgn(&games(23, 3)).into_bytes();
    let mut random = Random(5);
    for _ in 0..1500 {
        let mut damaged = text.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(damaged.len());
            damaged[at] = b"()[]{};%$\"\\ \n1O=x\xff\x00"[random.below(19)];
        }
        read(&damaged, 3000);
    }
}

/// Of each record: the move and the position.
fn moves(text: &str) -> Vec<(String, Position)> {
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
        ("0-0-0-0", "is no move"),
        ("e2--e4", "is no move"),
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
    assert_eq!(
        Format::detect(text.as_bytes(), None),
        Detected::Format(Format::Pgn)
    );
    for block_bytes in [1, 1 << 20] {
        let (records, errors) = read(text.as_bytes(), block_bytes);
        assert_eq!(errors, Vec::<String>::new());
        let at: Vec<_> = records.iter().map(|record| record.0 as usize).collect();
        let first = game.find("e4").unwrap();
        let second = first + game[first..].find("e5").unwrap();
        assert_eq!(at, [first, second, game.len() + first, game.len() + second]);
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

/// TCEC writes the score of the search for the move, from White's view.
#[test]
fn scores_of_tcec_are_of_the_position_before_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "{WhiteEngineOptions: Protocol=uci; Hash=9;, BlackEngineOptions: x=;} \
             1. e4 {book, mb=+0+0+0+0+0,} e5 {d=21, sd=57, pd=Nf3, mt=9, tl=9, s=9, n=9, \
             pv=e5 Nf3, tb=0, h=8.0, ph=0.0, wv=0.72, R50=50, Rd=-11, Rr=-11, mb=+0,} \
             2. Nf3 {d=33, n=9, wv=0.30, R50=49,} Nc6 {d=33, n=9, wv=-0.46, R50=48,} *",
            vec![none, Some(-72), Some(30), Some(46)],
        ),
        (
            "1. f3 {ev=-0.50, d=9, n=7, wv=-0.50,  } e5 {d=9, n=7, wv=-M5,} 2. g4 {d=9, wv=-M2,} \
             Qh4# {d=1, n=1, wv=-M1, Black mates} 0-1",
            vec![Some(-50), Some(31_997), Some(-31_999), Some(31_999)],
        ),
        // Not for the position after it, nor for a variation.
        (
            "1. e4 (1. d4 {wv=9.00}) e5 {wv=0.10} *",
            vec![none, Some(-10)],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
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
    let mut decoded = Decoded::default();
    let block = reader.next_block().unwrap().unwrap();
    for _ in 0..2 {
        codec.decode(&block, &mut decoded);
        let starts = [games[0].len() as u32, games[..5].concat().len() as u32];
        assert_eq!(decoded.contradicted, starts);
    }
    let results = decoded
        .records
        .iter()
        .map(|record| record.outcome().unwrap());
    let (won, lost) = (Outcome::White, Outcome::Black);
    assert!(results.eq([won, lost, won, won, lost, won]));
}

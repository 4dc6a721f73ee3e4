//! PGN as people and programs write it.

use swaplist_files::formats::{DecodedPart, Format, Outcome};

use super::common::boards::Random;
use super::pgn::{moves, read};

/// The moves of each game, with its number, and the errors; in blocks of any size.
fn games(text: impl AsRef<[u8]>) -> (Vec<(u64, String)>, Vec<String>) {
    let text = text.as_ref();
    let read = |block_bytes| {
        let (records, errors) = read(text, block_bytes);
        let mut games: Vec<(u64, String)> = Vec::new();
        for (game, _, played, ..) in records {
            let played = played.unwrap().to_string();
            match games.last_mut() {
                Some((last, moves)) if *last == game => {
                    moves.push(' ');
                    moves.push_str(&played);
                }
                _ => games.push((game, played)),
            }
        }
        (games, errors)
    };
    let whole = read(1 << 20);
    for block_bytes in [1, 7, 100] {
        assert_eq!(
            read(block_bytes),
            whole,
            "{}",
            String::from_utf8_lossy(text)
        );
    }
    whole
}

/// The same of a text without faults.
fn sound(text: impl AsRef<[u8]>) -> Vec<(u64, String)> {
    let (games, errors) = games(&text);
    let text = String::from_utf8_lossy(text.as_ref());
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    games
}

fn one(moves: &str) -> Vec<(u64, String)> {
    vec![(1, moves.to_owned())]
}

fn two(first: &str, second: &str) -> Vec<(u64, String)> {
    vec![(1, first.to_owned()), (2, second.to_owned())]
}

#[test]
fn a_bracket_in_a_comment_begins_no_game() {
    let long = "x".repeat(300);
    for comment in [
        "[I think so, at least.]",
        "[White could also play d4]",
        "[Event \"copied\"]",
        "[Event \"copied\"]\n[Site \"?\"]\n\n1. d4 d5",
        "\n\n[Event \"copied\"]\n\n1. d4 1-0\n",
        "% e5\n; e5\n[Ann",
        &long,
    ] {
        let text = format!(
            "[White \"W\"]\n\n1. e4 c5 2. Nf3 {{\n{comment}\n}} 2... d6 *\n\n[White \"X\"]\n\n1. c4 *\n"
        );
        assert_eq!(sound(&text), two("e2e4 c7c5 g1f3 d7d6", "c2c4"));
        // In a variation as well.
        let in_variation = text.replace('{', "(2. Nc3 {").replace('}', "})");
        assert_eq!(sound(&in_variation), two("e2e4 c7c5 g1f3 d7d6", "c2c4"));
    }
}

#[test]
fn a_comment_without_an_end_costs_only_its_game() {
    let other = "[White \"X\"]\n[Black \"Y\"]\n\n";
    for (rest, second) in [
        ("1. c4 e5 *\n", "c2c4 e7e5"),
        ("1. c4 {good} e5 *\n", "c2c4 e7e5"),
        ("{good}\n\n1. c4 *\n", "c2c4"),
    ] {
        for comment in [
            "{no end",
            "{no end\n1. d4",
            "{ a [bracket\n[bracket",
            "({no end",
        ] {
            let text = format!("[White \"W\"]\n\n1. e4 {comment}\n\n{other}{rest}");
            let (games, errors) = games(&text);
            assert_eq!(games, two("e2e4", second), "{text}");
            let start = "game 1: [White \"W\"] the comment '";
            let is_told = errors[0].starts_with(start) && errors[0].ends_with("has no end");
            assert!(errors.len() == 1 && is_told, "{errors:?}");
        }
    }
}

#[test]
fn what_is_before_tags_and_between_them() {
    for before in [
        "{ A file of\nopenings }\n\n",
        "% made by a tool\n",
        "; made by a tool\n",
        "\n",
        "  \r\n\t\n",
        "\u{feff}\n",
        "\u{feff}% made\n; so\n{too}\n \u{feff}",
        "{[Event \"old\"]\n[Event \"old\"]}\n",
    ] {
        let text = format!("{before}[White \"W\"]\n{before}[Black \"B\"]\n{before}1. e4 1-0\n\n");
        assert_eq!(
            Format::detect(text.as_bytes(), None),
            [Format::Pgn],
            "{text}"
        );
        assert_eq!(sound(&text), one("e2e4"), "{text}");
        assert_eq!(sound(text.repeat(2)), two("e2e4", "e2e4"), "{text}");
    }
    // By its name alone.
    for text in ["{only a comment", "x", "{} e4 e5 1-0"] {
        assert_eq!(Format::detect(text.as_bytes(), Some("pgn")), [Format::Pgn]);
        assert_eq!(Format::detect(text.as_bytes(), None), [Format::Text]);
    }
    let fen = "8/8/4k3/8/8/4K3/8/8 w - - 0 1\n";
    assert_eq!(Format::detect(fen.as_bytes(), Some("pgn")), [Format::Text]);
    assert_eq!(sound("{only a comment}\n; and another"), []);
}

#[test]
fn tags_hold_anything() {
    for tag in [
        r#"[Event "5th "M" Tournament"]"#,
        r#"[Event "a \"b\"]"#,
        r#"[Event "a \"] b"]"#,
        r#"[Event "C:\games\"]"#,
        r#"[Event "{ no comment; (no variation"]"#,
        r#"[Event ""]"#,
        r#"[Event "a" ]"#,
        r#"[Event "a"] [Site "b"]"#,
        r#"[Event "a"][Site "b"]  "#,
        r#"  [Event "a"]"#,
        r#"[Event "no end"#,
        "[Event]",
        "[Event none]",
        "[Event \"caf\u{e9} \u{bd}\"]",
    ] {
        let text = format!("{tag}\n[Result \"1-0\"]\n\n1. e4 1-0\n\n{tag}\n\n1. d4 0-1\n");
        assert_eq!(sound(&text), two("e2e4", "d2d4"), "{text}");
    }
    let castles = "[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1;\"] [SetUp \"1\"] O-O-O *";
    assert_eq!(sound(castles), one("e1a1"));
    // A FEN does not go over to the next game, also of two without moves.
    let fen = "[Event \"a\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n[Result \"1-0\"]\n\n";
    let text = format!("{fen}[Event \"b\"]\n\n1. e4 *\n");
    assert_eq!(sound(text), vec![(2, "e2e4".to_owned())]);
}

#[test]
fn games_without_tags_in_a_row() {
    let moves = ["1. e4 e5 1-0", "1. d4 d5 0-1"];
    for between in ["\n", "\n\n", " ", "\n{the second}\n", "\r\n\r\n"] {
        let text = moves.join(between);
        assert_eq!(sound(&text), two("e2e4 e7e5", "d2d4 d7d5"), "{text}");
    }
    assert_eq!(sound("e4 1-0\n\nd4 0-1\n"), two("e2e4", "d2d4"));
    assert_eq!(sound("e4 1-0\n\n{and}\nd4 0-1\n"), two("e2e4", "d2d4"));
    // The rest of a game is not another one.
    for text in [
        "1. e4 1-0 e5 2. d4 *",
        "1. e4 1-0 Nf6 1. d4 *",
        "1. e4 1-0 2. d5 *",
        "1. e4 1-0\n\n2. d5 *",
        "1. e4 1-0 1... d5 *",
    ] {
        let (games, errors) = games(format!("{text}\n\n[White \"X\"]\n\n1. c4 *"));
        assert_eq!(games, two("e2e4", "c2c4"), "{text}");
        let told = errors[0].starts_with("game 1: a move after the result");
        assert!(errors.len() == 1 && told, "{errors:?}");
    }
}

#[test]
fn a_missing_result_is_taken_from_the_tag_and_counted() {
    let game = |tag: &str, end: &str| format!("[White \"a\"]\n[Result \"{tag}\"]\n\n1. e4{end}");
    let text = [
        game("1-0", "\n\n"),
        game("0-1", " {so}\n"),
        game("1/2", " 1/2\n"),
        game("*", "\n"),
        game("\u{bd}-\u{bd}", "\n"),
    ]
    .concat();
    assert_eq!(sound(&text).len(), 5);
    let results = read(text.as_bytes(), 1 << 20)
        .0
        .into_iter()
        .map(|record| record.3);
    let white = Outcome::White;
    let draw = Outcome::Draw;
    let black = Outcome::Black;
    assert!(results.eq([Some(white), Some(black), Some(draw), None, Some(draw)]));
    let (mut reader, codec) = Format::Pgn.open(text.as_bytes(), 1 << 20);
    let mut decoded = DecodedPart::default();
    codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
    assert_eq!(decoded.notes.games.unended.len(), 4);
    // What is cut off has no end of a line, or no tag.
    for text in [game("1-0", ""), game("?", "\n"), "1. e4\n".to_owned()] {
        let (games, errors) = games(&text);
        assert_eq!((games, errors.len()), (one("e2e4"), 1));
        assert!(errors[0].ends_with("the game ends without a result, as if cut off"));
    }
}

#[test]
fn results_in_any_writing() {
    for (result, outcome) in [
        ("1/2", Outcome::Draw),
        ("1/2-1/2", Outcome::Draw),
        ("1/2 1/2-1/2", Outcome::Draw),
        ("\u{bd}-\u{bd}", Outcome::Draw),
        ("\u{bd}", Outcome::Draw),
        ("1\u{2013}0", Outcome::White),
        ("0\u{2014}1", Outcome::Black),
        ("1-0\n\x1a", Outcome::White),
        ("1-0 {Black resigns} \u{b1}", Outcome::White),
    ] {
        let (records, errors) = read(format!("1. e4 {result}\n").as_bytes(), 1 << 20);
        assert_eq!(errors, Vec::<String>::new(), "{result}");
        assert_eq!(records[0].3, Some(outcome), "{result}");
    }
    let (records, _) = read(b"1. e4 \xbd-\xbd\n", 1 << 20);
    assert_eq!(records[0].3, Some(Outcome::Draw));
    assert_eq!(
        Format::detect(b"[White \"M\xfcller\"]\n\n1. e4 *\n", None),
        [Format::Pgn]
    );
    assert_eq!(
        Format::detect(b"[White \"M\"]\n\n1. e4 *\n\x1a", None),
        [Format::Pgn]
    );
}

#[test]
fn annotations_are_passed_over() {
    let plain = moves("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *");
    for signs in [
        ["!", "?", "!?", "?!", "!!", "??"],
        [" $1", "$10", "! $14", "$2 {x}", " $139", " $6 $1"],
        ["\u{b1}", " \u{b1}", " +/=", "=", " =", " N"],
        [" \u{2213}", " +=", " =+", " -+", "+-", " \u{221e}"],
        [" N $146", "!N?", " D", "\u{2a72}", "!?\u{b1}", " +/-"]
            .map(|s| if s == "!N?" { " TN" } else { s }),
        [" ...", " !", " #", " <>", " \u{25a1}", " {a {b} } "],
        [
            " ; 1-0\n",
            "\n% 1-0\n",
            " [%clk 1]",
            " (1. d4)",
            " (1. d4 (Zz9 --))",
            "\n\n",
        ],
    ] {
        let mut text = String::new();
        for (played, sign) in "1.e4 1...d5 2.exd5 2...Qxd5 3.Nc3 3...Qa5"
            .split(' ')
            .zip(signs)
        {
            text.extend([played, sign, " "]);
        }
        assert_eq!(moves(&format!("{text}*")), plain, "{text}");
    }
}

#[test]
fn more_writings_of_moves() {
    let fen = "[FEN \"r3k2r/P5P1/8/3p4/4P3/5N2/8/R3K2R w KQkq - 0 1\"]\n\n";
    for (written, played) in [
        ("gxh8(Q)", "g7h8q"),
        ("g8(N)", "g7g8n"),
        ("g8=Q+!?", "g7g8q"),
        ("g8Q+", "g7g8q"),
        ("g8=q", "g7g8q"),
        ("g8/R", "g7g8r"),
        ("g7-g8=(B)", "g7g8b"),
        ("gxh8=Q#", "g7h8q"),
        ("O-O+", "e1h1"),
        ("0-0-0!", "e1a1"),
        ("exd5++", "e4d5"),
        ("ed5", "e4d5"),
        ("Nf3-d4+-", "f3d4"),
        ("Pe5", "e4e5"),
    ] {
        let found = moves(&format!("{fen}{written} *"));
        assert_eq!(found[0].0, played, "{written}");
    }
    let ep = "[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n";
    for written in [
        "exd6ep",
        "exd6 ep",
        "exd6 e.p.",
        "exd6e.p.+",
        "ed6",
        "exd6 e.p.! $1",
    ] {
        assert_eq!(moves(&format!("{ep}{written} *"))[0].0, "e5d6", "{written}");
    }
}

#[test]
fn what_is_not_a_move_is_named() {
    for (written, message) in [
        (
            "--",
            "'--' is a null move, not a move of chess (in the position 'rnbq",
        ),
        ("Z0", "'Z0' is a null move"),
        ("0000", "'0000' is a null move"),
        ("--!?", "'--!?' is a null move"),
        ("P-K4", "'P-K4' is not a move in UCI or SAN"),
        ("\u{2658}f6", "'\u{2658}f6' is not a move"),
        ("Sf6", "'Sf6' is not a move"),
        ("}", "'}' is not a move"),
        ("[e5", "'[' is not a move"),
        ("e4", "illegal move 'e4'"),
        ("0-0", "illegal move '0-0'"),
    ] {
        let (games, errors) = games(format!("1. e4 {written} 2. d4 1-0"));
        assert_eq!((games, errors.len()), (one("e2e4"), 1));
        assert!(
            errors[0].starts_with(&format!("game 1: {message}")),
            "{errors:?}"
        );
    }
}

#[test]
fn utf_16_is_named() {
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let text = "\u{feff}[Event \"a\"]\n\n1. e4 *\n".encode_utf16();
        let bytes: Vec<u8> = text.flat_map(to_bytes).collect();
        let (records, errors) = read(&bytes, 1 << 20);
        assert_eq!((records.len(), errors.len()), (0, 1));
        assert_eq!(errors[0], "game 1: this is UTF-16, save it as UTF-8");
    }
}

/// Whatever the text, blocks are cut where games begin in the whole.
#[test]
fn games_begin_at_the_same_places_in_blocks_of_any_size() {
    const PARTS: &str = "[Event \"x\"]\n|[A \"b\"] |[B \"c\n|\n|\n\n| |1. |2. |1... |e4 |e5 |N |ab|1-0 |1/2 |\
        *\n|{|}|(|)|;|%|%x\n|[|]|[%clk|1|0|-|{ok}|{c} |{\n[Event \"x\"]\n|\"|\\|\r\n|O-O ";
    let parts: Vec<&str> = PARTS.split('|').collect();
    let mut random = Random(7);
    for _ in 0..3000 {
        let length = 2 + random.below(25);
        let text: String = (0..length)
            .map(|_| parts[random.below(parts.len())])
            .collect();
        games(&text);
    }
}

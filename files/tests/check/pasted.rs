//! What is found in texts that people paste.

use std::time::{Duration, Instant};

use swaplist_files::check::answers;
use swaplist_files::pasted::{Game, Pasted, Refusal, games, read};

const CASES: &str = include_str!("pasted.txt");

struct Case<'a> {
    name: &'a str,
    text: String,
    expected: Vec<(&'a str, &'a str)>,
}

fn cases() -> Vec<Case<'static>> {
    let blocks = CASES.split("\n=== ").skip(1);
    let case = |block: &'static str| {
        let (name, rest) = block.split_once('\n').unwrap();
        let start = rest.find("--- ").filter(|&at| at == 0);
        let start = start.unwrap_or_else(|| rest.find("\n--- ").unwrap() + 1);
        let (text, expected) = rest.split_at(start);
        let pair = |line: &'static str| line.strip_prefix("--- ")?.split_once(' ');
        Case {
            name,
            text: text.strip_suffix('\n').unwrap_or(text).to_owned(),
            expected: expected.split('\n').filter_map(pair).collect(),
        }
    };
    blocks.map(case).collect()
}

/// What differs from what is expected.
fn differs(case: &Case<'_>, found: &Result<Pasted, Refusal>) -> Option<String> {
    let has_move = case.expected.iter().any(|(key, _)| *key == "move");
    for &(key, value) in &case.expected {
        let seen = match (key, found) {
            ("on", _) => continue,
            ("refused", Err(refusal)) if refusal.message.contains(value) => continue,
            (_, Err(refusal)) => refusal.message.clone(),
            ("fen", Ok(found)) => found.fen.clone(),
            ("move", Ok(found)) => found.named.clone().unwrap_or_default(),
            ("game", Ok(found)) => found.game.as_ref().map_or(0, Game::half_moves).to_string(),
            ("variations", Ok(found)) => found
                .game
                .as_ref()
                .map_or(0, |game| game.variations)
                .to_string(),
            ("used", Ok(found)) => {
                let parts = found.used.iter().map(|part| &case.text[part.clone()]);
                parts.collect::<Vec<_>>().join(" & ")
            }
            ("note", Ok(found)) if found.notes.iter().any(|note| note.contains(value)) => continue,
            (_, Ok(found)) => format!("{:?}", (&found.fen, &found.named, &found.notes)),
        };
        if seen != value {
            return Some(format!("{key}: {seen}, not {value}"));
        }
    }
    match found {
        Ok(found) if !has_move && found.named.is_some() => Some(format!("move: {found:?}")),
        _ => None,
    }
}

#[test]
fn each_text_gives_its_position_and_move() {
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        let standing = case.expected.iter().find(|(key, _)| *key == "on");
        let found = read(&case.text, standing.map(|(_, fen)| *fen));
        wrong.extend(differs(case, &found).map(|differs| format!("{}: {differs}", case.name)));
        for part in found.iter().flat_map(|found| &found.used) {
            assert!(
                case.text.get(part.clone()).is_some(),
                "{}: {part:?}",
                case.name
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// Texts of a megabyte that hold nothing, or too much: none takes more than linear time, which would be
/// minutes.
#[test]
fn hostile_texts_end_soon() {
    const LENGTH: usize = 300_000;
    // Most take a tenth of a second. What takes time by the square of its length takes minutes.
    const MOST: Duration = Duration::from_secs(10);
    let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
    let rows = "r n b q k b n r\n";
    for unit in [
        "/",
        "[",
        "(",
        "{",
        "\"",
        "7",
        "1.",
        "e4 e5 ",
        "1. e4 ",
        "e4 (",
        "[a \"",
        "[a \"b\"] ",
        "rnbqkbnr/",
        "%25",
        "&amp;",
        "\\",
        "startpos moves ",
        "1. Sf3 ",
        "1. Qh5 ",
        "(1. e4 {[\"",
        "8/8/8/8/8/8/8/8 w ",
        "Nf3 Nf6 Ng1 Ng8 ",
        "[FEN \"8/8/8/8/8/8/8/8 w - -\"]",
        rows,
        "|||||||||\n",
        "O-O-O ",
        "file://",
    ] {
        let text = unit.repeat(LENGTH / unit.len());
        for text in [
            text.clone(),
            format!("{fen} {text}"),
            format!("1. e4 e5 {text}"),
        ] {
            let start = Instant::now();
            let _ = read(&text, Some(fen));
            let _ = games(&text);
            let _ = answers(text.as_bytes()).count();
            assert!(start.elapsed() < MOST, "{unit:?}: {:?}", start.elapsed());
        }
    }
}

/// All games of a text, with their variations.
#[test]
fn games_follow_one_another() {
    let game = "[White \"Ann\"]\n[Black \"Ben \\\"B\\\"\"]\n\n1. e4 (1. d4 d5 (1... Nf6) 2. c4) 1... e5 2. Nf3 1-0\n\n";
    let found = games(&game.repeat(3));
    assert_eq!(found.len(), 3);
    for one in &found {
        assert_eq!(
            (one.half_moves(), one.variations, one.moves.len()),
            (3, 2, 7)
        );
        assert_eq!(one.players[0], "Ann");
        let before: Vec<_> = one.moves.iter().map(|played| played.before).collect();
        assert_eq!(
            before,
            [None, None, Some(1), Some(1), Some(2), Some(0), Some(5)]
        );
    }
    assert_eq!(games("1. e4 e5 2. Nf3 1-0 1. d4 d5 *").len(), 2);
}

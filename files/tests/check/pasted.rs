//! What is found in texts that people paste.

use swaplist_files::pasted::{Pasted, Refusal, read};

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
            ("game", Ok(found)) => found
                .game
                .as_ref()
                .map_or(0, |game| game.half_moves())
                .to_string(),
            ("variations", Ok(found)) => found
                .game
                .as_ref()
                .map_or(0, |game| game.variations)
                .to_string(),
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

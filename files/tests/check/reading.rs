//! What is read of a text.

use swaplist_files::check::{Answer, Claim, answers};

pub const FEN: &str = "6k1/1pp4p/p1pb4/6q1/3P1pRr/2P4P/PP1Br1P1/5RKN w - -";

/// The FEN, move and claim of each line.
pub fn read(text: &str) -> Vec<(String, String, Claim)> {
    let all = answers(text.as_bytes()).map(|answer| {
        let Answer {
            fen, capture, said, ..
        } = answer.unwrap_or_else(|error| panic!("{text}: {error}"));
        (fen, capture.to_string(), said)
    });
    all.collect()
}

/// What is wrong with lines.
pub fn errors(text: &str) -> Vec<String> {
    answers(text.as_bytes())
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect()
}

/// The numbers of all claims, and the notes.
pub fn values(text: &str) -> (Vec<i32>, Vec<String>) {
    let answers = answers(text.as_bytes());
    let notes = answers.notes.clone();
    let values = answers.map(|answer| match answer.unwrap().said {
        Claim::Value(value) => value,
        Claim::AtLeast { threshold, .. } => threshold,
    });
    (values.collect(), notes)
}

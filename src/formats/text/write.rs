//! Lines made of other formats: `FEN | score | result`, as far as they are known.

use std::io::Write as _;

use crate::formats::convert::Kept;
use crate::formats::{Outcome, turned_score};

pub(super) fn write(records: Kept<'_>, out: &mut Vec<u8>) {
    for record in records {
        record.state.write_fen(out);
        // Writing to memory does not fail.
        if let Some(score) = record.score {
            let _ = write!(out, " | {}", turned_score(score, record.board.turn()));
        }
        let result = record.record.outcome().map(|outcome| match outcome {
            Outcome::White => "1.0",
            Outcome::Draw => "0.5",
            Outcome::Black => "0.0",
        });
        let _ = match result {
            Some(result) if record.score.is_some() => write!(out, " | {result}"),
            Some(result) => write!(out, " [{result}]"),
            None => Ok(()),
        };
        out.push(b'\n');
    }
}

//! Writing lines `FEN | score | result`, with the fields that are known.

use crate::formats::convert::OutputRecords;
use crate::formats::{Outcome, turned_score};
use crate::notation::push_number;

pub(super) fn write(records: OutputRecords<'_>, out: &mut Vec<u8>) {
    for record in records {
        record.state.write_fen(out);
        if let Some(score) = record.score {
            out.extend_from_slice(b" | ");
            push_number(out, turned_score(score, record.board.turn).into());
        }
        let [before, behind]: [&[u8]; 2] = match record.score {
            Some(_) => [b" | ", b""],
            None => [b" [", b"]"],
        };
        if let Some(outcome) = record.record.outcome() {
            out.extend_from_slice(before);
            out.extend_from_slice(match outcome {
                Outcome::White => b"1.0",
                Outcome::Draw => b"0.5",
                Outcome::Black => b"0.0",
            });
            out.extend_from_slice(behind);
        }
        out.push(b'\n');
    }
}

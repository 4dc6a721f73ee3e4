//! Formats of which each record stands alone.

use std::io::Write as _;

use super::super::{EncodeError, Outcome, bulletformat, marlinformat, plain, sfbin, turned_score};
use super::{Entry, Sink};

/// Lines: `FEN | score | result`, as far as they are known.
pub(super) struct Text;

impl Sink for Text {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        entry.state.write_fen(out);
        let result = entry.outcome.map(|outcome| match outcome {
            Outcome::White => "1.0",
            Outcome::Draw => "0.5",
            Outcome::Black => "0.0",
        });
        if let Some(score) = entry.score {
            // Writing to memory does not fail.
            let _ = write!(out, " | {}", turned_score(score, entry.board.turn()));
        }
        match result {
            Some(result) if entry.score.is_some() => {
                let _ = write!(out, " | {result}");
            }
            Some(result) => {
                let _ = write!(out, " [{result}]");
            }
            None => {}
        }
        out.push(b'\n');
        Ok(())
    }
}

pub(super) struct Bulletformat;

impl Sink for Bulletformat {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let (score, result) = (entry.score()?, entry.result()?);
        let record = bulletformat::pack(&entry.state.position, score, result);
        out.extend_from_slice(&record);
        Ok(())
    }
}

pub(super) struct Marlinformat;

impl Sink for Marlinformat {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let (score, result) = (entry.white_score()?, entry.white_result()?);
        let record = marlinformat::pack(&entry.board, score, result);
        out.extend_from_slice(&record);
        Ok(())
    }
}

pub(super) struct Sfbin;

impl Sink for Sfbin {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let rest = sfbin::Rest {
            played: entry.played().ok(),
            score: entry.score()?,
            ply: entry.ply().min(u16::MAX.into()) as u16,
            result: entry.result()?.cast_signed() - 1,
        };
        out.extend_from_slice(&sfbin::pack(&entry.state, rest));
        Ok(())
    }
}

pub(super) struct Plain;

impl Sink for Plain {
    fn put(&mut self, entry: &Entry, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let result = match entry.outcome {
            Some(_) => Some(entry.result()?.cast_signed() - 1),
            None => None,
        };
        plain::write(
            &entry.state,
            entry.played().ok(),
            entry.score,
            entry.ply(),
            result,
            out,
        );
        Ok(())
    }
}

//! The built-in sample, as files of several formats.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _};
use swaplist::Position;
use swaplist::formats::{Conversion, Decoded, Fate, Fates, Format};

use super::data::Content;

/// Positions of games that the project played itself; see `examples/make_sample.rs`.
pub const TEXT: &str = include_str!("../../../data/sample.fen");

/// Games that are played on from some of them, for the format that holds games.
const GAMES: usize = 250;
const PLIES: usize = 40;

/// The sample as text, as records of 32 bytes, and games begun from it as a binpack.
pub fn files() -> Result<Vec<Content>> {
    let mut scored = String::new();
    for fen in TEXT.lines() {
        let _ = writeln!(scored, "{fen} | 0 | 0.5");
    }
    Ok(vec![
        Content {
            format: Format::Text,
            bytes: TEXT.as_bytes().to_vec(),
        },
        converted(&scored, Format::Text, Format::Bulletformat)?,
        converted(&games()?, Format::Plain, Format::Binpack)?,
    ])
}

fn converted(text: &str, from: Format, to: Format) -> Result<Content> {
    let (mut reader, codec) = from.open(text.as_bytes(), text.len());
    let codec = Conversion::new(from, codec, to)?;
    let (mut decoded, mut bytes) = (Decoded::default(), Vec::new());
    while let Some(block) = reader.next_block()? {
        use swaplist::formats::Codec as _;
        codec.decode(&block, &mut decoded);
        let fates = Fates {
            records: &vec![Fate::Keep; decoded.records.len()],
            invalid: false,
        };
        codec.encode(&block, &decoded, &fates, &mut bytes)?;
    }
    Ok(Content { format: to, bytes })
}

/// Games in Stockfish's plain text, each move drawn by the position itself.
fn games() -> Result<String> {
    let mut text = String::new();
    let lines = TEXT.lines().count();
    for fen in TEXT.lines().step_by((lines / GAMES).max(1)) {
        let fen: Fen = fen.parse().context("the sample")?;
        let mut chess: Chess = fen.into_position(CastlingMode::Standard)?;
        for ply in 0..PLIES {
            let moves = chess.legal_moves();
            let Some(&played) = moves.get(drawn(&chess, moves.len())) else {
                break;
            };
            write_record(&mut text, &chess, played, ply);
            chess.play_unchecked(played);
        }
    }
    Ok(text)
}

fn write_record(text: &mut String, chess: &Chess, played: Move, ply: usize) {
    let fen = Fen::from_position(chess, EnPassantMode::Legal);
    let played = played.to_uci(CastlingMode::Standard);
    // Scores that move as those of games do.
    let score = ply % 7 * 9;
    let _ = writeln!(
        text,
        "fen {fen}\nmove {played}\nscore {score}\nply {ply}\nresult 0\ne"
    );
}

/// One of so many, told by the planes.
fn drawn(chess: &Chess, bound: usize) -> usize {
    let planes = Position::try_from(chess).map_or([0; 4], |position| position.planes());
    let mixed = planes.iter().fold(0_u64, |sum, plane| {
        (sum ^ plane)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    });
    (mixed % bound.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_sample_can_be_read() {
        let files = files().unwrap();
        assert_eq!(files.len(), 3);
        for file in files {
            let (mut reader, codec) = file.format.open(file.bytes.as_slice(), 1 << 20);
            let (mut decoded, mut records) = (Decoded::default(), 0);
            while let Some(block) = reader.next_block().unwrap() {
                codec.decode(&block, &mut decoded);
                assert!(decoded.invalid.is_empty(), "{:?}", decoded.invalid.first());
                records += decoded.records.len();
            }
            assert!(records >= 5_000, "{}: {records}", file.format.name());
            // A binpack is worth its name only where chains are long.
            let bytes = file.bytes.len() / records;
            assert!(
                file.format != Format::Binpack || bytes <= 4,
                "{bytes} a record"
            );
        }
    }
}

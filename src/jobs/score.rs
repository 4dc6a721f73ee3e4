//! The exact SEE of each move.

use super::error::{Error, Result};
use super::fens::each_fen;
use super::job::Job;
use super::pipeline::{Step, Task};
use super::summary::Summary;
use super::verdict::Rows;
use crate::formats::{Block, Codec, Decoded};
use crate::notation::{Game, is_castling, push_number, push_san, push_uci};
use crate::{Batch, Capture, Evaluator, Position, Rules, for_each_noisy};

/// Which moves are scored for records without a played move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Moves {
    /// Captures, en passant, promotions.
    Noisy,
    /// Captures and en passant.
    Captures,
    /// All legal moves.
    All,
}

impl Job<'_> {
    /// Writes a row per move, or per record with all its moves.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left.
    pub fn score(
        self,
        moves: Moves,
        to: Rows,
        rules: &Rules,
        evaluator: &Evaluator,
    ) -> Result<Summary> {
        let task = Score {
            evaluator,
            rules,
            rules_text: rules.to_string(),
            moves,
            to,
        };
        let header = to.header("fen\tmove\tsee");
        self.run("score", &task, &header, Some(rules), &|summary| {
            summary.formats = None;
        })
    }
}

struct Score<'a> {
    evaluator: &'a Evaluator,
    rules: &'a Rules,
    rules_text: String,
    moves: Moves,
    to: Rows,
}

impl Task for Score<'_> {
    fn bytes_a_record(&self) -> usize {
        if self.moves == Moves::All { 3000 } else { 250 }
    }

    fn evaluator(&self) -> Option<&Evaluator> {
        Some(self.evaluator)
    }

    fn run(&self, mut step: Step<'_>) -> Result<()> {
        let (codec, block, decoded) = (step.codec, step.block, step.decoded);
        let mut slice = Slice::default();
        each_fen(codec, block, decoded, |record, fen| {
            if record == slice.end() {
                let batch = self.batch(codec, block, decoded, record)?;
                step.done.tally.moves += batch.len() as u64;
                slice = Slice {
                    start: record,
                    scores: self.evaluator.scores(&batch, self.rules),
                    batch,
                };
            }
            let range = slice.batch.range(record - slice.start);
            let captures = &slice.batch.captures()[range.clone()];
            let (moves, sees) = (captures, &slice.scores[range]);
            let mut rated = moves.iter().copied().zip(sees.iter().copied());
            let position = &decoded.positions[record];
            match self.to {
                // A line may name thousands of moves, each a row of its own.
                Rows::Tsv => {
                    while rated.len() > 0 {
                        tsv_rows(
                            fen,
                            position,
                            rated.by_ref().take(ROWS),
                            &mut step.done.data,
                        )?;
                        step.send_if_large()?;
                    }
                }
                Rows::Jsonl => {
                    let names_any =
                        self.moves == Moves::All || decoded.named_moves(record).is_some();
                    let game = names_any.then(|| game_of(fen)).transpose()?;
                    self.json_row(
                        fen,
                        position,
                        game.as_ref(),
                        (moves, sees),
                        &mut step.done.data,
                    )?;
                    step.send_if_large()?;
                }
            }
            Ok(())
        })?;
        step.done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

/// Rows of one record before large output is flushed.
const ROWS: usize = 1 << 13;

/// Moves per call of the evaluator: enough for a GPU, whatever the size of a block.
const SLICE: usize = 1 << 16;

/// Successive records of a block.
#[derive(Default)]
struct Slice {
    start: usize,
    batch: Batch,
    scores: Vec<i32>,
}

impl Slice {
    fn end(&self) -> usize {
        self.start + self.batch.positions().len()
    }
}

impl Score<'_> {
    /// The moves to score of the records from `start` on that fit in a slice; at least one
    /// record's.
    fn batch(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &Decoded,
        start: usize,
    ) -> Result<Batch> {
        let mut batch = Batch::new();
        let mut moves = Vec::new();
        for (record, position) in decoded.positions.iter().enumerate().skip(start) {
            if batch.len() >= SLICE {
                break;
            }
            if let Some(named) = decoded.named_moves(record) {
                moves.extend_from_slice(named);
            } else if self.moves == Moves::All {
                moves = game_of(&codec.fen(block, decoded, record))?.legal();
            } else {
                let captures_only = self.moves == Moves::Captures;
                for_each_noisy(position, |capture| {
                    if !captures_only || is_capture(position, capture) {
                        moves.push(capture);
                    }
                });
                moves.sort_unstable();
            }
            batch.push(*position, moves.drain(..));
        }
        Ok(batch)
    }

    /// `game` names the moves of lines that may name any move.
    fn json_row(
        &self,
        fen: &str,
        position: &Position,
        game: Option<&Game>,
        (moves, sees): (&[Capture], &[i32]),
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.extend_from_slice(br#"{"fen":"#);
        serde_json::to_writer(&mut *out, fen)?;
        out.extend_from_slice(br#","in_check":"#);
        serde_json::to_writer(&mut *out, &position.in_check())?;
        out.extend_from_slice(br#","moves":["#);
        for (i, (&capture, &see)) in moves.iter().zip(sees).enumerate() {
            out.extend_from_slice(if i == 0 {
                br#"{"uci":""#
            } else {
                br#",{"uci":""#
            });
            match game {
                Some(game) => out.extend_from_slice(game.uci(capture).as_bytes()),
                None => push_uci(out, capture),
            }
            out.extend_from_slice(br#"","san":""#);
            match game {
                Some(game) => out.extend_from_slice(game.san(capture).as_bytes()),
                None => push_san(out, position, capture, moves),
            }
            out.extend_from_slice(br#"","see":"#);
            push_number(out, see.into());
            out.push(b'}');
        }
        out.extend_from_slice(br#"],"rules":"#);
        serde_json::to_writer(&mut *out, &self.rules_text)?;
        out.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// Whether a noisy move captures: all but quiet promotions.
fn is_capture(position: &Position, capture: Capture) -> bool {
    capture.from().file() != capture.to().file() || position.piece_at(capture.to()).is_some()
}

fn game_of(fen: &str) -> Result<Game> {
    Game::of_fen(fen).map_err(|error| Error::refused(format!("'{fen}': {error}")))
}

fn tsv_rows(
    fen: &str,
    position: &Position,
    scored: impl Iterator<Item = (Capture, i32)>,
    out: &mut Vec<u8>,
) -> Result<()> {
    for (capture, see) in scored {
        out.extend_from_slice(fen.as_bytes());
        out.push(b'\t');
        if is_castling(position, capture) {
            out.extend_from_slice(game_of(fen)?.uci(capture).as_bytes());
        } else {
            push_uci(out, capture);
        }
        out.push(b'\t');
        push_number(out, see.into());
        out.push(b'\n');
    }
    Ok(())
}

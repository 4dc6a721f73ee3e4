//! `swaplist score`: the exact SEE of each move.

use anyhow::{Error, Result};
use clap::ValueEnum;
use serde::{Serialize, Serializer};
use swaplist::formats::{Block, Codec, Decoded};
use swaplist::{Batch, Capture, Evaluator, Position, for_each_noisy};

use super::Answer;
use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs};
use super::pipeline::{Ahead, Done, Task};
use super::rows::{Rows, To};
use super::stream;
use swaplist::notation::{self, Game, is_castling, push_number, push_uci};

/// The exact SEE of each noisy move, or of the moves that a line names.
///
/// Lines are FEN, EPD, `FEN | score | result`, or `FEN;m1 m2` where only the named
/// moves (UCI or SAN) are scored. Empty lines and lines that begin with # are
/// passed over.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were passed over, 2 could not run.

Examples:
  swaplist score games.fen -o scores.tsv
  echo '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5' | swaplist score --profile sf --values stockfish
  zstd -dc games.fen.zst | swaplist score --to jsonl | head -1")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// Which moves, where a line names none
    #[arg(long, help_heading = "Rows", value_enum, default_value_t = Moves::Noisy)]
    moves: Moves,

    /// How the scores are written
    #[arg(long, help_heading = "Rows", value_enum, default_value_t = To::Tsv)]
    to: To,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Moves {
    /// Captures, en passant, promotions
    Noisy,
    /// Captures and en passant
    Captures,
    /// All legal moves
    All,
}

pub fn run(args: &Args) -> Result<Answer> {
    let Args { input, output, .. } = args;
    let (stream, rows) = Rows::open(input, output, &args.backend, &args.rules, args.to)?;
    let task = Score {
        rows: &rows,
        moves: args.moves,
    };
    rows.write(stream, "fen\tmove\tsee", &task, "score", input)
}

struct Score<'a> {
    rows: &'a Rows,
    moves: Moves,
}

impl Task for Score<'_> {
    fn bytes_a_record(&self) -> usize {
        if self.moves == Moves::All { 3000 } else { 250 }
    }

    fn evaluator(&self) -> Option<&Evaluator> {
        Some(&self.rows.evaluator)
    }

    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()> {
        let mut slice = Slice::default();
        stream::each_fen(codec, block, decoded, |record, fen| {
            if record == slice.end() {
                slice = self.slice(codec, block, decoded, record)?;
                done.tally.moves += slice.batch.len() as u64;
            }
            let range = slice.batch.range(record - slice.start);
            let captures = &slice.batch.captures()[range.clone()];
            let (moves, sees) = (captures, &slice.scores[range]);
            let mut rated = moves.iter().copied().zip(sees.iter().copied());
            let position = &decoded.positions[record];
            match self.rows.to {
                // A line may name as many moves as fit in it; each is a row of its own.
                To::Tsv => {
                    while rated.len() > 0 {
                        tsv_rows(fen, position, rated.by_ref().take(ROWS), &mut done.data)?;
                        done.send_if_large(send)?;
                    }
                }
                To::Jsonl => {
                    self.json_row(fen, position, rated, &mut done.data)?;
                    done.send_if_large(send)?;
                }
            }
            Ok(())
        })?;
        done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

/// Rows of one record that are written before it is seen whether they are many.
const ROWS: usize = 1 << 13;

/// Moves scored at a time: as many as a GPU wants, whatever comes in a block.
const SLICE: usize = 1 << 16;

/// Some successive records of a block.
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
    /// The records from one on whose moves fit in a slice, scored; one at least.
    fn slice(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &Decoded,
        start: usize,
    ) -> Result<Slice> {
        let batch = self.batch(codec, block, decoded, start)?;
        let scores = self.rows.evaluator.scores(&batch, &self.rows.rules);
        Ok(Slice {
            start,
            batch,
            scores,
        })
    }

    /// The moves asked about.
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
                moves = Game::from_fen(&codec.fen(block, decoded, record))
                    .map_err(Error::msg)?
                    .legal();
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

    fn json_row(
        &self,
        fen: &str,
        position: &Position,
        scored: impl Iterator<Item = (Capture, i32)> + Clone,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let game = Game::from_fen(fen).map_err(Error::msg)?;
        let moves = scored.map(|(capture, see)| Move {
            uci: game.uci(capture),
            san: game.san(capture),
            see,
        });
        let row = Row {
            fen,
            in_check: position.in_check(),
            moves: OneByOne(moves),
            rules: &self.rows.rules_text,
        };
        serde_json::to_writer(&mut *out, &row)?;
        out.push(b'\n');
        Ok(())
    }
}

/// A noisy move that takes something: all but promotions straight ahead.
fn is_capture(position: &Position, capture: Capture) -> bool {
    capture.from().file() != capture.to().file() || position.piece_at(capture.to()).is_some()
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
            out.extend_from_slice(
                notation::Game::from_fen(fen)
                    .map_err(Error::msg)?
                    .uci(capture)
                    .as_bytes(),
            );
        } else {
            push_uci(out, capture);
        }
        out.push(b'\t');
        push_number(out, see.into());
        out.push(b'\n');
    }
    Ok(())
}

#[derive(Serialize)]
struct Row<'a, M: Serialize> {
    fen: &'a str,
    in_check: bool,
    moves: M,
    rules: &'a str,
}

/// Made as they are written: a line may name very many.
struct OneByOne<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for OneByOne<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

#[derive(Serialize)]
struct Move {
    uci: String,
    san: String,
    see: i32,
}

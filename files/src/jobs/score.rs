//! The exact SEE of each move.

use serde::Serialize;

use super::error::{Error, Result};
use super::job::Job;
use super::kind::JobKind;
use super::step::Step;
use super::summary::Summary;
use super::task::{Task, TaskSpec};
use super::verdict::{Rows, each_fen};
use crate::formats::{Codec, Required};
use crate::notation::{push_number, push_uci};
use swaplist::CaptureKind;
use swaplist::backend::Question;
use swaplist::choices;
use swaplist::notation::{MoveNames, san};
use swaplist::{Batch, Evaluator, PackedMove, Position, Rules, for_each_noisy};

choices! {
    "moves",
    /// Which moves are scored for records without a played move.
    pub enum Moves {
        /// Captures, en passant, promotions.
        Noisy = "noisy",
        /// Captures and en passant.
        Captures = "captures",
        /// All legal moves.
        All = "all",
    }
}

impl Job<'_> {
    /// Writes a row per move, or per record with all its moves.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left, unless only a [side
    /// file](Job::beside) cannot be written, as the message says.
    pub fn score(
        self,
        moves: Moves,
        to: Rows,
        rules: &Rules,
        evaluator: &Evaluator,
    ) -> Result<Summary> {
        let task = Score {
            rules: *rules,
            rules_text: rules.to_string(),
            moves,
            to,
        };
        let header = to.header("fen\tmove\tsee");
        self.run(task, &header, Some(evaluator))
    }
}

struct Score {
    rules: Rules,
    rules_text: String,
    moves: Moves,
    to: Rows,
}

impl Task for Score {
    fn spec(&self) -> TaskSpec {
        // A line of 60 bytes may become 16 KiB.
        let (bytes_a_record, most_bytes) = match self.moves {
            Moves::All => (3000, 1 << 16),
            _ => (250, 1 << 18),
        };
        TaskSpec {
            bytes_a_record,
            most_bytes,
            rules: Some(self.rules),
            required: Required::MOVES,
            ..TaskSpec::for_job(JobKind::Score)
        }
    }

    fn question<'a>(&self, codec: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        let decoded = &mut step.decoded;
        let batch = &mut step.batch;
        *batch = Batch::new();
        let mut moves = Vec::new();
        if self.moves == Moves::All {
            each_fen(codec, &step.block, decoded, |decoded, record, fen| {
                match decoded.named_moves(record) {
                    Some(named) => moves.extend_from_slice(named),
                    None => moves = game_of(fen)?.legal(),
                }
                batch.push(decoded.positions[record], moves.drain(..));
                Ok(())
            })?;
            return Ok(Some(Question::Scores(batch)));
        }
        for (record, position) in decoded.positions.iter().enumerate() {
            if let Some(named) = decoded.named_moves(record) {
                moves.extend_from_slice(named);
            } else {
                let captures_only = self.moves == Moves::Captures;
                for_each_noisy(position, |capture| {
                    if !captures_only || position.takes(capture) != CaptureKind::Nothing {
                        moves.push(capture);
                    }
                });
                moves.sort_unstable();
            }
            batch.push(*position, moves.drain(..));
        }
        Ok(Some(Question::Scores(batch)))
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let decoded = &mut step.decoded;
        let batch = &step.batch;
        let answers = &step.answers.scores;
        let done = &mut step.done;
        let data = &mut done.data;
        each_fen(codec, &step.block, decoded, |decoded, record, fen| {
            let range = batch.range(record);
            let moves = &batch.captures()[range.clone()];
            let sees = &answers[range];
            let position = &decoded.positions[record];
            match self.to {
                Rows::Tsv => {
                    let scored = moves.iter().copied().zip(sees.iter().copied());
                    tsv_rows(fen, position, scored, data)
                }
                Rows::Jsonl => {
                    let names_any =
                        self.moves == Moves::All || decoded.named_moves(record).is_some();
                    let game = names_any.then(|| game_of(fen)).transpose()?;
                    self.json_row(fen, position, game.as_ref(), (moves, sees), data)
                }
            }
        })?;
        done.tally.moves += batch.len() as u64;
        done.tally.records += decoded.records.len() as u64;
        Ok(())
    }

    fn sum_up(&self, summary: &mut Summary) {
        summary.formats = None;
    }
}

impl Score {
    /// Writes a record's row. `game` gives the moves their names; without it all of them are noisy
    /// moves, whose names are found without a list of the legal ones.
    fn json_row(
        &self,
        fen: &str,
        position: &Position,
        game: Option<&MoveNames>,
        (moves, sees): (&[PackedMove], &[i32]),
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let scored = moves.iter().zip(sees).map(|(&capture, &see)| {
            let [uci, san] = match game {
                Some(game) => game.names(capture),
                None => [capture.to_string(), san(position, capture, moves)],
            };
            MoveRow { uci, san, see }
        });
        let row = Row {
            fen,
            in_check: position.in_check(),
            moves: scored.collect(),
            rules: &self.rules_text,
        };
        serde_json::to_writer(&mut *out, &row)?;
        out.push(b'\n');
        Ok(())
    }
}

#[derive(Serialize)]
struct Row<'a> {
    fen: &'a str,
    in_check: bool,
    moves: Vec<MoveRow>,
    rules: &'a str,
}

#[derive(Serialize)]
struct MoveRow {
    uci: String,
    san: String,
    see: i32,
}

fn game_of(fen: &str) -> Result<MoveNames> {
    MoveNames::from_fen(fen).map_err(|error| Error::refused(format!("'{fen}': {error}")))
}

fn tsv_rows(
    fen: &str,
    position: &Position,
    scored: impl Iterator<Item = (PackedMove, i32)>,
    out: &mut Vec<u8>,
) -> Result<()> {
    for (capture, see) in scored {
        out.extend_from_slice(fen.as_bytes());
        out.push(b'\t');
        if position.takes(capture) == CaptureKind::Rook {
            let [uci, _] = game_of(fen)?.names(capture);
            out.extend_from_slice(uci.as_bytes());
        } else {
            push_uci(out, capture);
        }
        out.push(b'\t');
        push_number(out, see.into());
        out.push(b'\n');
    }
    Ok(())
}

//! `swaplist verdict`: what each position comes to.

use anyhow::Result;
use serde::{Serialize, Serializer};
use swaplist::formats::{Block, Codec, Decoded};
use swaplist::{Best, Capture, Evaluator, Verdict};

use super::Answer;
use super::options::{BackendArgs, InputArgs, OutputArgs, RulesArgs};
use super::pipeline::{Ahead, Done, Task};
use super::rows::{Rows, To};
use super::stream;
use swaplist::notation::{push_number, push_uci};

/// One row a position: in check, number of noisy moves, the best of them, and the
/// opponent's best if it were to move.
///
/// Noisy moves are legal captures, en passant and promotions. `best_see` and
/// `best_move` are empty where there is none; `threat_see` and `threat_move` are
/// the same for the opponent, and empty in check.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were passed over, 2 could not run.

Examples:
  swaplist verdict games.fen -o verdicts.tsv
  swaplist verdict games.fen --to jsonl --profile legal | head -1")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,

    /// How the verdicts are written
    #[arg(long, help_heading = "Rows", value_enum, default_value_t = To::Tsv)]
    to: To,

    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

const COLUMNS: &str = "fen\tin_check\tnoisy\tbest_see\tbest_move\tthreat_see\tthreat_move";

pub fn run(args: &Args) -> Result<Answer> {
    let Args { input, output, .. } = args;
    let (stream, rows) = Rows::open(input, output, &args.backend, &args.rules, args.to)?;
    rows.write(stream, COLUMNS, &Verdicts { rows: &rows }, "verdict", input)
}

struct Verdicts<'a> {
    rows: &'a Rows,
}

impl Task for Verdicts<'_> {
    fn bytes_a_record(&self) -> usize {
        match self.rows.to {
            To::Tsv => 85,
            To::Jsonl => 300,
        }
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
        let verdicts = self
            .rows
            .evaluator
            .verdicts(&decoded.positions, &self.rows.rules, true);
        stream::each_fen(codec, block, decoded, |record, fen| {
            let verdict = &verdicts[record];
            done.tally.moves += u64::from(verdict.noisy);
            match self.rows.to {
                To::Tsv => tsv_row(fen, verdict, &mut done.data),
                To::Jsonl => self.json_row(fen, verdict, &mut done.data)?,
            }
            done.send_if_large(send)
        })?;
        done.tally.records += verdicts.len() as u64;
        Ok(())
    }
}

impl Verdicts<'_> {
    fn json_row(&self, fen: &str, verdict: &Verdict, out: &mut Vec<u8>) -> Result<()> {
        let uci = |best: Best| Uci(best.capture);
        let row = Row {
            fen,
            in_check: verdict.in_check,
            noisy: verdict.noisy,
            best_see: verdict.best.map(|best| best.see),
            best_move: verdict.best.map(uci),
            threat_see: verdict.threat.map(|threat| threat.see),
            threat_move: verdict.threat.map(uci),
            rules: &self.rows.rules_text,
        };
        serde_json::to_writer(&mut *out, &row)?;
        out.push(b'\n');
        Ok(())
    }
}

fn tsv_row(fen: &str, verdict: &Verdict, out: &mut Vec<u8>) {
    out.extend_from_slice(fen.as_bytes());
    out.extend_from_slice(if verdict.in_check { b"\t1\t" } else { b"\t0\t" });
    push_number(out, verdict.noisy.into());
    for best in [verdict.best, verdict.threat] {
        out.push(b'\t');
        if let Some(best) = best {
            push_number(out, best.see.into());
        }
        out.push(b'\t');
        if let Some(best) = best {
            push_uci(out, best.capture);
        }
    }
    out.push(b'\n');
}

/// A move, as text that is written without being made first.
struct Uci(Capture);

impl Serialize for Uci {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

#[derive(Serialize)]
struct Row<'a> {
    fen: &'a str,
    in_check: bool,
    noisy: u32,
    best_see: Option<i32>,
    best_move: Option<Uci>,
    threat_see: Option<i32>,
    threat_move: Option<Uci>,
    rules: &'a str,
}

//! The verdict on each position.

use serde::Serialize;

use super::block_output::BlockOutput;
use super::error::Result;
use super::job::Job;
use super::kind::JobKind;
use super::step::Step;
use super::summary::Summary;
use super::task::{Task, TaskSpec};
use crate::formats::{Block, Codec, DecodedPart};
use crate::notation::{push_number, push_uci};
use swaplist::backend::Question;
use swaplist::choices;
use swaplist::{Best, Evaluator, Rules, Sides, Verdict};

choices! {
    "format of rows",
    /// The format of rows.
    pub enum Rows {
        /// Tab-separated columns, under a header.
        Tsv = "tsv",
        /// One JSON object per line.
        Jsonl = "jsonl",
    }
}

impl Rows {
    pub(super) fn header(self, columns: &str) -> Vec<u8> {
        match self {
            Rows::Tsv => format!("{columns}\n").into_bytes(),
            Rows::Jsonl => Vec::new(),
        }
    }
}

/// Calls `found` with the number and the FEN of each record of a decoded part, in order, and stops
/// at its first error. A file of FENs gives them as they are written there; of other formats they
/// are made.
pub(super) fn each_fen(
    codec: &Codec,
    block: &Block,
    decoded: &mut DecodedPart,
    mut found: impl FnMut(&DecodedPart, usize, &str) -> Result<()>,
) -> Result<()> {
    if decoded.fen(block, 0).is_none() {
        // A FEN also has castling rights and clocks, which are decoded only where they are needed.
        codec.states(block, decoded);
    }
    let mut written = Vec::new();
    for record in 0..decoded.records.len() {
        if let Some(fen) = decoded.fen(block, record) {
            found(decoded, record, &fen)?;
        } else {
            written.clear();
            decoded.record(record).write_fen(&mut written);
            found(decoded, record, &String::from_utf8_lossy(&written))?;
        }
    }
    Ok(())
}

const COLUMNS: &str = "fen\tin_check\tnoisy\tbest_see\tbest_move\tthreat_see\tthreat_move\tthreats";

impl Job<'_> {
    /// Writes a row per position: check, number of noisy moves, the best of them, the opponent's
    /// best if it were to move, on how many squares the opponent could win, and, if
    /// [`Options::quiescence`](super::Options::quiescence) gives a depth, [`Rules::quiescence`].
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) of any kind; then no output file is left, unless only a [side
    /// file](Job::beside) cannot be written, as the message says.
    pub fn verdict(self, to: Rows, rules: &Rules, evaluator: &Evaluator) -> Result<Summary> {
        let quiescence = self.options.quiescence;
        let task = Verdicts {
            rules: *rules,
            rules_text: rules.to_string(),
            quiescence,
            to,
        };
        let more = quiescence.map_or("", |_| "\tquiescence");
        let header = to.header(&format!("{COLUMNS}{more}"));
        self.run(task, &header, Some(evaluator))
    }
}

struct Verdicts {
    rules: Rules,
    rules_text: String,
    /// The depth of quiescence, if asked for.
    quiescence: Option<u32>,
    to: Rows,
}

impl Task for Verdicts {
    fn spec(&self) -> TaskSpec {
        TaskSpec {
            // About the length of a row, for the plan of memory.
            bytes_a_record: match self.to {
                Rows::Tsv => 85,
                Rows::Jsonl => 300,
            },
            rules: Some(self.rules),
            ..TaskSpec::for_job(JobKind::Verdict)
        }
    }

    fn question<'a>(&self, _: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &step.decoded.positions,
            sides: Sides::Both,
        }))
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let verdicts = &step.answers.verdicts;
        let (decoded, BlockOutput { data, tally, .. }) = (&mut step.decoded, &mut step.done);
        each_fen(codec, &step.block, decoded, |decoded, record, fen| {
            let verdict = &verdicts[record];
            tally.moves += u64::from(verdict.noisy());
            let position = &decoded.positions[record];
            let quiescence = self
                .quiescence
                .map(|depth| self.rules.quiescence(position, depth));
            match self.to {
                Rows::Tsv => tsv_row(fen, verdict, quiescence, data),
                Rows::Jsonl => self.json_row(fen, verdict, quiescence, data)?,
            }
            Ok(())
        })?;
        tally.records += decoded.records.len() as u64;
        Ok(())
    }

    fn sum_up(&self, summary: &mut Summary) {
        // Rows are not records of a format.
        summary.formats = None;
    }
}

impl Verdicts {
    fn json_row(
        &self,
        fen: &str,
        verdict: &Verdict,
        quiescence: Option<i32>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let uci = |best: Best| best.capture.to_string();
        let row = Row {
            fen,
            in_check: verdict.in_check(),
            noisy: verdict.noisy(),
            best_see: verdict.best().map(|best| best.see),
            best_move: verdict.best().map(uci),
            threat_see: verdict.threat().map(|threat| threat.see),
            threat_move: verdict.threat().map(uci),
            threats: threats(verdict),
            quiescence,
            rules: &self.rules_text,
        };
        serde_json::to_writer(&mut *out, &row)?;
        out.push(b'\n');
        Ok(())
    }
}

fn tsv_row(fen: &str, verdict: &Verdict, quiescence: Option<i32>, out: &mut Vec<u8>) {
    out.extend_from_slice(fen.as_bytes());
    out.extend_from_slice(if verdict.in_check() {
        b"\t1\t"
    } else {
        b"\t0\t"
    });
    push_number(out, verdict.noisy().into());
    for best in [verdict.best(), verdict.threat()] {
        out.push(b'\t');
        if let Some(best) = best {
            push_number(out, best.see.into());
        }
        out.push(b'\t');
        if let Some(best) = best {
            push_uci(out, best.capture);
        }
    }
    out.push(b'\t');
    if let Some(threats) = threats(verdict) {
        push_number(out, threats.into());
    }
    if let Some(quiescence) = quiescence {
        out.push(b'\t');
        push_number(out, quiescence.into());
    }
    out.push(b'\n');
}

/// On how many squares the opponent could win; `None` in check.
fn threats(verdict: &Verdict) -> Option<u8> {
    (!verdict.in_check()).then_some(verdict.threats())
}

#[derive(Serialize)]
struct Row<'a> {
    fen: &'a str,
    in_check: bool,
    noisy: u32,
    best_see: Option<i32>,
    best_move: Option<String>,
    threat_see: Option<i32>,
    threat_move: Option<String>,
    threats: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quiescence: Option<i32>,
    rules: &'a str,
}

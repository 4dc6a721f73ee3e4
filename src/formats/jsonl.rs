//! Lichess' evaluations: a line of JSON a position.
//!
//! ```text
//! {"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[{"pvs":[{"cp":0,"line":"e3e4"}],"knodes":9,"depth":20}]}
//! ```
//!
//! The score is that of the first line of the deepest evaluation, of the one with
//! more nodes among equals. A mate in n moves counts [`MATE`] - n. No move is
//! taken as played. Lines are kept byte for byte, and none is made of other
//! formats.

use core::ops::Range;
use std::borrow::Cow;

use serde::Deserialize;
use shakmaty::Color;

use super::fixed::slice;
use super::text::{decode_lines, quoted};
use super::{
    Block, Codec, Decoded, EncodeError, Fates, MAX_MATE, Place, Reason, Record, TextCodec,
};
use crate::Position;

pub use super::MATE;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(default)]
    evals: Vec<Evaluation>,
}

#[derive(Deserialize)]
struct Evaluation {
    pvs: Vec<Variation>,
    #[serde(default)]
    knodes: u64,
    #[serde(default)]
    depth: u32,
}

/// White's score; one of the two.
#[derive(Deserialize)]
struct Variation {
    cp: Option<i32>,
    mate: Option<i32>,
}

impl Variation {
    fn score(&self) -> Option<i32> {
        let mate = |moves: i32| {
            let score = MATE - moves.unsigned_abs().min(MAX_MATE).cast_signed();
            if moves < 0 { -score } else { score }
        };
        self.cp
            .filter(|&cp| cp != i32::MIN)
            .or_else(|| self.mate.map(mate))
    }
}

/// Whether text begins like a line.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{\"")
}

/// Decodes lines, and keeps them as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonlCodec;

impl Codec for JsonlCodec {
    fn decode(&self, block: &Block, into: &mut Decoded) {
        decode_lines(block, into, decode);
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        let line = slice(block, &decoded.records[record].span());
        match serde_json::from_slice::<Line<'_>>(line.trim_ascii()) {
            Ok(line) => line.fen,
            Err(_) => decoded.positions[record].to_string().into(),
        }
    }

    fn encode(
        &self,
        block: &Block,
        decoded: &Decoded,
        fates: &Fates<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        TextCodec.encode(block, decoded, fates, out)
    }
}

fn decode(line: &[u8], place: Place, span: Range<u32>, into: &mut Decoded) -> Result<(), Reason> {
    let content = line.trim_ascii();
    if content.is_empty() {
        return Ok(());
    }
    let parsed: Line<'_> = serde_json::from_slice(content).map_err(|error| {
        let start = quoted(&content[..content.len().min(60)]);
        Reason::Other(format!("'{start}' is no evaluation in JSON: {error}"))
    })?;
    let position: Position = parsed.fen.parse().map_err(Reason::Position)?;
    let deepest = parsed
        .evals
        .iter()
        .max_by_key(|evaluation| (evaluation.depth, evaluation.knodes));
    let score = deepest.and_then(|evaluation| evaluation.pvs.first()?.score());
    let relative = |score: i32| match position.turn() {
        Color::White => score,
        Color::Black => -score,
    };
    into.records
        .push(Record::new(place, span).with_score(score.map(relative)));
    into.positions.push(position);
    Ok(())
}

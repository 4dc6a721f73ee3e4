//! Lichess's evaluations: a line of JSON per position.
//!
//! ```text
//! {"fen":"8/8/4k3/8/8/4K3/8/8 w - -","evals":[{"pvs":[{"cp":0,"line":"e3e4"}],"knodes":9,"depth":20}]}
//! ```
//!
//! The score is that of the first line of the deepest evaluation, with the most nodes among
//! equals. A mate in n moves is [`MATE`] - n. The first move of that line is the played move,
//! if it is legal. Lines are kept byte for byte; other formats cannot be converted to it.
//!
//! [`MATE`]: super::MATE

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::legal::{Proof, is_legal};
use super::row::{Detect, Row};
use super::text::{decode_lines, quoted, unmarked, whole_lines};
use super::{DecodedPart, Field, Invalid, Record, RecordFields, mate_score, parse_move};
use crate::{Capture, Position};

#[derive(serde::Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(borrow, default)]
    evals: Vec<Evaluation<'a>>,
}

#[derive(serde::Deserialize)]
struct Evaluation<'a> {
    #[serde(borrow)]
    pvs: First<Variation<'a>>,
    #[serde(default)]
    knodes: u64,
    #[serde(default)]
    depth: u32,
}

/// White's score, one of the two, and moves in UCI.
#[derive(serde::Deserialize)]
struct Variation<'a> {
    cp: Option<i32>,
    mate: Option<i32>,
    #[serde(borrow, default)]
    line: Cow<'a, [u8]>,
}

/// The first element of an array. The others are not read, only skipped.
struct First<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<First<T>, D::Error> {
        from.deserialize_seq(First(None))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for First<T> {
    type Value = First<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<First<T>, A::Error> {
        let first = array.next_element()?;
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(First(first))
    }
}

impl Variation<'_> {
    fn score(&self) -> Option<i32> {
        self.cp
            .filter(|&cp| cp != i32::MIN)
            .or_else(|| self.mate.map(mate_score))
    }

    fn played(&self, fen: &str, position: &Position) -> Option<Capture> {
        let first = self.line.split(u8::is_ascii_whitespace).next()?;
        let played = parse_move(first, fen.as_bytes(), position).ok()??;
        let record = Record::of_fen(fen, *position);
        is_legal(&record, played, Proof::Nothing).then_some(played)
    }
}

pub(super) const ROW: Row = Row {
    extensions: &["jsonl"],
    detect: Detect::Begins(|text| unmarked(text).trim_ascii_start().starts_with(b"{\"")),
    lacks: &[Field::Clocks, Field::Result],
    forms: &[(Field::Played, "a legal first move in the best line")],
    ..Row::of_lines("jsonl", whole_lines, |_, block, _, _, into| {
        let after = block.bytes.len();
        decode_lines(block, into, |line, record, into| {
            decode(line, record, after, into)
        });
        None
    })
};

/// Adds a line's record; escaped FENs are noted as `after` the block.
fn decode(
    line: &[u8],
    record: RecordFields,
    after: usize,
    into: &mut DecodedPart,
) -> Result<(), Invalid> {
    let content = unmarked(line).trim_ascii();
    if content.is_empty() {
        return Ok(());
    }
    let parsed: Line<'_> = serde_json::from_slice(content).map_err(|error| {
        let start = quoted(&content[..content.len().min(60)]);
        Invalid::other(format!("'{start}' is not an evaluation in JSON: {error}"))
    })?;
    let position: Position = parsed.fen.parse()?;
    let deepest = parsed
        .evals
        .iter()
        .max_by_key(|evaluation| (evaluation.depth, evaluation.knodes));
    let best = deepest.and_then(|evaluation| evaluation.pvs.0.as_ref());
    let score = best.and_then(Variation::score);
    let played = best.and_then(|best| best.played(&parsed.fen, &position));
    let relative = |score: i32| position.turn().fold_wb(score, -score);
    let record = record.with_played(played).with_score(score.map(relative));
    match parsed.fen {
        Cow::Borrowed(fen) => into.add(line, fen.as_bytes(), position, record),
        Cow::Owned(fen) => {
            let start = after + into.unescaped.len();
            into.unescaped.extend_from_slice(fen.as_bytes());
            let end = after + into.unescaped.len();
            into.fens.push(start as u32..end as u32);
            into.positions.push(position);
            into.records.push(record);
        }
    }
    Ok(())
}

//! Lichess's evaluations: a line of JSON per position.
//!
//! ```text
//! {"fen":"8/8/4k3/8/8/4K3/8/8 w -
//! -","evals":[{"pvs":[{"cp":0,"line":"e3e4"}],"knodes":9,"depth":20}]}
//! ```
//!
//! The score is that of the first line of the deepest evaluation, with the most nodes among equals.
//! A mate in n moves is [`MATE`] - n; a mate in 0 is one of the side to move. The first move of
//! that line is the played move, if it is legal. Lines are kept byte for byte; other formats cannot
//! be converted to it.
//!
//! The same evaluations as a table have a line for each variation:
//!
//! ```text
//! {"fen":"8/8/4k3/8/8/4K3/8/8 w - -","line":"e3e4","depth":20,"knodes":9,"cp":0,"mate":null}
//! ```
//!
//! [`MATE`]: super::MATE

use core::fmt;
use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::isa::Features;
use super::legal::{Proof, is_legal};
use super::notes::Unread;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::text::{decode_lines, first_lines, quoted, unmarked, whole_lines};
use super::{
    Block, DecodedPart, Fault, Field, Invalid, MATE, Record, RecordFields, mate_score, parse_move,
};
use swaplist::{PackedMove, Position};

#[derive(serde::Deserialize)]
struct Line<'a> {
    // In upper and lower case, as the column of a table.
    #[serde(
        borrow,
        alias = "FEN",
        alias = "Fen",
        alias = "FEn",
        alias = "FeN",
        alias = "fEN",
        alias = "fEn",
        alias = "feN"
    )]
    fen: Cow<'a, str>,
    #[serde(borrow, default)]
    evals: Deepest<'a>,
    /// A variation of its own, if there are no evaluations.
    #[serde(borrow)]
    cp: Option<Value<'a>>,
    #[serde(borrow)]
    mate: Option<Value<'a>>,
    #[serde(borrow)]
    #[serde(rename = "line")]
    variation: Option<Value<'a>>,
}

/// What other files may have under a known key.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Value<'a> {
    /// Some tools write whole numbers as `5.0`.
    Number(f64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Other(IgnoredAny),
}

impl Value<'_> {
    /// The number, if it is a whole one.
    #[allow(clippy::cast_possible_truncation, clippy::float_cmp)] // it is one
    fn whole(&self) -> Option<i32> {
        match self {
            Value::Number(number) if f64::from(*number as i32) == *number => Some(*number as i32),
            _ => None,
        }
    }
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

impl Evaluation<'_> {
    fn rank(&self) -> (u32, u64) {
        (self.depth, self.knodes)
    }
}

/// White's score, one of the two, and moves in UCI.
#[derive(serde::Deserialize)]
struct Variation<'a> {
    cp: Option<i32>,
    mate: Option<i32>,
    #[serde(borrow, default)]
    line: Cow<'a, [u8]>,
}

/// The deepest element of an array, of several the last of those with the most nodes. A line may
/// have a hundred thousand, so they are not collected.
#[derive(Default)]
struct Deepest<'a>(Option<Evaluation<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Deepest<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Deepest<'a>, D::Error> {
        from.deserialize_seq(Deepest(None))
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Deepest<'a> {
    type Value = Deepest<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<Deepest<'a>, A::Error> {
        while let Some(next) = array.next_element::<Evaluation<'a>>()? {
            if self
                .0
                .as_ref()
                .is_none_or(|best| best.rank() <= next.rank())
            {
                self.0 = Some(next);
            }
        }
        Ok(self)
    }
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

/// White's score of a variation, as the side to move's. A mate in 0 has no sign: the side to move
/// is mated.
fn relative(cp: Option<i32>, mate: Option<i32>, position: &Position) -> Option<i32> {
    let of_white = |score: i32| position.turn().fold_wb(score, -score);
    match (cp.filter(|&cp| cp != i32::MIN), mate) {
        (Some(cp), _) => Some(of_white(cp)),
        (None, Some(0)) => Some(-MATE),
        (None, mate) => mate.map(mate_score).map(of_white),
    }
}

/// The first move of a line, if it is legal.
fn first_move(line: &[u8], fen: &str, position: &Position) -> Option<PackedMove> {
    let first = line.split(u8::is_ascii_whitespace).next()?;
    let played = parse_move(fen.as_bytes(), position, first).ok()??;
    let record = Record::from_fen(fen, *position);
    is_legal(&record, played, Proof::Nothing).then_some(played)
}

impl Line<'_> {
    /// The record with the score and the move of its own variation. A score that cannot be read is
    /// noted.
    fn with_own(
        &self,
        position: &Position,
        record: RecordFields,
        into: &mut DecodedPart,
    ) -> RecordFields {
        let mut number = |key: &str, value: &Option<Value<'_>>| {
            let value = value.as_ref()?;
            let whole = value.whole();
            if whole.is_none() {
                let message = format!("'{key}' is not a whole number");
                into.notes.fens.unread.push(Unread {
                    record: into.records.len(),
                    field: Some(Field::Score),
                    fault: Invalid::new(Fault::Score, message),
                });
            }
            whole
        };
        let cp = number("cp", &self.cp);
        let mate = number("mate", &self.mate);
        let score = relative(cp, mate, position);
        let played = match &self.variation {
            Some(Value::Text(line)) if score.is_some() => {
                first_move(line.as_bytes(), &self.fen, position)
            }
            _ => None,
        };
        record.with_played(played).with_score(score)
    }
}

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["jsonl"],
    lacks: &[Field::Clocks, Field::Result],
    held_as: &[(Field::Played, "a legal first move in the best line")],
    ..FormatSpec::for_text("jsonl", &Jsonl)
};

struct Jsonl;

impl FormatCode for Jsonl {
    fn begins(&self, head: &[u8]) -> bool {
        let object = unmarked(head).trim_ascii_start().strip_prefix(b"{");
        object.is_some_and(|members| members.trim_ascii_start().starts_with(b"\""))
    }

    fn whole_records(&self, text: &[u8]) -> WholeRecords {
        WholeRecords::from_length(whole_lines(text))
    }

    fn first_records(&self, whole: &[u8], lines: usize) -> usize {
        first_lines(whole, lines)
    }

    fn decode_block(&self, _: Features, block: &Block, part: &mut DecodedPart) {
        let block_length = block.bytes.len();
        decode_lines(block, part, |line, record, part| {
            decode(line, record, block_length, part)
        });
    }
}

/// Adds a line's record. A FEN with escapes in it is noted after the `block_length` bytes of the
/// block.
fn decode(
    line: &[u8],
    record: RecordFields,
    block_length: usize,
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
    let record = if let Some(deepest) = &parsed.evals.0 {
        let best = deepest.pvs.0.as_ref();
        let score = best.and_then(|best| relative(best.cp, best.mate, &position));
        let played = best.and_then(|best| first_move(&best.line, &parsed.fen, &position));
        record.with_played(played).with_score(score)
    } else {
        parsed.with_own(&position, record, into)
    };
    match parsed.fen {
        Cow::Borrowed(fen) => into.add(line, fen.as_bytes(), position, record),
        Cow::Owned(fen) => into.add_rewritten(block_length, fen.as_bytes(), position, record),
    }
    Ok(())
}

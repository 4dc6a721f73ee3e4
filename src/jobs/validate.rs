//! Validating records.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionErrorKinds, Setup};

use super::error::{ErrorKind, Result};
use super::job::Job;
use super::pipeline::{Done, Memory, Part, Task};
use super::shown::{Lines, grouped};
use super::summary::Summary;
use crate::backend::Answers;
use crate::formats::{Decoded, Place, Record, RecordFields};

impl Job<'_> {
    /// Checks that each record decodes, that its position and played move are legal, and that
    /// games and chains hold together. Finds all faults, not only the first.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) if the input cannot be read; damaged input is a fault, not an
    /// error.
    pub fn validate(mut self) -> Result<Validated> {
        let (name, format) = (self.input.name.clone(), self.converting.from.name());
        let task = Validating {
            faults: Mutex::default(),
        };
        self.skip_invalid = true;
        let ran = self.run("validate", &task, &[], None, &|_| {});
        let (summary, broken) = match ran {
            Ok(summary) => (Some(summary), None),
            Err(error) if *error.kind() == ErrorKind::Broken => {
                let text = error.to_string();
                let place = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
                (None, Some(place.to_owned()))
            }
            Err(error) => return Err(error),
        };
        let faults = task.faults.into_inner().unwrap_or_default();
        Ok(Validated {
            name,
            format,
            summary,
            broken,
            faults,
        })
    }
}

/// Places listed per kind of fault.
const PLACES: usize = 3;

/// Faults of one kind.
#[derive(Clone, Debug, Default)]
struct Kind {
    count: u64,
    /// The first ones, in order.
    places: Vec<(Place, String)>,
}

#[derive(Clone, Debug, Default)]
struct Faults {
    records: u64,
    /// Records, games and chains with faults.
    kinds: BTreeMap<&'static str, Kind>,
}

impl Faults {
    fn add(&mut self, kind: &'static str, place: Place, detail: impl FnOnce() -> String) {
        let kind = self.kinds.entry(kind).or_default();
        kind.count += 1;
        let at = kind.places.partition_point(|(other, _)| *other <= place);
        if at < PLACES {
            kind.places.insert(at, (place, detail()));
            kind.places.truncate(PLACES);
        }
    }
}

struct Validating {
    faults: Mutex<Faults>,
}

impl Task for Validating {
    fn finish(
        &self,
        part: &Part<'_>,
        decoded: &mut Decoded,
        _: &mut Memory,
        _: &Answers,
        done: &mut Done,
    ) -> Result<()> {
        let (codec, block, decoded) = (part.codec, part.block, &*decoded);
        let mut found = Faults::default();
        for error in &decoded.invalid {
            found.add(error.kind.name(), error.place, || error.message.clone());
        }
        if decoded.fen(block, 0).is_some() {
            for record in 0..decoded.records.len() {
                let fen = decoded.fen(block, record).unwrap_or_default();
                let (state, ep) = Record::and_ep_of_fen(&fen, decoded.positions[record]);
                let record = &decoded.records[record];
                if !state.is_sound(ep, record.played())
                    && let Ok(fen) = Fen::from_ascii(fen.as_bytes())
                {
                    describe(fen.into_setup(), record, &mut found);
                }
            }
        } else {
            codec.states(block, decoded, &mut |record, state| {
                let record = &decoded.records[record];
                if !state.is_sound(state.position.ep_square(), record.played()) {
                    describe(state.to_setup(), record, &mut found);
                }
            });
        }
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.records += decoded.records.len() as u64;
        for (kind, found) in found.kinds {
            let extra = found.count - found.places.len() as u64;
            for (place, detail) in found.places {
                faults.add(kind, place, || detail);
            }
            faults.kinds.entry(kind).or_default().count += extra;
        }
        done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

type Odd = PositionErrorKinds;

const ODD: [(Odd, &str); 4] = [
    (
        Odd::INVALID_CASTLING_RIGHTS,
        "castling right without king and rook in place",
    ),
    (Odd::INVALID_EP_SQUARE, "en-passant square behind no pawn"),
    (Odd::TOO_MUCH_MATERIAL, "more material than there can be"),
    (Odd::IMPOSSIBLE_CHECK, "a check that cannot arise"),
];

/// Describes what is wrong with a position and its played move, by shakmaty.
fn describe(setup: Setup, record: &RecordFields, found: &mut Faults) {
    let place = record.place();
    let fen = {
        let setup = setup.clone();
        move || Fen::try_from(setup).map_or_else(|_| String::new(), |fen| fen.to_string())
    };
    let mode = CastlingMode::detect(&setup);
    let chess = match Chess::from_setup(setup.clone(), mode) {
        Ok(chess) => Some(chess),
        Err(error) => {
            for (kind, name) in ODD {
                if error.kinds().contains(kind) {
                    found.add(name, place, fen.clone());
                }
            }
            crate::position::chess_from_setup(setup).ok()
        }
    };
    if let (Some(chess), Some(played)) = (chess, record.played())
        && played.to_move(&chess).is_none()
    {
        let detail = || format!("{played} in '{}'", fen());
        found.add("illegal played move", place, detail);
    }
}

/// The result of a validation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Validated {
    name: String,
    format: &'static str,
    /// `None` if the input is damaged and could not be read to its end.
    summary: Option<Summary>,
    broken: Option<String>,
    faults: Faults,
}

impl Validated {
    /// Whether all records are sound.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.broken.is_none() && self.faults.kinds.is_empty()
    }

    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let kind = |(name, kind): (&&str, &Kind)| {
            let first = kind
                .places
                .iter()
                .map(|(place, detail)| json!({ "place": place.to_string(), "detail": detail }));
            json!({ "kind": name, "count": kind.count, "first": first.collect::<Vec<_>>() })
        };
        json!({
            "command": "validate",
            "input": self.name,
            "format": self.format,
            "records": self.faults.records,
            "contradicted_results": self.summary.as_ref().map(|summary| summary.tally.contradicted),
            "clamped_scores": self.summary.as_ref().map(|summary| summary.tally.clamped),
            "faults": self.faults.kinds.iter().map(kind).collect::<Vec<_>>(),
            "broken": self.broken,
            "sound": self.is_sound(),
        })
    }

    /// As text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = Lines::default();
        lines.add("format", self.format);
        lines.add("records", grouped(self.faults.records));
        if let Some(summary) = &self.summary {
            let seconds = summary.elapsed.as_secs_f64();
            summary.tally.game_lines(&mut lines);
            lines.add("time", format!("{seconds:.2} s"));
        }
        let mut text = format!("swaplist validate {}\n{}", self.name, lines.text());
        for (name, kind) in &self.faults.kinds {
            let _ = writeln!(text, "  {:<10}  {name}", grouped(kind.count));
            for (place, detail) in &kind.places {
                let _ = writeln!(text, "              {place}: {detail}");
            }
        }
        if let Some(broken) = &self.broken {
            let _ = writeln!(text, "  broken      {broken}; nothing behind it was read");
        }
        text += if self.is_sound() {
            "  result      all records are sound\n"
        } else {
            "  result      not sound\n"
        };
        text
    }
}

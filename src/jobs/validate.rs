//! Validating records.

use std::sync::{Mutex, PoisonError};

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionErrorKinds, Setup};

use super::error::{ErrorKind, Result};
use super::job::Job;
use super::step::{Step, Task};
use super::summary::Summary;
use super::tally::Faults;
use crate::backend::Answers;
use crate::formats::{Codec, Record, RecordFields};

impl Job<'_> {
    /// Checks that each record decodes, that its position and played move are legal, and that
    /// games and chains hold together. Finds all faults, not only the first.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) if the input cannot be read; damaged input is a fault, not an
    /// error.
    pub fn validate(mut self) -> Result<Summary> {
        let (name, from) = (self.input.name.clone(), self.format());
        let task = Validating::default();
        self.options.skip_invalid = true;
        let ran = self.run(&task, &[], None);
        let mut faults = task.faults.into_inner().unwrap_or_default();
        let mut summary = match ran {
            Err(error) if *error.kind() == ErrorKind::Broken => {
                let text = error.to_string();
                let place = text.strip_prefix(&format!("{name}: ")).unwrap_or(&text);
                faults.broken = Some(place.to_owned());
                Summary {
                    job: "validate",
                    input: name,
                    formats: Some([from; 2]),
                    ..Summary::default()
                }
            }
            ran => ran?,
        };
        summary.faults = faults;
        Ok(summary)
    }
}

#[derive(Default)]
struct Validating {
    faults: Mutex<Faults>,
}

impl Task for Validating {
    fn name(&self) -> &'static str {
        "validate"
    }

    fn finish(&self, codec: &Codec, step: &mut Step, _: &Answers) -> Result<()> {
        let (block, decoded) = (&step.block, &step.decoded);
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
        step.done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

type Odd = PositionErrorKinds;

const ODD: [(Odd, &str); 4] = [
    (
        Odd::INVALID_CASTLING_RIGHTS,
        "castling right without king and rook in place",
    ),
    (
        Odd::INVALID_EP_SQUARE,
        "en-passant square without a pawn that passed it",
    ),
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

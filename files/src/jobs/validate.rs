//! Validating: finds and counts what is wrong with the records of a file.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionErrorKinds, Setup};

use super::error::Result;
use super::job::Job;
use super::kind::JobKind;
use super::step::Step;
use super::summary::Summary;
use super::tally::Faults;
use super::task::{Task, TaskSpec};
use crate::formats::{Codec, Format, Record, RecordFields, Required};

impl Job<'_> {
    /// Checks that each record decodes, that its position and played move are legal, and that
    /// games and chains hold together. Finds all faults, not only the first.
    ///
    /// # Errors
    ///
    /// An [`Error`](super::Error) if the input cannot be read; damaged input is a fault, not an
    /// error.
    pub fn validate(mut self) -> Result<Summary> {
        self.options.skip_invalid = true;
        self.run(ValidateTask, &[], None)
    }
}

struct ValidateTask;

impl Task for ValidateTask {
    fn spec(&self) -> TaskSpec {
        TaskSpec {
            finds_faults: true,
            required: Required::ALL,
            ..TaskSpec::for_job(JobKind::Validate)
        }
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let block = &step.block;
        let decoded = &mut step.decoded;
        let found = &mut step.done.tally.faults;
        for error in &decoded.invalid {
            found.add(error.kind(), error.place, || error.message.clone());
        }
        // In other formats of text, a record shows its end.
        let may_be_cut = matches!(codec.format(), Format::Text | Format::Csv);
        found.is_unended = may_be_cut && !block.bytes.ends_with(b"\n");
        if decoded.fen(block, 0).is_some() {
            for record in 0..decoded.records.len() {
                let fen = decoded.fen(block, record).unwrap_or_default();
                let (state, ep) = Record::and_ep_of_fen(&fen, decoded.positions[record]);
                let record = &decoded.records[record];
                if !state.is_sound(ep, record.played())
                    && let Ok(fen) = Fen::from_ascii(fen.as_bytes())
                {
                    describe(fen.into_setup(), record, found);
                }
            }
        } else {
            codec.states(block, decoded);
            let mut lost = decoded.losses.lost_rights.iter().copied().peekable();
            for number in 0..decoded.records.len() {
                let mut state = decoded.record(number);
                if let Some((_, rights)) = lost.next_if(|&(other, _)| other == number) {
                    state.castling |= rights;
                }
                if !state.is_sound(state.position.ep_square(), state.fields.played()) {
                    describe(state.setup(), &state.fields, found);
                }
            }
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
            swaplist::position::chess_from_setup(setup).ok()
        }
    };
    if let (Some(chess), Some(played)) = (chess, record.played())
        && played.to_move(&chess).is_none()
    {
        found.add("illegal played move", place, || {
            format!("{played} in '{}'", fen())
        });
    }
}

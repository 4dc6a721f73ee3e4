//! The suite: exchanges with known values, by which an engine's SEE is tested.
//!
//! Each line of [`SUITE`] has a position, a move, its value under the four profiles, and what it
//! tests. The values are sums of pieces, and hold for all usual piece values. `docs/suite.md` says
//! how to use it, and how it was made.
//!
//! ```
//! use swaplist::{PieceValues, Profile, Rules};
//! use swaplist_files::suite;
//!
//! let values = PieceValues::STOCKFISH;
//! for line in suite::lines() {
//!     let rules = Rules::new(Profile::Sf, values);
//!     let expected = line.sums[Profile::Sf as usize].at(&values);
//!     assert_eq!(rules.see(&line.position, line.played), expected, "{}", line.fen);
//! }
//! ```
//!
//! `FaultyEngine` is the other half: an engine with any of the usual faults. By it [`diagnose`] finds
//! which of them explain an engine's results. The suite's tests show that each fault fails at least
//! three lines, and that no pair of faults passes.
//!
//! # The files
//!
//! | file | holds |
//! |---|---|
//! | `sum.rs` | sums of pieces such as `P - N` |
//! | `faults.rs` | the list of the faults, with their names |
//! | `engine.rs`, `scene.rs`, `pins.rs` | a naive SEE with all these faults to choose from: which captures there are |
//! | `fold.rs` | the same: the value that they come to |
//! | `answers.rs`, `diagnosis.rs` | an engine's results, and which faults explain them |

use shakmaty::Square;

use crate::formats::move_on;
use swaplist::{PackedMove, ParseError, PieceValues, Position, SUITE};

mod answers;
mod diagnosis;
mod engine;
mod faults;
mod fold;
mod pins;
mod scene;
mod sum;

pub use answers::{LineResult, holds_for, results};
pub use diagnosis::{SuiteDiagnosis, diagnose};
pub use faults::Fault;
pub use sum::PieceSum;

pub(crate) use engine::FaultyEngine;
pub(crate) use scene::Scene;

/// A line of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The position as the line has it.
    pub fen: &'a str,
    /// The position.
    pub position: Position,
    /// The move in UCI, as the line has it.
    pub uci: &'a str,
    /// The first move of the exchange.
    pub played: PackedMove,
    /// The move's value under each profile, in the order of `Profile::ALL`, for all usual piece
    /// values.
    pub sums: [PieceSum; 4],
    /// What the line tests.
    pub about: &'a str,
}

impl<'a> Line<'a> {
    /// Parses a line `FEN | move in UCI | swap | sf8 | sf | legal | what it tests`. An error says
    /// what was expected.
    pub(crate) fn parse(text: &'a str) -> Result<Line<'a>, ParseError> {
        let fields: Vec<&str> = text.split('|').map(str::trim).collect();
        let [fen, uci, swap, sf8, sf, legal, about] = fields[..] else {
            let found = fields.len();
            return Err(ParseError::new(format!("expected 7 fields, found {found}")));
        };
        let position = Position::from_ascii(fen.as_bytes())
            .map_err(|error| ParseError::new(error.to_string()))?;
        let played =
            move_on(fen, position, uci).map_err(|error| ParseError::new(error.to_string()))?;
        let sums = [swap.parse()?, sf8.parse()?, sf.parse()?, legal.parse()?];
        Ok(Line {
            fen,
            position,
            uci,
            played,
            sums,
            about,
        })
    }
}

/// The lines of the suite, the easiest topic first.
#[allow(clippy::missing_panics_doc)] // a test reads all lines
pub fn lines() -> Vec<Line<'static>> {
    SUITE
        .lines()
        .map(|text| Line::parse(text).expect("the suite's lines are sound"))
        .collect()
}

impl FaultyEngine {
    /// What this engine says that a move is worth. If the fault is one of thresholds, it is the
    /// highest threshold that the engine says is reached.
    pub(crate) fn see(&self, position: &Position, played: PackedMove, values: &PieceValues) -> i32 {
        self.value(&Scene::new(position, played), values)
    }

    /// What each capture of the exchange wins for the side that makes it, as sums of pieces; the
    /// first move's comes first.
    pub(crate) fn gains(&self, position: &Position, played: PackedMove) -> Vec<PieceSum> {
        self.captures(&Scene::new(position, played)).wins
    }
}

impl Scene {
    pub(crate) fn new(position: &Position, played: PackedMove) -> Scene {
        Scene {
            squares: core::array::from_fn(|at| {
                let square = Square::new(u32::try_from(at).unwrap_or(0));
                position.piece_at(square)
            }),
            turn: position.turn(),
            from: played.from(),
            to: played.to(),
            promotion: played.promotion(),
        }
    }
}

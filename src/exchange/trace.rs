//! The exchange with its swap list, capture by capture.

use super::{BarredPiece, Exchange, Opening, PieceOn};
use crate::{Capture, Position, Rules};

/// An exchange played to the last attacker, whether or not the sides would stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The best-case gains of the first move and of each recapture, in the unit of the piece
    /// values: what the capturer wins, minus the other side's gain before.
    pub gains: Vec<i32>,
    /// The pieces that recapture, in order, on their origin squares; a promoting pawn is still a
    /// pawn. None if the first move settles the value.
    pub recaptures: Vec<PieceOn>,
    /// The attackers that the rules bar, ply by ply.
    pub barred: Vec<BarredPiece>,
    /// The last, speculative entry of CPW's swap list: the gain if the last capturer could be
    /// captured too. `None` if the first move settles the value.
    pub speculative: Option<i32>,
    /// The SEE.
    pub value: i32,
}

impl Trace {
    /// The swap list as CPW prints it: the gains, with the speculative last entry.
    pub fn swap_list(&self) -> Vec<i32> {
        self.gains.iter().copied().chain(self.speculative).collect()
    }

    /// The barred attackers that would have captured at a ply instead of the capturer: where the
    /// rules make a difference. Ply 0 is the first recapture.
    ///
    /// ```
    /// use shakmaty::Square;
    /// use swaplist::{Capture, PieceValues, Position, Profile, Rules};
    ///
    /// let position: Position = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1".parse()?;
    /// let takes = Capture::new(Square::E4, Square::C5, None);
    /// let trace = Rules::new(Profile::Legal, PieceValues::CPW).trace(&position, takes);
    /// let barred: Vec<_> = trace.passed_over(0).map(|barred| barred.to_string()).collect();
    /// assert_eq!(barred, ["Be7 may not recapture: pinned to e8 by Re1"]);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn passed_over(&self, ply: usize) -> impl Iterator<Item = &BarredPiece> {
        let capturer = self.recaptures.get(ply);
        self.barred.iter().filter(move |barred| {
            barred.ply == ply && capturer.is_none_or(|capturer| barred.piece < *capturer)
        })
    }
}

impl Rules {
    /// The swap list of a move. Allocates; use it for display.
    pub fn trace(&self, position: &Position, capture: Capture) -> Trace {
        let mut trace = Trace {
            gains: Vec::new(),
            recaptures: Vec::new(),
            barred: Vec::new(),
            speculative: None,
            value: self.see(position, capture),
        };
        let opening = Exchange::open(self.pins, position, capture, self);
        let (mut exchange, mut gain) = match opening {
            Opening::Settled(value) => {
                trace.gains.push(value);
                return trace;
            }
            Opening::Contested(exchange, gain) => (exchange, gain),
        };
        loop {
            trace.gains.push(gain);
            trace
                .barred
                .extend(exchange.all_barred(trace.recaptures.len()));
            let before = exchange.occupied;
            let Some(win) = exchange.recapture() else {
                break;
            };
            gain = win - gain;
            let capturer = exchange.piece(before & !exchange.occupied);
            trace.recaptures.push(capturer);
        }
        trace.speculative = Some(self.values.of_code(exchange.standing) - gain);
        trace
    }
}

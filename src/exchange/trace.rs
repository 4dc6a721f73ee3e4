//! The exchange with its swap list, capture by capture, for explanations.
//!
//! A SEE does without the list: see the head of `exchange.rs`. Here the captures are played until
//! nobody can recapture, also those that a side would rather not make.

use shakmaty::Role;

use super::{BarredPiece, Exchange, FirstMove, PieceOn};
use crate::{PackedMove, Position, Rules};

/// One recapture of a [`Trace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recapture {
    /// The capturer on its origin square; a promoting pawn is still a pawn.
    pub piece: PieceOn,
    /// The type of the piece that stood on the target square.
    pub victim: Role,
    /// The best-case gain for the capturing side, in the unit of the piece values: what it
    /// wins, minus the other side's gain before.
    pub gain: i32,
}

/// An exchange played to the last attacker, whether or not the sides would stop.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The gain of the first move, in the unit of the piece values.
    pub gain: i32,
    /// The recaptures, in order; none if the first move settles the value.
    pub recaptures: Vec<Recapture>,
    /// The attackers that the rules bar, ply by ply.
    pub barred: Vec<BarredPiece>,
    /// The last, speculative entry of CPW's swap list: the gain if the last capturer could be
    /// captured too. `None` if the first move settles the value.
    pub speculative: Option<i32>,
    /// The SEE of the first move, from its side, in the unit of the piece values.
    pub value: i32,
}

impl Trace {
    /// The best-case gains of the first move and of the recaptures, each from the view of the side
    /// that captures, in the unit of the piece values.
    pub fn gains(&self) -> impl DoubleEndedIterator<Item = i32> {
        let gains = self.recaptures.iter().map(|recapture| recapture.gain);
        core::iter::once(self.gain).chain(gains)
    }

    /// The swap list as CPW prints it: the gains, with the speculative last entry.
    pub fn swap_list(&self) -> Vec<i32> {
        self.gains().chain(self.speculative).collect()
    }

    /// The barred attackers that would have captured at a ply instead of the capturer: where the
    /// rules make a difference. Ply 0 is the first recapture.
    ///
    /// ```
    /// use shakmaty::Square;
    /// use swaplist::{PackedMove, PieceValues, Position, Profile, Rules};
    ///
    /// let position: Position = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1".parse()?;
    /// let takes = PackedMove::new(Square::E4, Square::C5, None);
    /// let trace = Rules::new(Profile::Legal, PieceValues::CPW).trace(&position, takes);
    /// let barred: Vec<_> = trace.passed_over(0).map(|barred| barred.to_string()).collect();
    /// assert_eq!(barred, ["Be7 may not recapture: pinned to e8 by Re1"]);
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    pub fn passed_over(&self, ply: usize) -> impl Iterator<Item = &BarredPiece> {
        let capturer = self.recaptures.get(ply);
        self.barred.iter().filter(move |barred| {
            barred.ply == ply && capturer.is_none_or(|capturer| barred.piece < capturer.piece)
        })
    }
}

impl Rules {
    /// The swap list of a move, with the attackers that the rules bar. Allocates; meant for
    /// display, and slower than [`Rules::see`].
    pub fn trace(&self, position: &Position, played: PackedMove) -> Trace {
        let value = self.see(position, played);
        let mut trace = Trace {
            gain: value,
            recaptures: Vec::new(),
            barred: Vec::new(),
            speculative: None,
            value,
        };
        let first_move = Exchange::play_first(self.pins, position, played, self);
        let FirstMove::Contested(mut exchange, gain) = first_move else {
            return trace;
        };
        trace.gain = gain;
        let mut last_gain = gain;
        loop {
            // Kings have the codes 6 and 7, and as a role the number 6.
            let victim = Role::try_from(exchange.standing.min(6)).unwrap_or(Role::Pawn);
            let occupied_before = exchange.occupied;
            let ply = trace.recaptures.len();
            trace.barred.extend(exchange.all_barred(ply));
            let Some(win) = exchange.recapture() else {
                break;
            };
            last_gain = win - last_gain;
            trace.recaptures.push(Recapture {
                piece: exchange.piece(occupied_before & !exchange.occupied),
                victim,
                gain: last_gain,
            });
        }
        trace.speculative = Some(self.values.of_code(exchange.standing) - last_gain);
        trace
    }
}

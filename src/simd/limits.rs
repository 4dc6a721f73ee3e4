//! A bound on one side's captures, prepared once for many positions.

use super::lanes::{MaskOf, Simd, Word as _};
use crate::{Bounds, Pins, RecapturePromotion, Rules};

/// Victim types: codes 1 to 6, with the king, since arbitrary bytes may have one captured.
const VICTIMS: usize = 6;

/// Capturer classes: pawns, knights, bishops and queens on diagonals, rooks and queens
/// on ranks and files.
pub(super) const CLASSES: usize = 4;

/// What is asked about one side's captures, and how many of the most valuable victim types can
/// exceed the bound, by what may follow the capture.
pub(super) struct Limits {
    /// Whether the opponent's, as if it were to move.
    pub opponent: bool,
    /// The largest number for none: nothing exceeds it.
    pub bound: i32,
    /// Whether captures of two pieces must exceed it.
    pub two: bool,
    /// Codes of the piece types, the most valuable first.
    pub order: [u8; VICTIMS],
    /// If nobody can recapture, or it is not known.
    pub open: u8,
    /// If one piece recaptures and that is all, for the cheapest capturer of a class.
    pub lost: [u8; CLASSES],
    /// If a pawn recaptures and is recaptured.
    pub pawn: [u8; CLASSES],
    /// Whatever follows, for the most valuable capturer of a class.
    pub sure: [u8; CLASSES],
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    pub queens: bool,
    pub pins: Pins,
}

impl Limits {
    #[inline(always)]
    pub(super) fn all(rules: &Rules, bounds: Bounds) -> [Limits; 3] {
        let won = bounds.double_threat.then_some(0);
        [
            Limits::new(rules, false, bounds.see, false),
            Limits::new(rules, true, bounds.threat, false),
            Limits::new(rules, true, won, true),
        ]
    }

    fn new(rules: &Rules, opponent: bool, bound: Option<i32>, two: bool) -> Limits {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bound = bound.unwrap_or(i32::MAX);
        // The number of victim types worth more than the bound plus the loss.
        let with = |lost: i64| {
            let enough = values[1..]
                .iter()
                .filter(|&&value| value - lost.max(0) > i64::from(bound));
            enough.count() as u8
        };
        let cheapest = [pawn, knight, bishop.min(queen), rook.min(queen)];
        let costliest = [pawn, knight, bishop.max(queen), rook.max(queen)];
        Limits {
            opponent,
            bound,
            two,
            order,
            open: with(0),
            lost: cheapest.map(with),
            pawn: cheapest.map(|capturer| with(capturer - pawn.max(0))),
            sure: costliest.map(with),
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            pins: rules.pins,
        }
    }

    #[inline(always)]
    pub(super) fn is_bounded(&self) -> bool {
        self.bound != i32::MAX
    }

    /// Lanes with enough squares.
    #[inline(always)]
    pub(super) fn is_reached<S: Simd>(&self, simd: S, squares: S::Word) -> MaskOf<S> {
        if self.two {
            squares.meets(squares & (squares - simd.splat(1)))
        } else {
            squares.meets(squares)
        }
    }
}

//! A bound on captures, prepared once for many positions.

use super::lanes::{MaskOf, Simd, Word as _};
use crate::{Pins, RecapturePromotion, Rules};

/// Victim types: codes 1 to 6, with the king, since arbitrary bytes may have one captured.
const VICTIMS: usize = 6;

/// Capturer classes: pawns, knights, bishops and queens on diagonals, rooks and queens
/// on ranks and files.
pub(super) const CLASSES: usize = 4;

/// How many of the most valuable victim types can exceed the bound, by what may follow
/// the capture.
#[derive(Clone, Copy)]
pub(super) struct Limits {
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
    /// Whether there is a bound.
    pub bounded: bool,
    /// Whether captures of two pieces must exceed it.
    pub two: bool,
    pub pins: Pins,
}

impl Limits {
    pub(super) fn new(rules: &Rules, bound: Option<i32>, two: bool) -> Limits {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array().map(i64::from);
        let values = [0, pawn, knight, bishop, rook, queen, 0];
        let mut order: [u8; VICTIMS] = [1, 2, 3, 4, 5, 6];
        order.sort_by_key(|&code| -values[usize::from(code)]);
        let bounded = bound.is_some();
        let bound = i64::from(bound.unwrap_or(i32::MAX));
        // The number of victim types worth more than the bound plus the loss.
        let with = |lost: i64| {
            let enough = values[1..]
                .iter()
                .filter(|&&value| value - lost.max(0) > bound);
            enough.count() as u8
        };
        let cheapest = [pawn, knight, bishop.min(queen), rook.min(queen)];
        let costliest = [pawn, knight, bishop.max(queen), rook.max(queen)];
        Limits {
            order,
            open: with(0),
            lost: cheapest.map(with),
            pawn: cheapest.map(|capturer| with(capturer - pawn.max(0))),
            sure: costliest.map(with),
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            bounded,
            two,
            pins: rules.pins,
        }
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

//! Rules and piece values in lanes.

use super::lanes::Stages;
use crate::exchange::INFINITE;
use crate::{EnPassant, FirstPromotion, Pins, RecapturePromotion, Rules};

/// The rules, prepared once for many moves.
pub(super) struct LaneRules<S: Stages> {
    /// Any but `Pins::Legal`.
    pub pins: Pins,
    pub en_passant: EnPassant,
    pub first_promotion: FirstPromotion,
    /// Whether a pawn that recaptures on the last rank becomes a queen.
    pub queens: bool,
    /// By piece code.
    table: S::Word,
    pub pawn: S::Word,
    pub queen: S::Word,
    /// The initial alpha and beta.
    pub window: [S::Word; 2],
}

impl<S: Stages> LaneRules<S> {
    /// For exact values.
    #[inline(always)]
    pub(super) fn new(simd: S, rules: &Rules) -> LaneRules<S> {
        LaneRules::within(simd, rules, -INFINITE, INFINITE)
    }

    /// For values that only tell whether they are above a bound: many exchanges end sooner.
    #[inline(always)]
    pub(super) fn above(simd: S, rules: &Rules, bound: i32) -> LaneRules<S> {
        let bound = bound.clamp(-INFINITE, INFINITE - 1);
        LaneRules::within(simd, rules, bound, bound + 1)
    }

    #[inline(always)]
    fn within(simd: S, rules: &Rules, alpha: i32, beta: i32) -> LaneRules<S> {
        let [pawn, knight, bishop, rook, queen] = rules.values.to_array();
        LaneRules {
            pins: rules.pins,
            en_passant: rules.en_passant,
            first_promotion: rules.first_promotion,
            queens: rules.recapture_promotion == RecapturePromotion::Queen,
            table: simd.table([0, pawn, knight, bishop, rook, queen, 0, 0]),
            pawn: simd.splat_value(pawn),
            queen: simd.splat_value(queen),
            window: [simd.splat_value(alpha), simd.splat_value(beta)],
        }
    }

    /// By piece code.
    #[inline(always)]
    pub(super) fn value(&self, simd: S, codes: S::Word) -> S::Word {
        simd.look_up(self.table, codes)
    }
}

//! The first moves of exchanges, one per lane.

use super::board::Board;
use super::lanes::{MAX_LANES, Mask, MaskOf, Stages, Values, Word};
use super::rules::LaneRules;
use crate::captures::fill::Shift as _;
use crate::{Capture, EnPassant, FirstPromotion, Position};

/// One move per lane, each with its position.
pub(super) struct Group<'a> {
    pub positions: [&'a Position; MAX_LANES],
    pub captures: [Capture; MAX_LANES],
}

/// The state after the first moves.
pub(super) struct FirstMove<S: Stages> {
    /// The target's bit.
    pub target: S::Word,
    pub opponent: S::Word,
    pub occupied: S::Word,
    pub gain: S::Word,
    pub standing: S::Word,
    pub king_moves: MaskOf<S>,
    /// Lanes where nothing can follow, with their values.
    pub settled: MaskOf<S>,
    pub settled_at: S::Word,
}

impl<S: Stages> FirstMove<S> {
    #[inline(always)]
    pub(super) fn play(
        simd: S,
        rules: &LaneRules<S>,
        board: &Board<S::Word>,
        group: &Group,
    ) -> FirstMove<S> {
        let moves = simd.load(&group.captures.map(|capture| capture.to_bits().into()));
        let from_index = moves.shr::<9>();
        let target_index = moves.shr::<3>() & simd.splat(63);
        let (from, target) = (from_index.bit(), target_index.bit());
        let everyone = board.occupied();
        let opponent = board.black.meets(from).select(!board.black, board.black);
        let takes = everyone.meets(target);
        let castles = takes & opponent.misses(target);
        let king_moves = board.kings().meets(from);
        let victim = rules.value(simd, board.code_at(simd, target));
        let mut first = FirstMove::<S> {
            target,
            opponent,
            occupied: everyone & !(from | target),
            gain: victim,
            standing: rules.value(simd, board.code_at(simd, from)),
            king_moves,
            settled: castles | king_moves,
            settled_at: (king_moves & !castles).keep(victim),
        };
        let pawn_moves = board.pawns().meets(from);
        let changes_file = (from_index ^ target_index).meets(simd.splat(7));
        let passing = pawn_moves & changes_file & !takes;
        match rules.en_passant {
            EnPassant::Zero => first.settled = first.settled | passing,
            EnPassant::Exact => {
                let beside = target_index ^ simd.splat(8);
                first.gain = passing.select(rules.pawn, first.gain);
                first.occupied = first.occupied & !passing.keep(beside.bit());
            }
        }
        let promotion = moves & simd.splat(7);
        let promotes = pawn_moves & promotion.meets(promotion);
        match rules.first_promotion {
            FirstPromotion::Zero => first.settled = first.settled | promotes,
            FirstPromotion::Pawn => {}
            FirstPromotion::Full => {
                let piece = rules.value(simd, promotion);
                let gain = first.gain.add_value(piece).sub_value(rules.pawn);
                first.gain = promotes.select(gain, first.gain);
                first.standing = promotes.select(piece, first.standing);
            }
        }
        first
    }
}

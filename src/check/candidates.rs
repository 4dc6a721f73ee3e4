//! Candidate rules, and which of their options matter for a move.

use crate::{
    Capture, EnPassant, FirstPromotion, InsidePromotion, PieceValues, Pins, Position, Profile,
    Rules,
};

/// The preset piece values, where fitting starts.
#[doc(hidden)] // for our command and tests
pub const PRESETS: [PieceValues; 3] = [
    PieceValues::CPW,
    PieceValues::STOCKFISH,
    PieceValues::CLASSICAL,
];

/// All combinations of the options with these values, the profiles first.
#[must_use]
#[doc(hidden)] // for our command and tests
pub fn candidates(values: PieceValues) -> Vec<Rules> {
    let mut all = Profile::ALL.map(|name| Rules::new(name, values)).to_vec();
    for pins in Pins::ALL {
        for en_passant in EnPassant::ALL {
            for first_promotion in FirstPromotion::ALL {
                for inside_promotion in InsidePromotion::ALL {
                    let rules = Rules {
                        pins,
                        en_passant,
                        first_promotion,
                        inside_promotion,
                        values,
                    };
                    if rules.profile().is_none() {
                        all.push(rules);
                    }
                }
            }
        }
    }
    all
}

/// The options that matter for a move, as bits: en passant (1), first promotion (2), inside
/// promotion (4). Most moves have none, so that four pin rules cover all 48 combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(pub usize);

impl Kind {
    pub const COUNT: usize = 8;

    pub fn of(position: &Position, capture: Capture) -> Kind {
        let pawn = position.pawns() >> (capture.from() as u32) & 1 != 0;
        let crooked = capture.from().file() != capture.to().file();
        let en_passant = pawn && crooked && position.code_at(capture.to() as u32) == 0;
        let promotion = pawn && capture.promotion().is_some();
        let inside = shakmaty::Bitboard::BACKRANKS.contains(capture.to());
        Kind(usize::from(en_passant) | usize::from(promotion) << 1 | usize::from(inside) << 2)
    }

    /// The rules with all options that do not matter at their defaults.
    pub fn reduce(self, rules: &Rules) -> Rules {
        let mut reduced = *rules;
        if self.0 & 1 == 0 {
            reduced.en_passant = EnPassant::default();
        }
        if self.0 & 2 == 0 {
            reduced.first_promotion = FirstPromotion::default();
        }
        if self.0 & 4 == 0 {
            reduced.inside_promotion = InsidePromotion::default();
        }
        reduced
    }
}

//! Rule sets.

use swaplist::{EnPassant, FirstPromotion, PieceValues, Pins, Profile, RecapturePromotion, Rules};

/// The four profiles.
pub fn profiles(values: PieceValues) -> [Rules; 4] {
    Profile::ALL.map(|profile| Rules::new(profile, values))
}

/// All 48 combinations of the options.
pub fn combinations(values: PieceValues) -> Vec<Rules> {
    let mut all = Vec::new();
    for pins in [Pins::None, Pins::Sf8, Pins::Sf, Pins::Legal] {
        for en_passant in [EnPassant::Exact, EnPassant::Zero] {
            for first_promotion in [
                FirstPromotion::Full,
                FirstPromotion::Pawn,
                FirstPromotion::Zero,
            ] {
                for recapture_promotion in [RecapturePromotion::Pawn, RecapturePromotion::Queen] {
                    all.push(Rules {
                        pins,
                        en_passant,
                        first_promotion,
                        recapture_promotion,
                        values,
                    });
                }
            }
        }
    }
    all
}

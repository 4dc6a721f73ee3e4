//! What may be wrong with another engine's SEE: another choice of a rule, or a fault of the suite's
//! list ([`Fault`]), each with the engine that has it.

use super::answers::Answer;
use super::claim::Claim;
use crate::suite::{Fault, FaultyEngine, Scene};
use swaplist::{Choice, EnPassant, FirstPromotion, Pins, RecapturePromotion, Rules};

/// What an engine may do instead of following the rules.
pub(super) struct Suspect {
    /// The class in which its answers are counted.
    pub class: &'static str,
    /// What an engine with it seems to do.
    pub seems: &'static str,
    engine: FaultyEngine,
    /// Whether only answers about thresholds can show it.
    is_of_thresholds: bool,
}

/// The classes whose faults are named before others that explain equally many answers: faults of
/// special moves and pieces, which are likelier than that a general one shows only there.
const SPECIAL: [&str; 7] = [
    "en passant",
    "x-rays are missing",
    "promotions",
    "promotions in recaptures",
    "the king does not recapture",
    "the king recaptures on a guarded square",
    "pins",
];
/// The class that is named last: with one answer at hand, half of all faults look like this one.
const LAST: &str = "wrong signs";

/// All suspects. Of several that explain equally many answers the first one is named.
pub(super) fn suspects(rules: &Rules) -> Vec<Suspect> {
    let mut suspects = other_rules(rules);
    let chosen: Vec<&str> = suspects.iter().map(|suspect| suspect.seems).collect();
    let faults = Fault::ALL.iter().copied().filter(|fault| {
        let is_fault = !fault.profiles().is_empty();
        is_fault && !IS_RULE.contains(fault) && !chosen.contains(&fault.text())
    });
    suspects.extend(faults.flat_map(|fault| Suspect::from_fault(fault, rules)));
    suspects.sort_by_key(|suspect| {
        let place = SPECIAL.iter().position(|class| *class == suspect.class);
        (place.unwrap_or(SPECIAL.len()), suspect.class == LAST)
    });
    suspects
}

/// Faults that are no more than another choice of a rule.
const IS_RULE: [Fault; 10] = [
    Fault::EnPassantExact,
    Fault::EnPassantIsZero,
    Fault::PromotionCounted,
    Fault::PromotionIgnored,
    Fault::PromotionIsPawnMove,
    Fault::PromotionIsZero,
    Fault::RecaptureStaysPawn,
    Fault::RecaptureQueens,
    Fault::PinsIgnored,
    Fault::OnlyLegalRecaptures,
];

/// The other choices of each option.
fn other_rules(rules: &Rules) -> Vec<Suspect> {
    let en_passant = EnPassant::ALL.iter().map(|&en_passant| {
        let name = match en_passant {
            EnPassant::Exact => Fault::EnPassantExact.text(),
            EnPassant::Zero => Fault::EnPassantIsZero.text(),
        };
        let other = Rules {
            en_passant,
            ..*rules
        };
        (Fault::EnPassantIsZero, name, other)
    });
    let first_promotion = FirstPromotion::ALL.iter().map(|&first_promotion| {
        let name = match first_promotion {
            FirstPromotion::Full => Fault::PromotionCounted.text(),
            FirstPromotion::Pawn if rules.first_promotion == FirstPromotion::Zero => {
                Fault::PromotionIsPawnMove.text()
            }
            FirstPromotion::Pawn => Fault::PromotionIgnored.text(),
            FirstPromotion::Zero => Fault::PromotionIsZero.text(),
        };
        let other = Rules {
            first_promotion,
            ..*rules
        };
        (Fault::PromotionIsZero, name, other)
    });
    let recapture_promotion = RecapturePromotion::ALL.iter().map(|&recapture_promotion| {
        let name = match recapture_promotion {
            RecapturePromotion::Pawn => Fault::RecaptureStaysPawn.text(),
            RecapturePromotion::Queen => Fault::RecaptureQueens.text(),
        };
        let other = Rules {
            recapture_promotion,
            ..*rules
        };
        (Fault::RecaptureQueens, name, other)
    });
    let pins = Pins::ALL.iter().map(|&pins| {
        let name = match pins {
            Pins::None => Fault::PinsIgnored.text(),
            Pins::Sf8 => "pinned pieces do not recapture while all their pinners stand",
            Pins::Sf => "pinned pieces do not recapture while any pinner stands",
            Pins::Legal => Fault::OnlyLegalRecaptures.text(),
        };
        (Fault::PinsIgnored, name, Rules { pins, ..*rules })
    });
    let choices = en_passant.into_iter().chain(first_promotion);
    let choices = choices.chain(recapture_promotion).chain(pins);
    choices
        .filter(|(_, _, other)| other != rules)
        .map(|(alike, seems, other)| Suspect {
            class: alike.class(),
            seems,
            engine: FaultyEngine::following(&other),
            is_of_thresholds: false,
        })
        .collect()
}

impl Suspect {
    /// An engine with a fault. Where the rules settle moves as 0 or by a pawn's value, an engine that
    /// counts them with a fault comes second.
    fn from_fault(fault: Fault, rules: &Rules) -> impl Iterator<Item = Suspect> {
        let mut counting = *rules;
        match fault.class() {
            "en passant" => counting.en_passant = EnPassant::Exact,
            "promotions" => counting.first_promotion = FirstPromotion::Full,
            "promotions in recaptures" => counting.recapture_promotion = RecapturePromotion::Queen,
            _ => {}
        }
        let bases = [Some(*rules), Some(counting).filter(|other| other != rules)];
        bases.into_iter().flatten().map(move |base| Suspect {
            class: fault.class(),
            seems: fault.text(),
            engine: FaultyEngine::following(&base).with(fault),
            is_of_thresholds: fault == Fault::StrictThreshold,
        })
    }

    /// An engine with the faults of both.
    pub fn and(&self, other: &Suspect, rules: &Rules) -> Suspect {
        let usual = FaultyEngine::following(rules).profile();
        Suspect {
            engine: self.engine.and(&other.engine, usual),
            is_of_thresholds: self.is_of_thresholds && other.is_of_thresholds,
            ..*self
        }
    }

    /// Whether an engine with it would claim what an answer does; by the rules its SEE is `right`.
    pub fn says(&self, scene: &Scene, answer: &Answer, rules: &Rules, right: i32) -> bool {
        let see = match answer.said {
            Claim::Value(_) if self.is_of_thresholds => right,
            _ => self.engine.value(scene, &rules.values),
        };
        answer.said.is(see)
    }
}

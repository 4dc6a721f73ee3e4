//! JSON of explanations, rules and barred pieces.

use serde_json::{Map, Value, json};

use super::{Exchange, Explanation, ScoredMove};
use crate::{Barred, Profile, Rules};

impl Explanation {
    /// As JSON, the output of `swaplist explain --json`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "fen": self.fen,
            "in_check": self.position.in_check(),
            "moves": self.noisy.iter().map(ScoredMove::to_json).collect::<Vec<_>>(),
            "rules": self.rules.to_json(),
        });
        match &self.exchanges[..] {
            [] => {}
            [exchange] => exchange.add_to(&mut json),
            several => json["exchanges"] = several.iter().map(Exchange::to_json).collect(),
        }
        json
    }
}

impl Exchange {
    /// As JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = json!({});
        self.add_to(&mut json);
        json
    }

    fn add_to(&self, json: &mut Value) {
        let profiles = self.profiles.iter();
        let profiles: Map<_, _> = profiles
            .map(|&(profile, see)| (profile.name().to_owned(), see.into()))
            .collect();
        json["move"] = self.first.to_json();
        json["swap_list"] = self.trace.swap_list().into();
        json["speculative"] = self.trace.speculative.into();
        json["barred"] = self.trace.barred.iter().map(Barred::to_json).collect();
        json["profiles"] = profiles.into();
    }
}

impl ScoredMove {
    fn to_json(&self) -> Value {
        json!({ "uci": self.uci, "san": self.san, "see": self.see })
    }
}

impl Rules {
    /// As JSON: the profile, if it is one, and each option.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "profile": self.profile().map(Profile::name),
            "pins": self.pins.name(),
            "en_passant": self.en_passant.name(),
            "first_promotion": self.first_promotion.name(),
            "recapture_promotion": self.recapture_promotion.name(),
            "values": self.values.to_array(),
        })
    }
}

impl Barred {
    /// As JSON: the barred piece, the ply (0 is the first recapture), and the reason.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "ply": self.ply,
            "piece": self.piece.to_string(),
            "reason": self.reason.to_string(),
        })
    }
}

//! A position explained under the four rule sets.

use serde::Deserialize;
use serde_json::{Value, json};
use swaplist::explain::{Exchange, Explanation, Step};
use swaplist::formats::Record;
use swaplist::{Barred, BarredBy, Profile, Rules};

use crate::settings::RulesOf;
use crate::{Answer, Failure, object};

#[derive(Deserialize)]
struct Asked {
    /// A FEN, or a line that names moves.
    line: String,
    /// In UCI or SAN; empty for the one that the line names, or else the best one.
    name: String,
    rules: RulesOf,
}

impl Asked {
    fn explained(&self, rules: &Rules) -> Answer<Explanation> {
        let wrong = |error| Failure::of("fen", error);
        let whole = Explanation::of_line(&self.line, None, rules).map_err(wrong)?;
        if self.name.trim().is_empty() {
            return Ok(whole);
        }
        let asked = Explanation::of_line(&self.line, Some(self.name.trim()), rules);
        asked.map_err(|error| Failure::of("move", error))
    }
}

/// Explains a position, and one of its moves.
#[unsafe(no_mangle)]
pub extern "C" fn explain() -> i32 {
    object(|mut asked: Asked| {
        let rules = asked.rules.rules()?;
        let explanation = asked.explained(&rules)?;
        if explanation.exchanges.is_empty()
            && let Some(best) = explanation.noisy.first()
        {
            asked.name.clone_from(&best.uci);
        }
        let under = |profile| asked.explained(&Rules::new(profile, rules.values));
        let all = Profile::ALL.into_iter().map(under);
        let all: Vec<Explanation> = all.collect::<Answer<_>>()?;
        let position = &explanation.position;
        let state = Record::of_fen(&explanation.fen, *position);
        let moves = explanation.noisy.iter().map(|noisy| {
            let see = |other: &Explanation| other.rules.see(position, noisy.capture);
            json!({
                "uci": noisy.uci,
                "san": noisy.san,
                "from": noisy.capture.from().to_string(),
                "to": noisy.capture.to().to_string(),
                "see": all.iter().map(see).collect::<Vec<_>>(),
            })
        });
        Ok(json!({
            "fen": explanation.fen,
            "full_fen": state.to_fen(),
            "turn": position.turn().to_string(),
            "in_check": position.in_check(),
            "values": rules.values.to_array(),
            "moves": moves.collect::<Vec<_>>(),
            "exchanges": all
                .iter()
                .filter_map(|other| other.exchanges.first())
                .map(exchange)
                .collect::<Vec<_>>(),
        }))
    })
}

/// The same as `swaplist explain` prints it.
#[unsafe(no_mangle)]
pub extern "C" fn explain_text() -> i32 {
    crate::bytes(|| {
        let asked: Asked = serde_json::from_slice(&crate::taken())?;
        let explanation = asked.explained(&asked.rules.rules()?)?;
        Ok(explanation.to_string().into_bytes())
    })
}

fn exchange(exchange: &Exchange) -> Value {
    let first = &exchange.first;
    json!({
        "uci": first.uci,
        "san": first.san,
        "from": first.capture.from().to_string(),
        "to": first.capture.to().to_string(),
        "see": first.see,
        "swap_list": exchange.trace.swap_list(),
        "steps": exchange.steps.iter().map(step).collect::<Vec<_>>(),
        "decisions": decisions(&exchange.steps),
        "settled": exchange.settled,
        "barred": exchange.trace.barred.iter().map(barred).collect::<Vec<_>>(),
    })
}

fn name(role: shakmaty::Role) -> String {
    role.char().to_string()
}

fn step(step: &Step) -> Value {
    json!({
        "color": step.color.to_string(),
        "from": step.piece.map(|piece| piece.square.to_string()),
        "becomes": step.becomes.map(name),
        "words": step.words,
        "wins": step.wins,
        "gain": step.gain,
    })
}

/// Each side's choice between capturing and stopping, from the last recapture to the first.
fn decisions(steps: &[Step]) -> Vec<Value> {
    let decision = |(d, pair): (usize, &[Step])| {
        let (stop, go_on) = (-pair[0].gain, pair[1].best?);
        Some(json!({
            "step": d + 1,
            "color": pair[1].color.to_string(),
            "stop": stop,
            "go_on": go_on,
            "captures": go_on > stop,
            "value": pair[0].best,
        }))
    };
    steps
        .windows(2)
        .enumerate()
        .rev()
        .filter_map(decision)
        .collect()
}

/// A barred piece, and the piece that bars it.
fn barred(barred: &Barred) -> Value {
    let (by, on) = match barred.reason {
        BarredBy::Pinned { king, pinner } => (Some(pinner), Some(king)),
        BarredBy::PinStays { king, standing, .. } => (Some(standing), Some(king)),
        BarredBy::InCheck { king, checker } => (Some(checker), Some(king)),
        BarredBy::Guarded { target, guard } => (Some(guard), Some(target)),
        _ => (None, None),
    };
    json!({
        "ply": barred.ply,
        "square": barred.piece.square.to_string(),
        "words": barred.to_string(),
        "by": by.map(|piece| piece.square.to_string()),
        "on": on.map(|square| square.to_string()),
    })
}

//! Answers in JSON.

use serde::de::IgnoredAny;

use super::amount::{Amount, amount};
use super::line::{Parts, Said, truth};
use super::names::{ClaimPlaces, Places, Role, Unclear};
use super::objects::{NESTED, Object, Scored, objects};
use super::wrong::{Stage, Wrong};

/// Whether a text in braces begins with a key, as JSON does, rather than a FEN.
pub(super) fn is_object(text: &str) -> bool {
    let first = text.strip_prefix('{').map(str::trim_start);
    let key = first.and_then(|text| text.strip_prefix('"'));
    let after = key.and_then(|text| text.split_once('"'));
    text.starts_with("{}") || after.is_some_and(|(_, after)| after.trim_start().starts_with(':'))
}

/// Whether a text is JSON as a whole: a value, or several.
pub(super) fn is_json(text: &str) -> bool {
    let begins = text.trim_ascii_start().starts_with(['{', '[']);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    begins && values.all(|value| value.is_ok())
}

/// The answers of an object in a line, and of those in it.
pub(super) fn from_json(text: &str) -> Vec<Result<Parts, Wrong>> {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        // Without the line number, which is always 1.
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default();
        let column = error.column();
        let what = format!("{what}, at byte {column} of the object");
        return vec![Err(wrong(Stage::Fields, &what))];
    }
    let all = objects(text);
    if all.is_empty() {
        return vec![Err(missing("fen"))];
    }
    all.iter().flat_map(from_object).collect()
}

/// The answers of an object: one, or those of a list `moves` as `score` and `explain` write it. The
/// case of its keys does not matter.
pub(super) fn from_object(object: &Object<'_>) -> Vec<Result<Parts, Wrong>> {
    let find = |role: Role| {
        let mut members = object.members.iter();
        members.find(|(name, _)| Role::from_name(name).is_some_and(|(found, _)| found == role))
    };
    // `explain` names one of the moves as an object, too.
    let has_move = find(Role::Move).is_some_and(|(_, written)| *written != NESTED);
    match (&object.moves, find(Role::Fen)) {
        (Some(moves), Some((name, written))) if !has_move => match string(name, written) {
            Ok(fen) => moves
                .iter()
                .map(|scored| from_scored(&fen, *scored))
                .collect(),
            Err(wrong) => vec![Err(wrong)],
        },
        _ => vec![from_members(object)],
    }
}

/// The one answer that the members of an object say.
fn from_members(object: &Object<'_>) -> Result<Parts, Wrong> {
    let name_of = |at: usize| &*object.members[at].0;
    let string = |at: usize| string(name_of(at), object.members[at].1);
    let number = |at: usize| number(name_of(at), object.members[at].1);
    let names = object.members.iter().map(|(name, _)| &**name);
    let places = Places::from_names(&names).map_err(|unclear| refused(&unclear, name_of))?;
    let fen = string(places.fen)?;
    let name = string(places.name)?;
    let said = match (places.claim, &object.other_truth) {
        // It may be whether the SEE is at least the value.
        (ClaimPlaces::Value(_), Some(name)) => {
            let what = format!("'{name}' may say something of the value");
            return Err(wrong(Stage::Fields, &what));
        }
        (ClaimPlaces::Value(at), None) => Said {
            amount: number(at)?,
            holds: None,
        },
        // 1 and 0 as in the text form, or `true` and `false`.
        (ClaimPlaces::Threshold { threshold, holds }, _) => Said {
            amount: number(threshold)?,
            holds: Some(truth(object.members[holds].1).ok_or_else(neither)?),
        },
    };
    Ok(Parts { fen, name, said })
}

/// A move and its SEE, `{"uci","san","see"}`.
fn from_scored(fen: &str, scored: Scored<'_>) -> Result<Parts, Wrong> {
    let name = scored.uci.or(scored.san);
    let (Some(name), Some(see)) = (name, scored.see) else {
        return Err(wrong(Stage::Fields, "'moves' is not a list of {uci, see}"));
    };
    Ok(Parts {
        fen: fen.to_owned(),
        name: string("uci", name)?,
        said: Said {
            amount: number("see", see)?,
            holds: None,
        },
    })
}

fn string(name: &str, written: &str) -> Result<String, Wrong> {
    let what = || wrong(Stage::Fields, &format!("'{name}' is not a string"));
    serde_json::from_str(written).map_err(|_| what())
}

fn number(name: &str, written: &str) -> Result<Amount, Wrong> {
    let number: serde_json::Number = serde_json::from_str(written)
        .map_err(|_| wrong(Stage::Value, &format!("'{name}' is not a number")))?;
    amount(&number.to_string()).map_err(|error| wrong(Stage::Value, &error.message))
}

fn refused<'a>(unclear: &Unclear, name_of: impl Fn(usize) -> &'a str) -> Wrong {
    match unclear {
        Unclear::Missing(Role::Fen) => missing("fen"),
        Unclear::Missing(Role::Move) => missing("move"),
        Unclear::Missing(_) | Unclear::Both => neither(),
        Unclear::Relation(at) => {
            let what = format!("'{}' may say something else", name_of(*at));
            wrong(Stage::Fields, &what)
        }
        Unclear::Twice(_, both) => {
            let [first, second] = both.map(name_of);
            wrong(
                Stage::Fields,
                &format!("'{first}' and '{second}' stand for the same"),
            )
        }
    }
}

fn missing(key: &str) -> Wrong {
    wrong(Stage::Fields, &format!("missing field `{key}`"))
}

fn neither() -> Wrong {
    let what = "neither a value alone nor a threshold with ge, true or false";
    wrong(Stage::Value, what)
}

fn wrong(stage: Stage, what: &str) -> Wrong {
    let value = r#"{"fen","move","value"}"#;
    let threshold = r#"{"fen","move","threshold","ge"}"#;
    stage.wrong(format!("expected {value} or {threshold}: {what}"))
}

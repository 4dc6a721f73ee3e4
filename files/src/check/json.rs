//! Answers in JSON.

use serde_json::{Map, Value};

use super::amount::{Amount, amount};
use super::line::{Parts, Said, truth};
use super::wrong::{Stage, Wrong};

/// Whether a text in braces begins with a key, as JSON does, rather than a FEN.
pub(super) fn is_object(text: &str) -> bool {
    let first = text.strip_prefix('{').map(str::trim_start);
    let key = first.and_then(|text| text.strip_prefix('"'));
    let after = key.and_then(|text| text.split_once('"'));
    text.starts_with("{}") || after.is_some_and(|(_, after)| after.trim_start().starts_with(':'))
}

/// The answers of an object: one, or those of a list `moves` as `score` and `explain` write it. The
/// case of its keys does not matter.
pub(super) fn from_json(text: &str) -> Result<Vec<Parts>, Wrong> {
    let object: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        // Without the line number, which is always 1.
        let message = error.to_string();
        let what = message.split(" at line ").next().unwrap_or_default();
        wrong(
            Stage::Fields,
            &format!("{what}, at byte {} of the object", error.column()),
        )
    })?;
    let find = |key: &str| {
        let mut members = object.iter().filter(|(_, value)| !value.is_null());
        let found = members.find(|(name, _)| name.eq_ignore_ascii_case(key));
        found.map(|(_, value)| value)
    };
    let text_of = |key: &str| match find(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong(Stage::Fields, &format!("'{key}' is not a string"))),
        None => Err(wrong(Stage::Fields, &format!("missing field `{key}`"))),
    };
    let number = |key: &str| -> Result<Option<Amount>, Wrong> {
        match find(key) {
            None => Ok(None),
            Some(Value::Number(number)) => match amount(&number.to_string()) {
                Ok(amount) => Ok(Some(amount)),
                Err(error) => Err(wrong(Stage::Value, &error.message)),
            },
            Some(_) => Err(wrong(Stage::Value, &format!("'{key}' is not a number"))),
        }
    };
    let fen = text_of("fen")?;
    if let (None, Some(Value::Array(moves))) = (find("move"), find("moves")) {
        return moves
            .iter()
            .map(|scored| from_scored(&fen, scored))
            .collect();
    }
    let name = text_of("move")?;
    // 1 and 0 as in the text form, or `true` and `false`.
    let holds = find("ge").map(|ge| ge.as_bool().or_else(|| truth(&ge.to_string())));
    let said = match (number("value")?, number("threshold")?, holds) {
        (Some(amount), None, None) => Said {
            amount,
            holds: None,
        },
        (None, Some(amount), Some(Some(holds))) => Said {
            amount,
            holds: Some(holds),
        },
        _ => {
            let what = "neither a value alone nor a threshold with ge, true or false";
            return Err(wrong(Stage::Value, what));
        }
    };
    Ok(vec![Parts { fen, name, said }])
}

/// A move and its SEE, `{"uci","san","see"}`.
fn from_scored(fen: &str, scored: &Value) -> Result<Parts, Wrong> {
    let name = scored["uci"].as_str().or(scored["san"].as_str());
    let see = scored["see"].as_number().map(ToString::to_string);
    let (Some(name), Some(see)) = (name, see) else {
        return Err(wrong(Stage::Fields, "'moves' is not a list of {uci, see}"));
    };
    Ok(Parts {
        fen: fen.to_owned(),
        name: name.to_owned(),
        said: Said {
            amount: amount(&see)?,
            holds: None,
        },
    })
}

fn wrong(stage: Stage, what: &str) -> Wrong {
    let value = r#"{"fen","move","value"}"#;
    let threshold = r#"{"fen","move","threshold","ge"}"#;
    stage.wrong(format!("expected {value} or {threshold}: {what}"))
}
